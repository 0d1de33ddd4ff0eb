"""Sweeps into files: the rows of a sweep in memory, and only what is missing is made."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import SHORT
from test_sweep import ALGORITHMS, RUNS, VARY, Counting

import anabranch
from anabranch import _shards
from anabranch._places import Local

TABLES = ("flows", "runs", "subflows", "links")
BRIEF = SHORT.replace('"3 s"', '"0.2 s"').replace('"1 s"', '"0.1 s"')


def sweep_to(folder: Any, vary: Any = VARY, cc: Any = ALGORITHMS, seeds: Any = 2, **kwargs: Any) -> anabranch.StoredSweep:
    return anabranch.sweep_to(folder, SHORT, vary, cc, seeds=seeds, progress=False, **kwargs)


def goodput(run: anabranch.Run) -> float:
    return sum(run.flows["goodput_bps"])


def assert_same(stored: anabranch.StoredSweep, sweep: anabranch.Sweep) -> None:
    """Row by row; files have them in the order in which runs ended."""
    for name in TABLES:
        theirs, ours = getattr(sweep, name).to_polars(), getattr(stored, name).to_polars().collect()
        keys = [key for key in theirs.columns if key in ("cc", "queue", "delay", "seed", "flow", "subflow", "link")]
        assert ours.schema == theirs.schema, name
        assert ours.sort(keys).equals(theirs.sort(keys)), name


@pytest.mark.parametrize("runs", [5, _shards.SHARD_RUNS])
def test_it_has_the_rows_of_a_sweep(tmp_path: Path, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shards, "SHARD_RUNS", runs)
    monkeypatch.setattr(_shards, "PART_POINTS", runs)
    metrics = {"total_bps": goodput}
    stored = sweep_to(tmp_path / "out", metrics=metrics)
    assert len(stored) == RUNS and len(stored.flows.files) >= RUNS // runs
    assert_same(stored, anabranch.sweep(SHORT, VARY, ALGORITHMS, seeds=2, metrics=metrics, progress=False))
    loaded = anabranch.load(tmp_path / "out")
    assert len(loaded) == RUNS and loaded.runs.files == stored.runs.files
    mean = stored.flows.to_pandas(["goodput_bps"]).goodput_bps.mean()
    [(by_duckdb,)] = stored.flows.to_duckdb(duckdb.connect()).aggregate("avg(goodput_bps)").fetchall()
    assert mean == pytest.approx(by_duckdb) and mean > 1e6


def test_a_run_that_fails_stops_no_other(tmp_path: Path) -> None:
    """The simulator does not have the controllers of a QUIC stack."""
    with ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            with pytest.warns(UserWarning, match="2 of 4 runs failed, and the tables leave them out:\n  cc noq:cubic, seed 1: flow `tested`"):
                stored = sweep_to(tmp_path / "some", {}, ["noq:cubic", "lia"], executor=pool)
            assert set(stored.runs.to_pandas()["cc"]) == {"lia"} and len(stored) == 2
        with pytest.raises(anabranch.RunError, match="all 2 runs failed:\n  cc noq:cubic, seed 1: flow `tested`"):
            sweep_to(tmp_path / "all", {}, ["noq:cubic"], executor=pool)


def test_only_what_is_missing_is_made(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        counting = Counting(pool)

        def made(*arguments: Any, **kwargs: Any) -> int:
            counting.groups.clear()
            sweep_to(tmp_path, *arguments, executor=counting, **kwargs)
            return len(counting.tasks)

        fewer = {"links.*.queue": ["1 BDP"], "links.b.delay": "10..40 ms/3"}
        assert made(fewer, ["lia"], 1) == 3
        assert made(cc=["lia"], seeds=1) == 3
        assert made() == RUNS - 6
        with pytest.MonkeyPatch.context() as patch:
            # Nothing is planned.
            patch.setattr(_shards.Plan, "part", None)
            assert made() == 0
        # A file without its list of runs is of a client that was killed.
        [first, *others] = sorted((tmp_path / "done").iterdir())
        lost = first.stat().st_size // _shards.ID_BYTES
        first.unlink()
        assert made() == lost
    assert_same(anabranch.load(tmp_path), anabranch.sweep(SHORT, VARY, ALGORITHMS, seeds=2, progress=False))
    names = [sorted(file.stem for file in (tmp_path / table).iterdir()) for table in (*TABLES, "done")]
    assert all(each == names[0] for each in names)


def test_a_killed_client_resumes(tmp_path: Path) -> None:
    code = f"""if True:
        import anabranch
        from anabranch import _shards
        _shards.SHARD_S = 0.0
        anabranch.sweep_to({str(tmp_path)!r}, {SHORT!r}, {{"duration": ["20 s"]}}, ["lia"], seeds=400, progress=False)
    """
    client = subprocess.Popen([sys.executable, "-c", code])
    while len(list(tmp_path.glob("done/*"))) < 3:
        assert client.poll() is None
        time.sleep(0.01)
    with pytest.raises(anabranch.InputError, match="another client writes"):
        sweep_to(tmp_path)
    client.send_signal(signal.SIGKILL)
    client.wait()
    there = len(anabranch.load(tmp_path))
    assert 0 < there < 400
    with ThreadPoolExecutor(2) as pool:
        counting = Counting(pool)
        stored = sweep_to(tmp_path, {"duration": ["20 s"]}, ["lia"], 400, executor=counting)
    assert len(stored) == 400 and len(counting.tasks) == 400 - there
    seeds = stored.runs.to_polars().collect()["seed"]
    assert sorted(seeds) == list(range(1, 401))


def test_forked_workers_leave_the_folder_unlocked(tmp_path: Path) -> None:
    """They start while it is locked, and stay."""
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        assert len(sweep_to(tmp_path, {}, ["lia"], 1, executor=pool)) == 1
        assert len(sweep_to(tmp_path, {}, ["lia"], 2, executor=pool)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_child_of_a_killed_client_leaves_the_folder_unlocked(tmp_path: Path) -> None:
    code = f"""if True:
        import os, signal, time
        from pathlib import Path
        from anabranch._places import Local
        with Local(Path({str(tmp_path)!r})).locked():
            child = os.fork()
            if child:
                print(child, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            os.closerange(0, 3)
            time.sleep(600)
    """
    child = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
    try:
        os.kill(child, 0)
        with Local(tmp_path).locked():
            pass
    finally:
        os.kill(child, signal.SIGKILL)


def test_the_url_of_a_local_folder_is_that_folder(tmp_path: Path) -> None:
    assert len(anabranch.sweep_to(f"file://{tmp_path}/out", BRIEF, seeds=1, progress=False)) == 1
    assert (tmp_path / "out/lock").exists() and len(anabranch.load(tmp_path / "out")) == 1


def test_an_object_store() -> None:
    import fsspec

    stored = anabranch.sweep_to("memory://sweeps/one", BRIEF, cc=["lia", "olia"], seeds=3, progress=False)
    assert len(stored) == len(anabranch.load("memory://sweeps/one")) == 6
    stored = anabranch.sweep_to("memory://sweeps/one", BRIEF, cc=["lia", "olia"], seeds=4, progress=False)
    assert len(stored) == 8
    ours = anabranch.sweep(BRIEF, cc=["lia", "olia"], seeds=4, progress=False)
    assert_same(stored, ours)
    total = sum(ours["goodput_bps"])
    assert stored.flows.to_pandas(["goodput_bps"]).goodput_bps.sum() == pytest.approx(total) and total > 1e6
    for connection in (None, duckdb.connect()):
        # The second time, it has the file system.
        for table in (stored.flows, stored.flows):
            [(by_duckdb,)] = table.to_duckdb(connection).aggregate("sum(goodput_bps)").fetchall()
            assert by_duckdb == pytest.approx(total)
    files = fsspec.filesystem("memory").find("/sweeps/one/runs")
    assert [f"memory:/{file}" for file in sorted(files)] == anabranch.load("memory://sweeps/one").runs.files


def test_one_folder_has_one_sweep(tmp_path: Path) -> None:
    sweep_to(tmp_path, {"links.b.queue": ["1 BDP"]}, ["lia"], 1)
    for change, said in (
        ({"vary": {"links.a.queue": ["1 BDP"]}}, "its `keys` was"),
        ({"vary": {"links.b.queue": ["20 packets"]}}, "its `axes` was"),
        ({"duration": 2}, "its `duration` was"),
        ({"metrics": {"x": goodput}}, "its `metrics` was"),
    ):
        with pytest.raises(anabranch.InputError, match=said):
            sweep_to(tmp_path, **{"vary": {"links.b.queue": ["1 BDP"]}, "cc": ["lia"], "seeds": 1, **change})
    with pytest.raises(FileNotFoundError):
        anabranch.load(tmp_path / "none")


def test_a_folder_has_the_files_of_its_runs(tmp_path: Path) -> None:
    for name in ("one", "other", "third"):
        (tmp_path / name).write_text("1\n2\n4\n")
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(BRIEF.replace('rate = "10 Mbit/s"', 'trace = "one"'))

    def runs(*traces: str) -> int:
        vary = {"links.a.trace": list(traces)} if traces else {}
        return len(anabranch.sweep_to(tmp_path / f"of-{len(vary)}", scenario, vary, seeds=1, progress=False))

    assert runs() == 1 and runs("one", "other") == 2 and runs("third") == 3
    (tmp_path / "other").write_text("1\n3\n")
    assert runs() == 1 and runs("one", "third") == 3
    with pytest.raises(anabranch.InputError, match="a file that the scenario refers to"):
        runs("one", "other")
    (tmp_path / "one").write_text("1\n3\n")
    with pytest.raises(anabranch.InputError, match="a file that the scenario refers to"):
        runs()


def test_a_corrected_mistake_needs_no_other_folder(tmp_path: Path) -> None:
    def wrong(run: anabranch.Run) -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        anabranch.sweep_to(tmp_path, BRIEF, seeds=1, metrics={"x": wrong}, progress=False)
    assert len(anabranch.load(tmp_path)) == 0
    assert len(anabranch.sweep_to(tmp_path, BRIEF, seeds=1, metrics={"x": goodput}, progress=False)) == 1


def test_mistakes_in_later_values_are_shown_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shards, "PART_POINTS", 1)
    for vary, cc, said in (
        ({}, ["lia", "lia2"], "lia2"),
        ({"links.b.delay": ["1 ms", "2 ms"], "links.a.delay": ["1 ms", "0 BDP"]}, ["lia"], "0 BDP"),
    ):
        with pytest.raises(anabranch.InputError, match=said):
            sweep_to(tmp_path / "out", vary, cc, 1)
    assert not (tmp_path / "out").exists()


def test_a_list_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    sweep_to(tmp_path, {}, ["lia"], 3)
    [listed] = (tmp_path / "done").iterdir()
    listed.write_bytes(listed.read_bytes()[: _shards.ID_BYTES])
    assert len(anabranch.load(tmp_path)) == 0
    stored = sweep_to(tmp_path, {}, ["lia"], 3)
    assert len(stored) == len(stored.runs.to_polars().collect()) == 3


def test_what_is_finished_is_written_while_a_run_takes_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shards, "SHARD_S", 0.5)
    monkeypatch.setattr("anabranch._executor.MAX_TASKS", 1)
    monkeypatch.setattr("anabranch._pool.POLL_S", 0.01)

    class Waiting(ThreadPoolExecutor):
        """Seed 2 ends once seed 1 is in the folder."""

        def submit(self, make: Any, /, tasks: list[str], *args: Any) -> Any:
            def later() -> Any:
                deadline = time.monotonic() + 20
                while '"seed":"2"' in tasks[0] and not list(tmp_path.glob("done/*")):
                    assert time.monotonic() < deadline
                    time.sleep(0.01)
                return make(tasks, *args)

            return super().submit(later)

    with Waiting(2) as pool:
        assert len(anabranch.sweep_to(tmp_path, BRIEF, seeds=2, executor=pool, progress=False)) == 2


def test_an_error_does_not_drop_the_other_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that end at the same time."""
    monkeypatch.setattr("anabranch._executor.MAX_TASKS", 1)

    class Lying(Executor):
        """The records of three of six seeds are of no run."""

        _max_workers = 2

        def submit(self, make: Any, /, tasks: list[str], *args: Any) -> Any:
            made = make(tasks, *args)
            future: Future[Any] = Future()
            lies = any(f'"seed":"{seed}"' in tasks[0] for seed in (1, 3, 5))
            future.set_result(made._replace(records=[b"{}"]) if lies else made)
            return future

    with pytest.raises(anabranch.VersionError, match="invalid record"):
        anabranch.sweep_to(tmp_path, BRIEF, seeds=6, executor=Lying(), progress=False)
    assert sorted(anabranch.load(tmp_path).runs.to_polars().collect()["seed"]) == [2, 4, 6]


def test_a_warning_is_shown_once_with_the_caller_s_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shards, "PART_POINTS", 1)
    slow = BRIEF.replace("5 Mbit/s", "900 bit/s")
    with pytest.warns(UserWarning) as warned:
        anabranch.sweep_to(tmp_path, slow, cc=["lia", "olia"], seeds=1, progress=False)
    assert len({str(each.message) for each in warned}) == len(warned) and {each.filename for each in warned} == {__file__}


def test_a_mistake_is_shown(tmp_path: Path) -> None:
    with pytest.raises(anabranch.InputError, match="no such algorithm|lia2"):
        sweep_to(tmp_path / "a", cc=["lia2"])
    with pytest.raises(anabranch.InputError, match="varied twice"):
        sweep_to(tmp_path / "b", {"links.b.delay": [1], " links.b.delay": [2]})
    with pytest.raises(ZeroDivisionError):
        sweep_to(tmp_path / "c", metrics={"x": lambda run: 1 / 0})
    assert os.listdir(tmp_path / "c") and len(anabranch.load(tmp_path / "c")) == 0
    (tmp_path / "file").touch()
    for folder, said in (
        (str(tmp_path / "file"), "cannot write into .*file"),
        ("nowhere://a/b", "cannot open nowhere://a/b: Protocol not known"),
    ):
        with pytest.raises(anabranch.InputError, match=said):
            sweep_to(folder)
