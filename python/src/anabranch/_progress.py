"""How far a call is, on the terminal or in a notebook."""

from __future__ import annotations

import sys
import time

LOOK = 0.2
"""Seconds between two lines."""


class Line:
    """One line on stderr, written again and again."""

    def __init__(self) -> None:
        self.last = 0.0
        self.shown = False

    def __call__(self, part: float, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.last >= LOOK or part >= 1.0:
            self.last, self.shown = now, True
            print(f"\r{part:4.0%}, {done} of {total} runs", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leaves the line."""
        if self.shown:
            print(file=sys.stderr)
