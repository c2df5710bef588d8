"""welfare_sample_size: rows after which a policy found on them keeps what it promises."""

from __future__ import annotations

from math import ceil, log, log2
from typing import Any

from fairrank._validation import check_choice, check_count, check_fraction
from fairrank.welfare._utilities import UTILITIES


def welfare_sample_size(
    epsilon: float,
    delta: float,
    *,
    smallest_share: float,
    utility: str = "demographic_parity",
    n_groups: int = 2,
    n_expectations: int | None = None,
) -> int:
    """Count the rows after which a policy found on them equalizes welfare among everybody.

    Parameters
    ----------
    epsilon : float in (0, 1)
        Error that is allowed, in parts of the largest utility, and of the largest ``|revenue|``.
    delta : float in (0, 1)
        Probability of a larger one.
    smallest_share : float in (0, 1 / n_groups]
        P(A = a) of the smallest group.
    utility : {"demographic_parity", "equal_opportunity", "heterogeneous_opportunity"}, \
default="demographic_parity"
        As in `expected_utility`. Any utility but 1 needs as many rows as equal opportunity.
    n_groups : int, default=2
        At least 2.
    n_expectations : int, optional
        Expectations that must hold at once; by default those that the paper's search may ask
        for, see Notes. Not for demographic parity, where all of them do.

    Returns
    -------
    int
        Rows of all groups together: the smallest has `smallest_share` of them on average.

    Raises
    ------
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    welfare_optimal_policy : The policy that is found on them.

    Notes
    -----
    Proposition 16 of the paper with its constants. Revenue and utility are known for every row
    and scaled to at most 1 in size; how well they are estimated is another matter, which more
    rows for this do not settle.

    *Demographic parity.* With n_a rows of group a the acceptance rates of all its threshold
    policies are off by at most epsilon / 2 at once, but for a probability of
    ``2 exp(-n_a epsilon**2 / 2)`` (Dvoretzky, Kiefer, Wolfowitz, Massart). Hence
    ``n = log(2 n_groups / delta) / (2 (epsilon / 2)**2) / smallest_share``: rates at most
    epsilon apart, and revenue of every threshold policy off by at most 1.5 epsilon.

    *Other utilities.* A mean of n_a numbers in [-1, 1] is off by more than epsilon with
    probability at most ``2 exp(-n_a epsilon**2 / 2)`` (Hoeffding), so M means hold at once after
    ``n = 2 / epsilon**2 * log(2 M / delta) / smallest_share`` rows: the welfare of each group is
    off by at most epsilon, so that two of them are at most 2 epsilon apart.

    M: the search halves the bracket ``[-2 / epsilon, 2 / epsilon]`` of a multiplier until it is
    epsilon / 2 wide (Proposition 12), which takes ``k = ceil(log2(8 / epsilon**2))`` halvings.
    Which of the 2**k + 1 cuts it asks for depends on the sample, so all of them must hold:
    ``M = 2 n_groups (2**k + 1)``, a welfare and a revenue each. Counting only what is asked for,
    ``1 + ceil(log(4 / epsilon) / log(1.618))`` revenues of a golden section, each of n_groups
    searches of k + 4 means, is the paper's smaller number (352 against 16,388 at epsilon = .05);
    its union bound does not cover a search that chooses as it goes.
    The paper asks in addition that epsilon be at most a sixth of the disadvantaged group's
    welfare without the condition, times the ratio of the smaller share to the larger.

    O(1).

    References
    ----------
    Ben-Porat, Sandomirskiy, Tennenholtz: "Protecting the Protected Group: Circumventing Harmful
    Fairness", Propositions 11, 12 and 16.

    Examples
    --------
    >>> from fairrank.welfare import welfare_sample_size
    >>> welfare_sample_size(0.05, 0.05, smallest_share=0.1)
    35057
    >>> welfare_sample_size(0.05, 0.05, smallest_share=0.1, utility="equal_opportunity")
    107146
    """
    epsilon = check_fraction(epsilon, "epsilon", high_open=True)
    delta = check_fraction(delta, "delta", high_open=True)
    check_choice(utility, UTILITIES, "utility")
    n_groups = check_count(n_groups, "n_groups", minimum=2)
    share = check_fraction(smallest_share, "smallest_share")
    if share * n_groups > 1.0 + 1e-12:
        raise ValueError(
            f"smallest_share={smallest_share!r} is more than the smallest of {n_groups} groups "
            f"can have, {1.0 / n_groups:.4g}: pass the share of the smallest group."
        )
    if utility == "demographic_parity":
        _refuse_count(n_expectations)
        return ceil(log(2 * n_groups / delta) / (2 * (epsilon / 2) ** 2) / share)
    if n_expectations is None:
        n_expectations = searched_expectations(epsilon, n_groups)
    else:
        n_expectations = check_count(n_expectations, "n_expectations")
    return ceil(2 / epsilon**2 * log(2 * n_expectations / delta) / share)


def searched_expectations(epsilon: float, n_groups: int) -> int:
    """Means that a binary search over multipliers to within epsilon / 2 may ask for."""
    n_halvings = ceil(log2(8 / epsilon**2))
    return 2 * n_groups * (2**n_halvings + 1)


def _refuse_count(n_expectations: Any) -> None:
    if n_expectations is not None:
        raise ValueError(
            f"n_expectations={n_expectations!r}, but for demographic parity the bound holds for "
            "all thresholds at once: leave it out, or name another utility."
        )
