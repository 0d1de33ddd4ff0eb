"""Studies and sweeps: many runs, here or on a cluster."""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _anabranch, _arguments, _code, _scenario
from ._errors import RunError
from ._executor import RemoteRuns
from ._progress import bar
from ._run import Run, Size
from ._scenario import Scenario
from ._table import Table, html
from ._worker import Needs

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
        """One row per point; `source` is `ours` or `paper`, `half_width` half of the 95 % confidence interval."""
        points = [
            (panel["title"], series["name"], "paper" if series["published"] else "ours", point)
            for panel in self.data["panels"]
            for series in panel["series"]
            for point in series["points"]
        ]
        return Table._of(
            [
                ("panel", "text", [panel for panel, *_ in points]),
                ("series", "text", [series for _, series, *_ in points]),
                ("source", "text", [source for *_, source, _ in points]),
                ("label", "text", [point["label"] or "" for *_, point in points]),
                *((key, "number", [point[key] for *_, point in points]) for key in ("x", "y", "half_width")),
            ]
        )

    def plot(self, *, size: Size = "screen", ax: Any = None) -> matplotlib.figure.Figure:
        """Plots the figure by itself, or in the axes `ax`, one for each panel. `size` is "screen", or with text of 8 points
        "single" (3.4 in wide, a column of a paper) or "double" (7 in). Needs matplotlib."""
        from ._plot import of_study

        figure: matplotlib.figure.Figure = of_study(self.data, size, ax)
        return figure

    def _repr_html_(self) -> str:
        return f"<p>{html(self.id)}: {html(self.title)}</p>{self.to_table()._repr_html_()}"

    def __repr__(self) -> str:
        return f"<anabranch.Figure {self.id}: {self.title}>"


class StudyResult:
    """The result of a study: rows with verdicts, and figures."""

    def __init__(self, result: dict[str, Any]) -> None:
        self._result: dict[str, Any] = result

    @property
    def name(self) -> str:
        """Its name in files."""
        return str(self._result["name"])

    @property
    def title(self) -> str:
        """Its title."""
        return str(self._result["title"])

    @property
    def result(self) -> dict[str, Any]:
        """The complete result, as printed by `anabranch study --json`."""
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

    def __repr__(self) -> str:
        return f"<anabranch.{type(self).__name__} {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        rows = self.rows._repr_html_() if self._result else "<p>not run yet</p>"
        return f"<p>{html(self.name)}: {html(self.title)}</p>{rows}"


class Study(StudyResult):
    """A study: runs, rows with verdicts, and figures."""

    def __init__(
        self, study: _anabranch.Study, command: str, needs: Needs = Needs(), labels: Mapping[str, str] = {}
    ) -> None:
        super().__init__({})
        self._study = study
        self._command = command
        self._needs = needs
        # The labels of algorithms in tables, where they differ.
        self._labels = labels
        self._campaign: _anabranch.Campaign | None = None

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], *, at: Mapping[str, Sequence[str]] = {}) -> Study:
        """Reads a study file, or `example:NAME`; `at` restricts axes to the given values. Scenario paths are relative to the file."""
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
        seeds: int | Iterable[int] | None = None,
        only: str | None = None,
        variants: bool = True,
        executor: Executor | None = None,
        store: str | os.PathLike[str] | None = None,
        progress: Progress = True,
    ) -> Study:
        """Runs and judges the study; returns the study itself.

        `only` is the identifier of an experiment, or of a figure in it. `variants=False` skips the sensitivity variants. Runs are
        made on all cores of this machine, or by `executor`, except for runs with samples over time, which are made here. The
        folder `store` stores runs for reuse. `seeds` is their number, or the seeds themselves. `progress` works as in `sweep`.
        """
        _arguments.text("size", size, "'quick', 'default' or 'full'")
        count, listed = (None, None) if seeds is None else _arguments.seeds(seeds)
        if only is not None:
            _arguments.text("only", only, "the identifier of an experiment")
        _arguments.executor(executor)
        needs = self._needs
        with ExitStack() as stack:
            if executor is not None or needs.own or needs.metrics:
                # Python runs in threads of its own, which raise its errors.
                executor, needs = threads(stack, executor, needs)
            if executor is not None and store is None:
                store = stack.enter_context(tempfile.TemporaryDirectory(prefix="anabranch-"))
            folder = None if store is None else str(_arguments.path("store", store))
            labels = {**self._labels, **{own.name: own.label for own in needs.own}}
            campaign = self._study.campaign(
                size, count, listed, only, bool(variants), labels, needs.identity, folder
            )
            callback = report = shown(stack, progress)
            if executor is not None:
                remote = RemoteRuns(campaign, executor, callback, needs)
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
    def runs(self) -> Table:
        """One row per run: Jain's index and metrics, with the values of the study's axes."""
        return Table(self._done().table("runs"))

    @property
    def flows(self) -> Table:
        """One row per run and connection, with the columns of `Run.flows`."""
        return Table(self._done().table("flows"))

    @property
    def subflows(self) -> Table:
        """One row per run and subflow, with the columns of `Run.subflows`."""
        return Table(self._done().table("subflows"))

    @property
    def links(self) -> Table:
        """One row per run and link, with the columns of `Run.links`."""
        return Table(self._done().table("links"))

    def report(self, out: str | os.PathLike[str]) -> Path:
        """Adds the result to a folder of results, as the command does, and writes their report; returns its first page."""
        laboratory = _LABORATORY.read_text(encoding="utf-8") if _LABORATORY.exists() else None
        return Path(self._done().report(str(_arguments.path("out", out)), self._command, laboratory))

    def _done(self) -> _anabranch.Campaign:
        if self._campaign is None:
            raise RunError(f"{self.name} has not been run: call run() first")
        return self._campaign


def threads(stack: ExitStack, executor: Executor | None, needs: Needs) -> tuple[Executor, Needs]:
    """The executor, or threads on all cores. Runs in threads stop with the call."""
    if executor is None:
        executor = stack.enter_context(ThreadPoolExecutor(os.cpu_count()))
    if isinstance(executor, ThreadPoolExecutor):
        ended = threading.Event()
        stack.callback(ended.set)
        needs = needs._replace(stopped=ended.is_set)
    return executor, needs


def shown(stack: ExitStack, progress: Progress) -> Callable[[float, int, int], object] | None:
    """What to call with the progress."""
    callback = _arguments.progress(progress)
    if progress is True:
        callback = line = bar()
        stack.callback(line.end)
    return callback


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


class Sweep(Table):
    """The result of a sweep. It is the table of `flows`; the others have the same runs."""

    flows: Table
    """One row per run and connection, with the columns of `Run.flows`."""
    runs: Table
    """One row per run: Jain's index and metrics."""
    subflows: Table
    """One row per run and subflow, with the columns of `Run.subflows`."""
    links: Table
    """One row per run and link, with the columns of `Run.links`."""

    def __init__(self, flows: Table, runs: Table, subflows: Table, links: Table) -> None:
        super().__init__(flows._table)
        self.flows, self.runs, self.subflows, self.links = flows, runs, subflows, links

    def __reduce__(self) -> tuple[Any, ...]:
        return Sweep, (self.flows, self.runs, self.subflows, self.links)


REASONS = 10
"""The most reasons of failed runs in a message."""


def list_failed(failed: int, runs: int, reasons: Callable[[], list[str]]) -> None:
    """Warns the caller of the package of failed runs; an error if all of them failed."""
    if not failed:
        return
    listed = "".join(f"\n  {why}" for why in reasons()[:REASONS])
    if failed == runs:
        raise RunError(f"all {runs} runs failed:{listed}")
    warnings.warn(f"{failed} of {runs} runs failed, and the tables leave them out:{listed}", UserWarning, stacklevel=3)


def sweep(
    scenario: Scenario,
    vary: Mapping[str, str | Sequence[object]] = {},
    cc: Sequence[Any] = (),
    *,
    set: Mapping[str, object] = {},
    duration: str | float | None = None,
    warmup: str | float | None = None,
    seeds: int | Iterable[int] = 10,
    metrics: Mapping[str, Callable[[Run], float | None]] = {},
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress = True,
) -> Sweep:
    """Simulates a scenario for every combination of varied parameters: one row per flow and run.

    `vary` maps scenario keys, in which `*` stands for every link or flow, to values: a list, or a range with steps
    such as `"0.1..4 BDP/12log"`. `cc` lists algorithms of the multipath flows, each as in `run`, or of one flow:
    `{"laptop": "cubic"}`. `set`, `duration` and `warmup` work as in `run`. Each point runs with seeds from 1 to `seeds`, or with
    those that `seeds` lists.

    `metrics` maps names to functions of a `Run`. They are called where the run is made, and their numbers are columns of
    `runs`. Functions and algorithms in Python must be importable by the workers. Stored runs are used again only if their code,
    and all that it refers to, is the same.

    Runs are made on all cores of this machine, or by `executor`, any of `concurrent.futures` or a Dask client's. The folder
    `store` stores runs for reuse. A warning lists the runs that fail, such as those with too many transfers at once. `progress`
    shows the progress, or is a function of the fraction done, the number of runs done and the number in total.
    """
    name, text = _scenario.read(scenario)
    needs, algorithms, labels, axes = needed(cc, metrics, vary)
    count, listed = _arguments.seeds(seeds)
    study = _anabranch.Study.of_sweep(
        _scenario.stem(name),
        name,
        text,
        axes,
        algorithms,
        _scenario.assignments(set, None, warmup),
        None if duration is None else _scenario.span(duration),
        count,
    )
    done = Study(study, "anabranch.sweep(…)", needs, labels)
    done.run(seeds=listed, executor=executor, store=store, progress=progress)
    made = Sweep(done.flows, done.runs, done.subflows, done.links)
    # Points that are equal share their runs, and each has rows.
    runs = count * prod(len(values) for _, values, _ in _anabranch.axes(axes, algorithms))
    list_failed(runs - len(made.runs), runs, done._done().failed)
    return made


def needed(
    cc: Sequence[Any], metrics: Mapping[str, Callable[[Run], float | None]], vary: Mapping[str, object]
) -> tuple[Needs, list[str], dict[str, str], list[str]]:
    """What the runs of a sweep need, its algorithms, their labels in tables, and its axes."""
    keys = 'a dictionary of keys and their values, such as {"links.*.queue": "0.1..4 BDP/12log"}'
    specs, labels, own = _scenario.choices(cc)
    axes = [_scenario.axis(key, values) for key, values in _arguments.mapping("vary", vary, keys).items()]
    needs = Needs(own=own, **_measured(metrics, axes))
    if needs.own:
        _anabranch.register(needs.own)
    return needs, specs, labels, axes


RUNS = ("seed", "scenario", "duration_s", "warmup_s", "jain", "scenario_hash", "cc")
"""Columns of `runs` besides those of keys."""


def _measured(metrics: Mapping[str, Callable[[Run], float | None]], axes: list[str]) -> dict[str, Any]:
    """The metrics, their digest, and the name under which such runs are stored."""
    # A key's column has its last word or all of it, and the column of its numbers also the unit.
    taken = set(RUNS)
    for axis, (*_, unit) in zip(axes, _anabranch.axes(axes, [])):
        key = axis.partition("=")[0].strip()
        for column in (key.rpartition(".")[2], key):
            column = re.sub(r"\W", "_", column)
            taken |= {column, f"{column}_{unit}"} if unit else {column}
    right = 'a dictionary of names and functions, such as {"p99": f}'
    functions = dict(_arguments.mapping("metrics", metrics, right))
    for name, function in functions.items():
        if not isinstance(function, types.FunctionType):
            raise _arguments.wrong(f"metrics[{name!r}]", function, "a function of a run, written with def or lambda")
        if name in taken:
            raise _arguments.refused(f"`metrics` has the name {name!r}, which is, or may be, another column of `runs`")
        if not name.isidentifier():
            raise _arguments.refused(f"`metrics` has the name {name!r}: use letters, digits and underscores")
    if not functions:
        return {}
    digest = _code.digest("`metrics` cannot be stored", *sorted(functions.items()))
    return {"metrics": functions, "digest": digest, "identity": f"sim+{digest}"}
