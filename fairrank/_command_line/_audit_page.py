"""The page of an audit: the reading first, then the numbers and pictures it rests on."""

from __future__ import annotations

from functools import partial

from fairrank._command_line._answer import group_name, number, short
from fairrank._command_line._html_page import HtmlPage
from fairrank._command_line._inline_svg import has_matplotlib, inline_svg
from fairrank.audit import BurdenCurveDisplay, RGFCurveDisplay
from fairrank.inference import BurdenCurve, RGFReport

PANELS = {
    "curves": "Share of the burden that each group carries, from the smallest errors to the "
    "largest; dashed: if labels of groups were exchanged.",
    "difference": "How far a group's path lies from the one under exchange; thick where it leaves "
    "the band, which chance alone leaves seldom.",
    "deciles": "Part of the burden in every tenth of the ranking, by outcome.",
}


def draw_audit(page: HtmlPage, report: RGFReport, curve: BurdenCurve | None) -> None:
    """Lay a report out.

    Parameters
    ----------
    page : HtmlPage
    report : RGFReport
    curve : BurdenCurve or None
        None: without its pictures.
    """
    page.heading("Reading")
    page.reading(report.reading)
    page.heading("Groups")
    page.table(
        ("group", "rows", "share", "rate of y\u00a0=\u00a01", "AUC", "mean burden", "burden ratio",
         "mean burden, y\u00a0=\u00a00", "mean burden, y\u00a0=\u00a01", "excess sits at ranks"),
        [
            (
                group_name(one.burden.group), f"{one.burden.n_samples:,}",
                number(one.burden.group_share, 3),
                number(one.positive_rate, 3), number(one.auc, 3), number(one.burden.mean_burden),
                number(one.burden.burden_ratio, 3), number(one.burden.mean_false_positive_burden),
                number(one.burden.mean_false_negative_burden),
                "{:.2f} – {:.2f}".format(*one.burden.excess_range),
            )
            for one in report.groups
        ],
        "Burden ratio: a group's part of the burden over its part of the rows; 1 when shared "
        "alike.",
    )
    page.heading("Rank graduation fairness")
    page.table(
        ("", "value", f"{100 * report.interval.confidence_level:g} % interval", "if shared alike",
         "mean of draws"),
        [
            ("RGF", number(report.rgf), _interval(report.interval),
             number(report.null_reference), number(report.null_mean)),
            ("centred RGF", number(report.centered_rgf), _interval(report.centered_interval),
             "1", number(report.null_centered_mean)),
            ("AURGF", number(report.curve.area), "", "", ""),
        ],
    )
    _tests(page, report)
    if has_matplotlib():
        page.heading("Pictures")
        if curve is None:
            page.paragraph(
                "The burden curves are left out: their bands need more draws (--draws).", "lead"
            )
        page.pictures(_pictures(report, curve))
    page.heading("Provenance")
    page.facts(_provenance(report))


def _interval(interval) -> str:
    return f"{interval.low:.4f} – {interval.high:.4f}"


def _tests(page: HtmlPage, report: RGFReport) -> None:
    page.heading("Tests")
    named = (
        ("groups exchanged among all rows", report.test),
        ("… among rows of the same outcome", report.given_outcome),
        ("… among rows of like score", report.given_score),
        ("outcomes drawn from the scores", report.calibrated),
    )
    page.table(
        ("test", "T", "T / E[T]", "p", "± ", "draws"),
        [
            (name, short(test.statistic), f"{test.effect_size:.3g}", short(test.pvalue),
             f"{test.pvalue_standard_error:.2g}", f"{test.n_draws:,}")
            for name, test in named if test is not None
        ],
        "T / E[T]: how many times as far apart the groups are as chance alone would put them. "
        "The tests answer different questions and are not adjusted for one another.",
    )
    compared = report.test.pairs + report.test.one_vs_rest
    if compared:
        page.table(
            ("comparison", "T / E[T]", "p", "p\u00a0(Holm)", "p\u00a0(max\u2011T)"),
            [
                (f"{group_name(one.first)} against "
                 + ("the rest" if one.second is None else group_name(one.second)),
                 number(one.effect_size, 2), number(one.pvalue), number(one.pvalue_holm),
                 number(one.pvalue_max_t))
                for one in compared
            ],
        )
    if report.calibrated is not None:
        page.table(
            ("group", "observed minus predicted rate", "z"),
            [
                (group_name(row.group), f"{row.difference:+.4f}", f"{row.z:+.1f}")
                for row in report.calibrated.calibration
            ],
            "Calibration. Above 0: the outcome is 1 more often than the scores say. Beyond 2 "
            "standard errors (z) it is hardly chance.",
        )


def _pictures(report: RGFReport, curve: BurdenCurve | None) -> list[tuple[str, str]]:
    pictures = []
    for panel, caption in PANELS.items() if curve is not None else ():
        drawn = partial(BurdenCurveDisplay(curve=curve).plot, panels=panel)  # type: ignore[arg-type]
        svg = inline_svg(drawn, name=panel, label=caption)
        pictures.append((svg, caption))
    caption = (
        "RGF among the rows of largest burden, by the part of them that is kept; faint where some "
        "group has few rows."
    )
    display = RGFCurveDisplay(curve=report.curve)
    svg = inline_svg(display.plot, name="rgf", label=caption, size=(5.2, 4.8))
    return [*pictures, (svg, caption)]


def _provenance(report: RGFReport) -> list[tuple[str, str]]:
    left_out = ", ".join(
        f"{group_name(label)} ({n:,} rows)" for label, n in report.groups_left_out
    )
    return [
        ("rows", f"{report.n_samples:,}"),
        ("rows left out", f"{report.n_dropped:,}"),
        ("groups left out", left_out or "none"),
        ("rows with tied burdens", f"{report.n_tied:,}"),
        ("burden", report.burden),
        ("Gini coefficient of burdens", number(report.gini)),
        ("weights", report.weighting),
        ("strata", report.strata),
        ("seed", " ".join(map(str, report.seed))),
        ("data, SHA-256", report.data_hash),
        ("versions", ", ".join(f"{name} {value}" for name, value in report.versions.items())),
    ]
