"""A simulation that a program steps, observes and steers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, NamedTuple

from . import _anabranch, _arguments, _scenario
from ._run import Run
from ._scenario import Cc, Scenario

SECONDS = "a number of seconds"


class SubflowState(NamedTuple):
    """A subflow at an instant. Counters are from the start of the run, rates over the time since the last observation."""

    up: bool
    """Whether it carries data."""
    cwnd_segments: float
    """Congestion window; 0 unless it is up."""
    pacing_rate: float | None
    """Segments per second; `None`: sends as the window opens."""
    srtt_s: float
    """Smoothed RTT; 0 before the first sample."""
    min_rtt_s: float
    """The smallest RTT; infinite before the first sample."""
    in_flight_segments: int
    """Segments sent and neither acknowledged nor deemed lost."""
    sent_bytes: int
    """Payload sent, first transmissions only."""
    delivered_bytes: int
    """Payload acknowledged."""
    lost_segments: int
    """Segments deemed lost."""
    retransmitted_segments: int
    """Segments retransmitted."""
    send_rate_bps: float
    """Payload sent per second."""
    delivery_rate_bps: float
    """Payload acknowledged per second."""


class FlowState(NamedTuple):
    """A flow at an instant."""

    delivered_bytes: int
    """Payload delivered in order since the start of the run."""
    goodput_bps: float
    """The same per second since the last observation."""
    subflows: list[SubflowState]
    """In the order of the scenario's paths."""


class LinkState(NamedTuple):
    """A link at an instant. Counters are from the start of the run."""

    queue_bytes: int
    """Bytes that wait."""
    queue_packets: int
    """Packets that wait."""
    drops: int
    """Packets that the queue dropped."""
    marks: int
    """Packets marked: congestion experienced."""
    losses: int
    """Packets that the loss model dropped, or that met a link that was down."""
    transmitted_bits: float
    """Bits transmitted."""
    throughput_bps: float
    """The same per second since the last observation."""


class Observation:
    """What a session shows at an instant: its `flows`, each with its `subflows`, and its `links`."""

    def __init__(self, layout: Layout, seen: _anabranch._Seen, last: _anabranch._Seen) -> None:
        self._layout, self._seen, self._last = layout, seen, last
        self.time_s: float = seen[0]
        """The simulated time."""
        self.done: bool = seen[1]
        """Whether the scenario has ended."""
        self._flows: dict[str, FlowState] | None = None
        self._links: dict[str, LinkState] | None = None
        self._per_second = 1 / (seen[0] - last[0]) if seen[0] > last[0] else 0.0

    @property
    def flows(self) -> dict[str, FlowState]:
        """The flows by name."""
        if self._flows is None:
            self._flows = self._flow_states()
        return self._flows

    @property
    def links(self) -> dict[str, LinkState]:
        """The links by name."""
        if self._links is None:
            each = zip(self._layout.links, self._seen[4], self._last[4])
            self._links = {
                name: LinkState(*link, max(link[5] - before[5], 0.0) * self._per_second) for name, link, before in each
            }
        return self._links

    def _flow_states(self) -> dict[str, FlowState]:
        _, _, delivered, subflows, _ = self._seen
        _, _, delivered_before, subflows_before, _ = self._last
        bits = 8 * self._per_second
        states = [
            SubflowState(*s, bits * (s[6] - before[6]), bits * (s[7] - before[7]))
            for s, before in zip(subflows, subflows_before)
        ]
        flows, first = {}, 0
        for i, (name, paths) in enumerate(self._layout.flows):
            goodput = bits * (delivered[i] - delivered_before[i])
            flows[name] = FlowState(delivered[i], goodput, states[first : first + paths])
            first += paths
        return flows

    def __repr__(self) -> str:
        flows, links = ", ".join(name for name, _ in self._layout.flows), ", ".join(self._layout.links)
        return f"<anabranch.Observation at {self.time_s:g} s: flows {flows}; links {links}>"


class Layout(NamedTuple):
    """What a session has."""

    flows: list[tuple[str, int]]
    """The flows' names, and how many paths each has."""
    links: list[str]
    """The links' names."""


class Session:
    """A simulation in steps.

        with anabranch.Session("scenario.toml", seed=1, control="phone") as session:
            while not session.done:
                seen = session.step(0.01)
                for path, subflow in enumerate(seen.flows["phone"].subflows):
                    session.set_cwnd("phone", path, window_for(subflow))
            run = session.finish()

    `control` names the flows whose windows the program sets. Until it does, a window stays as it is: ten segments at the start,
    one after a timeout. All other flows run their own algorithms. The result depends on the scenario, the seed and the calls
    alone. A session that changes nothing gives the record of `run`.

    `set`, `cc`, `duration` and `warmup` work as in `run`, except that algorithms in Python are not possible. With `samples=True`
    the run of `finish` has samples over time.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int | None = None,
        *,
        control: str | Iterable[str] = (),
        set: Mapping[str, object] = {},
        cc: Cc = None,
        duration: str | float | None = None,
        warmup: str | float | None = None,
        samples: bool = False,
    ) -> None:
        named, own = _scenario.algorithms(cc)
        if own:
            raise _arguments.wrong("cc", cc, "names of algorithms: a session steers flows itself")
        right = "a flow's name, or a list of names"
        flows = [control] if isinstance(control, str) else _arguments.several("control", control, right)
        controlled = [_arguments.text("control", flow, right) for flow in flows]
        if seed is not None:
            seed = _arguments.whole("seed", seed, 0, 2**64 - 1)
        sets = _scenario.assignments(set, duration, warmup)
        inner = _anabranch.Session(_scenario.read(scenario), sets, named, seed, controlled, bool(samples))
        self._begin(inner, frozenset(controlled))

    def _begin(self, inner: _anabranch.Session, controlled: frozenset[str]) -> None:
        self._inner = inner
        self._controlled = controlled
        self._layout = Layout(inner.flows, inner.links)
        self._flows = {name: i for i, (name, _) in enumerate(self._layout.flows)}
        self._links = {name: i for i, name in enumerate(self._layout.links)}
        self._last = inner.observe()
        self._seen = self._last

    @property
    def time_s(self) -> float:
        """The simulated time."""
        return self._seen[0]

    @property
    def done(self) -> bool:
        """Whether the scenario has ended."""
        return self._seen[1]

    @property
    def duration_s(self) -> float:
        """The scenario's length."""
        return self._inner.duration

    @property
    def flows(self) -> list[str]:
        """The flows' names."""
        return list(self._flows)

    @property
    def links(self) -> list[str]:
        """The links' names."""
        return list(self._links)

    def _mss(self, flow: str) -> int:
        """The segment size of a flow, in bytes of payload at most."""
        return self._inner.mss[self._flows[flow]]

    def step(self, seconds: float) -> Observation:
        """Runs for some simulated time, at most to the end of the scenario."""
        seconds = _arguments.number("seconds", seconds, SECONDS)
        if not seconds > 0:
            raise _arguments.refused(f"`seconds` is {seconds!r}: a step must take some time")
        return self.advance(self.time_s + seconds)

    def advance(self, until: float) -> Observation:
        """Runs until a simulated time, at most to the end of the scenario. Time continues although nothing happens."""
        return self._observed(self._inner.advance(_arguments.number("until", until, SECONDS)))

    def observe(self) -> Observation:
        """The present state; rates as in the last step."""
        return Observation(self._layout, self._inner.observe(), self._last)

    def _observed(self, seen: _anabranch._Seen) -> Observation:
        self._last, self._seen = self._seen, seen
        return Observation(self._layout, seen, self._last)

    def set_cwnd(self, flow: str, path: int, segments: float) -> None:
        """Sets the window of a path of a controlled flow, in segments; `path` counts from 0. A path that is not established yet
        gets it after the step in which it is."""
        window = _arguments.number("segments", segments, "a number of segments")
        self._inner.set_cwnd(*self._subflow(flow, path), window)

    def set_pacing_rate(self, flow: str, path: int, rate: float | None) -> None:
        """Sets the pacing rate of a path of a controlled flow, in segments per second; `None` sends as the window opens."""
        pace = _arguments.quantity("rate", rate, "a number of segments per second, or None")
        self._inner.set_pacing_rate(*self._subflow(flow, path), pace)

    def _subflow(self, flow: str, path: int) -> tuple[int, int]:
        if flow not in self._controlled:
            names = f"only {', '.join(sorted(self._controlled))}" if self._controlled else "no flow"
            raise _arguments.refused(f"the session controls {names}: create it with control={flow!r}")
        i = self._flows[flow]
        return i, _arguments.whole("path", path, 0, self._layout.flows[i][1] - 1)

    def set_link(
        self,
        link: str,
        *,
        rate: float | str | None = None,
        delay: float | str | None = None,
        loss: float | None = None,
        up: bool | None = None,
    ) -> None:
        """Changes a link from now on: rate in bit/s or as text such as "5 Mbit/s", one-way delay in seconds or as text such as
        "20 ms", loss as a probability, up or down. Links with a trace, a clock, reordering or planned changes cannot be changed.

        Waiting packets leave at the new rate. As a link goes down, they are lost. Its rate and delay stay as they were, and
        those that are set meanwhile hold when it is up again.
        """
        if up not in (None, False, True):
            raise _arguments.wrong("up", up, "True, False or None")
        if link not in self._links:
            raise _arguments.refused(f"no link is named {link!r}; there are {', '.join(self._links)}")
        self._inner.set_link(
            self._links[link],
            _arguments.quantity("rate", rate, "a number of bit/s, or text such as '5 Mbit/s'", _anabranch.rate),
            _arguments.quantity("delay", delay, "a number of seconds, or text such as '20 ms'", _anabranch.time),
            _arguments.quantity("loss", loss, "a fraction from 0 to 1"),
            None if up is None else bool(up),
        )

    def fork(self) -> Session:
        """The same state again: both continue independently, and equally if they are treated equally.

        Algorithms of the kernel (`@kernel`) cannot be copied: `NotImplementedError`.
        """
        copy = object.__new__(type(self))
        copy._begin(self._inner.fork(), self._controlled)
        copy._last, copy._seen = self._last, self._seen
        return copy

    def finish(self) -> Run:
        """Ends the session, and returns its record up to now."""
        return Run(self._inner.finish())

    def close(self) -> None:
        """Ends the session without a record."""
        self._inner.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<anabranch.Session: {self.time_s:g} of {self.duration_s:g} s>"


def advance_all(sessions: list[Session], until: list[float], threads: _anabranch.Threads) -> list[Any]:
    """Advances several sessions at once; threads run without the interpreter lock."""
    seen = _anabranch.advance_all([session._inner for session in sessions], until, threads)
    return [session._observed(each) for session, each in zip(sessions, seen)]
