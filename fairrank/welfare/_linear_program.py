"""The same policy as a linear program: slower, and a check on the sweep."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from fairrank.exceptions import InfeasibleError
from fairrank.welfare._policy_sample import PolicySample


def linear_program(
    sample: PolicySample, tolerance: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solve for every row's probabilities at once.

    HiGHS' dual simplex without its presolve, which takes a thousand times as long here.

    Returns
    -------
    acceptance : ndarray (n,) or (n, n_options)
    multiplier : ndarray (n_groups,)
        Duals of the groups' welfare per person; their weighted sum is 0.
    welfare : ndarray (n_groups,)

    Raises
    ------
    InfeasibleError
        No policy meets the condition.
    RuntimeError
        HiGHS gave up; its own words.
    """
    n, n_groups = sample.code.size, sample.n_groups
    n_options = sample.revenue.shape[1] if sample.is_menu else 1
    weight = sample.weight if sample.weight.size else np.ones(n)
    revenue = sample.revenue.reshape(n, n_options)
    utility = sample.utility.reshape(n, n_options)
    # One column a row and option, and last the least welfare of a group.
    group = np.repeat(sample.code, n_options)
    columns = np.arange(n * n_options)
    per_person = (weight / sample.mass[sample.code])[:, None] * utility
    welfare = sparse.csr_array(
        (per_person.ravel(), (group, columns)), shape=(n_groups, n * n_options)
    )
    least = -np.ones((n_groups, 1))
    worth = -(weight[:, None] * revenue).ravel() / sample.mass.sum()
    # Rows without weight are free to the program; revenue decides for them afterwards.
    problem: dict = {"c": np.append(worth, 0.0)}
    if sample.is_menu:
        once = sparse.kron(sparse.eye_array(n), np.ones((1, n_options)))
        problem["A_eq"] = sparse.hstack([once, sparse.csr_array((n, 1))])
        problem["b_eq"] = np.ones(n)
    if tolerance:
        problem["A_ub"] = sparse.vstack(
            [sparse.hstack([welfare, least]), sparse.hstack([-welfare, -least])]
        )
        problem["b_ub"] = np.repeat([tolerance, 0.0], n_groups)
    else:
        equal = sparse.hstack([welfare, least])
        above = problem.get("A_eq")
        problem["A_eq"] = equal if above is None else sparse.vstack([above, equal])
        problem["b_eq"] = np.append(problem.get("b_eq", []), np.zeros(n_groups))
    found = linprog(
        **problem, bounds=[*[(0.0, 1.0)] * (n * n_options), (None, None)],
        method="highs-ds", options={"presolve": False},
    )
    if found.status == 2:
        raise InfeasibleError("No policy equalizes welfare: the linear program has no solution.")
    if found.status != 0:
        raise RuntimeError(f"linprog gave up (method='sweep' does not need it): {found.message}")
    if tolerance:
        dual = -found.ineqlin.marginals
        dual = dual[:n_groups] - dual[n_groups:]
    else:
        dual = -found.eqlin.marginals[-n_groups:]
    acceptance = found.x[:-1].reshape(sample.revenue.shape)
    return acceptance, dual / sample.share, welfare @ found.x[:-1] + sample.base
