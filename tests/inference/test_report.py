"""The report of one score: its parts are those of the single calls, and what it says together."""

import json

import numpy as np
import pytest

from fairrank.exceptions import DegenerateGroupError
from fairrank.inference import rgf_report, rgf_test
from fairrank.metrics import aurgf_score, rgf_score

FEW = {"n_permutations": 99, "n_resamples": 60, "n_null_draws": 20, "random_state": 0}


def scored(n=800, gap=0.0, seed=0):
    """Outcomes drawn from the scores of group a, and with `gap` more of group b."""
    rng = np.random.default_rng(seed)
    score, group = rng.beta(2, 5, n), np.where(rng.random(n) < 0.25, "b", "a")
    return rng.random(n) < np.clip(score + gap * (group == "b"), 0, 1), score, group


@pytest.fixture(scope="module")
def report():
    y, score, group = scored()
    return rgf_report(y, score, sensitive_features=group, **FEW)


def test_the_scores_are_those_of_the_metrics(report):
    y, score, group = scored()
    for centered, found in ((False, report.rgf), (True, report.centered_rgf)):
        expected = rgf_score(y, score, sensitive_features=group, centered=centered)
        assert found == pytest.approx(expected)
    assert report.curve.area == pytest.approx(aurgf_score(y, score, sensitive_features=group))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("test", {}), ("given_outcome", {"strata": "outcome"}),
        ("given_score", {"strata": "score"}), ("calibrated", {"reference": "calibrated"}),
    ],
)
def test_the_statistics_are_those_of_the_single_tests(report, name, options):
    y, score, group = scored()
    found = getattr(report, name)
    alone = rgf_test(y, score, sensitive_features=group, n_permutations=99, **options)
    assert found.statistic == pytest.approx(alone.statistic)
    assert found.strata.split(" x ")[0] == alone.strata
    assert found.null_distribution.size == 99
    assert report.not_tested == {}


def test_the_groups_are_summed_up(report):
    y, score, group = scored()
    for summary in report.groups:
        mine = group == summary.burden.group
        assert summary.burden.n_samples == mine.sum()
        assert summary.positive_rate == pytest.approx(y[mine].mean())
        assert summary.mean_score == pytest.approx(score[mine].mean())


def test_the_null_means_are_those_of_permuted_labels():
    y, score, group = scored(300)
    options = FEW | {"n_null_draws": 400}
    found = rgf_report(y, score, sensitive_features=group, **options)
    rng = np.random.default_rng(1)
    drawn = [rgf_score(y, score, sensitive_features=rng.permutation(group)) for _ in range(400)]
    error = np.std(drawn) * np.sqrt(2 / 400)
    assert abs(found.null_mean - np.mean(drawn)) < 4 * error


def test_the_same_seed_gives_the_same_report(report):
    y, score, group = scored()
    again = rgf_report(y, score, sensitive_features=group, n_jobs=2, **FEW)
    assert str(again) == str(report)
    other = rgf_report(y, score, sensitive_features=group, **(FEW | {"random_state": 1}))
    assert other.data_hash == report.data_hash
    assert other.interval != report.interval


def test_the_hash_is_of_the_audited_rows(report):
    y, score, group = scored()
    hashes = {report.data_hash} | {
        rgf_report(*rows, sensitive_features=features, **FEW).data_hash
        for rows, features in [
            ((y, np.sqrt(score)), group), ((~y, score), group), ((y, score), group[::-1]),
        ]
    }
    assert len(hashes) == 4


def test_the_page_has_every_part_and_is_narrow(report):
    page = str(report)
    for part in ("RGF", "AURGF", "labels exchanged among all rows", "Reading", report.data_hash):
        assert part in page
    assert max(map(len, page.split("\n"))) <= 99


def test_the_record_is_read_back_from_json(report):
    read = json.loads(json.dumps(report.to_dict()))
    assert read["test"]["pvalue"] == report.test.pvalue
    assert [row["group"] for row in read["groups"]] == ["a", "b"]
    assert read["reading"] == report.reading


def test_burdens_that_are_given_have_no_conditional_tests():
    burden = np.random.default_rng(0).random(40)
    found = rgf_report(None, None, sensitive_features=np.arange(40) % 2, burden=burden,
                       min_group_size=5, **FEW)
    assert found.given_outcome is found.given_score is found.calibrated is None
    assert found.not_tested == {}
    assert "like score" not in str(found)


# ---------------------------------------------------------------- words

def test_calibrated_scores_of_unlike_base_rates_are_told_apart_from_unlike_scores():
    rng = np.random.default_rng(2)
    group = np.repeat(["a", "b"], 2000)
    score = rng.beta(2, np.where(group == "a", 9, 3))
    y = rng.random(4000) < score
    found = rgf_report(y, score, sensitive_features=group, **FEW)
    assert found.test.pvalue <= 0.05 < found.calibrated.pvalue
    assert "unlike base rates give with calibrated scores" in found.reading
    assert "Among rows of like score there is no such evidence" in found.reading


def test_scores_that_mean_less_for_a_group_are_said_to():
    y, score, group = scored(3000, gap=0.3)
    reading = rgf_report(y, score, sensitive_features=group, **FEW).reading
    assert "the score does not mean the same for every group" in reading
    assert "base rates alone do not explain it" in reading


# ---------------------------------------------------------------- tests that cannot be made

OUTCOME = np.array([0, 1, 0, 1, 1, 0, 0, 1] * 5)
GROUP = np.repeat(["a", "b"], 20)


@pytest.mark.parametrize(
    ("name", "outcome", "score", "why"),
    [
        ("given_outcome", GROUP == "b", np.linspace(0.1, 0.9, 40), "none of its 2 strata"),
        ("given_score", OUTCOME, np.where(GROUP == "a", 0.2, 0.4), "none of its 2 strata"),
        ("calibrated", OUTCOME, 1.0 * (np.arange(40) % 3 == 0), "y_score holds only 0 and 1"),
    ],
)
def test_a_test_that_the_rows_leave_undefined_is_named_and_the_others_stand(
    name, outcome, score, why
):
    found = rgf_report(
        outcome, score, sensitive_features=GROUP, pos_label=True, min_group_size=5, **FEW
    )
    assert getattr(found, name) is None
    assert why in found.not_tested[name]
    assert set(found.not_tested) == {
        test for test in ("given_outcome", "given_score", "calibrated")
        if getattr(found, test) is None
    }
    assert "Not tested: " in found.reading
    assert why in " ".join(str(found).split())
    assert found.to_dict()[name] is None
    assert json.loads(json.dumps(found.to_dict()["not_tested"])) == found.not_tested


def test_strata_without_two_groups_leave_nothing_to_report():
    y, score, group = scored(60)
    with pytest.raises(DegenerateGroupError, match="none of its 2 strata holds two groups"):
        rgf_report(y, score, sensitive_features=group, strata=group, **FEW)


def test_columns_stay_below_their_heads_where_groups_have_long_names():
    y, score, group = scored(n=900)
    names = {"a": "applicants with a co-applicant", "b": "applicants without any co-applicant"}
    # A third group, or there is but one comparison.
    group = np.where(np.arange(900) % 3 == 0, "others", [names[one] for one in group])
    text = str(rgf_report(y, score, sensitive_features=group, **FEW)).split("\n")
    head = next(i for i, line in enumerate(text) if line.startswith("comparison"))
    rows = text[head + 2 : head + 5]
    assert all(" against " in row for row in rows)
    assert {len(row) for row in rows} == {len(text[head])}
