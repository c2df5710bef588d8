"""
A hospital's programme on the frontier
======================================

Four scores choose patients for extra care, each the top 3 %. Risk is the share of wrong choices
among Black and among White patients: treated though not very ill the year after, or the reverse.
Where the environment variable ``FAIRRANK_DATA`` names a folder that holds
``obermeyer_synth_holdout.csv.gz`` these are the hold-out patients of Obermeyer and others (2019);
without it, simulated people and one rule, to show the same picture.
"""

# %%
# The data
# --------
# Covariates are the four scores, made of the year before. Nothing of the year of the outcome is
# among them, nor what the file predicts of that year's counts, which repeats them.

import os
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

import fairrank as fr
from fairrank.exceptions import SmallGroupWarning
from fairrank.frontier import FrontierDisplay

if __name__ == "__main__":
    matplotlib.use("Agg")  # a script has no screen to count on; notebooks keep their backend
import matplotlib.pyplot as plt

SCORES = {
    "original score": "risk_score_t",
    "total cost": "log_cost_t_hat",
    "avoidable cost": "log_cost_avoidable_t_hat",
    "chronic conditions": "gagne_sum_t_hat",
}
file = Path(os.environ.get("FAIRRANK_DATA", "")) / "obermeyer_synth_holdout.csv.gz"
if file.is_file():
    frame = pd.read_csv(file)
    X = frame[list(SCORES.values())].astype(float)
    decisions = {
        name: (X[column] > X[column].quantile(0.97)).to_numpy(float)
        for name, column in SCORES.items()
    }
    X["risk_score_t"] = np.log1p(X["risk_score_t"])
    y = (frame["gagne_sum_t"] > 6).astype(int)
    group, names = np.where(frame["dem_race_black"] == 1, "black", "white"), ("black", "white")
else:
    data = fr.make_frontier_data(5000, random_state=0)
    X, y, group, names = data.data, data.target, data.sensitive_features, data.group_names
    decisions = {"status quo": data.status_quo(X)}

# %%
# The frontier and the algorithms
# -------------------------------
# One call fits it. The deal of the folds moves p-values where a group is small, so it is dealt
# five times.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", SmallGroupWarning)
    frontier = fr.FrontierEstimator(group_names=names, n_repeats=5, random_state=0).fit(
        X, y, sensitive_features=group
    )
for name, decided in decisions.items():
    test = frontier.less_discriminatory_alternative_test(decided)
    print(f"{name:<19} risks {test.risks[0]:.4f}, {test.risks[1]:.4f}   gain {test.gain:+.4f}, "
          f"at least {test.gain_lower_bound:+.4f}   p {test.pvalue:.3f}")

# %%
# The picture
# -----------
# Left all risks that can be attained, right those near the frontier. Hatched is what counts as
# better than the first algorithm; bars are 95 % intervals.

display = FrontierDisplay.from_estimator(frontier, algorithms=decisions, own_name=None)
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 6), layout="constrained")
display.plot(left, plot_legend=False)
display.plot(right, zoom=True, improvements_over=next(iter(decisions)))
if __name__ == "__main__":
    figure.savefig("frontier_health.png", dpi=130)
    print("\nFigure written to frontier_health.png")
