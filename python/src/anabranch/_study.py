"""Studies and sweeps: many runs, here or on a cluster."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _anabranch, _arguments, _scenario
from ._executor import RemoteRuns
from ._progress import Line
from ._table import Table

if TYPE_CHECKING:
    import matplotlib.figure

Progress = bool | Callable[[float, int, int], object]
"""Whether to show progress; or a function of the fraction done, 0 to 1, the number of runs done and the number in total."""

_LABORATORY = Path(__file__).with_name("laboratory.html")
"""The laboratory page, in wheels that include it."""


class Figure:
    """A figure of a study: panels with series of points."""

    def __init__(self, figure: dict[str, Any]) -> None:
        self.data: dict[str, Any] = figure
        self.id: str = figure["id"]
        self.title: str = figure["title"]

    def to_table(self) -> Table:
        """One row per point; `half_width` is half of the 95 % confidence interval."""
        points = [
            (panel["title"], series["name"], point)
            for panel in self.data["panels"]
            for series in panel["series"]
            for point in series["points"]
        ]
        return Table._of(
            [
                ("panel", "text", [panel for panel, _, _ in points]),
                ("series", "text", [series for _, series, _ in points]),
                ("label", "text", [point["label"] or "" for _, _, point in points]),
                *((key, "number", [point[key] for _, _, point in points]) for key in ("x", "y", "half_width")),
            ]
        )

    def plot(self) -> matplotlib.figure.Figure:
        """Plots the figure. Needs matplotlib."""
        from ._plot import of_study

        return of_study(self.data)

    def __repr__(self) -> str:
        return f"<anabranch.Figure {self.id}: {self.title}>"


class Study:
    """A study: runs, rows with verdicts, and figures."""

    def __init__(self, study: _anabranch.Study, command: str) -> None:
        self._study = study
        self._command = command
        self._campaign: _anabranch.Campaign | None = None
        self._result: dict[str, Any] = {}

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, at: Mapping[str, Sequence[str]] = {}) -> Study:
        """Reads a study file; `at` restricts axes to the given values. Scenario paths are relative to the file."""
        name, text = _arguments.file("path", path)
        right = 'a dictionary of axes and lists of their values, such as {"cc": ["lia"]}'
        parts = [
            (axis, [_scenario.text("at", value) for value in _arguments.several(f"at[{axis!r}]", values, "a list of values")])
            for axis, values in _arguments.mapping("at", at, right).items()
        ]
        command = f"anabranch.Study.from_file({name!r}" + (f", at={dict(at)!r})" if at else ")")
        return cls(_anabranch.Study.from_file(name, text, parts), command)

    @classmethod
    def of_paper(cls, name: str) -> Study:
        """The study of a paper in the package, by its name or letter."""
        _arguments.text("name", name, "a paper's name or letter, such as 'A'")
        return cls(_anabranch.Study.of_paper(name), f"anabranch.Study.of_paper({name!r})")

    @property
    def name(self) -> str:
        """Its name in files."""
        return self._study.name

    @property
    def title(self) -> str:
        """Its title."""
        return self._study.title

    def run(
        self,
        *,
        size: Literal["quick", "default", "full"] = "default",
        seeds: int | None = None,
        only: str | None = None,
        columns: bool = True,
        executor: Executor | None = None,
        store: str | os.PathLike[str] | None = None,
        progress: Progress = True,
    ) -> Study:
        """Runs and judges the study; returns the study itself.

        `only` is the identifier of an experiment, or of a figure in it. `columns=False` skips the sensitivity variants. Runs are
        made on all cores of this machine, or by `executor`, except for runs with samples over time, which are made here. The
        folder `store` stores runs for reuse.
        """
        _arguments.text("size", size, "'quick', 'default' or 'full'")
        if seeds is not None:
            seeds = _arguments.whole("seeds", seeds, 1, _arguments.SEEDS)
        if only is not None:
            _arguments.text("only", only, "the identifier of an experiment")
        _arguments.executor(executor)
        callback = _arguments.progress(progress)
        with ExitStack() as stack:
            if executor is not None and store is None:
                store = stack.enter_context(tempfile.TemporaryDirectory(prefix="anabranch-"))
            folder = None if store is None else str(_arguments.path("store", store))
            campaign = self._study.campaign(size, seeds, only, bool(columns), folder)
            if progress is True:
                callback = line = Line()
                stack.callback(line.end)
            report = callback
            if executor is not None:
                remote = RemoteRuns(campaign, executor, callback)
                remote.run()
                if callback is not None:
                    report = partial(_after, callback, remote.done)
            self._result = json.loads(campaign.run(report))
            self._campaign = campaign
        return self

    @property
    def result(self) -> dict[str, Any]:
        """The complete result, as printed by `anabranch study --json`."""
        self._done()
        return self._result

    @property
    def rows(self) -> Table:
        """One row per value: the published value, ours with half of its 95 % confidence interval, the unit, and the verdict."""
        all = [(experiment["id"], row) for experiment in self.result["experiments"] for row in experiment["rows"]]
        measured = [row["measured"] or {} for _, row in all]
        return Table._of(
            [
                ("experiment", "text", [experiment for experiment, _ in all]),
                ("row", "text", [row["id"] for _, row in all]),
                ("what", "text", [row["what"] for _, row in all]),
                ("unit", "text", [row["unit"] for _, row in all]),
                ("published", "number", [_published(row["published"]) for _, row in all]),
                ("claim", "text", [_claim(row["published"]) for _, row in all]),
                ("ours", "number", [ours.get("mean") for ours in measured]),
                ("half_width", "number", [ours.get("half_width") for ours in measured]),
                ("seeds", "count", [len(ours.get("values", ())) for ours in measured]),
                ("verdict", "text", [row["verdict"] for _, row in all]),
                ("rule", "text", [row["rule"] for _, row in all]),
                ("explanation", "text", [row["explanation"] or "" for _, row in all]),
            ]
        )

    @property
    def figures(self) -> list[Figure]:
        """Its figures."""
        return [Figure(figure) for experiment in self.result["experiments"] for figure in experiment["figures"]]

    @property
    def runs(self) -> Table:
        """One row per flow and run, with the values of the study's axes."""
        return Table(self._done().table())

    def report(self, out: str | os.PathLike[str]) -> Path:
        """Adds the result to a folder of results, as the command does, and writes their report; returns its first page."""
        laboratory = _LABORATORY.read_text(encoding="utf-8") if _LABORATORY.exists() else None
        return Path(self._done().report(str(_arguments.path("out", out)), self._command, laboratory))

    def _done(self) -> _anabranch.Campaign:
        if self._campaign is None:
            raise _anabranch.RunError(f"{self.name} has not been run: call run() first")
        return self._campaign

    def __repr__(self) -> str:
        return f"<anabranch.Study {self.name}: {self.title}>"


def _after(report: Callable[[float, int, int], object], made: int, part: float, done: int, total: int) -> None:
    """Reports the progress of all runs while some are made here, after an executor has made `made`."""
    runs = made + total
    report((made + part * total) / runs if runs else part, made + done, runs)


def _published(published: Any) -> float | None:
    if not isinstance(published, dict):
        return None
    value = published.get("value", published.get("derived", {}).get("value"))
    return None if value is None else float(value)


def _claim(published: Any) -> str:
    return str(published.get("claim", "")) if isinstance(published, dict) else ""


def sweep(
    scenario: _scenario.Scenario,
    vary: Mapping[str, str | Sequence[object]] = {},
    cc: Sequence[str | Mapping[str, object]] = (),
    *,
    set: Mapping[str, object] = {},
    duration: str | float | None = None,
    seeds: int = 10,
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress = True,
) -> Table:
    """Simulates a scenario for every combination of varied parameters: one row per flow and run.

    `vary` maps scenario keys, in which `*` stands for every link or flow, to values: a list, or a range with steps
    such as `"0.1..4 BDP/12log"`. `cc` lists algorithms of the multipath flows: names, or dictionaries with parameters. `set` and
    `duration` work as in `run`. Each point runs with seeds from 1 to `seeds`.

    Runs are made on all cores of this machine, or by `executor`, any of `concurrent.futures` or a Dask client's. The folder
    `store` stores runs for reuse.
    """
    name, text = _scenario.read(scenario)
    keys = 'a dictionary of keys and their values, such as {"links.*.queue": "0.1..4 BDP/12log"}'
    algorithms = _arguments.several("cc", cc, 'a list of algorithms, such as ["lia", "olia"]')
    for algorithm in algorithms:
        if not isinstance(algorithm, (str, Mapping)):
            raise _arguments.wrong("cc", algorithm, "a name or a dictionary; only `run` takes algorithms in Python")
    study = _anabranch.Study.of_sweep(
        Path(name).stem,
        name,
        text,
        [_scenario.axis(key, values) for key, values in _arguments.mapping("vary", vary, keys).items()],
        [_scenario.text("cc", algorithm) for algorithm in algorithms],
        _scenario.assignments(set, None),
        None if duration is None else _scenario.span(duration),
        _arguments.whole("seeds", seeds, 1, _arguments.SEEDS),
    )
    return Study(study, "anabranch.sweep(…)").run(executor=executor, store=store, progress=progress).runs
