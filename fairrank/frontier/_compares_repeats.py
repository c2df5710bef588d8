"""What several cross-fittings of a frontier tell that one does not."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from fairrank._validation import check_choice, check_fraction
from fairrank.frontier._decides_by_frontier import DecidesByFrontier
from fairrank.frontier._inward_bias import InwardBias, expected_inward_bias
from fairrank.frontier._median_over_repeats import (
    MedianInterval,
    MedianTest,
    median_interval,
    median_test,
    price_of_median,
)
from fairrank.frontier._support_function import SupportFunction

TESTS = (
    "less_discriminatory_alternative_test", "point_test", "pareto_test", "group_skew_test",
    "distance_to_fairest",
)


class ComparesRepeats(DecidesByFrontier):
    """The part of `FrontierEstimator` that needs `n_repeats` above 1.

    Attributes
    ----------
    support_functions_ : list of SupportFunction
    folds_ : ndarray of int
    """

    support_functions_: list[SupportFunction]
    folds_: np.ndarray

    def expected_inward_bias(self, direction: Any = "utilitarian") -> InwardBias:
        """Estimate how far inside the true frontier noise of the nuisances draws the estimate.

        Parameters
        ----------
        direction : str or array-like of shape (n_groups,), default="utilitarian"
            "rawlsian", "majority", "utilitarian", "egalitarian", or weights, negative for risks
            that are to be small.

        Returns
        -------
        InwardBias
            In units of loss and in standard errors; ``print`` it for the reading in words.

        Raises
        ------
        ValueError
            There is one cross-fitting only: fit with ``n_repeats=3``.

        See Also
        --------
        fairrank.frontier.expected_inward_bias : The same from support functions.

        Notes
        -----
        From how much the repeats differ, so that three tell about the size; bias that a penalty
        or a wrong model causes comes on top.
        """
        self._support("expected_inward_bias")
        return expected_inward_bias(
            self.support_functions_, int(self.folds_.max()) + 1, direction
        )

    def median_over_repeats(
        self, test: str, *arguments: Any, **options: Any
    ) -> MedianTest | MedianInterval:
        """Repeat a test for each cross-fitting by itself, and take the median. Two groups.

        The tests themselves use the support function of all repeats together. This one tells
        whether the answer hangs on how the folds were dealt out, and is valid too.

        Parameters
        ----------
        test : str
            "less_discriminatory_alternative_test", "point_test", "pareto_test",
            "group_skew_test" or "distance_to_fairest".
        *arguments, **options : object
            Of the method of that name.

        Returns
        -------
        MedianTest or MedianInterval
            The p-value is the median times a factor below 2 (`n / k`, k being the least number
            above half of n), which is valid however the repeats depend on each other. The
            interval of the distance has medians for ends; each repeat's own is at a higher
            level, so that the level is what was asked for.

        Raises
        ------
        ValueError
            No such test, or one cross-fitting only: fit with ``n_repeats`` above 1.

        References
        ----------
        N. Meinshausen, L. Meier and P. Buehlmann. p-Values for High-Dimensional Regression.
        Journal of the American Statistical Association 104, 2009, Theorem 3.1. The median of
        estimates over cross-fittings is that of V. Chernozhukov et al. Double/Debiased Machine
        Learning. The Econometrics Journal 21, 2018, Definition 3.3; their interval adds the
        spread between repeats, and takes the error to be normal.
        """
        check_choice(test, TESTS, "test")
        self._of_two_groups("median_over_repeats")
        repeats = self.support_functions_
        if len(repeats) < 2:
            raise ValueError(
                "there is one cross-fitting, and a median is over several: fit with n_repeats "
                "above 1."
            )
        if test == "distance_to_fairest":
            level = options.get("confidence_level", 0.95)
            check_fraction(level, "confidence_level", high_open=True)
            missed = (1.0 - level) / price_of_median(len(repeats))
            options = {**options, "confidence_level": 1.0 - missed}
        results = []
        for support in repeats:
            one = copy(self)
            one.support_function_, one.support_functions_ = support, [support]
            results.append(getattr(one, test)(*arguments, **options))
        if test != "distance_to_fairest":
            return median_test(results)
        found = [result.confidence_interval for result in results]
        return median_interval(
            [one.low for one in found], [one.high for one in found],
            [one.estimate for one in found], confidence_level=found[0].confidence_level,
        )
