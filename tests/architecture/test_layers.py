"""Who may import whom: down the layers only, and the oracles nothing of fairrank.

Every checker takes source text and returns what is wrong, so that each rule is tested twice: on
fairrank, and on a small bad example that it must catch.
"""

import ast
import re

import pytest

from architecture.sources import TESTS, module_name, package_files

DOOR = {
    "exceptions", "_validation", "_column_codes", "_columns", "_sensitive", "_binary_target"
}

LAYERS = [
    {"_kernels"},
    DOOR,
    {"metrics"},
    {"inference"},
    {"audit", "ranking", "welfare", "frontier"},
    {"_command_line"},
    {"__main__"},
    {"fairrank"},  # __init__.py: the public names, from everywhere
]

LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# The samples need checked arguments, and nothing that is computed from them.
LEVEL["datasets"] = LEVEL["metrics"]

KERNEL_IMPORTS = {"numpy", "libc", "cython", "cpython", "fairrank"}


CYTHON_IMPORT = re.compile(
    r"""^\s*(?:
        from \s+ (?P<source>[\w.]+) \s+ c?import \b (?:\s*\((?P<listed>[^)]*)\) | (?P<names>.*))
        | c?import \s+ (?P<modules>.*)
    )""",
    re.MULTILINE | re.VERBOSE,
)


def part_of(module):
    """`fairrank.metrics._scorers` belongs to the part `metrics`, `fairrank` to itself."""
    return [*module.split("."), "fairrank"][1] if "." in module else module


def absolute(source, names, module, is_package):
    """Modules meant by ``from source import names``, written anywhere in `module`."""
    level = len(source) - len(source.lstrip("."))
    if level:
        parts = module.split(".")
        folder = parts[: len(parts) - level + is_package]
        source = ".".join([*folder, *filter(None, [source.lstrip(".")])])
    if source == "fairrank":  # `from fairrank import metrics` means the module fairrank.metrics
        return [f"fairrank.{name}" if name in LEVEL else source for name in names]
    return [source]


def imported_modules(source, module, *, is_package=False, cython=False):
    """Every module that `source` imports or cimports, in functions too."""
    found = []
    if cython:
        for match in CYTHON_IMPORT.finditer(source):
            listed = match["listed"] or match["names"] or match["modules"]
            names = [name.split()[0] for name in listed.split("#")[0].split(",") if name.strip()]
            if match["source"]:
                names = absolute(match["source"], names, module, is_package)
            found += names
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            found += absolute("." * node.level + (node.module or ""), names, module, is_package)
    return found


def imports_of(path):
    return imported_modules(
        path.read_text("utf-8"),
        module_name(path),
        is_package=path.stem == "__init__",
        cython=path.suffix in (".pyx", ".pxd"),
    )


def may_import(part, target):
    """Down the layers, inside one part, and between the modules of the door."""
    if part == target or {part, target} <= DOOR:
        return True
    if target == "datasets" or part == "datasets":
        return target in DOOR if part == "datasets" else part == "fairrank"
    return LEVEL.get(target, len(LAYERS)) < LEVEL[part]


def upward_imports(module, imports):
    part = part_of(module)
    targets = [target for target in imports if target.split(".")[0] == "fairrank"]
    return [
        f"{module} imports {target}" for target in targets if not may_import(part, part_of(target))
    ]


def foreign_kernel_imports(module, imports):
    return [
        f"{module} imports {target}"
        for target in imports
        if target.split(".")[0] not in KERNEL_IMPORTS
        or (target.split(".")[0] == "fairrank" and part_of(target) != "_kernels")
    ]


def test_every_module_has_a_place_in_the_layers():
    parts = {part_of(module_name(path)) for path in package_files(".py", ".pyx", ".pxd", ".pyi")}
    assert parts - set(LEVEL) == set()


def test_imports_go_down_only():
    files = package_files(".py", ".pyx", ".pxd", ".pyi")
    assert [
        wrong for path in files for wrong in upward_imports(module_name(path), imports_of(path))
    ] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("fairrank.metrics._ranking", "from fairrank.inference import rgf_test"),
        ("fairrank.metrics._ranking", "def f():\n    import fairrank.audit._displays as d"),
        ("fairrank.metrics._ranking", "from ..inference._report import x"),
        ("fairrank.metrics._ranking", "from fairrank import rgf_test"),
        ("fairrank.ranking._fair_ordering", "from fairrank.welfare._policy import x"),
        ("fairrank.ranking._fair_ordering", "from fairrank import frontier"),
        ("fairrank.exceptions", "from fairrank.metrics import rgf_score"),
        ("fairrank._kernels.order", "from fairrank.exceptions import DegenerateGroupError"),
        ("fairrank.datasets._loaders", "from fairrank.metrics import rgf_score"),
        ("fairrank.datasets._loaders", "from fairrank._kernels.order import tie_blocks"),
        ("fairrank.audit._display", "from fairrank.datasets import load_fico"),
        ("fairrank._command_line", "from fairrank.__main__ import main"),
    ],
)
def test_an_import_that_goes_up_or_sideways_is_caught(module, source):
    assert len(upward_imports(module, imported_modules(source, module))) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("fairrank.metrics._ranking", "from fairrank._kernels.order import tie_blocks"),
        ("fairrank.metrics._ranking", "from ._rank_graduation import x\nimport numpy as np"),
        ("fairrank._sensitive", "from fairrank._validation import as_vector"),
        ("fairrank.welfare._policy", "from fairrank.inference._bootstrap import draws"),
        ("fairrank.datasets._loaders", "from fairrank.exceptions import DegenerateGroupError"),
        ("fairrank", "from fairrank.datasets import load_fico\nfrom fairrank import metrics"),
    ],
)
def test_an_import_that_goes_down_is_let_through(module, source):
    assert upward_imports(module, imported_modules(source, module)) == []


def test_kernels_import_numpy_and_each_other_only():
    files = [path for path in package_files(".py", ".pyx", ".pxd") if "_kernels" in path.parts]
    assert files
    assert [
        wrong
        for path in files
        for wrong in foreign_kernel_imports(module_name(path), imports_of(path))
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "import scipy.special",
        "from sklearn.metrics import auc",
        "    from fairrank._sensitive import encode_groups",
        "from scipy.linalg cimport cython_blas",
        "cimport numpy as cnp, scipy.special as special",
        "from libc.math cimport fabs, floor\nfrom scipy.linalg cimport cython_blas\nimport numpy",
    ],
)
def test_a_foreign_import_in_a_kernel_is_caught(source):
    imports = imported_modules(source, "fairrank._kernels.order", cython=True)
    assert len(foreign_kernel_imports("fairrank._kernels.order", imports)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "cimport cython\nfrom libc.math cimport (\n    fabs,\n    floor,\n)",
        "from numpy cimport float64_t, intp_t\nimport numpy as np",
        "from fairrank._kernels.generator cimport Generator\nfrom .planar cimport cross",
        "from fairrank._kernels cimport planar",
    ],
)
def test_an_import_that_kernels_may_have_is_let_through(source):
    imports = imported_modules(source, "fairrank._kernels.order", cython=True)
    assert foreign_kernel_imports("fairrank._kernels.order", imports) == []


def fairrank_imports(source):
    imports = imported_modules(source, "oracles")
    return [name for name in imports if name.split(".")[0] == "fairrank"]


@pytest.mark.parametrize("name", sorted(path.name for path in TESTS.glob("oracles*.py")))
def test_oracles_know_nothing_of_fairrank(name):
    assert fairrank_imports((TESTS / name).read_text("utf-8")) == []


def test_an_oracle_that_asks_fairrank_is_caught():
    source = "def f():\n    from fairrank.metrics import rgf_score"
    assert fairrank_imports(source) == ["fairrank.metrics"]
