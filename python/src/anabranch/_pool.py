"""An executor, as a campaign uses it: how many workers it has, and which of them a task has ended."""

from __future__ import annotations

import itertools
import time
import uuid
from concurrent.futures import Executor, Future
from typing import Any

from . import _worker

UNKNOWN = 100
"""So many workers has an executor that does not say."""

LOOK = 1.0
"""Seconds between two looks at a scheduler: each costs it some milliseconds."""


class Pool:
    """Any executor of `concurrent.futures`."""

    def __init__(self, executor: Executor) -> None:
        self.executor: Any = executor

    def workers(self) -> int:
        """How many tasks it makes at once, as far as it says."""
        return int(getattr(self.executor, "_max_workers", UNKNOWN))

    def submit(self, tasks: list[str], build: str, alone: bool) -> Future[_worker.Made]:
        """Has tasks made; `alone` if they may have ended a worker: they are not to end several at once."""
        future: Future[_worker.Made] = self.executor.submit(_worker.make, tasks, build)
        return future

    def lost(self) -> dict[Future[_worker.Made], int]:
        """How many workers have ended with what is under way, where that is known and not none."""
        return {}


class Dask(Pool):
    """That of a client of `dask.distributed`, which gives the tasks of a worker that ends to the next one, four times."""

    def __init__(self, executor: Executor) -> None:
        super().__init__(executor)
        self.client: Any = self.executor._client
        self.name = f"anabranch-{uuid.uuid4().hex[:8]}"
        self.numbers = itertools.count()
        self.keys: dict[Future[_worker.Made], str] = {}
        self.looked = -LOOK
        self.threads: dict[str, int] = {}

    def workers(self) -> int:
        self.look()
        return max(sum(self.threads.values()), 1)

    def look(self) -> bool:
        """Asks the scheduler for its workers, now and then; says whether it was asked."""
        due = time.monotonic() - self.looked >= LOOK
        if due:
            self.threads = self.client.nthreads()
            self.looked = time.monotonic()
        return due

    def submit(self, tasks: list[str], build: str, alone: bool) -> Future[_worker.Made]:
        key = f"{self.name}-{next(self.numbers)}"
        # Bound to a worker it waits where that ends.
        where = {"workers": list(self.client.nthreads())[:1]} if alone else {}
        future: Future[_worker.Made] = self.executor.submit(_worker.make, tasks, build, key=key, **where)
        self.keys[future] = key
        future.add_done_callback(lambda done: self.keys.pop(done, None))
        return future

    def lost(self) -> dict[Future[_worker.Made], int]:
        if not self.look():
            return {}

        # Of this function the scheduler gets the code itself: it need not have the package.
        def suspicious(dask_scheduler: Any, keys: list[str]) -> dict[str, int]:
            known = {key: dask_scheduler.tasks.get(key) for key in keys}
            return {key: task.suspicious for key, task in known.items() if task and task.suspicious}

        keys = dict(self.keys)
        found = self.client.run_on_scheduler(suspicious, keys=list(keys.values()))
        return {future: found[key] for future, key in keys.items() if key in found}


def pool(executor: Executor) -> Pool:
    """The executor as such."""
    return Dask(executor) if hasattr(executor, "_client") else Pool(executor)
