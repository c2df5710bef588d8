"""What became of each printed number: reproduced, in kind or not, or not possible, and why.

In kind: other data or another draw show the same sign, or the same decision of the test; levels
such as an AUC have no sign and always count. Not in kind: the sign or the decision differs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from string import ascii_lowercase

from tables import Table

from reproduce import published as paper

REPRODUCED, IN_KIND, IMPOSSIBLE = "reproduced", "in kind", "not possible"
NOT_IN_KIND = "not in kind"


# Of every test that is said to reject.
LEVEL = 0.05


@dataclass(frozen=True)
class Verdict:
    """One printed number; `here` maps a set of data to what was found on it."""

    where: str
    what: str
    model: str
    printed: str
    here: dict[str, str]
    verdict: str
    why: str


def verdict_table(verdicts: list[Verdict], sets: list[str]) -> Table:
    """Every number, its reason as a letter; the reasons below."""
    letters = dict(zip(dict.fromkeys(one.why for one in verdicts), ascii_lowercase))
    table = Table(
        "Every printed number",
        ["where", "number", "model", "paper", *sets, "verdict", "why"],
        notes=[f"({letter}) {why}." for why, letter in letters.items()],
    )
    for one in verdicts:
        table.rows.append(
            [one.where, one.what, one.model, one.printed,
             *(one.here.get(name, "-") for name in sets), one.verdict, f"({letters[one.why]})"]
        )
    return table


def count_table(verdicts: list[Verdict]) -> Table:
    """How many numbers of each table got which verdict."""
    kinds = [REPRODUCED, IN_KIND, NOT_IN_KIND, IMPOSSIBLE]
    counted = Counter((one.where, one.verdict) for one in verdicts)
    table = Table(
        "Verdicts by table of the paper",
        ["where", *kinds],
        notes=[
            "Counted are the numbers that a summary of the paper quotes; its tables print more.",
            "In kind: other data show the same sign, or the same decision at 5 %; a level, such "
            "as an AUC, has no sign and always counts.",
        ],
    )
    for where in dict.fromkeys(one.where for one in verdicts):
        table.rows.append([where, *(counted[where, kind] for kind in kinds)])
    table.rows.append(["all", *(sum(row[j] for row in table.rows) for j in range(1, 5))])
    return table


def arithmetic_table() -> Table:
    """What the printed numbers say of each other; no data needed."""
    table = Table(
        "The printed numbers checked against each other",
        ["what", "from", "follows", "printed"],
        notes=[
            "The random forest of Table 6 predicts denial far more often than denial happened "
            f"({paper.DENIED:.2%}), the logistic regression hardly ever: the smallest gaps of the "
            "latter say how seldom it says no at that threshold.",
        ],
    )
    for model, printed in paper.LOAN_PURPOSE.items():
        full = paper.TABLE_2[model]["RGF"]
        table.rows.append(
            ["FC of loan purpose, " + model, "ΔRGF / (1 - RGF)",
             f"{printed['ΔRGF'] / (1 - full):.4f}", f"{printed['FC']:.4f}"]
        )
    table.rows.append(
        ["RGF if shared alike, unbalanced", "1 - (majority - minority) / 2",
         f"{1 - (paper.MAJORITY - paper.MINORITY) / 2:.4f}",
         "all four RGF lie above it (.6559 to .6705)"]
    )
    table.rows.append(
        ["smallest p", "1 / (B + 1)", f"{1 / (paper.N_PERMUTATIONS + 1):.4f}", "0.0005"]
    )
    # Balanced: (majority + minority rate) / 2; as they come: their mean at the groups' mix.
    twice = 2 * paper.DENIED_BALANCED
    majority = (paper.DENIED - paper.MINORITY * twice) / (paper.MAJORITY - paper.MINORITY)
    table.rows.append(
        ["denied, majority and minority", "18.37 % as they come, 24.17 % balanced",
         f"{majority:.4f} and {twice - majority:.4f}", "not printed"]
    )
    forest, logistic = paper.TABLE_6[paper.RF], paper.TABLE_6[paper.LR]
    rate = forest["SPD"] / (forest["DI"] - 1)
    table.rows.append(
        ["predicted denial, random forest, majority and minority", "SPD and DI",
         f"{rate:.4f} and {rate * forest['DI']:.4f}", "threshold not printed"]
    )
    table.rows.append(
        ["predicted denial, logistic regression, majority", "SPD, and DI at least the forest's",
         f"at most {logistic['SPD'] / (forest['DI'] - 1):.4f}", "threshold not printed"]
    )
    return table
