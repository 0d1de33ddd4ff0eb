"""Tables: other libraries read them where they are in memory."""

import math

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import SHORT

import anabranch


@pytest.fixture(scope="module")
def run() -> anabranch.Run:
    return anabranch.run(SHORT)


def test_all_read_the_same(run: anabranch.Run) -> None:
    for each in (run.flows, run.subflows, run.links, run.samples, run.link_samples, run.completions):
        ours = each.to_pydict()
        assert pyarrow.table(each).to_pydict() == ours
        assert polars.DataFrame(each).to_dict(as_series=False) == ours
        assert duckdb.sql("select * from each").fetchall() == list(zip(*ours.values()))
        frame = each.to_pandas()
        assert list(frame.columns) == each.column_names and len(frame) == len(each)


def test_duckdb_asks_by_name(run: anabranch.Run) -> None:
    samples = run.samples
    [(mean,)] = duckdb.sql("select avg(cwnd_segments) from samples where flow = 'tested' and subflow = 2").fetchall()
    own = [w for w, f, r in zip(samples["cwnd_segments"], samples["flow"], samples["subflow"]) if (f, r) == ("tested", 2)]
    assert math.isclose(mean, sum(own) / len(own))


def test_what_does_not_exist_is_null(run: anabranch.Run) -> None:
    assert run.flows["completion_mean_s"] == [None, None]
    assert pyarrow.table(run.flows).column("completion_mean_s").null_count == 2
    assert run.flows.to_pandas()["completion_mean_s"].isna().all()
    # The threshold is infinite before the first congestion.
    assert run.samples["ssthresh_segments"][0] is None


def test_differences_of_counters_may_be_negative(run: anabranch.Run) -> None:
    """As in the command's files: unsigned ones would wrap."""
    queue = run.link_samples.to_pandas()["queue_packets"]
    assert str(queue.dtype) == "int64"
    assert -1000 < queue.diff().min() < 0 < queue.diff().max() < 1000
    kinds = {field.name: str(field.type) for table in (run.flows, run.samples, run.links) for field in pyarrow.table(table).schema}
    assert kinds["delivered_bytes"] == kinds["drops"] == kinds["subflow"] == "int64"


def test_a_reader_outlives_the_run() -> None:
    frame = polars.DataFrame(anabranch.run(SHORT).samples)
    assert frame["time_s"].max() > 2.5


def test_as_python_s_own(run: anabranch.Run) -> None:
    rows = list(run.links.rows())
    assert [row["link"] for row in rows] == ["a", "b"] and 0.5 < rows[0]["utilisation"] <= 1
    assert "link" in run.links and "none" not in run.links
    assert list(run.links) == run.links.column_names and dict(run.links) == run.links.to_pydict()  # type: ignore[call-overload]
    assert len(run.samples) == len(run.samples["time_s"]) and "time_s" in repr(run.samples)
    assert isinstance(run.to_pandas(), pandas.DataFrame)
    html = run.samples._repr_html_()
    assert html.count("<tr>") == 11 and f"and {len(run.samples) - 10} more rows" in html
    with pytest.raises(KeyError):
        run.samples["none"]
    escaped = anabranch.Table._of([("<b>", "text", ["<script>"])])._repr_html_()
    assert "<script>" not in escaped and "<b>" not in escaped
    turned = anabranch.Table._of([("a\u202e", "text", ["\x1b\x00\x9b"])])._repr_html_()
    assert r"a\u{202e}" in turned and r"<td>\u{1b}\u{0}\u{9b}</td>" in turned
