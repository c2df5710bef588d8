"""Every method on the test rows of the same splits, by data, disparity, model and score source."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from fair_ranking_methods import (
    AFTERWARDS,
    IN_TRAINING,
    MODELS,
    SOURCES,
    TRADE_OFFS,
    Outcome,
    adjusted,
    auc_and_gap,
    base_scores,
    difference,
    trained_fair,
)
from joblib import Memory, Parallel, delayed
from tables import Table
from xorder_data import NAMES, ranking_data, split_of

DISPARITIES = {"german": ("xauc", "prf"), "compas": ("xauc", "prf"),
               "adult": ("xauc", "prf", "urf")}
# The deep forest makes its point on the small data sets; on adult it would take minutes.
MODELS_OF = {"german": tuple(MODELS), "compas": tuple(MODELS),
             "adult": tuple(model for model in MODELS if model != "deep forest")}
# Test AUC / |D| in the spec: logistic regression, training scores.
SPEC = {
    ("german", "xauc"): ".7727/.147, .7667/.059, .7678/.066",
    ("compas", "xauc"): ".7155/.187, .7088/.030, .7113/.028",
    ("adult", "xauc"): ".9032/.089, .8991/.006, .9021/.017",
    ("compas", "prf"): ".7155/.114, .7065/.021, .7108/.018",
}
PAIRS = (("calibrated", "lattice"), ("hull", "lattice"), ("calibrated", "hull"),
         ("calibrated", "post-logit"), ("lattice", "post-logit"))
CLEAR = 2.0


def one_split(name: str, seed: int) -> dict[tuple, Outcome]:
    """Keyed by data, disparity, model, source and method."""
    split = split_of(ranking_data(name), seed)
    found = {}
    for model in MODELS_OF[name]:
        scores = base_scores(model, split)
        for disparity in DISPARITIES[name]:
            trade_off = TRADE_OFFS.get((name, disparity))
            for source in SOURCES:
                for method in AFTERWARDS:
                    options = {} if method in AFTERWARDS[:2] else {"trade_off": trade_off}
                    found[name, disparity, model, source, method] = adjusted(
                        method, split, scores, source, disparity, **options
                    )
    for disparity in DISPARITIES[name]:
        for method in IN_TRAINING:
            found[name, disparity, "linear", "in training", method] = trained_fair(
                method, split, disparity
            )
    return found


def splits(n_splits: int, n_jobs: int, cache: Path | None = None) -> list[Table]:
    """Run all splits; tables of outcomes, of paired differences, and who is clearly better."""
    tasks = [(name, seed) for name in reversed(NAMES) for seed in range(n_splits)]
    outcomes = defaultdict(list)
    run = Memory(cache, verbose=0).cache(one_split)
    for found in Parallel(n_jobs=n_jobs, batch_size=1)(delayed(run)(*task) for task in tasks):
        for key, outcome in found.items():
            outcomes[key].append(outcome)
    rows = [
        (name, disparity, model, source)
        for name in NAMES for disparity in DISPARITIES[name]
        for model in MODELS_OF[name] for source in SOURCES
    ]
    return [
        *(afterwards_table(name, rows, outcomes, n_splits) for name in NAMES),
        in_training_table(outcomes),
        spec_table(outcomes),
        source_table(rows, outcomes),
        paired_table(rows, outcomes),
        verdict_table(rows, outcomes),
    ]


def afterwards_table(name: str, rows: list[tuple], outcomes: dict, n_splits: int) -> Table:
    """AUC and disparity after each adjustment of one data set."""
    table = Table(
        f"{name}: test AUC (s.e.) / |D| (s.e.), {n_splits} splits 70/30",
        ["disparity", "trade-off", "model", "fitted on scores", *AFTERWARDS],
    )
    for row in rows:
        if row[0] != name:
            continue
        trade_off = TRADE_OFFS.get(row[:2])
        cells = [auc_and_gap(outcomes[*row, method]) for method in AFTERWARDS]
        table.rows.append([row[1], "smallest D" if trade_off is None else str(trade_off),
                           *row[2:], *cells])
    table.notes.append(
        "Splits are stratified by outcome and overlap: standard errors are those of independent "
        "splits, so rather too small. Out of fold: 5 folds by outcome and group."
    )
    return table


def in_training_table(outcomes: dict) -> Table:
    """The two rankers with the disparity in their loss, beside plain and calibrated."""
    beside = ("unadjusted", "calibrated")
    ahead, behind = [], []
    table = Table(
        "Disparity in the training of a linear score: test AUC (s.e.) / |D| (s.e.)",
        ["data", "disparity", *IN_TRAINING, *(f"logistic, {method}" for method in beside)],
    )
    for name in NAMES:
        for disparity in DISPARITIES[name]:
            inside = [outcomes[name, disparity, "linear", "in training", m] for m in IN_TRAINING]
            after = [outcomes[name, disparity, "logistic", "out of fold", m] for m in beside]
            table.rows.append([name, disparity, *map(auc_and_gap, inside + after)])
            for method, found in zip(IN_TRAINING, inside):
                apart = signed(difference(found, after[1]))
                table.notes.append(f"{name} {disparity}: {method} - calibrated: {apart}.")
                who = clearly_better(found, after[1])
                ahead += [f"{method} on {name} {disparity}"] if leads(who) else []
                behind += [f"{method} on {name} {disparity}"] if leads(
                    [who[i] for i in (1, 0, 3, 2)]) else []
    table.notes.append(f"Clearly ahead of calibrated: {'; '.join(ahead) or 'none'}; clearly "
                       f"behind: {'; '.join(behind) or 'none'}.")
    table.notes.append(
        "The penalty is the smallest that leaves .01 on the training rows, or the one that leaves "
        "least. pairwise is a quadratic penalty with sigmoids on sampled pairs, fitted by "
        "L-BFGS, in place of the paper's constrained optimisation (tfco)."
    )
    return table


def spec_table(outcomes: dict) -> Table:
    """Beside the numbers that the spec gives."""
    methods = ("unadjusted", "post-logit", "lattice")
    table = Table(
        "Beside the spec: logistic regression, training scores, test AUC/|D|",
        ["data", "disparity", *methods, "spec, in this order"],
        notes=["The spec does not say how its splits were drawn, nor german's columns."],
    )
    for (name, disparity), numbers in SPEC.items():
        cells = [
            auc_and_gap(outcomes[name, disparity, "logistic", "training", method])
            for method in methods
        ]
        table.rows.append([name, disparity, *cells, numbers])
    return table


def source_table(rows: list[tuple], outcomes: dict) -> Table:
    """What scores out of fold gain over scores of training rows."""
    methods = AFTERWARDS[1:]
    table = Table(
        "Out of fold - training scores, paired: AUC (s.e.) / |D| (s.e.) of the test rows",
        ["data", "disparity", "model", *methods],
    )
    for row in rows:
        if row[3] != SOURCES[0]:
            continue
        cells = [
            signed(difference(outcomes[*row[:3], SOURCES[1], m], outcomes[*row, m]))
            for m in methods
        ]
        table.rows.append([*row[:3], *cells])
    return table


def signed(found: tuple[float, float, float, float]) -> str:
    """A paired difference as the tables show it."""
    return "{:+.4f} ({:.4f}) / {:+.3f} ({:.3f})".format(*found)


def paired_table(rows: list[tuple], outcomes: dict) -> Table:
    """Differences over the same splits."""
    shown = PAIRS[:2]
    table = Table(
        "Paired differences on the test rows: AUC (s.e.) / |D| (s.e.)",
        ["data", "disparity", "model", "fitted on scores",
         *(f"{first} - {second}" for first, second in shown)],
    )
    for row in rows:
        cells = [
            signed(difference(outcomes[*row, first], outcomes[*row, second]))
            for first, second in shown
        ]
        table.rows.append([*row, *cells])
    return table


def verdict_table(rows: list[tuple], outcomes: dict) -> Table:
    """In how many rows of the tables above one method is clearly better than another."""
    table = Table(
        f"Who is better by more than {CLEAR:.0f} standard errors, over data, disparities, models",
        ["fitted on scores", "first", "second", "rows", "AUC first", "AUC second", "D first",
         "D second", "first ahead", "second ahead"],
        notes=["Ahead: better in one, not worse in the other. D: the smaller |D| is better."],
    )
    for source in SOURCES:
        chosen = [row for row in rows if row[3] == source]
        for first, second in PAIRS:
            found = {
                row: clearly_better(outcomes[*row, first], outcomes[*row, second])
                for row in chosen
            }
            ahead = [row for row, who in found.items() if leads(who)]
            behind = [row for row, who in found.items() if leads([who[i] for i in (1, 0, 3, 2)])]
            counts = [sum(who[i] for who in found.values()) for i in range(4)]
            table.rows.append(
                [source, first, second, len(chosen), *counts, len(ahead), len(behind)]
            )
            where = "; ".join(" ".join(row[:3]) for row in behind)
            table.notes.append(f"{source}, {second} ahead of {first}: {where or 'nowhere'}.")
    return table


def clearly_better(these: list[Outcome], those: list[Outcome]) -> list[bool]:
    """Whether the first has the larger AUC, the second; the first the smaller |D|, the second."""
    auc, auc_error, gap, gap_error = difference(these, those)
    return [auc > CLEAR * auc_error, auc < -CLEAR * auc_error,
            gap < -CLEAR * gap_error, gap > CLEAR * gap_error]


def leads(better: list[bool]) -> bool:
    """The first is better in something and worse in nothing."""
    return (better[0] or better[2]) and not (better[1] or better[3])
