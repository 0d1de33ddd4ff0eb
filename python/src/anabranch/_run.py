"""Single runs, theory, algorithms and synthetic traces."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _anabranch, _arguments, _backend, _scenario
from ._algorithm import label
from ._scenario import Cc, Scenario
from ._table import Table, html

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

Size = Literal["screen", "single", "double"]
"""The size of a figure, as of the command's `plot --size`."""


class Run:
    """The result of a run."""

    summary: dict[str, Any]
    """Means and totals, as printed by `anabranch run --json`. Means begin at `warmup_s`."""
    samples: Table
    """One row per subflow and instant: window in segments, RTT in seconds, counters since the start of the run."""
    link_samples: Table
    """One row per link and instant: queue in bytes and packets, and drops."""
    completions: Table
    """One row per completed response of request/response applications."""

    def __init__(self, record: tuple[str, _anabranch.Table, _anabranch.Table, _anabranch.Table]) -> None:
        self._json, *samples = record
        self._tables: dict[str, Table] = {}
        self.summary = json.loads(self._json)
        self.samples, self.link_samples, self.completions = map(Table, samples)

    @property
    def seed(self) -> int:
        """The run's seed."""
        return int(self.summary["seed"])

    @property
    def flows(self) -> Table:
        """One row per connection: goodput in bit/s of payload, loss rate from 0 to 1, and totals."""
        return self._rows("flows")

    @property
    def subflows(self) -> Table:
        """One row per subflow: goodput in bit/s, mean window in segments, RTTs in seconds, loss rate from 0 to 1."""
        return self._rows("subflows")

    @property
    def links(self) -> Table:
        """One row per link: utilisation from 0 to 1, mean queue in bytes and seconds, and drops."""
        return self._rows("links")

    def _rows(self, name: str) -> Table:
        if name not in self._tables:
            algorithms = {flow["cc"]: label(flow["cc"]) for flow in self.summary["flows"]}
            self._tables[name] = Table(_anabranch.table_of(name, self._json, algorithms))
        return self._tables[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._json, self.samples, self.link_samples, self.completions)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes a folder as `anabranch run --out` does, without the scenario and the metadata of Parquet files, and with the rows in
        the order of `samples`: `load` and `anabranch plot` read it. The folder must not have a run."""
        path = _arguments.path("folder", folder)
        tables = (table._table for table in (self.samples, self.link_samples, self.completions))
        _anabranch.save(str(path), self._json, *tables)
        return path

    def to_pandas(self) -> pandas.DataFrame:
        """The samples as a pandas data frame."""
        return self.samples.to_pandas()

    def plot(self, *, size: Size = "screen", ax: Any = None) -> Figure:
        """Plots goodput, window and RTT of each subflow and the queue of each link over time, in a figure of its own or in the
        four axes `ax`. `size` is "screen", or with text of 8 points "single" (3.4 in wide, a column of a paper) or "double"
        (7 in). Needs matplotlib."""
        from ._plot import over_time

        figure: Figure = over_time(self, size, ax)
        return figure

    def _length(self) -> str:
        """The scenario's length, and where the run ended if it ended early."""
        partial, whole = self.summary.get("partial_until_s"), self.summary["duration_s"]
        return f"{whole} s" if partial is None else f"{partial} of {whole} s"

    def __repr__(self) -> str:
        return f"<anabranch.Run: {self.summary['scenario']}, {self._length()}, seed {self.seed}>"

    def _repr_html_(self) -> str:
        s = self.summary
        about = f"{html(s['scenario'])}: {self._length()}, means from {s['warmup_s']} s on, seed {s['seed']}"
        return f"<p>{about}</p>{self.flows._repr_html_()}{self.subflows._repr_html_()}{self.links._repr_html_()}"


def _unpickled(summary: str, *samples: Table) -> Run:
    subflows, links, completions = (table._table for table in samples)
    return Run((summary, subflows, links, completions))


def run(
    scenario: Scenario,
    *,
    seed: int | None = None,
    set: Mapping[str, object] = {},
    cc: Cc = None,
    duration: str | float | None = None,
    warmup: str | float | None = None,
    samples: bool = True,
    backend: str = "sim",
) -> Run:
    """Simulates a scenario, or runs it on a Linux kernel or over QUIC.

    `scenario` is a file's path, `example:NAME`, TOML text or a dictionary; `set` replaces values in it, such as
    `{"links.dsl.rate": "50 Mbit/s"}`, where plain numbers are in bit/s and seconds. `cc` is the algorithm of the multipath flows,
    or a dictionary of flows and algorithms. An algorithm is a name, a dictionary of its `name` and parameters, or in Python a
    subclass of `Algorithm`, an instance or a function that makes one. `duration` includes the warm-up `warmup`; numbers are in
    seconds. `seed` defaults to the scenario's. With `samples=False` the run is faster and `samples` is empty.

    With another `backend` than `"sim"`, such as `"kernel"`, `"guest-6.12"` or `"noq"`, the command `anabranch` on PATH makes the
    run, as its `run --backend` does: a build with the feature `linux`, or `quic` for `"noq"`. It always has samples.

    The same arguments give the same result on the simulator, on guests and over QUIC. The call releases the GIL, and Ctrl-C interrupts it.
    """
    named, own = _scenario.algorithms(cc)
    sets = _scenario.assignments(set, duration, warmup)
    if seed is not None:
        seed = _arguments.whole("seed", seed, 0, 2**64 - 1)
    if _backend.checked(backend) != "sim":
        if own:
            raise _arguments.wrong("cc", cc, f"names of algorithms; `backend={backend!r}` has none in Python")
        if not samples:
            raise _arguments.refused(f"`samples=False` is for the simulator: `backend={backend!r}` always has samples")
        return Run(_backend.run(backend, _scenario.read(scenario), sets, named, seed))
    return Run(_anabranch.run(_scenario.read(scenario), sets, named, own, seed, bool(samples)))


def ideal(
    scenario: Scenario,
    *,
    set: Mapping[str, object] = {},
    cc: str | Mapping[str, Any] | None = None,
    queue: float | None = None,
) -> dict[str, Any]:
    """Computes theoretical results of a scenario: fair shares and the equilibria of coupled algorithms.

    The result is the output of `anabranch ideal --json`. `set` and `cc` work as in `run`, without algorithms in Python. `queue` is the
    mean fill of a full link's buffer, from 0 to 1; the default is 0.75.
    """
    named, own = _scenario.algorithms(cc)
    if own:
        raise _arguments.wrong("cc", cc, "names of algorithms; theory does not cover algorithms in Python")
    fill = _arguments.quantity("queue", queue, "a fraction from 0 to 1")
    sets = _scenario.assignments(set, None)
    ideals: dict[str, Any] = json.loads(_anabranch.ideal(_scenario.read(scenario), sets, named, fill))
    return ideals


def examples() -> list[dict[str, Any]]:
    """The scenarios and studies in the package, each with its `name`, whether it is a `study`, and its `title`. A call takes
    `example:NAME` in place of a file's path."""
    return [{"name": name, "study": study, "title": title} for name, study, title in _anabranch.examples()]


def algorithms() -> list[dict[str, Any]]:
    """All algorithms: name, source, equations, parameters and observables."""
    all: list[dict[str, Any]] = json.loads(_anabranch.algorithms())
    return all


def trace(model: str, *, seed: int = 1, duration: str | float = "60 s") -> str:
    """A synthetic trace that a link can follow, as text: the output of `anabranch trace` without its first line.

    `model` is "lte", "starlink" or "mmwave". Save it next to a scenario file, or embed it in a scenario as
    `files={NAME: {"text": …}}`.
    """
    model = _arguments.text("model", model, "the name of a model, such as 'lte'")
    return _anabranch.trace(model, _arguments.whole("seed", seed, 0, 2**64 - 1), _scenario.span(duration))
