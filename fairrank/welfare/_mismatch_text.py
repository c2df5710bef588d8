"""A `MismatchReport` in words: whom it helps and harms, at whose expense, and how sure that is."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from fairrank.welfare._mismatch_welfare import VERDICTS, WelfareChange

if TYPE_CHECKING:
    from fairrank.welfare._mismatch_conditions import GroupGuarantee, UtilityAgreement
    from fairrank.welfare._mismatch_result import MismatchReport
    from fairrank.welfare._mismatch_revenue import RevenueChange

WIDTH = 92
# Standard deviations beyond which promised outcomes are called wrong.
SUSPECT = 3.0
# Verdicts that are a statement, each its verb and "ed".
SURE = ("harmed", "helped")


def mismatch_verdict(report: MismatchReport) -> str:
    """Whom the condition helps and harms, one paragraph a utility."""
    return "\n".join(fill(line, WIDTH) for line in _verdict_lines(report))


def mismatch_text(report: MismatchReport) -> str:
    """Lay the report out as plain text."""
    title = f"{_condition(report)}: whom does it help, in the utility that people have?"
    parts = [
        f"{title}\n{'=' * len(title)}",
        _paragraph(_verdict_lines(report)),
        _table(report, report.assumed_name, "equalized", report.assumed),
        *(
            _table(report, name, "underlying", one.welfare)
            for name, one in report.underlying.items()
        ),
        "Price\n" + _paragraph(_price_lines(report)),
    ]
    for name, one in report.underlying.items():
        lines = [_guarantee_line(g, name) for g in one.guarantees]
        lines += _agreement_lines(one.agreement, name)
        parts.append(f"Guarantees ({_plain(name)})\n" + _paragraph(lines))
    if report.realised is not None:
        parts.append("What happened\n" + _paragraph(_realised_lines(report)))
    parts.append("Read with care\n" + _paragraph(_cautions(report)))
    return "\n\n".join(parts)


def _paragraph(lines: list[str]) -> str:
    return "\n".join(
        fill(line, WIDTH, initial_indent="  ", subsequent_indent="  ") for line in lines
    )


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _condition(report: MismatchReport) -> str:
    name = _plain(report.assumed_name)
    if report.assumed_name == "assumed utility":
        return "Equalizing the assumed utility"
    return name[:1].upper() + name[1:]


def _verdict_lines(report: MismatchReport) -> list[str]:
    lines = [
        _verdict_line(report, name, one.welfare) for name, one in report.underlying.items()
    ]
    return lines + _calibration_lines(report)


def _calibration_lines(report: MismatchReport) -> list[str]:
    """Groups whose outcomes say that y_prob is wrong, so that all of the above may be."""
    if report.realised is None:
        return []
    lines = []
    for words, z in (
        ("accepted persons", report.realised.accepted_z),
        ("persons whose decision changes", report.realised.changed_z),
    ):
        wrong = [
            f"{group!s} (z = {value:+.1f})"
            for group, value in zip(report.groups, z)
            if abs(value) > SUSPECT
        ]
        if wrong:
            lines.append(
                f"But y_prob is off among {words} of group {', '.join(wrong)}: recalibrate by "
                "group before believing what is expected."
            )
    return lines


def _verdict_line(report: MismatchReport, name: str, welfare: WelfareChange) -> str:
    condition = _condition(report)
    condition = f"Measured by {_plain(name)}, {condition[0].lower()}{condition[1:]}"
    listed = {
        word: _listed(report, welfare, word) for word in VERDICTS if welfare.groups_that_are(word)
    }
    sure = [f"{word.removesuffix('ed')} {listed[word]}" for word in SURE if word in listed]
    said = [f"would {' and '.join(sure)}."] if sure else []
    for word, who in (("harmed or unchanged", "gains"), ("helped or unchanged", "loses")):
        if word in listed:
            several = len(welfare.groups_that_are(word)) > 1
            same = "them as they are" if several else "it as it is"
            said.append(
                f"would {word[:4]} {listed[word]} or leave {same}: nobody there {who} by it."
            )
    if "undetermined" in listed:
        said.append(f"may help or harm {listed['undetermined']}: that is not determined.")
    if not said:
        drawn = "" if report.confidence_level is None else " on these rows"
        said = [f"would move nobody's welfare{drawn}."]
    return " It ".join([f"{condition} {said[0]}", *said[1:]])


def _listed(report: MismatchReport, welfare: WelfareChange, word: str) -> str:
    named = []
    for g, group in enumerate(report.groups):
        if welfare.verdict[g] != word:
            continue
        lowest = "the disadvantaged one, " if group == welfare.disadvantaged_group else ""
        interval = (
            ""
            if report.confidence_level is None
            else f", change {welfare.low[g]:+.4f} to {welfare.high[g]:+.4f}"
        )
        named.append(
            f"group {group!s} ({lowest}welfare {welfare.unconstrained[g]:.4f} -> "
            f"{welfare.constrained[g]:.4f}{interval})"
        )
    return " and ".join(named)


def _table(report: MismatchReport, name: str, role: str, welfare: WelfareChange) -> str:
    width = max([5, *(len(str(group)) for group in report.groups)])
    head = (
        f"{'group':<{width}} {'share':>7} {'without':>9} {'with':>9} {'change':>9} {'s.e.':>8}  "
        f"{'verdict':<19} {'admitted':>8} {'dropped':>8}"
    )
    lines = [f"Welfare in {_plain(name)} ({role})", head, "-" * len(head)]
    for g, group in enumerate(report.groups):
        lines.append(
            f"{group!s:<{width}} {report.share[g]:>7.3f} {welfare.unconstrained[g]:>9.4f} "
            f"{welfare.constrained[g]:>9.4f} {welfare.change[g]:>+9.4f} "
            f"{welfare.standard_error[g]:>8.4f}  {welfare.verdict[g]:<19} "
            f"{report.admitted[g]:>8.4f} {report.dropped[g]:>8.4f}"
        )
    total = welfare.total_constrained - welfare.total_unconstrained
    lines.append(
        f"{'all':<{width}} {1:>7.3f} {welfare.total_unconstrained:>9.4f} "
        f"{welfare.total_constrained:>9.4f} {total:>+9.4f}"
    )
    lines.append(
        f"{'gap':<{width}} {'':>7} {welfare.gap_unconstrained:>9.4f} "
        f"{welfare.gap_constrained:>9.4f}"
    )
    return "\n".join(line.rstrip() for line in lines)


def _price_lines(report: MismatchReport) -> list[str]:
    revenue = report.revenue
    relative = revenue.relative_price
    part = f", {100 * relative:.1f} % of it" if relative == relative else ""
    error = _error(revenue.standard_error, report)
    lines = [f"{_revenue_clause(revenue, report)} costs {revenue.price:.4g}{error}{part}."]
    one = report.assumed
    if one.levelling_down != one.levelling_down:
        return [*lines, "The gap in what is equalized was not closed."]
    return [
        *lines,
        f"The gap in what is equalized went from {one.gap_unconstrained:.4f} to "
        f"{one.gap_constrained:.4f}: the highest welfare "
        f"{_moved(-one.closed_by_lowering)}, the lowest {_moved(one.closed_by_raising)}. "
        f"{100 * min(max(one.levelling_down, 0.0), 1.0):.0f} % of that is levelling down.",
    ]


def _revenue_clause(revenue: RevenueChange, report: MismatchReport) -> str:
    before = _error(revenue.unconstrained_standard_error, report)
    after = _error(revenue.constrained_standard_error, report)
    return (
        f"Revenue per person {revenue.unconstrained:.4g}{before} -> "
        f"{revenue.constrained:.4g}{after}: the condition"
    )


def _error(standard_error: float, report: MismatchReport) -> str:
    return "" if report.confidence_level is None else f" (+/- {standard_error:.4g})"


def _moved(by: float) -> str:
    if f"{abs(by):.4f}" == "0.0000":
        return "stayed"
    return f"{'rose' if by > 0 else 'fell'} by {abs(by):.4f}"


def _guarantee_line(one: GroupGuarantee, name: str) -> str:
    group = f"group {one.group!s}"
    if one.n_changed == 0:
        return f"Nobody's decision changes in {group}."
    if one.applies:
        return (
            f"Theorem 4 protects {group}: what is equalized does not fall there, whoever was "
            f"accepted stays so, and {_plain(name)} is at least 0 for the {one.n_changed} whose "
            "decision changes."
        )
    reasons = []
    if not one.raised:
        reasons.append("it is lowered")
    if one.n_negative_assumed:
        reasons.append(
            f"what is equalized is negative for {one.n_negative_assumed} of its members"
        )
    if one.n_dropped:
        verb = "is" if one.n_dropped == 1 else "are"
        reasons.append(f"{one.n_dropped} of its members {verb} accepted less than before")
    if one.n_negative_underlying:
        total = one.from_admitted + one.from_dropped
        reasons.append(
            f"{_plain(name)} is negative for {one.n_negative_underlying} of the {one.n_changed} "
            f"whose decision changes, over all of whom welfare changes by {total:+.4f}"
        )
    return f"Theorem 4 does not protect {group}: {'; '.join(reasons)}."


def _agreement_lines(one: UtilityAgreement, name: str) -> list[str]:
    unsure = "" if one.determined else ", within the error of these rows"
    if one.agree is None:
        lines = ["No group alone is the lowest without the condition in both utilities."]
    elif one.agree:
        lines = [f"Both utilities call group {one.assumed_group!s} disadvantaged{unsure}."]
    else:
        lines = [
            f"The utilities disagree on who is disadvantaged{unsure}: group "
            f"{one.assumed_group!s} in what is equalized, group {one.underlying_group!s} in "
            f"{_plain(name)}."
        ]
    literal = "met" if one.literal_satisfied else "not met"
    free = "met" if one.scale_free_satisfied else "not met"
    return [
        *lines,
        f"Corollary 6: the lowest welfare is {one.assumed_ratio:.4g} of the next one in what is "
        f"equalized. They must agree below 1 / alpha^2 = {one.literal_bound:.4g} as the paper "
        f"has it (alpha = {one.alpha:.4g}; {literal}), and below m / M = "
        f"{one.scale_free_bound:.4g} for any units ({free}).",
    ]


def _realised_lines(report: MismatchReport) -> list[str]:
    realised = report.realised
    if realised is None:
        return []
    lines = []
    if realised.revenue is not None:
        lines.append(
            f"{_revenue_clause(realised.revenue, report)} cost {realised.revenue.price:.4g}"
            f"{_error(realised.revenue.standard_error, report)}. Expected: "
            f"{report.revenue.unconstrained:.4g} -> {report.revenue.constrained:.4g}."
        )
    welfares = [(report.assumed_name, "equalized", realised.assumed)]
    welfares += [
        (name, "underlying", one.realised)
        for name, one in report.underlying.items()
        if one.realised is not None
    ]
    for name, role, one in welfares:
        levels = ", ".join(
            f"{group!s} {before:.4f} -> {after:.4f} {verdict}"
            for group, before, after, verdict in zip(
                report.groups, one.unconstrained, one.constrained, one.verdict
            )
        )
        lines.append(f"Welfare in {_plain(name)} ({role}): {levels}.")
    return lines


def _cautions(report: MismatchReport) -> list[str]:
    if report.confidence_level is None:
        first = (
            "y_prob is taken as true and the rows as everybody there is, so that nothing is "
            "uncertain and a verdict is the sign of the change."
        )
    else:
        first = (
            f"Helped or harmed: 0 lies outside the {100 * report.confidence_level:g} % interval "
            "of the change, one group at a time. Intervals cover which rows were drawn; the "
            "policy is held fixed and y_prob is taken as true. Where fewer than ten rows of a "
            "group do not move as the rest does, they hold what unseen rows could change."
        )
    return [
        first,
        "Equal welfare is neither the largest welfare of the worst off nor the largest of all: "
        "see the lines 'all'.",
    ]
