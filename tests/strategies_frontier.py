"""Small frontier samples for hypothesis: ties, zeros, opposite directions, weights, clusters."""

import numpy as np
from hypothesis import strategies as st

import oracles_frontier as oracles

KINDS = ("grid", "scaled grid", "noisy grid", "continuous")
coordinates = st.integers(-2, 2).map(float)
# Far from the grid's directions and from each other, but for rounding noise.
finite = st.integers(-500, 500).map(lambda k: k / 256 + 1e-3)
LOSSES = {
    "zero-one": st.sampled_from([0.0, 1.0]),
    "real": st.integers(-20, 20).map(lambda k: k / 7),
}


def _filled(draw, elements, n):
    return np.array(draw(st.lists(elements, min_size=n, max_size=n)))


@st.composite
def frontier_samples(draw, max_rows=14, n_groups=2, kinds=KINDS):
    """A `Sample` in which every group has a row of positive weight."""
    n = draw(st.integers(n_groups, max_rows))
    group = np.concatenate(
        [np.arange(n_groups), _filled(draw, st.integers(0, n_groups - 1), n - n_groups)]
    ).astype(int)
    weight = None
    if draw(st.booleans()):
        weight = np.concatenate(
            [np.ones(n_groups), _filled(draw, st.integers(0, 3), n - n_groups)]
        ).astype(float)
    cluster = _filled(draw, st.integers(0, 3), n) if draw(st.booleans()) else None
    losses = LOSSES[draw(st.sampled_from(sorted(LOSSES)))]
    kind = draw(st.sampled_from(kinds))
    elements = finite if kind == "continuous" else coordinates
    delta = _filled(draw, elements, n * n_groups).reshape(n, n_groups)
    if kind == "noisy grid":
        noise = _filled(draw, st.integers(-4, 4), delta.size).reshape(delta.shape)
        delta = delta * (1 + 2.5e-16 * noise)
    sample = oracles.Sample(
        loss_0=_filled(draw, losses, n), loss_1=_filled(draw, losses, n), delta=delta,
        group=group, weight=weight, cluster=cluster,
    )
    if kind == "scaled grid":
        # Then equal coordinates of `scaled` put breaks on the ends of the half-turn.
        return oracles.Sample(**{**vars(sample), "delta": delta * sample.share})
    return sample


@st.composite
def populations(draw, max_cells=6, n_groups=2):
    """A `Population` on few cells."""
    n = draw(st.integers(1, max_cells))
    parts = np.array(draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=float)
    odds = _filled(draw, st.integers(1, 9), n * n_groups).reshape(n, n_groups)
    tenths = st.integers(0, 10).map(lambda k: k / 10)
    p = _filled(draw, tenths, n * n_groups).reshape(n, n_groups)
    loss = np.stack([p, 1 - p], axis=1)
    if draw(st.booleans()):
        loss = _filled(draw, tenths, loss.size).reshape(loss.shape)
        # Losses that put E on one side of equal risks.
        loss[:, :, 0] += draw(st.sampled_from([-2.0, 0.0, 2.0]))
    return oracles.Population(
        mass=parts / parts.sum(), group=odds / odds.sum(axis=1, keepdims=True), loss=loss
    )


angles = st.integers(0, 719).map(lambda k: k * np.pi / 360)
risk_pairs = st.tuples(*[st.integers(-12, 12).map(lambda k: k / 8)] * 2).map(np.array)


def arguments(sample):
    """Keywords of `SupportFunction`."""
    return {
        "loss_0": sample.loss_0, "loss_1": sample.loss_1, "delta_theta": sample.delta,
        "sensitive_features": sample.group, "sample_weight": sample.weight,
        "clusters": sample.cluster,
    }


def both_vary(sample):
    """Whether every group has two independent rows that count: else nothing is inferred."""
    unit = np.arange(sample.n) if sample.cluster is None else np.asarray(sample.cluster)
    seen = np.asarray(sample.mass) > 0
    return all(
        np.unique(unit[seen & (sample.group == g)]).size > 1 for g in range(sample.n_groups)
    )
