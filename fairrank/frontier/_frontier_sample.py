"""The rows of a support function: what either decision costs, and what is estimated of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairrank._sensitive import encode_groups
from fairrank._validation import (
    as_amounts,
    as_array,
    as_vector,
    check_same_length,
    check_sample_weight,
    is_missing,
)
from fairrank.exceptions import DegenerateGroupError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrontierSample:
    """Rows in the order they came.

    Attributes
    ----------
    loss, change : ndarray, shape (n,)
        Realised loss of decision 0, and what decision 1 adds to it.
    scaled : ndarray, shape (n, n_groups)
        Estimated E[loss_1 - loss_0 and group g | X] over the share of group g: the sign of its
        product with a direction decides.
    code : ndarray of uint8, shape (n,)
        Coordinate of the row's group.
    group_names : tuple
        The groups; the first is r, the horizontal one.
    weight : ndarray, shape (n,)
        1 in every row unless weights are given.
    mass : ndarray, shape (n_groups,)
        Total weight of each group, above 0.
    cluster : ndarray of intp, shape (n,) or (0,)
        Empty where every row is its own cluster.
    n_clusters : int
    """

    loss: np.ndarray
    change: np.ndarray
    scaled: np.ndarray
    code: np.ndarray
    group_names: tuple
    weight: np.ndarray
    mass: np.ndarray
    cluster: np.ndarray
    n_clusters: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.code.size

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_names)

    @property
    def share(self) -> np.ndarray:
        """Part of all weight that each group has, shape (n_groups,)."""
        return self.mass / self.mass.sum()

    @property
    def weight_in_group(self) -> np.ndarray:
        """Weight of every row over that of its group."""
        return self.weight / self.mass[self.code]

    @property
    def n_independent(self) -> np.ndarray:
        """Rows, or clusters, of positive weight in every group, shape (n_groups,)."""
        inside = self.weight > 0
        if not self.cluster.size:
            return np.bincount(self.code[inside], minlength=self.n_groups)
        pairs = np.unique(np.column_stack([self.code[inside], self.cluster[inside]]), axis=0)
        return np.bincount(pairs[:, 0], minlength=self.n_groups)

    @property
    def without_spread(self) -> np.ndarray:
        """Groups of a single independent row: what their risk varies by is not known; bool."""
        return self.n_independent < 2

    def group_means(self, values: np.ndarray) -> np.ndarray:
        """Weighted mean of one value a row in every group, shape (n_groups,)."""
        # Divided once: thousands of equal shares would all round one way.
        sums = np.bincount(self.code, weights=self.weight * values, minlength=self.n_groups)
        return sums / self.mass

    def summed_in_clusters(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows of each cluster; the values themselves without clusters."""
        if not self.cluster.size:
            return values
        return np.bincount(self.cluster, weights=values, minlength=self.n_clusters)


def frontier_sample(
    loss_0: Any,
    loss_1: Any,
    delta_theta: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    clusters: Any = None,
    group_names: Any = None,
) -> FrontierSample:
    """Check everything a user can pass.

    Raises
    ------
    DegenerateGroupError
        No row, one group only, or a group without weight.
    ValueError, TypeError
        As the messages say.
    """
    loss_0 = as_amounts(loss_0, "loss_0")
    loss_1 = as_amounts(loss_1, "loss_1")
    delta = as_array(delta_theta, "delta_theta")
    if delta.ndim == 0:
        raise ValueError(f"delta_theta must hold one column a group, got {delta_theta!r}.")
    groups = encode_groups(sensitive_features)
    weight = check_sample_weight(sample_weight)
    cluster, n_clusters = encoded_clusters(clusters)
    n = check_same_length(
        loss_0=loss_0, loss_1=loss_1, delta_theta=delta, sensitive_features=groups.codes,
        sample_weight=weight, clusters=cluster,
    )
    code, names = in_named_order(groups.codes, groups.labels, group_names)
    if len(names) < 2:
        raise DegenerateGroupError(
            f"sensitive_features holds one group, {names[0]!r}: a frontier is between two or more."
        )
    if delta.shape != (n, len(names)):
        raise ValueError(
            f"delta_theta has shape {delta.shape}, but there are {n} rows and {len(names)} "
            f"groups: give one column a group, in the order {', '.join(map(repr, names))}."
        )
    columns = [as_amounts(column, "delta_theta") for column in delta.T]
    weight = np.ones(n) if weight is None else weight.astype(np.float64)
    mass = np.bincount(code, weights=weight, minlength=len(names))
    if not mass.all():
        group = names[int(np.flatnonzero(mass == 0)[0])]
        raise DegenerateGroupError(
            f"sensitive_features: group {group!r} has sample_weight 0 in every row, so it has no "
            "risk. Take its rows out."
        )
    return FrontierSample(
        loss=loss_0, change=loss_1 - loss_0,
        scaled=np.ascontiguousarray(np.stack(columns, axis=1) / (mass / mass.sum())),
        code=code, group_names=names, weight=weight, mass=mass,
        cluster=np.empty(0, dtype=np.intp) if cluster is None else cluster,
        n_clusters=n if cluster is None else n_clusters,
    )


def in_named_order(
    code: np.ndarray, labels: tuple, group_names: Any
) -> tuple[np.ndarray, tuple]:
    """Codes and names of the groups in the order asked for."""
    if group_names is None:
        return code, labels
    if not isinstance(group_names, Iterable):
        raise TypeError(
            f"group_names must be a sequence that names every group, got {group_names!r} of type "
            f"{type(group_names).__name__}."
        )
    names = tuple(group_names)
    # Compared one by one: a name that cannot be hashed is no group, and need not be.
    if len(names) != len(labels) or not all(label in names for label in labels):
        raise ValueError(
            f"group_names={names!r} must name every group of sensitive_features once; it holds "
            f"{', '.join(map(repr, labels))}."
        )
    position = np.array([names.index(label) for label in labels], dtype=np.uint8)
    return position[code], names


def encoded_clusters(clusters: Any) -> tuple[np.ndarray | None, int]:
    """Whole numbers 0, 1, ... for the clusters, which may be any hashables."""
    if clusters is None:
        return None, 0
    vector = as_vector(clusters, "clusters")
    if vector.dtype.kind in "biu":
        distinct, cluster = np.unique(vector, return_inverse=True)
        return cluster.astype(np.intp), distinct.size
    seen: dict[Any, int] = {}
    cluster = np.empty(vector.size, dtype=np.intp)
    for row, label in enumerate(vector.tolist()):
        if is_missing(label):
            raise ValueError(
                f"clusters: row {row} holds {label!r}. Give it a cluster; a row of its own needs "
                "a name that no other has."
            )
        try:
            cluster[row] = seen.setdefault(label, len(seen))
        except TypeError:
            raise TypeError(
                f"clusters: row {row} holds {label!r} of type {type(label).__name__}, which "
                "cannot be hashed: use strings, numbers or tuples."
            ) from None
    return cluster, len(seen)
