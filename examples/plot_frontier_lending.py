"""
The frontier of mortgage lending
================================

Rules that do not see race approve mortgages in Boston, 1990. How seldom can they be wrong about
white applicants, about Black and Hispanic ones, and how alike can both be? Where on that picture
do a rule of thumb, a plain score and the officers' own decisions stand?

The story to watch for: the officers lie beyond the frontier, which is no praise. They saw more
than the columns do. The rule of thumb lies far inside it, the score next to it.

Where the environment variable ``FAIRRANK_DATA`` names a folder that holds
``hmda_ny_2023.parquet``, it is New York, 2023.
"""

# %%
# What is right and wrong here
# ----------------------------
# Whether the loans were repaid is not known, and no line below is about it. In Boston the outcome
# is an entry of the file, ``gdlin``: the credit history meets the lender's guidelines. To approve
# is right where it does. An approval against the guidelines costs 3, the denial of an applicant
# who meets them 1; both numbers are assumptions. Officers deny for other reasons as well, and the
# entry is their own, so that this "wrong" is a yardstick and not a verdict on them. New York has
# no such entry: the outcome is the lender's verdict, and its own decisions are right by
# definition.
#
# Rules see no race, age, marital status or share of minorities in the tract, nor what the lender
# wrote while it was deciding.

import os
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fairrank as fr
from fairrank.exceptions import SmallGroupWarning
from fairrank.frontier import FrontierDisplay, decision_risks

if __name__ == "__main__":
    matplotlib.use("Agg")  # a script has no screen to count on; notebooks keep their backend
import matplotlib.pyplot as plt

folder = os.environ.get("FAIRRANK_DATA")
if folder:
    frame = pd.read_parquet(Path(folder) / "hmda_ny_2023.parquet")
    frame = frame[frame["race"].isin(["Black", "White"])].reset_index(drop=True)
    where, groups = "New York, 2023", ("Black", "White")
    X = pd.DataFrame({
        "log_income": frame["log_income"],
        "log_loan_amount": frame["log_loan_amount"],
        "loan_to_value": frame["combined_loan_to_value_ratio"],
        "debt_to_income": frame["debt_to_income_ratio"].str.extract(r"(\d+)")[0],
        "tract_income": frame["tract_to_msa_income_percentage"],
    }).astype(float)
    group = frame["race"].to_numpy()
    officers = y = 1 - frame["denied"].to_numpy().astype(int)
    thumb = np.where((X["debt_to_income"] <= 43) & (X["loan_to_value"] <= 95), 1, 0)
    name_of_thumb = "debts <= 43 %, loan <= 95 %"
else:
    data = fr.load_boston_hmda(as_frame=True, include_sensitive=True)
    known = data.data["gdlin"].notna().to_numpy()  # two have no entry
    X = data.data[known].reset_index(drop=True)
    where, groups = "Boston, 1990", ("Black or Hispanic", "white")
    group = np.where(X["race"] == "white", groups[1], groups[0])
    officers, y = 1 - data.target.to_numpy()[known], X["gdlin"].to_numpy().astype(int)
    X = X.drop(columns=["gdlin", "unver", "review", "race", "married", "old", "min30"])
    thumb = np.where((X["obrat"] <= 36) & (X["loanprc"] <= 0.95), 1, 0)
    name_of_thumb = "debts <= 36 %, loan <= 95 %"
COSTS = {"false_positive": 3.0, "false_negative": 1.0}

print(f"{where}: {len(y)} applications")
for name in groups:
    own = group == name
    print(
        f"  {name:<18} {own.sum():>6}: the outcome is 1 for {y[own].mean():.1%}, "
        f"the officers approved {officers[own].mean():.1%}"
    )

# %%
# One call
# --------
# The group rides in X as a column that is named; it is dropped before anything learns. Nothing
# that is judged on this picture was made from these rows, so that all of them can be used.

X = X.fillna(X.median()).assign(group=group)
frontier = fr.FrontierEstimator(
    sensitive_features="group", loss=COSTS, group_names=groups, random_state=0
)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", SmallGroupWarning)
    frontier.fit(X, y)
for warning in caught:
    print(f"\n{warning.message}")

print(f"\nrisk of (standard error)        {groups[0]:>18} {groups[1]:>15}")
errors = frontier.standard_errors_
for name, point, error in (
    (f"R, best for {groups[0]}", frontier.best_points_[0], errors["best_points"][0]),
    (f"B, best for {groups[1]}", frontier.best_points_[1], errors["best_points"][1]),
    ("F, where risks are nearest", frontier.fairest_point_.point, errors["fairest_point"]),
):
    print(f"{name:<31} {point[0]:>10.3f} ({error[0]:.3f}) {point[1]:>7.3f} ({error[1]:.3f})")
for better_off in frontier.skewed_towards_:
    print(f"Skewed: risks of {better_off} are the lower ones at R and at B.")

# %%
# Where given algorithms stand
# ----------------------------
# The officers; a rule of thumb, from the ratios that lenders quote; and a plain score that
# approves where the expected cost is less, trained out of fold. None was made on the rows that it
# decides. The test asks for an alternative that sees the same columns, is as right about both
# groups and as equal, and better in something; the gain is by how much, and below 0 none is
# estimated. *Attainable* is the p-value of the other question: could these risks be had without
# knowing more than the columns? If not, they rest on more than the columns, or the frontier's
# learners are too simple; neither is evidence of an alternative. The tests are three: by
# Bonferroni, multiply a p-value by three.

score = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
allowed = X.columns.drop("group")
chance = cross_val_predict(score, X[allowed], y, cv=5, method="predict_proba")[:, 1]
cut = COSTS["false_positive"] / sum(COSTS.values())
algorithms = {
    "officers": officers,
    name_of_thumb: thumb,
    "plain score": np.where(chance > cut, 1, 0),
}
tests = {
    name: frontier.less_discriminatory_alternative_test(decisions)
    for name, decisions in algorithms.items()
}
print(f"\nrisks of {groups[0]} and {groups[1]}, distance to F with 95 % interval, and the test")
print(f"{'':<28} risks          distance                    gain   at least      p   attainable")
for name, test in tests.items():
    distance = frontier.distance_to_fairest(algorithms[name])
    interval = distance.confidence_interval
    print(
        f"{name:<28} {test.risks[0]:.3f}, {test.risks[1]:.3f}   {distance.statistic:.3f} "
        f"({interval.low:.3f} to {interval.high:.3f})   {test.gain:>+7.3f}    "
        f"{test.gain_lower_bound:>+7.3f}  {test.pvalue:.3f}        {test.feasibility.pvalue:.3f}"
    )
print(f"\n{name_of_thumb}: {tests[name_of_thumb].reading}")

# %%
# A less discriminatory alternative, and what it does elsewhere
# -------------------------------------------------------------
# What made an algorithm cannot judge it. So half of the applications make a frontier of their own,
# one point of the part that improves on the rule of thumb becomes a classifier, and both decide
# the other half, which neither the classifier nor the choice has seen. In Boston one group is
# small: with another split the alternative may cost white applicants more than the rule of thumb.

half, rest = train_test_split(
    np.arange(len(y)), test_size=0.5, stratify=np.char.add(group.astype(str), y.astype(str)),
    random_state=0,
)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", SmallGroupWarning)
    of_half = clone(frontier).fit(X.iloc[half], y[half])
found = of_half.less_discriminatory_alternatives(thumb[half])
print(f"\n{found}\n")
held_out = found.classifier.evaluate(X.iloc[rest], y[rest])
before = decision_risks(
    COSTS["false_negative"] * y[rest], COSTS["false_positive"] * (1 - y[rest]), thumb[rest],
    sensitive_features=group[rest], group_names=groups,
)
for name, risks in ((name_of_thumb, before), ("the alternative", held_out)):
    gap = risks.difference()
    print(f"On the other half: {name}\n{risks}")
    print(f"difference {gap.difference:.3f} ({gap.low:.3f} to {gap.high:.3f})\n")

# %%
# One figure
# ----------
# Left, all that rules without the group can attain on these columns; right, near the frontier.
# Hatched are the risks that are better than the rule of thumb's in all three respects. The
# alternative is where the other half of the applications puts it. Bars are 95 % intervals.

figure, (left, right) = plt.subplots(1, 2, figsize=(15, 6), layout="constrained")
display = FrontierDisplay.from_estimator(
    frontier, levels="realised", algorithms=algorithms, own_name=None,
    points={"alternative, other half": held_out},
)
display.plot(left, plot_legend=False)
display.plot(right, zoom=True, improvements_over=name_of_thumb)
figure.suptitle(f"The frontier of mortgage lending ({where})", fontweight="bold")
if __name__ == "__main__":
    figure.savefig("frontier_lending.png", dpi=130)
    print("Figure written to frontier_lending.png")
