"""The three panels of `WelfareDisplay`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank.welfare._policy_result import WelfarePolicy
from fairrank.welfare._price_of_fairness_path_result import PriceOfFairnessPath
from fairrank.welfare._score_distribution import ScoreDistribution
from fairrank.welfare._thinned_path import thinned

# Okabe and Ito's colours, told apart by colour-blind readers too.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "#666666"
STYLES = ("-", "--", ":", "-.")


def group_style(g: int) -> dict[str, Any]:
    """Colour and line of the group with number `g`."""
    return {
        "color": COLORS[g % len(COLORS)], "linestyle": STYLES[g // len(COLORS) % len(STYLES)]
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnFrontiers:
    """What "frontiers" put on its axes; see the attributes of `WelfareDisplay`."""

    lines: list
    chosen: list
    unconstrained: list
    total: Any
    mark: Any


def draw_frontiers(
    ax: Any, policy: WelfarePolicy, n_corners: int, same: float
) -> DrawnFrontiers:
    """Revenue over welfare: every group's best, where it was, and where it is brought."""
    welfare, free = policy.values.welfare, policy.unconstrained.welfare
    revenue, own = policy.values.revenue, policy.unconstrained.revenue
    corners = [
        thinned(one.welfare, one.revenue, n_corners) for one in policy.frontiers.values()
    ]
    size = max(float(np.abs(path[[0, -1], 0]).max()) for path in corners)
    if policy.welfare_gap <= same * size:
        mark = ax.axvline(welfare[0], color=GREY, linewidth=1.0, linestyle="--", zorder=1)
    else:
        mark = ax.axvspan(welfare.min(), welfare.max(), color=GREY, alpha=0.15, linewidth=0)
    total = None
    if not policy.tolerance and not policy.smoothing:
        at = np.unique(np.concatenate([path[:, 0] for path in corners]))
        at = at[(at >= max(path[0, 0] for path in corners))
                & (at <= min(path[-1, 0] for path in corners))]
        sums = sum(
            part * one.revenue_at(at) for part, one in zip(policy.share, policy.frontiers.values())
        )
        (total,) = ax.plot(
            at, sums, color=GREY, linewidth=3.0, alpha=0.45, zorder=1, label="all at one welfare"
        )
    lines, chosen, unconstrained = [], [], []
    for g, path in enumerate(corners):
        look = group_style(g)
        lines += ax.plot(*path.T, linewidth=1.6, label=str(policy.groups[g]), **look)
        point = {"color": look["color"], "linestyle": "none", "markersize": 7, "zorder": 4}
        unconstrained += ax.plot(free[g], own[g], marker="D", markerfacecolor="white", **point)
        chosen += ax.plot(welfare[g], revenue[g], marker="o", **point)
    for marker, face, words in (("D", "white", "lender's own"), ("o", GREY, "this policy")):
        ax.plot(
            [], [], color=GREY, linestyle="none", marker=marker, markerfacecolor=face,
            label=words,
        )
    # Far to the right frontiers plunge; what is of interest lies near the points.
    tops = [float(path[:, 1].max()) for path in corners]
    seen = np.concatenate([revenue, own, tops, [0.0]])
    margin = 0.3 * float(np.ptp(seen)) or 1.0
    lowest = min(float(path[:, 1].min()) for path in corners)
    ax.set_ylim(max(lowest, float(seen.min()) - margin) - 0.05 * margin, seen.max() + margin / 2)
    ax.set(
        xlabel="welfare per person of the group", ylabel="revenue per person of the group",
        title="Largest revenue at every welfare",
    )
    ax.legend(frameon=False, fontsize="small", loc="upper left")
    return DrawnFrontiers(
        lines=lines, chosen=chosen, unconstrained=unconstrained, total=total, mark=mark
    )


def draw_thresholds(
    ax: Any, distribution: ScoreDistribution | None, labels: tuple
) -> tuple[list, list]:
    """A histogram a group, one above the other; accepted people are filled."""
    assert distribution is not None  # checked by the display
    edges, n_groups = distribution.edges, len(labels)
    highest = float(distribution.share.max()) or 1.0
    cuts: list = []
    free_cuts: list = []
    for g in range(n_groups):
        floor = float(n_groups - 1 - g)
        color = group_style(g)["color"]
        height = 0.85 * distribution.share[g] / highest
        filled = 0.85 * distribution.accepted[g] / highest
        ax.stairs(floor + filled, edges, baseline=floor, fill=True, color=color, alpha=0.45)
        ax.stairs(floor + height, edges, baseline=floor, color=color, linewidth=0.9)
        for found, cut, style in (
            (free_cuts, distribution.unconstrained_cut[g], ":"),
            (cuts, distribution.cut[g], "-"),
        ):
            found += (
                ax.plot([cut, cut], [floor, floor + 0.92], color="black", linestyle=style,
                        linewidth=1.6)
                if np.isfinite(cut)
                else [None]
            )
    for style, words in (("-", "this policy"), (":", "lender's own")):
        ax.plot([], [], color="black", linestyle=style, linewidth=1.6, label=words)
    ax.set_yticks(np.arange(n_groups)[::-1] + 0.3, [str(label) for label in labels])
    ax.tick_params(axis="y", length=0)
    ax.set(
        ylim=(-0.03, n_groups + 0.3), xlabel=distribution.score_name,
        title="Who is accepted (filled), and from where on",
    )
    ax.legend(frameon=False, fontsize="small", loc="upper left", ncols=2)
    return cuts, free_cuts


def draw_price(
    ax: Any, path: PriceOfFairnessPath, policy: WelfarePolicy, n_corners: int, relative: bool
) -> tuple[Any, Any]:
    """Revenue lost over the difference of welfare that is allowed."""
    free = path.unconstrained.total_revenue
    relative = relative and free > 0
    unit = 100.0 / free if relative else 1.0
    corners = thinned(path.tolerance, (free - path.revenue) * unit, n_corners)
    gap = float(path.tolerance[0])
    (line,) = ax.plot(*corners.T, color=COLORS[0], linewidth=1.8)
    (point,) = ax.plot(
        min(policy.tolerance, gap), policy.price_of_fairness * unit, "o", color=COLORS[1],
        markersize=7, label="this policy", zorder=3,
    )
    ax.plot(gap, 0.0, "D", color=GREY, markerfacecolor="white", label="lender's own")
    ax.set(
        xlabel="largest difference of welfare allowed",
        ylabel="price of fairness, % of revenue" if relative else "price of fairness per person",
        title="What every tolerance costs",
    )
    ax.set_xlim(left=-0.02 * gap if gap else None)
    ax.legend(frameon=False, fontsize="small", loc="upper right")
    return line, point
