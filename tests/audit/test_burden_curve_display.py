"""What the burden display holds, reads from estimators, and draws."""

import copy

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from fairrank.audit import BurdenCurveDisplay
from fairrank.inference import burden_curve

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def scored(n=500, n_groups=2, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, size=n)
    group = rng.choice(list("abcde")[:n_groups], size=n)
    group[: n // 2] = "a"
    return (rng.random(n) < p).astype(int), p, group


def display_of(n_groups=2, name=None, **options):
    y, p, group = scored(n_groups=n_groups)
    options = {"n_permutations": 39, "random_state": 0, **options}
    return BurdenCurveDisplay.from_predictions(
        y, p, sensitive_features=group, name=name, **options
    )


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_it_holds_the_result_of_burden_curve():
    y, p, group = scored()
    curve = burden_curve(
        y, p, sensitive_features=group, strata="outcome", n_permutations=39, random_state=0
    )
    assert display_of(strata="outcome").curve.to_dict() == curve.to_dict()


@pytest.mark.parametrize("sensitive_features", [1, lambda X: X[:, 1], "array"])
def test_an_estimator_gives_the_scores_and_its_x_the_groups(sensitive_features):
    rng = np.random.default_rng(0)
    X = np.column_stack((rng.normal(size=200), rng.integers(0, 2, 200)))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    display = BurdenCurveDisplay.from_estimator(
        model, X, y,
        sensitive_features=X[:, 1] if sensitive_features == "array" else sensitive_features,
        n_permutations=19, random_state=0,
    )
    curve = burden_curve(
        y, model.predict_proba(X)[:, 1], sensitive_features=X[:, 1], pos_label="yes",
        n_permutations=19, random_state=0,
    )
    assert display.curve.to_dict() == curve.to_dict()
    assert display.name == "LogisticRegression"
    with pytest.raises(AttributeError, match="no predict_proba"):
        BurdenCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y, sensitive_features=1)


@pytest.mark.parametrize("n_groups", [2, 3, 4, 5])
def test_three_panels_show_the_arrays(n_groups):
    display = display_of(n_groups)
    assert display.plot() is display
    curve = display.curve
    assert display.axes_.shape == (3,)
    assert display.ax_ is display.axes_[0]
    assert display.ax_.figure is display.figure_
    assert list(display.lines_) == list(curve.groups)
    for g, label in enumerate(curve.groups):
        assert np.array_equal(display.lines_[label].get_ydata(), curve.completed_path[g])
    assert len(display.difference_lines_) == (1 if n_groups == 2 else n_groups)
    for label, line in display.difference_lines_.items():
        g = curve.groups.index(label)
        assert line.get_ydata() == pytest.approx(100.0 * curve.centered_path[g])
        shape = display.bands_[label].get_paths()[0].get_extents()
        assert shape.ymin == pytest.approx(100.0 * curve.low[g].min())
        assert shape.ymax == pytest.approx(100.0 * curve.high[g].max())


def test_bars_stack_to_the_groups_part_of_every_decile():
    display = display_of(3).plot(panels="deciles", group="c")
    curve = display.curve
    stacked = sum(np.array([bar.get_height() for bar in bars]) for bars in display.bars_)
    total = curve.decile_burden.sum(axis=0)
    assert stacked == pytest.approx(100.0 * curve.decile_burden[2] / total)
    assert len(display.bars_) == 2
    assert display.ax_.get_title() == "Who carries it: c"


def test_a_given_burden_has_one_bar_a_decile():
    rng = np.random.default_rng(0)
    display = BurdenCurveDisplay.from_predictions(
        None, None, burden=rng.random(200), sensitive_features=rng.integers(0, 2, 200),
        n_permutations=19, random_state=0,
    ).plot()
    assert len(display.bars_) == 1


def test_the_group_in_focus_is_the_most_burdened_but_never_the_largest():
    group = np.repeat(["big", "fine", "harmed"], [400, 100, 100])
    factor = np.repeat([3.0, 1.0, 2.0], [400, 100, 100])
    burden = np.random.default_rng(0).random(600) * factor
    display = BurdenCurveDisplay.from_predictions(
        None, None, burden=burden, sensitive_features=group, n_permutations=19, random_state=0
    ).plot(panels="deciles")
    assert display.ax_.get_title() == "Who carries it: harmed"


def test_the_mirrored_path_of_two_groups_can_be_chosen():
    display = display_of()
    assert list(display.plot(panels="difference").difference_lines_) == ["b"]
    assert list(display.plot(panels="difference", group="a").difference_lines_) == ["a"]


def test_the_path_is_thick_where_it_leaves_the_band():
    group = np.repeat(["a", "b"], 300)
    burden = np.random.default_rng(0).random(600) * np.where(group == "b", 2.0, 1.0)
    display = BurdenCurveDisplay.from_predictions(
        None, None, burden=burden, sensitive_features=group, n_permutations=99, random_state=0
    ).plot(panels=["difference"])
    thick = [line for line in display.ax_.get_lines() if line.get_linewidth() > 3.0]
    assert len(thick) == 1
    shown = ~np.isnan(thick[0].get_ydata())
    assert np.array_equal(shown, display.curve.outside[1])


def test_panels_go_to_the_axes_given():
    figure, axes = plt.subplots(2, 2)
    display = display_of().plot(axes[0], panels=("deciles", "curves"))
    assert display.axes_.tolist() == axes[0].tolist()
    assert display.figure_ is figure
    assert display.plot(axes[1, 0], panels="difference").ax_ is axes[1, 0]


def test_plotting_changes_no_data_and_can_be_repeated():
    display = display_of(3)
    before = copy.deepcopy(display.curve.to_dict())
    display.plot()
    display.plot(group="b")
    assert display.curve.to_dict() == before


def test_every_option_reaches_the_picture():
    display = display_of(name="model").plot(
        curve_kwargs={"color": "red"}, null_kwargs={"linestyle": ":"}, despine=False,
        band_kwargs={"facecolor": "yellow"},
    )
    assert display.lines_["a"].get_color() == "red"
    assert display.difference_lines_["b"].get_color() == "red"
    assert display.bands_["b"].get_facecolor()[0].tolist() == [1.0, 1.0, 0.0, 1.0]
    assert display.axes_[1].get_lines()[0].get_linestyle() == ":"
    assert display.figure_.get_suptitle() == "model"
    assert all(ax.spines["top"].get_visible() for ax in display.axes_)
    other = display.plot(name="other")
    assert other.figure_.get_suptitle() == "other"
    assert not any(ax.spines["top"].get_visible() for ax in other.axes_)


def test_the_line_of_no_difference_says_what_it_is():
    plain, conditional = display_of().plot(), display_of(strata="score").plot()
    assert any("its part of all rows" in text for text in legend_of(plain.axes_[2]))
    assert "if labels were exchanged" in legend_of(conditional.axes_[2])
    assert "95 % band of exchanged labels" in legend_of(plain.axes_[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "z"}, "group='z' is not among the groups"),
        ({"panels": ("curves", "area")}, "panels must be one of"),
        ({"panels": ()}, "panels"),
        ({"axes": "one"}, "axes holds 1 Axes for the 3 panels"),
    ],
)
def test_bad_input_is_named(options, message):
    if "axes" in options:
        options = {"axes": plt.subplots()[1]}
    with pytest.raises(ValueError, match=message):
        display_of().plot(**options)


def test_deciles_without_burden_have_no_bar(tmp_path):
    rng = np.random.default_rng(0)
    burden = np.concatenate((np.zeros(150), rng.random(150)))
    display = BurdenCurveDisplay.from_predictions(
        None, None, burden=burden, sensitive_features=rng.integers(0, 2, 300),
        n_permutations=39, random_state=0,
    ).plot()
    heights = np.array([bar.get_height() for bar in display.bars_[0]])
    assert np.isnan(heights[:5]).all()
    display.figure_.savefig(tmp_path / "burden.png")
    assert (tmp_path / "burden.png").stat().st_size > 0
