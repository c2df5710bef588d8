"""Pages are whole, well formed, the same on every run, and load nothing from anywhere."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from command_line_files import call, loans, write_csv
from fairrank._command_line._html_page import HtmlPage

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = "<b>&\"'</b><script>alert(1)</script>"
COMMANDS = {
    "audit": ("--label", "deny", "--score", "p", "--group", "race", "--draws", "99",
              "--resamples", "50"),
    "rank": ("--label", "deny", "--score", "p", "--group", "race", "--max-disparity", "0.05"),
    "policy": ("--probability", "p", "--group", "race", "--utility", "equal_opportunity",
               "--gain", "1", "--loss", "2", "--label", "deny"),
    "frontier": ("--label", "deny", "--group", "sex", "--exclude", "id", "--decision", "old",
                 "--draws", "50", "--categorical", "year"),
}


class Outline(HTMLParser):
    """Collects what is wrong with the nesting, and all ids, attributes and text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.attributes, self.tags = [], [], [], [], []
        self.text = ""
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.wrong.append(f"<{tag}> says an attribute twice")
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        self.ids += [value for name, value in attributes if name == "id"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text += data


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    data = loans(400)
    names = {"white": "white", "black": EVIL, "asian": "süd & ost"}
    race = np.array([names[one] for one in data["race"]])
    sex = np.where(data["weight"] == 1, EVIL, "süd & ost")
    more = {"race": race, "sex": sex, "old": (data["p"] > 0.3).astype(int)}
    return write_csv(tmp_path_factory.mktemp("page") / "loans.csv", data | more)


@pytest.fixture(scope="module")
def pages(tmp_path_factory, file):
    folder = tmp_path_factory.mktemp("pages")

    def written(command, name):
        from fairrank._command_line import main

        page = folder / name
        assert main([command, str(file), *COMMANDS[command], "--html", str(page)]) == 0
        return page.read_text("utf-8")

    return {command: (written(command, "a.html"), written(command, "b.html"))
            for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_is_well_formed(pages, command):
    text = pages[command][0]
    outline = Outline(text)
    assert text.startswith("<!DOCTYPE html>\n")
    assert outline.wrong == []
    assert outline.tags.count("title") >= 1
    assert outline.tags.count("h1") == 1
    assert ("html", "lang", "en") in outline.attributes
    assert "width=device-width" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_id_is_there_once_and_every_reference_meets_one(pages, command):
    text = pages[command][0]
    ids = Outline(text).ids
    assert len(ids) == len(set(ids))
    referred = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    assert {first or second for first, second in referred} <= set(ids)


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_loaded_from_anywhere(pages, command):
    outline = Outline(pages[command][0])
    assert not {"link", "script", "img", "iframe", "object"} & set(outline.tags)
    linking = ("href", "xlink:href", "src")
    links = [value for _, name, value in outline.attributes if name in linking]
    assert all(value.startswith("#") for value in links)
    assert "@import" not in pages[command][0]
    assert not re.search(r"url\((?!#)", pages[command][0])


@pytest.mark.parametrize("command", COMMANDS)
def test_names_of_groups_are_escaped(pages, command):
    text = pages[command][0]
    assert "<script" not in text
    assert "<b>" not in text
    assert EVIL in Outline(text).text


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_is_the_same_on_every_run(pages, command):
    first, second = pages[command]
    assert first == second


@pytest.mark.parametrize(
    ("command", "n_pictures"), [("audit", 4), ("rank", 1), ("policy", 2), ("frontier", 1)]
)
def test_pictures_are_in_the_page_and_are_described(pages, command, n_pictures):
    outline = Outline(pages[command][0])
    assert outline.tags.count("svg") == n_pictures
    assert sum(tag == "svg" and name == "aria-label" and bool(value)
               for tag, name, value in outline.attributes) == n_pictures


def test_a_picture_that_is_left_out_is_told_of(capsys, tmp_path, file, monkeypatch):
    monkeypatch.setattr("fairrank._command_line._rank.PICTURE_ROWS", 399)
    page = tmp_path / "page.html"
    call(capsys, "rank", file, *COMMANDS["rank"], "--html", page)
    assert "drawn of at most 399 rows" in page.read_text("utf-8")
    call(capsys, "audit", file, *COMMANDS["audit"], "--draws", "10", "--html", page)
    outline = Outline(page.read_text("utf-8"))
    assert "burden curves are left out" in outline.text
    assert outline.tags.count("svg") == 1


def test_the_reading_stands_first(pages):
    text = Outline(pages["audit"][0]).text
    assert text.index("Reading") < text.index("Groups") < text.index("Provenance")
    assert "exchanged" in text


def test_a_page_of_everything_is_escaped():
    page = HtmlPage(EVIL)
    page.heading(EVIL)
    page.paragraph(EVIL, "lead")
    page.reading(f"{EVIL}\n{EVIL}")
    page.table((EVIL, EVIL), [(EVIL, EVIL)], EVIL)
    page.facts([(EVIL, EVIL)])
    page.preformatted(EVIL)
    page.pictures([("<svg></svg>", EVIL)])
    text = page.to_html()
    outline = Outline(text)
    assert outline.wrong == []
    assert outline.text.count(EVIL) == 15
    assert "script" not in outline.tags


def test_warnings_stand_above_the_numbers(capsys, tmp_path, file, monkeypatch):
    import warnings

    from fairrank._command_line import _rank
    from fairrank.ranking import fair_ordering

    def warned(*arguments, **options):
        warnings.warn("odd & strange", UserWarning, stacklevel=2)
        return fair_ordering(*arguments, **options)

    monkeypatch.setattr(_rank, "fair_ordering", warned)
    page = tmp_path / "page.html"
    assert call(capsys, "rank", file, *COMMANDS["rank"], "--html", page)[0] == 0
    assert '<p class="warning">odd &amp; strange</p>' in page.read_text("utf-8")


def test_columns_of_words_stand_left_and_of_numbers_right():
    page = HtmlPage("t")
    page.table(("", "n", "verdict"), [("a", "1.5", "helped"), ("b", "-", "-")])
    text = page.to_html()
    assert '<td class="text">helped</td>' in text
    assert "<td>1.5</td>" in text
    assert '<th scope="col" class="text">verdict</th>' in text


def test_long_names_go_below_the_picture_and_do_not_squeeze_it():
    from fairrank._command_line._inline_svg import inline_svg

    def draw(label, ax):
        ax.plot([0, 1], [0, 1], label=label)
        ax.set(aspect="equal", ylabel=label)
        ax.legend()

    def sizes(label):
        svg = inline_svg(lambda ax: draw(label, ax), name="x", label="x", size=(5, 5))
        shown = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
        path = re.search(r'id="x-patch_2">\s*<path d="M ([\d.]+) [\d.]+\s*L ([\d.]+)', svg)
        return float(path[2]) - float(path[1]), float(shown[1])

    short, _ = sizes("white")
    drawn, width = sizes("a group whose name goes on and on " * 4)
    assert drawn > 0.8 * short
    assert width < 5.2 * 72
