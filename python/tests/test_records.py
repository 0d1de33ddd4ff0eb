"""The files of `anabranch run --out`, read as the book says."""

import json
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow.parquet
import pytest
from conftest import output

import anabranch


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


def test_files_say_whose_they_are(record: Path) -> None:
    for file in record.glob("*.parquet"):
        facts = {k.decode(): v.decode() for k, v in pyarrow.parquet.read_metadata(file).metadata.items()}
        assert (facts["anabranch.seed"], facts["anabranch.scenario"]) == ("7", "one link")
        assert json.loads(facts["anabranch.cc"]) == {"tested": "lia", "other": "reno"}
        in_duckdb = duckdb.sql(f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{file}')").fetchall()
        assert set(facts.items()) - set(in_duckdb) <= {(k, v) for k, v in facts.items() if not k.startswith("anabranch.")}
