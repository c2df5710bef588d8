"""
Thresholds on credit scores, and what equal welfare does to them
================================================================

The classical picture of fair lending: four groups, one credit score, a default rate at every
score. A lender who may look at the group lends wherever that pays. A regulator asks for the same
welfare in every group. Which cuts does the lender choose then, what does it cost, who gets more
loans and who fewer?

Data: the Federal Reserve Board's tables of TransUnion scores (2007), every score and group with
the number of people there as its weight, so that the tables are the whole population and nothing
is estimated.

The story to watch for: equality is reached from both sides. Where loans are risky, demographic
parity leaves fewer loans than there were; and there are other policies that cost the lender no
more and leave the group that is worst off with more.
"""

# %%
# The data
# --------
# A good case is a loan that is repaid. It brings 1; a default costs 1, 3, 5 or 10.

import matplotlib
import numpy as np

import fairrank as fr
from fairrank.datasets import load_fico
from fairrank.welfare import (
    WelfareDisplay,
    expected_revenue,
    expected_utility,
    price_of_fairness_path,
    unaware_policy,
)

if __name__ == "__main__":
    matplotlib.use("Agg")  # a script has no screen to count on; notebooks keep their backend
import matplotlib.pyplot as plt

fico = load_fico()
n_scores, n_groups = fico.mass.shape
weight = (fico.mass * fico.totals).ravel()  # people at each score and group
group = np.tile(fico.groups, n_scores)
score = np.repeat(fico.scores, n_groups)
repays = 1 - fico.default_rate.ravel()
people = {"sensitive_features": group, "sample_weight": weight}
print(f"FICO: {n_scores} scores, {n_groups} groups, {fico.totals.sum()} people")
for name, total in zip(fico.groups, fico.totals):
    own = group == name
    print(
        f"  {name:<9} {total:>7} people, "
        f"{np.average(repays[own], weights=weight[own]):.1%} would repay"
    )

# %%
# What equality costs
# -------------------
# Demographic parity gives every group loans at the same rate; equal opportunity gives them at the
# same rate to those who would repay. The second costs much less: groups differ far more in how
# many repay than in how those who do are scored.

UTILITIES = ("demographic_parity", "equal_opportunity")
RATIOS = (1, 3, 5, 10)


def given(utility, ratio):
    """Expected revenue of lending to each cell, and the utility of a loan there."""
    worth = expected_utility(utility, repays, **people)
    return expected_revenue(repays, gain=1, loss=ratio), worth


print("\nutility             loss/gain    price   welfare of all   raised            lowered")
policies = {}
for utility in UTILITIES:
    for ratio in RATIOS:
        policy = fr.welfare_optimal_policy(*given(utility, ratio), **people)
        policies[utility, ratio] = policy
        print(
            f"{utility:<19} {ratio:>9} {policy.relative_price_of_fairness:>8.1%} "
            f"{policy.welfare[0]:>16.3f}   {', '.join(policy.raised_groups):<17} "
            f"{', '.join(policy.lowered_groups)}"
        )
worst = max(policy.optimality_gap for policy in policies.values())
print(f"No policy that meets the condition earns more, but for {worst:.0e} a person at most.")

# %%
# The cuts
# --------
# At each ratio every group has one cut on the score, and at it some are drawn: scores are
# rounded to halves, and a whole half may be too many. The lender's own cuts differ too, because
# the same score means another default rate in another group.

RATIO = 3
displays = {
    utility: WelfareDisplay.from_predictions(
        *given(utility, RATIO), **people, y_score=score, score_name="TransRisk score", n_bins=40
    )
    for utility in UTILITIES
}
print(f"\nLowest score that gets a loan, loss/gain = {RATIO}")
print(f"{'':<9} {'no condition':>13} {'demographic parity':>19} {'equal opportunity':>18}")
own_cut = displays["equal_opportunity"].distribution.unconstrained_cut
for g, name in enumerate(policy.groups):
    cuts = [display.distribution.cut[g] for display in displays.values()]
    print(f"{name:<9} {own_cut[g]:>13.1f} {cuts[0]:>19.1f} {cuts[1]:>18.1f}")

# %%
# Less than equality
# ------------------
# The whole path of tolerances comes from one sweep. Its price per unit only grows: the first part
# of the gap is the cheapest to close.

print(f"\nEqual opportunity, loss/gain = {RATIO}")
path = price_of_fairness_path(*given("equal_opportunity", RATIO), **people)
for part in (1, 0.75, 0.5, 0.25, 0):
    tolerance = part * path.tolerance[0]
    lost = 1 - path.revenue_at(tolerance) / path.revenue[0]
    low, high = path.window_at(tolerance)
    print(
        f"  gap of welfare at most {tolerance:.3f}: price {lost:5.2%}, welfare from {low:.3f} "
        f"to {high:.3f}"
    )

# %%
# Equal is not most
# -----------------
# What else could be bought with the revenue that equality leaves? Two answers, both at exactly
# that revenue. One lowers nobody below the lender's own choice and raises whoever is below a
# floor: the worst off then have *more* than the welfare of all under equality. The other accepts
# wherever revenue passes one multiple of utility, the same for everybody: the largest total.


def largest_floor(policy):
    """Least welfare, if groups are raised to a floor and none is lowered, at the same revenue."""
    own = policy.unconstrained.welfare

    def revenue(floor):
        held = np.maximum(own, floor)
        parts = [f.revenue_at(w) for f, w in zip(policy.frontiers.values(), held)]
        return policy.share @ parts

    low, high = own.min(), min(f.welfare[-1] for f in policy.frontiers.values())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if revenue(middle) > policy.revenue else (low, middle)
    return low


def largest_total(policy, revenue, utility):
    """Welfare per person of everybody, of the one multiple of utility with the same revenue."""
    order = np.argsort(-revenue / utility)
    mass = weight[order] / weight.sum()
    earned = np.cumsum(mass * revenue[order])
    total = np.cumsum(mass * utility[order])
    beyond = earned.argmax()  # from here on every loan loses money
    return np.interp(-policy.revenue, -earned[beyond:], total[beyond:])


print("\n                               welfare of the worst off       welfare of everybody")
print(
    "utility             loss/gain   own   equal  largest floor    own   equal  largest total"
)
for (utility, ratio), policy in policies.items():
    total = largest_total(policy, *given(utility, ratio))
    print(
        f"{utility:<19} {ratio:>9} {policy.unconstrained.welfare.min():>5.3f} "
        f"{policy.welfare[0]:>7.3f} {largest_floor(policy):>14.3f} "
        f"{policy.unconstrained.total_welfare:>6.3f} {policy.values.total_welfare:>7.3f} "
        f"{total:>14.3f}"
    )

# %%
# A lender who must not see the group
# -----------------------------------
# The score alone tells how many repay at it in all groups together, so the best group-blind policy
# is known exactly. It has one cut for all, and equalizes nothing: a group whose members repay more
# often than their score says in general gets fewer loans than from a lender who sees it, one whose
# members repay less often gets more.

together = (fico.mass * fico.totals * (1 - fico.default_rate)).sum(axis=1) / (
    fico.mass * fico.totals
).sum(axis=1)
blind = unaware_policy(
    np.repeat(together, n_groups), repays, utility="equal_opportunity", gain=1, loss=RATIO,
    policy=policies["equal_opportunity", RATIO], **people,
)
free = blind.unconstrained.total_revenue
print(f"\nEqual opportunity without seeing the group, loss/gain = {RATIO}")
print(
    f"  lowest score that gets a loan: {score[blind.acceptance > 0].min():.1f}, price "
    f"{blind.price_of_unawareness / free:.2%}, gap of welfare "
    f"{blind.unconstrained.welfare_gap:.3f} -> {blind.values.welfare_gap:.3f}"
)
for g, name in enumerate(blind.groups):
    print(
        f"  {name:<9} welfare {blind.unconstrained.welfare[g]:.3f} seeing, "
        f"{blind.values.welfare[g]:.3f} blind, {blind.equalizing.welfare[g]:.3f} equal"
    )

# %%
# Three pictures a utility
# ------------------------
# Left, each group's largest revenue at every welfare: diamonds are the lender's own choice, dots
# the equal one, and the grey line is the sum whose top decides where. Middle, the four score
# distributions with both cuts. Right, the price of every tolerance.

figure, axes = plt.subplots(2, 3, figsize=(16, 9), layout="constrained")
for row, display in zip(axes, displays.values()):
    display.plot(row)
for ax, utility in zip(axes[:, 0], UTILITIES):
    ax.set_title(f"{utility.replace('_', ' ').capitalize()}: {ax.get_title().lower()}")

if __name__ == "__main__":
    figure.savefig("fico_thresholds.png", dpi=130)
    print("\nFigure written to fico_thresholds.png")
