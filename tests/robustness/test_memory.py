"""Calls by the dozen leave no memory behind; 10**4 of each are `monte_carlo.py memory_growth`."""

import gc
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from public_calls import CALLS, legal_columns

N_ROWS, N_CALLS, N_ROUNDS = 20_000, 20, 5
STATM = Path("/proc/self/statm")
CHOSEN = {
    call.name: call
    for call in CALLS
    if call.name in (
        "rgf_score", "xauc_disparity", "ranking_disparity", "rgf_interval", "fair_ordering",
        "welfare_optimal_policy", "price_of_fairness_path", "SupportFunction", "decision_risks",
    )
}


def resident_bytes():
    gc.collect()
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(scope="module")
def columns():
    return legal_columns(N_ROWS)


def test_all_that_was_chosen_is_there():
    assert len(CHOSEN) == 9


@pytest.mark.skipif(not STATM.exists(), reason="resident memory is read from /proc")
@pytest.mark.parametrize("name", CHOSEN)
def test_calls_keep_less_than_a_byte_a_row_of_memory_outside_python(name, columns):
    call, arguments = CHOSEN[name], CHOSEN[name].arguments(columns)
    resident = [resident_bytes()]
    for _ in range(N_ROUNDS):
        for _ in range(N_CALLS):
            call(**arguments)
        resident.append(resident_bytes())
    # An array of doubles that each call forgot to free would be 8 in every round; what an
    # allocator keeps for the next caller it takes once.
    assert np.median(np.diff(resident)) < N_CALLS * N_ROWS


@pytest.mark.parametrize("name", CHOSEN)
def test_calls_leave_no_object_behind(name):
    columns = legal_columns(50)
    call, arguments = CHOSEN[name], CHOSEN[name].arguments(columns)
    tracemalloc.start()
    try:
        for _ in range(200):  # numpy and the interpreter keep small blocks for the next caller
            call(**arguments)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(300):
            call(**arguments)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 300 * 112  # an array's own bytes, without its values
