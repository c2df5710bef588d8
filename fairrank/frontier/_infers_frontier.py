"""Tests and intervals of a fitted frontier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairrank._validation import check_fraction
from fairrank.frontier._compares_repeats import ComparesRepeats
from fairrank.frontier._confidence_set import FrontierConfidenceSet, confidence_set
from fairrank.frontier._decision_risks import DecisionRisks, as_decisions, risks_of_sample
from fairrank.frontier._distance_to_fairest import DistanceToFairestResult, distance_to_fairest
from fairrank.frontier._group_ban import GroupBanCost, cost_of_group_ban
from fairrank.frontier._group_ban_band import GroupBanBand, group_ban_band
from fairrank.frontier._group_skew_test import GroupSkewTestResult, group_skew_test
from fairrank.frontier._inward_bias import MATERIAL
from fairrank.frontier._lda_test import less_discriminatory_alternative_test
from fairrank.frontier._lda_test_result import LDATestResult
from fairrank.frontier._point_test import PointTestResult, pareto_test, point_test


class InfersFrontier(ComparesRepeats):
    """The part of `FrontierEstimator` that tests.

    Every method is the function of its name, of `support_function_`. Draws are seeded by
    `random_state` of the constructor unless the method is given one.

    Attributes
    ----------
    own_delta_ : ndarray or None
    """

    estimator: Any
    random_state: Any
    n_jobs: Any
    own_delta_: np.ndarray | None

    def decision_risks(
        self, decisions: Any, X: Any = None, *, confidence_level: float = 0.95
    ) -> DecisionRisks:
        """Estimate the risks of given decisions on the rows of `fit`, with intervals.

        With selective labels this is from the pseudo-losses, of everybody and not of the selected.

        Parameters
        ----------
        decisions : array-like of shape (n_samples,) or classifier
            As in `less_discriminatory_alternative_test`.
        X : array-like or frame of shape (n_samples, n_features), optional
            As in `less_discriminatory_alternative_test`.
        confidence_level : float, default=0.95
            In (0, 1).

        Returns
        -------
        DecisionRisks
            ``print`` it for a table.

        See Also
        --------
        fairrank.frontier.decision_risks : The same from losses.
        """
        check_fraction(confidence_level, "confidence_level", high_open=True)
        support = self._support("decision_risks")
        decided = as_decisions(self._decided_by(decisions, X))
        return risks_of_sample(support._sample, decided, confidence_level)

    def less_discriminatory_alternative_test(
        self,
        decisions: Any,
        X: Any = None,
        *,
        calibration: str = "maximum",
        critical_values: str = "set",
        significance_level: float = 0.05,
        n_draws: int = 1000,
        decisions_in_sample: bool = False,
        random_state: Any = None,
    ) -> LDATestResult:
        """Test whether decisions have a less discriminatory alternative. Two groups.

        Parameters
        ----------
        decisions : array-like of shape (n_samples,) or classifier
            Probability of decision 1 in [0, 1] for the rows of `fit`, those without a group too;
            or a fitted classifier of the same labels, not trained on these rows.
        X : array-like or frame of shape (n_samples, n_features), optional
            The rows of `fit` as the classifier takes them, when `decisions` is one.
        calibration : {"maximum", "direction"}, default="maximum"
            Of the p-value and the gain's bounds, as in
            `fairrank.frontier.less_discriminatory_alternative_test`.
        critical_values : {"set", "hybrid", "gaussian"}, default="set"
            Of the sub-results, as in `fairrank.frontier.less_discriminatory_alternative_test`.
        significance_level : float, default=0.05
            In (0, 1).
        n_draws : int, default=1000
            Bootstrap draws.
        decisions_in_sample : bool, default=False
            Whether the decisions were trained, or chosen among others, on these rows.
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        LDATestResult
            ``print`` it for the reading in words. With `n_repeats` above 1 its warnings tell the
            expected inward bias where the gain is measured, if that is a quarter of the standard
            error or more.
        """
        support = self._of_two_groups("less_discriminatory_alternative_test")
        result = less_discriminatory_alternative_test(
            support, self._decided_by(decisions, X), calibration=calibration,
            critical_values=critical_values, significance_level=significance_level,
            n_draws=n_draws, decisions_in_sample=decisions_in_sample,
            **self._draws(random_state),
        )
        if len(self.support_functions_) > 1:
            found = self.expected_inward_bias(result.direction)
            if found.in_standard_errors >= MATERIAL:
                told = f"{found.reading} An alternative may be missed for it."
                result = replace(result, warnings=(*result.warnings, told))
        return result

    def point_test(
        self,
        e: Any,
        *,
        critical_values: str = "set",
        significance_level: float = 0.05,
        n_draws: int = 1000,
        random_state: Any = None,
    ) -> PointTestResult:
        """Test whether given risks are on the fairness-accuracy frontier. Two groups.

        Parameters
        ----------
        e : array-like of shape (2,)
            Risks in the order of `group_names_`, not estimated from the rows of `fit`.
        critical_values : {"set", "hybrid", "gaussian"}, default="set"
            As in `fairrank.frontier.point_test`.
        significance_level : float, default=0.05
            In (0, 1).
        n_draws : int, default=1000
            Bootstrap draws.
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        PointTestResult
            Statistic, p-value, and how far the risks are from the frontier on either side.
        """
        return point_test(
            self._of_two_groups("point_test"), e, critical_values=critical_values,
            significance_level=significance_level, n_draws=n_draws, **self._draws(random_state),
        )

    def pareto_test(
        self,
        decisions: Any = None,
        X: Any = None,
        *,
        e: Any = None,
        critical_values: str = "set",
        significance_level: float = 0.05,
        n_draws: int = 1000,
        random_state: Any = None,
    ) -> PointTestResult:
        """Test whether decisions, or given risks, are on the Pareto frontier. Two groups.

        Parameters
        ----------
        decisions : array-like of shape (n_samples,) or classifier, optional
            As in `less_discriminatory_alternative_test`.
        X : array-like or frame of shape (n_samples, n_features), optional
            As in `less_discriminatory_alternative_test`.
        e : array-like of shape (2,), optional
            Risks, in place of decisions.
        critical_values : {"set", "hybrid", "gaussian"}, default="set"
            As in `fairrank.frontier.pareto_test`.
        significance_level : float, default=0.05
            In (0, 1).
        n_draws : int, default=1000
            Bootstrap draws.
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        PointTestResult
            As from `point_test`; fairness does not count.
        """
        support = self._of_two_groups("pareto_test")
        if decisions is not None:
            decisions = self._decided_by(decisions, X)
        return pareto_test(
            support, decisions, e=e, critical_values=critical_values,
            significance_level=significance_level, n_draws=n_draws, **self._draws(random_state),
        )

    def group_skew_test(
        self,
        *,
        method: str = "intersection_union",
        significance_level: float = 0.05,
        n_draws: int = 1000,
        random_state: Any = None,
    ) -> GroupSkewTestResult:
        """Test weak group skew; rejecting it speaks against banning the group. Two groups.

        Parameters
        ----------
        method : {"intersection_union", "inversion"}, default="intersection_union"
            As in `fairrank.frontier.group_skew_test`.
        significance_level : float, default=0.05
            In (0, 1).
        n_draws : int, default=1000
            Bootstrap draws of "inversion".
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        GroupSkewTestResult
            ``print`` it for the reading in words.
        """
        return group_skew_test(
            self._of_two_groups("group_skew_test"), method=method,
            significance_level=significance_level, n_draws=n_draws, **self._draws(random_state),
        )

    def distance_to_fairest(
        self,
        decisions: Any,
        X: Any = None,
        *,
        metric: str = "euclidean",
        confidence_level: float = 0.95,
        n_draws: int = 1000,
        fairest: str = "plug_in",
        random_state: Any = None,
    ) -> DistanceToFairestResult:
        """Estimate how far decisions' risks are from the fairest point. Two groups.

        Parameters
        ----------
        decisions : array-like of shape (n_samples,) or classifier
            As in `less_discriminatory_alternative_test`.
        X : array-like or frame of shape (n_samples, n_features), optional
            As in `less_discriminatory_alternative_test`.
        metric : {"euclidean", "squared", "manhattan", "chebyshev"}, default="euclidean"
            Distance in the plane of both risks.
        confidence_level : float, default=0.95
            In (0, 1).
        n_draws : int, default=1000
            Bootstrap draws.
        fairest : {"plug_in", "infimum", "crossing"}, default="plug_in"
            How the fairest point is found where equal risks are attainable.
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        DistanceToFairestResult
            Distance and interval; ``print`` it for the reading in words.

        See Also
        --------
        fairrank.frontier.distance_to_fairest : The same from a support function.
        """
        support = self._of_two_groups("distance_to_fairest")
        return distance_to_fairest(
            support, self._decided_by(decisions, X), metric=metric,
            confidence_level=confidence_level, n_draws=n_draws, fairest=fairest,
            **self._draws(random_state),
        )

    def cost_of_group_ban(
        self, direction: Any = "utilitarian", *, confidence_level: float = 0.95
    ) -> GroupBanCost:
        """Estimate what forbidding algorithms to see the group costs in a direction.

        Parameters
        ----------
        direction : str or array-like of shape (n_groups,), default="utilitarian"
            As in `fairrank.frontier.cost_of_group_ban`.
        confidence_level : float, default=0.95
            In (0, 1).

        Returns
        -------
        GroupBanCost
            Cost and interval; ``print`` it for the reading in words.
        """
        support = self._support("cost_of_group_ban")
        return cost_of_group_ban(
            support, direction, self._own_delta(), confidence_level=confidence_level
        )

    def group_ban_band(
        self,
        *,
        directions: Any = None,
        confidence_level: float = 0.95,
        n_draws: int = 1000,
        random_state: Any = None,
    ) -> GroupBanBand:
        """Estimate the cost of the ban in all directions at once, with a band. Two groups.

        Parameters
        ----------
        directions : array-like of shape (m, 2), optional
            Where to give it; the band holds in between too.
        confidence_level : float, default=0.95
            In (0, 1).
        n_draws : int, default=1000
            Bootstrap draws.
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        GroupBanBand
            Cost, lower and upper curve.

        See Also
        --------
        fairrank.frontier.group_ban_band : The same from a support function.
        """
        support = self._of_two_groups("group_ban_band")
        return group_ban_band(
            support, self._own_delta(), directions=directions, confidence_level=confidence_level,
            n_draws=n_draws, **self._draws(random_state),
        )

    def confidence_set(
        self,
        kind: str = "frontier",
        *,
        candidates: Any = None,
        confidence_level: float = 0.95,
        critical_values: str = "set",
        n_draws: int = 1000,
        random_state: Any = None,
    ) -> FrontierConfidenceSet:
        """Give the risks that a test does not reject. Two groups.

        Parameters
        ----------
        kind : {"frontier", "pareto", "feasible"}, default="frontier"
            Of what.
        candidates : int or array-like of shape (m, 2), optional
            Risks to test, or about how many points of a lattice; by default 2000.
        confidence_level : float, default=0.95
            In (0, 1), of each point by itself.
        critical_values : {"set", "hybrid", "gaussian"}, default="set"
            As in `fairrank.frontier.point_test`.
        n_draws : int, default=1000
            Bootstrap draws.
        random_state : int, RandomState, SeedSequence or None, default=None
            Seed of the draws; None takes the estimator's.

        Returns
        -------
        FrontierConfidenceSet
            Candidates, their tests, and which are inside: `FrontierDisplay` draws it.
        """
        return confidence_set(
            self._of_two_groups("confidence_set"), kind, candidates=candidates,
            confidence_level=confidence_level, critical_values=critical_values, n_draws=n_draws,
            **self._draws(random_state),
        )

    def _draws(self, random_state: Any) -> dict[str, Any]:
        seed = self.random_state if random_state is None else random_state
        return {"random_state": seed, "n_jobs": self.n_jobs}

    def _own_delta(self) -> np.ndarray:
        check_is_fitted(self)
        if self.own_delta_ is None:
            why = (
                "the estimator given knew delta_theta" if hasattr(self.estimator, "delta_theta")
                else "nuisance='direct' regresses each group's losses on all rows: take "
                "nuisance='factorized'"
            )
            raise ValueError(
                f"own_delta_ was not estimated, because {why}; or call "
                "fairrank.frontier.cost_of_group_ban with an own_delta of yours."
            )
        return self.own_delta_[self._place]
