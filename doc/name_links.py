"""Names in the text become links to the pages that are about them.

Guide pages and docstrings write ``rgf_test``, ``benchmarks/results/size.md`` and
``examples/plot_x.py`` as a reader of the source needs it. In the built pages these words lead on.
"""

import re

import api_pages
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

PAGES = (
    (re.compile(r"(?:benchmarks/results/)?(\w+)\.md"), "results/{}"),
    (re.compile(r"(?:examples/)?(plot_\w+)\.py"), "auto_examples/{}"),
    (re.compile(r"doc/(\w+)\.rst"), "{}"),
)
HOMES = {
    name: f"{module.name}.{name}" for module in api_pages.MODULES for name in module.names
}


class NameLinks(SphinxPostTransform):
    """Put a reference round what names a page or something public: in a literal, or as a type."""

    default_priority = 5  # before references are resolved

    def run(self, **kwargs):
        """Look at the whole page."""
        self.link_literals()
        self.link_types()

    def link_literals(self):
        """Look at every literal of the page."""
        for literal in list(self.document.findall(nodes.literal)):
            if not isinstance(literal.parent, (nodes.reference, addnodes.pending_xref)):
                found = self.page_of(literal.astext()) or self.object_of(literal.astext())
                if found:
                    link = addnodes.pending_xref(
                        "", refexplicit=True, refwarn=True, refdoc=self.env.docname, **found
                    )
                    literal.replace_self(link)
                    link += literal

    def link_types(self):
        """Look at every type of a parameter, and at what is returned or raised."""
        for text in list(self.document.findall(nodes.Text)):
            if self.is_type(text.parent):
                text.parent.replace(text, list(self.linked(text.astext())))

    def is_type(self, node):
        """Whether a node is the type of a parameter, or what is returned or raised."""
        if isinstance(node, nodes.term):
            return isinstance(node.parent.parent.parent, nodes.field_body)
        return isinstance(node, nodes.classifier)

    def linked(self, text):
        """The text with a reference round every class of fairrank."""
        for part in re.split(r"\b([A-Z]\w+)\b", text):
            found = self.object_of(part) if part[:1].isupper() else None
            yield nodes.Text(part) if found is None else addnodes.pending_xref(
                "", nodes.Text(part), refexplicit=True, refwarn=True,
                refdoc=self.env.docname, **found,
            )

    def page_of(self, text):
        """The page made from a file of this name, or None."""
        for pattern, page in PAGES:
            match = pattern.fullmatch(text)
            if match and page.format(match[1]) in self.env.found_docs:
                return {"refdomain": "std", "reftype": "doc",
                        "reftarget": "/" + page.format(match[1])}
        return None

    def object_of(self, text):
        """What is public under this name, or None; a page does not link to itself."""
        name = text.removesuffix("()").removeprefix("fr.")
        first, _, rest = name.partition(".")
        full = ".".join(filter(None, (HOMES.get(first, first), rest)))
        known = self.env.domains.python_domain.objects.get(full)
        if known is None or known.docname == self.env.docname or known.objtype == "module":
            return None
        return {"refdomain": "py", "reftype": "obj", "reftarget": full}


def name_main_names(app, env):
    """``fairrank.rgf_test`` is ``fairrank.inference.rgf_test``, also for references."""
    objects = env.domains.python_domain.objects
    for name, home in api_pages.main_names().items():
        objects[f"fairrank.{name}"] = objects[home]._replace(aliased=True)


def link_to_scikit_learn(app, env, node, contnode):
    """Its reference has one page a name, so that no inventory need be fetched."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.startswith("sklearn."):
        return None
    address = f"https://scikit-learn.org/stable/modules/generated/{target}.html"
    return nodes.reference("", "", contnode, internal=False, refuri=address)
