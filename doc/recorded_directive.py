"""The directive that puts a recorded table into a page::

    .. recorded:: size
       :section: Size at 5 %

A section that is no longer recorded is an error of the build.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from recorded_tables import RESULTS, inclusion_lines, read_record
from sphinx.util.docutils import SphinxDirective


class Recorded(SphinxDirective):
    """``.. recorded:: NAME`` with ``:section:``, the beginning of a section's title."""

    required_arguments = 1
    option_spec = {"section": directives.unchanged_required}  # noqa: RUF012

    def run(self):
        """Give the table, its notes, and where and when it was recorded."""
        path = RESULTS / f"{self.arguments[0]}.md"
        if not path.exists():
            raise self.error(f"nothing is recorded under {path.stem!r}")
        self.env.note_dependency(str(path))
        try:
            lines = inclusion_lines(read_record(path), self.options.get("section", ""))
        except LookupError as error:
            raise self.error(str(error)) from error
        box = nodes.container(classes=["recorded-section"])
        self.state.nested_parse(StringList(lines, source=str(path)), self.content_offset, box)
        return [box]
