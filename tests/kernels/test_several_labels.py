"""Labels of several chains against every interleaving."""

import numpy as np
import pytest
from fairrank._kernels.several_labels import best_labelled
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_ranking as oracles
from strategies_ranking import several_chains


def labelled(several, penalty, allowance, hard, incumbent, max_labels):
    """The kernel with the multipliers 0 and one other."""
    n_pairs = several.n_chains * (several.n_chains - 1) // 2
    multipliers = np.zeros((2, n_pairs))
    multipliers[1] = 0.1 * min(penalty, 1.0) / n_pairs
    inside = sum(chain.concordant for chain in several.steps)
    return best_labelled(
        several.blocks, several.start, 1.0 / several.auc_pairs, several.per_won, several.per_any,
        several.per_chain, inside / several.auc_pairs, multipliers,
        np.abs(multipliers).sum(axis=1), penalty, allowance, hard, incumbent, max_labels,
    )


@settings(max_examples=100, deadline=None)
@given(several_chains((3, 3), 3), st.sampled_from([0.1, 1.0, 5.0]), st.sampled_from([0.0, 0.2]))
def test_with_room_for_all_labels_the_best_order_is_found(problem, penalty, allowance):
    several, chains = problem
    auc, signed = oracles.values_of_orders(*chains, disparity=several.disparity)
    excess = np.maximum(np.abs(signed).max(axis=1) - allowance, 0.0)
    best = float((auc - penalty * excess).max())
    sequence, thinned = labelled(several, penalty, allowance, False, -10.0, 2000)
    found = several.judged(sequence)
    value = found.auc - penalty * max(found.gap - allowance, 0.0)
    assert thinned == -np.inf
    assert value == pytest.approx(best, abs=1e-12)
    # Nothing beats the best order itself.
    assert labelled(several, penalty, allowance, False, best + 1e-12, 2000) == (None, -np.inf)


@settings(max_examples=60, deadline=None)
@given(several_chains((3, 3), 3), st.floats(0.0, 0.5))
def test_a_condition_comes_before_auc(problem, allowance):
    several, chains = problem
    best = oracles.best_constrained(
        *chains, max_disparity=allowance, disparity=several.disparity
    )
    sequence, thinned = labelled(several, 1e7, allowance, True, -1e8, 2000)
    found = several.judged(sequence)
    assert thinned == -np.inf
    if np.isfinite(best):
        assert found.gap <= allowance + 1e-12
        assert found.auc == pytest.approx(best, abs=1e-12)
    else:
        smallest = oracles.smallest_disparity(*chains, disparity=several.disparity)
        assert found.gap == pytest.approx(smallest, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(several_chains((3, 3), 3), st.sampled_from([0.3, 1.0]))
def test_what_was_thinned_is_bounded(problem, penalty):
    several, chains = problem
    best = oracles.best_penalised(*chains, trade_off=penalty, disparity=several.disparity)
    sequence, thinned = labelled(several, penalty, 0.0, False, -10.0, 1)
    found = several.judged(sequence)
    assert found.auc - penalty * found.gap <= best + 1e-12
    assert max(found.auc - penalty * found.gap, thinned) >= best - 1e-12
