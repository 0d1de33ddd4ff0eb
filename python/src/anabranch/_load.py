"""What the command, the testbed and this package wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import _anabranch, _arguments
from ._errors import InputError
from ._places import place
from ._run import Run
from ._shards import StoredSweep, StoredTable
from ._study import StudyResult

RESULTS = ("papers", "studies")
"""Folders of results."""


class LoadedStudy(StudyResult):
    """A study that the command or `Study.report` wrote: rows with verdicts, figures, and a file of all runs."""

    def __init__(self, file: Path) -> None:
        name, text = _arguments.file("folder", file)
        try:
            super().__init__(json.loads(_anabranch.shown(text)))
        except InputError as why:
            raise _arguments.refused(f"{name}: {why}") from None
        self._file = file

    @property
    def table(self) -> StoredTable:
        """One row per run and connection, in the units of the command: Mbit/s, milliseconds and per cent. A sensitivity variant
        and a run that failed have none."""
        file = self._file.with_suffix(".parquet")
        if not file.exists():
            raise _arguments.missing("table", f"{file} does not exist: the study's runs were not kept")
        return StoredTable([str(file)])


def load(folder: str | os.PathLike[str]) -> Any:
    """Reads what was written earlier:

    - the folder of a run, of `Run.save`, `anabranch run --out` on any backend, or `anabranch capture --out`: a `Run`;
    - a folder of results of `anabranch study`, `sweep` or `paper`: a dictionary of each study's name and its `LoadedStudy`; and
      the JSON file of one of them: that `LoadedStudy`;
    - the folder or the URL of `sweep_to`: a `StoredSweep`.
    """
    if isinstance(folder, str) and "://" in folder:
        return StoredSweep(place("folder", folder))
    path = _arguments.path("folder", folder)
    if path.suffix == ".json" and path.is_file():
        return LoadedStudy(path)
    if (path / "sweep.json").exists():
        return StoredSweep(place("folder", path))
    studies = [LoadedStudy(file) for each in RESULTS for file in sorted((path / each).glob("*.json"))]
    return {study.name: study for study in studies} if studies else Run(_anabranch.load(str(path)))
