"""Public modules say what is public, results give plain values, docstrings show an example."""

import dataclasses
import inspect
import re

import pytest

from architecture.sources import public_modules


def test_every_public_module_says_what_is_public():
    assert [module.__name__ for module in public_modules() if not hasattr(module, "__all__")] == []


# Objects to compute with, which hold rules and arcs and not findings.
COMPUTED_WITH = {
    "Arcs", "Direction", "Excess", "FairnessScorer", "FrontierDraw", "GroupFrontier", "PathValues",
    "ScoreMap",
}


def results_without_data(classes):
    """Result classes that cannot be written down, or that can be changed once they are given."""
    return sorted(
        one.__name__
        for one in classes
        if dataclasses.is_dataclass(one) and one.__name__ not in COMPUTED_WITH
        if not (hasattr(one, "to_dict") and one.__dataclass_params__.frozen)
    )


def test_every_result_is_frozen_and_gives_plain_values():
    values = [getattr(module, name) for module in public_modules() for name in module.__all__]
    assert results_without_data({value for value in values if inspect.isclass(value)}) == []


def test_a_result_without_plain_values_is_caught():
    @dataclasses.dataclass(frozen=True)
    class Silent:
        pvalue: float

    @dataclasses.dataclass
    class Loose:
        pvalue: float

        def to_dict(self):
            return dataclasses.asdict(self)

    class NoResult:
        pass

    assert results_without_data({Silent, Loose, NoResult}) == ["Loose", "Silent"]


def lacks_example(docstring):
    """Whether a docstring has no ``Examples`` section with code to run."""
    section = re.search(r"^Examples\n-{8}\n(.*)", inspect.cleandoc(docstring or ""), re.M | re.S)
    return section is None or ">>> " not in section[1]


def test_every_public_name_has_an_example():
    missing = {
        f"{value.__module__}.{name}"
        for module in public_modules()
        for name in getattr(module, "__all__", ())
        for value in [getattr(module, name)]
        if inspect.isclass(value) or inspect.isroutine(value)
        if not (inspect.isclass(value) and issubclass(value, BaseException))
        if lacks_example(value.__doc__)
    }
    assert sorted(missing) == []


@pytest.mark.parametrize(
    "docstring",
    [
        None,
        "Area under a path.",
        "Area.\n\n    Examples\n    --------\n    Call it.\n    ",
        "Area.\n\n    >>> area()\n    1.0\n    ",
    ],
)
def test_a_docstring_without_an_example_is_caught(docstring):
    assert lacks_example(docstring)


def test_a_docstring_with_an_example_is_let_through():
    assert not lacks_example("Area.\n\n    Examples\n    --------\n    >>> area()\n    1.0\n    ")
