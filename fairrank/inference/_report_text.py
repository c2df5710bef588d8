"""An `RGFReport` in words: the page, and what its numbers say together."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairrank.inference._report import RGFReport
    from fairrank.inference._rgf_test_result import RGFTestResult

WIDTH = 96
NAMES = {
    "given_outcome": "labels exchanged among rows of the same outcome",
    "given_score": "labels exchanged among rows of like score",
    "calibrated": "outcomes drawn from the scores",
}


def report_text(report: RGFReport) -> str:
    """Lay out the report as plain text of at most 99 columns."""
    parts = [
        _title(report),
        _group_table(report),
        _score_lines(report),
        _test_table(report),
        _comparison_table(report),
        "Reading\n" + "\n".join(
            fill(line, WIDTH, initial_indent="  ", subsequent_indent="  ")
            for line in report.reading.split("\n")
        ),
        _provenance(report),
    ]
    return "\n\n".join(part for part in parts if part)


def _title(report: RGFReport) -> str:
    title = "Rank graduation fairness: is the burden of prediction error shared alike?"
    return f"{title}\n{'=' * len(title)}"


def _group_table(report: RGFReport) -> str:
    width = max([5, *(len(str(g.burden.group)) for g in report.groups)])
    head = (
        f"{'group':<{width}} {'n':>8} {'share':>7} {'rate':>7} {'AUC':>7} {'mean':>8} "
        f"{'burden':>7} {'mean burden when':>18} {'excess sits at':>15}\n"
        f"{'':<{width}} {'':>8} {'':>7} {'y=1':>7} {'':>7} {'burden':>8} "
        f"{'ratio':>7} {'y=0':>9}{'y=1':>9} {'ranks':>15}"
    )
    rows = []
    for summary in report.groups:
        g = summary.burden
        low, high = g.excess_range
        rows.append(
            f"{g.group!s:<{width}} {g.n_samples:>8} {g.group_share:>7.3f} "
            f"{_number(summary.positive_rate, 7, 3)} {_number(summary.auc, 7, 3)} "
            f"{g.mean_burden:>8.4f} {g.burden_ratio:>7.3f} "
            f"{_number(g.mean_false_positive_burden, 9, 4)}"
            f"{_number(g.mean_false_negative_burden, 9, 4)} {low:>8.2f} - {high:.2f}"
        )
    return "\n".join([head, "-" * max(map(len, head.split("\n"))), *rows])


def _number(value: float | None, width: int, digits: int) -> str:
    return f"{'-':>{width}}" if value is None or value != value else f"{value:>{width}.{digits}f}"


def _score_lines(report: RGFReport) -> str:
    curve, plain, centred = report.curve, report.interval, report.centered_interval
    level = f"{100 * plain.confidence_level:g} %"
    return "\n".join(
        [
            f"RGF          {report.rgf:7.4f}   {level} [{plain.low:.4f}, {plain.high:.4f}] "
            f"({plain.method}); if shared alike {report.null_reference:.4f}, "
            f"draws {report.null_mean:.4f}",
            f"centred RGF  {report.centered_rgf:7.4f}   {level} [{centred.low:.4f}, "
            f"{centred.high:.4f}] ({centred.method}); if shared alike 1, "
            f"draws {report.null_centered_mean:.4f}",
            f"AURGF        {curve.area:7.4f}   centred {curve.centered_area:.4f}; from "
            f"q_min={curve.q_min:g} (every group has {curve.min_group_size} rows), "
            f"{curve.q.size} grid points",
        ]
    )


def _test_table(report: RGFReport) -> str:
    rows: list[tuple[str, RGFTestResult | None]] = [
        ("labels exchanged among all rows", report.test),
        ("... among rows of the same outcome", report.given_outcome),
        ("... among rows of like score", report.given_score),
        ("outcomes drawn from the scores", report.calibrated),
    ]
    head = f"{'test':<36}{'T':>10}{'T/E[T]':>9}{'p':>10}{'+/-':>9}  {'draws':>6}  strata in use"
    lines = [head, "-" * len(head)]
    for name, test in rows:
        if test is None:  # the reading says why
            continue
        strata = f"{test.n_informative_strata} of {test.n_strata}"
        if test.reference == "calibrated":
            strata = "-"
        lines.append(
            f"{name:<36}{test.statistic:>10.4g}{test.effect_size:>9.3g}{test.pvalue:>10.4g}"
            f"{test.pvalue_standard_error:>9.2g}  {test.n_draws:>6}  {strata}"
        )
    if report.calibrated is not None:
        lines.append(
            "observed minus predicted rate: "
            + ", ".join(
                f"{row.group!s} {row.difference:+.4f} (z = {row.z:+.1f})"
                for row in report.calibrated.calibration
            )
        )
    return "\n".join(lines)


def _comparison_table(report: RGFReport) -> str:
    comparisons = report.test.pairs + report.test.one_vs_rest
    if not comparisons:
        return ""
    names = [
        f"{c.first!s} against {'the rest' if c.second is None else str(c.second)}"
        for c in comparisons
    ]
    width = max(44, *map(len, names))
    head = f"{'comparison':<{width}}{'T/E[T]':>9}{'p':>10}{'Holm':>10}{'max-T':>10}"
    lines = [head, "-" * len(head)]
    for name, c in zip(names, comparisons):
        lines.append(
            f"{name:<{width}}{_number(c.effect_size, 9, 2)}{_number(c.pvalue, 10, 4)}"
            f"{_number(c.pvalue_holm, 10, 4)}{_number(c.pvalue_max_t, 10, 4)}"
        )
    return "\n".join(lines)


def _provenance(report: RGFReport) -> str:
    left_out = ", ".join(f"{label!s} ({n})" for label, n in report.groups_left_out) or "none"
    versions = ", ".join(f"{name} {value}" for name, value in report.versions.items())
    return "\n".join(
        [
            f"rows {report.n_samples}, left out without a group {report.n_dropped}, groups left "
            f"out: {left_out}, rows with tied burdens {report.n_tied}",
            f"burden {report.burden}, weights {report.weighting}, strata {report.strata}, "
            f"Gini of burdens {report.gini:.4f}",
            f"seed {' '.join(map(str, report.seed))}",
            f"data sha256 {report.data_hash}",
            versions,
        ]
    )


def report_reading(report: RGFReport, alpha: float = 0.05) -> str:
    """What the numbers say together, a line a thought; never a cause, never "fair"."""
    lines = [report.test.reading]
    rejected = report.test.pvalue <= alpha
    if rejected and report.rgf > report.null_mean:
        lines.append(
            f"Plain RGF ({report.rgf:.3f}) lies above what equal sharing gives at this mix of "
            f"groups ({report.null_mean:.3f}), and alone would read as fairer than fair. It is "
            "not: a minority's growing burden first raises it. Centred RGF "
            f"({report.centered_rgf:.3f}, 1 when shared alike) is the one to quote."
        )
    given_outcome, given_score, calibrated = _pvalues(report)
    if given_outcome <= alpha:
        lines.append(
            f"Given the outcome, scores are distributed differently between groups (p = "
            f"{given_outcome:.3g}); calibrated scores do that too when base rates differ."
        )
    if given_score <= alpha:
        lines.append(
            f"Among rows of like score the outcome still depends on the group (p = "
            f"{given_score:.3g}): the score does not mean the same for every group."
        )
    elif rejected and given_score > alpha:
        lines.append(
            f"Among rows of like score there is no such evidence (p = {given_score:.3g})."
        )
    if rejected and calibrated > alpha and given_score > alpha:
        lines.append(
            "Outcomes drawn from the scores part the burdens this much or more in "
            f"{100 * calibrated:.0f} % of draws: what is seen is of the size that "
            "unlike base rates give with calibrated scores. Whether the base rates themselves are "
            "just is not a question these data answer."
        )
    elif calibrated <= alpha:
        lines.append(
            f"Outcomes drawn from the scores seldom part the burdens this much (p = "
            f"{calibrated:.3g}): base rates alone do not explain it, or the scores "
            "are not calibrated. Recalibrate and look again."
        )
    lines += [f"Not tested: {NAMES[name]}. {why}" for name, why in report.not_tested.items()]
    return "\n".join(lines)


def _pvalues(report: RGFReport) -> list[float]:
    """Of the conditional tests and the calibrated reference; NaN, which no level reaches."""
    tests = (report.given_outcome, report.given_score, report.calibrated)
    return [float("nan") if test is None else test.pvalue for test in tests]
