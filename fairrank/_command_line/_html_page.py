"""One self-contained page: text, tables and pictures, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; color: #1a1a1a; background: #fff;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid #ccc; }
p { max-width: 42rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
.lead { color: #555; }
.reading { border-left: 0.3rem solid #0072b2; padding: 0.1rem 0 0.1rem 1rem; }
.warning { border-left: 0.3rem solid #d55e00; padding: 0.1rem 0 0.1rem 1rem; }
.scroll { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
th, td { padding: 0.25rem 0.55rem; text-align: right; border-bottom: 1px solid #e3e3e3;
  vertical-align: top; }
thead th { border-bottom: 2px solid #999; vertical-align: bottom; }
tbody th, thead th:first-child { text-align: left; font-weight: 600; padding-left: 0; }
td { white-space: nowrap; }
.text { text-align: left; }
tbody th { min-width: 7rem; overflow-wrap: anywhere; }
.text, .words td { white-space: normal; }
.words td { text-align: left; overflow-wrap: anywhere; min-width: 8rem; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0.5rem 0; flex: 1 1 20rem; max-width: 34rem; }
figure svg { width: 100%; height: auto; display: block; }
figcaption { color: #555; font-size: 0.92rem; }
pre { overflow-x: auto; font-size: 0.85rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .scroll { overflow: visible; }
  table, figcaption { font-size: 8.5pt; }
  h2, p.lead { break-after: avoid; }
  table, figure { break-inside: avoid; }
  pre { white-space: pre-wrap; }
}
"""

LEFT = ' class="text"'


class HtmlPage:
    """A page that is written from top to bottom; all text that is given is escaped.

    Parameters
    ----------
    title : str
    """

    def __init__(self, title: str):
        self.title = title
        self.parts: list[str] = []
        self.n_pictures = 0

    def heading(self, text: str) -> None:
        """Begin a section."""
        self.parts.append(f"<h2>{escape(text)}</h2>")

    def paragraph(self, text: str, kind: str = "") -> None:
        """One paragraph; `kind` is a class of the style."""
        of_kind = f' class="{escape(kind)}"' if kind else ""
        self.parts.append(f"<p{of_kind}>{escape(text)}</p>")

    def reading(self, text: str) -> None:
        """What the numbers say: a paragraph a line."""
        lines = "\n".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())
        self.parts.append(f'<div class="reading">\n{lines}\n</div>')

    def preformatted(self, text: str) -> None:
        """Text whose columns must stay under one another."""
        self.parts.append(f"<pre>{escape(text)}</pre>")

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = ""
    ) -> None:
        """A table of numbers; the first cell of a row names it."""
        if caption:  # Not a caption element: it would be as wide as the table on a phone.
            self.paragraph(caption, "lead")
        words = [*map(_is_words, zip(*rows))] or [False] * len(head)
        cells = "".join(
            f'<th scope="col"{LEFT if left else ""}>{escape(cell)}</th>'
            for cell, left in zip(head, words)
        )
        body = "\n".join(_row(row, words) for row in rows)
        self.parts.append(
            f'<div class="scroll"><table>\n<thead><tr>{cells}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody>\n</table></div>"
        )

    def facts(self, rows: Sequence[tuple[str, str]]) -> None:
        """Names and what they are, in words."""
        body = "\n".join(_row(row) for row in rows)
        self.parts.append(
            f'<div class="scroll"><table class="words">\n<tbody>\n{body}\n</tbody>\n</table></div>'
        )

    def pictures(self, drawn: Sequence[tuple[str, str]]) -> None:
        """Pictures side by side where there is room: (svg, caption) of each."""
        figures = "\n".join(
            f"<figure>\n{svg}\n<figcaption>{escape(caption)}</figcaption>\n</figure>"
            for svg, caption in drawn
        )
        self.parts.append(f'<div class="pictures">\n{figures}\n</div>')

    def to_html(self) -> str:
        """The whole document."""
        body = "\n".join(self.parts)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f"<main>\n<h1>{escape(self.title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
        )


def _is_words(column: Sequence[str]) -> bool:
    letters = "".join(column)
    return any(map(str.isalpha, letters)) and not any(map(str.isdigit, letters))


def _row(cells: Sequence[str], words: Sequence[bool] = ()) -> str:
    first, *others = cells
    left = [*words[1:]] or [False] * len(others)
    return (
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(
            f"<td{LEFT if one else ''}>{escape(cell)}</td>" for cell, one in zip(others, left)
        )
        + "</tr>"
    )
