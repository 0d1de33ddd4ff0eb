"""The Rust part of the package, for internal use."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, final

SUBFLOW_COLUMNS: list[tuple[str, str]]
__version__: str

class Error(Exception):
    """The base class of errors."""

class InputError(Error):
    """An invalid scenario, study or argument."""

    problems: list[dict[str, Any]]

class RunError(Error):
    """A run that failed."""

class VersionError(Error):
    """A worker with another version of results."""

@final
class Path:
    """A path of a connection. Windows are in segments, times in seconds."""

    cwnd: float
    """The congestion window. Assignments are clamped."""
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
    def in_flight(self) -> float:
        """Segments sent and neither acknowledged nor deemed lost."""
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
    """An acknowledgement."""

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

@final
class Congestion:
    """A congestion signal."""

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
    def table(self) -> Table: ...
    def report(self, out: str, command: str, laboratory: str | None) -> str: ...

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
    def title(self) -> str: ...
    def campaign(
        self, size: str, seeds: int | None, only: str | None, columns: bool, store: str | None
    ) -> Campaign: ...

def after_fork() -> list[int]: ...
def algorithms() -> str: ...
def before_fork() -> None: ...
def build() -> str: ...
def execute(tasks: list[str], client: str) -> list[bytes | None]: ...
def trace(model: str, seed: int, duration: str) -> str: ...
def ideal(source: tuple[str, str], set: list[str], cc: list[str], queue: float | None) -> str: ...
def inline(json: str) -> str: ...
def printable(text: str) -> str: ...
def run(
    source: tuple[str, str],
    set: list[str],
    cc: list[str],
    own: Sequence[tuple[str | None, str, list[str], object]],
    seed: int | None,
    sampled: bool,
) -> tuple[str, Table, Table, Table]: ...
def toml(json: str) -> str: ...
