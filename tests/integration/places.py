"""Places of scikit-learn that the subjects of the matrix are put in.

Every place is a function of a `Case`. It checks what is its own, and returns numbers, which the
matrix compares between dresses.
"""

import pickle
import tempfile

import joblib
import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from fairrank.metrics import make_fairness_scorer, xauc_disparity
from integration.subjects import (
    ESTIMATORS,
    SCORERS,
    Dress,
    MeanDifference,
    blind,
    population,
)


class Case:
    """A subject in a dress, and what goes with it in any place.

    An estimator is scored by ranking disparity; a scorer scores a model that is not shown the
    group.
    """

    def __init__(self, subject: str, dress: Dress):
        self.subject, self.dress = subject, dress
        self.X, self.y = dress.X(), population()[2]
        self.is_scorer = subject in SCORERS
        self._estimator = None if self.is_scorer else ESTIMATORS[subject]
        # What is passed to a fit, to a prediction, and to a place that scores.
        asked = self._estimator
        self.at_fit = dress.metadata() if asked and asked.asks_at_fit else {}
        self.at_predict = dress.metadata() if asked and asked.asks_at_predict else {}
        # Without routing nobody but the estimator takes groups, and a blind model takes none.
        routed = get_config()["enable_metadata_routing"]
        self.at_scoring = {} if self.is_scorer and not routed else dress.metadata()

    def estimator(self, X=None):
        """A fresh one, for tables such as `X`."""
        if self.is_scorer:
            return blind()
        return self._estimator.make(self.dress, self.X if X is None else X)

    def fitted(self):
        return self.estimator().fit(self.X, self.y, **self.at_fit)

    def grid(self, estimator):
        if self.is_scorer:
            return {"pull": [0.2, 1.0]}
        return self._estimator.grid(estimator)

    def scorer(self):
        if self.is_scorer:
            return SCORERS[self.subject](self.dress)
        return make_fairness_scorer(
            xauc_disparity, sensitive_features=self.dress.sensitive_features,
            response_method=["predict_proba", "decision_function"],
        )

    def scoring(self):
        """Several metrics: this one and another, which is handed the groups for the model."""
        scorer = self.scorer()
        if isinstance(scorer.metric, dict):
            return scorer
        accuracy = make_fairness_scorer(
            accuracy_score, sensitive_features=self.dress.sensitive_features,
            response_method="predict",
        )
        return {"fairness": scorer, "accuracy": accuracy}

    def refit(self):
        return "fairness" if isinstance(self.scorer().metric, dict) else True

    @property
    def answers(self):
        return self._estimator.answers

    def judged(self, model, methods=(), given=None):
        """Answers of a fitted model, or the scorer's number of it."""
        if self.is_scorer:
            return numbers(self.scorer()(model, self.X, self.y, **self.dress.metadata()))
        given = self.at_predict if given is None else given
        return answers(model, self.X, methods or self.answers, given)


def numbers(value):
    """One array of a number, an array or a dict of them."""
    parts = value.values() if isinstance(value, dict) else [value]
    return np.concatenate([np.ravel(np.asarray(part, dtype=np.float64)) for part in parts])


def answers(model, X, methods, given):
    return np.concatenate([np.ravel(getattr(model, name)(X, **given)) for name in methods])


def in_a_pipeline(case, *before):
    """The subject as the last step, fitted."""
    seen = case.X
    for step in before:
        seen = step.fit_transform(seen)
    model = make_pipeline(*before, case.estimator(seen))
    return fit_pipeline(model, case)


def fit_pipeline(model, case, step=-1):
    routed = get_config()["enable_metadata_routing"]
    prefix = "" if routed else f"{model.steps[step][0]}__"
    return model.fit(
        case.X, case.y, **{f"{prefix}{name}": value for name, value in case.at_fit.items()}
    )


def columns(*, are_named=True):
    """Scales two columns and lets the others pass."""
    return make_column_transformer(
        (StandardScaler(), [0, 1]), remainder="passthrough",
        verbose_feature_names_out=not are_named,
    )


def of_pipelines(case):
    """Methods that a Pipeline hands groups on to, routing or not."""
    return () if case.is_scorer else [m for m in case.answers if m != "decision_function"]


def pipeline(case):
    return case.judged(in_a_pipeline(case, FunctionTransformer()), of_pipelines(case))


def decision_function_of_pipeline(case):
    return case.judged(in_a_pipeline(case, FunctionTransformer()), ("decision_function",))


def column_transformer(case):
    """Gives an array, without the names of columns."""
    return case.judged(in_a_pipeline(case, columns()), of_pipelines(case))


def set_output(case):
    """The same, giving frames."""
    kind = "pandas" if case.dress.table == "numpy" else case.dress.table
    # scikit-learn 1.8 names an array's columns alike when they are not told apart by the step.
    before = columns(are_named=case.dress.table != "numpy").set_output(transform=kind)
    return case.judged(in_a_pipeline(case, before), of_pipelines(case))


def own_set_output(case):
    """A frame of the subject's own."""
    kind = "pandas" if case.dress.table == "numpy" else case.dress.table
    model = case.estimator().set_output(transform=kind)
    frame = model.fit(case.X, case.y, **case.at_fit).transform(case.X, **case.at_predict)
    assert type(frame).__module__.split(".")[0] == kind
    assert list(frame.columns) == ["fair_score"]
    return numbers(frame)


def step_before_another(case):
    """What it gives is what the next step is fitted on."""
    model = make_pipeline(case.estimator(), MeanDifference())
    fit_pipeline(model, case, step=0)
    return answers(model, case.X, ("predict_proba",), case.at_predict)


def inside_a_column_transformer(case):
    everything = list(range(case.X.shape[1]))
    model = make_column_transformer((case.estimator(), everything))
    model.fit(case.X, case.y, **case.at_fit)
    return numbers(model.transform(case.X, **case.at_predict))


def grid_search(case):
    """With several metrics. It leaves its estimator as it was, and scores with the groups."""
    estimator = case.estimator()
    before = estimator.get_params(deep=False)
    search = GridSearchCV(
        estimator, case.grid(estimator), scoring=case.scoring(), refit="fairness", cv=2,
        error_score="raise",
    ).fit(case.X, case.y, **case.at_scoring)
    assert all(estimator.get_params()[name] is value for name, value in before.items())
    means = {name: v for name, v in search.cv_results_.items() if name.startswith("mean_test")}
    assert len(means) > 1
    assert search.best_score_ == search.cv_results_["mean_test_fairness"].max()
    score = search.score(case.X, case.y, **case.at_scoring)
    return np.append(numbers(means), score)


def search_of(case, n_candidates=2):
    estimator = case.estimator()
    grid = {name: values[:n_candidates] for name, values in case.grid(estimator).items()}
    return GridSearchCV(
        estimator, grid, scoring=case.scorer(), refit=case.refit(), cv=2,
        error_score="raise",
    )


def search_that_predicts(case):
    """Its predict takes nothing but X, whatever its fit took."""
    search = search_of(case, 1).fit(case.X, case.y, **case.at_scoring)
    return answers(search, case.X, ("predict",), {})


def halving_grid_search(case):
    estimator = case.estimator()
    search = HalvingGridSearchCV(
        estimator, case.grid(estimator), scoring=case.scorer(), refit=case.refit(), cv=2,
        factor=2, min_resources=100, random_state=0, error_score="raise",
    ).fit(case.X, case.y, **case.at_scoring)
    assert search.n_resources_ == [100, 200]
    return numbers(search.cv_results_["mean_test_score"])


def cross_validated(case):
    found = cross_validate(
        case.estimator(), case.X, case.y, scoring=case.scoring(), cv=2, params=case.at_scoring,
        error_score="raise",
    )
    return numbers({name: v for name, v in found.items() if name.startswith("test_")})


def cross_validated_in_dask(case):
    """Inside the module's cluster, two folds at a time."""
    found = cross_validate(
        case.estimator(), case.X, case.y, scoring=case.scoring(), cv=2, params=case.at_scoring,
        error_score="raise", n_jobs=2,
    )
    return numbers({name: v for name, v in found.items() if name.startswith("test_")})


def nested_cross_validation(case):
    """Scored by the search's own scorer, which is handed the groups."""
    found = cross_validate(
        search_of(case), case.X, case.y, cv=2, params=case.at_scoring, error_score="raise"
    )
    return numbers(found["test_score"])


def cross_val_predicted(case):
    return np.concatenate([
        np.ravel(cross_val_predict(
            case.estimator(), case.X, case.y, cv=2, method=method, params=case.at_fit
        ))
        for method in case.answers
    ])


def calibrated_classifier(case):
    model = CalibratedClassifierCV(case.estimator(), method="isotonic", cv=2)
    model.fit(case.X, case.y, **case.at_fit)
    return case.judged(model, ("predict_proba",), {})


def stacking(case):
    model = StackingClassifier(
        [("subject", case.estimator()), ("blind", blind())], final_estimator=MeanDifference(), cv=2
    ).fit(case.X, case.y, **case.at_fit)
    return case.judged(model, ("predict_proba",), {})


def tuned_threshold(case):
    """Of an estimator for balanced accuracy; of a scorer for what it measures."""
    scoring = case.scorer() if case.is_scorer else "balanced_accuracy"
    model = TunedThresholdClassifierCV(case.estimator(), scoring=scoring, cv=2, thresholds=5)
    model.fit(case.X, case.y, **(case.at_scoring if case.is_scorer else case.at_fit))
    return np.append(model.best_threshold_, model.predict(case.X))


def importance_of_permuted_columns(case):
    found = permutation_importance(
        case.fitted(), case.X, case.y, scoring=case.scorer(), n_repeats=2, random_state=0
    )
    several = isinstance(case.scorer().metric, dict)
    # Of age and race the importance differs with the way: a callable reads the one.
    return numbers({
        name: bunch.importances[:2]
        for name, bunch in (found if several else {"one": found}).items()
    })


def curve_of_learning(case):
    found = learning_curve(
        case.estimator(), case.X, case.y, scoring=case.scorer(), cv=2, train_sizes=[0.5, 1.0],
        params=case.at_scoring, error_score="raise",
    )
    return numbers(found[2])


def cloned(case):
    if case.is_scorer:
        assert clone(case.scorer()) == case.scorer()
        return case.judged(clone(case.fitted()).fit(case.X, case.y))
    model = clone(case.fitted())
    assert type(model).__name__ == case.subject
    return case.judged(model.fit(case.X, case.y, **case.at_fit))


def pickled(case):
    if case.is_scorer:
        assert pickle.loads(pickle.dumps(case.scorer())) == case.scorer()
    return case.judged(pickle.loads(pickle.dumps(case.fitted())))


def fit_and_answer(estimator, X, y, at_fit, methods, at_predict):
    return answers(estimator.fit(X, y, **at_fit), X, methods, at_predict)


def fit_and_score(scorer, estimator, X, y, at_scoring):
    return numbers(scorer(estimator.fit(X, y), X, y, **at_scoring))


def joblib_memory(case):
    """What was called once with equals is not called again; a pipeline keeps its steps there."""
    with tempfile.TemporaryDirectory() as folder:
        store = joblib.Memory(folder, verbose=0)
        if case.is_scorer:
            call = store.cache(fit_and_score)

            def given():
                return case.scorer(), case.estimator(), case.X, case.y, case.dress.metadata()
        else:
            call = store.cache(fit_and_answer)

            def given():
                return (
                    case.estimator(), case.X, case.y, case.at_fit, of_pipelines(case),
                    case.at_predict,
                )
        found = call(*given())
        assert call.check_call_in_cache(*given())
        np.testing.assert_array_equal(call(*given()), found)
        steps = [("step", FunctionTransformer()), ("last", case.estimator())]
        kept = fit_pipeline(Pipeline(steps, memory=store), case)
        np.testing.assert_array_equal(case.judged(kept, of_pipelines(case)), found)
    return found


def html(estimator):
    # scikit-learn 1.8 on numpy 2.0 cannot draw words where the default is a number.
    plain = {"error_score": np.nan, "refit": True}
    named = {name: name.rsplit("__", 1)[-1] for name in estimator.get_params()}
    changed = {name: plain[last] for name, last in named.items() if last in plain}
    return estimator.set_params(**changed)._repr_html_()


def html_page(case):
    """As a notebook shows it, before and after it is fitted, and in a search."""
    if case.is_scorer:
        assert "make_fairness_scorer" in html(search_of(case))
        return numbers(1)
    pages = [html(case.estimator()), html(case.fitted()), html(search_of(case))]
    assert all(case.subject in page for page in pages)
    return numbers(len(pages))


PLACES = {
    place.__name__: place
    for place in (
        pipeline, decision_function_of_pipeline, column_transformer, set_output, own_set_output,
        step_before_another, inside_a_column_transformer, grid_search, search_that_predicts,
        halving_grid_search, cross_validated, cross_validated_in_dask, nested_cross_validation,
        cross_val_predicted, calibrated_classifier, stacking, tuned_threshold,
        importance_of_permuted_columns, curve_of_learning, cloned, pickled, joblib_memory,
        html_page,
    )
}
