"""A campaign's missing runs, through an executor.

A task is text with a seed, a result is bytes with the task's key. Results are kept as they come, so that a client that is
killed loses what was under way alone.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, NamedTuple

from . import _anabranch, _worker

SHORTEST = 0.5
"""Tasks that take less together, in seconds, go to a worker together: an executor takes milliseconds for each."""

MOST = 500
"""More tasks do not go together."""

LEAST = 0.0005
"""What the shortest task takes, in seconds."""

TRIES = 3
"""So often is a task tried that ends its worker."""

AHEAD = 3
"""So many groups of tasks for each worker are under way or wait."""

UNKNOWN = 100
"""So many workers has an executor that does not say."""

Progress = Callable[[float, int, int], object]
"""Called with the part that is done, 0 to 1, the number of runs that are done and that of those to be done."""


class Group(NamedTuple):
    """Tasks that go to a worker together."""

    tasks: list[str]
    thought: float
    """How long they were thought to take, in seconds of this machine."""
    tries: int


class Elsewhere:
    """Missing runs on their way through an executor."""

    def __init__(self, campaign: _anabranch.Campaign, executor: Executor, progress: Progress | None) -> None:
        self.campaign = campaign
        self.executor = executor
        self.progress = progress
        self.build = _anabranch.build()
        self.next = 0
        self.under_way: dict[Future[_worker.Made], Group] = {}
        self.done = 0
        # What the tasks that are done were thought to take, and took: a worker is faster or slower than thought.
        self.thought = self.took = 0.0
        self.whole = sum(max(campaign.seconds(i), LEAST) for i in range(campaign.missing))

    def run(self) -> None:
        """Runs all of them, the longest first."""
        try:
            self.submit()
            while self.under_way:
                done, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
                # What has come is kept before what failed may end the call.
                for future in sorted(done, key=failed):
                    self.take(future, self.under_way.pop(future))
                self.submit()
                if self.progress:
                    self.progress(min(self.thought / self.whole, 1.0), self.done, self.campaign.missing)
        finally:
            for future in self.under_way:
                future.cancel()
            self.campaign.end()

    def submit(self) -> None:
        """As many as keep every worker busy: what has not gone yet, another client may make."""
        while self.next < self.campaign.missing and len(self.under_way) < AHEAD * workers(self.executor):
            group = self.group()
            if group.tasks:
                self.send(group)

    def group(self) -> Group:
        """The next tasks."""
        tasks: list[str] = []
        thought = 0.0
        factor = self.took / self.thought if self.thought > 0.0 else 1.0
        while self.next < self.campaign.missing and thought * factor < SHORTEST and len(tasks) < MOST:
            task = self.campaign.begin(self.next)
            if task is not None:
                tasks.append(task)
                thought += max(self.campaign.seconds(self.next), LEAST)
            self.next += 1
        return Group(tasks, thought, 1)

    def send(self, group: Group) -> None:
        self.under_way[self.executor.submit(_worker.make, group.tasks, self.build)] = group

    def take(self, future: Future[_worker.Made], group: Group) -> None:
        """Keeps what came of some tasks. Those that ended their worker are tried again, each by itself."""
        try:
            made = future.result()
        except _anabranch.Error:
            raise
        except ImportError as why:
            raise _anabranch.VersionError(
                f"a worker has no anabranch: install the same wheel there ({why})"
            ) from why
        except (BrokenExecutor, CancelledError) as why:
            raise _anabranch.RunError(
                f"the executor has ended: {why or type(why).__name__}. "
                "What was done is kept: the same call with another executor goes on from there"
            ) from why
        except Exception as why:
            if group.tries == TRIES:
                raise _anabranch.RunError(f"a task failed {TRIES} times: {why}") from why
            for task in group.tasks:
                self.send(Group([task], group.thought / len(group.tasks), group.tries + 1))
            return
        for record in made.records:
            if record is not None:
                self.campaign.put(record)
        self.done += len(group.tasks)
        self.thought += group.thought
        self.took += made.seconds


def failed(future: Future[_worker.Made]) -> bool:
    """Whether a future that is done has no result."""
    return future.cancelled() or future.exception() is not None


def workers(executor: Executor) -> int:
    """How many tasks an executor makes at once, as far as it says."""
    pool: Any = executor
    if (size := getattr(pool, "_max_workers", None)) is not None:
        return int(size)
    if (client := getattr(pool, "_client", None)) is not None:  # of dask.distributed
        return max(int(sum(client.nthreads().values())), 1)
    return UNKNOWN
