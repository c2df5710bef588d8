"""Who learns outcome, group and selection, and who is fitted with the weights of the rows."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn import get_config
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import process_routing

from fairrank.exceptions import NuisanceWarning
from fairrank.frontier._default_learners import LassoLogistic, LassoRegression
from fairrank.frontier._nuisance import classifies, weight_name

ROLES = ("outcome", "group", "seen")
LEARNERS = ("estimator", "group_estimator", "selection_estimator")


def learners_of(
    estimator: Any, group_estimator: Any, selection_estimator: Any, *, two_outcomes: bool
) -> tuple[Any, Any, Any]:
    """The learners of outcome, group and selection, defaults in place of None.

    Parameters
    ----------
    estimator, group_estimator, selection_estimator : estimator or None
    two_outcomes : bool
        Whether two outcomes set the losses, so that a classifier can learn them.

    Raises
    ------
    TypeError
        A classifier where there is nothing to classify.
    """
    outcome = estimator
    if outcome is None:
        outcome = LassoLogistic() if two_outcomes else LassoRegression()
    elif not two_outcomes and classifies(outcome):
        raise TypeError(
            f"estimator={outcome!r} is a classifier, and the losses are not a matter of two "
            "outcomes: pass a regressor for them, and the classifier as group_estimator."
        )
    group = group_estimator
    if group is None:
        # A frozen model of outcomes knows nothing of groups.
        known = estimator is None or isinstance(estimator, FrozenEstimator)
        group = estimator if not known and classifies(estimator) else LassoLogistic()
    selection = selection_estimator
    if selection is None:
        selection = LassoLogistic() if isinstance(group, FrozenEstimator) else group
    return outcome, group, selection


def weights_of_learners(owner: Any, learners: tuple, metadata: dict) -> dict[str, str]:
    """Name of the weights in the fit of each learner that takes them.

    Parameters
    ----------
    owner : FrontierEstimator
        Whose routing says who asks for weights, where routing is enabled.
    learners : tuple of estimator
        Of outcome, group and selection; some may be the owner's parameters, others defaults.
    metadata : dict
        What was passed to the owner's fit.

    Warns
    -----
    NuisanceWarning
        There are weights, and a learner takes none.
    """
    routed: Any = None
    if get_config()["enable_metadata_routing"] and metadata:
        routed = process_routing(owner, "fit", **metadata)
    if "sample_weight" not in metadata:
        return {}
    names = {}
    for role, learner in zip(ROLES, learners):
        source = next((name for name in LEARNERS if getattr(owner, name) is learner), None)
        if routed is not None and source is not None:
            if "sample_weight" in routed[source]["fit"]:
                names[role] = "sample_weight"
            continue
        name = weight_name(learner)
        if name is not None:
            names[role] = name
        elif not isinstance(learner, FrozenEstimator) and role != "seen":
            warnings.warn(
                f"{type(learner).__name__} takes no sample_weight, so that the nuisance it learns "
                "is that of the unweighted rows; the risks are weighted.",
                NuisanceWarning, stacklevel=5,
            )
    return names
