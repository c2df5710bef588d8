"""Small welfare problems for hypothesis: ties, both signs, weights, options, idle groups."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

KINDS = ("grid", "tied within rounding", "continuous")
GROUP_KINDS = ("any", "any", "losing", "earning", "idle")
REJECTED = ("zero", "number", "rows", "none")
# Ways to a tenth of k that are the same number but for their last bits.
TENTHS = (
    lambda k: k / 10,
    lambda k: k * 0.1,
    lambda k: k * 0.3 / 3.0,
    lambda k: k * 0.7 - k * 0.6,
    lambda k: k * (1.0 / 3.0) * 0.3,
)


@dataclass(frozen=True)
class Problem:
    """Arguments of the solver and of the oracle.

    `revenue` and `utility` are (n,) for one option and (n, n_options) for more; `weight` may be
    None; `rejected_utility` a number, one number a row, or None.
    """

    revenue: np.ndarray
    utility: np.ndarray
    group: np.ndarray
    weight: np.ndarray | None
    tolerance: float
    rejected_utility: float | np.ndarray | None

    @property
    def n_groups(self):
        return np.unique(self.group).size

    @property
    def n_options(self):
        return 1 if self.revenue.ndim == 1 else self.revenue.shape[1]

    @property
    def arguments(self):
        """Keywords of the oracle's functions."""
        return vars(self).copy()

    @property
    def untied(self):
        """The keywords without the tolerance, for what has none."""
        return {name: value for name, value in vars(self).items() if name != "tolerance"}


def _filled(draw, elements, shape):
    n = int(np.prod(shape))
    return np.array(draw(st.lists(elements, min_size=n, max_size=n))).reshape(shape)


@st.composite
def steps(draw, shape, kind=None, nonnegative=False):
    """(revenue, utility): ratios heavily tied, or tied but for their last bits, or hardly ever.

    Continuous ratios that differ do so by 1e-8 or more, so that none is at the edge of a tie.
    """
    kind = draw(st.sampled_from(KINDS)) if kind is None else kind
    size = 10**4 if kind == "continuous" else 4
    utility = _filled(draw, st.integers(0 if nonnegative else -size, size), shape)
    if kind == "tied within rounding":
        slope = _filled(draw, st.integers(-3, 3), shape)
        way = _filled(draw, st.integers(0, len(TENTHS) - 1), (2, *shape))
        tenth = np.vectorize(lambda k, w: float(TENTHS[w](k)))
        return tenth(slope * utility, way[0]), tenth(utility, way[1])
    revenue = _filled(draw, st.integers(-size, size), shape)
    return revenue.astype(float), utility.astype(float)


@st.composite
def group_codes(draw, n, n_groups):
    """Every group at least once; sometimes one of them exactly once."""
    single = draw(st.booleans())
    rest = _filled(draw, st.integers(0, n_groups - 1 - single), (n - n_groups,))
    codes = np.concatenate((np.arange(n_groups), rest)).astype(int)
    return codes[np.array(draw(st.permutations(range(n))))]


@st.composite
def row_weights(draw, group):
    """None, integers with zeros, or floats with zeros; every group weighs something."""
    kind = draw(st.sampled_from(["none", "integer", "float"]))
    if kind == "none":
        return None
    if kind == "integer":
        weight = _filled(draw, st.integers(0, 3), group.shape).astype(float)
    else:
        weight = _filled(draw, st.integers(0, 20), group.shape) / 7.0
    for label in np.unique(group):
        if not weight[group == label].any():
            weight[np.flatnonzero(group == label)[0]] = 1.0
    return weight


@st.composite
def problems(
    draw, *, max_rows=40, n_groups=(2, 5), n_options=(1, 3), kind=None, nonnegative=None,
    rejected=REJECTED, tolerant=None, weighted=True, worthless=False,
):
    """A `Problem`, feasible or not.

    Parameters
    ----------
    kind : one of `KINDS`, or None for any
    nonnegative : bool or None
        Utilities >= 0 (exact zeros among them), of both signs, or either.
    rejected : any of `REJECTED`
        "none", no reject option, comes up with several options only: allow another with it.
        With "zero" and "number" every problem is feasible, sometimes at one welfare only: groups
        whose attainable welfares touch are common.
    tolerant : bool or None
        A positive tolerance, 0, or either.
    weighted : bool
        False gives no weights.
    worthless : bool
        Whether one group gains nothing from any option. Without it every group can be given at
        least two welfares.
    """
    size = draw(st.integers(*n_groups))
    n = draw(st.integers(size, max_rows))
    group = draw(group_codes(n, size))
    options = draw(st.integers(*n_options))
    if nonnegative is None:
        nonnegative = draw(st.booleans())
    revenue, utility = draw(steps((n, options), kind, nonnegative))
    weight = draw(row_weights(group)) if weighted else None
    for label in range(size):
        _colour(revenue, group == label, draw(st.sampled_from(GROUP_KINDS)))
    allowed = [name for name in rejected if name != "none" or options > 1]
    reject = _rejected(draw, draw(st.sampled_from(allowed)), n)
    _set_welfare_ranges(
        utility, group, weight, reject, draw(st.integers(0, size - 1)) if worthless else None
    )
    if tolerant is None:
        tolerant = draw(st.booleans())
    tolerance = draw(st.sampled_from([0.01, 0.05, 0.3, 1.0, 10.0])) if tolerant else 0.0
    if options == 1:
        revenue, utility = revenue[:, 0], utility[:, 0]
    return Problem(revenue, utility, group, weight, tolerance, reject)


def _colour(revenue, inside, kind):
    """Make a group's revenue all negative, all positive or all 0, in place."""
    if kind == "idle":
        revenue[inside] = 0.0
    elif kind != "any":
        size = np.abs(revenue[inside])
        revenue[inside] = np.where(size > 0, size, 1.0) * (1.0 if kind == "earning" else -1.0)


def _rejected(draw, name, n):
    if name == "none":
        return None
    if name == "zero":
        return 0.0
    if name == "number":
        return draw(st.sampled_from([-1.5, -0.1, 0.2, 2.0]))
    return _filled(draw, st.integers(-2, 2), (n,)) / 2.0


def _set_welfare_ranges(utility, group, weight, reject, worthless):
    """Nothing to gain in the group `worthless`, something in every other, in place."""
    base = utility[:, -1].copy() if reject is None else np.zeros(len(utility)) + reject
    counted = np.ones(len(utility), dtype=bool) if weight is None else weight > 0
    for label in np.unique(group):
        inside = group == label
        if label == worthless:
            utility[inside] = base[inside, None]
        elif (utility[inside & counted] == base[inside & counted, None]).all():
            utility[np.flatnonzero(inside & counted)[0], 0] += 1.0
