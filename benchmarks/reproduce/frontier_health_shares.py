"""Table III: who is treated under four directions, each within a capacity."""

from __future__ import annotations

from dataclasses import dataclass

import frontier_health_published as paper
import numpy as np
from frontier_health_data import ALGORITHMS, DECIDING, HealthData
from frontier_health_models import DEFAULT, FOREST, fitted
from tables import Table

from fairrank.frontier import FrontierEstimator, capacity_support

DIRECTIONS = ("rawlsian", "majority", "egalitarian", "utilitarian")
THRESHOLDS = tuple(round(float(one), 2) for one in np.linspace(0.55, DECIDING, 7))
SHOWN = (DEFAULT, FOREST)


@dataclass(frozen=True)
class Threshold:
    """Shares of Black patients among the treated, and how many are treated, by rule."""

    quantile: float
    n_conditions: float
    share_ill: float
    black_shares: dict[str, float]
    treated: dict[str, float]


def thresholds(data: HealthData, learner: str, known: FrontierEstimator) -> list[Threshold]:
    """All seven; `known` is the frontier at the last. Equal outcomes share one fit."""
    found, fits = [], {data.ill(DECIDING).sum(): known}
    for quantile in THRESHOLDS:
        ill, original = data.ill(quantile), data.decisions("original score", quantile)
        if ill.sum() not in fits:
            fits[ill.sum()] = fitted(data, ill, learner)
        support = fits[ill.sum()].support_function_
        rules = {
            name: capacity_support(support, name, 1.0 - quantile).decisions for name in DIRECTIONS
        }
        shares = {"original": data.black_share(original),
                  "counterfactual": data.counterfactual_share(quantile)}
        found.append(Threshold(
            quantile, float(np.quantile(data.conditions, quantile)), float(ill.mean()),
            shares | {name: data.black_share(one) for name, one in rules.items()},
            {name: float(one.mean()) for name, one in rules.items()},
        ))
    return found


def share_table(learner: str, found: list[Threshold]) -> Table:
    """Table III, and how many are treated."""
    table = Table(
        f"Table III, Black share of the treated (share treated); {learner}",
        ["threshold", "Y = 1 above", "P(Y = 1)", "original", "counterfactual", *DIRECTIONS],
        notes=[
            "The paper's text names the ends, .55 and .97, and seven thresholds are spaced "
            "evenly between them here; of its printed shares those at the 97th were at hand. It "
            "fits on one random half and decides on the other; here delta_theta is out of fold, "
            "of one deal but for the 97th.",
            "The rules treat at most 1 - threshold, and fewer where not so many have k > 0.",
            "The text says that each of the four directions has a larger share than the original "
            f"at all thresholds; the printed {paper.SHARES['egalitarian']} of egalitarian is "
            f"below {paper.SHARES['original']}.",
        ],
    )
    for one in found:
        table.rows.append(
            [f"{one.quantile:.2f}", f"{one.n_conditions:.0f}", f"{one.share_ill:.3f}",
             *(f"{one.black_shares[name]:.3f}" for name in ("original", "counterfactual")),
             *(f"{one.black_shares[name]:.3f} ({one.treated[name]:.3f})" for name in DIRECTIONS)]
        )
    table.rows.append(
        ["0.97, paper", "6", "-", *(f"{share:.3f}" for share in paper.SHARES.values())]
    )
    return table


def rules_at_the_97th(data: HealthData, frontier: FrontierEstimator) -> dict[str, np.ndarray]:
    """The paper's four algorithms, and the four directions within the same capacity."""
    support = frontier.support_function_
    return {name: data.decisions(name) for name in ALGORITHMS} | {
        name: capacity_support(support, name, 1.0 - DECIDING).decisions for name in DIRECTIONS
    }


def condition_table(data: HealthData, frontiers: dict[str, FrontierEstimator]) -> Table:
    """How ill the treated are: what the paper's figure shows of its directions."""
    table = Table(
        "Active chronic conditions of the treated at the 97th percentile",
        ["learner", "rule", "treated", "Black share", "mean of Black", "mean of White",
         "difference", "risk, Black", "risk, White"],
        notes=["The paper: Black patients treated by the original score are in worse health than "
               "White ones; those treated by its Rawlsian, majority and utilitarian algorithms "
               "have similar numbers of conditions."],
    )
    wrong = data.ill(DECIDING)
    for learner in SHOWN:
        for name, rule in rules_at_the_97th(data, frontiers[learner]).items():
            if name in ALGORITHMS and learner != SHOWN[0]:
                continue
            black, white = data.mean_conditions(rule)
            loss = np.where(wrong == 1, 1.0 - rule, rule)
            table.rows.append(
                ["-" if name in ALGORITHMS else learner, name, f"{rule.mean():.4f}",
                 f"{data.black_share(rule):.3f}", f"{black:.2f}", f"{white:.2f}",
                 f"{black - white:+.2f}",
                 *(f"{loss[one].mean():.4f}" for one in (data.black, ~data.black))]
            )
    return table
