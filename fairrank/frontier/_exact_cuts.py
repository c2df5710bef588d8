"""Linear programs over the risks that a support function allows, by the cuts that bind."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from fairrank.frontier._arcs import Arcs
from fairrank.frontier._excess import largest_excess

N_FIRST_CUTS = 16
MAX_CUTS = 1000
# In units of the largest number that a program holds; what HiGHS itself allows must be less.
PRECISION = 1e-8
OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class ExactCuts:
    """The constraints q'e <= h(q) + slack for every unit direction q, found as they are needed.

    A program is solved with the cuts known so far. The largest excess of its solution, exact over
    all directions, is either nothing, or the next cut. Cuts are kept for the next program.

    Parameters
    ----------
    arcs : Arcs
        Of h.
    """

    def __init__(self, arcs: Arcs) -> None:
        angle = 2.0 * np.pi * np.arange(N_FIRST_CUTS) / N_FIRST_CUTS
        self.arcs = arcs
        self.size = float(np.abs(arcs.support_points).max())
        self.directions = np.column_stack([np.cos(angle), np.sin(angle)])
        # Of an arc, as everywhere: exactly at a break h is less where rows are tied.
        arc = arcs.locate(self.directions)[0]
        self.levels = (self.directions * arcs.point_of_arc(arc)).sum(axis=1)

    def minimise(
        self, cost: np.ndarray, rows: np.ndarray, bounds: np.ndarray, slack: int
    ) -> np.ndarray | None:
        """Smallest cost'x under rows x <= bounds and the cuts. About 20 cuts, O(n_arcs) each.

        Parameters
        ----------
        cost : ndarray, shape (n_variables,)
        rows : ndarray, shape (n_rows, n_variables)
        bounds : ndarray, shape (n_rows,)
        slack : int
            The variable by which e, the first two variables, may exceed h.

        Returns
        -------
        ndarray, shape (n_variables,), or None
            None where no x satisfies them all.

        Raises
        ------
        RuntimeError
            The program is unbounded, or HiGHS gives up.
        """
        scale = max(self.size, float(np.abs(bounds).max())) or 1.0
        for _ in range(MAX_CUTS):
            cuts = np.zeros((self.levels.size, cost.size))
            cuts[:, :2] = self.directions
            cuts[:, slack] -= 1.0
            solved = linprog(
                cost, A_ub=np.vstack([rows, cuts]),
                b_ub=np.concatenate([bounds, self.levels]) / scale,
                bounds=(None, None), method="highs-ds", options=OPTIONS,
            )
            if solved.status == 2:
                return None
            if solved.status != 0:
                raise RuntimeError(f"the linear program of cuts was not solved: {solved.message}")
            x = scale * solved.x
            beyond = largest_excess(self.arcs, x[:2])
            if beyond.value <= x[slack] + PRECISION * scale:
                return x
            # Of the arc that is exceeded, at whose end h itself may have another value.
            level = beyond.direction @ x[:2] - beyond.value
            self.directions = np.vstack([self.directions, beyond.direction])
            self.levels = np.append(self.levels, level)
        raise RuntimeError(f"{MAX_CUTS} cuts did not suffice.")
