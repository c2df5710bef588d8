"""
How the hull solver works
=========================

Which interleaving of two groups' scores has the best AUC for a given disparity? There are some
10^45 of them for the 160 people below, and the best one for a *signed* disparity takes a sort and
a stack. This page draws the three steps: pool each group to its hull, merge the hulls by
direction, turn the multiplier until the sign of the disparity turns.

The proof is in the documentation, "Fair rankings". The solver's inner parts are private: this page
looks at them, programs should call ``fair_ordering``.
"""

# %%
# Two groups
# ----------
# Group b is scored lower than it deserves, and its score tells less.

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from fairrank.ranking import fair_ordering
from fairrank.ranking._hull import HullSolver, find_kink
from fairrank.ranking._orders import Objective
from fairrank.ranking._steps import Chain, Pair

if __name__ == "__main__":
    matplotlib.use("Agg")  # a script has no screen to count on; notebooks keep their backend

rng = np.random.default_rng(5)
n = 160
group = np.where(np.arange(n) % 5 < 3, "a", "b")
y = (rng.random(n) < 0.45).astype(int)
score = rng.normal(size=n) + np.where(group == "a", 1.6 * y, 0.8 * y - 0.7)

code = y.astype(np.uint16)
pair = Pair(*(Chain.of(score, code, None, np.flatnonzero(group == g)) for g in "ab"), "prf")
solver = HullSolver(pair)

# %%
# Pool and merge
# --------------
# Walking down a group's scores draws its ROC path: right at a negative, up at a positive. Steps
# whose path dents inwards are pooled until the path is concave. What is left is a chain of blocks,
# each steeper than the next, and the best order for any multiplier takes the blocks of both chains
# by direction, steepest first. The multiplier only stretches b's directions.

COLORS = {"a": "#0072B2", "b": "#D55E00"}
figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.4), layout="constrained")


def draw_hull(ax, name, chain, cut):
    """A group's ROC path in counts, and the blocks it is pooled to."""
    path, corners = chain.sums, chain.sums[cut]
    ax.step(path[:, 0], path[:, 1], where="post", color=COLORS[name], alpha=0.4, linewidth=1.0)
    ax.plot(corners[:, 0], corners[:, 1], "o-", color=COLORS[name], markersize=4,
            label=f"group {name}: {chain.n_steps} steps, {cut.size - 1} blocks")


free = solver.best(0.0)
draw_hull(axes[0], "a", pair.a, free.a_cut)
draw_hull(axes[0], "b", pair.b, free.b_cut)
axes[0].set(xlabel="negatives so far", ylabel="positives so far", title="1  Pool each group")
axes[0].legend(frameon=False, fontsize="small", loc="lower right")


def draw_merged(ax, order, lift, label):
    """Both groups' blocks in the order in which they are placed, one after the other."""
    at, b_next = np.array([0.0, lift]), 0
    blocks = {"a": pair.a.blocks(order.a_cut), "b": pair.b.blocks(order.b_cut)}
    sequence = []
    for i, before in enumerate(order.before):
        sequence += [("b", j) for j in range(b_next, before)] + [("a", i)]
        b_next = before
    sequence += [("b", j) for j in range(b_next, len(blocks["b"]))]
    for name, block in sequence:
        end = at + blocks[name][block]
        ax.plot(*zip(at, end), color=COLORS[name], linewidth=2.5, solid_capstyle="butt")
        at = end
    ax.annotate(label, at, xytext=(0, -36), textcoords="offset points", ha="right",
                fontsize="small")


strict = solver.best(0.3)
draw_merged(axes[1], free, 0.0, f"multiplier 0: AUC {free.auc:.3f}, D {free.disparity:+.3f}")
draw_merged(axes[1], strict, -45.0,
            f"multiplier 0.3: AUC {strict.auc:.3f}, D {strict.disparity:+.3f}")
axes[1].set(xlabel="negatives so far", yticks=[], title="2  Merge by direction")
# sphinx_gallery_defer_figures

# %%
# Turn the multiplier
# -------------------
# The best value of AUC - l D, as a function of l, is convex: the highest of straight lines, one an
# order. Where it is lowest, the sign of D turns, and no order whatever has a larger ``AUC - |D|``.

trade_off = 1.0
objective = Objective(trade_off)
kink = find_kink(solver, objective)
multipliers = np.linspace(-0.1, 0.35, 181)
values = [solver.best(m).value(m) for m in multipliers]
axes[2].plot(multipliers, values, color="black", linewidth=2.0,
             label="best AUC - l D of all orders")
for order, name in ((kink.above, "D > 0"), (kink.below, "D < 0")):
    axes[2].plot(multipliers, [order.value(m) for m in multipliers], linestyle="--",
                 linewidth=1.0, color="#666666")
    axes[2].annotate(name, (multipliers[-1], order.value(multipliers[-1])), fontsize="small",
                     ha="right", va="bottom", color="#666666")
axes[2].plot(kink.multiplier, kink.bound, "o", color="#009E73", markersize=8,
             label=f"the bound, {kink.bound:.4f}")
axes[2].set(xlabel="multiplier l", ylabel="value", title="3  Turn the multiplier")
axes[2].legend(frameon=False, fontsize="small", loc="upper center")
for ax in axes:
    ax.spines[["top", "right"]].set_visible(False)

# %%
# What is left
# ------------
# At the kink one order has D too large and one too small; they differ in a rectangle of the
# lattice, and the answer lies inside. One split of it comes near the bound, the label search
# proves the optimum here, and the paper's lattice, which keeps one path a cell, misses it.

for finish in ("two_split", "labels"):
    found = fair_ordering(y, score, sensitive_features=group, disparity="prf",
                          trade_off=trade_off, finish=finish)
    print(f"{finish:<10} {found.objective:.5f} <= {found.upper_bound:.5f}   {found}")
lattice = fair_ordering(y, score, sensitive_features=group, disparity="prf",
                        trade_off=trade_off, solver="lattice")
print(f"{'lattice':<10} {lattice.objective:.5f} <= {lattice.upper_bound:.5f}   {lattice}")

if __name__ == "__main__":
    figure.savefig("hull_solver.png", dpi=130)
    print("\nFigure written to hull_solver.png")
