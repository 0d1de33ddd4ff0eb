"""An algorithm written in Python: it runs, as the same in Rust does, and its errors are the caller's."""

import math

import pytest
from conftest import SHORT

import anabranch
from anabranch import Ack, Congestion, Path


class Reno(anabranch.Algorithm):
    """RFC 5681 on each path."""

    observables = ("halved",)

    def __init__(self) -> None:
        self.halved: dict[int, int] = {}

    def path_added(self, paths: list[Path], r: int) -> None:
        self.halved[r] = 0

    def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
        left = paths[r].slow_start(ack.acked)
        paths[r].cwnd += left / paths[r].cwnd

    def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
        assert event.signal in ("loss", "ecn", "timeout") and event.now > 0
        self.halved[r] += 1
        paths[r].reduce_to(paths[r].cwnd / 2)

    def observe(self, paths: list[Path], r: int) -> list[float]:
        return [self.halved[r]]


def test_it_is_the_one_in_rust() -> None:
    mine = anabranch.run(SHORT, cc={"other": Reno}, duration=20)
    theirs = anabranch.run(SHORT, cc={"other": "reno"}, duration=20)
    assert mine.summary["scenario_hash"] != theirs.summary["scenario_hash"]
    for one, other in zip(mine.summary["flows"], theirs.summary["flows"]):
        for subflow in (*one["subflows"], *other["subflows"]):
            subflow.pop("mean_observables")
        assert {**one, "cc": ""} == {**other, "cc": ""}
    assert mine.summary["links"] == theirs.summary["links"]
    assert mine.flows["algorithm"] == ["lia", "Reno"]


def test_over_several_paths() -> None:
    """Reno on each path is `uncoupled`."""
    mine = anabranch.run(SHORT, cc=Reno, duration=20)
    theirs = anabranch.run(SHORT, set={"flows.tested.cc": {"name": "uncoupled", "over": "reno"}}, duration=20)
    assert mine.flows["goodput_bps"] == theirs.flows["goodput_bps"]
    halved = [h for f, h in zip(mine.samples["flow"], mine.samples["halved"]) if f == "tested"]
    assert halved[0] == 0 and max(halved) >= 2


def test_its_errors_are_the_caller_s() -> None:
    class Wrong(Reno):
        def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
            raise ZeroDivisionError("in congestion")

    class Unfinished(anabranch.Algorithm):
        pass

    class NoNumber(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].cwnd = math.nan

    class NoObject(Reno):
        def __init__(self) -> None:
            raise KeyError("no object")

    for algorithm, error in (
        (Wrong, ZeroDivisionError),
        (Unfinished, NotImplementedError),
        (NoNumber, anabranch.InputError),
        (NoObject, KeyError),
    ):
        with pytest.raises(error):
            anabranch.run(SHORT, cc=algorithm, duration=1e5)
    with pytest.raises(anabranch.InputError, match="unknown flow"):
        anabranch.run(SHORT, cc={"none": Reno})
    # The next run knows nothing of it.
    assert anabranch.run(SHORT).flows["algorithm"] == ["lia", "reno"]


def test_what_it_observes_is_what_it_says() -> None:
    class Short(Reno):
        observables = ("halved", "doubled")

    class NoNumbers(Reno):
        def observe(self, paths: list[Path], r: int) -> list[float]:
            return ["much"]  # type: ignore[list-item]

    class Clash(Reno):
        observables = ("srtt_s",)

    class Twice(Reno):
        observables = ("halved", "halved")

    class Letters(Reno):
        observables = "halved"

    for algorithm, said in (
        (Short, "Short'>.observe` returned 1 values; `observables` has 2 names"),
        (NoNumbers, "which are not numbers"),
        (Clash, "`Clash.observables` has `srtt_s`, which is a column of the samples already"),
        (Twice, "`Twice.observables` has `halved`, which is listed twice"),
        (Letters, "`Letters.observables` is 'halved', of type str"),
    ):
        with pytest.raises(anabranch.InputError, match=said):
            anabranch.run(SHORT, cc=algorithm)


def test_windows_stay_within_what_there_may_be() -> None:
    class Huge(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].cwnd = math.inf

    class Tiny(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].cwnd = -5

    windows = anabranch.run(SHORT, cc=Huge, set={"warmup": "0.2 s"}, duration=0.4).samples["cwnd_segments"]
    assert 1e3 < max(windows) < math.inf
    assert 0 < anabranch.run(SHORT, cc=Tiny).flows["goodput_bps"][0] < 2e6
