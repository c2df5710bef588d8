"""Maps are monotone, exact at their knots, and clamped outside."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairrank.ranking import ScoreMap

knots = st.lists(
    st.floats(-1e3, 1e3) | st.sampled_from([0.0, 5e-324, 1e-310, 1e300, -1e300]),
    min_size=1, max_size=8, unique=True,
)


@given(knots, st.lists(st.floats(-1e301, 1e301), min_size=1, max_size=20), st.data())
def test_a_map_never_decreases_and_never_leaves_its_knots(scores, new, data):
    score = np.sort(np.array(scores))
    fair = np.sort(data.draw(st.lists(st.floats(0.0, 1.0), min_size=score.size,
                                      max_size=score.size)))
    to_fair = ScoreMap(score=score, fair_score=np.array(fair))
    np.testing.assert_array_equal(to_fair(score), fair)
    found = to_fair(np.sort(new))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0.0).all()
    assert fair[0] <= found.min() <= found.max() <= fair[-1]


def test_a_slope_that_overflows_ends_at_the_next_knot():
    to_fair = ScoreMap(score=np.array([0.0, 1e-310, 1.0]), fair_score=np.array([0.1, 0.5, 0.9]))
    assert to_fair([5e-311]).tolist() == [0.5]
    assert repr(to_fair) == "ScoreMap(3 knots, [0, 1] -> [0.1000, 0.9000])"
