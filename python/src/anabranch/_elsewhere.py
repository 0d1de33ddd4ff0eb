"""A campaign's missing runs, through an executor.

A task is text with a seed, a result is bytes with the task's key. Results are kept as they come, so that a client that is
killed loses what was under way alone.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import NamedTuple

from . import _anabranch, _pool, _worker

SHORTEST = 0.5
"""Tasks that take less together, in seconds, go to a worker together: an executor takes milliseconds for each."""

MOST = 500
"""More tasks do not go together."""

LEAST = 0.0005
"""What the shortest task takes, in seconds."""

AHEAD = 3
"""So many groups of tasks for each worker are under way or wait."""

LOST = 2
"""A task that ends so many workers, by itself, is given up."""

GIVEN_UP = 3
"""After so many tasks that were given up the rest is not tried."""

Progress = Callable[[float, int, int], object]
"""Called with the part that is done, 0 to 1, the number of runs that are done and that of those to be done."""


class Group(NamedTuple):
    """Tasks that go to a worker together."""

    tasks: list[str]
    thought: float
    """How long they were thought to take, in seconds of this machine."""
    suspect: bool = False
    """Whether it is a task that may have ended a worker."""
    lost: int = 0
    """How many workers ended with it, since it goes by itself."""


class Elsewhere:
    """Missing runs on their way through an executor."""

    def __init__(self, campaign: _anabranch.Campaign, executor: Executor, progress: Progress | None) -> None:
        self.campaign = campaign
        self.pool = _pool.pool(executor)
        self.progress = progress
        self.build = _anabranch.build()
        self.next = 0
        self.under_way: dict[Future[_worker.Made], Group] = {}
        # Tasks that were on a worker when it ended. One at a time is tried, so that it is known which one ends workers.
        self.suspects: deque[Group] = deque()
        self.given_up: list[str] = []
        self.done = 0
        # What the tasks that are done were thought to take, and took: a worker is faster or slower than thought.
        self.thought = self.took = 0.0
        # Without those that another client makes meanwhile.
        self.total = campaign.missing
        self.whole = sum(max(campaign.seconds(i), LEAST) for i in range(campaign.missing))

    def run(self) -> None:
        """Runs all of them, the longest first."""
        try:
            self.submit()
            while self.under_way:
                done, _ = wait(self.under_way, timeout=_pool.LOOK, return_when=FIRST_COMPLETED)
                # What has come is kept before what failed may end the call.
                for future in sorted(done, key=failed):
                    self.take(future, self.under_way.pop(future))
                for future, lost in self.pool.lost().items():
                    if group := self.under_way.pop(future, None):
                        future.cancel()
                        self.suspect(group, lost)
                self.submit()
                if self.progress:
                    self.progress(min(self.thought / self.whole, 1.0), self.done, self.total)
            if self.given_up:
                raise self.deadly()
        finally:
            for future in self.under_way:
                future.cancel()
            self.campaign.end()

    def submit(self) -> None:
        """As many as keep every worker busy: what has not gone yet, another client may make."""
        while self.next < self.campaign.missing and len(self.under_way) < AHEAD * self.pool.workers():
            group = self.group()
            if group.tasks:
                self.send(group)
        if self.suspects and not any(group.suspect for group in self.under_way.values()):
            self.send(self.suspects.popleft())

    def group(self) -> Group:
        """The next tasks."""
        tasks: list[str] = []
        thought = 0.0
        factor = self.took / self.thought if self.thought > 0.0 else 1.0
        while self.next < self.campaign.missing and thought * factor < SHORTEST and len(tasks) < MOST:
            task = self.campaign.begin(self.next)
            seconds = max(self.campaign.seconds(self.next), LEAST)
            if task is None:
                self.total -= 1
                self.whole -= seconds
            else:
                tasks.append(task)
                thought += seconds
            self.next += 1
        return Group(tasks, thought)

    def send(self, group: Group) -> None:
        self.under_way[self.pool.submit(group.tasks, self.build, group.suspect)] = group

    def take(self, future: Future[_worker.Made], group: Group) -> None:
        """Keeps what came of some tasks."""
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
        except Exception:
            # Such as Dask's, after four workers.
            return self.suspect(group, LOST)
        for record in made.records:
            if record is not None:
                self.campaign.put(record)
        self.done += len(group.tasks)
        self.thought += group.thought
        self.took += made.seconds

    def suspect(self, group: Group, lost: int) -> None:
        """So many workers ended with these tasks: each is tried again by itself, or given up."""
        if not group.suspect:
            each = group.thought / len(group.tasks)
            self.suspects.extend(Group([task], each, suspect=True) for task in group.tasks)
        elif group.lost + lost < LOST:
            self.suspects.appendleft(group._replace(lost=group.lost + lost))
        else:
            self.given_up.append(name(group.tasks[0]))
            if len(self.given_up) == GIVEN_UP:
                raise self.deadly()

    def deadly(self) -> _anabranch.RunError:
        """The error that names what was given up."""
        tasks = "\n".join(f"  {task}" for task in self.given_up)
        return _anabranch.RunError(
            f"tasks that ended their workers, or failed there without a result, were given up:\n{tasks}\n"
            "Perhaps a worker has too little memory for them, or its log says why. "
            "What was done is kept: the same call goes on from there"
        )


def failed(future: Future[_worker.Made]) -> bool:
    """Whether a future that is done has no result."""
    return future.cancelled() or future.exception() is not None


def name(task: str) -> str:
    """A task for people: what is changed in its scenario, and its seed."""
    read = json.loads(task)
    return ", ".join([*read["set"], *(f"cc {cc}" for cc in read["cc"]), f"seed {read['seed']}"])
