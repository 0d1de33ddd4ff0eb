"""One run: the same as the command's, other threads continue meanwhile, Ctrl-C ends it, and errors show their place."""

import json
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pytest
from conftest import ROOT, SCENARIO, SHORT, output
from matplotlib import pyplot
from test_algorithm import Gentle

import anabranch
from anabranch._scenario import in_si


def test_it_is_the_command_s_run(command: Path) -> None:
    printed = output(
        command, "run", SCENARIO, "--json", "--seed", 2**64 - 1, "--duration", "15 s", "--cc", "olia",
        "--set", "links.dsl.rate=50 Mbit/s",
    )  # fmt: skip
    run = anabranch.run(SCENARIO, seed=2**64 - 1, duration=15, cc="olia", set={"links.dsl.rate": "50 Mbit/s"})
    assert run.summary == json.loads(printed)
    assert run.seed == 2**64 - 1


def test_its_samples_are_the_command_s(command: Path, short: Path, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    output(command, "run", short, "--out", tmp_path / "out")
    run = anabranch.run(short)
    for file, table, keys in (
        ("subflows", run.samples, ("flow", "subflow", "time_s")),
        ("links", run.link_samples, ("link", "time_s")),
    ):
        order = [(key, "ascending") for key in keys]
        theirs = parquet.read_table(tmp_path / f"out/{file}.parquet").sort_by(order)
        ours = pyarrow.table(table).sort_by(order)
        assert ours.num_rows > 10
        assert ours.to_pydict() == theirs.to_pydict()


def test_path_text_and_dictionary_are_one(short: Path) -> None:
    path = anabranch.run(short)
    text = anabranch.run(SHORT)
    dictionary = anabranch.run(tomllib.loads(SHORT))
    assert path.summary == text.summary == dictionary.summary
    assert path.samples.to_pydict() == dictionary.samples.to_pydict()


def test_what_is_set() -> None:
    run = anabranch.run(SHORT, set={"links.a.rate": "2 Mbit/s", "flows.tested.tcp.mss": 700}, cc={"other": "cubic"})
    assert [flow["cc"] for flow in run.summary["flows"]] == ["lia", "cubic"]
    assert sum(run.flows["goodput_bps"]) < 7e6
    table = {"model": "bernoulli", "rate": 0.05}
    assert anabranch.run(SHORT, set={"links.b.loss": table}).subflows["loss_rate"][1] > 0.02
    assert len(anabranch.run(SHORT, samples=False).samples) == 0


def test_errors_show_file_line_and_help(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(SHORT.replace('"10 Mbit/s"', '"10 parsecs"'))
    with pytest.raises(anabranch.InputError) as raised:
        anabranch.run(file)
    [problem] = raised.value.problems
    assert (problem["file"], problem["line"]) == (str(file), 5)
    assert "parsecs" in problem["message"] and "Mbit/s" in problem["help"]
    said = str(raised.value)
    assert f"{file}:5:" in said and "help:" in said and 'links.a = { rate = "10 parsecs"' in said

    with pytest.raises(anabranch.InputError) as raised:
        anabranch.run(SHORT, set={"links.a.rate": "-1 Mbit/s", "links.none.rate": "1 Mbit/s"}, cc="lai")
    assert {problem["file"] for problem in raised.value.problems} <= {"set", "cc"}
    assert "--" not in str(raised.value)
    with pytest.raises(anabranch.InputError, match="lia"):
        anabranch.run(SHORT, cc="lai")


RUN: Any = anabranch.run


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: RUN("none.toml"), "`scenario`: file 'none.toml' not found in /"),
        (lambda: RUN(ROOT), "`scenario`: cannot read "),
        (lambda: RUN("example:two-pahts"), "unknown example `two-pahts`: did you mean `two-paths`.*`anabranch.examples\\(\\)`"),
        (lambda: RUN(SHORT).plot(size="large"), "`size` is 'large', .*'screen', 'single' or 'double'"),
        (lambda: RUN(4), "`scenario` is 4, of type int: it must be a file's path, TOML text or a dictionary"),
        (lambda: RUN({1: 2}), "`scenario` is {1: 2}, of type dict"),
        (lambda: RUN({"name": object()}), "`scenario` is <object.*text, finite numbers .*, booleans, lists or tables"),
        (lambda: RUN(SHORT, seed=-1), "`seed` is -1, of type int: it must be a whole number from 0 to 18446744073709551615"),
        (lambda: RUN(SHORT, seed=2**64), "`seed` is 18446744073709551616"),
        (lambda: RUN(SHORT, seed=1.5), "`seed` is 1.5, of type float"),
        (lambda: RUN(SHORT, set=["a=b"]), "`set` is .*a dictionary of keys and their values"),
        (lambda: RUN(SHORT, set={1: "b"}), "`set` is .*a dictionary of keys and their values"),
        (lambda: RUN(SHORT, set={"links.a.rate": object()}), r"`set\['links.a.rate'\]` is <object"),
        (lambda: RUN(SHORT, set={"links.a.rate": None}), r"`set\['links.a.rate'\]` is None, .*text, finite numbers"),
        (lambda: RUN(SHORT, set={"links.b.loss.rate": math.nan}), r"`set\['links.b.loss.rate'\]` is nan"),
        (lambda: RUN(SHORT, cc=["lia"]), r"`cc` is \['lia'\], of type list: .*name, or a subclass of anabranch.Algorithm"),
        (lambda: RUN(SHORT, cc={"other": int}), r"`cc\['other'\]` is <class 'int'>"),
        (lambda: RUN(SHORT, duration=[20]), "`duration` is .*number of seconds"),
        (lambda: RUN(SHORT, duration=-5), "duration"),
        (lambda: RUN(SHORT, duration=math.nan), "duration"),
        (lambda: anabranch.trace("5g"), "`5g`; known: lte, starlink, mmwave"),
        (lambda: anabranch.trace("lte", duration="2 h"), "not from 1 s to an hour"),
        (lambda: RUN(ROOT / "studies/standard/standard-cases.toml"), "this is a study, not a scenario"),
        (lambda: anabranch.Study.from_file(SCENARIO), "this is a scenario, not a study"),
        (lambda: anabranch.ideal(SHORT, cc=Gentle), "theory does not cover algorithms in Python"),  # type: ignore[arg-type]
        (lambda: anabranch.ideal(SHORT, queue="half"), "`queue` is 'half'"),  # type: ignore[arg-type]
    ],
)
def test_another_type_is_refused(call: Any, said: str) -> None:
    with pytest.raises(anabranch.InputError, match=said):
        call()


def test_errors_are_also_pythons_own() -> None:
    for call, kind in (
        (lambda: RUN("none.toml"), FileNotFoundError),
        (lambda: RUN(4), TypeError),
        (lambda: RUN(SHORT, seed=-1), ValueError),
        (lambda: RUN(SHORT, cc="lai"), ValueError),
    ):
        with pytest.raises(kind) as raised:
            call()
        error = raised.value
        assert isinstance(error, anabranch.InputError) and error.problems
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.problems) == (type(error), str(error), error.problems)


def test_plain_numbers_are_in_si_units() -> None:
    written = RUN(SHORT, set={"links.a.rate": "8 Mbit/s", "links.b.delay": "30 ms"}, duration="4 s").summary
    assert RUN(SHORT, set={"links.a.rate": 8e6, "links.b.delay": 0.03}, duration=4.0).summary == written
    scenario = tomllib.loads(SHORT)
    scenario["links"]["a"]["rate"], scenario["links"]["b"]["delay"] = 8_000_000, 0.03
    assert RUN(scenario, duration=4).summary == written
    assert RUN(SHORT, warmup=2).summary == RUN(SHORT, set={"warmup": "2 s"}).summary


def test_every_time_may_be_a_number_of_seconds(command: Path) -> None:
    def keys(node: Any) -> Iterator[str]:
        for key, value in node.get("properties", {}).items() if isinstance(node, dict) else ():
            if re.search(r'defs/(Time|PositiveTime|Draw_of_Time|RandomDelay|TraceStart)"', json.dumps(value)):
                yield key
        for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from keys(value)

    times = set(keys(json.loads(output(command, "schema"))))
    assert {"delay", "tick", "max_burst", "mean"} <= times
    assert [key for key in sorted(times) if in_si(f"think.{key}", 2) != "2.0 s"] == []
    loss = {"model": "gilbert-elliott-time", "good": "500 ms", "bad": "10 ms"}
    written = RUN(SHORT, set={"links.b.loss": loss}).summary
    assert RUN(SHORT, set={"links.b.loss": {**loss, "good": 0.5, "bad": numpy.float64(0.01)}}).summary == written


def test_a_run_is_pickled_whole() -> None:
    run = RUN(SHORT, cc={"other": "cubic"})
    again = pickle.loads(pickle.dumps(run))
    assert again.summary == run.summary and again.seed == run.seed
    for table in ("flows", "subflows", "links", "samples", "link_samples", "completions"):
        ours, theirs = getattr(run, table), getattr(again, table)
        assert ours.to_pydict() == theirs.to_pydict()
        assert pyarrow.table(ours).schema == pyarrow.table(theirs).schema


def test_numbers_of_numpy() -> None:
    given = {"links.b.loss.rate": numpy.float64(2e-3), "flows.other.count": numpy.int64(2)}
    ours = anabranch.run(SHORT, set=given, seed=numpy.int64(3), duration=numpy.float64(4))
    assert ours.summary == anabranch.run(SHORT, set={key: value.item() for key, value in given.items()}, seed=3, duration=4).summary
    assert anabranch.ideal(SHORT, queue=numpy.float32(0.5)) == anabranch.ideal(SHORT, queue=0.5)


def test_other_threads_go_on() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=lambda: (anabranch.run(SCENARIO, duration=60, samples=False), ended.set()))
    thread.start()
    steps = 0
    while not ended.is_set():
        time.sleep(0.001)
        steps += 1
    thread.join()
    # Without that this thread would have its turn once or twice.
    assert steps > 20


@pytest.mark.parametrize(
    "call",
    [
        "run(S, duration=1e6)",
        "sweep(S, cc=['lia'], duration=1e6)",
        "sweep(S, duration=1e6, executor=__import__('concurrent.futures').futures.ThreadPoolExecutor(2))",
    ],
)
def test_control_c_ends_it(call: str) -> None:
    # Whoever starts the tests in the background may have SIGINT ignored.
    code = (
        "import anabranch, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"S = {str(SCENARIO)!r}; print('ready', flush=True); anabranch.{call}"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    asked = time.perf_counter()
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors and process.returncode != 0
    assert time.perf_counter() - asked < 5


def test_what_there_is(command: Path) -> None:
    assert anabranch.algorithms() == json.loads(output(command, "cc", "list", "--json"))
    assert anabranch.examples() == json.loads(output(command, "examples", "--json"))


def test_examples_need_no_file(command: Path) -> None:
    run = anabranch.run("example:lte-and-starlink", duration=2, warmup=1)
    printed = output(command, "run", "example:lte-and-starlink", "--json", "--duration", "2 s", "--set", "warmup=1 s")
    assert run.summary == json.loads(printed)
    swept = anabranch.sweep("example:two-paths", {"links.*.queue": ["1 BDP", "2 BDP"]}, duration=2, warmup=1, seeds=1)
    assert len(set(swept["queue"])) == 2
    study = anabranch.Study.from_file("example:buffer-and-delay")
    assert study.title == anabranch.Study.from_file(ROOT / "studies/examples/buffer-and-delay.toml").title


def test_what_is_probably_not_meant_is_a_warning() -> None:
    for call in (anabranch.run, anabranch.Session, anabranch.sweep):
        with pytest.warns(UserWarning, match="a: its rate is 20 bit/s, below 1 kbit/s: did you mean 20 Mbit/s") as warned:
            call(SHORT, set={"links.a.rate": 20}, duration=0.1, warmup=0, **({"seeds": 1} if call is anabranch.sweep else {}))
        assert {warning.filename for warning in warned} == {__file__}


def test_theory(command: Path) -> None:
    ours = anabranch.ideal(SCENARIO, queue=0.5, set={"links.dsl.rate": "30 Mbit/s"})
    printed = output(command, "ideal", SCENARIO, "--json", "--queue", "0.5", "--set", "links.dsl.rate=30 Mbit/s")
    assert ours == json.loads(printed)
    with pytest.raises(anabranch.InputError, match="from 0 to 1"):
        anabranch.ideal(SCENARIO, queue=2)


def test_pictures(tmp_path: Path) -> None:
    run = anabranch.run(SHORT)
    _, own = pyplot.subplots(4)
    assert run.plot(ax=own) is own[0].figure and [len(axes.get_lines()) for axes in own] == [3, 3, 3, 2]
    with pytest.raises(anabranch.InputError, match="`ax` has 1 axes: this figure has 4 panels"):
        run.plot(ax=own[0])
    single, screen = run.plot(size="single"), run.plot()
    assert [figure.get_size_inches()[0] for figure in (single, screen)] == [3.4, 9.0]
    assert 4 < single.get_size_inches()[1] < 6.5, "a column of a paper"
    assert [text.get_text() for text in single.legends[0].get_texts()] == [line.get_label() for line in single.axes[0].get_lines()]
    sizes = [figure.axes[0].yaxis.label.get_fontsize() for figure in (single, screen)]
    assert sizes[0] == 8 < sizes[1]
    figure = run.plot()
    assert [len(axes.get_lines()) for axes in figure.axes] == [3, 3, 3, 2]
    delivered = figure.axes[0].get_lines()[0].get_ydata()
    assert 1 < max(delivered) < 10.5
    assert getattr(figure, "_repr_png_")().startswith(b"\x89PNG")
    html = run._repr_html_()
    assert html.count("<table>") == 3 and "tested" in html


def test_traces_are_read_beside_the_scenario(command: Path, tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces/a.csv").write_text("time (s),rate (Mbit/s)\n0,10\n0.5,2\n1,\n")
    (tmp_path / "traces/b.down").write_text("".join(f"{ms}\n" for ms in range(1, 101)))
    link = 'links.a = { rate = "10 Mbit/s", delay = "10 ms" }'
    assert link in SHORT
    file = tmp_path / "traced.toml"
    file.write_text(SHORT.replace(link, 'links.a = { trace = "traces/a.csv", delay = "10 ms" }'))
    run = anabranch.run(file)
    assert run.summary == json.loads(output(command, "run", file, "--json"))
    other = anabranch.run(file, set={"links.a.trace": "traces/b.down"})
    assert other.summary["scenario_hash"] != run.summary["scenario_hash"]
    swept = anabranch.sweep(file, vary={"links.a.trace": ["traces/a.csv", "traces/b.down"]}, seeds=1)
    hashes = {run.summary["scenario_hash"], other.summary["scenario_hash"]}
    assert hashes <= set(swept.runs["scenario_hash"])

    made = anabranch.trace("lte", seed=3, duration="2 s")
    assert made == output(command, "trace", "lte", "--seed", 3, "--duration", "2 s").split("\n", 1)[1]
    assert anabranch.trace("lte", seed=3, duration=2) == made != anabranch.trace("lte", duration=2)

    (tmp_path / "traces/a.csv").write_text("time (s),rate (Mbit/s)\n0,10\n0,2\n")
    with pytest.raises(anabranch.InputError, match="not after"):
        anabranch.run(file)
