"""Small audits for hypothesis: burdens of every kind, 2-5 groups, weights and strata."""

from dataclasses import dataclass

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import oracles

KINDS = ("continuous", "tied", "two-valued", "tied within rounding")


@dataclass(frozen=True)
class Audit:
    """Burdens and what goes with every row."""

    burden: np.ndarray
    group: np.ndarray
    integer_weight: np.ndarray
    float_weight: np.ndarray
    strata: np.ndarray
    order: np.ndarray  # a permutation of the rows

    @property
    def n_groups(self):
        return np.unique(self.group).size


def vectors(elements, n):
    return st.lists(elements, min_size=n, max_size=n).map(np.array)


@st.composite
def burdens(draw, n, kinds=KINDS):
    """Values at least 1e-6 apart or tied, so that no gap is at the edge of the tolerance."""
    kind = draw(st.sampled_from(kinds))
    if kind == "continuous":
        return draw(vectors(st.integers(0, 10**6), n)) / 1e6
    if kind == "two-valued":
        return np.where(draw(vectors(st.booleans(), n)), 0.7, 0.3)
    values = draw(vectors(st.integers(0, 5), n)) / 5.0
    if kind == "tied within rounding":
        values = values + draw(vectors(st.integers(0, 4), n)) * 1e-14
    return values


@st.composite
def groups(draw, n, n_groups):
    """Every group at least once; sometimes one of them exactly once."""
    single = draw(st.booleans())
    rest = draw(vectors(st.integers(0, n_groups - 1 - single), n - n_groups))
    codes = np.concatenate((np.arange(n_groups), rest)).astype(int)
    return codes[np.array(draw(st.permutations(range(n))))]


@st.composite
def audits(draw, min_rows=6, max_rows=30, max_groups=4, kinds=KINDS, n_strata=3):
    """An `Audit` whose burdens are not all tied."""
    n_groups = draw(st.integers(2, max_groups))
    n = draw(st.integers(max(min_rows, n_groups + 1), max_rows))
    burden = draw(burdens(n, kinds))
    assume(len(oracles.tie_blocks(burden)) > 1)
    return Audit(
        burden=burden,
        group=draw(groups(n, n_groups)),
        integer_weight=draw(vectors(st.integers(1, 4), n)),
        float_weight=draw(vectors(st.integers(1, 1000), n)) / 100.0,
        strata=draw(vectors(st.integers(0, n_strata - 1), n)),
        order=np.array(draw(st.permutations(range(n)))),
    )


def movable(audit, strata=None):
    """Some stratum holds two groups and two burdens."""
    block = np.empty(audit.group.size, dtype=int)
    for b, rows in enumerate(oracles.tie_blocks(audit.burden)):
        block[rows] = b
    strata = np.zeros(audit.group.size) if strata is None else strata
    return any(
        np.unique(audit.group[strata == s]).size > 1 and np.unique(block[strata == s]).size > 1
        for s in np.unique(strata)
    )
