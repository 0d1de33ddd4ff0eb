"""Progress of a call, on the terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from typing import Any

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


class Bar:
    """A bar of tqdm, which notebooks draw."""

    def __init__(self, tqdm: Any) -> None:
        self.bar = tqdm(total=100, bar_format="{percentage:3.0f}%|{bar}| {postfix}")

    def __call__(self, part: float, done: int, total: int) -> None:
        self.bar.set_postfix_str(f"{done} of {total} runs", refresh=False)
        self.bar.update(100 * part - self.bar.n)

    def end(self) -> None:
        """Ends the bar."""
        self.bar.close()


def bar() -> Line | Bar:
    """A bar in a notebook with tqdm, else a line."""
    if "ipykernel" in sys.modules:
        try:
            from tqdm.notebook import tqdm

            return Bar(tqdm)
        except ImportError:
            pass
    return Line()
