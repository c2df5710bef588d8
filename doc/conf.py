"""How the documentation is built: ``sphinx-build -W -n --keep-going doc doc/_build/html``."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

DOC = Path(__file__).resolve().parent
ROOT = DOC.parent
sys.path.insert(0, str(DOC))

import api_pages
import growth_figures
import name_links
import recorded_directive
import recorded_tables
from numpydoc.docscrape_sphinx import SphinxDocString

import fairrank

# The pages show what everybody can run, with or without further data on this machine.
os.environ.pop("FAIRRANK_DATA", None)

project = "fairrank"
author = "The fairrank developers"
copyright = "2026, the fairrank developers"
release = fairrank.__version__
version = release

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
if find_spec("sphinx-mathjax-offline"):  # formulas without a foreign server, where it is there
    extensions.append("sphinx-mathjax-offline")

root_doc = "index"
templates_path = ["_templates"]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
# `name` is code, and name_links.py makes links of the names that are ours.
default_role = "literal"
nitpicky = True
smartquotes = False  # "value" is to be copied
extlinks = {
    "arxiv": ("https://arxiv.org/abs/%s", "arXiv:%s"),
    "doi": ("https://doi.org/%s", "doi:%s"),
}

autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_context = {"pages": api_pages.what_pages_show()}
# The template lists the members that were written here, and none of scikit-learn's.
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

EXAMPLES = DOC / "_build" / "examples"  # examples write figures beside themselves
sphinx_gallery_conf = {
    "examples_dirs": str(EXAMPLES),
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "gallery_order.example_order",
    "doc_module": ("fairrank",),
    "reference_url": {"fairrank": None},
    "backreferences_dir": "auto_examples/backreferences",
    "abort_on_example_error": True,
    "capture_repr": (),
    "remove_config_comments": True,
    "write_computation_times": False,
    "thumbnail_size": (480, 300),
}

html_theme = "pydata_sphinx_theme"
html_title = "fairrank"
html_static_path = ["_static"]
html_css_files = ["fairrank.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "fairrank"},
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_end": ["search-button-field", "theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}
html_sidebars = {
    "index": [], "coming_from": [], "benchmarks": [], "changes": [], "references": [],
    "glossary": [],
}


def copy_examples():
    """Copy the examples to where what they write is in nobody's way."""
    EXAMPLES.mkdir(parents=True, exist_ok=True)
    sources = {path.name: path for path in (ROOT / "examples").glob("*.*")
               if path.suffix in (".py", ".rst")}
    for path in EXAMPLES.iterdir():
        if path.name not in sources:
            path.unlink()
    for name, path in sources.items():
        shutil.copy2(path, EXAMPLES / name)


def write_result_pages():
    """Write a page for each file of recorded measurements, their index, and curves of growth."""
    records = recorded_tables.read_records()
    folder = DOC / "results"
    api_pages.write_if_new(folder / "index.rst", recorded_tables.index_lines(records))
    for name, record in records.items():
        api_pages.write_if_new(folder / f"{name}.rst", recorded_tables.page_lines(record))
    for left_over in folder.glob("*.rst"):
        if left_over.stem not in records and left_over.stem != "index":
            left_over.unlink()
    growth_figures.write_figures(records, folder)


# Before the extensions look for sources.
copy_examples()
write_result_pages()
api_pages.write_api_pages(DOC / "api")


# numpydoc would put a property's summary in the place of what a class's Attributes say of it.
as_numpydoc = SphinxDocString._process_param
SphinxDocString._process_param = lambda self, name, text, _: as_numpydoc(self, name, text, False)


def setup(app):
    """What this site adds to Sphinx."""
    app.add_directive("recorded", recorded_directive.Recorded)
    app.add_post_transform(name_links.NameLinks)
    app.connect("autodoc-process-signature", api_pages.hide_result_signature)
    app.connect("autodoc-process-docstring", api_pages.say_what_data_is)
    app.connect("env-check-consistency", name_links.name_main_names)
    app.connect("missing-reference", name_links.link_to_scikit_learn)
