"""A welfare policy in words, as text and as a page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from textwrap import fill

from fairrank._command_line._answer import aligned, group_list, group_name, number, short
from fairrank._command_line._html_page import HtmlPage
from fairrank._command_line._inline_svg import has_matplotlib, inline_svg
from fairrank.welfare import MismatchReport, WelfareDisplay, WelfarePolicy

WIDTH = 96
HEAD = (
    "group", "share", "accepted before", "after", "welfare before", "after", "revenue before",
    "after", "multiplier", "ties accepted",
)
TEXT_HEAD = (
    "group", "share", "accepted", "after", "welfare", "after", "revenue", "after", "multiplier",
    "ties",
)
LOWEST = "accepted from p"
MULTIPLIER = (
    "Each pair: before, by revenue alone, and after, with equal welfare. Accept where "
    "expected revenue passes the group's multiplier times the expected utility of being accepted; "
    "of those exactly there, the part under \"ties\"."
)
SPELLED = {
    "demographic_parity": "the share of its members who are accepted",
    "equal_opportunity": "the share of its good cases who are accepted",
    "heterogeneous_opportunity": "the share of the money that its good cases ask for",
}
PICTURES = {
    "frontiers": "Largest revenue of each group at every welfare; filled: with the condition, "
    "open: without.",
    "price": "What less difference between the groups costs.",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PolicyFindings:
    """What is to be shown.

    Attributes
    ----------
    policy : WelfarePolicy
    mismatch : MismatchReport or None
    utility : str
    probability : str
        Name of its column.
    n_rows, n_dropped : int
    lowest : tuple of float, or None
        Probability from which each group is accepted, NaN where nobody is; None where it is not
        the probability alone that decides.
    lowest_by_revenue : float
        The same by revenue alone.
    """

    policy: WelfarePolicy
    mismatch: MismatchReport | None
    utility: str
    probability: str
    n_rows: int
    n_dropped: int
    lowest: tuple[float, ...] | None = None
    lowest_by_revenue: float = float("nan")


def reading(found: PolicyFindings, *, with_mismatch: bool = True) -> str:
    """What the policy does, in plain words; a line a thought."""
    policy = found.policy
    before, after = policy.unconstrained.welfare, policy.values.welfare
    lines = [
        f"A group's welfare is {SPELLED[found.utility]}. Without a condition it lies between "
        f"{before.min():.4f} and {before.max():.4f}"
        + (f", lowest in group {group_name(policy.disadvantaged_group)}"
           if policy.disadvantaged_group is not None else "")
        + (f"; with the condition it is {after.max():.4f} in every group."
           if after.max() - after.min() < 5e-5
           else f"; with the condition between {after.min():.4f} and {after.max():.4f}.")
    ]
    price = policy.price_of_fairness
    relative = policy.relative_price_of_fairness
    of_it = f", {100 * relative:.1f} % of it" if relative == relative else ""
    lines.append(
        f"Revenue per person goes from {policy.unconstrained.total_revenue:.4g} to "
        f"{policy.revenue:.4g}: the condition costs {price:.4g}{of_it}."
    )
    gains = group_list(policy.raised_groups) or "nobody"
    loses = group_list(policy.lowered_groups) or "nobody"
    lines.append(f"In this welfare the condition raises: {gains}. It lowers: {loses}.")
    if found.lowest is not None:
        by_group = "; ".join(
            f"{group_name(group)} from {value:.4g}" if value == value
            else f"nobody of {group_name(group)}"
            for group, value in zip(policy.groups, found.lowest)
        )
        lines.append(
            f"By revenue alone everybody is accepted above a probability of "
            f"{found.lowest_by_revenue:.4g}; with the condition: {by_group}."
        )
    if found.mismatch is not None and with_mismatch:
        lines.append(" ".join(found.mismatch.verdict.split()))
    lines.append(
        "Probabilities are taken as true, and equal welfare is neither the largest welfare of "
        "the worst off nor the largest of all."
    )
    return "\n".join(lines)


def policy_text(found: PolicyFindings) -> str:
    """Lay the policy out as text."""
    parts = [
        f"Decisions of largest revenue at equal welfare ({found.utility}): {found.n_rows:,} rows"
        + (f", {found.n_dropped:,} left out" if found.n_dropped else ""),
        aligned(*_table(found, TEXT_HEAD)),
        fill(MULTIPLIER, WIDTH),
        "\n".join(f"{name}: {value}" for name, value in _totals(found.policy)),
        "Reading\n" + "\n".join(
            fill(line, WIDTH, initial_indent="  ", subsequent_indent="  ")
            for line in reading(found, with_mismatch=False).splitlines()
        ),
    ]
    if found.mismatch is not None:
        parts.append(_summary(found, found.mismatch))
    return "\n\n".join(parts)


def draw_policy(page: HtmlPage, found: PolicyFindings) -> None:
    """Lay the policy out as a page."""
    page.heading("Reading")
    page.reading(reading(found))
    page.heading("Groups")
    page.table(*_table(found, HEAD), MULTIPLIER)
    page.facts(_totals(found.policy))
    if found.mismatch is not None:
        page.heading("Whom it helps and harms")
        table = found.mismatch.to_table()
        head = ("group", "utility", "role", "before", "after", "change", "low", "high", "verdict")
        keys = ("unconstrained", "constrained", "change", "low", "high")
        # Of one utility alone nothing is mismatched, and both roles have the same numbers.
        roles = {*table["role"]} if len({*table["utility"]}) > 1 else {table["role"][0]}
        page.table(
            head,
            [
                (
                    group_name(table["group"][i]), str(table["utility"][i]).replace("_", " "),
                    table["role"][i], *(number(table[key][i]) for key in keys),
                    table["verdict"][i],
                )
                for i in range(len(table["group"])) if table["role"][i] in roles
            ],
        )
        page.preformatted(_summary(found, found.mismatch))
    if has_matplotlib():
        display = WelfareDisplay.from_policy(found.policy)
        page.heading("Pictures")
        page.pictures(
            [
                (
                    inline_svg(partial(display.plot, panels=panel), name=panel, label=caption),
                    caption,
                )
                for panel, caption in PICTURES.items()
            ]
        )


def _summary(found: PolicyFindings, mismatch: MismatchReport) -> str:
    return mismatch.summary().replace("y_prob", f"column {found.probability!r}")


def _table(
    found: PolicyFindings, head: tuple[str, ...]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    rows = _rows(found.policy)
    if found.lowest is None:
        return head, rows
    return (*head, LOWEST), [(*row, short(one)) for row, one in zip(rows, found.lowest)]


def _rows(policy: WelfarePolicy) -> list[tuple[str, ...]]:
    table = policy.to_table()
    keys = (
        "share", "acceptance_rate_unconstrained", "acceptance_rate", "welfare_unconstrained",
        "welfare",
    )
    return [
        (
            group_name(group), *(number(table[key][i]) for key in keys),
            *(short(table[key][i]) for key in ("revenue_unconstrained", "revenue", "multiplier",
                                               "tie_probability")),
        )
        for i, group in enumerate(table["group"])
    ]


def _totals(policy: WelfarePolicy) -> list[tuple[str, str]]:
    relative = policy.relative_price_of_fairness
    return [
        ("revenue per person without the condition", short(policy.unconstrained.total_revenue)),
        ("with it", short(policy.revenue)),
        ("price of fairness", short(policy.price_of_fairness)
         + (f" ({100 * relative:.1f} %)" if relative == relative else "")),
        ("difference of welfare that is left", short(policy.welfare_gap)),
        ("bound for any such policy",
         f"{policy.upper_bound:.6g} (gap {policy.optimality_gap:.1e})"),
    ]
