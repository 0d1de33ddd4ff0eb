"""The Rust part of the package, for internal use."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, final

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
    srtt: Final[float]
    """Smoothed RTT; 0 before the first sample."""
    min_rtt: Final[float]
    """The smallest RTT; infinite before the first sample."""
    round_rtt: Final[float]
    """The mean RTT of the last round; 0 before the first sample."""
    round_min_rtt: Final[float]
    """The smallest RTT of the last round."""
    round_samples: Final[int]
    """How many samples that round had."""
    in_flight: Final[float]
    """Segments sent and neither acknowledged nor deemed lost."""
    largest_cwnd: Final[float]
    """The largest window so far."""
    round: Final[int]
    """The number of round trips so far."""
    active: Final[bool]
    """Whether the path carries data: rows of removed paths stay."""
    counts: Final[bool]
    """Whether sums and comparisons of paths include it: the values of other paths are out of date."""
    min_rtt_since_loss: Final[float]
    """The smallest RTT since the last congestion; infinite before a sample."""
    max_rtt_since_loss: Final[float]
    """The largest RTT since the last congestion; 0 before a sample."""
    delivered_since_loss: Final[float]
    """Segments delivered since the last congestion."""
    delivered_between_losses: Final[float]
    """Segments delivered between the last two congestion events."""
    in_slow_start: Final[bool]
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
    now: Final[float]
    """When it arrived."""
    acked: Final[float]
    """Segments that may grow the window."""
    delivered: Final[float]
    """Segments newly delivered."""
    rtt: Final[float | None]
    """The RTT sample, if any."""
    srtt: Final[float]
    """The smoothed RTT after it."""
    in_flight: Final[float]
    """Segments in flight after it."""
    round: Final[int]
    """The path's round after it."""
    cwnd_limited: Final[bool]
    """Whether the window limited the sender."""
    rate: Final[RateSample | None]
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
    total_delivered: Final[float]
    """Segments delivered on the path so far."""
    prior_delivered: Final[float]
    """Segments that had been delivered when the newest acknowledged segment was sent."""
    interval: Final[float]
    """The time over which the segments since then were delivered; 0 where the rate is unknown."""
    lost: Final[float]
    """Segments deemed lost since then."""
    tx_in_flight: Final[float]
    """Segments in flight just after that segment was sent."""
    app_limited: Final[bool]
    """Whether the application limited the sender then."""
    cwnd_limited: Final[bool]
    """Whether the window stopped the sender in the last window of data."""
    in_recovery: Final[bool]
    """Whether losses are being repaired."""
    resumed: Final[bool]
    """Whether sending had begun anew, with nothing in flight."""
    delivery_rate: Final[float]
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
    now: Final[float]
    """When that was."""
    number: Final[int]
    """Its place among the path's segments: neighbours differ by one."""
    total_delivered: Final[float]
    """Segments delivered on the path so far."""
    lost: Final[float]
    """Segments deemed lost since it was sent, itself included."""
    tx_in_flight: Final[float]
    """Segments in flight just after it was sent, itself included."""
    app_limited: Final[bool]
    """Whether the application limited the sender then."""

@final
class Congestion:
    """A congestion signal. Tests of algorithms can make one."""

    def __new__(cls, *, now: float = ..., signal: Literal["loss", "ecn", "timeout"] = ...) -> Congestion: ...
    now: Final[float]
    """When it was detected."""
    signal: Final[Literal["loss", "ecn", "timeout"]]
    """Its kind."""

@final
class Table:
    def __new__(cls, columns: Sequence[tuple[str, str, Sequence[Any]]]) -> Table: ...
    def __len__(self) -> int: ...
    column_names: Final[list[str]]
    def column(self, name: str) -> list[Any]: ...
    def packed(self) -> list[_PackedColumn]: ...
    @staticmethod
    def unpacked(columns: list[_PackedColumn]) -> Table: ...
    def to_pydict(self, rows: int | None = None) -> dict[str, list[Any]]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Campaign:
    missing: Final[int]
    def seconds(self, i: int) -> float: ...
    def begin(self, i: int) -> str | None: ...
    def put(self, _task: str, record: bytes | None) -> None: ...
    def end(self) -> None: ...
    def run(self, progress: Callable[[float, int, int], object] | None) -> str: ...
    def failed(self) -> list[str]: ...
    def table(self, rows: str) -> Table: ...
    def report(self, out: str, command: str, laboratory: str | None) -> str: ...

_PackedColumn = tuple[str, str, int, bytes | None, list[bytes]]

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
    flows: Final[list[tuple[str, int]]]
    links: Final[list[str]]
    mss: Final[list[int]]
    duration: Final[float]
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
    name: Final[str]
    title: Final[str]
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

@final
class Finished:
    def __new__(cls) -> Finished: ...
    def add(self, ids: bytes) -> None: ...
    def __len__(self) -> int: ...
    def missing(self, axes: list[tuple[str, list[str]]], seeds: list[int]) -> int: ...

@final
class Part:
    def __new__(cls, sweep: Study, seeds: list[int], finished: Finished) -> Part: ...
    def __len__(self) -> int: ...
    def task(self, i: int) -> str: ...

@final
class Shard:
    def __new__(cls, vary: list[str], cc: list[str], algorithms: dict[str, str]) -> Shard: ...
    def __len__(self) -> int: ...
    def put(self, part: Part, i: int, record: bytes) -> None: ...
    def write(self, folder: str) -> bytes: ...

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
def backends() -> list[str]: ...
def axes(vary: list[str], cc: list[str]) -> list[tuple[str, list[str], str | None]]: ...
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
def shown(text: str) -> str: ...
def time(text: str) -> float: ...
def toml(json: str) -> str: ...
