"""Sweeps and studies: the command's results, here and through a pool of processes; what is kept is not run again."""

import json
import math
import os
import pickle
import shlex
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet as parquet
import pytest
from conftest import ROOT, SHORT, output

import anabranch
from anabranch import _worker
from anabranch._study import _after

VARY = {"links.*.queue": ["0.5 BDP", "1 BDP"], "links.b.delay": "10..40 ms/3"}
ALGORITHMS = ["lia", "olia"]
RUNS = 2 * 3 * 2 * 2
STUDY = ROOT / "studies/examples/buffer-and-delay.toml"


class Counting(Executor):
    """An executor in front of another, which counts the tasks and the groups in which they come."""

    def __init__(self, executor: Executor, workers: int = 2) -> None:
        self.executor = executor
        self._max_workers = workers
        self.groups: list[list[str]] = []
        self.pids: Counter[int] = Counter()

    def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.groups.append(args[0])
        future = self.executor.submit(make, *args, **kwargs)
        future.add_done_callback(lambda done: self.pids.update([done.result().pid]) if not done.cancelled() and not done.exception() else None)
        return future

    @property
    def tasks(self) -> list[str]:
        return [task for group in self.groups for task in group]


def sweep(**kwargs: Any) -> anabranch.Table:
    return anabranch.sweep(SHORT, VARY, ALGORITHMS, seeds=2, progress=False, **kwargs)


def test_it_is_the_command_s_sweep(command: Path, short: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    output(
        command, "sweep", short, "--vary", "links.*.queue=0.5 BDP,1 BDP", "--vary", "links.b.delay=10..40 ms/3",
        "--cc", "lia,olia", "--seeds", "2", "--out", out,
    )  # fmt: skip
    theirs = parquet.read_table(out / "studies/short.parquet")
    ours = anabranch.sweep(short, VARY, ALGORITHMS, seeds=2, progress=False)
    assert len(ours) == RUNS * 2
    assert_same_runs(ours, theirs)


def assert_same_runs(ours: anabranch.Table, theirs: pyarrow.Table) -> None:
    """The command's table has other units: Mbit/s and per cent."""
    their = theirs.to_pydict()
    for key in ("flow", "seed", "retransmitted_segments", "timeouts", "completion_mean_s"):
        assert ours[key] == their[key], key
    for key, factor, theirs_of in (("goodput_bps", 1e6, "goodput_mbps"), ("loss_rate", 0.01, "loss_percent"), ("share", 1, "share")):
        assert ours[key] == pytest.approx([value * factor for value in their[theirs_of]]), key


def test_a_pool_of_processes_gives_the_same_bytes(tmp_path: Path) -> None:
    alone, store = tmp_path / "alone", tmp_path / "store"
    serial = sweep(store=alone)
    with ProcessPoolExecutor(2) as pool:
        counting = Counting(pool)
        assert sweep(executor=counting, store=store).to_pydict() == serial.to_pydict()
    assert len(set(counting.tasks)) == len(counting.tasks) == RUNS
    assert os.getpid() not in counting.pids and 1 <= len(counting.pids) <= 2
    assert lines(store) == lines(alone) and len(lines(store)) == RUNS


def lines(store: Path) -> list[bytes]:
    """The store's lines, in any order."""
    [file] = store.glob("*/runs.jsonl")
    return sorted(file.read_bytes().splitlines())


def test_only_what_is_missing_runs(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        counting = Counting(pool)
        anabranch.sweep(SHORT, VARY, ["lia"], seeds=1, executor=counting, store=tmp_path, progress=False)
        assert len(counting.tasks) == 6
        counting.groups.clear()
        table = sweep(executor=counting, store=tmp_path)
        assert len(counting.tasks) == RUNS - 6
        counting.groups.clear()
        assert sweep(executor=counting, store=tmp_path).to_pydict() == table.to_pydict()
        assert counting.tasks == []


def test_a_run_in_another_s_hand_is_left_to_it(tmp_path: Path) -> None:
    """Two clients at once with one store: each run is made once."""
    with ThreadPoolExecutor(2) as pool, ThreadPoolExecutor(2) as clients:
        countings = [Counting(pool), Counting(pool)]
        tables = list(clients.map(lambda counting: sweep(executor=counting, store=tmp_path), countings))
    assert tables[0].to_pydict() == tables[1].to_pydict()
    assert len(lines(tmp_path)) == RUNS


def test_every_unit_of_a_queue_becomes_a_number() -> None:
    with pytest.raises(anabranch.InputError, match="units: ") as refused:
        anabranch.run(SHORT, set={"links.a.queue": "1"})
    units = refused.value.problems[0]["help"].partition("units: ")[2].split(", ")
    assert {"packet", "GiB"} <= set(units)
    for unit in units:
        table = anabranch.sweep(SHORT, {"links.a.queue": [f"1 {unit}"]}, duration=1.2, seeds=1, progress=False)
        assert table.column_names[1] in ("queue_packets", "queue_bdp", "queue_bytes"), unit


def test_a_swept_loss_rate_is_beside_the_measured_one(tmp_path: Path) -> None:
    vary = {"links.a.rate": ["8 Mbit/s"], "links.b.loss.rate": [0.0, 0.01]}
    table = anabranch.sweep(SHORT, vary, seeds=1, progress=False)
    assert table["links_b_loss_rate"] == [0.0, 0.0, 0.01, 0.01] and set(table["links_a_rate"]) == {"8 Mbit/s"}
    lossless, lossy = (table["loss_rate"][i] for i in (0, 2))
    assert lossless < lossy
    del vary["links.a.rate"]
    for alone in (anabranch.sweep(SHORT, vary, seeds=1, progress=False).flows, anabranch.sweep_to(tmp_path, SHORT, vary, seeds=1, progress=False).flows):
        assert list(alone.to_pandas().columns[:4]) == ["links_b_loss_rate", "seed", "flow", "algorithm"]


@pytest.mark.parametrize("workers", [0, 1])
def test_runs_that_fail_are_listed(workers: int) -> None:
    """The simulator does not have the controllers of a QUIC stack."""
    with ThreadPoolExecutor(1) as pool:
        executor = pool if workers else None
        with pytest.warns(UserWarning, match="3 of 6 runs failed, and the tables leave them out:\n  noq:cubic, seed 1: flow `tested`"):
            table = anabranch.sweep(SHORT, cc=["lia", "noq:cubic"], seeds=[1, 2, 5], executor=executor, progress=False)
        assert set(table["cc"]) == {"lia"} and len(table.runs) == 3
        with pytest.raises(anabranch.RunError, match="all 2 runs failed:\n  noq:cubic, seed 1: flow `tested`"):
            anabranch.sweep(SHORT, cc=["noq:cubic"], seeds=2, executor=executor, progress=False)


@pytest.mark.filterwarnings("error")
def test_points_that_are_equal_share_their_runs() -> None:
    table = anabranch.sweep(SHORT, {"links.a.delay": ["5 ms", 0.005]}, seeds=2, progress=False)
    assert table.runs["delay"] == ["5 ms", "5 ms", "0.005 s", "0.005 s"] and table["goodput_bps"][:4] == table["goodput_bps"][4:]


def test_long_ones_first_and_short_ones_together() -> None:
    with ThreadPoolExecutor(1) as pool:
        counting = Counting(pool, 1)
        table = anabranch.sweep(
            SHORT, {"duration": ["2 s", "300 s", "3 s"]}, seeds=20, executor=counting, progress=False,
            set={"links.b.loss.rate": 0},
        )  # fmt: skip
    assert len(table) == 120 and len(set(counting.tasks)) == 60
    are_long = ["duration=300 s" in task for task in counting.tasks]
    assert are_long == sorted(are_long, reverse=True), "the longest go first"
    assert max(map(len, counting.groups)) >= 8, "short ones go together"
    assert len(counting.groups) < 45


def test_a_task_that_a_worker_fails_is_made_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Losing(Counting):
        """Its workers give nothing for each second task."""

        def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            def lose(tasks: list[str], build: str) -> _worker.Results:
                made = _worker.make(tasks, build)
                records = [None if i % 2 else record for i, record in enumerate(made.records)]
                return made._replace(records=records)

            return super().submit(lose, *args, **kwargs)

    with ThreadPoolExecutor(1) as pool:
        assert sweep(executor=Losing(pool), store=tmp_path).to_pydict() == sweep().to_pydict()


def test_a_worker_that_dies_in_a_pool(tmp_path: Path) -> None:
    """A pool of the standard library ends with its worker: finished runs are kept, and another pool continues."""
    with ProcessPoolExecutor(1) as pool:
        class Dying(Counting):
            def submit(self, make: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
                # One task at a time, and then the end.
                return super().submit(os._exit, 1) if len(self.groups) == 2 else super().submit(make, *args, **kwargs)

        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setattr("anabranch._executor.MAX_TASKS", 1)
            with pytest.raises(anabranch.RunError, match="repeat the call with another executor to resume"):
                sweep(executor=Dying(pool, 1), store=tmp_path)
    kept = len(lines(tmp_path))
    assert 1 <= kept < RUNS
    with ProcessPoolExecutor(1) as pool:
        counting = Counting(pool)
        assert sweep(executor=counting, store=tmp_path).to_pydict() == sweep().to_pydict()
    assert len(counting.tasks) == RUNS - kept
    with pytest.raises(anabranch.RunError, match="executor takes no more tasks: cannot schedule new futures after shutdown. A store"):
        sweep(executor=pool)


KILLED = """
import multiprocessing, sys, time
from concurrent.futures import ProcessPoolExecutor
import anabranch, anabranch._executor
from conftest import SHORT

anabranch._executor.MAX_TASKS = 1
pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))

def at(part, done, total):
    print(*pool._processes, flush=True)
    time.sleep(600)

anabranch.sweep(SHORT, seeds=20, executor=pool, store=sys.argv[1], progress=at)
"""


def test_a_killed_client_s_claims_end_though_its_pool_lives_on(tmp_path: Path) -> None:
    """Workers that were forked had its files open, and outlive it."""
    words = [sys.executable, "-c", KILLED, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout
        workers = [int(pid) for pid in client.stdout.readline().split()]
        client.kill()
        client.wait()
    assert len(workers) == 2
    kept = len(lines(tmp_path))
    assert 1 <= kept < 20
    again = f"import sys, anabranch; anabranch.sweep({SHORT!r}, seeds=20, store=sys.argv[1], progress=False)"
    try:
        subprocess.run([sys.executable, "-c", again, str(tmp_path)], check=True, timeout=60)
        for pid in workers:
            os.kill(pid, 0)
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
    assert len(lines(tmp_path)) == 20


def test_a_damaged_run_is_reported(tmp_path: Path) -> None:
    table = sweep(store=tmp_path)
    [file] = tmp_path.glob("*/runs.jsonl")
    file.write_bytes(file.read_bytes().replace(b"delivered_bytes", b"delivered_bytez", 1))
    with pytest.warns(UserWarning, match="line 1 is cut off or damaged: the run is repeated"):
        assert sweep(store=tmp_path).to_pydict() == table.to_pydict()


FULL = """
import resource, sys
from concurrent.futures import ThreadPoolExecutor
import anabranch
from conftest import SHORT

resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
with ThreadPoolExecutor(1) as pool:
    executor = pool if sys.argv[1] == "pool" else None
    print(len(anabranch.sweep(SHORT, seeds=20, executor=executor, store=sys.argv[2], progress=False)))
"""


@pytest.mark.parametrize(
    ("where", "said"),
    [("pool", "anabranch.Error: cannot store a run in"), ("here", "UserWarning: cannot store runs for later use")],
)
def test_a_full_disk_is_reported(where: str, said: str, tmp_path: Path) -> None:
    """Results of workers cannot be used then; results made here can."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    words = [sys.executable, "-c", FULL, where, str(tmp_path)]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert said in ended.stderr and "File too large" in ended.stderr
    assert ("Pass another folder" in ended.stderr) == (where == "pool") and "not repeated" not in ended.stderr
    assert (ended.returncode, ended.stdout) == ((1, "") if where == "pool" else (0, "40\n"))
    assert 1 <= len(lines(tmp_path)) < 20


def test_a_study_is_the_command_s(command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = json.loads(output(command, "study", STUDY, "--quick", "--json", "--out", tmp_path / "command"))
    with ThreadPoolExecutor(2) as pool:
        study = anabranch.Study.from_file(STUDY).run(size="quick", executor=pool, progress=False)
    mine = study.result
    for key in ("experiments", "notes", "hash", "seeds", "size", "title"):
        assert mine[key] == printed[key], key
    assert study.rows["ours"] == [
        row["measured"] and row["measured"]["mean"] for e in printed["experiments"] for row in e["rows"]
    ]
    theirs = parquet.read_table(tmp_path / "command/studies/buffer-and-delay.parquet")
    assert_same_runs(study.flows, theirs)
    assert set(study.runs["jain"]) == set(theirs.to_pydict()["jain"])
    index = study.report(tmp_path / "mine")
    assert "buffer-and-delay" in index.read_text()
    assert parquet.read_table(tmp_path / "mine/studies/buffer-and-delay.parquet").equals(theirs)
    laboratory = tmp_path / "page.html"
    monkeypatch.setattr("anabranch._study._LABORATORY", laboratory)
    for there in (False, True):
        if there:
            laboratory.write_text("<p>simulates</p>")
        index = study.report(tmp_path / "mine")
        assert ("laboratory.html" in index.read_text()) == (index.parent / "laboratory.html").exists() == there


def test_its_figures() -> None:
    study = anabranch.Study.from_file(STUDY)
    with pytest.raises(anabranch.RunError, match="run"):
        study.figures
    study.run(size="quick", progress=False)
    for figure in study.figures:
        points = len(figure.to_table())
        assert points and figure.id in repr(figure)
        assert figure.plot().axes and figure.plot(size="double").get_figwidth() == 7


def test_a_figure_says_which_points_are_a_paper_s() -> None:
    point = {"label": None, "x": 1.0, "y": 95.0, "half_width": None}
    series = [{"name": "LIA", "published": published, "points": [{**point, "y": y}]} for published, y in ((True, 95.0), (False, 207.8))]
    axis = {"title": "t", "log": False, "domain": None}
    panel = {"title": "", "mark": "line", "series": series, "x": axis, "y": axis}
    figure = anabranch.Figure({"id": "A-F1", "title": "<b>", "panels": [panel]})
    assert list(zip(figure.to_table()["source"], figure.to_table()["y"])) == [("paper", 95.0), ("ours", 207.8)]
    [axes] = figure.plot().axes
    assert axes.get_legend_handles_labels()[1] == ["LIA (published)", "LIA"]
    assert "&lt;b&gt;" in figure._repr_html_() and "207.8" in figure._repr_html_()
    assert pickle.loads(pickle.dumps(figure)).to_table().to_pydict() == figure.to_table().to_pydict()


def test_a_dead_scheduler_is_named() -> None:
    class Scheduler:
        address = "tcp://node1:8786"

    class Dead(Executor):
        """As Dask's executor after the end of its scheduler."""

        scheduler = Scheduler()

        @property
        def _client(self) -> Any:
            return self

        def nthreads(self) -> None:
            raise OSError("Timed out trying to connect")

    with pytest.raises(anabranch.RunError, match="Dask scheduler at tcp://node1:8786 does not answer: Timed out"):
        sweep(executor=Dead())


def test_progress_in_a_log_is_lines(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # of the tests of notebooks
    for seconds in ("60", "0", "1e-9"):
        monkeypatch.setenv("ANABRANCH_PROGRESS_SECONDS", seconds)
        anabranch.sweep(SHORT, seeds=3)
        written = capfd.readouterr().err
        assert "\r" not in written and (written != "") == (seconds == "1e-9")
    assert "s: 100.0% of the work, 3 of 3 runs, about 0 s left" in written


def test_progress_and_its_error() -> None:
    told: list[tuple[float, int, int]] = []
    with ThreadPoolExecutor(1) as pool:
        anabranch.sweep(
            SHORT,
            {"links.a.rate": "1..40 Mbit/s/20"},
            seeds=5,
            duration=60,
            executor=pool,
            progress=lambda *at: told.append(at),
        )
    assert told[-1] == (1.0, 100, 100)
    parts = [part for part, _, total in told if total == 100]
    assert len(parts) > 1 and parts == sorted(parts) and math.isclose(parts[-1], 1.0)

    def stop(part: float, done: int, total: int) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        anabranch.sweep(SHORT, cc=ALGORITHMS, duration=1e6, progress=stop)


def test_progress_does_not_begin_again_after_an_executor() -> None:
    told: list[tuple[float, int, int]] = []
    # All 100 were made by the executor; then three were, and the fourth is made here.
    for part, done, total in [(0.0, 0, 0), (1.0, 0, 0)]:
        _after(lambda *at: told.append(at), 100, part, done, total)
    for part, done, total in [(0.0, 0, 1), (0.5, 0, 1), (1.0, 1, 1)]:
        _after(lambda *at: told.append(at), 3, part, done, total)
    assert told == [(1.0, 100, 100), (1.0, 100, 100), (0.75, 3, 4), (0.875, 3, 4), (1.0, 4, 4)]


def test_progress_where_there_is_nothing_to_do(tmp_path: Path) -> None:
    sweep(store=tmp_path)
    told: list[tuple[float, int, int]] = []
    anabranch.sweep(SHORT, VARY, ALGORITHMS, seeds=2, store=tmp_path, progress=lambda *at: told.append(at))
    assert told[-1] == (1.0, 0, 0)


def test_ten_seeds_are_usual() -> None:
    assert len(anabranch.sweep(SHORT, progress=False)) == 10 * 2


SWEEP: Any = anabranch.sweep
STUDY_OF: Any = anabranch.Study.from_file


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: SWEEP(SHORT, ["links.a.queue=1 BDP"]), "`vary` is .*of type list: it must be a dictionary of keys"),
        (lambda: SWEEP(SHORT, {"links.a.queue": 5}), r"`vary\['links.a.queue'\]` is 5, of type int: .*a list of values"),
        (lambda: SWEEP(SHORT, cc="lia"), "`cc` is 'lia', of type str: .*a list of algorithms"),
        (lambda: SWEEP(SHORT, cc=[int]), "name, or a subclass of anabranch.Algorithm"),
        (lambda: SWEEP(SHORT, cc=[{"tested": "lia", "other": "cubic"}]), "`cc` is .*a dictionary of one flow's name and its algorithm"),
        (lambda: SWEEP(SHORT, seeds=2.5), "`seeds` is 2.5, of type float: .*whole number from 1 to 10000"),
        (lambda: SWEEP(SHORT, seeds=0), "`seeds` is 0"),
        (lambda: SWEEP(SHORT, seeds=True), "`seeds` is True"),
        (lambda: SWEEP(SHORT, seeds=[1, 1]), r"`seeds` is \[1, 1\], .*different seeds"),
        (lambda: SWEEP(SHORT, metrics={"a": 4}), r"`metrics\['a'\]` is 4, .*a function of a run"),
        (lambda: SWEEP(SHORT, metrics={"jain": lambda run: 1.0}), "the name 'jain', which is, or may be, another column"),
        (lambda: SWEEP(SHORT, executor=4), "`executor` is 4, .*concurrent.futures"),
        (lambda: SWEEP(SHORT, store=4), "`store` is 4, of type int: it must be a path"),
        (lambda: SWEEP(SHORT, progress="yes"), "`progress` is 'yes'"),
        (lambda: STUDY_OF(4), "`path` is 4"),
        (lambda: STUDY_OF("none.toml"), "file 'none.toml' not found in /"),
        (lambda: STUDY_OF(STUDY, at={"delay": "10 ms"}), r"`at\['delay'\]` is '10 ms', .*a list of values"),
        (lambda: STUDY_OF(STUDY).run(seeds="3"), "`seeds` is '3', of type str"),
        (lambda: STUDY_OF(STUDY).run(size=4), "`size` is 4"),
        (lambda: STUDY_OF(STUDY).run(only=["B-T1"]), "`only` is"),
    ],
)
def test_another_type_is_refused(call: Any, said: str) -> None:
    with pytest.raises(anabranch.InputError, match=said) as raised:
        call()
    assert [problem["message"] for problem in raised.value.problems] == [str(raised.value)]


def test_what_is_no_study(command: Path, tmp_path: Path) -> None:
    with pytest.raises(anabranch.InputError, match="at least 2"):
        anabranch.sweep(SHORT, {"links.a.queue": "1..2 BDP/1"})
    vary = {"links.c.queue": ["1 BDP", "2 BDP"]}
    with pytest.raises(anabranch.InputError, match="at queue = 1 BDP is invalid: no link is named `c`") as raised:
        anabranch.sweep(SHORT, vary)
    assert "anabranch check" not in str(raised.value), "there is nothing to check"
    short = tmp_path / "short.toml"
    short.write_text(SHORT)
    with pytest.raises(anabranch.InputError, match="vary links.c.queue: .*no link is named `c`") as raised:
        anabranch.sweep(short, vary)
    # The suggested command works as it stands, and shows the same error.
    words = shlex.split(str(raised.value).split("`")[-2])
    assert words[0] == "anabranch"
    checked = subprocess.run([command, *words[1:]], capture_output=True, text=True)
    assert checked.returncode == 2 and "no link is named `c`" in checked.stderr
    file = tmp_path / "wrong.toml"
    file.write_text(STUDY.read_text().replace("title = ", "tilte = "))
    with pytest.raises(anabranch.InputError) as raised:
        anabranch.Study.from_file(file)
    [problem] = raised.value.problems
    assert problem["file"] == str(file) and problem["line"] and "tilte" in problem["message"]
    anabranch.Study.from_file(STUDY, at={"delay": ["10 ms"]})  # leaves out the rows of 40 ms
    with pytest.raises(anabranch.InputError, match="axis `delay` has none of the requested values"):
        anabranch.Study.from_file(STUDY, at={"delay": ["50 ms"]})
    with pytest.raises(anabranch.InputError, match="coupled-cubic"):
        anabranch.Study.of_paper("none")
    with pytest.raises(anabranch.InputError, match="quick"):
        anabranch.Study.from_file(STUDY).run(size="huge")  # type: ignore[arg-type]
