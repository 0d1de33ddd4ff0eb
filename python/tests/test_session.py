"""A session: it is the run, in steps; it steers; its copies continue alike."""

import json
import pydoc
from typing import Any

import pytest
from conftest import SHORT

import anabranch

LINK = """
name = "one link"
duration = "20 s"
links.a = { rate = "10 Mbit/s", delay = "10 ms", queue = "50 packets" }
flows = [{ name = "f", cc = "reno", paths = [["a"]] }]
"""


@pytest.mark.parametrize("step", [0.001, 0.0137, 3.0])
def test_without_changes_it_is_the_run(step: float) -> None:
    run = anabranch.run(SHORT, seed=7)
    with anabranch.Session(SHORT, seed=7, samples=True) as session:
        while not session.done:
            session.step(step)
        assert session.time_s == 3.0
        record = session.finish()
    assert record._json == run._json
    assert record.samples.to_pydict() == run.samples.to_pydict()
    assert record.link_samples.to_pydict() == run.link_samples.to_pydict()


def test_it_shows_what_happens() -> None:
    session = anabranch.Session(LINK, seed=1)
    session.advance(10)
    seen = session.step(5)
    assert (seen.time_s, seen.done) == (15.0, False)
    [subflow] = seen.flows["f"].subflows
    # Payload is 1448 of 1500 bytes.
    assert 9e6 < seen.flows["f"].goodput_bps < 9.7e6
    assert seen.links["a"].throughput_bps == pytest.approx(10e6, rel=0.02)
    assert subflow.up and 20 < subflow.cwnd_segments < 80 and 0.02 < subflow.min_rtt_s <= subflow.srtt_s < 0.09
    assert subflow.delivered_bytes <= subflow.sent_bytes and 0 < subflow.lost_segments <= seen.links["a"].drops + 5
    # An early end is a partial record.
    run = session.finish()
    assert run.summary["partial_until_s"] == 15.0 and "15.0 of 20.0 s" in repr(run) and "15.0 of 20.0 s" in run._repr_html_()
    assert repr(seen) == "<anabranch.Observation at 15 s: flows f; links a>"
    assert "20.0 s" in repr(anabranch.run(LINK)) and " of " not in repr(anabranch.run(LINK))


def test_a_window_is_what_the_program_sets() -> None:
    """Eight segments per round trip: at least 20 ms and the transmission of a packet, at most five of these and a delayed ACK."""
    most, least = (8 * 1448 * 8 / rtt for rtt in (0.0212, 0.0272))
    session = anabranch.Session(LINK, seed=1, control="f")
    session.set_cwnd("f", 0, 8)
    session.advance(1)
    seen = session.step(10)
    [subflow] = seen.flows["f"].subflows
    assert subflow.cwnd_segments == 8 and subflow.in_flight_segments <= 8
    assert least < seen.flows["f"].goodput_bps < most
    session.set_pacing_rate("f", 0, 100.0)
    session.step(1)
    assert session.step(5).flows["f"].goodput_bps == pytest.approx(100 * 1448 * 8, rel=0.02)
    session.set_pacing_rate("f", 0, None)
    session.step(1)
    assert least < session.step(2).flows["f"].goodput_bps < most
    assert session.finish().flows["algorithm"] == ["external"]


def planned(*changes: str) -> str:
    """The scenario with planned changes of the link."""
    each = ", ".join(f"{{ {change} }}" for change in changes)
    return LINK.replace('"50 packets" }', f'"50 packets", changes = [{each}] }}')


def changed(*changes: str) -> dict[str, Any]:
    """The record of a run with them."""
    return anabranch.run(planned(*changes)).summary


def test_a_link_changes_as_if_it_were_planned() -> None:
    steered = anabranch.Session(LINK, seed=1)
    for at, change in (
        (5, {"rate": 4e6}),
        (8, {"up": False}),
        (9, {"rate": 2e6}),  # kept while it is down
        (10.5, {"up": True}),
        (13, {"delay": 0.03, "rate": 20e6}),
    ):
        steered.advance(at)
        steered.set_link("a", **change)  # type: ignore[arg-type]
    while not steered.done:
        steered.step(0.1)
    ours = steered.finish().summary
    theirs = changed(
        'at = "5 s", rate = "4 Mbit/s"',
        'at = "8 s", up = false',
        'at = "9 s", rate = "2 Mbit/s"',
        'at = "10.5 s", up = true',
        'at = "13 s", delay = "30 ms", rate = "20 Mbit/s"',
    )
    for key in ("delivered_bytes", "retransmitted_segments"):
        assert ours["flows"][0][key] == pytest.approx(theirs["flows"][0][key], rel=0.01), key
    for key in ("drops", "losses", "utilisation", "mean_queue_bytes"):
        assert ours["links"][0][key] == pytest.approx(theirs["links"][0][key], rel=0.02), key


def test_a_link_that_was_down_has_its_rate() -> None:
    session = anabranch.Session(LINK, seed=1)
    session.advance(5)
    session.set_link("a", up=False)
    down = session.step(1)
    assert down.time_s == 6.0 and down.flows["f"].goodput_bps < 0.2e6
    assert session.step(2).links["a"].throughput_bps == 0
    session.set_link("a", up=True)
    session.step(6)
    assert session.step(5).links["a"].throughput_bps == pytest.approx(10e6, rel=0.02)


def test_time_goes_on_in_an_outage() -> None:
    session = anabranch.Session(LINK, seed=1, control="f")
    session.advance(5)
    session.set_link("a", up=False)
    times = [session.step(0.01).time_s for _ in range(500)]
    assert times == pytest.approx([5 + 0.01 * i for i in range(1, 501)])


def test_links_take_quantities_as_scenarios_do() -> None:
    runs = []
    for rate, delay in ((4e6, 0.03), ("4 Mbit/s", "30 ms")):
        session = anabranch.Session(LINK, seed=1, control="f")
        session.advance(2)
        session.set_link("a", rate=rate, delay=delay)
        session.advance(4)
        runs.append(session.finish())
    assert runs[0]._json == runs[1]._json
    # The flow is controlled, and the link was changed.
    assert runs[0].summary["scenario_hash"].endswith("+external+steered")


def test_help_shows_the_fields() -> None:
    for of, shown, hidden in (
        (anabranch.Observation, "The flows by name.", "cached_property"),
        (anabranch.Run, "One row per subflow: goodput", "cached_property"),
        (anabranch.Path, "a row of the algorithm's table", "cache line"),
        (anabranch.run, "Scenario", "_scenario"),
    ):
        text = pydoc.plain(pydoc.render_doc(of))
        assert shown in text and hidden not in text, of


def test_loss_is_what_is_set() -> None:
    session = anabranch.Session(LINK, seed=1, control="f")
    session.set_cwnd("f", 0, 10)
    session.advance(2)
    session.set_link("a", loss=0.1)
    before = session.observe()
    after = session.step(15)
    sent = (after.flows["f"].subflows[0].sent_bytes - before.flows["f"].subflows[0].sent_bytes) / 1448
    assert after.links["a"].losses / sent == pytest.approx(0.1, rel=0.2)


@pytest.mark.parametrize("cc", ["lia", "olia", "balia", "coupled-cubic", "uncoupled", "c-mpbbr", "wvegas", "bbr", "independent", "wcompound"])
def test_a_fork_goes_on_alike(cc: str) -> None:
    session = anabranch.Session(SHORT, seed=3, cc=cc, samples=True)
    session.advance(1.2345)
    fork = session.fork()
    other = session.fork()
    other.set_link("a", rate=2e6)
    for each in (session, fork, other):
        while not each.done:
            each.step(0.01)
    ours, theirs = session.finish(), fork.finish()
    assert ours._json == theirs._json == anabranch.run(SHORT, seed=3, cc=cc)._json
    assert ours.samples.to_pydict() == theirs.samples.to_pydict()
    assert sum(other.finish().flows["goodput_bps"]) < 0.7 * sum(ours.flows["goodput_bps"])


def test_a_controlled_fork() -> None:
    session = anabranch.Session(SHORT, seed=3, control=["tested"])
    session.step(0.5)
    fork = session.fork()
    for each in (session, fork):
        each.set_cwnd("tested", 1, 20)
        each.step(1)
    assert json.loads(session.finish()._json) == json.loads(fork.finish()._json)


def test_a_fork_that_cannot_be() -> None:
    with pytest.raises(NotImplementedError, match="@kernel"):
        anabranch.Session(SHORT, cc="lia@kernel").fork()


def test_what_cannot_be_steered() -> None:
    session = anabranch.Session(SHORT, control="tested")
    for call, said in (
        (lambda: session.set_cwnd("other", 0, 5), "the session controls only tested: create it with control='other'"),
        (lambda: anabranch.Session(SHORT).set_cwnd("other", 0, 5), "the session controls no flow: create it with control='other'"),
        (lambda: session.set_link("a", rate="5 parsecs"), "`parsecs` is not a unit of rate"),
        (lambda: session.set_link("a", delay=[1]), "`delay` is .*a number of seconds, or text such as '20 ms'"),  # type: ignore[arg-type]
        (lambda: session.set_link("a", loss="1 %"), "`loss` is '1 %', .*a fraction from 0 to 1"),  # type: ignore[arg-type]
        (lambda: session.set_cwnd("tested", 2, 5), "`path` is 2"),
        (lambda: session.set_cwnd("tested", 0, -1), "the window is -1"),
        (lambda: session.set_cwnd("tested", 0, float("nan")), "the window is NaN"),
        (lambda: session.set_pacing_rate("tested", 0, 0), "it must be positive"),
        (lambda: session.set_link("none", up=False), "no link is named 'none'; there are a, b"),
        (lambda: session.set_link("a", rate=0), "`rate` is 0"),
        (lambda: session.set_link("a", loss=2), "a fraction from 0 to 1"),
        (lambda: session.step(0), "a step must take some time"),
        (lambda: anabranch.Session(SHORT, control="none"), "no flow is named `none`"),
    ):
        with pytest.raises(ValueError, match=said):
            call()
    with pytest.raises(ValueError, match="changes of its own"):
        anabranch.Session(planned('at = "5 s", up = false')).set_link("a", rate=1e6)
    session.close()
    with pytest.raises(anabranch.RunError, match="closed"):
        session.step(1)


def test_a_link_with_jitter_changes() -> None:
    jittered = LINK.replace('"50 packets"', '"50 packets", jitter = { up_to = "4 ms" }')
    session = anabranch.Session(jittered, seed=1)
    session.advance(5)
    session.set_link("a", rate=4e6, delay=0.03)
    session.step(2)
    seen = session.step(5)
    assert seen.links["a"].throughput_bps == pytest.approx(4e6, rel=0.02)
    # Twice the delay, and the jitter of the data and of its acknowledgement.
    assert 0.06 < seen.flows["f"].subflows[0].srtt_s
    fork = session.fork()
    for each in (session, fork):
        each.set_link("a", up=False)
        each.step(1)
        each.set_link("a", up=True)
        each.step(1)
    assert session.finish()._json == fork.finish()._json


def test_another_type_is_refused() -> None:
    session = anabranch.Session(SHORT, control="tested")
    call: Any
    for call, said in (
        (lambda: session.step(None), "`seconds` is None, .*a number of seconds"),  # type: ignore[arg-type]
        (lambda: session.advance([1]), r"`until` is \[1\], .*a number of seconds"),  # type: ignore[arg-type]
        (lambda: session.set_cwnd("tested", 0, None), "`segments` is None, .*a number of segments"),  # type: ignore[arg-type]
        (lambda: session.set_pacing_rate("tested", 0, "fast"), "`rate` is 'fast', .*segments per second, or None"),  # type: ignore[arg-type]
        (lambda: session.set_link("a", up="yes"), "`up` is 'yes', .*True, False or None"),  # type: ignore[arg-type]
    ):
        with pytest.raises(anabranch.WrongTypeError, match=said):
            call()
    with pytest.raises(anabranch.InputError, match="the time is 1e300 s: it must be from 0 to 9e9 s"):
        session.advance(1e300)
