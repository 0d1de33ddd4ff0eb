"""Sweeps with Python: metrics and algorithms run where the run is made, and stored runs are used only for the same code."""

import copy
import importlib
import math
import multiprocessing
import os
import pickle
import sys
import types
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import SHORT
from test_algorithm import Gentle
from test_sweep import Counting, lines

import anabranch
from anabranch import Ack
from anabranch._code import digest

VARY = {"links.a.rate": ["5 Mbit/s", "10 Mbit/s"], "links.b.rate": [2e6, 4e6]}


def largest_queue(run: anabranch.Run) -> float:
    """Only the samples have it."""
    return max(run.link_samples["queue_packets"])


def sweep(**more: Any) -> anabranch.Sweep:
    return anabranch.sweep(SHORT, VARY, seeds=2, progress=False, **more)


def test_all_tables_are_tidy() -> None:
    swept = sweep()
    assert len(swept) == len(swept.flows) == 4 * 2 * 2
    assert (len(swept.runs), len(swept.subflows), len(swept.links)) == (4 * 2, 4 * 2 * 3, 4 * 2 * 2)
    for table in (swept.flows, swept.runs, swept.subflows, swept.links):
        # Both keys end with the same word: each has its whole name, whatever their order.
        assert list(table)[:5] == ["links_a_rate", "links_a_rate_bps", "links_b_rate", "links_b_rate_bps", "seed"]
    assert set(swept.runs["links_a_rate_bps"]) == {5e6, 10e6} and set(swept.runs["links_b_rate_bps"]) == {2e6, 4e6}
    turned = anabranch.sweep(SHORT, dict(reversed(VARY.items())), seeds=2, progress=False)
    assert set(turned) == set(swept)
    # One of the points, by itself: the same names and units.
    one = anabranch.run(SHORT, set={"links.a.rate": "10 Mbit/s", "links.b.rate": "4 Mbit/s"}, seed=2)
    for name in ("flows", "subflows", "links"):
        table, alone = getattr(swept, name), getattr(one, name)
        at = [row for row in table.rows() if (row["links_a_rate_bps"], row["links_b_rate_bps"], row["seed"]) == (10e6, 4e6, 2)]
        assert [{key: row[key] for key in alone} for row in at] == list(alone.rows())
    again = pickle.loads(pickle.dumps(swept))
    assert again.subflows.to_pydict() == swept.subflows.to_pydict() and dict(again) == dict(swept)


def test_any_seeds() -> None:
    swept = anabranch.sweep(SHORT, seeds=range(5, 15, 5), progress=False)
    assert swept.runs["seed"] == [5, 10]
    assert swept["goodput_bps"][2:] == anabranch.run(SHORT, seed=10).flows["goodput_bps"]


def test_metrics_are_taken_where_the_run_is_made(tmp_path: Path) -> None:
    ours = sweep(metrics={"largest": largest_queue, "pid": lambda run: float(os.getpid())}).runs
    assert set(ours["pid"]) == {os.getpid()}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        counting = Counting(pool)
        theirs = sweep(metrics={"largest": largest_queue}, executor=counting, store=tmp_path)
        assert theirs.runs["largest"] == ours["largest"] and len(counting.tasks) == 8
        assert os.getpid() not in counting.pids
        # Stored with their values.
        counting.groups.clear()
        assert sweep(metrics={"largest": largest_queue}, executor=counting, store=tmp_path).runs["largest"] == ours["largest"]
        assert counting.tasks == []
    each = anabranch.run(SHORT, set={"links.a.rate": "5 Mbit/s", "links.b.rate": 2e6})
    assert ours["largest"][0] == largest_queue(each) > 5
    # A run without metrics is another one in the store.
    sweep(store=tmp_path)
    assert len(lines(tmp_path)) == 16


def test_changed_code_runs_anew(tmp_path: Path) -> None:
    def made(metric: Any) -> int:
        with ThreadPoolExecutor(2) as pool:
            counting = Counting(pool)
            sweep(metrics={"m": metric}, executor=counting, store=tmp_path)
            return len(counting.tasks)

    def scaled(run: anabranch.Run, by: float = 1.0) -> float:
        return by

    def other(run: anabranch.Run, by: float = 2.0) -> float:
        return by

    other.__name__ = "scaled"
    assert [made(scaled), made(scaled), made(other)] == [8, 0, 8]
    assert made(lambda run: 1.0) == 8 and made(lambda run: 1.0) == 0 and made(lambda run: 2.0) == 8


def test_a_changed_module_of_the_user_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "outer_of_test.py").write_text("import inner_of_test\n")
    (tmp_path / "inner_of_test.py").write_text("by = 1.0\n")
    outer = importlib.import_module("outer_of_test")

    def by_reference(run: anabranch.Run) -> float:
        return float(outer.inner_of_test.by)

    def by_import(run: anabranch.Run) -> float:
        import outer_of_test  # type: ignore[import-not-found]

        return float(outer_of_test.inner_of_test.by)

    def installed(run: anabranch.Run) -> float:
        import numpy

        return float(math.sqrt(numpy.pi))

    def digests() -> list[str]:
        return [digest("it", metric) for metric in (by_reference, by_import, installed)]

    before = digests()
    assert digests() == before
    (tmp_path / "inner_of_test.py").write_text("by = 2.00\n")
    after = digests()
    assert after[0] != before[0] and after[1] != before[1] and after[2] == before[2]
    without_file = types.ModuleType("without_file")

    def unkeyed(run: anabranch.Run) -> float:
        return float(without_file.by)

    monkeypatch.setitem(sys.modules, "without_file", without_file)
    with pytest.raises(anabranch.InputError, match="`without_file` has no file"):
        digest("it", unkeyed)


def nested(run: anabranch.Run) -> float:
    """A metric that runs an algorithm in Python."""
    return anabranch.run(SHORT, cc=Gentle, duration=1.2).flows["goodput_bps"][0]


def test_a_metric_may_run_an_algorithm() -> None:
    """The runs after it have the sweep's algorithm still."""
    ours = sweep(cc=[Steps], metrics={"m": nested})
    assert dict(ours) == dict(sweep(cc=[Steps]))
    assert set(ours.runs["m"]) == {anabranch.run(SHORT, cc=Gentle, duration=1.2).flows["goodput_bps"][0]}


class Loses(Counting):
    """An executor whose workers deliver nothing."""

    def submit(self, call: Any, *arguments: Any, **more: Any) -> Any:
        future = super().submit(call, *arguments, **more)
        results = future.result()
        lost: Future[Any] = Future()
        lost.set_result(results._replace(records=[None] * len(results.records)))
        return lost


@pytest.mark.parametrize("more", [{"metrics": {"m": largest_queue}}, {"cc": [Gentle]}])
def test_a_run_that_workers_did_not_deliver_is_an_error(more: Any, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(anabranch.RunError, match="no worker returned a run with seed"):
            sweep(executor=Loses(pool), store=tmp_path, **more)
    assert not any(file.read_bytes() for file in tmp_path.glob("*/runs.jsonl"))


LIST = [1, 2]


def test_code_without_a_key_is_refused() -> None:
    seen: list[float] = []
    two = 2.0

    def kept(run: anabranch.Run) -> float:
        seen.append(1.0)
        return 1.0

    def closure(run: anabranch.Run) -> float:
        return two

    def variable(run: anabranch.Run) -> float:
        return float(LIST[0])

    def default(run: anabranch.Run, of: Any = LIST) -> float:
        return float(of[0])

    def only(run: anabranch.Run, *, of: Any = LIST) -> float:
        return float(of[0])

    class Callable:
        def __call__(self, run: anabranch.Run) -> float:
            return 1.0

    for metric, said in (
        (kept, "`kept` uses `seen` of the function around it, and .* may change"),
        (variable, "`variable` uses the global `LIST`, and .* may change"),
        (default, "may change"),
        (only, "may change"),
        (Callable(), "a function of a run"),
        (max, "a function of a run"),
    ):
        with pytest.raises(anabranch.InputError, match=said):
            sweep(metrics={"m": metric})
    assert len({digest("it", f) for f in (closure, kept.__class__)}) == 2
    before = digest("it", closure)
    two = 3.0
    assert digest("it", closure) != before


def test_errors_of_metrics_and_algorithms_surface() -> None:
    def fails(run: anabranch.Run) -> float:
        raise ZeroDivisionError("in a metric")

    with pytest.raises(ZeroDivisionError, match="in a metric") as raised:
        sweep(metrics={"m": fails})
    assert "in fails" in str(raised.value.__cause__)
    with pytest.raises(anabranch.RunError, match="the metric `m` returned 'much'"):
        sweep(metrics={"m": lambda run: "much"})  # type: ignore[dict-item, return-value]
    assert sweep(metrics={"m": lambda run: math.nan}).runs["m"] == [None] * 8
    for name in ("jain", "rate", "rate_bps", "links_b_rate_bps"):
        with pytest.raises(anabranch.InputError, match=f"`metrics` has the name '{name}', which is, or may be, another column"):
            sweep(metrics={name: fails})
    # Read once, and a window has no unit.
    windows = {"flows.tested.tcp.initial_window": (w for w in (4, 10))}
    assert len(anabranch.sweep(SHORT, windows, seeds=1, metrics={"initial_window_None": lambda run: 1.0}, progress=False).runs) == 2
    with pytest.raises(KeyError, match="in an algorithm") as algorithm:
        sweep(cc=[Failing])
    assert "in congestion" in str(algorithm.value.__cause__)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(KeyError, match="in an algorithm") as elsewhere:
            sweep(cc=[Failing], executor=pool)
        assert "in congestion" in str(elsewhere.value.__cause__)


def test_what_workers_cannot_import_is_told() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(anabranch.RunError, match="Define them in a module that workers can import"):
            sweep(metrics={"m": lambda run: 1.0}, executor=pool)


class Failing(Gentle):
    def congestion(self, paths: list[anabranch.Path], r: int, event: anabranch.Congestion) -> None:
        raise KeyError("in an algorithm")


class Steps(anabranch.Algorithm):
    """Grows by steps."""

    def __init__(self, step: float = 1.0) -> None:
        self.step = step

    def acked(self, paths: list[anabranch.Path], r: int, ack: Ack) -> None:
        paths[r].cwnd += self.step * ack.acked / paths[r].cwnd

    def congestion(self, paths: list[anabranch.Path], r: int, event: anabranch.Congestion) -> None:
        paths[r].reduce_to(paths[r].cwnd / 2)


def test_algorithms_in_python_in_a_sweep(tmp_path: Path) -> None:
    algorithms: list[Any] = ["lia", Gentle, {"name": Steps, "step": 0.25}, {"name": Steps, "step": 4}]
    here = sweep(cc=algorithms)
    names = ["lia", "Gentle", "Steps(step=0.25)", "Steps(step=4)"]
    assert list(dict.fromkeys(here["cc"])) == names
    tested = {row["cc"]: row["goodput_bps"] for row in here.rows() if row["flow"] == "tested" and row["seed"] == 2}
    last = {"links.a.rate": "10 Mbit/s", "links.b.rate": 4e6}
    for cc, name in zip(algorithms, names):
        assert tested[name] == anabranch.run(SHORT, cc=cc, set=last, seed=2).flows["goodput_bps"][0]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        counting = Counting(pool)
        assert dict(sweep(cc=algorithms, executor=counting, store=tmp_path)) == dict(here)
        counting.groups.clear()
        assert dict(sweep(cc=algorithms, executor=counting, store=tmp_path)) == dict(here)
        assert counting.tasks == []


def test_each_algorithm_has_its_own_rows() -> None:
    """Instances of one class, functions, an instance that was copied, and algorithms of one flow."""
    algorithms: list[Any] = [
        "lia", Steps, copy.copy(Steps(0.25)), lambda: Steps(4.0), {"other": "cubic"}, {"other": Steps(2.0)},
        {"other": {"name": "cubic", "pacing": True}}, {"name": Steps, "step": 0.5, "pacing": True},
    ]  # fmt: skip
    names = [
        "lia", "Steps", "Steps(step=0.25)", "Steps(step=4.0)", "other=cubic", "other=Steps(step=2.0)",
        'other={ name = "cubic", pacing = true }', "Steps(step=0.5)",
    ]  # fmt: skip
    swept = anabranch.sweep(SHORT, cc=algorithms, seeds=1, progress=False)
    assert list(dict.fromkeys(swept["cc"])) == names
    for name, cc in zip(names, algorithms):
        alone = anabranch.run(SHORT, cc=cc, seed=1).flows["goodput_bps"]
        assert [row["goodput_bps"] for row in swept.rows() if row["cc"] == name] == alone, name


def test_algorithms_that_look_alike_are_refused() -> None:
    class Inner:
        class Steps(Steps):
            """Another of the same name."""

    for both in ([Steps, Steps], [Steps(2.0), lambda: Steps(2.0)], [Steps, Inner.Steps], ["lia", "lia"]):
        with pytest.raises(anabranch.InputError, match=r"`cc\[1\]` and `cc\[2\]` are both `(Steps|lia)"):
            sweep(cc=["olia", *both])


def test_other_code_of_a_worker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that imports another version of the module than the client has."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        monkeypatch.setattr(Steps, "__init__", lambda self, step=8.0: setattr(self, "step", step))
        with pytest.raises(anabranch.VersionError, match="other code of Steps"):
            sweep(cc=[Steps], executor=pool)


def child(queue: Any) -> None:
    queue.put(len(anabranch.sweep(SHORT, seeds=2, progress=False)))


def test_a_forked_child_sweeps_too() -> None:
    """After a sweep here: its threads do not exist in the child."""
    anabranch.sweep(SHORT, seeds=2, progress=False)
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    process = fork.Process(target=child, args=(queue,))
    process.start()
    try:
        assert queue.get(timeout=60) == 4
    finally:
        process.kill()
        process.join()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if len(anabranch.sweep(SHORT, seeds=2, progress=False)) == 4 else 1)
    assert os.waitpid(pid, 0)[1] == 0
