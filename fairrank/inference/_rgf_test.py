"""The permutation test of equally shared burdens, plain, conditional and calibrated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairrank._validation import check_burden, check_choice, check_count, check_fraction
from fairrank.inference._burden_profile import burden_profile
from fairrank.inference._calibrated_reference import (
    calibrated_statistics,
    calibration_by_group,
    recalibrated,
)
from fairrank.inference._comparisons import compare_groups, max_t_pvalues
from fairrank.inference._exchangeability import (
    Exchangeability,
    mean_over_pairs,
    pair_statistics,
)
from fairrank.inference._permutation import (
    MAX_LABELLINGS,
    all_products,
    entropy_of,
    equality_threshold,
    sampled_products,
    sampled_until,
    seed_sequence,
)
from fairrank.inference._rgf_test_result import RGFTestResult
from fairrank.inference._strata import read_strata
from fairrank.metrics._audit_sample import (
    TIE_TOLERANCE,
    AuditSample,
    audit_sample,
    repeated,
    sorted_burdens,
)
from fairrank.metrics._rank_graduation import measure_separation
from fairrank.metrics._rgf_curve import first_kept_blocks

# Up to here "auto" compares all pairs and every group with the rest.
MANY_GROUPS = 10


def rgf_test(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    burden: Any = "absolute",
    strata: Any = None,
    n_bins: int | None = None,
    reference: str = "permutation",
    recalibrate: bool = False,
    n_permutations: int = 2000,
    method: str = "auto",
    stop_after: int | None = None,
    comparisons: str = "auto",
    top: float = 1.0,
    sample_weight: Any = None,
    pos_label: Any = None,
    missing: str = "raise",
    min_group_rows: int = 1,
    tie_tolerance: float = TIE_TOLERANCE,
    n_jobs: Any = None,
    random_state: Any = None,
) -> RGFTestResult:
    """Test whether groups share the burden of prediction error alike, along the whole ranking.

    Group labels are exchanged, keeping group sizes, and the squared distance between the groups'
    centred burden paths is compared with what was observed.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None
        Two labels; None when `burden` is an array.
    y_score : array-like of shape (n_samples,), or None
        Probability of the positive label, in [0, 1], best from rows not used to fit.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of every row; several columns are read as their intersections.
    burden : {"absolute", "squared"}, callable or array-like of shape (n_samples,)
        As in `fairrank.metrics.rgf_score`.
    strata : None, "outcome", "score", array-like, or a tuple of these
        None tests equal distributions of burden. "outcome" exchanges labels among rows of equal
        outcome and tests equal score distributions given the outcome (separation; it rejects
        calibrated models when base rates differ). "score" exchanges them among rows of like
        score and tests that the outcome does not depend on the group given the score. An array
        gives one stratum a row: folds (scores out of fold are exchangeable only inside a fold),
        years, branches. A tuple means intersections.
    n_bins : int, optional
        Bins of "score": by default 10 below 20,000 rows, else 50.
    reference : {"permutation", "calibrated"}
        "calibrated" draws outcomes from the scores instead, and asks whether burdens part more
        than base rates alone would make them. It tests calibration: see `calibration` in the
        result.
    recalibrate : bool
        Recalibrate the scores first, one logistic curve for all groups (calibrated reference).
    n_permutations : int
        Draws.
    method : {"auto", "exact", "monte_carlo"}
        "auto" enumerates when there are at most 200,000 labellings.
    stop_after : int, optional
        Stop once this many draws reach the statistic (Besag and Clifford 1991): large p-values
        come fast. `pvalue_max_t` of every pair is NaN then.
    comparisons : {"auto", "none", "pairs", "one_vs_rest", "all"}
        Which groups to compare when there are more than two; "auto" means all up to 10 groups.
    top : float
        Test among this fraction of largest burdens only, in (0, 1]; ties are not cut.
    sample_weight : array-like of int, shape (n_samples,), optional
        Repetitions. Floats are refused: a permutation of masses has no meaning.
    pos_label : label, optional
        The label that `y_score` is the probability of.
    missing : {"raise", "group", "drop"}
        Rows whose group is None or NaN: an error, a group of their own, or left out.
    min_group_rows : int
        Smaller groups are left out, and listed in the result.
    tie_tolerance : float
        Sorted burdens closer than this part of the largest one are tied, in [0, 1).
    n_jobs : int, optional
        Threads (joblib). The numbers do not depend on it.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    RGFTestResult
        Read by name: `statistic`, `pvalue`, `effect_size`, `groups`, `pairs`, ...

    Raises
    ------
    DegenerateGroupError
        No rows, one group only, all burdens equal, or no stratum with two groups.
    ValueError, TypeError
        Bad input: the message names the argument, what was seen and what to do.

    See Also
    --------
    rgf_report : This and everything beside it, in one call.

    Notes
    -----
    One sort, then O(rows outside the largest group) a draw. Statistic and centring:
    arXiv 2609.39025; ``p = (1 + #{T_b >= T}) / (B + 1)`` (Phipson and Smyth 2010), draws within
    1e-9 of T counted as equal. Inside strata the centre is the strata's own mean; with the plain
    one the test has hardly any power. Rows that are not independent (repeated applicants) are not
    exchangeable.

    Examples
    --------
    >>> import numpy as np
    >>> from fairrank.inference import rgf_test
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat(["a", "b"], [900, 100])
    >>> burden = rng.random(1000) * np.where(group == "b", 1.4, 1.0)
    >>> result = rgf_test(None, None, sensitive_features=group, burden=burden, random_state=0)
    >>> result.pvalue < 0.01
    True
    """
    check_choice(reference, ("permutation", "calibrated"), "reference")
    check_choice(method, ("auto", "exact", "monte_carlo"), "method")
    check_choice(comparisons, ("auto", "none", "pairs", "one_vs_rest", "all"), "comparisons")
    check_count(n_permutations, "n_permutations")
    check_fraction(top, "top")
    if stop_after is not None:
        check_count(stop_after, "stop_after")
        if method == "exact":
            raise ValueError("stop_after stops a sampled test, but method='exact': drop one.")
    if recalibrate and reference != "calibrated":
        raise ValueError(
            "recalibrate=True belongs to reference='calibrated'; for other tests recalibrate the "
            "scores before."
        )
    sample = repeated(
        audit_sample(
            y_true, y_score, sensitive_features=sensitive_features, burden=burden,
            sample_weight=sample_weight, pos_label=pos_label, missing=missing,
            min_group_rows=min_group_rows, tie_tolerance=tie_tolerance,
        )
    )
    if recalibrate:
        sample = _with_recalibrated_scores(sample, burden)
    burdens = sorted_burdens(sample)
    if top < 1.0:
        start = burdens.block_start[first_kept_blocks(burdens, np.array([top]))[0]]
        sample = sample.take(np.sort(burdens.order[start:]))
        burdens = sorted_burdens(sample)
        _require_every_group(sample, top)
    seed = seed_sequence(random_state)
    main_seed, pair_seed, rest_seed = seed.spawn(3)

    calibration: tuple = ()
    if reference == "calibrated":
        if strata is not None or stop_after is not None or top < 1.0 or method == "exact":
            raise ValueError(
                "reference='calibrated' draws outcomes, not labels: strata, stop_after, top and "
                "method='exact' do not go with it."
            )
        name, exchange = "none", Exchangeability.of(burdens)
        observed, null = calibrated_statistics(
            sample, _burdens_if(sample, burden), n_permutations, main_seed, n_jobs
        )
        expected, used = float(null.mean()), "monte_carlo"
        calibration = calibration_by_group(sample)
        products = None
    else:
        chosen = read_strata(strata, sample, n_bins)
        name = chosen.name
        exchange = Exchangeability.of(
            burdens, None if chosen.code is None else chosen.code[burdens.order]
        )
        exchange.require_informative(f"strata={name!r}" if name != "none" else "strata")
        observed = float(mean_over_pairs(pair_statistics(exchange.products)))
        expected = float(mean_over_pairs(exchange.expected_norms))
        null, products, used = _null_distribution(
            exchange, n_permutations, main_seed, n_jobs, method, stop_after,
            equality_threshold(observed, expected),
        )
    threshold = equality_threshold(observed, expected)
    pvalue = _pvalue(null, threshold, used, stop_after)

    def pvalue_of(own: Exchangeability, child: np.random.SeedSequence) -> float:
        statistic = float(pair_statistics(own.products)[0, 1])
        level = equality_threshold(statistic, float(own.expected_norms[0, 1]))
        drawn, _, how = _null_distribution(
            own, n_permutations, child, n_jobs, method, stop_after, level
        )
        return _pvalue(drawn, level, how, stop_after)

    pairs, rest = _comparisons_wanted(comparisons, exchange.n_groups, reference)
    labels = burdens.labels
    max_t = (
        max_t_pvalues(exchange, products, used == "exact")
        if pairs and products is not None
        else None
    )
    measured = measure_separation(burdens)
    exact = used == "exact"
    labellings = exchange.count_labellings(10 * (n_permutations + 1))
    return RGFTestResult(
        statistic=observed,
        pvalue=pvalue,
        effect_size=observed / expected if expected > 0.0 else float("nan"),
        expected_statistic=expected,
        null_distribution=null,
        method=used,
        n_draws=null.size,
        pvalue_standard_error=0.0 if exact else float(np.sqrt(pvalue * (1 - pvalue) / null.size)),
        smallest_pvalue=_smallest_pvalue(reference, exact, labellings, n_permutations),
        reference=reference,
        strata=name,
        n_strata=exchange.n_strata,
        n_informative_strata=int(exchange.informative.sum()),
        n_informative_rows=int(exchange.sizes[exchange.informative].sum()),
        rgf=measured.rgf(False),
        centered_rgf=measured.rgf(True),
        null_reference=measured.null_reference,
        groups=burden_profile(sample, burdens, exchange),
        pairs=compare_groups(exchange, labels, pairs, pvalue_of, pair_seed, max_t),
        one_vs_rest=compare_groups(exchange, labels, rest, pvalue_of, rest_seed, None),
        calibration=calibration,
        n_samples=sample.n_samples,
        n_tied=burdens.n_tied,
        n_dropped=sample.n_dropped,
        groups_left_out=sample.left_out,
        weighting="none" if sample_weight is None else "repetition",
        burden=burden_name(burden),
        top=top,
        seed=entropy_of(seed),
    )


def burden_name(burden: Any) -> str:
    """What the burden is called in results."""
    if isinstance(burden, str):
        return burden
    return getattr(burden, "__name__", "callable") if callable(burden) else "given"


def _null_distribution(
    exchange: Exchangeability, n_draws: int, seed: np.random.SeedSequence, n_jobs: Any,
    method: str, stop_after: int | None, threshold: float,
) -> tuple[np.ndarray, np.ndarray | None, str]:
    """Statistics under the null, the products behind them (unless sequential), and the method."""
    if method != "monte_carlo" and stop_after is None:
        n_labellings = exchange.count_labellings(MAX_LABELLINGS)
        if n_labellings <= MAX_LABELLINGS:
            products = all_products(exchange)
            return mean_over_pairs(pair_statistics(products)), products, "exact"
        if method == "exact":
            raise ValueError(
                f"method='exact' would enumerate more than {MAX_LABELLINGS} labellings: use "
                "method='monte_carlo'."
            )
    if stop_after is not None:
        drawn = sampled_until(exchange, n_draws, seed, n_jobs, threshold, stop_after)
        return drawn, None, "sequential"
    products = sampled_products(exchange, n_draws, seed, n_jobs)
    return mean_over_pairs(pair_statistics(products)), products, "monte_carlo"


def _pvalue(null: np.ndarray, threshold: float, method: str, stop_after: int | None) -> float:
    reached = int((null >= threshold).sum())
    if method == "exact":
        return reached / null.size
    if method == "sequential" and reached == stop_after:
        return reached / null.size
    return (1.0 + reached) / (null.size + 1.0)


def _smallest_pvalue(reference: str, exact: bool, labellings: int, n_permutations: int) -> float:
    if reference == "calibrated":
        return 1.0 / (n_permutations + 1.0)
    return 1.0 / labellings if exact else max(1.0 / labellings, 1.0 / (n_permutations + 1.0))


def _comparisons_wanted(
    comparisons: str, n_groups: int, reference: str
) -> tuple[list[tuple[int, int | None]], list[tuple[int, int | None]]]:
    if comparisons == "auto":
        few = 2 < n_groups <= MANY_GROUPS and reference == "permutation"
        comparisons = "all" if few else "none"
    if reference == "calibrated" and comparisons != "none":
        raise ValueError("comparisons exchange labels; reference='calibrated' takes 'none'.")
    pairs: list[tuple[int, int | None]] = []
    rest: list[tuple[int, int | None]] = []
    if n_groups > 2 and comparisons in ("pairs", "all"):
        pairs = [(g, h) for g in range(n_groups) for h in range(g + 1, n_groups)]
    if n_groups > 2 and comparisons in ("one_vs_rest", "all"):
        rest = [(g, None) for g in range(n_groups)]
    return pairs, rest


def _require_every_group(sample: AuditSample, top: float) -> None:
    counts = np.bincount(sample.group, minlength=len(sample.labels))
    if (counts == 0).any():
        label = sample.labels[int(np.flatnonzero(counts == 0)[0])]
        raise ValueError(
            f"top={top}: group {label!r} has no row among the largest burdens. Choose a larger "
            "top, at least q_min of rgf_curve."
        )


def _burdens_if(sample: AuditSample, burden: Any) -> tuple[np.ndarray, np.ndarray]:
    """Burden of every row under either outcome."""
    if sample.outcome is None:
        raise ValueError(
            "reference='calibrated' draws new outcomes, so it needs y_true, y_score and a burden "
            "that is a name or a callable, not an array."
        )
    if callable(burden) and (sample.score.min() < 0.0 or sample.score.max() > 1.0):  # type: ignore[union-attr]
        raise ValueError("reference='calibrated' needs y_score to be probabilities in [0, 1].")
    zeros, ones = np.zeros(sample.n_samples, np.uint8), np.ones(sample.n_samples, np.uint8)
    return (
        check_burden(zeros, sample.score, burden=burden, pos_label=None)[0],
        check_burden(ones, sample.score, burden=burden, pos_label=None)[0],
    )


def _with_recalibrated_scores(sample: AuditSample, burden: Any) -> AuditSample:
    if sample.outcome is None or sample.score is None:
        raise ValueError("recalibrate=True needs y_true and y_score, not an array burden.")
    if np.unique(sample.outcome).size < 2:
        raise ValueError("recalibrate=True needs both outcomes in y_true, which holds one.")
    score = recalibrated(sample.score, sample.outcome)
    loss, _, _ = check_burden(sample.outcome, score, burden=burden, pos_label=None)
    return replace(sample, burden=loss, score=score)
