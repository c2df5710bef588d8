"""What a user can give `FrontierDisplay`, checked and as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairrank._validation import (
    as_finite_float,
    as_vector,
    check_choice,
    check_fraction,
    check_same_length,
)
from fairrank.frontier._arcs import as_directions
from fairrank.frontier._decision_risks import as_decisions, half_width, risks_of_sample
from fairrank.frontier._polygon_frontier import PolygonFrontiers, polygon_frontiers
from fairrank.frontier._support_function import SupportFunction


def feasible_and_frontiers(
    support: SupportFunction, levels: str
) -> tuple[np.ndarray, PolygonFrontiers]:
    """Corners of the feasible set, and the polylines along it."""
    check_choice(levels, ("plug_in", "realised"), "levels")
    if levels == "plug_in":
        found = PolygonFrontiers(
            frontier=support.frontier(), pareto=support.pareto_frontier()
        )
        return support.plug_in.support_points, found
    if not len(support.feasible_set):
        raise ValueError(
            f"levels='realised': the half-planes of {support.n_samples} rows have no point in "
            "common, which happens in small samples: use levels='plug_in'."
        )
    return support.feasible_set.copy(), polygon_frontiers(support.feasible_set)


def as_mapping(values: Any, name: str) -> Mapping[str, Any]:
    """Names and what they stand for; nothing where there is nothing."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(
            f"{name} must be a mapping from names, such as {{'status quo': ...}}, got a "
            f"{type(values).__name__}."
        )
    for key in values:
        if not isinstance(key, str):
            raise TypeError(f"{name} must have strings for names, got {key!r}.")
    return values


def risks_of_decisions(
    support: SupportFunction, algorithms: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Risks of decisions and their standard errors, of dependent rows where there are clusters."""
    risks, errors = {}, {}
    for name, decisions in algorithms.items():
        argument = f"algorithms[{name!r}]"
        decided = as_decisions(decisions, argument)
        check_same_length(**{"support": support._sample.loss, argument: decided})
        found = risks_of_sample(support._sample, decided)
        risks[name], errors[name] = found.risks, found.standard_errors
    return risks, errors


def rows_with_groups(
    algorithms: Mapping[str, Any], out_of_fold: np.ndarray
) -> dict[str, np.ndarray]:
    """Decisions at the rows that a fit kept: those where its own decisions are not NaN."""
    kept = ~np.isnan(out_of_fold)
    decisions = {name: as_vector(values, f"algorithms[{name!r}]")
                 for name, values in algorithms.items()}
    for name, values in decisions.items():
        check_same_length(**{"fit": kept, f"algorithms[{name!r}]": values})
    return {name: values[kept] for name, values in decisions.items()}


def given_risks(
    points: Mapping[str, Any], standard_errors: Mapping[str, Any], group_names: tuple
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Risks and standard errors as arrays of shape (2,)."""
    risks, errors = {}, {}
    for name, point in points.items():
        given = standard_errors.get(name)
        if hasattr(point, "risks"):
            named = tuple(getattr(point, "group_names", group_names))
            if named != tuple(group_names):
                raise ValueError(
                    f"points[{name!r}] has the risks of {named!r}, but the frontier is of "
                    f"{tuple(group_names)!r}: give group_names in the same order to both."
                )
            if given is None and hasattr(point, "standard_errors"):
                errors[name] = np.array(point.standard_errors, dtype=np.float64)
            point = point.risks
        risks[name] = _pair(point, f"points[{name!r}]")
        if given is not None:
            errors[name] = _pair(given, f"standard_errors[{name!r}]")
            if errors[name].min() < 0:
                raise ValueError(f"standard_errors[{name!r}] must be at least 0, got {given!r}.")
    unknown = [name for name in standard_errors if name not in points]
    if unknown:
        raise ValueError(
            f"standard_errors names {unknown[0]!r}, which is not in points. Those of `algorithms` "
            "are computed."
        )
    return risks, errors


def _pair(values: Any, name: str) -> np.ndarray:
    pair = as_finite_float(values, name)
    if pair.shape != (2,):
        raise ValueError(
            f"{name} must hold two numbers, of group r and of group b, got {pair.size}. Decisions "
            "by row go to algorithms=."
        )
    return pair.copy()


def named_directions(directions: Any) -> tuple[np.ndarray, list[str]]:
    """Directions of shape (m, 2), and a name for each, which may be empty."""
    if directions is None or (not isinstance(directions, np.ndarray) and not directions):
        return np.zeros((0, 2)), []
    names = None
    if isinstance(directions, Mapping):
        names = list(as_mapping(directions, "directions"))
        directions = list(directions.values())
    q = np.atleast_2d(as_directions(directions, 2)).copy()
    return q, [""] * len(q) if names is None else names


def checked_sets(sets: Mapping[str, Any]) -> dict[str, Any]:
    """Confidence sets, each with as many marks as candidates."""
    for name, found in sets.items():
        # Of nothing: shape ().
        shape, marked = (
            np.asarray(getattr(found, part, None)).shape for part in ("candidates", "inside")
        )
        if len(shape) != 2 or shape[1] != 2 or marked != shape[:1]:
            raise ValueError(
                f"confidence_sets[{name!r}] must have candidates of shape (m, 2) and inside of "
                f"shape (m,), got {shape} and {marked} in a {type(found).__name__}."
            )
    return dict(sets)


def points_named(points: Mapping[str, np.ndarray], names: Any) -> dict[str, np.ndarray]:
    """Risks of the algorithms whose improvements are asked for."""
    asked = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    for name in asked:
        if name not in points:
            known = ", ".join(map(repr, points)) or "there is none"
            raise ValueError(
                f"improvements_over={name!r} is no algorithm of this display: {known}."
            )
    return {name: points[name] for name in asked}


def error_bars(
    standard_errors: Mapping[str, np.ndarray], confidence_level: float | None
) -> dict[str, np.ndarray]:
    """Half-lengths of the error bars; none without a level, 0 where an error is NaN."""
    if confidence_level is None:
        return {}
    level = check_fraction(confidence_level, "confidence_level", high_open=True)
    reach = half_width(level)
    return {name: np.nan_to_num(reach * errors) for name, errors in standard_errors.items()}


def check_same_groups(drawn: tuple, group_names: tuple) -> None:
    """Refuse a frontier of other groups on axes that hold one."""
    if drawn != tuple(group_names):
        raise ValueError(
            f"ax holds a frontier of the groups {drawn!r}, and this one is of "
            f"{tuple(group_names)!r}: its axes would be other risks. Draw it on other axes, or "
            "give group_names in the same order."
        )
