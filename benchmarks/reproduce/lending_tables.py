"""Tables 2 to 6 in kind: on other applications than the paper's, beside its numbers."""

from __future__ import annotations

import math
from typing import Any

from tables import Table

from reproduce import published as paper
from reproduce.audited_models import AuditedModel
from reproduce.classical_metrics import DIRECTION, classical_metrics, thresholds
from reproduce.lending_models import SETTINGS
from reproduce.lending_sets import LendingSet

N_SHOWN = 5


def digits(value: float | None, number: int = 4, sign: str = "") -> str:
    """Fixed digits; a dash for what is not printed or not defined."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:{sign}.{number}f}"


def audit_table(
    title: str, lending: LendingSet, models: list[AuditedModel], printed: dict[str, dict]
) -> Table:
    """Accuracy, fairness and test of every model, the paper's row under ours."""
    held_out = models[0].denied.size
    table = Table(
        title,
        ["model", "", "ROC-AUC", "PR-AUC", "RGF", "null RGF", "centred RGF", "burden ratio",
         "AURGF", "q_min", "p", "T", "T/E[T]"],
        notes=[
            f"{lending}; {held_out:,} held out. {lending.cleaning}",
            f"{SETTINGS} Split 70:30 by group and outcome, B = {paper.N_PERMUTATIONS}. Null RGF: "
            "what RGF is if burdens are shared alike; burden ratio: share of burden over share of "
            "rows, Black applicants; AURGF on the grid i/100 with 30 of each group. T grows with "
            "the rows, T/E[T] is 1 if shared alike.",
        ],
    )
    for model in models:
        sources = {"here": model.measured(), "paper": printed.get(model.name)}
        for source, found in sources.items():
            if found is None:
                continue
            places = {"q_min": 2, "T": 2, "T/E[T]": 1, "burden ratio": 2}
            table.rows.append(
                [model.name if source == "here" else "", source,
                 *(digits(found.get(what), places.get(what, 4)) for what in table.header[2:])]
            )
    return table


def removal_numbers(removal: Any) -> dict[str, float]:
    """The numbers of Tables 3 and 4 for one feature, and the centred ones."""
    return {
        "ΔRGF": removal.rgf.change,
        "FC": removal.paper_contribution,
        "Δ centred RGF": removal.centered_rgf.change,
        "centred FC": removal.contribution,
        "ΔROC-AUC": removal.scores["roc_auc"].change,
        "ΔPR-AUC": removal.scores["average_precision"].change,
        "p": removal.pvalue,
    }


def removal_table(lending: LendingSet, models: list[AuditedModel]) -> Table:
    """The five features of largest FC for every model, the paper's row where it has one."""
    table = Table(
        f"Tables 3 and 4 in kind: one feature removed, {lending.name}",
        ["model", "without", "", "ΔRGF", "FC", "Δ centred RGF", "95 %", "centred FC", "ΔROC-AUC",
         "ΔPR-AUC", "p"],
        notes=[
            f"The {N_SHOWN} features of largest FC in size, refitted without. FC is the paper's, "
            "from plain RGF; centred FC and its change are ours. 95 %: paired bootstrap of the "
            "rows, models not refitted.",
        ],
    )
    for model in models:
        features = sorted(
            (one for one in model.removal.features if one.error is None),
            key=lambda one: -abs(one.paper_contribution),
        )
        for rank, one in enumerate(features[:N_SHOWN]):
            found = {what: digits(value, sign="+") for what, value in removal_numbers(one).items()}
            found["p"] = digits(one.pvalue)
            found["95 %"] = f"{one.centered_rgf.low:+.4f} to {one.centered_rgf.high:+.4f}"
            table.rows.append(
                ["" if rank else model.name, one.feature, "here",
                 *(found[what] for what in table.header[3:])]
            )
            printed = paper.TABLES_3_4.get(one.feature, {}).get(model.name)
            if printed:
                table.rows.append(
                    ["", "", "paper", *(digits(printed.get(what), sign="" if what == "p" else "+")
                                        for what in table.header[3:])]
                )
    return table


def threshold_table(lending: LendingSet, models: list[AuditedModel]) -> Table:
    """Table 6 in kind, at two thresholds because the paper states none."""
    names = ["denial Black", "denial other", "SPD", "DI", "EOD", "FPR difference", "PPD"]
    table = Table(
        f"Table 6 in kind: classical metrics, {lending.name}",
        ["model", "threshold", *names],
        notes=[
            DIRECTION,
            "Observed rate: the threshold at which as many denials are predicted as there were. "
            "The paper states no threshold.",
        ],
    )
    for model in models:
        for rank, (kind, at) in enumerate(thresholds(model).items()):
            found = classical_metrics(model, at)
            shown = kind if kind == ".5" else f"{kind}, {at:.3f}"
            table.rows.append(
                ["" if rank else model.name, shown, *(digits(found[name]) for name in names)]
            )
        if model.name in paper.TABLE_6:
            printed = paper.TABLE_6[model.name]
            table.rows.append(["", "paper", *(digits(printed.get(name)) for name in names)])
    return table
