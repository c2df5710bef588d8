"""Test whether given decisions have a less discriminatory alternative."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairrank._validation import (
    as_finite_float,
    check_choice,
    check_count,
    check_fraction,
    check_same_length,
)
from fairrank.frontier._bootstrap_test import (
    BootstrapTest,
    bootstrap_test,
    repeatable_seed,
    upper_quantiles,
)
from fairrank.frontier._draws import FrontierDraw
from fairrank.frontier._excess import better_targets, separation
from fairrank.frontier._joint_statistic import (
    JointStatistic,
    joint_statistic,
    moved_targets,
    sector_of,
)
from fairrank.frontier._lda_test_result import FEW_ROWS, LDATestResult
from fairrank.frontier._limit_draws import (
    METHODS,
    limit_draws,
    moved_at,
    slack_of,
)
from fairrank.inference._permutation import entropy_of

CALIBRATIONS = ("maximum", "direction")


def less_discriminatory_alternative_test(
    support: Any,
    decisions: Any,
    *,
    calibration: str = "maximum",
    critical_values: str = "set",
    significance_level: float = 0.05,
    n_draws: int = 1000,
    decisions_in_sample: bool = False,
    random_state: Any = None,
    n_jobs: Any = None,
) -> LDATestResult:
    """Test whether decisions have a less discriminatory alternative.

    An alternative sees the covariates and not the group, is at least as accurate for both groups
    and at least as fair, and better in one of these. The null is that there is none, which is to
    say that the decisions' risks are on the fairness-accuracy frontier [1]_. Rejecting is
    evidence that an alternative exists; not rejecting is absence of evidence.

    Parameters
    ----------
    support : SupportFunction
        Of two groups.
    decisions : array-like of shape (n_samples,)
        Probability of decision 1 in every row of `support`, in [0, 1].
    calibration : {"maximum", "direction"}, default="maximum"
        How the p-value and the bounds of the gain are drawn: every draw finds its own largest
        lambda, or all keep the estimate's direction. The first has more power; the second holds
        its size also for decisions that rest on other information and lie within their error of
        several parts of the frontier.
    critical_values : {"set", "hybrid", "gaussian"}, default="set"
        How `feasibility` and `joint` are drawn: maxima over the directions that nearly attain
        them; the paper's numerical derivative; or the attaining directions alone, which rejects
        too often. The p-value of the test itself does not depend on it.
    significance_level : float, default=0.05
        In (0, 1).
    n_draws : int, default=1000
        Bootstrap draws.
    decisions_in_sample : bool, default=False
        Whether the decisions were trained, or chosen among others, on these rows. The result
        then says what that does to the test.
    random_state : int, RandomState, SeedSequence or None
        Seed of the draws.
    n_jobs : int, optional
        Threads. The numbers do not depend on it.

    Returns
    -------
    LDATestResult
        The test, the gain that an alternative can bring, and the paper's joint test.

    Raises
    ------
    DegenerateGroupError
        A group has a single row, or cluster, of positive weight.
    ValueError
        More than two groups, or arguments of other shapes, lengths or ranges.

    Notes
    -----
    With lambda the largest -h_C(e)(-q) - h(q) over the frontier's directions, C(e) the risks that
    are as accurate as e and as fair, the statistic is root n times the negative part of lambda.
    By "maximum" the p-value is (1 + the number of draws in which lambda falls by as much again,
    lambda* <= 2 lambda) / (1 + draws). A maximum over several directions is too large on average,
    in the draws as in the sample; comparing the two takes that out. By "direction" it is that of
    the one direction. The user guide has the argument and its limits.

    The paper adds a part that grows when e is not attainable, and so rejects for decisions that no
    alternative improves upon; that is here the result's `joint`. The sizes of both parts hold up
    to first order when `delta_theta` converges fast enough; a poor one draws the estimated
    frontier inward, which makes this test conservative and `feasibility` reject too often.

    Draws of a maximum are no bound of the gain from above. The upper end of its interval is
    therefore, if larger, that of the gain in the direction in which the plug-in zonogon has its
    minimum.

    O(n log n) for the support function and O(n) a draw.

    References
    ----------
    .. [1] Y. Liu and F. Molinari. Inference for an Algorithmic Fairness-Accuracy Frontier.
       arXiv 2402.08879, "How to Test for the Existence of an LDA".

    Examples
    --------
    >>> from fairrank.datasets import make_frontier_data
    >>> from fairrank.frontier import SupportFunction, less_discriminatory_alternative_test
    >>> data = make_frontier_data(2000, random_state=0)
    >>> support = SupportFunction(
    ...     data.target != 0, data.target != 1, data.delta_theta(data.data),
    ...     sensitive_features=data.sensitive_features, group_names=data.group_names,
    ... )
    >>> best_for_r = data.delta_theta(data.data)[:, 0] < 0
    >>> less_discriminatory_alternative_test(support, best_for_r, random_state=0).reject
    False
    """
    loss, sample = losses_of_decisions(support, decisions), support._sample
    support._check_spread("less_discriminatory_alternative_test")
    check_choice(calibration, CALIBRATIONS, "calibration")
    check_choice(critical_values, METHODS, "critical_values")
    check_fraction(significance_level, "significance_level", high_open=True)
    n_draws = check_count(n_draws, "n_draws")
    arcs = support.realised
    e = sample.group_means(loss)
    joint = joint_statistic(support, e, "frontier")
    limit = limit_draws(arcs, joint, critical_values)
    # The plug-in direction measures the gain with little bias and serves its upper end. A test in
    # it rejects too often inside the frontier: it is off by its own error squared, and there the
    # difference of decisions and rule has hardly any spread to hide that.
    found = [separation(arcs, e), separation(support.plug_in, e)]
    sectors = [sector_of(arcs, part.arc) for part in found]
    targets = np.stack([target[0] for target, *_ in better_targets(arcs, e[np.newaxis])])
    gains = [
        float(part.direction @ (arcs.point_of_arc(part.arc) - targets[sector]))
        for part, sector in zip(found, sectors)
    ]

    def statistics(draw: FrontierDraw) -> tuple:
        move = draw.risks[0] - e
        moves = moved_targets(e, move, joint.tolerances[1])
        above = [
            -moved_at(arcs, draw.arcs, part, moves[sector])
            for part, sector in zip(found, sectors)
        ]
        redone = -separation(draw.arcs, draw.risks[0]).value - gains[0]
        return *above, redone, *limit(draw.arcs, move)

    seed = repeatable_seed(random_state)
    entropy = entropy_of(seed)
    drawn = support.draws(
        statistics, n_draws, losses=loss, random_state=seed, n_jobs=n_jobs
    )
    slack = slack_of(joint, critical_values)
    gain, above = gains[0], drawn[:, 2 if calibration == "maximum" else 0]
    test = bootstrap_test(
        joint.root_n * max(gain, 0.0), joint.root_n * np.maximum(above, 0.0),
        significance_level=significance_level, slack=joint.root_n * joint.rounding,
    )
    feasibility = bootstrap_test(
        joint.too_far, drawn[:, 3], significance_level=significance_level, slack=slack
    )
    tail = significance_level / 2.0
    return LDATestResult(
        statistic=test.statistic, critical_value=test.critical_value, pvalue=test.pvalue,
        reject=test.reject, significance_level=float(significance_level), gain=gain,
        gain_lower_bound=gain - test.critical_value / joint.root_n,
        gain_interval=(
            gain - max(_upper(above, tail), 0.0),
            max(gain + max(_upper(-above, tail), 0.0), gains[1] + _upper(-drawn[:, 1], tail)),
        ),
        direction=found[0].direction, risks=e, group_names=support.group_names,
        feasibility=feasibility,
        joint=bootstrap_test(
            joint.value, drawn[:, 3] + drawn[:, 4], significance_level=significance_level,
            slack=slack,
        ),
        calibration=calibration, critical_values=critical_values,
        decisions_in_sample=bool(decisions_in_sample),
        n_samples=support.n_samples, n_draws=n_draws, seed=entropy,
        warnings=_warnings(support, joint, feasibility, bool(decisions_in_sample)),
    )


def _upper(draws: np.ndarray, tail: float) -> float:
    """Quantile that draws exceed with probability `tail`; infinite of too few draws."""
    return float(upper_quantiles(draws[:, np.newaxis], tail)[0])


def losses_of_decisions(support: Any, decisions: Any) -> np.ndarray:
    """Check decisions, and give what each row is expected to lose by them.

    Parameters
    ----------
    support : SupportFunction
    decisions : array-like of shape (n_samples,)
        Probabilities of decision 1.
    """
    support._for_two_groups("The test")
    sample = support._sample
    probability = as_finite_float(decisions, "decisions")
    check_same_length(support=sample.loss, decisions=probability)
    if probability.min() < 0.0 or probability.max() > 1.0:
        raise ValueError(
            f"decisions reach from {probability.min():.6g} to {probability.max():.6g}: give the "
            "probability of decision 1 in every row, in [0, 1]."
        )
    return sample.loss + probability * sample.change


def _warnings(
    support: Any, joint: JointStatistic, feasibility: BootstrapTest, in_sample: bool
) -> tuple:
    sample, found = support._sample, []
    rows, unit = sample.n_independent, "clusters" if sample.cluster.size else "rows"
    smallest = int(np.argmin(rows))
    if feasibility.reject:
        found.append(
            "The decisions' risks lie outside the estimated feasible set "
            f"(p = {feasibility.pvalue:.3g}): they look better than any decisions without the "
            "group can be, as those trained on these rows or made with the group do, or the "
            "estimate of delta_theta is poor. That is no evidence about an alternative."
        )
    if rows[smallest] < FEW_ROWS:
        found.append(
            f"Group {support.group_names[smallest]!r} has {rows[smallest]} {unit}, fewer than "
            f"{FEW_ROWS}: the standard error of the frontier where the gain is measured is "
            f"{joint.tolerances[1] / np.sqrt(np.log(max(sample.n_clusters, 2))):.3g}, and an "
            "estimated frontier lies inside the true one by a part of that, so that an "
            "alternative may be missed."
        )
    if in_sample:
        found.append(
            "The decisions were chosen on these rows, where they look better than they are: an "
            "alternative may be missed. Test them on rows that they have not seen, and where "
            "several were compared correct the p-values by fairrank.inference.holm."
        )
    return tuple(found)
