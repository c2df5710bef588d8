"""A simulation's arrays as pandas objects."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Bunch


def with_frames(simulation: Bunch, data: Any) -> Bunch:
    """Give the simulation with its columns as Series, and all of them in one frame.

    Parameters
    ----------
    simulation : Bunch
        With target, sensitive_features and probability.
    data : pandas DataFrame
        Its features.
    """
    import pandas as pd

    target = pd.Series(simulation.target, name="outcome")
    sensitive_features = pd.Series(simulation.sensitive_features, name="sensitive_feature")
    return Bunch(
        **{
            **simulation,
            "data": data,
            "target": target,
            "sensitive_features": sensitive_features,
            "probability": pd.Series(simulation.probability, name="probability"),
            "frame": pd.concat([data, sensitive_features, target], axis="columns"),
        }
    )
