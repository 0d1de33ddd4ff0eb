"""Checks of function arguments: an error names the argument, its value, and what is expected."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _anabranch
from ._errors import InputError, MissingFileError, WrongTypeError

LONGEST = 60
"""The most characters of a value in messages."""

SEEDS = 10_000
"""The most seeds per point."""


def refused(message: str, kind: type[InputError] = InputError) -> InputError:
    """An error without a place in a file."""
    return kind(message)


def missing(name: str, message: str) -> InputError:
    """The error for something that does not exist."""
    return refused(f"`{name}`: {message}", MissingFileError)


def wrong(name: str, value: object, right: str, kind: type[InputError] = WrongTypeError) -> InputError:
    """The error for an invalid argument; `right` is what is expected."""
    shown = repr(value)
    shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
    return refused(f"`{name}` is {shown}, of type {type(value).__name__}: it must be {right}", kind)


def text(name: str, value: object, right: str) -> str:
    if not isinstance(value, str):
        raise wrong(name, value, right)
    return value


def mapping(name: str, value: object, right: str) -> Mapping[str, Any]:
    """A mapping with text keys."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise wrong(name, value, right)
    return value


def several(name: str, value: object, right: str) -> list[Any]:
    """An ordered list of values; text is a single value and not accepted."""
    if isinstance(value, (str, bytes, Mapping, set, frozenset)) or not isinstance(value, Iterable):
        raise wrong(name, value, right)
    return list(value)


def whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number, including those of NumPy."""
    right = f"a whole number from {least} to {most}"
    if isinstance(value, bool):
        raise wrong(name, value, right)
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise wrong(name, value, right) from None
    if not least <= number <= most:
        raise wrong(name, value, right, InputError)
    return number


def number(name: str, value: object, right: str) -> float:
    """A real number, including those of NumPy."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise wrong(name, value, right) from None


def quantity(name: str, value: object, right: str, parse: Callable[[str], float] | None = None) -> float | None:
    """A number in SI units, or text with a unit if it can be parsed; `None` stays."""
    if value is None:
        return None
    return parse(value) if parse and isinstance(value, str) else number(name, value, right)


def seeds(value: object, most: int = SEEDS) -> tuple[int, list[int] | None]:
    """How many seeds, and which if they are not those from 1 on."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return whole("seeds", value, 1, most), None
    listed = [whole(f"seeds[{i}]", each, 0, 2**64 - 1) for i, each in enumerate(value)]
    if not 1 <= len(listed) <= most or len(set(listed)) < len(listed):
        raise wrong("seeds", value, f"from 1 to {most} different seeds", InputError)
    return len(listed), listed


def path(name: str, value: object) -> Path:
    if not isinstance(value, (str, os.PathLike)):
        raise wrong(name, value, "a path")
    return Path(value)


def file(name: str, value: object) -> tuple[str, str]:
    """A file's name and text, or those of an example."""
    if isinstance(value, str) and (example := _anabranch.example(value)):
        return example
    where = path(name, value)
    try:
        return str(where), where.read_text(encoding="utf-8")
    except FileNotFoundError as why:
        raise refused(f"`{name}`: file {str(where)!r} not found in {os.getcwd()}", MissingFileError) from why
    except (OSError, UnicodeError) as why:
        raise refused(f"`{name}`: cannot read {str(where)!r}: {why}") from why


def executor(value: Any) -> None:
    if hasattr(value, "get_executor"):
        raise wrong("executor", value, "an executor; for a Dask client pass client.get_executor()")
    client = getattr(value, "_client", None)
    if getattr(client, "status", None) == "closed" or getattr(client, "asynchronous", False):
        raise wrong("executor", value, "of a Dask client that is open and not asynchronous", InputError)
    if value is not None and not callable(getattr(value, "submit", None)):
        raise wrong("executor", value, "an executor of concurrent.futures, or None")


def progress(value: object) -> Callable[[float, int, int], object] | None:
    """The callback; `None` if progress is off or shown on the terminal."""
    if not isinstance(value, bool) and not callable(value):
        raise wrong("progress", value, "True, False or a function of the fraction done and two numbers of runs")
    return value if callable(value) else None
