"""Dask: workers are processes of their own, and may be killed, and so may the client."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import SHORT
from distributed import Client, LocalCluster
from test_sweep import STUDY, Counting, lines

import anabranch
from anabranch._pool import Dask, pool

# Of which each run takes about a tenth of a second.
LONGER = SHORT.replace('"3 s"', '"80 s"').replace("1e-3", "0.0")
VARY = {"links.a.delay": ["5 ms", "10 ms", "20 ms"]}
SEEDS = 8
RUNS = 3 * SEEDS


@pytest.fixture
def cluster() -> Iterator[LocalCluster]:
    """Two workers, each in a process of its own, which a nanny starts again when it ends. Of each test: on a busy machine, a nanny may not
    start a worker again that a test has ended."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster) as client:
        yield client


def sweep(scenario: str = LONGER, progress: Any = False, **kwargs: Any) -> anabranch.Table:
    """Each task goes by itself, so that there is a middle of the sweep."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("anabranch._executor.MAX_TASKS", 1)
        return anabranch.sweep(scenario, VARY, seeds=SEEDS, progress=progress, **kwargs)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> tuple[anabranch.Table, list[bytes]]:
    """The same without a cluster: the table, and the store's lines."""
    store = tmp_path_factory.mktemp("serial")
    return sweep(store=store), lines(store)


def test_workers_give_the_same_bytes(client: Client, serial: tuple[anabranch.Table, list[bytes]], tmp_path: Path) -> None:
    assert pool(client.get_executor()).workers() == 2
    counting = Counting(client.get_executor())
    table = sweep(executor=counting, store=tmp_path)
    assert table.to_pydict() == serial[0].to_pydict()
    assert lines(tmp_path) == serial[1]
    assert len(counting.tasks) == RUNS
    pids = set(client.run(os.getpid).values())
    assert set(counting.pids) == pids and len(pids) == 2 and os.getpid() not in pids
    # The second time there is nothing to do.
    again = Counting(client.get_executor())
    assert sweep(executor=again, store=tmp_path).to_pydict() == table.to_pydict()
    assert again.tasks == []


def test_a_worker_is_killed(client: Client, serial: tuple[anabranch.Table, list[bytes]], tmp_path: Path) -> None:
    counting = Counting(client.get_executor())
    killed: list[int] = []

    def kill(part: float, done: int, total: int) -> None:
        if total == RUNS and not killed and done >= 2:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    table = sweep(progress=kill, executor=counting, store=tmp_path)
    assert killed and killed[0] not in client.run(os.getpid).values()
    assert table.to_pydict() == serial[0].to_pydict() and lines(tmp_path) == serial[1]


def test_dask_looks_at_itself_less_often(client: Client) -> None:
    """Its workers and the scheduler, during a sweep."""

    def intervals(dask_worker: Any) -> list[float]:
        # For the scheduler, it is that.
        callbacks = dask_worker.periodic_callbacks
        return [callbacks[name].callback_time for name in ("tick", "monitor", "memory_monitor") if name in callbacks]

    def servers() -> list[list[float]]:
        return [*client.run(intervals).values(), client.run_on_scheduler(intervals)]

    before, during = servers(), []
    sweep(executor=client.get_executor(), progress=lambda part, done, total: during.append(servers()) if not during else None)
    assert len(before) == 3 and servers() == before and max(before[0]) < 1000
    assert {each for server in during[0] for each in server} == {1000}


# With a second argument it stops after three runs.
CLIENT = """
import sys, time
from distributed import Client
from test_dask import Counting, sweep
if __name__ == "__main__":
    address, store, *stops = sys.argv[1:]
    with Client(address) as client:
        counting = Counting(client.get_executor())
        sweep(executor=counting, store=store, progress=lambda _, done, __: time.sleep(600) if stops and done >= 3 else None)
        print(len(counting.tasks))
"""


class Deadly(Counting):
    """One task ends its worker, `most` times."""

    def __init__(self, client: Client, deaths: Path, most: int) -> None:
        super().__init__(client.get_executor())
        self._client = client
        self.deaths, self.most = deaths, most
        deaths.touch()

    def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Any:
        deaths, most = self.deaths, self.most

        def die(tasks: list[str], build: str) -> Any:
            deadly = any('links.a.delay=20 ms' in task and '"seed":"5"' in task for task in tasks)
            if deadly and len(deaths.read_text().splitlines()) < most:
                with deaths.open("a") as file:
                    file.write(f"{os.getpid()}\n")
                # As what takes too much memory does.
                time.sleep(2)
                os.kill(os.getpid(), signal.SIGKILL)
            return make(tasks, build)

        return super().submit(die, *args, **kwargs)


def test_a_task_that_ends_its_workers_is_given_up(client: Client, tmp_path: Path) -> None:
    """It is named, and everything else is done."""
    deadly = Deadly(client, tmp_path / "deaths", most=100)
    with pytest.raises(anabranch.RunError, match="links.a.delay=20 ms, seed 5\n") as raised:
        anabranch.sweep(LONGER, VARY, seeds=SEEDS, progress=False, executor=deadly, store=tmp_path / "store")
    assert str(raised.value).count("seed") == 1
    # Twice alone, and before that in a group, which Dask moves until the next request to its scheduler.
    assert 3 <= len(deadly.deaths.read_text().splitlines()) <= 5
    assert len(lines(tmp_path / "store")) == RUNS - 1


def test_a_suspect_s_worker_ends_before_it_begins(
    client: Client, serial: tuple[anabranch.Table, list[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask would keep it for that worker for ever."""
    idle = Dask.idle
    chosen: list[list[str] | None] = []

    def ended(self: Dask) -> list[str] | None:
        chosen.append(idle(self) if chosen else ["tcp://127.0.0.1:1"])
        return chosen[-1]

    monkeypatch.setattr(Dask, "idle", ended)
    table = sweep(executor=Deadly(client, tmp_path / "deaths", most=2), store=tmp_path / "store")
    assert len(chosen) >= 2
    assert table.to_pydict() == serial[0].to_pydict() and lines(tmp_path / "store") == serial[1]


def test_suspects_go_to_a_worker_that_takes_tasks(client: Client) -> None:
    """A paused worker would keep them for ever, and without a worker some clusters start one only for a task that waits."""

    def set_status(dask_worker: Any, name: str) -> None:
        # Otherwise it looks at its memory and resumes.
        dask_worker.memory_manager.memory_pause_fraction = False
        dask_worker.status = type(dask_worker.status)[name]

    dask = Dask(client.get_executor())
    first, second = sorted(client.nthreads())
    try:
        client.run(set_status, name="paused", workers=[first])
        assert dask.idle() == [second]
        client.run(set_status, name="paused", workers=[second])
        assert dask.idle() is None
    finally:
        client.run(set_status, name="running")


def test_an_executor_keeps_to_its_workers(client: Client, tmp_path: Path) -> None:
    """Suspects, too: they wait for a worker that the executor allows."""

    class Watched(Deadly):
        def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Any:
            assert "workers" not in kwargs
            return super().submit(make, *args, **kwargs)

    watched = Watched(client, tmp_path / "deaths", most=1)
    watched._kwargs = {"workers": ["127.0.0.1"]}
    assert len(anabranch.sweep(LONGER, VARY, seeds=SEEDS, progress=False, executor=watched)) == 2 * RUNS


class Unreadable:
    """What only workers can read."""

    def __init__(self, client: int) -> None:
        self.client = client
        if os.getpid() == client:
            raise TypeError("another wheel")

    def __reduce__(self) -> Any:
        return Unreadable, (self.client,)


def test_a_result_that_the_client_cannot_read(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask would never say so."""

    class Other(Counting):
        _client = client

        def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Any:
            here = os.getpid()
            return super().submit(lambda *_: Unreadable(here), *args, **kwargs)

    monkeypatch.setattr("anabranch._pool.RESULT_S", 0.5)
    with pytest.raises(anabranch.RunError, match="tasks were given up because their workers ended or returned no result"):
        sweep(SHORT, executor=Other(client.get_executor()))


def test_a_closed_client_is_refused(cluster: LocalCluster) -> None:
    with Client(cluster) as client:
        executor = client.get_executor()
    with pytest.raises(anabranch.InputError, match="`executor` is .*a Dask client that is open and not asynchronous"):
        sweep(executor=executor)


def test_the_client_is_killed(cluster: LocalCluster, serial: tuple[anabranch.Table, list[bytes]], tmp_path: Path) -> None:
    """Started again it has only the rest made."""
    words = [sys.executable, "-c", CLIENT, cluster.scheduler_address, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    first = subprocess.Popen([*words, "stops"], env=environment, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (files := list(tmp_path.glob("*/runs.jsonl"))) or files[0].read_bytes().count(b"\n") < 3:
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    first.kill()
    first.wait()
    kept = len(lines(tmp_path))
    assert 3 <= kept < RUNS
    second = subprocess.run(words, env=environment, check=True, capture_output=True, text=True, timeout=120)
    assert int(second.stdout) == RUNS - kept
    assert lines(tmp_path) == serial[1]


def test_a_worker_of_another_version_is_refused(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's results are of another version than the worker's."""
    monkeypatch.setattr("anabranch._anabranch.build", lambda: "0")
    with pytest.raises(anabranch.VersionError, match="install the same wheel on both"):
        sweep(SHORT, executor=client.get_executor(), store=tmp_path / "store")
    assert not list(tmp_path.glob("store/*/runs.jsonl")) or not lines(tmp_path / "store")


def test_a_result_of_another_build_is_refused(tmp_path: Path) -> None:
    """Though the worker says that it is of this one."""

    class Lying(Counting):
        def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Any:
            def lie(tasks: list[str], build: str) -> Any:
                made = make(tasks, build)
                other = [record and json.dumps({**json.loads(record), "version": "0" * 64}).encode() for record in made.records]
                return made._replace(records=other)

            return super().submit(lie, *args, **kwargs)

    with ThreadPoolExecutor(1) as pool, pytest.raises(anabranch.VersionError, match="to another run, or to a version with other results"):
        sweep(SHORT, executor=Lying(pool), store=tmp_path)


def study(command: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The command, with the package."""
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    return subprocess.run(
        [str(word) for word in (command, "study", STUDY, *words)], env=environment, capture_output=True, text=True
    )


def test_the_command_hands_a_study_over(cluster: LocalCluster, command: Path, tmp_path: Path) -> None:
    """It ends as the command alone: with the same page, rows and figures."""
    here, there = tmp_path / "here", tmp_path / "there"
    alone = study(command, "--quick", "--out", here)
    handed = study(command, "--quick", "--out", there, "--dask", cluster.scheduler_address)
    assert alone.returncode == handed.returncode == 0, handed.stderr
    assert "verdict" in handed.stdout and handed.stdout == alone.stdout.replace(str(here), str(there))
    ours, theirs = (json.loads((out / "studies/buffer-and-delay.json").read_text()) for out in (here, there))
    assert theirs["experiments"] == ours["experiments"]
    assert theirs["command"] == f"{ours['command']} --dask {cluster.scheduler_address}"
    assert len(lines(there / "store")) > 10 and (there / "report/index.html").exists()
    # A fragment of it, as JSON.
    at = ("--quick", "--at", "buffer=1 BDP", "--json", "--out", tmp_path / "part", "--dask", cluster.scheduler_address)
    assert json.loads(study(command, *at).stdout)["experiments"]


def test_the_command_refuses(cluster: LocalCluster, command: Path, tmp_path: Path) -> None:
    for words, said in (
        (("--dask", "tcp://127.0.0.1:1"), "cannot reach a Dask scheduler at tcp://127.0.0.1:1"),
        (("--dask", "nowhere"), "cannot reach a Dask scheduler at nowhere"),
        (("--dask", cluster.scheduler_address, "--seeds", "10000"), "add --yes"),
        (("--dask", cluster.scheduler_address, "--only", "none"), "none"),
    ):
        refused = study(command, "--out", tmp_path, *words)
        assert refused.returncode == 2 and said in refused.stderr and "Traceback" not in refused.stderr, refused.stderr


def test_the_command_without_the_package(command: Path, tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\necho No module named anabranch >&2\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)
    words = [command, "study", STUDY, "--dask", "tcp://localhost:1"]
    refused = subprocess.run(words, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert refused.returncode == 2 and "No module named anabranch" in refused.stderr and "make wheel" in refused.stderr
