"""What Liu and Molinari (arXiv 2402.08879 v2) print of their application, on 48,784 patients."""

from __future__ import annotations

from dataclasses import dataclass

N_PATIENTS = 48_784
# "5,582 self report as Black".
N_BLACK = 5582


@dataclass(frozen=True)
class Printed:
    """One algorithm in Table II: risks of Black and White patients, and the paper's joint test."""

    risks: tuple[float, float]
    statistic: float
    critical_value: float

    @property
    def reject(self) -> bool:
        """The text says the same of all four."""
        return self.statistic > self.critical_value


TABLE_2 = {
    "original score": Printed((0.065, 0.034), 3.767, 1.885),
    "total cost": Printed((0.059, 0.033), 2.753, 1.948),
    "avoidable cost": Printed((0.054, 0.023), 1.428, 1.732),
    "chronic conditions": Printed((0.037, 0.015), 0.541, 1.642),
}
# "The closest risk to F is the one associated with the algorithm predicting total costs."
NEAREST_TO_F = "total cost"
# Table III at the 97th percentile: shares of Black patients among the treated.
SHARES = {
    "original": 0.184, "counterfactual": 0.592, "rawlsian": 0.369, "majority": 0.318,
    "egalitarian": 0.143, "utilitarian": 0.339,
}
# What the text says of all seven thresholds. Percentage points above the original algorithm, of
# the counterfactual, and of the Rawlsian and utilitarian ones; per cent of that gap closed.
COUNTERFACTUAL_RISE = (6, 41)
RISE = (4, 18)
CLOSED = (26, 69)


def fairest_levels() -> tuple[float, float]:
    """Levels of F, on the line of equal risks, at which total cost is the nearest in Table II."""
    low, high = 0.0, 1.0
    nearest = TABLE_2[NEAREST_TO_F].risks
    for name, printed in TABLE_2.items():
        # |e - (f, f)|^2 less that of the nearest is linear in f: squares - 2 f sums.
        sums = sum(printed.risks) - sum(nearest)
        squares = sum(e * e for e in printed.risks) - sum(e * e for e in nearest)
        if name != NEAREST_TO_F and sums < 0:
            low = max(low, squares / (2.0 * sums))
        elif name != NEAREST_TO_F:
            high = min(high, squares / (2.0 * sums))
    return low, high
