"""The health data of ``benchmarks/reproduce`` show rules nothing of the outcome's year."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

SOURCE = Path(__file__).parents[1] / "benchmarks" / "reproduce" / "frontier_health_data.py"
N = 400


@pytest.fixture
def module(monkeypatch):
    """By its path: benchmarks are not a package of the tests."""
    if not SOURCE.is_file():
        pytest.skip("the tests stand alone")
    spec = importlib.util.spec_from_file_location("frontier_health_data", SOURCE)
    found = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "frontier_health_data", found)  # dataclasses look it up
    spec.loader.exec_module(found)
    return found


@pytest.fixture
def frame(module):
    rng = np.random.default_rng(0)
    columns = [*module.UNSEEN, *module.ALGORITHMS.values(), "risk_score_t_percentile"]
    frame = pd.DataFrame({name: rng.random(N) for name in columns})
    return frame.assign(
        dem_race_black=rng.integers(0, 2, N), gagne_sum_t=rng.integers(0, 9, N)
    )


def test_rules_see_no_column_of_the_outcomes_year_and_no_group(module, frame):
    before = module.cleaned(frame).X
    changed = frame.assign(**{name: frame[name][::-1].to_numpy() for name in module.UNSEEN})
    assert before.equals(module.cleaned(changed).X)
    assert not set(module.UNSEEN) & set(before.columns)


def test_an_algorithm_decides_for_scores_above_their_quantile(module, frame):
    data = module.cleaned(frame)
    decided = data.decisions("total cost", 0.9)
    score = frame["log_cost_t_hat"]
    assert decided.sum() == 40
    assert score[decided == 1].min() > score[decided == 0].max()


def test_the_counterfactual_swaps_until_health_is_alike_at_the_threshold(module):
    # From the threshold down: Black patients with 5, 1 and 4 conditions; White ones above have 2,
    # 3 and 9. The 5 takes the place of the 2, the 1 of none, the 4 that of the 3.
    black = np.array([0, 0, 0, 1, 1, 1, 1, 0])
    data = module.HealthData(
        None, {"original score": np.array([8.0, 7.5, 7.2, 7.0, 3.0, 2.0, 1.0, 0.0])},
        np.array([2, 3, 9, 0, 5, 1, 4, 9]), np.where(black == 1, "black", "white"),
    )
    assert data.black_share(data.decisions("original score", 0.5)) == 1 / 4
    assert data.counterfactual_share(0.5) == 3 / 4
