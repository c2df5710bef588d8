"""What a long run tells while it works, on stderr and only where somebody looks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

EVERY_SECONDS = 0.5


class Progress:
    """Lines on stderr: overwritten on a terminal, and few elsewhere.

    Parameters
    ----------
    wanted : bool or None
        None: where stderr is a terminal.
    """

    def __init__(self, wanted: bool | None):
        self.is_terminal = sys.stderr.isatty()
        self.wanted = self.is_terminal if wanted is None else wanted
        self.refused = wanted is False
        self.last = float("-inf")

    def told(self, text: str) -> None:
        """Say how far it has come; at most every half second."""
        now = time.monotonic()
        if self.wanted and now - self.last >= EVERY_SECONDS * (1 if self.is_terminal else 10):
            self.last = now
            self._write(text)

    def noted(self, text: str) -> None:
        """Say something that matters even where nobody asked for progress, unless it is off."""
        if self.wanted or not self.refused:
            self._write(text, done=True)

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Say what is being done, how long it has taken, and when it is over."""
        if not self.wanted:
            yield
            return
        start, over = time.monotonic(), threading.Event()

        def ticked() -> None:
            while not over.wait(1.0):
                self._write(f"{text} … {time.monotonic() - start:.0f} s")

        thread = threading.Thread(target=ticked, daemon=True)
        if self.is_terminal:
            thread.start()
        else:
            self._write(f"{text} …")
        try:
            yield
        finally:
            over.set()
            if self.is_terminal:
                thread.join()
            self._write(f"{text}: {time.monotonic() - start:.1f} s", done=True)

    def _write(self, text: str, *, done: bool = False) -> None:
        if self.is_terminal:
            print(f"\r\x1b[K{text}", end="\n" if done else "", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
