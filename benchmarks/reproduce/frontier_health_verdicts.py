"""A verdict on every number and claim of the application that was at hand."""

from __future__ import annotations

from typing import Any

import frontier_health_published as paper
import numpy as np
from frontier_health_data import DECIDING, HealthData
from frontier_health_models import DEFAULT, FOREST
from frontier_health_shares import Threshold, rules_at_the_97th
from frontier_health_tests import Frontiers, standard_errors
from verdicts import IN_KIND, NOT_IN_KIND, REPRODUCED, Verdict

HERE = "hold-out"
RISKS, TESTS, DISTANCE, SHARES = (
    "Table II, risks", "Table II and skew test", "distance to F", "Table III and its text"
)
SAMPLING = (
    "reproduced where the printed number is within two standard errors of ours: a third of the "
    "patients, whose percentile is their own"
)
LOWER = (
    "a third of the patients have root 3 less power, and four scores in place of 149 covariates "
    "put the estimated frontier further out"
)
CLAIM = "a claim about signs or order, the same here or not"


def verdicts(
    data: HealthData, frontiers: Frontiers, tests: dict, distances: dict,
    found: dict[str, list[Threshold]],
) -> list[Verdict]:
    """All of them, with the default learner unless it says otherwise."""
    return [
        *of_risks(data, tests), *of_tests(frontiers, tests), *of_distances(distances),
        *of_shares(data, frontiers, found),
    ]


def claim(where: str, what: str, model: str, printed: str, here: Any, true: bool,
          why: str = CLAIM) -> Verdict:
    """In kind, or not."""
    return Verdict(where, what, model, printed, {HERE: str(here)},
                   IN_KIND if true else NOT_IN_KIND, why)


def level(where: str, what: str, model: str, printed: float, here: float, error: float) -> Verdict:
    """A level is at least in kind."""
    near = abs(printed - here) <= 2.0 * error + 0.0005
    return Verdict(where, what, model, f"{printed:.3f}", {HERE: f"{here:.3f} (s.e. {error:.3f})"},
                   REPRODUCED if near else IN_KIND, SAMPLING)


def of_risks(data: HealthData, tests: dict) -> list[Verdict]:
    """The algorithms' risks, and who is better than the original score."""
    out = []
    for name, test in tests[DEFAULT].items():
        errors = standard_errors(test.risks, data)
        printed = paper.TABLE_2[name].risks
        out += [
            level(RISKS, f"risk, {group}", name, printed[j], float(test.risks[j]),
                  float(errors[j]))
            for j, group in enumerate(("Black", "White"))
        ]
    risks = {name: test.risks for name, test in tests[DEFAULT].items()}
    first = risks.pop("original score")
    better = [
        (e < first).all() and abs(e[0] - e[1]) < abs(first[0] - first[1])
        for e in risks.values()
    ]
    out.append(claim(RISKS, "more accurate for both and fairer than the original", "other three",
                     "not excluded", f"{sum(better)} of 3 by estimate", all(better)))
    return out


def of_tests(frontiers: Frontiers, tests: dict) -> list[Verdict]:
    """Decisions of the tests."""
    out = []
    for learner in (DEFAULT, FOREST):
        for name, test in tests[learner].items():
            printed = paper.TABLE_2[name].reject
            said = "rejects" if printed else "does not reject"
            out += [
                claim(TESTS, f"joint test, {learner}", name, said,
                      f"T {test.joint.statistic:.2f}, critical {test.joint.critical_value:.2f}",
                      test.joint.reject == printed, LOWER),
                claim(TESTS, f"LDA part, {learner}", name, said,
                      f"p = {test.pvalue:.3f}, gain {test.gain:.4f}",
                      test.reject == printed, LOWER),
            ]
        gains = [test.gain for test in tests[learner].values()]
        out.append(claim(TESTS, f"order of the algorithms, {learner}", "all four",
                         "original, total, avoidable, chronic",
                         "gains " + ", ".join(f"{gain:.4f}" for gain in gains),
                         gains == sorted(gains, reverse=True)))
    for learner in (DEFAULT, FOREST):
        skew = frontiers[learner].group_skew_test()
        points = frontiers[learner].best_points_
        out += [
            claim(TESTS, f"weak group skew, {learner}", "-", "not rejected",
                  f"p = {skew.pvalue:.2f}", not skew.reject),
            claim(TESTS, f"White risk lower at both best points, {learner}", "-", "yes",
                  f"{points[0][0]:.3f} > {points[0][1]:.3f}, {points[1][0]:.3f} > "
                  f"{points[1][1]:.3f}", bool((points[:, 0] > points[:, 1]).all())),
        ]
    return out


def of_distances(distances: dict) -> list[Verdict]:
    """Which is the nearest, and whether intervals overlap."""
    out = []
    for learner in (DEFAULT, FOREST):
        squared = {name: one[0] for name, one in distances[learner].items()}
        nearest = min(squared, key=lambda name: squared[name].statistic)
        intervals = [one.confidence_interval for one in squared.values()]
        gap = max(one.low for one in intervals) - min(one.high for one in intervals)
        low, high = paper.fairest_levels()
        fairest = squared[nearest].fairest_point[0]
        out += [
            claim(DISTANCE, f"nearest to F, {learner}", "-", paper.NEAREST_TO_F,
                  f"{nearest}, F at {fairest:.3f}", nearest == paper.NEAREST_TO_F,
                  f"the printed risks are in this order just for F from {low:.4f} to {high:.4f}; "
                  "rules of four scores reach no equal risks as low"),
            claim(DISTANCE, f"all intervals overlap, {learner}", "-", "yes",
                  f"largest lower end {max(one.low for one in intervals):.4f}, smallest upper "
                  f"{min(one.high for one in intervals):.4f}", gap <= 0),
        ]
    return out


def of_shares(
    data: HealthData, frontiers: Frontiers, found: dict[str, list[Threshold]]
) -> list[Verdict]:
    """Shares at the 97th, and what is said of all thresholds."""
    out = []
    for learner, rows in found.items():
        last = rows[-1]
        sizes = {"original": 1.0 - DECIDING, "counterfactual": 1.0 - DECIDING} | last.treated
        for name, printed in paper.SHARES.items():
            if learner != DEFAULT and name in ("original", "counterfactual"):
                continue
            here = last.black_shares[name]
            error = float(np.sqrt(here * (1.0 - here) / (sizes[name] * data.black.size)))
            model = name if name in ("original", "counterfactual") else f"{name}, {learner}"
            out.append(level(SHARES, "Black share at the 97th", model, printed, here, error))
        out += of_all_thresholds(learner, rows)
        rules = rules_at_the_97th(data, frontiers[learner])
        apart = {name: np.subtract(*data.mean_conditions(rule)) for name, rule in rules.items()}
        similar = ("rawlsian", "majority", "utilitarian")
        most = max(abs(apart[name]) for name in similar)
        first = apart["original score"]
        out.append(claim(SHARES, f"conditions alike among the treated, {learner}",
                         ", ".join(similar), "yes",
                         f"differ by at most {most:.2f}; original by {first:.2f}",
                         bool(most < abs(first) / 2)))
        out.append(claim(SHARES, f"conditions unlike among the treated, {learner}", "egalitarian",
                         "yes", f"differ by {apart['egalitarian']:.2f}",
                         bool(abs(apart["egalitarian"]) > most)))
    return out


def of_all_thresholds(learner: str, rows: list[Threshold]) -> list[Verdict]:
    """Rises of the share in percentage points, and per cent of the gap that is closed."""
    def rises(name):
        return [100.0 * (row.black_shares[name] - row.black_shares["original"]) for row in rows]

    def span(values):
        return f"{min(values):.1f} to {max(values):.1f}"

    gap = rises("counterfactual")
    both = {name: rises(name) for name in ("rawlsian", "utilitarian")}
    rise = [value for values in both.values() for value in values]
    closed = [100.0 * value / one for values in both.values() for value, one in zip(values, gap)]
    every = {
        name: sum(value > 0 for value in rises(name))
        for name in ("rawlsian", "majority", "egalitarian", "utilitarian")
    }
    three = all(every[name] == len(rows) for name in every if name != "egalitarian")
    printed = [
        ("rise in points", f"rawlsian, utilitarian, {learner}", paper.RISE, rise),
        ("per cent of the gap closed", f"rawlsian, utilitarian, {learner}", paper.CLOSED, closed),
    ]
    if learner == DEFAULT:
        printed.insert(0, ("rise in points", "counterfactual", paper.COUNTERFACTUAL_RISE, gap))
    return [
        *(claim(SHARES, what, model, f"{ends[0]} to {ends[1]}", span(values), min(values) > 0,
                "the same sign at all thresholds")
          for what, model, ends, values in printed),
        claim(SHARES, f"larger share than the original at all thresholds, {learner}",
              "rawlsian, majority, utilitarian", "7 of 7",
              ", ".join(str(every[name]) for name in every if name != "egalitarian"), three),
        claim(SHARES, f"larger share than the original at all thresholds, {learner}",
              "egalitarian", "7 of 7 in the text, not at the 97th in the table",
              f"{every['egalitarian']} of 7", every["egalitarian"] == len(rows),
              "print contradicts itself; the direction of F is the one most poorly estimated"),
    ]
