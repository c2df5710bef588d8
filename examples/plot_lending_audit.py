"""
Audit a lending model's error burden
====================================

Boston mortgages, 1990: does a model that never sees race leave Black applicants with more than
their share of its errors, and what would explain it? The audit runs on scores out of fold, prints
one table and draws one figure.

The story to watch for: plain RGF lies *above* what equal sharing would give, which reads as fairer
than fair. The permutation test rejects all the same. The tests given the score, and against
outcomes drawn from the score, then say how far unlike base rates go towards explaining it.
"""

# %%
# The data, and a model that never sees race
# ------------------------------------------
# ``race`` stays in X as a column, so that scorers can read it; the pipeline's first step names
# the columns that the model may use, and ``race`` is not among them.

import matplotlib
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fairrank as fr
from fairrank.audit import BurdenCurveDisplay, RGFCurveDisplay

if __name__ == "__main__":
    matplotlib.use("Agg")  # a script has no screen to count on; notebooks keep their backend
import matplotlib.pyplot as plt

data = fr.load_boston_hmda(as_frame=True, include_sensitive=True)
X, y = data.data, data.target  # y is 1 for a denied application
print(f"Boston HMDA: {len(y)} applications, {y.mean():.1%} denied\n")


def black_or_not(X):
    """Black applicants against the rest, the headline comparison."""
    return np.where(X["race"] == "black", "Black", "other")


numeric = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
allowed = [column for column in X.columns if column != "race"]
model = make_pipeline(
    ColumnTransformer([("numeric", numeric, allowed)]), LogisticRegression(max_iter=1000)
)

# %%
# Accuracy and fairness side by side
# ----------------------------------
# Folds are stratified by outcome and race together: every fold holds every group. The scorer
# reads the group from X, so no metadata routing is needed.

strata = y.astype(str) + black_or_not(X)
folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, strata))
scoring = {
    "auc": "roc_auc",
    "centred RGF": fr.make_fairness_scorer(
        fr.rgf_score, centered=True, sensitive_features=black_or_not
    ),
}
search = GridSearchCV(
    model,
    {"logisticregression__C": [0.001, 0.01, 0.1, 1.0, 10.0]},
    scoring=scoring,
    refit="auc",
    cv=folds,
    error_score="raise",
).fit(X, y)
print("regularisation   ROC-AUC         centred RGF   (mean and standard deviation over 5 folds)")
results = search.cv_results_
for i, C in enumerate(results["param_logisticregression__C"]):
    cells = "   ".join(
        f"{results[f'mean_test_{name}'][i]:.3f} ({results[f'std_test_{name}'][i]:.3f})"
        for name in scoring
    )
    chosen = "  <- refitted" if i == search.best_index_ else ""
    print(f"C = {C:<11g}  {cells}{chosen}")

# %%
# The audit, on scores out of fold
# --------------------------------
# A search inside each training fold, a score for each row from a model that never saw it. Scores
# out of fold come from five models, so labels change places only inside a fold.

search.set_params(cv=3)
score = cross_val_predict(search, X, y, cv=folds, method="predict_proba")[:, 1]
fold = np.empty(len(y), dtype=int)
for number, (_, test) in enumerate(folds):
    fold[test] = number

report = fr.rgf_report(
    y, score, sensitive_features=black_or_not(X), strata=fold, random_state=0
)
print(f"\n{report}\n")

# %%
# Three groups
# ------------
# Each pair is tested with labels moving inside that pair only, and adjusted by Holm's method.

three = fr.rgf_test(y, score, sensitive_features=X["race"], strata=fold, random_state=0)
print("Three groups")
for group in three.groups:
    print(
        f"  {group.group:<9} n = {group.n_samples:<5} burden ratio {group.burden_ratio:.2f}, "
        f"mean burden {group.mean_burden:.4f}"
    )
for pair in three.pairs:
    print(
        f"  {pair.first} against {pair.second}: T/E[T] = {pair.effect_size:.2f}, "
        f"p = {pair.pvalue:.4f}, Holm {pair.pvalue_holm:.4f}"
    )

# %%
# One figure
# ----------

figure, axes = plt.subplots(2, 2, figsize=(13, 10), layout="constrained")
groups = black_or_not(X)
BurdenCurveDisplay.from_predictions(
    y, score, sensitive_features=groups, strata=fold, n_permutations=2000, random_state=0
).plot(axes=axes.ravel()[:3])
RGFCurveDisplay.from_predictions(
    y, score, sensitive_features=groups, strata=fold, test_at=[0.25, 0.5, 0.75, 1.0],
    n_permutations=2000, random_state=0,
).plot(ax=axes[1, 1])
figure.suptitle(
    "Who carries the error of a lending model that never sees race? (Boston HMDA)\n"
    f"RGF {report.rgf:.3f}, if shared alike {report.null_reference:.3f}; "
    f"centred RGF {report.centered_rgf:.3f}; p = {report.test.pvalue:.2g}",
    fontweight="bold",
)
if __name__ == "__main__":
    figure.savefig("lending_audit.png", dpi=130)
    print("\nFigure written to lending_audit.png")
