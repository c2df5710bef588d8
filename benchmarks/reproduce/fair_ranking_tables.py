"""J of lattice and hull with the bound, and xROC curves before and after."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from fair_ranking_methods import (
    AFTERWARDS,
    TRADE_OFFS,
    base_scores,
    mapped,
    mean_and_error,
    score_maps,
)
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score
from tables import Table
from xorder_data import NAMES, ranking_data, split_of

from fairrank.metrics import xroc_curve
from fairrank.ranking import XROCDisplay, fair_ordering

J_TRADE_OFFS = (0.1, 0.18, 1.0)
# Lattice, hull, bound of xAUC; where the spec prints no bound, the one of a smaller trade-off.
SPEC_J = {
    ("german", 0.1): (0.84734, 0.85483, 0.85573), ("german", 0.18): (0.84133, 0.85465, 0.85573),
    ("german", 1.0): (0.84131, 0.85460, 0.85573), ("compas", 0.1): (0.78439, 0.78672, 0.78673),
    ("compas", 0.18): (0.78357, 0.78672, 0.78673), ("compas", 1.0): (0.78243, 0.78672, 0.78673),
    ("adult", 0.1): (0.90690, 0.90807, 0.90807), ("adult", 0.18): (0.90662, 0.90807, 0.90807),
    ("adult", 1.0): (0.90662, 0.90807, 0.90807),
}
# The spec prints five decimals, of the hull and of the bound.
ROUNDING = 1e-5
XROC_DATA = ("compas", "adult")


def j_of_split(name: str, seed: int) -> dict[tuple, tuple]:
    """By disparity and trade-off: J of lattice and hull, bound, whether proven."""
    # The spec's J belong to this split, which is not stratified.
    split = split_of(ranking_data(name), seed, stratify=False)
    score = base_scores("logistic", split, ("training",))["training"]
    found = {}
    for disparity in ("xauc", "prf", "urf"):
        for trade_off in J_TRADE_OFFS:
            lattice, hull = (
                fair_ordering(split.y, score, sensitive_features=split.group, solver=solver,
                              disparity=disparity, trade_off=trade_off)
                for solver in ("lattice", "hull")
            )
            found[disparity, trade_off] = (
                lattice.objective, hull.objective, hull.upper_bound, hull.proven
            )
    return found


def objectives(n_splits: int, n_jobs: int) -> list[Table]:
    """J on training scores of a logistic regression, first split and all."""
    tasks = [(name, seed) for name in reversed(NAMES) for seed in range(n_splits)]
    results = dict(zip(tasks, Parallel(n_jobs=n_jobs)(delayed(j_of_split)(*t) for t in tasks)))
    table = Table(
        "J = AUC - trade-off |D| on training rows: first split, then the worst of "
        f"{n_splits}",
        ["data", "disparity", "trade-off", "lattice", "hull", "bound", "gap", "proven",
         "spec lattice", "spec hull", "spec gap", "least hull - lattice", "largest gap"],
    )
    worse, wider = [], []
    for name in NAMES:
        for key in results[name, 0]:
            found = np.array([results[name, seed][key] for seed in range(n_splits)], dtype=float)
            lattice, hull, bound, proven = found[0]
            spec_lattice, spec_hull, spec_bound = SPEC_J.get((name, key[1]), (np.nan,) * 3)
            if key[0] != "xauc":
                spec_lattice, spec_hull, spec_bound = (np.nan,) * 3
            ahead, gaps = found[:, 1] - found[:, 0], found[:, 2] - found[:, 1]
            where = f"{name} {key[0]} {key[1]}"
            if ahead.min() < -1e-12:
                worse.append(where)
            if gaps[0] > spec_bound - spec_hull + ROUNDING:
                wider.append(where)
            table.rows.append(
                [name, key[0], str(key[1]), f"{lattice:.5f}", f"{hull:.5f}", f"{bound:.5f}",
                 f"{bound - hull:.1e}", "yes" if proven else "no",
                 *("-" if value != value else f"{value:.5f}"
                   for value in (spec_lattice, spec_hull, spec_bound - spec_hull)),
                 f"{ahead.min():.1e}", f"{gaps.max():.1e}"]
            )
    table.notes.extend([
        f"Hull below lattice: {'; '.join(worse) or 'nowhere'}, over all splits and rows.",
        f"Gap wider than the spec's, first split: {'; '.join(wider) or 'nowhere'}. The spec "
        "prints five decimals, and no bound for the largest trade-off.",
    ])
    return [table]


def xroc_of_split(name: str, seed: int) -> tuple[dict, dict]:
    """Test scores by method, and what the two xROC curves come to."""
    split = split_of(ranking_data(name), seed)
    scores = base_scores("logistic", split, ("out of fold",))
    fair, numbers = {}, {}
    for method in AFTERWARDS:
        options = {} if method in AFTERWARDS[:2] else {"trade_off": TRADE_OFFS[name, "xauc"]}
        maps = score_maps(method, split.y, scores["out of fold"], split.group, "xauc", **options)
        fair[method] = mapped(maps, scores["test"], split.group_test)
        curves = [
            xroc_curve(split.y_test, fair[method], sensitive_features=split.group_test,
                       above=above, below=1 - above)
            for above in (0, 1)
        ]
        at = np.linspace(0.0, 1.0, 1001)
        apart = np.subtract(*(np.interp(at, curve.fpr, curve.tpr) for curve in curves))
        numbers[method] = (
            roc_auc_score(split.y_test, fair[method]), curves[0].area, curves[1].area,
            float(np.abs(apart).mean()), float(np.abs(apart).max()),
        )
    return fair, numbers


def xroc(n_splits: int, n_jobs: int, figures: Path | None = None) -> list[Table]:
    """Areas of both xROC curves and how far apart they run; pictures of the first split."""
    table = Table(
        f"xROC curves of test rows, logistic regression, out of fold, mean (s.e.), {n_splits} "
        "splits",
        ["data", "method", "AUC", "xAUC(a,b)", "xAUC(b,a)", "mean distance", "largest distance"],
        notes=["Distances are vertical, between the two curves; the first is the area between "
               "them, which unlike |D| does not cancel where they cross.",
               "The paper, Adult: before .935 and .829, xAUC(a,b) afterwards .896 against "
               "post-logit's .879; COMPAS: before .790 and .578."],
    )
    for name in XROC_DATA:
        results = Parallel(n_jobs=n_jobs)(
            delayed(xroc_of_split)(name, seed) for seed in range(n_splits)
        )
        for method in AFTERWARDS:
            columns = np.array([numbers[method] for _, numbers in results]).T
            cells = ["{:.4f} ({:.4f})".format(*mean_and_error(column)) for column in columns]
            table.rows.append([name, method, *cells])
        between = {
            method: np.mean([numbers[method][3] for _, numbers in results])
            for method in AFTERWARDS
        }
        table.notes.append(
            f"{name}, area between the curves, least first: "
            + ", ".join(f"{m} {between[m]:.3f}" for m in sorted(between, key=between.get)) + "."
        )
        if figures is not None:
            draw_xroc(name, results[0][0], figures)
    return [table]


def draw_xroc(name: str, fair: dict, figures: Path) -> None:
    """A panel for every adjustment, the curves before it dashed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    split = split_of(ranking_data(name), 0)
    group = np.where(split.group_test == 0, "a", "b")
    methods = ("post-logit", "lattice", "hull", "calibrated")
    figure, axes = plt.subplots(2, 2, figsize=(10.5, 11), layout="constrained")
    for ax, method in zip(axes.flat, methods):
        XROCDisplay.from_predictions(
            split.y_test, fair[method], sensitive_features=group, name=f"{name}, {method}",
            y_score_before=fair["unadjusted"],
        ).plot(ax=ax)
    figures.mkdir(parents=True, exist_ok=True)
    figure.savefig(figures / f"xroc_{name}.png", dpi=110)
    plt.close(figure)
