"""fairrank and its peers at the same job on the same rows: in turn, and stopped after a minute."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from tables import Table
from timing import take_turns

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = {10_000: 5, 100_000: 3, 1_000_000: 2}
# Seconds of the processor after which a call is stopped, and beyond which one call is enough. On a
# machine that others use, seconds of the clock are partly theirs.
LIMIT, ONCE = 60.0, 0.5
SORT, OURS, STOPPED = "np.argsort", "fairrank", "stopped"
SAME = "the same number"
# A child of the process has the rows already, and can be stopped in the middle of compiled code.
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Runner:
    """Who does a job: `make` imports and prepares before the clock starts, and gives the call.

    Attributes
    ----------
    who, gives : str
        Package and function; what comes out, `SAME` where it is what fairrank gives.
    make : callable
        Gives the call that is timed. Its ModuleNotFoundError says that the package is missing.
    answer : callable
        Words for what the call returns.
    bytes_needed : float
        What the form must hold; it is not run beyond 4 GB.
    power : int
        Seconds grow at least with so high a power of the rows.
    """

    who: str
    gives: str
    make: Callable[[], Callable[[], Any]]
    answer: Callable[[Any], str] = "{:.6f}".format
    bytes_needed: float = 0.0
    power: int = 1


@dataclass(frozen=True)
class Race:
    """A job, fairrank at it, and its peers."""

    job: str
    ours: Runner
    peers: list[Runner]


@dataclass(frozen=True)
class Outcome:
    """Best seconds, NaN where there are none; then why there are none; and the answer."""

    seconds: float
    why: str = ""
    answer: str = "-"

    @property
    def cell(self) -> float | str:
        """Seconds, or why not."""
        return self.why or self.seconds


def first_call(run: Callable[[], Any], answer: Callable[[Any], str]) -> Outcome:
    """One call in a child of this process, which the system ends when its seconds are used up."""
    receiver, sender = FORK.Pipe(duplex=False)

    def call() -> None:
        # The answer may take some seconds more.
        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(1.5 * LIMIT), most))
        try:
            start = time.process_time()
            found = run()
            seconds = time.process_time() - start
            sender.send(Outcome(seconds, "", answer(found)))
        except Exception as error:
            sender.send(Outcome(np.nan, f"fails: {type(error).__name__}", f"{error}"[:120]))

    child = FORK.Process(target=call)
    child.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        child.join()
        used_up = child.exitcode == -signal.SIGXCPU
        return Outcome(np.nan, STOPPED if used_up else "ended by the system")
    child.join()
    return Outcome(np.nan, STOPPED) if found.seconds > LIMIT else found


def time_race(race: Race, n: int, given_up: set) -> dict[str, Outcome]:
    """Outcomes of np.argsort, fairrank and all peers at n rows, by name.

    Whoever was stopped, or is bound to be at ten times the rows, is not called there:
    `given_up` holds and gets (job, who).
    """
    doubles = np.random.default_rng(0).random(n)
    found, calls = {}, {SORT: partial(np.argsort, doubles)}
    for runner in (race.ours, *race.peers):
        if runner.bytes_needed > 4e9:
            found[runner.who] = Outcome(np.nan, f"needs {runner.bytes_needed / 1e9:.0f} GB")
            continue
        if (race.job, runner.who) in given_up:
            found[runner.who] = Outcome(np.nan, STOPPED)
            continue
        try:
            run = runner.make()
        except ModuleNotFoundError:
            found[runner.who] = Outcome(np.nan, "not installed")
            continue
        once = found[runner.who] = first_call(run, runner.answer)
        if once.why == STOPPED or once.seconds * 10.0**runner.power > LIMIT:
            given_up.add((race.job, runner.who))
        if once.why:
            continue
        if once.seconds <= ONCE or runner is race.ours:
            calls[runner.who] = run
    for who, seconds in take_turns(calls, ROUNDS[n], n < SIZES[-1], time.process_time).items():
        answer = found[who].answer if who in found else "-"
        found[who] = Outcome(float(seconds.min()), "", answer)
    return found


def ratio_cell(ours: Outcome, theirs: Outcome) -> float | str:
    """Theirs over ours; a bound where theirs was stopped."""
    if theirs.why == STOPPED:
        return f"> {LIMIT / ours.seconds:.0f}"
    return theirs.why or theirs.seconds / ours.seconds


def peer_tables(
    part: str, races_of: Callable[[int], Iterable[Race]], packages: tuple[str, ...], quick: bool,
    notes: tuple[str, ...] = (),
) -> list[Table]:
    """Three tables of a part: ratios, seconds and multiples of a sort, and answers."""
    sizes = SIZES[:2] if quick else SIZES
    found: dict[tuple[str, str], dict[int, Outcome]] = {}
    gives: dict[tuple[str, str], str] = {}
    given_up: set = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in sizes:
            for race in races_of(n):
                gives |= {(race.job, one.who): one.gives for one in (race.ours, *race.peers)}
                for who, outcome in time_race(race, n, given_up).items():
                    found.setdefault((race.job, who), {})[n] = outcome
    named = [f"{n:,}" for n in sizes]
    rounds = ", ".join(f"{ROUNDS[n]} rounds at {n:,}" for n in sizes)
    ratios = Table(
        f"{part}: seconds of peers over fairrank's",
        ["job", "peer", "what it gives", *(f"ratio at {size}" for size in named),
         f"fairrank s at {named[-1]}", f"peer s at {named[-1]}"],
    )
    seconds = Table(
        f"{part}: seconds, and multiples of a sort",
        ["job", "who", *(f"s at {size}" for size in named),
         *(f"argsorts at {size}" for size in named)],
        notes=["A multiple of np.argsort of as many doubles, in the same turns."],
    )
    answers = Table(
        f"{part}: answers at n = 100,000", ["job", "who", "what it gives", "answer"],
        notes=list(notes),
    )
    behind = []
    for (job, who), outcomes in found.items():
        sorts = [found[job, SORT][n].seconds for n in sizes]
        seconds.rows.append([
            job, who, *(outcomes[n].cell for n in sizes),
            *(outcomes[n].seconds / sort for n, sort in zip(sizes, sorts)),
        ])
        if who == SORT:
            continue
        answers.rows.append([job, who, gives[job, who], outcomes[100_000].answer])
        if (job, OURS) == (job, who):
            continue
        ours = found[job, OURS]
        ratios.rows.append([
            job, who, gives[job, who], *(ratio_cell(ours[n], outcomes[n]) for n in sizes),
            ours[sizes[-1]].seconds, outcomes[sizes[-1]].cell,
        ])
        behind += [
            f"{who} in \"{job}\" at {n:,} ({outcomes[n].seconds / ours[n].seconds:.2f})"
            for n in sizes if outcomes[n].seconds < ours[n].seconds
        ]
    ratios.notes.extend([
        "Not ahead of: " + "; ".join(behind) + "." if behind else
        "Ahead of every peer at every size.",
        f"Seconds of the processor, best of {rounds}, in turn; who needs more than {ONCE:g} s "
        "is called once.",
        f"stopped: after {LIMIT:.0f} s, or not called because a tenth of the rows told that it "
        "takes more.",
        "Data in the form that each takes are made before the clock starts.",
        f"Peers: {', '.join(map(named_version, packages))}.",
        "Taken on a machine of two cores that others used at the time.",
    ])
    return [ratios, seconds, answers]


def named_version(package: str) -> str:
    """A package and its version."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (not installed)"
