"""Welfare-equal policies by linear programs, exact fractions and plain sums.

Numpy, scipy and the standard library only, nothing of fairrank; slow and literal on purpose.

Rows have a `revenue` and a `utility` of shape (n,) or (n, n_options), and a group. Rejecting a
row is worth (`rejected_utility`, 0): a number, one number a row, or None when every row must get
one of its options. An *acceptance* has the shape of `revenue` and holds the probability of every
option; what is left of 1 is the probability of being rejected. Whatever is given group by group
comes in the order of ``np.unique(group)``.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import integrate, sparse
from scipy.optimize import linprog

# The least that HiGHS takes.
LP_OPTIONS = {
    "presolve": False,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


# ---------------------------------------------------------------- rows

def by_option(values):
    """Shape (n, n_options), whatever it was."""
    values = np.asarray(values, dtype=float)
    return values.reshape(len(values), -1)


def weights_of(weight, n):
    return np.ones(n) if weight is None else np.asarray(weight, dtype=float)


def rejected_utilities(rejected_utility, n):
    """One number a row; zeros for None, which nothing may then read."""
    return np.zeros(n) + (0.0 if rejected_utility is None else rejected_utility)


def mean(values, weight):
    """Weighted mean; both sums are exact but for their last rounding."""
    return math.fsum(v * w for v, w in zip(values, weight)) / math.fsum(weight)


def group_masks(group):
    group = np.asarray(group)
    return [group == label for label in np.unique(group)]


def group_shares(group, weight=None):
    """P(A = a)."""
    weight = weights_of(weight, len(group))
    return np.array([math.fsum(weight[inside]) for inside in group_masks(group)]) / math.fsum(
        weight
    )


def choices(revenue, utility, rejected_utility=0.0):
    """Every row's points (utility, revenue) as a list; rejecting comes first."""
    revenue, utility = by_option(revenue), by_option(utility)
    rejected = rejected_utilities(rejected_utility, len(revenue))
    first = [[] if rejected_utility is None else [(float(u), 0.0)] for u in rejected]
    return [
        [*reject, *zip(u.tolist(), r.tolist())] for reject, u, r in zip(first, utility, revenue)
    ]


# ---------------------------------------------------------------- what a policy is worth

@dataclass(frozen=True)
class PolicyValue:
    """Welfare and revenue of every group, and the revenue of all."""

    welfare: np.ndarray
    group_revenue: np.ndarray
    revenue: float


def welfare(acceptance, utility, group, weight=None, rejected_utility=0.0):
    """E[utility of what the row gets | A = a] of every group."""
    acceptance, utility = by_option(acceptance), by_option(utility)
    rejected = rejected_utilities(rejected_utility, len(acceptance))
    weight = weights_of(weight, len(acceptance))
    expected = [
        math.fsum([*(c * u), (1.0 - math.fsum(c)) * u0])
        for c, u, u0 in zip(acceptance, utility, rejected)
    ]
    return np.array(
        [mean(np.array(expected)[inside], weight[inside]) for inside in group_masks(group)]
    )


def policy_value(acceptance, revenue, utility, group, weight=None, rejected_utility=0.0):
    """`PolicyValue` of an acceptance."""
    acceptance, revenue = by_option(acceptance), by_option(revenue)
    weight = weights_of(weight, len(acceptance))
    expected = np.array([math.fsum(c * r) for c, r in zip(acceptance, revenue)])
    return PolicyValue(
        welfare=welfare(acceptance, utility, group, weight, rejected_utility),
        group_revenue=np.array(
            [mean(expected[inside], weight[inside]) for inside in group_masks(group)]
        ),
        revenue=mean(expected, weight),
    )


def unconstrained(revenue, rejected_utility=0.0):
    """Acceptance of the best policy without a constraint: the best option if it earns anything.

    Of options that earn the same, the first; without a reject option, the best of all.
    """
    revenue = by_option(revenue)
    best = revenue.argmax(axis=1)
    taken = np.zeros_like(revenue)
    taken[np.arange(len(revenue)), best] = 1.0
    return taken if rejected_utility is None else taken * (revenue > 0)


# ---------------------------------------------------------------- the linear program

@dataclass(frozen=True)
class BestPolicy:
    """The best policy of `best_policy`; NaN all over if it is not feasible.

    `acceptance` has shape (n, n_options), for one option too.
    """

    feasible: bool
    revenue: float
    welfare: np.ndarray
    acceptance: np.ndarray


def best_policy(revenue, utility, group, weight=None, tolerance=0.0, rejected_utility=0.0):
    """Most revenue with max - min of the groups' welfares <= tolerance, as a `BestPolicy`.

    The variables are the probabilities of every option of every row, and the lowest welfare.
    """
    revenue, utility = by_option(revenue), by_option(utility)
    n, n_options = revenue.shape
    weight = weights_of(weight, n)
    rejected = rejected_utilities(rejected_utility, n)
    gained = utility - rejected[:, None]
    # The solver's tolerances are absolute.
    scale = np.abs(gained).max() or 1.0
    masks = group_masks(group)
    above = np.zeros((len(masks), n * n_options + 1))  # welfare of the group - lowest welfare
    start = np.zeros(len(masks))
    for a, inside in enumerate(masks):
        share = np.where(inside, weight, 0.0) / math.fsum(weight[inside])
        above[a] = [*(share[:, None] * gained / scale).ravel(), -1.0]
        start[a] = mean(rejected[inside], weight[inside]) / scale
    # Counted from a policy's own start, so that large rejected utilities cost no digits.
    start -= start.min()
    total = sparse.hstack(
        [sparse.kron(sparse.eye_array(n), np.ones((1, n_options))), sparse.csr_array((n, 1))]
    )
    equal, bounded = [], []
    (equal if rejected_utility is None else bounded).append((total, np.ones(n)))
    if tolerance == 0.0:
        equal.append((above, -start))
    else:
        bounded += [(-above, start), (above, tolerance / scale - start)]
    share = weight / math.fsum(weight)
    earned = share[:, None] * revenue / (np.abs(revenue).max() or 1.0)
    found = linprog(
        [*-earned.ravel(), 0.0],
        **_constraints("ub", bounded), **_constraints("eq", equal),
        bounds=[(0.0, 1.0)] * (n * n_options) + [(None, None)],
        method="highs-ds", options=LP_OPTIONS,
    )
    if found.status == 2:
        nothing = np.full((n, n_options), math.nan)
        return BestPolicy(False, math.nan, np.full(len(masks), math.nan), nothing)
    if found.status != 0:
        raise RuntimeError(found.message)
    acceptance = np.clip(found.x[:-1].reshape(n, n_options), 0.0, 1.0)
    value = policy_value(acceptance, revenue, utility, group, weight, rejected_utility)
    return BestPolicy(True, value.revenue, value.welfare, acceptance)


def _constraints(kind, parts):
    if not parts:
        return {}
    matrices, bounds = zip(*parts)
    matrix = sparse.vstack([sparse.csr_array(part) for part in matrices], format="csr")
    return {f"A_{kind}": matrix, f"b_{kind}": np.concatenate(bounds)}


# ---------------------------------------------------------------- frontiers, in exact fractions

def upper_hull(points):
    """Corners of the upper concave boundary of points (w, r), leftmost first."""
    highest = {}
    for w, r in points:
        highest[w] = max(r, highest.get(w, r))
    corners = []
    for w, r in sorted(highest.items()):
        while len(corners) > 1:
            (w0, r0), (w1, r1) = corners[-2:]
            if (w1 - w0) * (r - r0) < (r1 - r0) * (w - w0):
                break
            corners.pop()
        corners.append((w, r))
    return corners


def group_frontier(revenue, utility, weight=None, rejected_utility=0.0):
    """Corners (welfare, revenue) of the frontier R*_a of one group, as fractions, leftmost first.

    One row is added at a time, with each of its choices, and only corners are kept: a sum of
    hulls is the hull of the sum. Nothing is rounded, so ratios r/u that differ in their last bit
    are two edges.
    """
    rows = choices(revenue, utility, rejected_utility)
    weight = [Fraction(float(v)) for v in weights_of(weight, len(rows))]
    corners = [(Fraction(0), Fraction(0))]
    for row, v in zip(rows, weight):
        steps = [(v * Fraction(u), v * Fraction(r)) for u, r in row]
        corners = upper_hull([(w + u, s + r) for w, s in corners for u, r in steps])
    return [(w / sum(weight), s / sum(weight)) for w, s in corners]


def all_deterministic(revenue, utility, weight=None, rejected_utility=0.0):
    """(welfare, revenue) of one group under every way to choose for every row, as fractions."""
    rows = choices(revenue, utility, rejected_utility)
    weight = [Fraction(float(v)) for v in weights_of(weight, len(rows))]
    for chosen in itertools.product(*rows):
        yield tuple(
            sum(v * Fraction(point[axis]) for v, point in zip(weight, chosen)) / sum(weight)
            for axis in (0, 1)
        )


def frontier_revenue(corners, w):
    """R*_a(w); None outside the corners."""
    for (w0, r0), (w1, r1) in itertools.pairwise(corners):
        if w0 <= w <= w1:
            return r0 + (w - w0) / (w1 - w0) * (r1 - r0)
    return corners[0][1] if corners[0][0] == w else None


def window_revenue(corners, low, high):
    """Largest R*_a on [low, high]; None if no attainable welfare is in there."""
    low, high = max(low, corners[0][0]), min(high, corners[-1][0])
    if low > high:
        return None
    inside = [r for w, r in corners if low <= w <= high]
    return max([*inside, frontier_revenue(corners, low), frontier_revenue(corners, high)])


def supergradient(corners, w, slack=0.0):
    """(Least, largest) slope of a line through (w, R*_a(w)) and above the frontier, as floats.

    With `slack`, of any such line at a welfare that is at most so far from w.
    """
    left, right = Fraction(w) - Fraction(slack), Fraction(w) + Fraction(slack)
    edges = [
        (w0, w1, float((r1 - r0) / (w1 - w0)))
        for (w0, r0), (w1, r1) in itertools.pairwise(corners)
    ]
    least = [slope for w0, _, slope in edges if w0 <= right]
    largest = [slope for _, w1, slope in edges if w1 >= left]
    return (
        least[-1] if right < corners[-1][0] else -math.inf,
        largest[0] if left > corners[0][0] else math.inf,
    )


def frontiers(revenue, utility, group, weight=None, rejected_utility=0.0):
    """`group_frontier` of every group."""
    revenue, utility = by_option(revenue), by_option(utility)
    weight = weights_of(weight, len(revenue))
    rejected = rejected_utilities(rejected_utility, len(revenue))
    return [
        group_frontier(
            revenue[inside], utility[inside], weight[inside],
            None if rejected_utility is None else rejected[inside],
        )
        for inside in group_masks(group)
    ]


@dataclass(frozen=True)
class BestWelfare:
    """The same optimum as `BestPolicy`, by a search over the lowest welfare.

    `lowest` and `highest` end the interval of lowest welfares (with tolerance 0: of common
    welfares) that reach `revenue`. `slack` is how far the groups' attainable welfares are from
    having no window of width `tolerance` that meets them all; negative if there is none, and then
    the rest is NaN.
    """

    revenue: float
    lowest: float
    highest: float
    slack: float


def best_welfare(
    revenue, utility, group, weight=None, tolerance=0.0, rejected_utility=0.0, flat=1e-12
):
    """`BestWelfare`, exact: sum_a P_a max R*_a[L, L + tolerance] is tried at every corner.

    Corners count as flat together where they miss the maximum by at most `flat` times the
    largest revenue, because true ties differ in their last bits.
    """
    of_groups = frontiers(revenue, utility, group, weight, rejected_utility)
    share = [Fraction(float(p)) for p in group_shares(group, weight)]
    tolerance = Fraction(float(tolerance))
    start = max(corners[0][0] for corners in of_groups) - tolerance
    stop = min(corners[-1][0] for corners in of_groups)
    if stop < start:
        return BestWelfare(math.nan, math.nan, math.nan, float(stop - start))
    tried = {start, stop}
    for w, _ in itertools.chain(*of_groups):
        tried |= {w, w - tolerance}
    value = {
        low: sum(
            p * window_revenue(corners, low, low + tolerance)
            for p, corners in zip(share, of_groups)
        )
        for low in tried
        if start <= low <= stop
    }
    most = max(value.values())
    slack = Fraction(flat * float(np.abs(revenue).max()))
    best = [low for low, reached in value.items() if reached >= most - slack]
    return BestWelfare(float(most), float(min(best)), float(max(best)), float(stop - start))


def certificate(
    revenue, utility, group, multiplier, weight=None, tolerance=0.0, rejected_utility=0.0
):
    """Bound on the revenue of every policy, from multipliers with sum_a P_a multiplier_a = 0.

    sum_a P_a E[max over choices of r - multiplier_a u | a] + tolerance sum_a (P_a multiplier_a)+.
    Rejecting is a choice and is worth -multiplier_a * rejected_utility.
    """
    rows = choices(revenue, utility, rejected_utility)
    weight = weights_of(weight, len(rows))
    terms = []
    shares = group_shares(group, weight)
    for inside, share, slope in zip(group_masks(group), shares, multiplier):
        best = [
            max(r - slope * u for u, r in row) for row, here in zip(rows, inside) if here
        ]
        terms += [share * mean(best, weight[inside]), tolerance * max(share * slope, 0.0)]
    return math.fsum(terms)


# ---------------------------------------------------------------- the smoothed policy

def smoothed_acceptance(revenue, utility, multiplier, a, b):
    """P(revenue + xi_r > multiplier * (utility + xi_u)) of one row, by quadrature over xi_u.

    xi_r is uniform on [0, a], a > 0, and xi_u on [0, b / |multiplier|], independent.
    """
    def accepted(xi_u):
        """P(xi_r > multiplier * (utility + xi_u) - revenue)."""
        return min(max(1.0 - (multiplier * (utility + xi_u) - revenue) / a, 0.0), 1.0)

    if multiplier == 0.0 or b == 0.0:
        return accepted(0.0)
    width = b / abs(multiplier)
    # The integrand is linear between these, so the quadrature is exact but for rounding.
    kinks = [(revenue + edge) / multiplier - utility for edge in (0.0, a)]
    ends = sorted({0.0, width, *(kink for kink in kinks if 0.0 < kink < width)})
    return math.fsum(
        integrate.fixed_quad(np.vectorize(accepted), left, right, n=2)[0]
        for left, right in itertools.pairwise(ends)
    ) / width


# ---------------------------------------------------------------- loans

def loan_revenue(p, gain, loss):
    """E[gain Y - loss (1 - Y)] = (gain + loss) (p - t); exactly 0 where p is t."""
    return (gain + loss) * (np.asarray(p, dtype=float) - loss / (gain + loss))


def equal_opportunity(p, group, weight=None):
    """Expected utility of y beta_a: p over the group's mean of p."""
    p, weight = np.asarray(p, dtype=float), weights_of(weight, len(p))
    utility = np.zeros(p.size)
    for inside in group_masks(group):
        utility[inside] = p[inside] / mean(p[inside], weight[inside])
    return utility


@dataclass(frozen=True)
class Loans:
    """Cells of equal persons: feature, group, P(repays), mass, and what the bank wins or loses."""

    x: np.ndarray
    group: np.ndarray
    p: np.ndarray
    weight: np.ndarray
    gain: float
    loss: float

    @property
    def revenue(self):
        return loan_revenue(self.p, self.gain, self.loss)

    @property
    def equal_opportunity(self):
        return equal_opportunity(self.p, self.group, self.weight)


def _table(*p_of_groups, gain, loss):
    """Loans of a table of p with one row a group, cells equally likely."""
    p = np.array(p_of_groups)
    n_groups, n_cells = p.shape
    return Loans(
        x=np.tile(np.arange(n_cells), n_groups),
        group=np.repeat(np.arange(n_groups), n_cells),
        p=p.ravel(),
        weight=np.full(p.size, 1.0 / p.size),
        gain=gain,
        loss=loss,
    )


def example_three():
    """Example 3: equal opportunity assumed, everybody wants the loan: it harms group 1.

    Returns
    -------
    (loans, expected)
        `expected` has a key for every number of the example.
    """
    loans = _table((3 / 4, 3 / 4, 1 / 4), (1.0, 0.0, 0.0), gain=1.0, loss=2.0)
    return loans, {
        "unconstrained_acceptance": [1, 1, 0, 1, 0, 0],
        "unconstrained_revenue": 1 / 4,
        "unconstrained_welfare": [6 / 7, 1.0],
        "unconstrained_underlying_welfare": [2 / 3, 1 / 3],
        "acceptance": [1, 1, 0, 6 / 7, 0, 0],
        "revenue": 19 / 84,
        "welfare": [6 / 7, 6 / 7],
        "underlying_welfare": [2 / 3, 2 / 7],
    }


def example_nine():
    """Example 9: only (1, 1) gets a loan although the groups repay alike; as `example_three`.

    The common welfares are those of equal opportunity and of demographic parity.
    """
    loans = _table((0.4, 0.6), (0.0, 1.0), gain=1.0, loss=2.0)
    return loans, {
        "unconstrained_acceptance": [0, 0, 0, 1],
        "unconstrained_revenue": 1 / 4,
        "acceptance": [0, 1, 0, 0.6],
        "revenue": 0.1,
        "welfare": [0.6, 0.6],
        "parity_acceptance": [0, 1, 0, 1],
        "parity_revenue": 0.2,
        "parity_welfare": [0.5, 0.5],
    }


def example_ten():
    """Example 10: whoever may not see the group lends to nobody; as `example_three`.

    The unconstrained policy has equal welfares, so no constraint costs anything.
    """
    loans = _table((2 / 3, 1 / 3), (1 / 3, 2 / 3), gain=2.0, loss=3.0)
    return loans, {
        "unconstrained_acceptance": [1, 0, 0, 1],
        "unconstrained_revenue": 1 / 6,
        "welfare": [2 / 3, 2 / 3],
        "parity_welfare": [1 / 2, 1 / 2],
        "unaware_p": [1 / 2, 1 / 2, 1 / 2, 1 / 2],
        "unaware_acceptance": [0, 0, 0, 0],
    }


def unaware_p(loans):
    """P(Y = 1 | X) of every cell."""
    return np.array(
        [mean(loans.p[loans.x == x], loans.weight[loans.x == x]) for x in loans.x]
    )


# ---------------------------------------------------------------- credit scores

# Published to one decimal: percent of the revenue lost, by loss / gain.
FICO_PRICES = {
    "demographic_parity": {1.0: 6.7, 3.0: 20.6, 5.0: 31.5, 10.0: 44.7},
    "equal_opportunity": {1.0: 3.1, 3.0: 5.0, 5.0: 7.6, 10.0: 13.1},
}
FICO_RAISED, FICO_LOWERED = ["black", "hispanic"], ["asian", "white"]


def fico_loans(mass, default_rate, totals, groups, loss=1.0):
    """Loans with one cell a score and group, gain 1; tables are (n_scores, n_groups)."""
    mass, default_rate = np.asarray(mass), np.asarray(default_rate)
    n_scores, n_groups = mass.shape
    persons = np.asarray(totals) / np.sum(totals)
    return Loans(
        x=np.repeat(np.arange(n_scores), n_groups),
        group=np.tile(np.asarray(groups), n_scores),
        p=(1.0 - default_rate).ravel(),
        weight=(mass * persons).ravel(),
        gain=1.0,
        loss=loss,
    )


def price_of_fairness(loans, utility):
    """(Part of the revenue lost, signs of the groups' change of welfare) of equal welfares."""
    free = policy_value(
        unconstrained(loans.revenue), loans.revenue, utility, loans.group, loans.weight
    )
    fair = best_policy(loans.revenue, utility, loans.group, loans.weight)
    change = fair.welfare - free.welfare
    change[np.abs(change) < 1e-9] = 0.0
    return 1.0 - fair.revenue / free.revenue, np.sign(change)
