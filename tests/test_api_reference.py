"""The API reference shows what is public: no more and no less."""

import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import fairrank

TABLE = Path(__file__).resolve().parent.parent / "doc" / "api_table.py"
pytestmark = pytest.mark.skipif(not TABLE.exists(), reason="the tests stand alone")


@pytest.fixture(scope="module")
def modules():
    spec = importlib.util.spec_from_file_location("api_table", TABLE)
    table = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(table)
    return {module.name: module for module in table.MODULES}


def public_modules():
    return {
        info.name
        for info in pkgutil.iter_modules(fairrank.__path__, "fairrank.")
        if "._" not in info.name and not info.name.endswith("__main__")
    }


def test_the_reference_has_every_public_module(modules):
    assert set(modules) == public_modules()


@pytest.mark.parametrize("name", sorted(public_modules()))
def test_the_reference_has_every_public_name_of_a_module_once(name, modules):
    assert sorted(modules[name].names) == sorted(importlib.import_module(name).__all__)


def test_every_main_name_is_documented_in_the_module_that_it_comes_from(modules):
    homes = {name: module for module in modules for name in modules[module].names}
    for name in fairrank.__all__:
        home = importlib.import_module(homes[name])
        assert getattr(home, name) is getattr(fairrank, name)


def test_no_name_is_public_in_two_modules(modules):
    names = [name for module in modules.values() for name in module.names]
    assert len(names) == len(set(names))
