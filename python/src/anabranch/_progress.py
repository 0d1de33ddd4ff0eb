"""Progress of a call: a line on the terminal, a bar in a notebook, lines in a log file."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

INTERVAL_S = 0.2
"""Seconds between two updates on a terminal."""

LOG_INTERVAL_S = 60.0
"""Seconds between two lines in a file or a pipe; the environment variable of the command sets others, and 0 disables them."""


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


class Log:
    """Lines on stderr at intervals, as the command's."""

    def __init__(self, interval: float) -> None:
        self.begin = self.last = time.monotonic()
        self.interval = interval

    def __call__(self, part: float, done: int, total: int) -> None:
        now = time.monotonic()
        if self.interval > 0 and now - self.last >= self.interval:
            self.last = now
            after = now - self.begin
            left = f", about {_duration(after * (1 - part) / part)} left" if part > 0 else ""
            line = f"{_duration(after)}: {part:.1%} of the work, {done} of {total} runs{left}"
            print(line, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Every line has ended."""


def _duration(seconds: float) -> str:
    """Seconds below a minute, minutes below an hour."""
    s = round(seconds)
    if s < 60:
        return f"{s} s"
    if s < 3600:
        return f"{(s + 30) // 60} min"
    return f"{(s + 30) // 3600} h {(s + 30) // 60 % 60} min"


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


def bar() -> Line | Log | Bar:
    """A bar in a notebook with tqdm, else a line on a terminal or in a notebook, else lines for a log."""
    if "ipykernel" in sys.modules:
        try:
            from tqdm.notebook import tqdm

            return Bar(tqdm)
        except ImportError:
            return Line()
    if sys.stderr.isatty():
        return Line()
    try:
        return Log(float(os.environ.get("ANABRANCH_PROGRESS_SECONDS", LOG_INTERVAL_S)))
    except ValueError:
        return Log(LOG_INTERVAL_S)
