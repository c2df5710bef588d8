"""Times that mean something on a shared machine: rivals take turns, ratios are of one run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def take_turns(
    rivals: Mapping[str, Callable[[], Any]],
    rounds: int,
    warm_up: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, np.ndarray]:
    """Seconds of every rival in each of `rounds` rounds; one call of each a round.

    ``clock=time.process_time`` for minutes in one thread, in which others would come between.
    """
    if warm_up:
        for run in rivals.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in rivals.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {name: np.array(taken) for name, taken in seconds.items()}


def peak_memory(run: Callable[[], Any]) -> int:
    """Bytes that `run` had allocated at most, beyond what was there; numpy reports its arrays."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
