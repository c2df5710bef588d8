"""A fairness-accuracy frontier in words, as text and as a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from fairrank._command_line._answer import aligned, group_list, group_name, number
from fairrank._command_line._html_page import HtmlPage
from fairrank._command_line._inline_svg import has_matplotlib, inline_svg
from fairrank.frontier import FrontierEstimator
from fairrank.frontier._lda_test_result import LDATestResult

WIDTH = 96
CORNERS = 2000
OUTSIDE = "The decisions' risks lie outside"
COMPARE_TWO = (
    "compare one with all others, --against-rest GROUP, or leave all but two out, --leave-out "
    "GROUP."
)
SKEWS = {
    "balanced": "At each group's best point that group has the lower risk.",
    "r": "Even where the risk of {b} is least, that of {r} is no higher.",
    "b": "Even where the risk of {r} is least, that of {b} is no higher.",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedDecisions:
    """One column of decisions.

    Attributes
    ----------
    name : str
    test : LDATestResult
    alternatives : AlternativesToDecisions
    turned_round : bool
        They seem to mean the opposite of the outcome.
    """

    name: str
    test: LDATestResult
    alternatives: Any
    turned_round: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrontierFindings:
    """What is to be shown.

    Attributes
    ----------
    frontier : FrontierEstimator
        Fitted.
    features : tuple of str
    n_rows, n_dropped : int
    judged : tuple of JudgedDecisions
    unjudged : tuple of str
        Decisions that cannot be judged: there are more than two groups.
    """

    frontier: FrontierEstimator
    features: tuple[str, ...]
    n_rows: int
    n_dropped: int
    judged: tuple[JudgedDecisions, ...]
    unjudged: tuple[str, ...]


def reading(found: FrontierFindings) -> str:
    """What was found, in plain words; a line a thought."""
    frontier = found.frontier
    names = [group_name(name) for name in frontier.group_names_]
    lines = [line for one in found.judged for line in _judgement(one)]
    if found.unjudged:
        lines.append(
            f"{', '.join(found.unjudged)}: not judged. The test is for two groups, and there are "
            f"{len(names)}: {COMPARE_TWO}"
        )
    lines.append(
        "Each point below gives the mean loss, or risk, of every group under the best decisions "
        "of one kind that look at the features and not at the group."
    )
    if len(names) == 2:
        fairest = frontier.fairest_point_
        risks = " and ".join(f"{one:.4f}" for one in fairest.point)
        lines.append(SKEWS[frontier.skew_].format(r=names[0], b=names[1]))
        lines.append(
            f"Equal risks are attainable, at {fairest.point[0]:.4f} (standard error "
            f"{frontier.standard_errors_['fairest_point'][0]:.4f})."
            if fairest.side == "across"
            else f"Equal risks are not attainable without the group; the nearest are {risks}."
        )
    elif not found.unjudged:
        lines.append(f"Of two groups there is a fairest point too: {COMPARE_TWO}")
    return "\n".join(lines)


def _judgement(one: JudgedDecisions) -> list[str]:
    if one.turned_round:
        return [
            f"{one.name}: not to be read as it stands. In both groups it is 1 less often where "
            "the outcome is 1, as if it meant the opposite of the outcome."
        ]
    # Whether the risks are attainable is said in plainer words.
    others = [text for text in one.test.warnings if not text.startswith(OUTSIDE)]
    lines = [f"{one.name}: {text}" for text in (one.test.reading, *others)]
    if one.test.feasibility.reject:
        lines.insert(
            1,
            f"{one.name}: its risks lie beyond what is attainable without the group "
            f"(p = {one.test.feasibility.pvalue:.3g}), as those of decisions that see it, or that "
            "were trained on these rows, do; or the features predict badly. That is no evidence "
            "about an alternative.",
        )
    return lines


def frontier_text(found: FrontierFindings) -> str:
    """Lay the frontier out as text."""
    names = group_list(found.frontier.group_names_)
    parts = [
        f"Fairness-accuracy frontier: {found.n_rows:,} rows"
        + (f", {found.n_dropped:,} left out" if found.n_dropped else "")
        + f", groups {names}, {len(found.features)} features",
        _points_text(found),
    ]
    if found.judged:
        parts.append(aligned(*_tests(found)))
        parts += [f"{one.name}\n{one.alternatives}" for one in found.judged]
    parts.append(
        "Reading\n" + "\n".join(
            fill(line, WIDTH, initial_indent="  ", subsequent_indent="  ")
            for line in reading(found).splitlines()
        )
    )
    return "\n\n".join(parts)


def frontier_record(found: FrontierFindings) -> dict[str, Any]:
    """For JSON; without what has one entry a row."""
    frontier = found.frontier
    record: dict[str, Any] = {
        "groups": [group_name(name) for name in frontier.group_names_],
        "n_rows": found.n_rows, "n_dropped": found.n_dropped, "features": list(found.features),
        "best_points": frontier.best_points_, "standard_errors": frontier.standard_errors_,
        "nuisance_quality": {
            name: one.to_dict() for name, one in frontier.nuisance_quality_.items()
        },
    }
    if len(frontier.group_names_) == 2:
        fairest = frontier.fairest_point_
        record |= {
            "fairest_point": {"risks": fairest.point, "side": fairest.side}, "skew": frontier.skew_
        }
    record["decisions"] = {
        one.name: {
            "test": one.test.to_dict(),
            "alternative": {
                name: getattr(one.alternatives, name)
                for name in ("risks", "point", "slacks", "realised_risks", "realised_slacks")
            },
        }
        for one in found.judged
    }
    return record


def draw_frontier(page: HtmlPage, found: FrontierFindings) -> None:
    """Lay the frontier out as a page."""
    page.heading("Reading")
    page.reading(reading(found))
    page.heading("Risks")
    page.table(*_points(found), "Mean loss of each group, with standard errors.")
    if found.judged:
        page.heading("Given decisions")
        caption = "Gain: how much better an alternative can be, in units of loss."
        page.table(*_tests(found), caption)
        for one in found.judged:
            page.paragraph(one.name)
            page.preformatted(str(one.alternatives))
    if has_matplotlib() and len(found.frontier.group_names_) == 2:
        caption = (
            "Risks of both groups. Line: the frontier as the features predict it. Marks: what "
            "happened, at the point that is best for each group, at the fairest one, and under "
            "the given decisions. Marks lie off the line where predictions do, or rows are few. "
            "Dashed: equal risks."
        )
        page.heading("Pictures")
        page.pictures([(inline_svg(lambda ax: _draw(ax, found), name="frontier", label=caption),
                        caption)])
    page.heading("How the features predict")
    page.table(*_quality(found), "Out of fold. R²: the part of the loss of a constant that goes.")
    page.facts([("features", ", ".join(found.features))])


def _draw(ax: Any, found: FrontierFindings) -> None:
    frontier = found.frontier
    r, b = (group_name(name) for name in frontier.group_names_)
    corners = frontier.frontier_
    at = np.unique(np.linspace(0, len(corners) - 1, min(CORNERS, len(corners))).astype(np.intp))
    ax.plot(*corners[at].T, color="#0072B2", linewidth=2.0, label="frontier")
    points = [*zip((f"best for {r}", f"best for {b}"), frontier.best_points_),
              ("fairest", frontier.fairest_point_.point)]
    for marker, (name, point) in zip("<v*", points):
        ax.plot(*point, marker, color="#0072B2", markersize=9, label=name)
    for marker, one in zip("osDPX^" * len(found.judged), found.judged):
        ax.plot(*one.test.risks, marker, color="#D55E00", markersize=7, label=one.name)
    low, high = min(ax.get_xlim()[0], ax.get_ylim()[0]), max(ax.get_xlim()[1], ax.get_ylim()[1])
    ax.axline((low, low), (high, high), color="#666666", linestyle="--", linewidth=1.0)
    ax.set(xlabel=f"risk of {r}", ylabel=f"risk of {b}", xlim=(low, high), ylim=(low, high),
           aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")


def _points(found: FrontierFindings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    frontier = found.frontier
    names = [group_name(name) for name in frontier.group_names_]
    head = ("point", *(part for name in names for part in (f"risk {name}", "s.e.")))
    errors = frontier.standard_errors_
    lines = [
        (f"best for {name}", point, error)
        for name, point, error in zip(names, frontier.best_points_, errors["best_points"])
    ]
    if len(names) == 2:
        lines.append(("fairest", frontier.fairest_point_.point, errors["fairest_point"]))
    lines += [(one.name, one.test.risks, [np.nan, np.nan]) for one in found.judged]
    rows = [
        (name, *(cell for pair in zip(point, error) for cell in map(number, pair)))
        for name, point, error in lines
    ]
    return head, rows


def _points_text(found: FrontierFindings) -> str:
    """The points as a table; of many groups, or long names, one below another."""
    head, rows = _points(found)
    wide = aligned(head, rows)
    if max(map(len, wide.splitlines())) <= WIDTH:
        return wide
    tall = []
    for name, *cells in rows:
        tall.append((name, "", ""))
        tall += [
            (f"  {group}", risk, error)
            for group, risk, error in zip(
                map(group_name, found.frontier.group_names_), cells[::2], cells[1::2]
            )
        ]
    return aligned(("point", "risk", "s.e."), tall)


def _tests(found: FrontierFindings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    head = ("decisions", "gain", "from", "to", "p", "alternative", "p of being attainable")
    rows = [
        (
            one.name, number(one.test.gain), *map(number, one.test.gain_interval),
            f"{one.test.pvalue:.4g}", "exists" if one.test.reject else "not shown",
            f"{one.test.feasibility.pvalue:.4g}",
        )
        for one in found.judged
    ]
    return head, rows


def _quality(found: FrontierFindings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    head = ("what is predicted", "rows", "AUC", "R²", "calibration slope")
    rows: list[tuple[str, ...]] = [
        (_predicted(name), f"{one.n_samples:,}", number(one.auc, 3), number(one.r2, 3),
         number(one.calibration_slope, 2))
        for name, one in found.frontier.nuisance_quality_.items()
    ]
    return head, rows


def _predicted(name: str) -> str:
    """In words what a nuisance is of; as it is where it has another form."""
    if found := re.fullmatch(r"P\(G=(.*) \| X\)", name):
        return f"being in group {found[1]}"
    if found := re.fullmatch(r"P\(Y=1 \| X, G=(.*)\)", name):
        return f"outcome 1, in group {found[1]}"
    return name
