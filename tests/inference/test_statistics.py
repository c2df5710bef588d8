"""How often the tests reject over many data sets: size under every null, and the paper's arms.

Short runs that a broken centre, a lost tie or a wrong stop would not pass; thousands of data sets,
interval coverage and power curves are recorded under ``benchmarks/results``.
"""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from fairrank.datasets import make_rgf_simulation, perturb_scores
from fairrank.inference import rgf_interval, rgf_test
from fairrank.metrics import rgf_score

pytestmark = pytest.mark.statistical

N_DATA_SETS = 600
LEVEL = 0.05
# p <= 0.05 has probability exactly 0.05 with these numbers of draws.
N_DRAWS = 99
# Three Monte Carlo standard errors.
MARGIN = 3 * np.sqrt(LEVEL * (1 - LEVEL) / N_DATA_SETS)


def rejection_rate(pvalues):
    return float(np.mean(np.array(pvalues) <= LEVEL))


def pvalue_of(burden, group, seed, **options):
    options = {"n_permutations": N_DRAWS, "comparisons": "none"} | options
    return rgf_test(
        None, None, sensitive_features=group, burden=burden, random_state=seed, **options
    ).pvalue


def skewed(rng, n):
    return rng.beta(2, 8, n)


def exchangeable(rng):
    """Burdens unrelated to groups of 15 and 85 %."""
    return skewed(rng, 80), rng.random(80) < 0.15


NULLS = {
    "plain": lambda rng: (*exchangeable(rng), {}),
    "tied": lambda rng: (skewed(rng, 80).round(1), rng.random(80) < 0.2, {}),
    "nearly constant": lambda rng: (10 + rng.random(80), rng.random(80) < 0.3, {}),
    "three groups": lambda rng: (
        skewed(rng, 90), rng.choice(3, 90, p=[0.6, 0.3, 0.1]), {},
    ),
    "five groups": lambda rng: (skewed(rng, 90), rng.choice(5, 90), {}),
    "sequential": lambda rng: (*exchangeable(rng), {"stop_after": 10, "n_permutations": 199}),
    "largest burdens": lambda rng: (skewed(rng, 160), rng.random(160) < 0.3, {"top": 0.5}),
}


@pytest.mark.parametrize("null", NULLS)
def test_size_is_five_percent(null):
    rng = np.random.default_rng(0)
    pvalues = []
    for seed in range(N_DATA_SETS):
        burden, group, options = NULLS[null](rng)
        pvalues.append(pvalue_of(burden, group, seed, **options))
    assert rejection_rate(pvalues) == pytest.approx(LEVEL, abs=MARGIN)


def confounded(rng, harm=0.0):
    """The group is rare where burdens are large; inside strata it is harmed by `harm`."""
    strata = rng.integers(0, 3, 150)
    group = rng.random(150) < np.array([0.6, 0.3, 0.1])[strata]
    return skewed(rng, 150) * (1 + strata) * (1 + harm * group), group, strata


@pytest.mark.parametrize("options", [{}, {"stop_after": 10, "n_permutations": 199}])
def test_size_inside_strata_is_five_percent(options):
    rng = np.random.default_rng(1)
    pvalues = []
    for seed in range(N_DATA_SETS):
        burden, group, strata = confounded(rng)
        pvalues.append(pvalue_of(burden, group, seed, strata=strata, **options))
    assert rejection_rate(pvalues) == pytest.approx(LEVEL, abs=MARGIN)


def test_strata_that_are_left_out_are_rejected():
    rng = np.random.default_rng(1)
    pvalues = [pvalue_of(*confounded(rng)[:2], seed) for seed in range(100)]
    assert rejection_rate(pvalues) > 0.5


def test_a_harmed_group_is_found_inside_strata():
    # With the plain centre in place of the strata's own the rate is below one in ten.
    rng = np.random.default_rng(2)
    pvalues = []
    for seed in range(100):
        burden, group, strata = confounded(rng, harm=0.8)
        pvalues.append(pvalue_of(burden, group, seed, strata=strata))
    assert rejection_rate(pvalues) > 0.8


def scored(rng, n, n_levels=None):
    """Calibrated scores whose distribution depends on the group."""
    group = (rng.random(n) < 0.3).astype(int)
    score = expit(rng.normal(-1 + group, 1))
    if n_levels:
        score = np.ceil(score * n_levels) / (n_levels + 1)
    return (rng.random(n) < score).astype(int), score, group


def test_size_given_the_score_is_five_percent():
    rng = np.random.default_rng(3)
    pvalues = []
    for seed in range(N_DATA_SETS):
        y, p, group = scored(rng, 150, n_levels=5)
        found = rgf_test(
            y, p, sensitive_features=group, strata=p, n_permutations=N_DRAWS, random_state=seed
        )
        pvalues.append(found.pvalue)
    assert rejection_rate(pvalues) == pytest.approx(LEVEL, abs=MARGIN)


def test_size_of_the_calibrated_reference_is_five_percent():
    rng = np.random.default_rng(4)
    pvalues = []
    for seed in range(N_DATA_SETS):
        y, p, group = scored(rng, 200)
        found = rgf_test(
            y, p, sensitive_features=group, reference="calibrated", n_permutations=N_DRAWS,
            random_state=seed,
        )
        pvalues.append(found.pvalue)
    assert rejection_rate(pvalues) == pytest.approx(LEVEL, abs=MARGIN)


def test_a_pair_keeps_its_size_when_a_third_group_differs():
    # Read off the common draws, in which the third group moves too, nearly all are rejected.
    rng = np.random.default_rng(5)
    pvalues = []
    for seed in range(N_DATA_SETS):
        group = rng.choice(list("abc"), 120, p=[0.1, 0.4, 0.5])
        burden = skewed(rng, 120) * np.where(group == "c", 4.0, 1.0)
        found = rgf_test(
            None, None, sensitive_features=group, burden=burden, comparisons="pairs",
            n_permutations=N_DRAWS, random_state=seed,
        )
        assert (found.pairs[0].first, found.pairs[0].second) == ("a", "b")
        pvalues.append(found.pairs[0].pvalue)
    assert rejection_rate(pvalues) == pytest.approx(LEVEL, abs=MARGIN)


@pytest.mark.parametrize("adjusted", ["pvalue_holm", "pvalue_max_t"])
def test_some_pair_of_like_groups_is_rejected_five_percent_of_the_time_at_most(adjusted):
    rng = np.random.default_rng(6)
    smallest = []
    for seed in range(N_DATA_SETS):
        found = rgf_test(
            None, None, sensitive_features=rng.choice(4, 120), burden=skewed(rng, 120),
            comparisons="pairs", n_permutations=199, random_state=seed,
        )
        smallest.append(min(getattr(pair, adjusted) for pair in found.pairs))
    rate = rejection_rate(smallest)
    assert rate <= LEVEL + MARGIN
    if adjusted == "pvalue_max_t":
        assert rate >= LEVEL - MARGIN


@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_intervals_cover_the_centred_score(factor):
    rng = np.random.default_rng(7)
    group = np.repeat([0, 1], [180_000, 20_000])
    truth = rgf_score(
        None, None, sensitive_features=group, centered=True,
        burden=skewed(rng, group.size) * np.where(group == 1, factor, 1.0),
    ) if factor > 1 else 1.0
    group = np.repeat([0, 1], [450, 50])
    covered = []
    for seed in range(200):
        burden = skewed(rng, 500) * np.where(group == 1, factor, 1.0)
        found = rgf_interval(
            None, None, sensitive_features=group, burden=burden, n_resamples=200,
            random_state=seed,
        )
        covered.append(found.low <= truth <= found.high)
    assert np.mean(covered) > 0.89


@pytest.fixture(scope="module")
def arms():
    """Fair and unfair arm of the paper's simulation over ten seeds."""
    rows = []
    for seed in range(10):
        simulation = make_rgf_simulation(random_state=seed)
        group, y = simulation.sensitive_features, simulation.target
        train, test = train_test_split(
            np.arange(y.size), test_size=0.3, random_state=seed,
            stratify=np.char.add(group, y.astype(str)),
        )
        model = LogisticRegression(C=1e12).fit(simulation.data[train], y[train])
        fair = model.predict_proba(simulation.data[test])[:, 1]
        unfair = perturb_scores(fair, sensitive_features=group[test], random_state=seed)
        rows.append(
            [
                rgf_test(
                    y[test], score, sensitive_features=group[test], n_permutations=499,
                    random_state=seed,
                )
                for score in (fair, unfair)
            ]
        )
    return rows


def test_rgf_rises_in_the_unfair_arm_of_the_paper(arms):
    fair, unfair = np.array([[arm.rgf for arm in row] for row in arms]).T
    assert (unfair > fair).all()
    assert fair.mean() == pytest.approx(0.59, abs=0.02)
    assert unfair.mean() == pytest.approx(0.715, abs=0.02)


def test_centred_rgf_falls_in_the_unfair_arm_of_the_paper(arms):
    fair, unfair = np.array([[arm.centered_rgf for arm in row] for row in arms]).T
    assert (unfair < fair).all()


def test_the_test_tells_the_arms_of_the_paper_apart(arms):
    fair, unfair = np.array([[arm.pvalue for arm in row] for row in arms]).T
    assert (fair <= 0.05).sum() <= 2
    assert (unfair <= 0.05).all()
