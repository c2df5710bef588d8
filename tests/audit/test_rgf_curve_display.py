"""What the RGF display holds, reads from estimators, and draws."""

import copy

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from fairrank.audit import RGFCurveDisplay
from fairrank.audit._style import spelled_pvalue
from fairrank.inference import rgf_test
from fairrank.metrics import rgf_curve

plt = pytest.importorskip("matplotlib.pyplot")
pd = pytest.importorskip("pandas")


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def scored(n=600, seed=0, n_groups=2):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, size=n)
    group = rng.choice(list("abcde")[:n_groups], size=n)
    group[: n // 2] = "a"
    return (rng.random(n) < p).astype(int), p, group


def display_of(**options):
    y, p, group = scored(**{k: options.pop(k) for k in ("n", "n_groups") if k in options})
    options = {"n_permutations": 19, "random_state": 0, **options}
    return RGFCurveDisplay.from_predictions(y, p, sensitive_features=group, **options)


def fitted():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["x", "z", "race"])
    X["race"] = rng.integers(0, 2, 200)
    y = np.where(X["x"] + rng.normal(size=200) > 0, "yes", "no")
    return LogisticRegression().fit(X, y), X, y


# ---------------------------------------------------------------- what it holds

def test_it_holds_the_curve_of_rgf_curve():
    y, p, group = scored()
    held = display_of(min_group_size=10).curve
    curve = rgf_curve(y, p, sensitive_features=group, min_group_size=10)
    np.testing.assert_equal(held.to_dict(), curve.to_dict())


def test_every_p_value_is_that_of_rgf_test_among_the_largest():
    y, p, group = scored()
    display = display_of(test_at=(0.3, 1.0, 0.15), strata="outcome")
    assert display.test_at.tolist() == [0.15, 0.3, 1.0]
    assert display.pvalues.tolist() == [
        rgf_test(
            y, p, sensitive_features=group, strata="outcome", top=q, n_permutations=19,
            random_state=0,
        ).pvalue
        for q in (0.15, 0.3, 1.0)
    ]


def test_the_tie_tolerance_reaches_the_curve_and_the_tests():
    y, p, group = scored()
    display = display_of(tie_tolerance=1e-3, test_at=(0.5,))
    options = {"sensitive_features": group, "tie_tolerance": 1e-3}
    assert display.curve.rgf[-1] == rgf_curve(y, p, **options).rgf[-1]
    assert display.curve.rgf[-1] != rgf_curve(y, p, sensitive_features=group).rgf[-1]
    test = rgf_test(y, p, top=0.5, n_permutations=19, random_state=0, **options)
    assert display.tests[0.5].statistic == test.statistic


def test_a_fraction_without_some_group_is_not_tested():
    burden, group = np.arange(1.0, 101.0), np.repeat(["b", "a"], [50, 50])
    display = RGFCurveDisplay.from_predictions(
        None, None, burden=burden, sensitive_features=group, test_at=(0.2, 0.8),
        n_permutations=19, random_state=0,
    )
    assert display.tests[0.2] is None
    assert np.isnan(display.pvalues).tolist() == [True, False]
    display.plot()
    assert len(display.test_markers_) == 1
    assert "p = n/a" in [text.get_text() for text in display.ax_.texts]


def test_a_fraction_whose_strata_hold_one_group_is_not_tested():
    burden, group = np.arange(1.0, 101.0), np.tile(["b", "a"], 50)
    strata = np.where(burden > 80, group, "rest")
    display = RGFCurveDisplay.from_predictions(
        None, None, burden=burden, sensitive_features=group, test_at=(0.2, 1.0), strata=strata,
        n_permutations=19, random_state=0,
    )
    assert np.isnan(display.pvalues).tolist() == [True, False]


def test_masses_are_drawn_but_not_tested():
    weight = np.random.default_rng(0).random(600) + 0.5
    assert display_of(sample_weight=weight).test_at.size == 0
    with pytest.raises(ValueError, match="integer weights"):
        display_of(sample_weight=weight, test_at=(0.5,))


@pytest.mark.parametrize("q", [0.0, 1.5, -0.1])
def test_a_fraction_outside_the_unit_interval_is_refused(q):
    with pytest.raises(ValueError, match="test_at must lie in"):
        display_of(test_at=(q,))


# ---------------------------------------------------------------- estimators

@pytest.mark.parametrize(
    "sensitive_features", ["race", 2, -1, ["race"], lambda X: X["race"], "array"]
)
def test_groups_come_from_a_column_a_callable_or_an_array(sensitive_features):
    model, X, y = fitted()
    if isinstance(sensitive_features, str) and sensitive_features == "array":
        sensitive_features = X["race"].to_numpy()
    display = RGFCurveDisplay.from_estimator(
        model, X, y, sensitive_features=sensitive_features, test_at=()
    )
    score = model.predict_proba(X)[:, 1]
    curve = rgf_curve(y, score, sensitive_features=X["race"], pos_label="yes")
    np.testing.assert_equal(display.curve.to_dict(), curve.to_dict())
    assert display.name == "LogisticRegression"


def test_a_list_with_one_entry_a_row_holds_the_groups():
    model, X, y = fitted()
    display = RGFCurveDisplay.from_estimator(
        model, X, y, sensitive_features=X["race"].tolist(), test_at=()
    )
    assert display.curve.groups == (0, 1)


def test_columns_of_a_list_make_intersections():
    model, X, y = fitted()
    X = X.assign(z=(X["z"] > 0).astype(int))
    display = RGFCurveDisplay.from_estimator(
        model, X, y, sensitive_features=["race", "z"], test_at=()
    )
    assert display.curve.groups == ((0, 0), (0, 1), (1, 0), (1, 1))


def test_pos_label_picks_the_column_of_the_probabilities():
    model, X, y = fitted()
    of_no, of_yes = (
        RGFCurveDisplay.from_estimator(
            model, X, y, sensitive_features="race", pos_label=label, test_at=()
        )
        for label in ("no", "yes")
    )
    # |y - p| is the same burden from either side.
    assert of_no.curve.rgf == pytest.approx(of_yes.curve.rgf, nan_ok=True)


def test_an_estimator_that_is_not_fitted_is_named_first():
    with pytest.raises(NotFittedError):
        RGFCurveDisplay.from_estimator(LinearSVC(), None, None, sensitive_features="race")


def test_decision_values_are_not_taken_for_probabilities():
    _, X, y = fitted()
    with pytest.raises(AttributeError, match=r"no predict_proba, .* burden="):
        RGFCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y, sensitive_features="race")


def test_three_classes_and_an_unknown_label_are_refused():
    model, X, y = fitted()
    with pytest.raises(ValueError, match="pos_label='maybe' is not among"):
        RGFCurveDisplay.from_estimator(
            model, X, y, sensitive_features="race", pos_label="maybe"
        )
    three = np.array(["no", "yes", "maybe"])[np.arange(200) % 3]
    with pytest.raises(ValueError, match="has 3 classes"):
        RGFCurveDisplay.from_estimator(
            LogisticRegression().fit(X, three), X, three, sensitive_features="race"
        )


# ---------------------------------------------------------------- the picture

@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_the_lines_are_the_curve(n_groups):
    display = display_of(n_groups=n_groups, min_group_size=10)
    assert display.plot() is display
    curve = display.curve
    reliable = curve.q >= curve.q_min
    assert display.line_.get_xdata() == pytest.approx(curve.q[reliable])
    assert display.line_.get_ydata() == pytest.approx(curve.rgf[reliable])
    assert display.centered_line_.get_ydata() == pytest.approx(curve.centered_rgf[reliable])
    assert display.null_line_.get_ydata() == pytest.approx(curve.null_reference, nan_ok=True)
    assert display.unreliable_line_.get_xdata()[-1] == curve.q_min
    assert display.figure_ is display.ax_.figure
    assert f"AURGF = {curve.area:.3f}" in display.line_.get_label()
    assert "under 10 rows" in " ".join(display.ax_.get_legend_handles_labels()[1])


def test_markers_are_filled_where_p_is_small():
    group = np.repeat(["a", "b"], 300)
    burden = np.random.default_rng(0).random(600) * np.where(group == "b", 2.0, 1.0)
    display = RGFCurveDisplay.from_predictions(
        None, None, burden=burden, sensitive_features=group, n_permutations=99, random_state=0,
        test_at=(1.0,),
    ).plot()
    null = display_of(test_at=(1.0,), n_permutations=99).plot()
    assert display.pvalues[0] <= 0.05 < null.pvalues[0]
    assert display.test_markers_[0].get_markerfacecolor() == display.line_.get_color()
    assert null.test_markers_[0].get_markerfacecolor() == "white"


def test_plotting_changes_no_data_and_can_be_repeated():
    display = display_of()
    before, results = copy.deepcopy(display.curve.to_dict()), dict(display.tests)
    figure, axes = plt.subplots(ncols=2)
    for ax in axes:
        assert display.plot(ax).ax_ is ax
    assert display.figure_ is figure
    np.testing.assert_equal(display.curve.to_dict(), before)
    assert display.tests == results


def test_every_option_reaches_the_picture():
    options = {"color": "red", "label": "mine"}
    display = display_of(name="model").plot(
        centered=False, curve_kwargs=options, null_kwargs={"linestyle": ":"}, despine=False
    )
    assert display.line_.get_color() == "red"
    assert display.line_.get_label().startswith("mine")
    assert display.null_line_.get_linestyle() == ":"
    assert display.centered_line_ is None
    assert display.ax_.spines["top"].get_visible()
    assert display.ax_.get_title() == "RGF curve of model"
    assert display.plot(name="other").ax_.get_title() == "RGF curve of other"
    assert not display.ax_.spines["top"].get_visible()
    assert options == {"color": "red", "label": "mine"}


def test_a_curve_without_reliable_part_is_still_drawn():
    display = display_of(min_group_size=10_000).plot()
    assert display.curve.q_min == 1.0
    assert display.area_ is None
    assert display.line_.get_label() == "RGF"


def test_the_figure_can_be_saved(tmp_path):
    display = display_of(n_groups=3).plot()
    display.figure_.savefig(tmp_path / "rgf.png")
    assert (tmp_path / "rgf.png").stat().st_size > 0


@pytest.mark.parametrize(
    ("pvalue", "text"),
    [(1.0, "1"), (0.9996, "1"), (0.0123, ".012"), (0.0005, ".0005"), (1e-6, "<.0001"),
     (float("nan"), "n/a")],
)
def test_p_values_are_spelled_short(pvalue, text):
    assert spelled_pvalue(pvalue) == text
