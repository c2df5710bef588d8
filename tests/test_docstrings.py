"""Every example in a docstring runs and prints what it says."""

import doctest
import importlib
import pkgutil

import pytest

import fairrank

OPTIONAL = {"fairrank.audit": "matplotlib", "fairrank.datasets": "pandas"}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(fairrank.__path__, "fairrank.")
    if not module.name.startswith("fairrank._kernels") and "__main__" not in module.name
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_docstrings_run(name):
    for package, needed in OPTIONAL.items():
        if name.startswith(package):
            pytest.importorskip(needed)
    failures, _ = doctest.testmod(importlib.import_module(name), raise_on_error=False)
    assert failures == 0


def test_there_are_examples_to_run():
    finder = doctest.DocTestFinder()
    found = [
        test
        for name in MODULES
        for test in finder.find(importlib.import_module(name))
        if test.examples
    ]
    assert len(found) > 10
