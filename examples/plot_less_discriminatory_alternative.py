"""
Is there a less discriminatory alternative?
===========================================

A lender scores applicants without seeing their group. A practice that burdens a protected group
is hard to defend, even as a business necessity, where another serves the business as well and
burdens the group less. Is there one for this underwriting score? From the data to the sentence
that they support. Whether that sentence meets a legal standard is for lawyers.

The story to watch for: there is evidence that two of three scores have an alternative. For the
third there is none, and yet it has one, though hardly worth finding. Repayment is known of
approved loans only, which has to be mended first. Loans are simulated, so that every answer can
be held against the truth.
"""

# %%
# A loan book
# -----------
# Two groups, four columns. ``bureau`` says much about repayment in the reference group and little
# in the protected one, whose files are thin; ``cash_flow``, how bills were paid, says as much in
# either. Officers of the past approved by the columns and by chance, everyone with a chance of at
# least .15: that nobody was turned away for sure, and that they went by nothing which is not in
# the columns, are the two assumptions on which all that follows rests. The second cannot be seen
# in data.

import matplotlib
import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fairrank as fr
from fairrank.frontier import FrontierDisplay, SupportFunction, decision_risks
from fairrank.inference import holm

if __name__ == "__main__":
    matplotlib.use("Agg")  # a script has no screen to count on; notebooks keep their backend
import matplotlib.pyplot as plt

GROUPS = ("protected", "reference")
COLUMNS = ["bureau", "cash_flow", "income", "debt_ratio"]
MEANS = {"protected": [-0.8, 0.0, -0.3, 0.2], "reference": [0.2, 0.0, 0.1, -0.1]}
EFFECTS = {"protected": [0.2, 1.2, 0.4, -0.4], "reference": [1.2, 0.8, 0.4, -0.4]}
SHARE = 0.3  # of the protected group
COSTS = {"false_positive": 3.0, "false_negative": 1.0}  # a loan not repaid, a good one not made


def loan_book(n, seed):
    """Columns, groups, chances of repayment, repayment, and who was approved."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(n) < SHARE, *GROUPS)
    means = np.array([MEANS[name] for name in GROUPS])[np.where(group == GROUPS[0], 0, 1)]
    X = pd.DataFrame(means + rng.standard_normal((n, 4)), columns=COLUMNS)
    chance = np.where(group == GROUPS[0], *(repayment(X, name) for name in GROUPS))
    approved = rng.random(n) < 0.15 + 0.8 * expit(1.0 + X["bureau"] + 0.5 * X["income"])
    return X, group, chance, (rng.random(n) < chance).astype(int), approved.to_numpy()


def repayment(X, name):
    """Chance that a member of the group repays."""
    return expit(1.3 + X[COLUMNS].to_numpy() @ np.array(EFFECTS[name]))


parts = {part: loan_book(10_000, seed) for seed, part in enumerate(("train", "test", "judge"))}
for part, (X, group, _, _, approved) in parts.items():
    print(f"{part}: {len(X)} applications, {approved.mean():.1%} approved", end="")
    for name in GROUPS:
        own = group == name
        print(f"; {name} {approved[own].mean():.1%} of {own.sum()}", end="")
    print()

# %%
# Three underwriting scores
# -------------------------
# Trained on the approved loans of the first part, as lenders do. A loan is made where the chance
# of repayment is above 3/4, the cut that the costs ask for. None sees the group; they differ in
# the columns.

X, _, _, y, approved = parts["train"]
scores = {
    "income and debt": ["income", "debt_ratio"],
    "with the bureau": ["bureau", "income", "debt_ratio"],
    "all columns": COLUMNS,
}
models = {
    name: make_pipeline(StandardScaler(), LogisticRegression()).fit(
        X.loc[approved, columns], y[approved]
    )
    for name, columns in scores.items()
}


def decided(name, X):
    """1 where the score makes the loan."""
    return (models[name].predict_proba(X[scores[name]])[:, 1] > 0.75).astype(int)


# %%
# The test
# --------
# On the second part, which no score has seen. Repayment of the rejected is unknown, so they are
# passed as not ``selected`` and their y is not looked at. A group's risk is its mean cost. The
# null hypothesis is that no rule from the four columns, without the group, costs neither group
# more, leaves their costs no further apart, and is better in one of these. "The same covariates"
# in the reading are all that the frontier was given: an alternative may use a column that the
# score left out. Three scores are three chances of a false alarm: Holm's correction multiplies the
# smallest p-value by three, the next by two, the last by one.

X, group, _, y, approved = parts["test"]
frontier = fr.FrontierEstimator(loss=COSTS, group_names=GROUPS, random_state=0).fit(
    X, np.where(approved, y, 0), sensitive_features=group, selected=approved
)
tests = {
    name: frontier.less_discriminatory_alternative_test(decided(name, X), n_draws=2000)
    for name in scores
}
adjusted = dict(zip(scores, holm([tests[name].pvalue for name in scores])))

# %%
# The truth, which only a simulation has
# --------------------------------------
# The chance of repayment and of the group, given the columns, are known here, and a large draw
# gives the frontier that they make.

X_all, group_all, chance_all, _, approved_all = loan_book(400_000, seed=99)
density = np.column_stack([
    share * norm.pdf(X_all.to_numpy() - MEANS[name]).prod(axis=1)
    for name, share in zip(GROUPS, (SHARE, 1 - SHARE))
])
of_group = density / density.sum(axis=1, keepdims=True)
more_if_lent = np.column_stack([
    COSTS["false_positive"] * (1 - p) - COSTS["false_negative"] * p
    for p in (repayment(X_all, name) for name in GROUPS)
])
losses = COSTS["false_negative"] * chance_all, COSTS["false_positive"] * (1 - chance_all)
truth = SupportFunction(
    *losses, of_group * more_if_lent, sensitive_features=group_all, group_names=GROUPS
)

print("\nmean cost of protected and reference, and what an alternative gains")
print(f"{'':<17} estimated          gain   at least   p, Holm   true cost      true gain")
for name, test in tests.items():
    true = decision_risks(
        *losses, decided(name, X_all), sensitive_features=group_all, group_names=GROUPS
    ).risks
    print(
        f"{name:<17} {test.risks[0]:.3f}, {test.risks[1]:.3f}   {test.gain:>+7.3f}   "
        f"{test.gain_lower_bound:>+8.3f}    {adjusted[name]:.4f}   {true[0]:.3f}, {true[1]:.3f}   "
        f"{-truth.separation(true).value:>+7.3f}"
    )
for name, test in tests.items():
    print(f"\n{name}: {test.reading}")
    for warning in test.warnings:
        print(f"  {warning}")

# %%
# What the sentences say
# ----------------------
# *Rejecting* is evidence that an alternative exists, within the rules that see these columns and
# not the group, at these costs. It does not name the alternative, and says nothing of anybody's
# intent. The bound beside the gain is what to quote: by so much, at least, an alternative can be
# better in the direction in which improving is hardest. *Not rejecting* is absence of evidence.
# The score with all columns has an alternative in truth, by less than the test could see; the
# upper end of its interval is the largest gain that is not ruled out.

# %%
# The alternative
# ---------------
# A rule on the frontier that improves on the score with the bureau by the widest margin in all
# three respects, as a classifier that needs nobody's group. The rows that made it cannot judge it,
# so the third part does. Outcomes are known of approved loans only there too, and the costs come
# from a frontier that is fitted to it. What either rule costs among the approved, in truth, is
# another number.

SCORE = "with the bureau"
found = frontier.less_discriminatory_alternatives(decided(SCORE, X))
print(f"\nWhere it was found\n{found}\n")

X, group, _, y, approved = parts["judge"]
judge = clone(frontier).fit(
    X, np.where(approved, y, 0), sensitive_features=group, selected=approved
)
rules = {
    SCORE: lambda X: decided(SCORE, X),
    "the alternative": found.classifier.decision_probability,
}
display = FrontierDisplay.from_estimator(
    judge, algorithms={name: rule(X) for name, rule in rules.items()}, own_name=None
)
print(f"{'':<17} third part (standard errors)     in truth       of approved   loans made")
for name, rule in rules.items():
    judged = judge.decision_risks(rule(X))
    risk, error = judged.risks, judged.standard_errors
    decisions = rule(X_all)
    true, of_approved = (
        decision_risks(
            losses[0][rows], losses[1][rows], decisions[rows], sensitive_features=group_all[rows],
            group_names=GROUPS,
        )
        for rows in (slice(None), approved_all)
    )
    made = ", ".join(f"{rate:.1%}" for rate in true.selection_rates)
    print(
        f"{name:<17} {risk[0]:.3f} ({error[0]:.3f}), {risk[1]:.3f} ({error[1]:.3f})   "
        f"{true.risks[0]:.3f}, {true.risks[1]:.3f}   "
        f"{of_approved.risks[0]:.3f}, {of_approved.risks[1]:.3f}   {made}"
    )

# %%
# One figure
# ----------
# The frontier of the third part, and the true one. Both rules were made on other parts. Hatched is
# what counts as better than the score: cheaper for both groups, and more equal. Bars are 95 %
# intervals.

figure, ax = plt.subplots(figsize=(10, 6), layout="constrained")
display.plot(ax, zoom=True, improvements_over=SCORE)
ax.plot(*truth.frontier().T, color="black", linewidth=1.2, linestyle=":", label="true frontier")
ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize="small")
ax.set_title("Is there a less discriminatory alternative to this underwriting score?", loc="left")
if __name__ == "__main__":
    figure.savefig("less_discriminatory_alternative.png", dpi=130)
    print("\nFigure written to less_discriminatory_alternative.png")
