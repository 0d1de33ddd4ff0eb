"""The function that workers run."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from . import _anabranch


class Results(NamedTuple):
    """The results of tasks."""

    records: list[bytes | None]
    """The record of each task; `None` if it failed."""
    seconds: float
    """Their total duration."""
    pid: int
    """The worker's process."""


def make(tasks: list[str], build: str) -> Results:
    """Runs tasks for a client of the given build."""
    start = time.perf_counter()
    records = _anabranch.execute(tasks, build)
    return Results(records, time.perf_counter() - start, os.getpid())
