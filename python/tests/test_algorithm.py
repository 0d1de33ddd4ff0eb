"""An algorithm written in Python: it runs, as the same in Rust does, and its errors are the caller's."""

import math
from typing import Any

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
    class Failing(Reno):
        def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
            raise ZeroDivisionError("in congestion")

    class NoNumber(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].cwnd = math.nan

    class Negative(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].cwnd -= 1e6

    class Still(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].pacing_rate = 0

    class Others(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            for path in paths:
                path.cwnd = 10.0

    class NoObject(Reno):
        def __init__(self) -> None:
            raise KeyError("no object")

    for algorithm, error in (
        (Failing, ZeroDivisionError),
        (NoNumber, anabranch.InputError),
        (Negative, anabranch.InputError),
        (Still, anabranch.InputError),
        (Others, anabranch.InputError),
        (NoObject, KeyError),
    ):
        with pytest.raises(error):
            anabranch.run(SHORT, cc=algorithm, duration=1e5)
    with pytest.raises(anabranch.InputError, match="no flow is named `none`"):
        anabranch.run(SHORT, cc={"none": Reno})
    # The next run knows nothing of it.
    assert anabranch.run(SHORT).flows["algorithm"] == ["lia", "reno"]


def test_an_error_shows_the_line_of_the_callback() -> None:
    class NoNumber(Reno):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
            paths[r].cwnd = math.nan  # here

    with pytest.raises(ValueError, match="`cwnd` = NaN: it must be a number of segments") as raised:
        anabranch.run(SHORT, cc=NoNumber)
    assert str(raised.traceback[-1].statement).endswith("# here")


def test_a_misspelt_callback_is_refused() -> None:
    class Misspelt(Reno):
        def congested(self, paths: list[Path], r: int, event: Congestion) -> None: ...

    class OfOthers(Reno):
        def on_loss(self, paths: list[Path], r: int, event: Congestion) -> None: ...

    for algorithm in (Misspelt, OfOthers):
        with pytest.raises(anabranch.InputError, match="is never called: did you mean `congestion`"):
            anabranch.run(SHORT, cc=algorithm)


def test_an_unfinished_algorithm_does_not_run() -> None:
    class Unfinished(anabranch.Algorithm):
        def acked(self, paths: list[Path], r: int, ack: Ack) -> None: ...

    for algorithm, missing in ((Unfinished, "Unfinished.congestion"), (anabranch.Algorithm, "Algorithm.acked")):
        with pytest.raises(anabranch.InputError, match=f"`{missing}` is missing: .*`congestion\\(self, paths, r, event\\)`"):
            anabranch.run(SHORT, cc=algorithm)


class Gentle(anabranch.Algorithm):
    """The tutorial's: Reno's increase, divided by the square of the number of paths."""

    def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
        left = paths[r].slow_start(ack.acked)
        paths[r].cwnd += left / paths[r].cwnd * self._weight(paths)

    def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
        paths[r].reduce_to(paths[r].cwnd / 2)

    def _weight(self, paths: list[Path]) -> float:
        return 1 / max(sum(path.counts for path in paths), 1) ** 2


class OverAll(Gentle):
    """The same over all rows, those of removed paths included."""

    def _weight(self, paths: list[Path]) -> float:
        return 1 / len(paths) ** 2


def test_a_removed_path_does_not_count() -> None:
    """Alone on the other path, it is Reno: it shares the link equally with one. Over all rows it would grow at a quarter."""
    text = SHORT.replace('paths = [["a"], ["b"]] }', 'paths = [["a"], ["b"]], events = [{ at = "1 s", path = 2, action = "remove" }] }')
    assert text != SHORT
    removed = {"warmup": "5 s"}

    def share(cc: type[anabranch.Algorithm]) -> float:
        goodputs = [anabranch.run(text, cc=cc, set=removed, duration=120, seed=seed).flows["goodput_bps"] for seed in (1, 2, 3)]
        return sum(ours for ours, _ in goodputs) / sum(map(sum, goodputs))

    assert 0.4 < share(Gentle) < 0.6
    assert share(OverAll) < 0.4


def test_instances_functions_and_parameters() -> None:
    class Decrease(Reno):
        def __init__(self, factor: float = 0.5) -> None:
            super().__init__()
            self.factor = factor

        def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
            paths[r].reduce_to(paths[r].cwnd * self.factor)

    def goodput(cc: Any) -> list[float | None]:
        run = anabranch.run(SHORT, cc={"other": cc}, duration=20)
        assert run.flows["algorithm"][1] == "Decrease"
        return run.flows["goodput_bps"]

    half, most = goodput(Decrease), goodput(Decrease(0.8))
    assert half != most
    assert goodput({"name": Decrease, "factor": 0.8}) == goodput(lambda: Decrease(0.8)) == most
    # A flow of two connections: each has an instance of its own.
    two = SHORT.replace('name = "other", ', 'name = "other", count = 2, ')
    one = Decrease()
    assert len(anabranch.run(two, cc={"other": one}).flows) == 3 and one.halved == {}
    # Of the algorithms in Rust, too, in one form.
    over = {"name": "uncoupled", "over": "cubic"}
    ours = anabranch.run(SHORT, cc=over).summary
    assert ours == anabranch.run(SHORT, cc={"tested": over}).summary
    assert ours == anabranch.run(SHORT, set={"flows.tested.cc": over}).summary


class Model(Reno):
    """It keeps what models of the path need."""

    model_based = True
    rates: list[float] = []
    lost_segments: list[int] = []

    def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
        if ack.rate and ack.rate.delivery_rate > 0:
            self.rates.append(ack.rate.delivery_rate)
        paths[r].cwnd = 100.0

    def lost(self, paths: list[Path], r: int, lost: anabranch.LostSegment) -> None:
        assert lost.tx_in_flight > 0 and lost.lost >= 1
        self.lost_segments.append(lost.number)


def test_a_model_gets_delivery_rates_and_losses() -> None:
    anabranch.run(SHORT, cc={"tested": "lia", "other": Model}, set={"links.a.queue": "10 packets"})
    # 10 Mbit/s are 833 packets of 1500 bytes per second; ACKs may come in bursts.
    rates = sorted(Model.rates)
    assert 300 < rates[len(rates) // 2] < 900
    assert len(set(Model.lost_segments)) > 10
    anabranch.run(SHORT, cc=Reno)  # without them
    assert anabranch.Algorithm.model_based is False


def test_callbacks_can_be_tested_alone() -> None:
    reno = Reno()
    paths = [Path(cwnd=10, ssthresh=5, srtt=0.1), Path(cwnd=3, counts=False)]
    reno.path_added(paths, 0)
    reno.acked(paths, 0, Ack(now=1.0, acked=2, srtt=0.1))
    assert paths[0].cwnd == 10.2 and paths[1].cwnd == 3
    reno.congestion(paths, 0, Congestion(now=1.1, signal="ecn"))
    assert paths[0].cwnd == paths[0].ssthresh == 5.1
    rate = anabranch.RateSample(total_delivered=30, prior_delivered=10, interval=0.1)
    assert Ack(rate=rate).rate.delivery_rate == 200  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="no field `cnwd`"):
        Path(cnwd=10)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="signal"):
        Congestion(signal="drop")  # type: ignore[arg-type]


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
        (Short, "`Short.observe` returned 1 values; `observables` has 2 names"),
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
            paths[r].cwnd = 0

    windows = anabranch.run(SHORT, cc=Huge, set={"warmup": "0.2 s"}, duration=0.4).samples["cwnd_segments"]
    assert 1e3 < max(windows) < math.inf
    assert 0 < anabranch.run(SHORT, cc=Tiny).flows["goodput_bps"][0] < 2e6
