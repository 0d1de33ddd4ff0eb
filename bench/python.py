"""The cost of Python. An algorithm in Python: seconds of a core per acknowledgement. A cluster of Dask: tasks per second with 1, 2 and
4 workers, the overhead of a task, the bytes of a task and of its outcome. Needs the package and `distributed`:

    python bench/python.py [TASKS]

The overhead is all that the processes of client, scheduler, nannies and workers take of a core during a sweep, but for what the
tasks themselves take. It includes what Dask takes when there is nothing to do. This is also measured by itself, before a sweep: during one,
Dask's processes look at themselves less often.
"""

import json
import sys
import tempfile
import time
from concurrent.futures import Executor, Future

import anabranch
from anabranch import _anabranch, _executor, _worker
from distributed import Client, LocalCluster

# About 10 ms on a core: 12 Mbit/s are a thousand packets per second.
SCENARIO = """
name = "short"
duration = "54 s"
warmup = "1 s"
links.a = { rate = "12 Mbit/s", delay = "10 ms" }
links.b = { rate = "6 Mbit/s", delay = "20 ms" }
flows = [
    { name = "tested", cc = "lia", paths = [["a"], ["b"]] },
    { name = "other", cc = "reno", paths = [["a"]] },
]
"""


ONE_FLOW = """
name = "one flow"
duration = "60 s"
links.a = { rate = "100 Mbit/s", delay = "10 ms" }
flows = [{ name = "f", cc = "reno", paths = [["a"]] }]
"""


class Reno(anabranch.Algorithm):
    """As that in Rust."""

    acknowledgements = 0

    def acked(self, paths: list[anabranch.Path], r: int, ack: anabranch.Ack) -> None:
        Reno.acknowledgements += 1
        left = paths[r].slow_start(ack.acked)
        paths[r].cwnd += left / paths[r].cwnd

    def congestion(self, paths: list[anabranch.Path], r: int, event: anabranch.Congestion) -> None:
        paths[r].reduce_to(paths[r].cwnd / 2)


def algorithm() -> None:
    """The smallest of five measurements, of Reno in Python and in Rust."""

    def seconds(cc: object) -> float:
        start = time.process_time()
        anabranch.run(ONE_FLOW, cc={"f": cc}, samples=False)  # type: ignore[dict-item]
        return time.process_time() - start

    ours, theirs = (min(seconds(cc) for _ in range(5)) for cc in (Reno, "reno"))
    each = (ours - theirs) / (Reno.acknowledgements / 5)
    print(f"Reno in Python: {each * 1e6:.2f} µs of a core per acknowledgement; a run takes {ours / theirs:.1f} times as long")


TWO_PATHS = """
name = "two paths"
duration = "60 s"
links.a = { rate = "100 Mbit/s", delay = "10 ms" }
links.b = { rate = "100 Mbit/s", delay = "20 ms" }
flows = [{ name = "f", cc = "lia", paths = [["a"], ["b"]] }]
"""


def session() -> None:
    """Steps of 10 ms, in which the flow has 85 segments in flight on each path, and what the run itself takes."""
    start = time.process_time()
    steps = 0
    with anabranch.Session(TWO_PATHS, seed=1, control="f") as session:
        for path in (0, 1):
            session.set_cwnd("f", path, 170.0)
        while not session.done:
            seen = session.step(0.01)
            session.set_cwnd("f", 0, 170.0 + seen.flows["f"].subflows[0].srtt_s)
            steps += 1
    taken = time.process_time() - start
    start = time.process_time()
    with anabranch.Session(TWO_PATHS, seed=1, control="f") as session:
        for path in (0, 1):
            session.set_cwnd("f", path, 170.0)
        session.advance(0.1)
        session.advance(60)
    alone = time.process_time() - start
    print(f"a session: {steps / taken:.0f} steps of 10 ms per second of a core; the run in one step as {steps / alone:.0f}")


def cpu(client: Client) -> float:
    """Seconds of a core that the workers have used."""
    return sum(client.run(time.process_time).values())


def timed(tasks: list[str], build: str) -> _worker.Results:
    """The result of a worker, with the seconds of a core that it takes: other users of the machine make both longer."""
    start = time.thread_time()
    made = _worker.make(tasks, build)
    return made._replace(seconds=time.thread_time() - start)


class Timing(Executor):
    """An executor in front of Dask's, which adds up what the tasks themselves take."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.seconds, self.groups = executor, 0.0, 0
        self._client = executor._client  # type: ignore[attr-defined]

    def submit(self, _: object, /, *arguments: object, **how: object) -> Future[_worker.Results]:  # type: ignore[override]
        future = self.executor.submit(timed, *arguments, **how)
        self.groups += 1
        future.add_done_callback(self.add)
        return future

    def add(self, future: Future[_worker.Results]) -> None:
        self.seconds += future.result().seconds


IDLE_S = 10


class Spent:
    """Seconds by the clock, and of a core that workers and this process, with client, scheduler and nannies, have used."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.begin = self.now()

    def now(self) -> tuple[float, float, float]:
        return time.perf_counter(), cpu(self.client), time.process_time()

    def since(self) -> list[float]:
        return [now - then for now, then in zip(self.now(), self.begin)]


def measure(name: str, workers: int, tasks: int, most: int) -> None:
    """A sweep through this number of workers."""
    _executor.MAX_TASKS = most
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        tempfile.TemporaryDirectory() as store,
    ):
        executor = Timing(client.get_executor())
        # Warm, so that every worker has imported what it needs.
        anabranch.sweep(SCENARIO, seeds=20 * workers, executor=executor, store=f"{store}/warm", progress=False)
        nothing = Spent(client)
        time.sleep(IDLE_S)
        clock, theirs, ours = nothing.since()
        print(f"{workers} workers, {name}: idle {theirs / clock / workers:.1%} of a core for each, {ours / clock:.1%} for the rest; ", end="")
        executor.seconds, executor.groups = 0.0, 0
        spent = Spent(client)
        anabranch.sweep(SCENARIO, seeds=tasks, executor=executor, store=f"{store}/runs", progress=False)
        clock, theirs, ours = spent.since()
        beside = theirs - executor.seconds
        print(
            f"{tasks / clock:.0f} tasks/s in {executor.groups} groups; ms of a core per task: "
            f"itself {executor.seconds / tasks * 1e3:.2f}, workers beside it {beside / tasks * 1e3:.2f}, "
            f"client and scheduler {ours / tasks * 1e3:.2f}; overhead {(beside + ours) / executor.seconds:.1%}",
            flush=True,
        )


def main(tasks: int) -> None:
    algorithm()
    session()
    sample = json.dumps({"scenario": SCENARIO, "seed": "1"})
    made = timed([sample] * 100, _anabranch.build())
    print(f"a task alone: {made.seconds * 10:.2f} ms of a core; {len(sample)} bytes, its outcome {len(made.records[0] or b'')} bytes")
    together = _executor.MAX_TASKS
    for name, most in (("together", together), ("one by one", 1)):
        for workers in (1, 2, 4):
            measure(name, workers, tasks if most > 1 else tasks // 5, most)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
