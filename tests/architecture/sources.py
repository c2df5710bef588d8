"""The files of the project and the public modules, for the tests that read them."""

import importlib
import pkgutil
from importlib.util import find_spec
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def package_folder():
    """The source beside the tests, or the installed package where the tests stand alone."""
    beside = TESTS.parent / "fairrank"
    return beside if beside.is_dir() else Path(find_spec("fairrank").origin).parent


PACKAGE = package_folder()


def module_name(path):
    """Dotted name of a file of the package; an ``__init__`` file is its package."""
    parts = ("fairrank", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_files(*suffixes):
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in suffixes)


def project_files(*suffixes):
    """Text of the package, its tests, examples and benchmarks that lies where the tests do."""
    beside = [TESTS.parent / name for name in ("examples", "benchmarks")]
    return sorted(
        path
        for folder in [PACKAGE, TESTS, *beside]
        for path in folder.rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )


def argument_names(function):
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in [*named, arguments.vararg, arguments.kwarg] if a]


def public_modules():
    """fairrank and every module whose dotted name has no private part."""
    fairrank = importlib.import_module("fairrank")
    names = [info.name for info in pkgutil.walk_packages(fairrank.__path__, "fairrank.")]
    return [fairrank, *(importlib.import_module(name) for name in names if "._" not in name)]
