"""The pages of the API reference, written into ``doc/api`` from `api_table.MODULES`."""

import dataclasses
import importlib
import inspect
import pkgutil
import sys
from pathlib import Path

from api_table import MODULES
from numpydoc.docscrape import NumpyDocString
from sphinx.pycode import ModuleAnalyzer

import fairrank

# Scorers are instances, which autodoc documents as data.
KINDS = ((inspect.isclass, "class"), (inspect.isroutine, "function"), (callable, "data"))


def kind_of(qualified):
    """What to document `fairrank.module.name` as."""
    module, name = qualified.rsplit(".", 1)
    value = getattr(importlib.import_module(module), name)
    return next(kind for matches, kind in KINDS if matches(value))


def members_written_here(qualified):
    """Public methods and properties of a class that fairrank wrote, by kind.

    In their order, those of the class itself before those of its bases. What is inherited from
    scikit-learn (``get_params`` and the like) has its page there.
    """
    module, name = qualified.rsplit(".", 1)
    cls = getattr(importlib.import_module(module), name)
    # What the Attributes say something of is not listed again.
    described = {
        name for entry in NumpyDocString(inspect.getdoc(cls))["Attributes"]
        for name in entry.name.split(", ")
    }
    kinds = {}
    for base in cls.__mro__:
        for member, value in vars(base).items():
            # property keeps its function as fget, cached_property as func.
            getter = getattr(value, "fget", None) or getattr(value, "func", None)
            code = getter or getattr(cls, member)
            known = member.startswith("_") or member in kinds
            if known or not _written_here(code) or not inspect.getdoc(code):
                continue
            if getter:
                kinds[member] = "attribute" if member in described else "property"
            elif inspect.isroutine(code):
                kinds[member] = "method"
    return {
        kind: [member for member, found in kinds.items() if found == kind]
        for kind in ("method", "property")
    }


def _written_here(code):
    return str(getattr(code, "__module__", "")).startswith("fairrank")


def what_pages_show():
    """Kind and members of every public name, for the template."""
    names = [f"{module.name}.{name}" for module in MODULES for name in module.names]
    return {
        name: {"kind": kind_of(name)}
        | (members_written_here(name) if kind_of(name) == "class" else {})
        for name in names
    }


def hide_result_signature(app, what, name, obj, options, signature, annotation):
    """Nobody constructs a result: its fields are Attributes, and its signature says nothing."""
    if what == "class" and dataclasses.is_dataclass(obj):
        return "", annotation
    return None


def say_what_data_is(app, what, name, obj, options, lines):
    """An object is described by the comment where it is made, not by its class."""
    if what != "data":
        return
    package, data = name.rsplit(".", 1)
    for module in [key for key in sys.modules if key.startswith(f"{package}._")]:
        if vars(sys.modules[module]).get(data) is obj:
            comments = ModuleAnalyzer.for_module(module).find_attr_docs()
            lines[:] = comments.get(("", data), lines)


def main_names():
    """The module in which each name of ``fairrank`` itself is documented."""
    homes = {name: module.name for module in MODULES for name in module.names}
    return {name: f"{homes[name]}.{name}" for name in fairrank.__all__}


def public_modules():
    """Every module that users import from, ``fairrank`` itself aside."""
    return [
        info.name
        for info in pkgutil.iter_modules(fairrank.__path__, "fairrank.")
        if "._" not in info.name and hasattr(importlib.import_module(info.name), "__all__")
    ]


def heading(text, underline="="):
    """A heading as it is written in reStructuredText."""
    return [text, underline * len(text), ""]


def summary(names, prefix="~", toctree=True):
    """A table of names, one summary line each, and a page for each."""
    lines = [".. autosummary::"]
    if toctree:
        lines += ["   :toctree: names", "   :template: autosummary/name.rst"]
    return [*lines, "   :nosignatures:", "", *(f"   {prefix}{name}" for name in names), ""]


def module_page(module):
    """The page of one module."""
    lines = [f".. module:: {module.name}", "", *heading(module.title)]
    lines += [f"``{module.name}``: {module.about}", ""]
    for title, names in module.headings.items():
        lines += heading(title, "-")
        lines += summary(names, prefix="")
    return lines


def index_page():
    """The first page: all modules, and what ``import fairrank as fr`` has."""
    lines = heading("API reference")
    lines += [
        "Everything public, by module. The names one needs most can be had from ``fairrank``",
        "itself; they stand under `The main names`_.",
        "",
        ".. toctree::",
        "   :hidden:",
        "",
        *(f"   {module.name}" for module in MODULES),
        "",
    ]
    for module in MODULES:
        lines += [f":doc:`{module.title} <{module.name}>` — ``{module.name}``"]
        names = [f":obj:`{name} <{module.name}.{name}>`" for name in module.names]
        lines += [f"   {module.about}", "", "   " + ", ".join(names), ""]
    lines += heading("The main names", "-")
    lines += ["``import fairrank as fr`` has these:", ""]
    return lines + summary(main_names().values(), toctree=False)


def write_if_new(path, lines):
    """Write a page unless it stands there already: Sphinx reads again what is newer."""
    text = "\n".join(lines).rstrip() + "\n"
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def write_api_pages(folder: Path):
    """Write the index and the module pages; autosummary writes one page a name."""
    write_if_new(folder / "index.rst", index_page())
    for module in MODULES:
        write_if_new(folder / f"{module.name}.rst", module_page(module))
    written = {"index.rst", *(f"{module.name}.rst" for module in MODULES)}
    for left_over in folder.glob("*.rst"):
        if left_over.name not in written:
            left_over.unlink()
    names = {f"{module.name}.{name}" for module in MODULES for name in module.names}
    for left_over in (folder / "names").glob("*.rst"):
        if left_over.stem not in names:
            left_over.unlink()
