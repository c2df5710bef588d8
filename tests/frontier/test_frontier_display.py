"""The picture of a frontier holds the support function's numbers."""

import pickle
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairrank.datasets import make_frontier_data
from fairrank.frontier import SupportFunction
from fairrank.frontier._decision_risks import decision_risks
from fairrank.frontier._frontier_display import FrontierDisplay
from fairrank.frontier._frontier_estimator import FrontierEstimator
from fairrank.frontier._frontier_picture import few_corners, improvements, square_limits
from fairrank.frontier._less_discriminatory_alternatives import (
    less_discriminatory_alternatives,
)
from fairrank.frontier._polygon_frontier import polygon_frontiers


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    plt.close("all")


def data_of(design="balanced", n=400):
    return make_frontier_data(n, design=design, random_state=0)


def support_of(data, added=0.0, **options):
    """`added` to every loss of b puts the attainable risks above the line of equal risks."""
    extra = added * (data.sensitive_features == "b")
    options = {"group_names": data.group_names, "sensitive_features": data.sensitive_features,
               **options}
    return SupportFunction(
        (data.target != 0) + extra, (data.target != 1) + extra, data.delta_theta(data.data),
        **options,
    )


def sample(**options):
    data = data_of(**options)
    return support_of(data), data


CASES = [("balanced", 0.0), ("r_skewed", 0.0), ("r_skewed", 1.0)]


@pytest.mark.parametrize(("design", "added"), CASES)
def test_lines_and_marks_are_those_of_the_support_function(design, added):
    support = support_of(data_of(design), added)
    display = FrontierDisplay.from_support_function(support).plot()
    corners = support.plug_in.support_points
    assert_array_equal(display.feasible_set_patch_.get_xy()[: len(corners)], corners)
    assert_array_equal(display.frontier_line_.get_xydata(), support.frontier())
    assert_array_equal(display.pareto_frontier_line_.get_xydata(), support.pareto_frontier())
    r, b, f = (mark.get_xydata()[0] for mark in display.best_point_marks_)
    assert_array_equal([r, b], support.best_points)
    assert_array_equal(f, support.fairest_point().point)
    assert [text.get_text() for text in display.best_point_names_] == ["R", "B", "F"]
    assert display.equal_risks_line_.get_slope() == 1
    assert display.equal_risks_line_.get_xy1() == (0, 0)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("risk of r", "risk of b")
    assert display.ax_.get_aspect() == 1


@pytest.mark.parametrize(("design", "added"), CASES)
def test_realised_levels_are_those_of_the_half_planes(design, added):
    support = support_of(data_of(design), added)
    display = FrontierDisplay.from_support_function(support, levels="realised")
    expected = polygon_frontiers(support.feasible_set)
    assert_array_equal(display.feasible_set, support.feasible_set)
    assert_array_equal(display.frontier, expected.frontier)
    assert_array_equal(display.pareto_frontier, expected.pareto)


def test_half_planes_without_a_point_are_refused_and_the_zonogon_is_drawn():
    support = SupportFunction(
        [0, 1, 0, 1], [1, 0, 1, 0], [[-1, 0], [1, 0], [0, -1], [0, 1]],
        sensitive_features=[0, 0, 1, 1],
    )
    assert not len(support.feasible_set)
    with pytest.raises(ValueError, match="half-planes of 4 rows have no point in common"):
        FrontierDisplay.from_support_function(support, levels="realised")
    display = FrontierDisplay.from_support_function(support).plot()
    assert len(display.feasible_set_patch_.get_xy()) > 4


def test_risks_of_decisions_are_means_in_groups_with_their_standard_errors():
    support, data = sample()
    rng = np.random.default_rng(0)
    decisions = rng.random(400)
    display = FrontierDisplay.from_support_function(
        support, algorithms={"drawn": decisions, "nobody": np.zeros(400, dtype=bool)}
    )
    loss = np.where(data.target == 1, 1 - decisions, decisions)
    for g, name in enumerate(data.group_names):
        own = loss[data.sensitive_features == name]
        assert display.points["drawn"][g] == pytest.approx(own.mean(), abs=1e-12)
        assert display.standard_errors["drawn"][g] == pytest.approx(
            own.std() / np.sqrt(own.size), abs=1e-12
        )
        assert display.points["nobody"][g] == pytest.approx(
            data.target[data.sensitive_features == name].mean(), abs=1e-12
        )
    assert_array_equal(display.plot().point_marks_["drawn"].get_xydata()[0],
                       display.points["drawn"])


def test_decisions_of_a_direction_are_its_support_point():
    support, _ = sample()
    q = [-0.3, -0.9]
    display = FrontierDisplay.from_support_function(
        support, algorithms={"q": support.decisions(q)}, directions=q
    )
    assert_allclose(display.points["q"], support.support_point(q), atol=1e-12)
    assert_allclose(display.support_points, [display.points["q"]], atol=1e-12)


def test_dependent_rows_have_wider_bars():
    data = data_of(n=200)
    twice = np.tile(np.arange(200), 2)
    support = SupportFunction(
        (data.target != 0)[twice], (data.target != 1)[twice], data.delta_theta(data.data)[twice],
        sensitive_features=data.sensitive_features[twice], clusters=twice,
        group_names=data.group_names,
    )
    once, both = (
        FrontierDisplay.from_support_function(
            one, algorithms={"status quo": np.tile(data.status_quo(data.data), k)}
        )
        for one, k in ((support_of(data), 1), (support, 2))
    )
    assert_allclose(both.points["status quo"], once.points["status quo"], atol=1e-12)
    assert_allclose(
        both.standard_errors["status quo"], once.standard_errors["status quo"], atol=1e-12
    )


def test_bars_are_intervals_of_the_level_asked_for():
    support, _ = sample()
    display = FrontierDisplay.from_support_function(
        support, points={"new rows": (0.4, 0.5), "no error known": [0.5, 0.5]},
        standard_errors={"new rows": (0.01, 0.02)},
    ).plot(confidence_level=0.9)
    assert list(display.error_bars_) == ["new rows"]
    across, up = (bar.get_segments()[0] for bar in display.error_bars_["new rows"].lines[2])
    assert_allclose(across[:, 0], 0.4 + 0.01 * 1.6448536 * np.array([-1, 1]), atol=1e-8)
    assert_allclose(up[:, 1], 0.5 + 0.02 * 1.6448536 * np.array([-1, 1]), atol=1e-8)
    assert display.plot(confidence_level=None).error_bars_ == {}


def test_two_numbers_are_risks_in_points_and_decisions_in_algorithms():
    support = SupportFunction(
        [0, 1], [1, 0], [[0.5, 0], [0, -0.5]], sensitive_features=["r", "b"],
        group_names=("r", "b"),
    )
    display = FrontierDisplay.from_support_function(
        support, algorithms={"decisions": [0.25, 0.25]}, points={"risks": [0.25, 0.25]}
    )
    assert display.points["decisions"].tolist() == [0.25, 0.75]
    assert display.points["risks"].tolist() == [0.25, 0.25]


def test_risks_that_were_measured_elsewhere_are_a_point():
    support, _ = sample()
    new = data_of("balanced", 300)

    def measured(names):
        return decision_risks(
            new.target != 0, new.target != 1, new.status_quo(new.data),
            sensitive_features=new.sensitive_features, group_names=names,
        )

    found = measured(("r", "b"))
    display = FrontierDisplay.from_support_function(support, points={"new rows": found})
    assert_array_equal(display.points["new rows"], found.risks)
    assert_array_equal(display.standard_errors["new rows"], found.standard_errors)
    with pytest.raises(ValueError, match="has the risks of"):
        FrontierDisplay.from_support_function(support, points={"new rows": measured(("b", "r"))})


def test_a_group_of_one_row_has_no_bar():
    support = SupportFunction(
        [0, 1, 1], [1, 0, 0], [[0.5, 0], [0.2, 0], [0, -0.5]], sensitive_features=["r", "r", "b"],
        group_names=("r", "b"),
    )
    display = FrontierDisplay.from_support_function(
        support, algorithms={"a": [0.5, 0.0, 1.0]}, points={"b": decision_risks(
            [0, 1, 1], [1, 0, 0], [0.5, 0.0, 1.0], sensitive_features=["r", "r", "b"],
            group_names=("r", "b"),
        )},
    ).plot()
    for name in ("a", "b"):
        assert np.isnan(display.standard_errors[name]).tolist() == [False, True]
        across, up = (bar.get_segments()[0] for bar in display.error_bars_[name].lines[2])
        assert np.ptp(across[:, 0]) > 0
        assert np.ptp(up[:, 1]) == 0


def test_marks_of_algorithms_differ_in_shape():
    support, _ = sample()
    points = {f"a{k}": (0.3 + k / 100, 0.5) for k in range(25)}
    display = FrontierDisplay.from_support_function(support, points=points).plot()
    shapes = {(m.get_marker(), m.get_fillstyle()) for m in display.point_marks_.values()}
    assert len(shapes) == 25
    others = {mark.get_marker() for mark in display.best_point_marks_}
    assert not others & {shape for shape, _ in shapes}
    entries = [text.get_text() for text in display.legend_.get_texts()]
    assert set(points) <= set(entries)


def test_supporting_lines_touch_at_support_points_and_arrows_point_along_q():
    support, _ = sample()
    directions = {"utilitarian": [-1, -1], "rawlsian": [-2, 0]}
    display = FrontierDisplay.from_support_function(support, directions=directions).plot()
    for q, line, arrow in zip(
        directions.values(), display.supporting_lines_, display.direction_arrows_
    ):
        for point in (line.get_xy1(), line.get_xy2()):
            assert np.dot(q, point) == pytest.approx(support.h(q), abs=1e-12)
        assert_array_equal(arrow.xy, support.support_point(q))
        length = np.hypot(*arrow.get_position())
        assert_allclose(arrow.get_position() / length, q / np.hypot(*q), atol=1e-12)
    entries = [text.get_text() for text in display.legend_.get_texts()]
    assert {"supporting line, utilitarian", "supporting line, rawlsian"} <= set(entries)
    dashes = {str(line._dash_pattern) for line in display.supporting_lines_}
    assert len(dashes) == 2


def test_a_list_of_directions_has_one_entry_in_the_legend():
    support, _ = sample()
    for directions, m in (([[-1, -1], [1, 1]], 2), (np.array([-1.0, -1.0]), 1), ([], 0)):
        display = FrontierDisplay.from_support_function(support, directions=directions).plot()
        assert len(display.supporting_lines_) == m
        entries = [text.get_text() for text in display.legend_.get_texts()]
        assert entries.count("supporting line") == (m > 0)


def contains(display, points):
    low, high = np.transpose([display.ax_.get_xlim(), display.ax_.get_ylim()])
    return bool(((points >= low) & (points <= high)).all())


@pytest.mark.parametrize(("design", "added"), CASES)
def test_limits_hold_all_that_is_asked_for(design, added):
    data = data_of(design)
    support = support_of(data, added)
    display = FrontierDisplay.from_support_function(
        support, algorithms={"status quo": data.status_quo(data.data)},
        points={"far away": (1.5, 0.2)}, standard_errors={"far away": (0.1, 0.3)},
    ).plot(zoom=True)
    wanted = np.concatenate([
        support.frontier(), support.pareto_frontier(), support.best_points,
        [support.fairest_point().point], [display.points["status quo"]],
        [[1.5 + 0.1 * 1.96, 0.2], [1.5, 0.2 - 0.3 * 1.96]],
    ])
    assert contains(display, wanted)
    assert contains(display.plot(), np.concatenate([wanted, support.plug_in.support_points]))
    assert np.ptp(display.ax_.get_xlim()) == pytest.approx(np.ptp(display.ax_.get_ylim()))


def test_zooming_leaves_far_parts_of_the_feasible_set_out():
    support, _ = sample(design="r_skewed")
    display = FrontierDisplay.from_support_function(support)
    assert not contains(display.plot(zoom=True), support.plug_in.support_points)
    assert contains(display, support.frontier())


def test_several_frontiers_share_axes():
    first, second = (
        FrontierDisplay.from_support_function(
            support_of(data_of(design)), points={"model": (0.4, 0.5)}, name=design
        )
        for design in ("balanced", "r_skewed")
    )
    first.plot(zoom=True)
    assert second.plot(first.ax_, zoom=True, name="later").ax_ is first.ax_
    assert second.equal_risks_line_ is first.equal_risks_line_
    assert second.frontier_line_.get_color() != first.frontier_line_.get_color()
    for one in (first, second):
        assert contains(one, one.frontier)
        assert contains(one, one.best_points)
    entries = [text.get_text() for text in second.legend_.get_texts()]
    assert len(entries) == len(set(entries))
    assert {"balanced: fairness-accuracy frontier", "later: fairness-accuracy frontier",
            "balanced: model", "later: model"} <= set(entries)
    third = second.plot(first.ax_, color="black", plot_feasible_set=False)
    assert third.frontier_line_.get_color() == "black"
    assert third.feasible_set_patch_ is None
    assert third.best_point_names_ == []


def test_other_groups_need_other_axes():
    data = data_of()
    support = support_of(data)
    swapped = SupportFunction(
        data.target != 0, data.target != 1, data.delta_theta(data.data)[:, ::-1],
        sensitive_features=data.sensitive_features, group_names=("b", "r"),
    )
    ax = FrontierDisplay.from_support_function(support).plot().ax_
    with pytest.raises(ValueError, match="its axes would be other risks"):
        FrontierDisplay.from_support_function(swapped).plot(ax)


@pytest.mark.parametrize("e", [(0.3, 0.5), (0.5, 0.3), (0.4, 0.4), (-0.2, 0.1)])
def test_improvements_are_as_accurate_and_as_fair(e):
    e = np.array(e)
    corners = improvements(e, 3.0)
    # Every one of the conditions holds at each corner, and at each some are equalities.
    assert (corners <= e + 1e-12).all()
    gap = np.abs(corners[:, 0] - corners[:, 1])
    assert (gap <= abs(e[0] - e[1]) + 1e-12).all()
    assert_allclose(gap, abs(e[0] - e[1]), atol=1e-12)
    rng = np.random.default_rng(0)
    x = e - rng.uniform(0, 2, (2000, 2))
    fair = np.abs(x[:, 0] - x[:, 1]) <= abs(e[0] - e[1])
    inside = plt.Polygon(corners).get_path().contains_points(x)
    assert_array_equal(inside, fair if e[0] != e[1] else np.zeros(2000, dtype=bool))


def test_improvements_are_shaded_over_the_algorithms_named():
    support, data = sample()
    display = FrontierDisplay.from_support_function(
        support, algorithms={"status quo": data.status_quo(data.data)}, points={"b": (0.5, 0.4)}
    )
    patch = display.plot(improvements_over="status quo").improvement_patches_["status quo"]
    assert_array_equal(patch.get_xy()[0], display.points["status quo"])
    assert not contains(display, patch.get_xy())
    assert list(display.plot(improvements_over=["b", "status quo"]).improvement_patches_) == [
        "b", "status quo"
    ]
    assert display.plot().improvement_patches_ == {}


def test_confidence_sets_on_a_grid_are_shaded_cell_by_cell():
    support, _ = sample()
    x, y = np.linspace(0.2, 0.6, 5), np.linspace(0.3, 0.5, 3)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    inside = np.zeros(15, dtype=bool)
    inside[[0, 7, 14]] = True
    shuffled = np.random.default_rng(0).permutation(15)
    found = SimpleNamespace(candidates=grid[shuffled], inside=inside[shuffled])
    display = FrontierDisplay.from_support_function(
        support, confidence_sets={"95%": found}
    ).plot()
    cells = display.confidence_set_artists_["95%"].get_paths()
    middles = np.array([path.vertices[:4].mean(axis=0) for path in cells])
    assert_allclose(middles[middles[:, 0].argsort()], grid[inside], atol=1e-12)
    widths = np.array([np.ptp(path.vertices, axis=0) for path in cells])
    assert_allclose(widths, [[0.1, 0.1]] * 3, atol=1e-12)
    assert "95%" in [text.get_text() for text in display.legend_.get_texts()]


def test_confidence_sets_without_a_grid_are_dots():
    support, _ = sample()
    found = SimpleNamespace(
        candidates=np.array([[0.1, 0.2], [0.3, 0.9], [2.0, 2.0]]), inside=[True, True, False]
    )
    display = FrontierDisplay.from_support_function(support, confidence_sets={"set": found})
    dots = display.plot().confidence_set_artists_["set"].get_offsets()
    assert_array_equal(dots, found.candidates[:2])
    assert contains(display, found.candidates[:2])
    assert not contains(display, found.candidates[2:])


@pytest.mark.parametrize("inside", [np.zeros(4, dtype=bool), np.ones(4, dtype=bool)])
def test_an_empty_and_a_full_confidence_set_can_be_drawn(inside):
    support, _ = sample()
    grid = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for candidates in (grid, grid[:, ::-1] ** 2 + np.arange(4)[:, None]):
        found = SimpleNamespace(candidates=candidates, inside=inside)
        display = FrontierDisplay.from_support_function(support, confidence_sets={"set": found})
        assert contains(display.plot(), candidates[inside])


def test_a_less_discriminatory_part_is_highlighted():
    support, _ = sample()
    part = support.frontier()[2:5]
    display = FrontierDisplay.from_support_function(support, less_discriminatory=part).plot()
    assert_array_equal(display.less_discriminatory_line_.get_xydata(), part)
    for nothing in (None, part[:0]):
        display = FrontierDisplay.from_support_function(support, less_discriminatory=nothing)
        assert display.plot().less_discriminatory_line_ is None


def test_alternatives_show_the_part_that_was_found():
    data = data_of(n=2000)
    support = support_of(data)
    found = less_discriminatory_alternatives(support, data.status_quo(data.data))
    assert len(found.frontier) > 1
    display = FrontierDisplay.from_support_function(support, less_discriminatory=found).plot()
    assert_array_equal(display.less_discriminatory_line_.get_xydata(), found.frontier)


def fitted(data, groups=None, **options):
    """An estimator that takes the true nuisances at their word."""
    nuisance = SimpleNamespace(delta_theta=data.delta_theta)
    estimator = FrontierEstimator(nuisance, group_names=data.group_names, **options)
    groups = data.sensitive_features if groups is None else groups
    return estimator.fit(data.data, data.target, sensitive_features=groups)


def test_a_fitted_estimator_shows_its_frontier_and_its_own_algorithm():
    data = data_of(n=2000)
    estimator = fitted(data, capacity=0.2, direction="majority")
    by_hand = estimator.rule_.probability(data.delta_theta(data.data))
    assert by_hand.sum() == pytest.approx(0.2 * 2000)
    display = FrontierDisplay.from_estimator(
        estimator, algorithms={"by hand": by_hand}, own_name="own", name="boston",
        directions={"majority": estimator.rule_.direction},
    )
    assert list(display.points) == ["own", "by hand"]
    assert_allclose(display.points["own"], display.points["by hand"], atol=1e-12)
    assert_array_equal(display.frontier, estimator.frontier_)
    assert_array_equal(display.best_points, estimator.best_points_)
    assert_array_equal(display.fairest_point, estimator.fairest_point_.point)
    assert display.name == "boston"
    assert FrontierDisplay.from_estimator(estimator, own_name=None).points == {}
    with pytest.raises(ValueError, match="pass another own_name"):
        FrontierDisplay.from_estimator(estimator, algorithms={"own": by_hand}, own_name="own")
    with pytest.raises(ValueError, match=r"fit has 2000, algorithms\['short'\] has 3 rows"):
        FrontierDisplay.from_estimator(estimator, algorithms={"short": [1, 0, 1]})


def test_a_pipeline_and_a_search_show_the_estimator_inside():
    estimator = fitted(data_of(n=2000))
    piped = make_pipeline(StandardScaler(), estimator)
    for outer in (piped, SimpleNamespace(best_estimator_=piped)):
        assert list(FrontierDisplay.from_estimator(outer).points) == ["this algorithm"]


def test_rows_without_a_group_count_in_no_risk():
    data = data_of(n=2000)
    groups = data.sensitive_features.astype(object)
    groups[:40] = None
    estimator = fitted(data, groups, missing="drop")
    decisions = data.status_quo(data.data)
    display = FrontierDisplay.from_estimator(estimator, algorithms={"status quo": decisions})
    loss = np.where(data.target == 1, 1 - decisions, decisions)
    for g, name in enumerate(data.group_names):
        assert display.points["status quo"][g] == pytest.approx(loss[groups == name].mean())


@pytest.mark.parametrize("estimator", [FrontierEstimator(), LogisticRegression()])
def test_an_estimator_without_a_support_function_is_refused(estimator):
    with pytest.raises(NotFittedError, match="has no support_function_: pass a Frontier"):
        FrontierDisplay.from_estimator(estimator)


def test_more_than_two_groups_are_no_picture():
    support = SupportFunction(
        np.zeros(3), np.ones(3), np.eye(3), sensitive_features=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match=r"is for two groups.* holds 3: 'a', 'b', 'c'"):
        FrontierDisplay.from_support_function(support)
    data = data_of(n=2000)
    groups = np.where(np.arange(2000) < 510, "c", data.sensitive_features)
    nuisance = SimpleNamespace(delta_theta=lambda X: np.ones((len(X), 3)))
    estimator = FrontierEstimator(nuisance).fit(data.data, data.target, sensitive_features=groups)
    with pytest.raises(ValueError, match="is for two groups"):
        FrontierDisplay.from_estimator(estimator, algorithms={"nobody": np.zeros(2000)})


def test_plotting_changes_no_numbers():
    support, data = sample()
    found = SimpleNamespace(candidates=support.frontier(), inside=np.ones(
        len(support.frontier()), dtype=bool))
    decisions = data.status_quo(data.data)
    display = FrontierDisplay.from_support_function(
        support, algorithms={"status quo": decisions}, points={"p": np.array([0.5, 0.4])},
        directions=np.array([[-1.0, -2.0]]), confidence_sets={"set": found},
        less_discriminatory=support.frontier()[:3],
    )
    before = pickle.dumps(vars(display))
    assert display.plot(improvements_over="status quo", zoom=True) is display
    kept = {name: value for name, value in vars(display).items() if not name.endswith("_")}
    assert pickle.dumps(kept) == before
    assert_array_equal(decisions, data.status_quo(data.data))


def test_arrays_of_the_display_are_no_views_of_what_was_given():
    support, _ = sample()
    point, q, part = np.array([0.5, 0.4]), np.array([[-1.0, -2.0]]), support.frontier()[:3]
    display = FrontierDisplay.from_support_function(
        support, points={"p": point}, directions=q, less_discriminatory=part
    )
    for own, given in (
        (display.points["p"], point), (display.directions, q),
        (display.less_discriminatory, part), (display.best_points, support.best_points),
    ):
        assert not np.shares_memory(own, given)


def test_looks_may_be_given():
    support, _ = sample()
    _, ax = plt.subplots()
    display = FrontierDisplay.from_support_function(support, points={"p": (0.5, 0.5)}).plot(
        ax, feasible_set_kwargs={"hatch": "."}, frontier_kwargs={"linewidth": 7, "label": "best"},
        points_kwargs={"markersize": 3}, legend_kwargs={"title": "risks"}, despine=False,
    )
    assert display.ax_ is ax
    assert display.feasible_set_patch_.get_hatch() == "."
    assert display.frontier_line_.get_linewidth() == 7
    assert display.point_marks_["p"].get_markersize() == 3
    assert display.legend_.get_title().get_text() == "risks"
    assert ax.spines["top"].get_visible()
    assert display.plot(plot_legend=False).legend_ is None


def test_labels_and_content_of_given_axes_stay():
    support, _ = sample()
    _, ax = plt.subplots()
    ax.set_xlabel("error rate of men")
    ax.plot([5.0], [4.0], "o")
    display = FrontierDisplay.from_support_function(support).plot(ax)
    assert ax.get_xlabel() == "error rate of men"
    assert ax.get_ylabel() == "risk of b"
    assert contains(display, np.array([[5.0, 4.0]]))


@pytest.mark.parametrize(("design", "added"), CASES)
@pytest.mark.parametrize("zoom", [False, True])
def test_names_cover_neither_each_other_nor_the_legend(design, added, zoom):
    data = data_of(design, 4000)
    display = FrontierDisplay.from_support_function(
        support_of(data, added), algorithms={"status quo": data.status_quo(data.data)},
        directions={"egalitarian": [-1, -1.2], "utilitarian": [-1, -1]},
    ).plot(zoom=zoom, improvements_over="status quo")
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in display.best_point_names_]
    boxes.append(display.legend_.get_window_extent())
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])
    figure = display.figure_.bbox
    assert all(figure.x0 <= box.x0 and box.x1 <= figure.x1 for box in boxes)


def test_few_corners_keep_the_ends_and_stay_near():
    turn = np.sort(np.random.default_rng(0).random(50_000)) * np.pi
    path = np.column_stack([np.cos(turn), np.sin(turn)])
    few = few_corners(path, 400)
    assert len(few) <= 402
    assert_array_equal(few[[0, -1]], path[[0, -1]])
    assert np.hypot(*np.diff(few, axis=0).T).max() < 2 * np.pi / 399
    assert few_corners(path[:4], 4) is not None
    assert_array_equal(few_corners(path[:4], 4), path[:4])
    assert_array_equal(few_corners(np.zeros((9, 2)), 3), np.zeros((2, 2)))


def test_a_large_sample_is_drawn_with_few_corners():
    support = support_of(data_of(n=5000))
    display = FrontierDisplay.from_support_function(support).plot(n_corners=100)
    assert len(display.frontier_line_.get_xydata()) <= 102
    assert len(display.feasible_set_patch_.get_xy()) <= 103
    assert len(display.frontier) > 1000


def test_one_point_has_limits_too():
    limits = square_limits(np.array([[0.3, 0.3]]), 0.1)
    assert (limits[:, 0] < 0.3).all()
    assert (limits[:, 1] > 0.3).all()
    assert (np.ptp(square_limits(np.zeros((1, 2)), 0.1), axis=1) > 0).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"algorithms": [0.5] * 400}, TypeError, "algorithms must be a mapping"),
        ({"algorithms": {1: [0.5] * 400}}, TypeError, "must have strings for names, got 1"),
        ({"algorithms": {"a": [0.5] * 3}}, ValueError, r"algorithms\['a'\] has 3"),
        ({"algorithms": {"a": [2.0] * 400}}, ValueError, r"algorithms\['a'\] must be probab"),
        ({"algorithms": {"a": [0.5, np.nan]}}, ValueError, r"algorithms\['a'\] has 1 NaN"),
        ({"algorithms": {"a": [0] * 400}, "points": {"a": (1, 1)}}, ValueError, "'a' is named in"),
        ({"points": {"a": [0.5] * 400}}, ValueError, "must hold two numbers.*go to algorithms="),
        ({"points": {"a": [0.5, np.nan]}}, ValueError, r"points\['a'\] has 1 NaN"),
        ({"standard_errors": {"a": (1, 1)}}, ValueError, "'a', which is not in points"),
        ({"points": {"a": (0.5, 0.5)}, "standard_errors": {"a": (-1, 1)}}, ValueError,
         "must be at least 0"),
        ({"directions": [[0, 0]]}, ValueError, "q holds the direction 0"),
        ({"directions": [1, 2, 3]}, ValueError, "q must have shape"),
        ({"directions": {2: [1, 2]}}, TypeError, "directions must have strings"),
        ({"levels": "true"}, ValueError, "levels must be one of"),
        ({"less_discriminatory": [[1, 2, 3]]}, ValueError, "less_discriminatory must have shape"),
        ({"confidence_sets": {"s": 3}}, ValueError, r"confidence_sets\['s'\] must have candid"),
        ({"confidence_sets": {"s": SimpleNamespace(candidates=np.ones((3, 2)), inside=[True])}},
         ValueError, r"got \(3, 2\) and \(1,\)"),
    ],
)
def test_a_wrong_input_is_named(options, error, message):
    support, _ = sample()
    with pytest.raises(error, match=message):
        FrontierDisplay.from_support_function(support, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"improvements_over": "nobody"}, "improvements_over='nobody' is no algorithm"),
        ({"confidence_level": 1.0}, "confidence_level must lie in"),
        ({"n_corners": 1}, "n_corners must be at least 2"),
    ],
)
def test_a_wrong_request_is_named_and_opens_no_figure(options, message):
    display = FrontierDisplay.from_support_function(sample()[0])
    with pytest.raises(ValueError, match=message):
        display.plot(**options)
    assert plt.get_fignums() == []


def test_an_estimator_is_no_support_function():
    with pytest.raises(TypeError, match=r"got a LogisticRegression.*goes to from_estimator"):
        FrontierDisplay.from_support_function(LogisticRegression())
