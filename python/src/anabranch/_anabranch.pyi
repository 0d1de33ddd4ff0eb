"""The Rust part of the package, for internal use."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, final

__version__: str

@final
class Path:
    """A path of a connection. Windows are in segments, times in seconds. Tests of algorithms can make one."""

    def __new__(
        cls,
        *,
        cwnd: float = ...,
        ssthresh: float = ...,
        pacing_rate: float | None = ...,
        barred: bool = ...,
        srtt: float = ...,
        min_rtt: float = ...,
        round_rtt: float = ...,
        round_min_rtt: float = ...,
        round_samples: int = ...,
        in_flight: float = ...,
        largest_cwnd: float = ...,
        round: int = ...,
        active: bool = ...,
        counts: bool = ...,
        min_rtt_since_loss: float = ...,
        max_rtt_since_loss: float = ...,
        delivered_since_loss: float = ...,
        delivered_between_losses: float = ...,
    ) -> Path: ...
    cwnd: float
    """The congestion window, at least 0. The simulator clamps it to valid values."""
    ssthresh: float
    """The slow-start threshold; infinite until the first congestion."""
    pacing_rate: float | None
    """Segments per second; `None`: sends as the window opens."""
    barred: bool
    """Whether the algorithm keeps the path from carrying new data."""
    @property
    def srtt(self) -> float:
        """Smoothed RTT; 0 before the first sample."""
    @property
    def min_rtt(self) -> float:
        """The smallest RTT; infinite before the first sample."""
    @property
    def round_rtt(self) -> float:
        """The mean RTT of the last round; 0 before the first sample."""
    @property
    def round_min_rtt(self) -> float:
        """The smallest RTT of the last round."""
    @property
    def round_samples(self) -> int:
        """How many samples that round had."""
    @property
    def in_flight(self) -> float:
        """Segments sent and neither acknowledged nor deemed lost."""
    @property
    def largest_cwnd(self) -> float:
        """The largest window so far."""
    @property
    def round(self) -> int:
        """The number of round trips so far."""
    @property
    def active(self) -> bool:
        """Whether the path is in use: rows of removed paths remain."""
    @property
    def counts(self) -> bool:
        """Whether to include the path in sums and comparisons: the values of other paths are out of date."""
    @property
    def min_rtt_since_loss(self) -> float:
        """The smallest RTT since the last congestion; infinite before a sample."""
    @property
    def max_rtt_since_loss(self) -> float:
        """The largest RTT since the last congestion; 0 before a sample."""
    @property
    def delivered_since_loss(self) -> float:
        """Segments delivered since the last congestion."""
    @property
    def delivered_between_losses(self) -> float:
        """Segments delivered between the last two congestion events."""
    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below the threshold."""
    def slow_start(self, acked: float) -> float:
        """Grows the window up to the threshold; returns the segments left for congestion avoidance."""
    def reduce_to(self, segments: float) -> None:
        """Sets window and threshold, both at least two segments."""

@final
class Ack:
    """An acknowledgement. Tests of algorithms can make one."""

    def __new__(
        cls,
        *,
        now: float = ...,
        acked: float = ...,
        delivered: float = ...,
        rtt: float | None = ...,
        srtt: float = ...,
        in_flight: float = ...,
        round: int = ...,
        cwnd_limited: bool = ...,
        rate: RateSample | None = ...,
    ) -> Ack: ...
    @property
    def now(self) -> float:
        """When it arrived."""
    @property
    def acked(self) -> float:
        """Segments that may grow the window."""
    @property
    def delivered(self) -> float:
        """Segments newly delivered."""
    @property
    def rtt(self) -> float | None:
        """The RTT sample, if any."""
    @property
    def srtt(self) -> float:
        """The smoothed RTT after it."""
    @property
    def in_flight(self) -> float:
        """Segments in flight after it."""
    @property
    def round(self) -> int:
        """The path's round after it."""
    @property
    def cwnd_limited(self) -> bool:
        """Whether the window limited the sender."""
    @property
    def rate(self) -> RateSample | None:
        """The delivery rate that it measured; only for algorithms with `model_based = True`."""

@final
class RateSample:
    """A sample of the delivery rate."""

    def __new__(
        cls,
        *,
        total_delivered: float = ...,
        prior_delivered: float = ...,
        interval: float = ...,
        lost: float = ...,
        tx_in_flight: float = ...,
        app_limited: bool = ...,
        cwnd_limited: bool = ...,
        in_recovery: bool = ...,
        resumed: bool = ...,
    ) -> RateSample: ...
    @property
    def total_delivered(self) -> float:
        """Segments delivered on the path so far."""
    @property
    def prior_delivered(self) -> float:
        """Segments that had been delivered when the newest acknowledged segment was sent."""
    @property
    def interval(self) -> float:
        """The time over which the segments since then were delivered; 0 where the rate is unknown."""
    @property
    def lost(self) -> float:
        """Segments deemed lost since then."""
    @property
    def tx_in_flight(self) -> float:
        """Segments in flight just after that segment was sent."""
    @property
    def app_limited(self) -> bool:
        """Whether the application limited the sender then."""
    @property
    def cwnd_limited(self) -> bool:
        """Whether the window stopped the sender in the last window of data."""
    @property
    def in_recovery(self) -> bool:
        """Whether losses are being repaired."""
    @property
    def resumed(self) -> bool:
        """Whether sending had begun anew, with nothing in flight."""
    @property
    def delivery_rate(self) -> float:
        """Segments per second; 0 if unknown."""

@final
class LostSegment:
    """A segment that was deemed lost."""

    def __new__(
        cls,
        *,
        now: float = ...,
        number: int = ...,
        total_delivered: float = ...,
        lost: float = ...,
        tx_in_flight: float = ...,
        app_limited: bool = ...,
    ) -> LostSegment: ...
    @property
    def now(self) -> float:
        """When that was."""
    @property
    def number(self) -> int:
        """Its place among the path's segments: neighbours differ by one."""
    @property
    def total_delivered(self) -> float:
        """Segments delivered on the path so far."""
    @property
    def lost(self) -> float:
        """Segments deemed lost since it was sent, itself included."""
    @property
    def tx_in_flight(self) -> float:
        """Segments in flight just after it was sent, itself included."""
    @property
    def app_limited(self) -> bool:
        """Whether the application limited the sender then."""

@final
class Congestion:
    """A congestion signal. Tests of algorithms can make one."""

    def __new__(cls, *, now: float = ..., signal: Literal["loss", "ecn", "timeout"] = ...) -> Congestion: ...
    @property
    def now(self) -> float:
        """When it was detected."""
    @property
    def signal(self) -> Literal["loss", "ecn", "timeout"]:
        """Its kind."""

@final
class Table:
    def __new__(cls, columns: Sequence[tuple[str, str, Sequence[Any]]]) -> Table: ...
    def __len__(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def column(self, name: str) -> list[Any]: ...
    def packed(self) -> list[tuple[str, str, Any]]: ...
    @staticmethod
    def unpacked(columns: list[tuple[str, str, Any]]) -> Table: ...
    def to_pydict(self, rows: int | None = None) -> dict[str, list[Any]]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Campaign:
    @property
    def runs(self) -> int: ...
    @property
    def missing(self) -> int: ...
    def seconds(self, i: int) -> float: ...
    def begin(self, i: int) -> str | None: ...
    def put(self, record: bytes) -> None: ...
    def end(self) -> None: ...
    def run(self, progress: Callable[[float, int, int], object] | None) -> str: ...
    def table(self, rows: str) -> Table: ...
    def report(self, out: str, command: str, laboratory: str | None) -> str: ...

_Seen = tuple[
    float,
    bool,
    list[int],
    list[tuple[bool, float, float | None, float, float, int, int, int, int, int]],
    list[tuple[int, int, int, int, int, float]],
]

@final
class Session:
    def __new__(
        cls,
        source: tuple[str, str],
        set: list[str],
        cc: list[str],
        seed: int | None,
        controlled: list[str],
        sampled: bool,
    ) -> Session: ...
    @property
    def flows(self) -> list[tuple[str, int]]: ...
    @property
    def links(self) -> list[str]: ...
    @property
    def mss(self) -> list[int]: ...
    @property
    def duration(self) -> float: ...
    def advance(self, to: float) -> _Seen: ...
    def observe(self) -> _Seen: ...
    def set_cwnd(self, flow: int, path: int, segments: float) -> None: ...
    def set_pacing_rate(self, flow: int, path: int, rate: float | None) -> None: ...
    def set_link(
        self, link: int, rate: float | None, delay: float | None, loss: float | None, up: bool | None
    ) -> None: ...
    def fork(self) -> Session: ...
    def finish(self) -> tuple[str, Table, Table, Table]: ...
    def close(self) -> None: ...

@final
class Threads:
    def __new__(cls, count: int) -> Threads: ...

@final
class Study:
    @staticmethod
    def from_file(path: str, text: str, at: list[tuple[str, list[str]]]) -> Study: ...
    @staticmethod
    def of_paper(name: str) -> Study: ...
    @staticmethod
    def of_sweep(
        name: str,
        file: str,
        text: str,
        vary: list[str],
        cc: list[str],
        set: list[str],
        duration: str | None,
        seeds: int,
    ) -> Study: ...
    @property
    def name(self) -> str: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def title(self) -> str: ...
    def campaign(
        self,
        size: str,
        seeds: int | None,
        listed: list[int] | None,
        only: str | None,
        variants: bool,
        algorithms: dict[str, str],
        identity: str,
        store: str | None,
    ) -> Campaign: ...

def advance_all(sessions: Sequence[Session], to: Sequence[float], pool: Threads) -> list[_Seen]: ...
def advise(
    source: tuple[str, str],
    set: list[str],
    flow: str | None,
    cc: list[str] | None,
    buffers: list[str],
    seeds: int,
    jobs: int | None,
) -> str: ...
def after_fork() -> list[int]: ...
def algorithms() -> str: ...
def before_fork() -> None: ...
def build() -> str: ...
def example(file: str) -> tuple[str, str] | None: ...
def examples() -> list[tuple[str, bool, str]]: ...
def execute(tasks: list[str], client: str, needs: object) -> list[bytes | None]: ...
def register(own: Sequence[object]) -> None: ...
def table_of(rows: str, summary: str, algorithms: dict[str, str]) -> Table: ...
def trace(model: str, seed: int, duration: str) -> str: ...
def ideal(source: tuple[str, str], set: list[str], cc: list[str], queue: float | None) -> str: ...
def load(folder: str) -> tuple[str, Table, Table, Table]: ...
def save(folder: str, summary: str, subflows: Table, links: Table, completions: Table) -> None: ...
def inline(json: str) -> str: ...
def printable(text: str) -> str: ...
def rate(text: str) -> float: ...
def run(
    source: tuple[str, str],
    set: list[str],
    cc: list[str],
    own: Sequence[object],
    seed: int | None,
    sampled: bool,
) -> tuple[str, Table, Table, Table]: ...
def time(text: str) -> float: ...
def toml(json: str) -> str: ...
