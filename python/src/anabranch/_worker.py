"""The function that workers run."""

from __future__ import annotations

import os
import pickle
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from . import _anabranch, _code
from ._algorithm import Own
from ._errors import Error, RunError, VersionError
from ._run import Run


class Needs(NamedTuple):
    """What tasks need besides their text."""

    own: list[Own] = []
    """Algorithms in Python."""
    metrics: dict[str, Callable[[Run], float | None]] = {}
    """Functions of a run."""
    digest: str = ""
    """The digest of the metrics' code."""
    identity: str = "sim"
    """The name under which runs are stored."""
    stopped: Callable[[], bool] | None = None
    """Whether to stop, for threads of the client."""
    raises: bool = False
    """Whether a run that fails is an error."""
    measure: Callable[[Any], dict[str, float | None]] | None = None
    """The metrics as one function, in the worker."""


class Results(NamedTuple):
    """The results of tasks."""

    records: list[bytes | None]
    """The record of each task; `None` if it failed."""
    seconds: float
    """Their total duration."""
    pid: int
    """The worker's process."""
    error: tuple[BaseException, str] | None = None
    """The exception of an algorithm or a metric, and its traceback."""


def make(tasks: list[str], build: str, needs: Needs = Needs()) -> Results:
    """Runs tasks for a client of the given build."""
    start = time.perf_counter()
    error: tuple[BaseException, str] | None = None
    records: list[bytes | None] = []
    try:
        _same_code(needs)
        measure = _measure(needs.metrics) if needs.metrics else None
        records = _anabranch.execute(tasks, build, needs._replace(measure=measure))
    except VersionError as why:
        raise VersionError(f"{why} (the worker is process {os.getpid()} on {socket.gethostname()})") from None
    except Error as why:
        error = (why, traceback.format_exc())
    except Exception as why:
        text = traceback.format_exc()
        error = (_portable(why, text), text)
    return Results(records, time.perf_counter() - start, os.getpid(), error)


def _same_code(needs: Needs) -> None:
    """Refuses code that is not the client's, since runs are stored by the client's."""
    if other := [own.label for own in needs.own if not own.is_same()]:
        raise VersionError(f"the worker has other code of {', '.join(other)}: give it the client's modules and Python")
    if needs.metrics and _code.digest("the metrics", *sorted(needs.metrics.items())) != needs.digest:
        raise VersionError("the worker has other code of the metrics: give it the client's modules and Python")


def _measure(metrics: dict[str, Callable[[Run], float | None]]) -> Callable[[Any], dict[str, float | None]]:
    def measure(record: Any) -> dict[str, float | None]:
        run = Run(record)
        return {name: _number(name, metric(run)) for name, metric in metrics.items()}

    return measure


def _number(name: str, value: Any) -> float | None:
    """A metric's value; what is not finite is missing."""
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise RunError(f"the metric `{name}` returned {value!r}, of type {type(value).__name__}: it must be a number") from None
    return number if number - number == 0.0 else None


def _portable(why: Exception, text: str) -> BaseException:
    """The exception, or one with its text if it cannot be sent to another process."""
    try:
        pickle.loads(pickle.dumps(why))
    except Exception:
        return RunError(text)
    return why
