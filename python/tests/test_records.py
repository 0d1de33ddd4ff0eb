"""The files of `anabranch run --out`, read as the book says."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow.parquet
import pytest
from conftest import SHORT, output

import anabranch
from anabranch import _backend, _scenario


@pytest.fixture
def record(command: Path, short: Path, tmp_path: Path) -> Path:
    """A record of a run with seed 7."""
    folder = tmp_path / "record"
    output(command, "run", short, "--seed", "7", "--out", folder)
    return folder


def test_pandas_polars_and_duckdb_read_the_samples(record: Path) -> None:
    file = record / "subflows.parquet"
    with_pandas = pandas.read_parquet(file)
    with_polars = polars.read_parquet(file)
    [(rows, mean)] = duckdb.sql(f"SELECT count(*), avg(cwnd_segments) FROM '{file}'").fetchall()
    assert rows == len(with_pandas) == len(with_polars) > 0
    assert mean == pytest.approx(with_pandas["cwnd_segments"].mean()) == with_polars["cwnd_segments"].mean()
    assert list(with_pandas.columns) == with_polars.columns
    # The last samples agree with the summary of the whole run.
    summary = json.loads((record / "summary.json").read_text())
    last = with_pandas[with_pandas["flow"] == "other"].iloc[-1]
    assert last["delivered_bytes"] * 8 / last["time_s"] == pytest.approx(summary["flows"][1]["goodput_bps"], rel=0.2)


def test_a_run_is_loaded_and_saved(record: Path, short: Path, command: Path, tmp_path: Path) -> None:
    loaded, run = anabranch.load(record), anabranch.run(short, seed=7)
    for each in (loaded, anabranch.load(loaded.save(tmp_path / "saved")), anabranch.load(run.save(tmp_path / "run"))):
        assert each.summary == run.summary
        for table in ("flows", "samples", "link_samples", "completions"):
            assert getattr(each, table).to_pydict() == getattr(run, table).to_pydict(), table
        assert each.plot().axes
    output(command, "plot", tmp_path / "run", "--out", tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().startswith("<svg")
    with pytest.raises(anabranch.InputError, match="has a run already"):
        loaded.save(tmp_path / "run")
    with pytest.raises(FileNotFoundError, match="summary.json"):
        anabranch.load(tmp_path)
    (tmp_path / "cut.json").write_text("{")
    with pytest.raises(anabranch.InputError, match="cut.json: it is not the result of a study"):
        anabranch.load(tmp_path / "cut.json")


def test_a_study_of_the_command_is_loaded(command: Path, short: Path, tmp_path: Path) -> None:
    output(command, "sweep", short, "--cc", "lia,olia", "--seeds", "2", "--out", tmp_path)
    studies = anabranch.load(tmp_path)
    assert list(studies) == ["short"]
    study = studies["short"]
    again = anabranch.load(tmp_path / "studies/short.json")
    assert study.rows.to_pydict() == again.rows.to_pydict() and len(study.rows) > 0
    ours = anabranch.sweep(short, cc=["lia", "olia"], seeds=2, progress=False)
    assert study.table.to_pandas().goodput_mbps.tolist() == pytest.approx([bps / 1e6 for bps in ours["goodput_bps"]])
    [figure, *_] = study.figures
    assert figure.plot().axes and len(figure.to_table()) > 0


def test_a_backend_s_run_is_the_command_s(command: Path, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the simulator, which needs neither root nor QEMU."""
    monkeypatch.setenv("PATH", str(command.parent), prepend=":")
    sets = _scenario.assignments({"links.a.rate": 5e6}, 2)
    for source in (_scenario.read(short), _scenario.read(SHORT)):
        run = anabranch.Run(_backend.run("sim", source, sets, ["tested=olia"], 7))
        ours = anabranch.run(SHORT, seed=7, cc={"tested": "olia"}, set={"links.a.rate": 5e6}, duration=2)
        assert run.summary == ours.summary and run.samples.to_pydict() == ours.samples.to_pydict()
    with pytest.raises(anabranch.InputError, match="run --backend kernel` failed:(.|\n)*nonesuch"):
        anabranch.run(short, backend="kernel", cc="nonesuch")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="on PATH"):
        anabranch.run(short, backend="kernel")
    with pytest.raises(anabranch.InputError, match="must be one of sim, kernel"):
        anabranch.run(short, backend="guest")
    with pytest.raises(anabranch.InputError, match="always has samples"):
        anabranch.run(short, backend="kernel", samples=False)


def test_a_run_over_quic(command: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(command.parent), prepend=":")
    links = {"a": {"rate": "5 Mbit/s", "delay": "10 ms"}, "b": {"rate": "5 Mbit/s", "delay": "20 ms"}}
    flow = {"name": "bonded", "cc": "lia", "paths": [["a"], ["b"]]}
    scenario = {"name": "quic", "duration": "3 s", "warmup": "1 s", "links": links, "flows": [flow]}
    run = anabranch.run(scenario, backend="noq", seed=2)
    [flow] = run.summary["flows"]
    assert 0 < flow["goodput_bps"] < 10e6 and len(flow["subflows"]) == 2 and len(run.samples) > 0
    assert anabranch.run(scenario, backend="noq", seed=2).summary == run.summary


def test_a_backend_gets_traces_and_shows_notes(command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(command.parent), prepend=":")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").write_text("1\n2\n4\n")
    scenario = SHORT.replace('rate = "10 Mbit/s"', 'trace = "one"').replace('["a"], ["b"]', '["a"]')
    with pytest.warns(UserWarning, match="over a single path") as warned:
        run = anabranch.Run(_backend.run("sim", _scenario.read(scenario), [], [], 7))
    assert len(warned) == 1
    with pytest.warns(UserWarning, match="over a single path"):
        assert run.summary == anabranch.run(scenario, seed=7).summary


def test_an_interrupted_backend_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that takes some time to end stands for one that restores the network."""
    fake, started, ended = (tmp_path / name for name in ("anabranch", "started", "ended"))
    fake.write_text(
        f"#!/bin/sh\ntrap 'sleep 1; echo once >>{ended}; exit 130' INT\necho >{started}\nwhile :; do sleep 0.05; done\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    def interrupt() -> None:
        while not started.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            anabranch.run(SHORT, backend="kernel")
        thread.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.read_text() == "once\n"


def test_files_say_whose_they_are(record: Path) -> None:
    for file in record.glob("*.parquet"):
        facts = {k.decode(): v.decode() for k, v in pyarrow.parquet.read_metadata(file).metadata.items()}
        assert (facts["anabranch.seed"], facts["anabranch.scenario"]) == ("7", "one link")
        assert json.loads(facts["anabranch.cc"]) == {"tested": "lia", "other": "reno"}
        in_duckdb = duckdb.sql(f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{file}')").fetchall()
        assert set(facts.items()) - set(in_duckdb) <= {(k, v) for k, v in facts.items() if not k.startswith("anabranch.")}
