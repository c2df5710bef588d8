"""Names say what a thing is, and public arguments `sensitive_features`, never `groups`."""

import ast
import re

import pytest

from architecture.sources import argument_names, package_files, project_files, public_modules

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
