"""What a worker does, in whatever process it is."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from . import _anabranch


class Made(NamedTuple):
    """What came of some tasks."""

    records: list[bytes | None]
    """Of each task its record; none where it failed."""
    seconds: float
    """How long they took."""
    pid: int
    """The worker's process."""


def make(tasks: list[str], build: str) -> Made:
    """Runs tasks for a client of that build."""
    start = time.perf_counter()
    records = _anabranch.execute(tasks, build)
    return Made(records, time.perf_counter() - start, os.getpid())
