"""What cannot work in the integration matrix, why, and the message that says so."""

from dataclasses import dataclass

from integration.subjects import ESTIMATORS, SCORERS


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Cells that fail, and how.

    Attributes
    ----------
    reason : str
        Why it cannot work.
    places, subjects, tables, ways : tuple of str
        Which cells; None for all.
    routing : bool or None
    error : type
    message : str
        A regular expression, found in what is raised.
    """

    reason: str
    message: str
    places: tuple
    subjects: tuple | None = None
    tables: tuple | None = None
    ways: tuple | None = None
    routing: bool | None = None
    error: type = ValueError

    def covers(self, subject, place, dress, routing):
        return (
            place in self.places
            and (self.subjects is None or subject in self.subjects)
            and (self.tables is None or dress.table in self.tables)
            and (self.ways is None or dress.way in self.ways)
            and self.routing in (None, routing)
        )


# Cells that mean nothing: places for a kind of subject, or for one subject.
NO_PLACE = {
    ("scorer", "own_set_output"): "a scorer gives numbers, and has no columns to name",
    ("scorer", "step_before_another"): "no step of a Pipeline",
    ("scorer", "inside_a_column_transformer"): "no transformer",
    ("scorer", "cross_val_predicted"): "it predicts, and scores nothing",
    ("scorer", "decision_function_of_pipeline"): "a scorer is asked nothing but for its number",
    ("FeatureRemovalAuditor", "decision_function_of_pipeline"): "the model has none",
    ("WelfareEqualizingOffer", "decision_function_of_pipeline"): "of several products it has none",
}

ASKING_AT_FIT = tuple(name for name, one in ESTIMATORS.items() if one.asks_at_fit)
ASKING_AT_PREDICT = tuple(name for name, one in ESTIMATORS.items() if one.asks_at_predict)
NO_TRANSFORMERS = tuple(name for name, one in ESTIMATORS.items() if not one.is_transformer)
SCORED = (
    "grid_search", "search_that_predicts", "halving_grid_search", "cross_validated",
    "cross_validated_in_dask", "nested_cross_validation", "curve_of_learning",
)
NO_NAMES = r"'race' names a column, but X (is a ndarray without|has no) column names: "
NOBODY_TOLD_THE_SCORER = (
    r"make_fairness_scorer\(.*\) was given no sensitive_features\. Either name the column of X "
    r"that holds the group, .* or enable routing"
)
NOBODY_TOLD_THE_ESTIMATOR = (
    r"(Offer|Classifier|PostProcessor) was given no sensitive_features\. Name the group's column "
    r"of X in the constructor"
)


def only_with_routing(owner):
    """scikit-learn's own refusal of metadata."""
    return f"arguments to {owner} is only supported if enable_metadata_routing=True"


# Of several that cover a cell, the first is what happens.
REFUSALS = [
    Refusal(
        reason="a ColumnTransformer gives an array: columns have places and no names",
        places=("column_transformer",), subjects=tuple(ESTIMATORS), ways=("name",),
        message=NO_NAMES + "(pass a position or a data frame|give its position)",
    ),
    Refusal(
        reason="a callable that reads a frame is given that array",
        places=("column_transformer",), subjects=tuple(ESTIMATORS), ways=("callable",),
        error=IndexError,
        message=r"raised by the callable sensitive_features, which was given a ndarray\. In a "
        r"Pipeline .* set_output",
    ),
    Refusal(
        reason="permutation_importance turns polars frames into arrays",
        places=("importance_of_permuted_columns",), tables=("polars",), ways=("name",),
        message=NO_NAMES + "pass a position or a data frame",
    ),
    Refusal(
        reason="permutation_importance takes no metadata, so the scorer has no groups",
        places=("importance_of_permuted_columns",), ways=("metadata",),
        message=NOBODY_TOLD_THE_SCORER,
    ),
    Refusal(
        reason="it transforms nothing: a Pipeline leaves it alone, but it has no output to set",
        places=("own_set_output",), subjects=NO_TRANSFORMERS, error=AttributeError,
        message="object has no attribute 'set_output'",
    ),
    Refusal(
        reason="it transforms nothing, and can only end a Pipeline",
        places=("step_before_another",), subjects=NO_TRANSFORMERS, error=TypeError,
        message="All intermediate steps should be transformers",
    ),
    Refusal(
        reason="without routing groups reach the fit of a step, and not its transform",
        places=("step_before_another",), ways=("metadata",), routing=False,
        message=NOBODY_TOLD_THE_ESTIMATOR,
    ),
    Refusal(
        reason="without routing a ColumnTransformer takes no metadata",
        places=("inside_a_column_transformer",), subjects=ASKING_AT_FIT, ways=("metadata",),
        routing=False, message=only_with_routing("ColumnTransformer.fit"),
    ),
    Refusal(
        reason="it transforms nothing",
        places=("inside_a_column_transformer",), subjects=NO_TRANSFORMERS, error=TypeError,
        message="All estimators should implement fit and transform",
    ),
    Refusal(
        reason="without routing scikit-learn passes metadata to fit, and to no scorer",
        places=SCORED, ways=("metadata",), routing=False, message=NOBODY_TOLD_THE_SCORER,
    ),
    Refusal(
        reason="the predict of a search takes X alone",
        places=("search_that_predicts",), subjects=ASKING_AT_PREDICT, ways=("metadata",),
        message=NOBODY_TOLD_THE_ESTIMATOR,
    ),
    Refusal(
        reason="cross_val_predict passes metadata to fit, and to no prediction",
        places=("cross_val_predicted",), subjects=ASKING_AT_PREDICT, ways=("metadata",),
        message=NOBODY_TOLD_THE_ESTIMATOR,
    ),
    Refusal(
        reason="calibration passes metadata to fit, and asks for decisions without",
        places=("calibrated_classifier",), ways=("metadata",),
        # An offer is asked for the probabilities of its model, which no group bears on.
        subjects=tuple(n for n in ASKING_AT_PREDICT if n != "WelfareEqualizingOffer"),
        message=NOBODY_TOLD_THE_ESTIMATOR,
    ),
    Refusal(
        reason="without routing a stack takes no metadata",
        places=("stacking",), subjects=ASKING_AT_FIT, ways=("metadata",), routing=False,
        message=only_with_routing("StackingClassifier.fit"),
    ),
    Refusal(
        reason="a stack passes metadata to fit, and asks for probabilities without",
        places=("stacking",), subjects=("PostLogitPostProcessor", "XOrderPostProcessor"),
        ways=("metadata",), message=NOBODY_TOLD_THE_ESTIMATOR,
    ),
    Refusal(
        reason="a stack passes all metadata on to its final estimator too, whatever that requests",
        places=("stacking",), subjects=ASKING_AT_FIT, ways=("metadata",), error=TypeError,
        message=r"MeanDifference\.fit\(\) got an unexpected keyword argument",
    ),
    Refusal(
        reason="without routing a threshold is tuned without metadata",
        places=("tuned_threshold",), subjects=ASKING_AT_FIT, ways=("metadata",), routing=False,
        message=only_with_routing("TunedThresholdClassifierCV"),
    ),
    Refusal(
        reason="tuning passes metadata to fit, and asks for probabilities without",
        places=("tuned_threshold",), subjects=("PostLogitPostProcessor", "XOrderPostProcessor"),
        ways=("metadata",), message=NOBODY_TOLD_THE_ESTIMATOR,
    ),
    Refusal(
        reason="tuning calls the metric of a scorer, and one metric only",
        places=("tuned_threshold",), subjects=("several",), error=AttributeError,
        message=r"make_fairness_scorer\(.*\) cannot be taken apart into a metric and its options",
    ),
    Refusal(
        reason="tuning calls the metric of a scorer, which is shown no X to read a column of",
        places=("tuned_threshold",), subjects=tuple(SCORERS),
        ways=("name", "position", "callable"), error=AttributeError,
        message=r"make_fairness_scorer\(.*\) cannot be taken apart .* pass the groups as metadata",
    ),
    Refusal(
        reason="tuning takes groups by routing only",
        places=("tuned_threshold",), subjects=tuple(SCORERS), ways=("metadata",), routing=False,
        error=AttributeError,
        message=r"make_fairness_scorer\(.*\) has no groups where only the metric is called .* "
        r"Enable routing",
    ),
    Refusal(
        reason="without routing a Pipeline hands nothing on to decision_function",
        places=("decision_function_of_pipeline",), subjects=ASKING_AT_PREDICT, ways=("metadata",),
        routing=False, message=only_with_routing("Pipeline.decision_function"),
    ),
    Refusal(
        reason="scikit-learn's halving compares one number a candidate",
        places=("halving_grid_search",), subjects=("several",), error=KeyError,
        message="mean_test_score",
    ),
    Refusal(
        reason="scikit-learn draws a curve of one number",
        places=("curve_of_learning",), subjects=("several",), error=AttributeError,
        message="'list' object has no attribute 'reshape'",
    ),
]
