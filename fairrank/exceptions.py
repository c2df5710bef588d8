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
    that the quantity needs, or when all burdens are equal. It is a ``ValueError``.
    """


class UnseenGroupError(ValueError):
    """A group at prediction time was not among the groups seen at fit."""


class UndefinedMetricWarning(UserWarning):
    """A quantity is undefined and NaN was returned because ``undefined="nan"`` asked for it."""


class SmallGroupWarning(UserWarning):
    """A number was computed where it says little: tiny groups, or burdens nearly constant."""


class InfeasibleError(ValueError):
    """No order, policy or algorithm that was found satisfies the condition that was given.

    The message says how near one came, and whether everything was searched.
    """


class CalibrationWarning(UserWarning):
    """Probabilities look wrong inside a group, where a policy rests on them."""


class NotIdentifiedError(ValueError):
    """The rows do not say what is asked, however many there were.

    Raised where outcomes were seen for some rows only, and others had next to no chance of being
    seen. It is a ``ValueError``.
    """


class NuisanceWarning(UserWarning):
    """A learner behind the frontier predicts rows that it was not fitted on badly."""
