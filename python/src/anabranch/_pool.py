"""A uniform interface to executors: number of workers, submission, and workers that ended."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any

from . import _worker
from ._errors import RunError

DEFAULT_WORKERS = 100
"""The assumed number of workers of an executor that does not report it."""

POLL_S = 1.0
"""Seconds between two requests to a scheduler, which cost it some milliseconds each."""

RESULT_S = 30.0
"""Seconds in which a result must reach the client."""

SLOWED = ("memory_monitor", "monitor", "profile", "tick")
"""Callbacks by which Dask's processes look at themselves."""


class Pool:
    """Any executor of `concurrent.futures`."""

    def __init__(self, executor: Executor) -> None:
        self.executor: Any = executor

    def workers(self) -> int:
        """The number of tasks that it runs at once."""
        return int(getattr(self.executor, "_max_workers", DEFAULT_WORKERS))

    def submit(self, tasks: list[str], build: str, alone: bool, needs: _worker.Needs) -> Future[_worker.Results]:
        """Submits tasks; `alone` if they may have ended a worker, so that they end at most one at a time, and no other task ends it."""
        future: Future[_worker.Results] = self.executor.submit(_worker.make, tasks, build, *_given(needs))
        return future

    def lost(self) -> dict[Future[_worker.Results], int]:
        """The number of workers that ended per submitted future, if known: 0 where its worker ended before it began."""
        return {}

    def end(self) -> None:
        """Nothing more is submitted."""


class Dask(Pool):
    """The executor of a `dask.distributed` client. Dask moves the tasks of a worker that ends to the next one, four times."""

    def __init__(self, executor: Executor) -> None:
        import dask

        super().__init__(executor)
        self.client: Any = self.executor._client
        self.address: str = self.client.scheduler.address
        self.name = f"anabranch-{uuid.uuid4().hex[:8]}"
        self.numbers = itertools.count()
        self.keys: dict[Future[_worker.Results], str] = {}
        # An executor with places of its own keeps to them, and so do annotations.
        self.binds = not {"workers", "resources"} & {*getattr(executor, "_kwargs", {}), *dask.get_annotations()}
        self.polled = -POLL_S
        self.threads: dict[str, int] = {}
        self.slowed: set[str] = set()
        self.finished: dict[str, float] = {}

    def workers(self) -> int:
        self.poll()
        return max(sum(self.threads.values()), 1)

    def poll(self) -> bool:
        """Requests the workers from the scheduler if due; returns whether it did."""
        due = time.monotonic() - self.polled >= POLL_S
        if due:
            self.threads = self.ask(self.client.nthreads)
            self.polled = time.monotonic()
        return due

    def slow(self, workers: list[str], slow: bool) -> None:
        """Lets processes of Dask look at themselves once a second at most, or as often as before: by default a worker with its nanny
        and the scheduler do so 200 times a second, which takes them some per cent of a core."""

        names = SLOWED

        # Dask sends the code of this function, too, and calls the scheduler a worker.
        def intervals(dask_worker: Any) -> None:
            if not slow:
                for name, interval in dask_worker.__dict__.pop("anabranch_intervals", {}).items():
                    dask_worker.periodic_callbacks[name].callback_time = interval
            elif not hasattr(dask_worker, "anabranch_intervals"):
                callbacks = {name: dask_worker.periodic_callbacks.get(name) for name in names}
                short = {name: each for name, each in callbacks.items() if each and each.callback_time < 1000}
                dask_worker.anabranch_intervals = {name: each.callback_time for name, each in short.items()}
                for each in short.values():
                    each.callback_time = 1000

        # A worker or the scheduler may have ended, which others notice.
        for nanny in (False, True):
            with suppress(Exception):
                self.client.run(intervals, workers=workers, nanny=nanny, on_error="ignore")
        with suppress(Exception):
            self.client.run_on_scheduler(intervals)

    def end(self) -> None:
        with suppress(Exception):
            self.slow([worker for worker in self.client.nthreads() if worker in self.slowed], slow=False)

    def ask(self, question: Callable[[], Any]) -> Any:
        """An answer of the scheduler, or an error that names it."""
        try:
            return question()
        except (OSError, TimeoutError) as why:
            raise RunError(
                f"the Dask scheduler at {self.address} does not answer: {why}. "
                "A store or folder keeps finished runs: repeat the call with a new client to resume"
            ) from why

    def idle(self) -> list[str] | None:
        """Waits for a worker that runs nothing of this pool: one on which a cancelled task still runs may end because of it. Prefers
        one that runs nothing of other clients either. `None` if no worker takes tasks, as a cluster may start one only for a task that
        waits, or if the executor chooses: then nothing of this pool runs anywhere.
        """
        name = self.name

        def executing(dask_worker: Any) -> tuple[int, int, bool]:
            tasks = [str(task.key) for task in dask_worker.state.executing]
            # A paused worker keeps a task that is bound to it waiting.
            return sum(task.startswith(name) for task in tasks), len(tasks), dask_worker.status.name == "running"

        while True:
            counts = self.ask(lambda: self.client.run(executing, on_error="ignore"))
            takes = [(ours, tasks, worker) for worker, (ours, tasks, runs) in counts.items() if runs and self.binds]
            if takes and min(takes)[0] == 0:
                return [min(takes)[2]]
            if not takes and not any(ours for ours, *_ in counts.values()):
                return None
            time.sleep(POLL_S / 10)

    def submit(self, tasks: list[str], build: str, alone: bool, needs: _worker.Needs) -> Future[_worker.Results]:
        if new := self.threads.keys() - self.slowed:
            self.slow(list(new), slow=True)
            self.slowed |= new
        key = f"{self.name}-{next(self.numbers)}"
        # A task bound to a worker moves to no other one if that worker ends.
        idle = self.idle() if alone else None
        where = {"workers": idle} if idle else {}
        future: Future[_worker.Results] = self.executor.submit(_worker.make, tasks, build, *_given(needs), key=key, **where)
        self.keys[future] = key
        future.add_done_callback(lambda done: self.keys.pop(done, None))
        return future

    def lost(self) -> dict[Future[_worker.Results], int]:
        if not self.poll():
            return {}

        binds = self.binds

        # Dask sends the code of this function, so that the scheduler does not need the package.
        def suspicious(dask_scheduler: Any, keys: list[str]) -> tuple[dict[str, int], list[str]]:
            known = {key: task for key in keys if (task := dask_scheduler.tasks.get(key))}
            # What is bound to a worker that has ended would wait for ever.
            stuck = {key for key, task in known.items() if binds and task.state == "no-worker" and task.worker_restrictions}
            lost = {key: task.suspicious for key, task in known.items() if task.suspicious or key in stuck}
            return lost, [key for key, task in known.items() if task.state == "memory"]

        keys = dict(self.keys)
        lost, finished = self.ask(lambda: self.client.run_on_scheduler(suspicious, keys=list(keys.values())))
        # Of a result that the client cannot read, such as one of another wheel, Dask says nothing.
        self.finished = {key: self.finished.get(key, self.polled) for key in finished}
        for key, since in self.finished.items():
            if self.polled - since > RESULT_S:
                lost.setdefault(key, 1)
        return {future: lost[key] for future, key in keys.items() if key in lost}


def _given(needs: _worker.Needs) -> tuple[_worker.Needs, ...]:
    """What is sent beside the tasks: nothing for runs without Python code."""
    return (needs,) if needs.own or needs.metrics or needs.stopped else ()


def pool(executor: Executor) -> Pool:
    """Wraps an executor."""
    return Dask(executor) if hasattr(executor, "_client") else Pool(executor)
