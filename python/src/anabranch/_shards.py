"""Sweeps of any length: finished runs go to files of tables, and the client's memory does not grow with them.

A folder has `sweep.json`, which says what is swept, the tables `runs`, `flows`, `subflows` and `links` as folders of Parquet files,
and `done`: the identities of the runs in the files of one name, which ends with their number. A file in `done` is written last, so
that files without a complete one are of a client that was killed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _anabranch, _arguments, _scenario
from ._errors import RunError
from ._executor import RemoteRuns, name
from ._places import Place, place
from ._run import Run
from ._study import Progress, list_failed, needed, shown, threads
from ._worker import Needs

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow.dataset

TABLES = ("runs", "flows", "subflows", "links")

SHARD_RUNS = 5_000
"""The most runs of a file."""

SHARD_S = 15.0
"""The longest time between two files, in seconds, while runs end."""

PART_POINTS = 200
"""The most points that are planned at once."""

ID_BYTES = 16
"""Of the identity of a run."""


MOST_SEEDS = 1_000_000
"""Of each point."""


class StoredTable:
    """A table in Parquet files, which readers take as one: `files` names them. Nothing is read before it is asked for."""

    def __init__(self, files: list[str], system: Any = None) -> None:
        self.files: list[str] = files
        """The files, complete ones only."""
        self._system = system

    def to_polars(self, *, lazy: bool = True) -> polars.LazyFrame | polars.DataFrame:
        """A lazy frame of Polars, or with `lazy=False` the data frame. In an object store it needs pyarrow."""
        import polars

        frame = polars.scan_parquet(self.files) if self._system is None else polars.scan_pyarrow_dataset(self.to_arrow())
        return frame if lazy else frame.collect()

    def to_duckdb(self, connection: Any = None) -> duckdb.DuckDBPyRelation:
        """A relation of DuckDB, by default of its own connection, which gets the file system of an object store."""
        import duckdb

        connection = connection or duckdb
        if self._system is not None:
            protocol = self._system.protocol
            if not connection.filesystem_is_registered(protocol if isinstance(protocol, str) else protocol[0]):
                connection.register_filesystem(self._system)
        return connection.read_parquet(self.files)

    def to_arrow(self) -> pyarrow.dataset.Dataset:
        """A data set of pyarrow."""
        from pyarrow import dataset

        files = self.files if self._system is None else [self._system._strip_protocol(file) for file in self.files]
        return dataset.dataset(files, filesystem=self._system, format="parquet")

    def to_pandas(self, columns: list[str] | None = None) -> pandas.DataFrame:
        """A pandas data frame, of all columns or of some. Needs pyarrow."""
        frame: pandas.DataFrame = self.to_arrow().to_table(columns=columns).to_pandas()
        return frame

    def __repr__(self) -> str:
        return f"<anabranch.StoredTable in {len(self.files)} files>"


class StoredSweep:
    """The runs of a sweep in a folder: `len` is their number."""

    def __init__(self, where: Place) -> None:
        if (text := where.read("sweep.json")) is None:
            raise _arguments.missing("folder", f"{where} has no sweep: `anabranch.sweep_to` writes one")
        self.about: dict[str, Any] = json.loads(text)
        """What is swept."""
        self._where = where
        self._sizes = done(where)

    def _table(self, name: str) -> StoredTable:
        return StoredTable([self._where.name(f"{name}/{shard}.parquet") for shard in self._sizes], self._where.files)

    @property
    def runs(self) -> StoredTable:
        """One row per run: Jain's index and metrics."""
        return self._table("runs")

    @property
    def flows(self) -> StoredTable:
        """One row per run and connection, with the columns of `Run.flows`."""
        return self._table("flows")

    @property
    def subflows(self) -> StoredTable:
        """One row per run and subflow, with the columns of `Run.subflows`."""
        return self._table("subflows")

    @property
    def links(self) -> StoredTable:
        """One row per run and link, with the columns of `Run.links`."""
        return self._table("links")

    def __len__(self) -> int:
        return sum(self._sizes.values()) // ID_BYTES

    def __repr__(self) -> str:
        return f"<anabranch.StoredSweep: {len(self)} runs in {self._where}>"


class Plan:
    """What is swept."""

    def __init__(
        self,
        source: tuple[str, str],
        vary: list[str],
        cc: list[str],
        set: list[str],
        duration: str | None,
        seeds: list[int],
        needs: Needs,
        labels: dict[str, str],
    ) -> None:
        self.labels = labels
        self.name, self.text = source
        self.keys = [each.partition("=")[0].strip() for each in vary]
        self.vary, self.cc, self.set, self.duration, self.seeds, self.needs = vary, cc, set, duration, seeds, needs
        self.axes = _anabranch.axes(vary, cc)

    def sweep(self, vary: list[str], cc: list[str], seeds: int) -> tuple[Any, ...]:
        """The arguments of a study of this scenario."""
        return _scenario.stem(self.name), self.name, self.text, vary, cc, self.set, self.duration, seeds

    def about(self, base: _anabranch.Study) -> dict[str, Any]:
        """What all runs of a folder have in common; values and seeds may be added. `base` is of the scenario alone. This reads
        each value of an axis once, so that a mistake in one is shown before the first run."""
        [scenario] = _scenario.texts(base)
        files: dict[str, str] = {}
        first = [values[:1] for _, values, _ in self.axes]
        for i, (name, values, _) in enumerate(self.axes):
            for some in _chunks(values, PART_POINTS):
                texts = _scenario.texts(self.study([*first[:i], some, *first[i + 1 :]], 1))
                for value, text in zip(some, texts):
                    if text != scenario:
                        files[f"{name}={value}"] = _sum(text)
        return {
            "version": _anabranch.build(),
            "scenario": _sum(scenario),
            "files": files,
            "set": self.set,
            "duration": self.duration,
            "axes": [[name, unit] for name, _, unit in self.axes],
            "keys": self.keys,
            "metrics": self.needs.digest,
        }

    def parts(self) -> Iterator[tuple[list[list[str]], list[int]]]:
        """The product of all values and seeds in parts of limited size, each with the values of each axis and the seeds."""
        seeds = _chunks(self.seeds, SHARD_RUNS)
        points = max(min(PART_POINTS, SHARD_RUNS // len(seeds[0])), 1)
        axes: list[list[list[str]]] = []
        for _, values, _ in reversed(self.axes):
            axes.insert(0, _chunks(values, points))
            points = max(points // len(axes[0][0]), 1)
        for *each, some in product(*axes, seeds):
            yield each, some

    def missing(self, values: list[list[str]], seeds: list[int], finished: _anabranch.Finished) -> int:
        """How many runs of a part are missing; nothing is planned for it."""
        return finished.missing([(name, chosen) for (name, *_), chosen in zip(self.axes, values)], seeds)

    def part(self, values: list[list[str]], seeds: list[int], finished: _anabranch.Finished) -> _anabranch.Part:
        """The missing runs of a part."""
        return _anabranch.Part(self.study(values, len(seeds)), seeds, finished)

    def study(self, values: list[list[str]], seeds: int) -> _anabranch.Study:
        """A study of a part. The scenario's warnings have been shown."""
        chosen = list(values)
        cc = chosen.pop(0) if self.cc else []
        vary = [f"{key}={','.join(each)}" for key, each in zip(self.keys, chosen)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return _anabranch.Study.of_sweep(*self.sweep(vary, cc, seeds))


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _chunks(all: list[Any], size: int) -> list[list[Any]]:
    return [all[i : i + size] for i in range(0, len(all), size)]


class Stream:
    """The missing runs of a plan, one after the other; finished ones go to files."""

    def __init__(self, plan: Plan, where: Place, finished: _anabranch.Finished, count: int) -> None:
        self.plan, self.where, self.finished, self.count = plan, where, finished, count
        missing = ((plan.missing(*part, finished), part) for part in plan.parts())
        self.open = [(runs, part) for runs, part in missing if runs]
        self.missing = sum(runs for runs, _ in self.open)
        self.parts = (plan.part(*part, finished) for _, part in self.open)
        self.part: _anabranch.Part | None = None
        self.next = 0
        self.under_way: dict[str, tuple[_anabranch.Part, int]] = {}
        self.failed: list[str] = []
        self.shard = _anabranch.Shard(plan.vary, plan.cc, plan.labels)
        self.written = time.monotonic()

    def seconds(self, i: int) -> float:
        """Of each run alike: the measured mean corrects it."""
        return 1.0

    def begin(self, i: int) -> str | None:
        """The next task."""
        while self.part is None or self.next == len(self.part):
            self.part, self.next = next(self.parts), 0
        task = self.part.task(self.next)
        self.under_way[task] = self.part, self.next
        self.next += 1
        return task

    def put(self, task: str, record: bytes | None) -> None:
        """Takes the record of a task."""
        part, i = self.under_way.pop(task)
        if record is None:
            # It fails here, too, and says why.
            try:
                [record] = _anabranch.execute([task], _anabranch.build(), self.plan.needs._replace(raises=True))
            except RunError as why:
                self.failed.append(f"{name(task)}: {why}")
                return
            assert record is not None
        self.shard.put(part, i, record)
        if len(self.shard) >= SHARD_RUNS:
            self.end()

    def poll(self) -> None:
        """Writes if it is time."""
        if time.monotonic() - self.written > SHARD_S:
            self.end()

    def end(self) -> None:
        """Writes what has been finished."""
        if len(self.shard):
            name = f"{self.count:06}-{uuid.uuid4().hex[:8]}-{len(self.shard)}"
            with tempfile.TemporaryDirectory(prefix="anabranch-") as folder:
                ids = self.shard.write(folder)
                for table in TABLES:
                    self.where.move(Path(folder, f"{table}.parquet"), f"{table}/{name}.parquet")
            self.where.write(f"done/{name}", ids)
            self.finished.add(ids)
            self.count += 1
        self.written = time.monotonic()


def done(where: Place) -> dict[str, int]:
    """The complete lists of finished runs, and their bytes. Those of version 0.2.0 have no number in their names."""

    def complete(name: str, size: int) -> bool:
        runs, rest = divmod(size, ID_BYTES)
        return runs > 0 and not rest and (name.count("-") < 2 or name.rpartition("-")[2] == str(runs))

    return {name: size for name, size in where.sizes("done").items() if complete(name, size)}


def begun(where: Place, plan: Plan, about: dict[str, Any]) -> Stream:
    """Begins a folder of a sweep, or continues it."""
    about = json.loads(json.dumps(about))
    shards = done(where)
    old = where.read("sweep.json")
    # Without a run, what is there may have been a mistake.
    if old and shards:
        there = json.loads(old)
        about["files"] = _same(where, there, about)
    if (new := json.dumps(about, indent=1).encode()) != old:
        where.write("sweep.json", new)
    for folder in ("done", *TABLES):
        # Of a client that was killed.
        for file in where.sizes(folder):
            if file.removesuffix(".parquet") not in shards:
                where.remove(f"{folder}/{file}")
    finished = _anabranch.Finished()
    for shard in shards:
        finished.add(where.read(f"done/{shard}") or b"")
    return Stream(plan, where, finished, len(shards))


def _same(where: Place, there: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, str]:
    """Refuses another sweep than the one there, and returns the files of both."""
    files: dict[str, str] = there.get("files", {})
    if there["scenario"] != about["scenario"] or any(files.get(value, sum) != sum for value, sum in about["files"].items()):
        raise _arguments.refused(
            f"{where} has another sweep: its scenario, or a file that the scenario refers to, was another one. Choose another folder"
        )
    for key, value in about.items():
        if key not in ("scenario", "files") and there.get(key) != value:
            raise _arguments.refused(
                f"{where} has another sweep: its `{key}` was {there.get(key)!r}, and this one's is {value!r}. Choose another folder: "
                "one folder has runs of one scenario, whose values and seeds may be added to"
            )
    return {**files, **about["files"]}


def sweep_to(
    folder: str | os.PathLike[str],
    scenario: _scenario.Scenario,
    vary: Mapping[str, str | Sequence[object]] = {},
    cc: Sequence[Any] = (),
    *,
    set: Mapping[str, object] = {},
    duration: str | float | None = None,
    warmup: str | float | None = None,
    seeds: int | Iterable[int] = 10,
    metrics: Mapping[str, Callable[[Run], float | None]] = {},
    executor: Executor | None = None,
    progress: Progress = True,
) -> StoredSweep:
    """Does what `sweep` does for any number of runs: they go to Parquet files in a folder, and none stays in memory.

    `folder` is a folder, or a URL that fsspec knows, such as `s3://bucket/sweep`. Call it again to resume after an interruption, or
    with more values or seeds: only the missing runs are made. All other arguments work as in `sweep`, with up to a million
    seeds. A client at a time may write into a folder.
    """
    needs, algorithms, labels, axes = needed(cc, metrics, vary)
    count, listed = _arguments.seeds(seeds, MOST_SEEDS)
    plan = Plan(
        _scenario.read(scenario),
        axes,
        algorithms,
        _scenario.assignments(set, None, warmup),
        None if duration is None else _scenario.span(duration),
        listed or list(range(1, count + 1)),
        needs,
        {**labels, **{own.name: own.label for own in needs.own}},
    )
    _arguments.executor(executor)
    # Here, so that a warning names the caller's line.
    base = _anabranch.Study.of_sweep(*plan.sweep([], [], 1))
    about = plan.about(base)
    where = place("folder", folder)
    with ExitStack() as stack:
        stack.enter_context(where.locked())
        stream = begun(where, plan, about)
        if stream.missing:
            executor, needs = threads(stack, executor, needs)
            show = shown(stack, progress)

            def poll(part: float, done: int, total: int) -> None:
                stream.poll()
                if show is not None:
                    show(part, done, total)

            RemoteRuns(stream, executor, poll, needs).run()
    stored, failed = StoredSweep(where), len(stream.failed)
    list_failed(failed, len(stored) + failed, lambda: sorted(stream.failed))
    return stored

