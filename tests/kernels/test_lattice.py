"""Algorithm 1 against the same lattice in plain Python."""

import numpy as np
from fairrank._kernels.lattice import best_path
from hypothesis import given
from hypothesis import strategies as st

cells = st.integers(0, 3).map(float)
# Positives, unfairness per unit left of the other chain, and unfairness whatever is left.
steps = st.lists(st.tuples(cells, cells, st.integers(-2, 2).map(float)), min_size=1, max_size=7)


@st.composite
def lattices(draw):
    a, b = np.array(draw(steps)), np.array(draw(steps))
    left = []
    for n in (len(a), len(b)):
        falls = draw(st.lists(st.tuples(cells, cells), min_size=n, max_size=n))
        sums = np.vstack((np.zeros(2), np.cumsum(falls, axis=0)))
        left.append(np.ascontiguousarray(sums[-1] - sums))
    return a, b, *left


def plain_path(a, b, left_a, left_b):
    """Cell (i, j) keeps one path; a only where it is strictly better."""
    best = {(0, 0): (0.0, 0.0, None)}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            found = []
            if j:
                c, u, _ = best[i, j - 1]
                utility, per_left, always = b[j - 1]
                found.append((c + utility * left_a[i, 0],
                              u - (per_left * left_a[i, 1] + always), "b"))
            if i:
                c, u, _ = best[i - 1, j]
                utility, per_left, always = a[i - 1]
                found.append((c + utility * left_b[j, 0],
                              u + (per_left * left_b[j, 1] + always), "a"))
            if found:
                best[i, j] = max(found, key=lambda path: path[0] - abs(path[1]))
    i, j, before = len(a), len(b), []
    while i or j:
        if best[i, j][2] == "a":
            i -= 1
            before.append(j)
        else:
            j -= 1
    return before[::-1]


@given(lattices())
def test_the_path_is_that_of_the_same_lattice_in_plain_python(lattice):
    assert best_path(*lattice).tolist() == plain_path(*lattice)


def test_a_chain_alone_is_placed_whole():
    one = np.ones((1, 3))
    left = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert best_path(np.ones((0, 3)), one, np.zeros((1, 2)), left).size == 0
    assert best_path(one, np.ones((0, 3)), left, np.zeros((1, 2))).tolist() == [0]
