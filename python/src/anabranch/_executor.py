"""Makes missing runs with an executor.

A task is a scenario text with a seed, a result is bytes with the task's key. Results are stored as they arrive, so that a killed
client loses only the tasks in progress.
"""

from __future__ import annotations

import json
import pickle
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import NamedTuple, Protocol

from . import _anabranch, _pool, _worker
from ._errors import Error, RunError, VersionError

MIN_GROUP_S = 0.5
"""The shortest group of tasks, in seconds: an executor takes milliseconds per submission."""

MAX_TASKS = 500
"""The most tasks of a group."""

MIN_TASK_S = 0.0005
"""The shortest duration of a task, in seconds."""

GROUPS_PER_WORKER = 3
"""Groups of tasks per worker that run or wait."""

MAX_LOST = 2
"""A task that ends this many workers by itself is given up."""

MAX_GIVEN_UP = 3
"""After this many tasks are given up, the campaign stops."""

Progress = Callable[[float, int, int], object]
"""Called with the fraction done, 0 to 1, the number of runs done, and the number of runs in total."""


class Runs(Protocol):
    """Missing runs, and where their records go."""

    @property
    def missing(self) -> int:
        """Their number."""

    def seconds(self, i: int) -> float:
        """The estimated duration of a run on a core."""

    def begin(self, i: int) -> str | None:
        """The task of a run; `None` if another process makes it. Called for each in turn."""

    def put(self, task: str, record: bytes | None, /) -> None:
        """Takes a task's record; a run that failed has none."""

    def end(self) -> None:
        """No more records come."""


class Group(NamedTuple):
    """Tasks that are submitted together."""

    tasks: list[str]
    estimate: float
    """Their estimated duration on this machine, in seconds."""
    suspect: bool = False
    """Whether it is a single task that may have ended a worker."""
    lost: int = 0
    """How many workers the task has ended by itself."""


class RemoteRuns:
    """Missing runs, made by an executor."""

    def __init__(
        self, runs: Runs, executor: Executor, progress: Progress | None, needs: _worker.Needs
    ) -> None:
        self.runs = runs
        self.needs = needs
        self.pool = _pool.pool(executor)
        self.progress = progress
        self.build = _anabranch.build()
        self.next = 0
        self.under_way: dict[Future[_worker.Results], Group] = {}
        # Tasks that were on a worker when it ended. They run one at a time, to find the one that ends workers.
        self.suspects: deque[Group] = deque()
        self.given_up: list[str] = []
        self.done = 0
        # Estimated and measured duration of finished tasks: their ratio corrects for the speed of the workers.
        self.estimate = self.elapsed = 0.0
        # Without the runs that another client makes.
        self.total = runs.missing
        self.total_estimate = sum(max(runs.seconds(i), MIN_TASK_S) for i in range(runs.missing))

    def run(self) -> None:
        """Makes all runs, the longest first."""
        try:
            self.submit()
            while self.under_way:
                done, _ = wait(self.under_way, timeout=_pool.POLL_S, return_when=FIRST_COMPLETED)
                # Stores all results before a failure may end the call.
                first: Exception | None = None
                for future in sorted(done, key=failed):
                    try:
                        self.take(future, self.under_way.pop(future))
                    except Exception as why:
                        first = first or why
                if first:
                    raise first
                for future, lost in self.pool.lost().items():
                    if group := self.under_way.pop(future, None):
                        future.cancel()
                        self.retry(group, lost)
                self.submit()
                if self.progress:
                    self.progress(min(self.estimate / self.total_estimate, 1.0), self.done, self.total)
            if self.given_up:
                raise self.given_up_error()
        finally:
            for future in self.under_way:
                future.cancel()
            try:
                self.runs.end()
            finally:
                self.pool.end()

    def submit(self) -> None:
        """Submits enough groups to keep every worker busy. Another client may make the remaining runs."""
        # Nothing else runs beside a suspect, so that a worker that ends does so because of it.
        if self.suspects and not self.under_way:
            self.send(self.suspects.popleft())
        if self.suspects or any(group.suspect for group in self.under_way.values()):
            return
        while self.next < self.runs.missing and len(self.under_way) < GROUPS_PER_WORKER * self.pool.workers():
            group = self.next_group()
            if group.tasks:
                self.send(group)

    def next_group(self) -> Group:
        """The next group of tasks."""
        tasks: list[str] = []
        estimate = 0.0
        factor = self.elapsed / self.estimate if self.estimate > 0.0 else 1.0
        while self.next < self.runs.missing and estimate * factor < MIN_GROUP_S and len(tasks) < MAX_TASKS:
            task = self.runs.begin(self.next)
            seconds = max(self.runs.seconds(self.next), MIN_TASK_S)
            if task is None:
                self.total -= 1
                self.total_estimate -= seconds
            else:
                tasks.append(task)
                estimate += seconds
            self.next += 1
        return Group(tasks, estimate)

    def send(self, group: Group) -> None:
        try:
            self.under_way[self.pool.submit(group.tasks, self.build, group.suspect, self.needs)] = group
        except (RecursionError, NotImplementedError):
            raise
        except RuntimeError as why:
            raise ended(why) from why

    def take(self, future: Future[_worker.Results], group: Group) -> None:
        """Stores the results of a group."""
        try:
            made = future.result()
        except Error:
            raise
        except ImportError as why:
            module = (why.name or "").partition(".")[0]
            if module == "anabranch":
                raise VersionError(f"a worker lacks the anabranch package: install the same wheel there ({why})") from why
            raise RunError(f"a worker cannot import {module or 'a module'}: install it there ({why})") from why
        except (BrokenExecutor, CancelledError) as why:
            raise ended(why) from why
        except (pickle.PicklingError, AttributeError, TypeError) as why:
            raise RunError(
                f"the metrics or algorithms cannot be sent to workers: {why}. Define them in a module that workers can import"
            ) from why
        except Exception:
            # Dask raises its own error after four workers.
            return self.retry(group, MAX_LOST)
        if made.error:
            error, text = made.error
            raise error from RunError(f"in a worker:\n{text}")
        # A run that failed may end the call.
        for task, record in sorted(zip(group.tasks, made.records), key=lambda each: each[1] is None):
            self.runs.put(task, record)
        self.done += len(group.tasks)
        self.estimate += group.estimate
        self.elapsed += made.seconds

    def retry(self, group: Group, lost: int) -> None:
        """Handles tasks with which `lost` workers ended: makes each again by itself, or gives it up."""
        if not group.suspect:
            each = group.estimate / len(group.tasks)
            self.suspects.extend(Group([task], each, suspect=True) for task in group.tasks)
        elif group.lost + lost < MAX_LOST:
            self.suspects.appendleft(group._replace(lost=group.lost + lost))
        else:
            self.given_up.append(name(group.tasks[0]))
            if len(self.given_up) == MAX_GIVEN_UP:
                raise self.given_up_error()

    def given_up_error(self) -> RunError:
        """The error that lists the tasks that were given up."""
        tasks = "\n".join(f"  {task}" for task in self.given_up)
        return RunError(
            f"tasks were given up because their workers ended or returned no result:\n{tasks}\n"
            "A worker may have too little memory: see its log. "
            "A store or folder keeps finished runs: repeat the call to resume"
        )


def ended(why: BaseException) -> RunError:
    """The error of an executor that takes no more tasks."""
    return RunError(
        f"the executor takes no more tasks: {str(why) or type(why).__name__}. "
        "A store or folder keeps finished runs: repeat the call with another executor to resume"
    )


def failed(future: Future[_worker.Results]) -> bool:
    """Whether a finished future has no result."""
    return future.cancelled() or future.exception() is not None


def name(task: str) -> str:
    """A task's description for messages: the changes to its scenario, and its seed."""
    read = json.loads(task)
    return ", ".join([*read["set"], *(f"cc {cc}" for cc in read["cc"]), f"seed {read['seed']}"])
