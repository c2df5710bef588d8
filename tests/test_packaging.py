"""What an installed fairrank carries, and what a reader of the source tree is told."""

import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import fairrank
from fairrank._kernels import order

ROOT = Path(__file__).resolve().parent.parent
OLDEST = ROOT / ".ci" / "oldest.txt"


def test_version_is_the_one_of_the_metadata():
    assert fairrank.__version__ == version("fairrank")


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="the tests stand alone")
def test_the_installed_version_is_the_one_of_the_source():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert version("fairrank") == project["version"]


def lower_bounds(project):
    """The packages at run time and of the extras that the tests install, and from when on."""
    extras = project["optional-dependencies"]
    tested = ["plot", "parquet", "examples", "tests", "distributed"]
    required = [*project["dependencies"], *(line for extra in tested for line in extras[extra])]
    return {line for line in required if not line.startswith("fairrank[")}


@pytest.mark.skipif(not OLDEST.exists(), reason="the tests stand alone")
def test_the_lower_bounds_are_the_versions_that_are_tested_as_the_oldest():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    bounds = {
        line.replace("dask[distributed]", "dask").split(",!=")[0] for line in lower_bounds(project)
    }
    ours = OLDEST.read_text("utf-8").split("\n\n")[0].splitlines()
    assert {line.replace("==", ">=") for line in ours if not line.startswith("#")} == bounds


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="the tests stand alone")
def test_wheels_are_built_for_every_python_that_the_metadata_name():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = {
        match.replace(".", "")
        for line in settings["project"]["classifiers"]
        for match in re.findall(r"Python :: (3\.\d+)$", line)
    }
    built = set(settings["tool"]["cibuildwheel"]["build"].split())
    assert built == {f"cp{python}-*" for python in named} | {f"cp{max(named)}t-*"}


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a global lock"
)
def test_importing_fairrank_leaves_the_global_lock_off():
    code = "import sys, fairrank, fairrank.frontier; sys.exit(sys._is_gil_enabled())"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code]).returncode == 0


def test_type_checkers_are_told_that_fairrank_is_typed():
    assert (files("fairrank") / "py.typed").is_file()


def public_modules():
    yield fairrank
    for info in pkgutil.iter_modules(fairrank.__path__, "fairrank."):
        if "._" not in info.name and hasattr(importlib.import_module(info.name), "__all__"):
            yield importlib.import_module(info.name)


def written_methods(cls):
    """Its public methods and properties that were written here, not in scikit-learn."""
    for base in cls.__mro__:
        if not base.__module__.startswith("fairrank"):
            continue
        for name, member in vars(base).items():
            behind = {property: "fget", cached_property: "func"}.get(type(member))
            code = getattr(member, behind) if behind else getattr(base, name)
            if inspect.isroutine(code) and (name == "__init__" or not name.startswith("_")):
                yield f"{base.__name__}.{name}", code


def public_routines():
    for module in public_modules():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                yield from written_methods(value)
            elif inspect.isroutine(value):
                yield name, value


def without_types(routine):
    """The arguments without an annotation, and "return" for the answer."""
    signature = inspect.signature(routine)
    arguments = [
        name
        for name, argument in signature.parameters.items()
        if argument.annotation is argument.empty and name not in ("self", "cls")
    ]
    return arguments + ["return"] * (signature.return_annotation is signature.empty)


def test_every_public_function_and_method_has_types():
    routines = dict(public_routines())
    assert len(routines) > 200
    lacking = {name: without_types(routine) for name, routine in routines.items()}
    assert {name: missing for name, missing in lacking.items() if missing} == {}


def test_every_kernel_is_shipped_with_its_source():
    compiled = {
        path.name.split(".")[0]
        for path in (Path(fairrank.__file__).parent / "_kernels").iterdir()
        if path.suffix in (".so", ".pyd")
    }
    sources = {
        path.name.removesuffix(".pyx")
        for path in (files("fairrank") / "_kernels").iterdir()
        if path.name.endswith(".pyx")
    }
    assert compiled == sources


def site_without_fairrank(folder):
    """A copy, by links, of the installed packages, in which fairrank is not installed."""
    folder.mkdir()
    for site in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(site).iterdir():
            if "fairrank" not in entry.name:
                (folder / entry.name).symlink_to(entry)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
@pytest.mark.parametrize("installed_elsewhere", [False, True])
def test_an_uncompiled_source_tree_says_how_to_compile_it(tmp_path, installed_elsewhere):
    shutil.copytree(
        Path(fairrank.__file__).parent,
        tmp_path / "clone" / "fairrank",
        ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"),
    )
    environment = {**os.environ}
    command = [sys.executable, "-c", "import fairrank"]
    if not installed_elsewhere:
        environment["PYTHONPATH"] = str(site_without_fairrank(tmp_path / "site"))
        command.insert(1, "-S")
    answer = subprocess.run(
        command, cwd=tmp_path / "clone", env=environment, capture_output=True, text=True
    )
    assert answer.returncode == 1
    assert re.search(r"^ImportError: .*pip install", answer.stderr, re.M | re.S)


@pytest.mark.skipif(
    os.environ.get("FAIRRANK_BOUNDS_CHECK", "0") in ("", "0"),
    reason="reading past the end is only caught in the build with index checks",
)
def test_the_build_with_index_checks_catches_a_read_past_the_end():
    values, short = np.array([1.0, 2.0, 2.0]), np.array([1.0])
    with pytest.raises(IndexError, match="Out of bounds"):
        order.pool_ties(values, short, np.array([0, 1, 3], dtype=np.intp))


@pytest.mark.skipif(not (ROOT / "README.rst").exists(), reason="the tests stand alone")
@pytest.mark.parametrize("marker", ["audit-command", "test-command"])
def test_readme_marks_the_commands_that_are_run_before_every_commit(marker):
    text = (ROOT / "README.rst").read_text("utf-8")
    block = re.compile(rf"^\.\. {marker}\n\s*\n?\.\. code-block:: bash\n\s*\n +\S", re.M)
    assert len(block.findall(text)) == 1
