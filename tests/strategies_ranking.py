"""Two groups' chains of steps for the ranking solvers."""

import numpy as np
from hypothesis import strategies as st

from fairrank.ranking._interleavings import Several
from fairrank.ranking._steps import Chain, Pair


@st.composite
def pairs(draw, max_steps=6):
    """A Pair and the oracle's two chains: both classes in both groups, ties and weights."""
    sizes = draw(st.tuples(*[st.integers(1, max_steps)] * 2))
    weighted = draw(st.booleans())
    mass = st.integers(0, 3) if weighted else st.integers(0, 1)
    chains = []
    for size in sizes:
        steps = draw(st.lists(st.tuples(mass, mass), min_size=size, max_size=size))
        steps = [step if any(step) else (1, 1) for step in steps]
        if not sum(neg for neg, _ in steps):
            steps[0] = (1, steps[0][1])
        if not sum(pos for _, pos in steps):
            steps[-1] = (steps[-1][0], 1)
        chains.append([(float(neg), float(pos)) for neg, pos in steps])
    disparity = draw(st.sampled_from(["xauc", "prf", "urf"]))
    return Pair(*map(chain_of_steps, chains), disparity), chains


def chain_of_steps(steps):
    """A Chain whose step s holds a negative row and a positive row of the given weights."""
    score, outcome, weight = [], [], []
    for place, (neg, pos) in enumerate(steps):
        score += [-place, -place]
        outcome += [0, 1]
        weight += [neg, pos]
    return Chain.of(
        np.array(score, dtype=float), np.array(outcome, dtype=np.uint16),
        np.array(weight, dtype=float),
        np.arange(len(score)),
    )


@st.composite
def several_chains(draw, n_chains=(3, 3), max_steps=3, disparity=None):
    """The solvers' problem for three or more groups, and the oracle's chains."""
    mass = st.integers(0, draw(st.sampled_from([1, 3])))
    chains = []
    for _ in range(draw(st.integers(*n_chains))):
        steps = draw(st.lists(st.tuples(mass, mass), min_size=1, max_size=max_steps))
        steps = [step if any(step) else (1, 1) for step in steps]
        if not sum(neg for neg, _ in steps):
            steps[0] = (1, steps[0][1])
        if not sum(pos for _, pos in steps):
            steps[-1] = (steps[-1][0], 1)
        chains.append([(float(neg), float(pos)) for neg, pos in steps])
    if disparity is None:
        disparity = draw(st.sampled_from(["xauc", "prf", "urf"]))
    return Several(tuple(map(chain_of_steps, chains)), disparity), chains
