"""The picture of both xROC curves."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from fairrank.metrics import xauc_score, xroc_curve
from fairrank.ranking import XOrderPostProcessor, XROCDisplay

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def scored():
    rng = np.random.default_rng(0)
    group, y = rng.choice(["a", "b"], 200), rng.integers(0, 2, 200)
    yield y, rng.normal(size=200) + y + 0.5 * (group == "b"), group
    plt.close("all")


def test_the_disparity_is_that_of_the_two_directions(scored):
    y, score, group = scored
    display = XROCDisplay.from_predictions(y, score, sensitive_features=group)
    first, second = display.pair
    gap = xauc_score(y, score, sensitive_features=group, above=first, below=second)
    gap -= xauc_score(y, score, sensitive_features=group, above=second, below=first)
    assert display.disparity == pytest.approx(gap)


def test_plot_draws_both_directions_and_leaves_the_curves_alone(scored):
    y, score, group = scored
    display = XROCDisplay.from_predictions(
        y, score - 0.5 * (group == "b"), y_score_before=score, sensitive_features=group
    )
    held = [curve.to_dict() for curve in (*display.curves, *display.before)]
    assert display.plot() is display
    for lines, curves in (
        (display.lines_, display.curves), (display.before_lines_, display.before)
    ):
        for line, curve in zip(lines, curves, strict=True):
            np.testing.assert_array_equal(line.get_xydata().T, [curve.fpr, curve.tpr])
    assert [curve.to_dict() for curve in (*display.curves, *display.before)] == held


def test_a_model_is_asked_for_its_scores(scored):
    y, score, group = scored
    X = np.column_stack((score, group == "b"))
    model = LogisticRegression().fit(X, y)
    display = XROCDisplay.from_estimator(model, X, y, sensitive_features=1)
    direct = XROCDisplay.from_predictions(
        y, model.decision_function(X), sensitive_features=X[:, 1]
    )
    assert abs(display.disparity) == pytest.approx(abs(direct.disparity))


def test_the_model_inside_is_shown_the_columns_it_was_fitted_on(scored):
    y, score, group = scored
    X = np.column_stack((score, group == "b"))
    fair = XOrderPostProcessor(
        LogisticRegression(), sensitive_features=1, drop_sensitive=True, random_state=0
    ).fit(X, y)
    display = XROCDisplay.from_estimator(
        fair, X, y, sensitive_features=1, before=fair.estimator_
    )
    scores = fair.estimator_.predict_proba(X[:, :1])[:, 1]
    direct = XROCDisplay.from_predictions(
        y, scores, sensitive_features=X[:, 1], pair=display.pair
    )
    assert display.disparity_before == pytest.approx(direct.disparity)


def test_the_pair_is_the_one_that_was_furthest_apart_before(scored):
    y, score, group = scored
    group = np.where(np.arange(200) % 3 == 0, "c", group)
    after = score - 2.0 * (group == "c")
    display = XROCDisplay.from_predictions(
        y, after, y_score_before=score + 3.0 * (group == "a"), sensitive_features=group
    )
    assert display.pair[0] == "a"
    assert display.disparity_before > display.disparity
    chosen = XROCDisplay.from_predictions(y, after, sensitive_features=group, pair=("c", "b"))
    assert chosen.pair == ("c", "b")
    assert np.isnan(chosen.disparity_before)
    direct = xroc_curve(y, after, sensitive_features=group, above="b", below="c")
    np.testing.assert_array_equal(chosen.curves[1].tpr, direct.tpr)


@pytest.mark.parametrize("pair", ["ab", ("a",), ("a", "b", "c")])
def test_a_pair_is_two_groups(scored, pair):
    y, score, group = scored
    with pytest.raises(ValueError, match="pair must be two groups"):
        XROCDisplay.from_predictions(y, score, sensitive_features=group, pair=pair)


def test_the_shaded_area_is_that_between_the_curves(scored):
    y, score, group = scored
    score = score + 3.0 * (group == "b")  # the curves do not cross
    display = XROCDisplay.from_predictions(y, score, sensitive_features=group).plot()
    (path,) = display.gap_.get_paths()
    x, height = path.vertices.T
    area = abs(np.sum(x[:-1] * height[1:] - x[1:] * height[:-1])) / 2.0
    assert area == pytest.approx(display.disparity)


def test_the_look_can_be_changed_on_given_axes(scored):
    y, score, group = scored
    _, ax = plt.subplots()
    display = XROCDisplay.from_predictions(
        y, score, sensitive_features=group, name="stored"
    ).plot(
        ax, name="given", curve_kwargs=[{"color": "red"}, None], plot_chance_level=False,
        despine=False,
    )
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.lines_[0].get_color() == "red"
    assert display.chance_level_ is None
    assert display.before_lines_ == ()
    assert "given" in ax.get_title()
    assert ax.spines["top"].get_visible()


def test_the_title_fits_and_tells_the_disparities(scored):
    y, score, group = scored
    display = XROCDisplay.from_predictions(
        y, score, y_score_before=score + (group == "b"), sensitive_features=group,
        name="HistGradientBoostingClassifier",
    ).plot()
    display.figure_.canvas.draw()
    box = display.ax_.title.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= display.figure_.bbox.x1
    name, gaps = display.ax_.get_title().split("\n")
    assert name == "xROC curves of HistGradientBoostingClassifier"
    assert gaps == (
        f"xAUC disparity {display.disparity_before:+.3f} (dashed) → {display.disparity:+.3f}"
    )
    for line, before, after in zip(display.lines_, display.before, display.curves):
        assert line.get_label().endswith(f"{before.area:.3f} → {after.area:.3f}")


@pytest.mark.parametrize("columns", ["groups", ["first", "second"], lambda X: X["groups"], -1])
def test_groups_come_from_columns_a_callable_or_an_array(scored, columns):
    pd = pytest.importorskip("pandas")
    y, score, group = scored
    coded = (group == "b").astype(int)
    X = pd.DataFrame({"x": score, "first": coded, "second": coded, "groups": coded})
    model = LogisticRegression().fit(X, y)
    found = XROCDisplay.from_estimator(model, X, y, sensitive_features=columns)
    listed = XROCDisplay.from_estimator(model, X, y, sensitive_features=coded.tolist())
    assert found.disparity == listed.disparity


def test_a_score_toward_either_class_is_read(scored):
    y, score, group = scored
    X, labels = score[:, None], np.where(y == 1, "yes", "no")
    svc = LinearSVC().fit(X, labels)
    toward = XROCDisplay.from_estimator(svc, X, labels, sensitive_features=group)
    direct = XROCDisplay.from_predictions(y, score, sensitive_features=group)
    assert toward.name == "LinearSVC"
    assert toward.disparity == pytest.approx(direct.disparity)
    away = XROCDisplay.from_estimator(svc, X, labels, sensitive_features=group, pos_label="no")
    back = XROCDisplay.from_predictions(1 - y, -score, sensitive_features=group)
    assert away.disparity == pytest.approx(back.disparity)
    early = XROCDisplay.from_estimator(
        svc, X, labels, sensitive_features=group, before=LogisticRegression().fit(X, labels)
    )
    assert early.disparity_before == pytest.approx(early.disparity)


def test_models_that_give_no_ranking_are_refused(scored):
    y, score, group = scored
    X = score[:, None]
    for model, error, said in (
        (LogisticRegression(), NotFittedError, "not fitted"),
        (Ridge().fit(X, y), AttributeError, "Ridge has no predict_proba and no decision_funct"),
        (LogisticRegression().fit(X, np.arange(200) % 3), ValueError, "has 3 classes"),
    ):
        with pytest.raises(error, match=said):
            XROCDisplay.from_estimator(model, X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="pos_label=7 is not among"):
        XROCDisplay.from_estimator(
            LogisticRegression().fit(X, y), X, y, sensitive_features=group, pos_label=7
        )
