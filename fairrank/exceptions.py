"""The errors and warnings that fairrank raises, and when."""

__all__ = [
    "CalibrationWarning",
    "DegenerateGroupError",
    "InfeasibleError",
    "NotIdentifiedError",
    "NuisanceWarning",
    "SmallGroupWarning",
    "UndefinedMetricWarning",
    "UnseenGroupError",
]


class DegenerateGroupError(ValueError):
    """A group, or the whole sample, leaves the requested quantity undefined.

    Raised when a group is empty, when only one group is present, when a group lacks a class
    that the quantity needs, or when all burdens are equal. It is a ``ValueError``. Metrics that
    take ``undefined="nan"`` then return NaN with an `UndefinedMetricWarning`.

    Examples
    --------
    >>> from fairrank.metrics import rgf_score
    >>> rgf_score([0, 1], [0.2, 0.9], sensitive_features=["a", "a"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    fairrank.exceptions.DegenerateGroupError: sensitive_features holds one group only, 'a' ...
    """


class UnseenGroupError(ValueError):
    """A group at prediction time was not among the groups seen at fit.

    Merge the group into a known one, or fit again with it. It is a ``ValueError``.

    Examples
    --------
    >>> from fairrank.welfare import welfare_optimal_policy
    >>> policy = welfare_optimal_policy(
    ...     [0.5, -0.2, 0.3, -0.6], [1, 1, 1, 1], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> policy.acceptance_probability([0.1], [1], sensitive_features=["c"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    fairrank.exceptions.UnseenGroupError: sensitive_features: group 'c' of type str was not ...
    """


class UndefinedMetricWarning(UserWarning):
    """A quantity is undefined and NaN was returned instead of an error.

    ``undefined="nan"`` asks for that; the message says what is missing. `FeatureRemovalAuditor`
    warns of contributions that are undefined without being asked. It is a ``UserWarning``.

    Examples
    --------
    >>> import warnings
    >>> from fairrank.metrics import rgf_score
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     value = rgf_score(
    ...         [0, 1], [0.2, 0.9], sensitive_features=["a", "a"], undefined="nan"
    ...     )
    >>> value, caught[0].category.__name__
    (nan, 'UndefinedMetricWarning')
    """


class SmallGroupWarning(UserWarning):
    """A number was computed where it says little: tiny groups, or burdens nearly constant.

    `FrontierEstimator` warns where the smallest group has fewer than 500 rows;
    `ranking_disparity_interval` where fewer than 5 rows are resampled; `rgf_score` and `rgd_score`
    where burdens are nearly constant, their Gini coefficient times the square root of the number
    of rows being below 0.5. Merge the group, or gather more rows; of burdens that are nearly
    constant look at the test and the burden ratios. It is a ``UserWarning``.

    Examples
    --------
    >>> import warnings
    >>> from fairrank.metrics import rgf_score
    >>> burden, group = [1.0, 1.001, 1.002, 1.0], ["a", "a", "b", "b"]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     value = rgf_score(None, None, sensitive_features=group, burden=burden)
    >>> caught[0].category.__name__
    'SmallGroupWarning'
    """


class InfeasibleError(ValueError):
    """No order, policy or algorithm that was found satisfies the condition that was given.

    The message says how near one came, and whether everything was searched. It is a
    ``ValueError``.

    Examples
    --------
    >>> from fairrank.welfare import welfare_optimal_policy
    >>> revenue, utility = [[0.5, 0.4], [0.3, 0.2]], [[3, 2], [1, 0]]
    >>> welfare_optimal_policy(  # doctest: +ELLIPSIS
    ...     revenue, utility, sensitive_features=["a", "b"], rejected_utility=None
    ... )
    Traceback (most recent call last):
    ...
    fairrank.exceptions.InfeasibleError: No policy equalizes welfare: group 'a' has at least 2 ...
    """


class CalibrationWarning(UserWarning):
    """Probabilities look wrong inside a group, where a policy rests on them.

    See ``calibration_``; ``recalibrate=`` or a model that sees the group mends it. It is a
    ``UserWarning``.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairrank import WelfareEqualizingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=1000), rng.random(1000) < 0.4])
    >>> y = (X[:, 0] + X[:, 1] + rng.normal(size=1000) > 0.5).astype(int)
    >>> lender = WelfareEqualizingClassifier(
    ...     LogisticRegression(), sensitive_features=1, drop_sensitive=True, random_state=0
    ... )
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     lender = lender.fit(X, y)
    >>> {one.category.__name__ for one in caught}
    {'CalibrationWarning'}
    """


class NotIdentifiedError(ValueError):
    """The rows do not say what is asked, however many there were.

    Raised where outcomes were seen for some rows only, and others had next to no chance of being
    seen. Take out the rows that the past rule as good as always left unseen. It is a
    ``ValueError``.

    Examples
    --------
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(200, random_state=0)
    >>> FrontierEstimator().fit(
    ...     data.data, data.target, sensitive_features=data.sensitive_features,
    ...     selected=[False] * 200,
    ... )
    Traceback (most recent call last):
    ...
    fairrank.exceptions.NotIdentifiedError: selected is False in every row: no outcome was seen.
    """


class NuisanceWarning(UserWarning):
    """A learner behind the frontier predicts badly on rows that it was not fitted on.

    See ``nuisance_quality_``; a more regularised learner mends it. It is given too where a
    learner takes no weights. It is a ``UserWarning``.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from fairrank import FrontierEstimator, make_frontier_data
    >>> data = make_frontier_data(2000, random_state=0)
    >>> frontier = FrontierEstimator(DecisionTreeClassifier(random_state=0), random_state=0)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     frontier = frontier.fit(
    ...         data.data, data.target, sensitive_features=data.sensitive_features
    ...     )
    >>> {one.category.__name__ for one in caught}
    {'NuisanceWarning'}
    """
