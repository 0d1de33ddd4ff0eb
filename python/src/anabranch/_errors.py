"""The package's exceptions. They are also Python's own kinds of errors, so that callers need not import them."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The base class of errors."""


class InputError(Error, ValueError):
    """An invalid scenario, study or argument. `problems` lists each mistake with its file, line, column and help."""

    problems: list[dict[str, Any]]
    """Each problem, as a dictionary with `message`, `file`, `line`, `column` and `help`."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        message = str(args[0]) if args else ""
        self.problems = [{"message": message, "file": None, "line": None, "column": None, "help": None}]


class MissingFileError(InputError, FileNotFoundError):
    """A file that does not exist."""

    def __new__(cls, *args: object) -> MissingFileError:
        # Of the base with fields of its own: tblib, which Dask uses, looks it up to unpickle.
        return FileNotFoundError.__new__(cls, *args)


class WrongTypeError(InputError, TypeError):
    """An argument of the wrong type."""


class RunError(Error):
    """A run that failed."""


class VersionError(Error):
    """A worker has another version of results."""


for each in (Error, InputError, MissingFileError, WrongTypeError, RunError, VersionError):
    each.__module__ = "anabranch"
