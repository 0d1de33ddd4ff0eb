"""Progress of a call, on the terminal or in a notebook."""

from __future__ import annotations

import sys
import time

INTERVAL_S = 0.2
"""Seconds between two updates."""


class Line:
    """A progress line on stderr, updated in place."""

    def __init__(self) -> None:
        self.last = 0.0
        self.shown = False

    def __call__(self, part: float, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.last >= INTERVAL_S or part >= 1.0:
            self.last, self.shown = now, True
            print(f"\r{part:4.0%}, {done} of {total} runs", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Ends the line."""
        if self.shown:
            print(file=sys.stderr)
