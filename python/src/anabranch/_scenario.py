"""Converts scenario arguments for the engine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _anabranch, _arguments
from ._algorithm import Algorithm

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A path; TOML text, which has a line break; or a dictionary."""

Cc = Union[str, type[Algorithm], Mapping[str, Union[str, type[Algorithm]]], None]
"""The algorithm of the multipath flows, or algorithms by flow name."""

Own = tuple[Union[str, None], str, list[str], type[Algorithm]]
"""An algorithm in Python for the engine: flow, name, observables, class."""


CHANGES = 'a dictionary of keys and their values, such as {"links.dsl.rate": "50 Mbit/s"}'


def read(scenario: Scenario) -> tuple[str, str]:
    """The scenario's name for messages, and its text."""
    if isinstance(scenario, Mapping):
        return "the scenario", _anabranch.toml(dumped("scenario", scenario))
    if isinstance(scenario, str) and "\n" in scenario:
        return "the scenario", scenario
    if not isinstance(scenario, (str, os.PathLike)):
        raise _arguments.wrong("scenario", scenario, "a file's path, TOML text or a dictionary")
    return _arguments.file("scenario", scenario)


def dumped(name: str, value: object) -> str:
    """The value as JSON."""

    def other(value: Any) -> object:
        # NumPy's numbers and arrays.
        if hasattr(value, "tolist"):
            return value.tolist()
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        raise _arguments.wrong(name, value, "text, numbers, booleans, lists or tables")

    return json.dumps(value, default=other)


def text(name: str, value: object) -> str:
    """A value in scenario syntax; text stays as it is, so that `"5 Mbit/s"` needs no further quotes."""
    return value if isinstance(value, str) else _anabranch.inline(dumped(name, value))


def assignments(set: Mapping[str, object], duration: str | float | None) -> list[str]:
    """The assignments `KEY=VALUE`."""
    each = [f"{key}={text(f'set[{key!r}]', value)}" for key, value in _arguments.mapping("set", set, CHANGES).items()]
    return each if duration is None else [*each, f"duration={span(duration)}"]


def span(duration: str | float) -> str:
    """A time; a number is in seconds."""
    if isinstance(duration, str):
        return duration
    try:
        seconds = float(duration)
    except (TypeError, ValueError):
        raise _arguments.wrong("duration", duration, "a number of seconds, or text such as '20 s'") from None
    return f"{seconds} s"


def algorithms(cc: Cc) -> tuple[list[str], list[Own]]:
    """`NAME` or `FLOW=NAME` for each named algorithm, and the algorithms in Python."""
    each: list[tuple[str | None, Any]]
    if cc is None:
        return [], []
    if isinstance(cc, Mapping):
        each = list(_arguments.mapping("cc", cc, "a dictionary of flows' names and algorithms").items())
    else:
        each = [(None, cc)]
    named, own = [], []
    for flow, algorithm in each:
        name = "cc" if flow is None else f"cc[{flow!r}]"
        if isinstance(algorithm, str):
            named.append(algorithm if flow is None else f"{flow}={algorithm}")
        elif isinstance(algorithm, type) and issubclass(algorithm, Algorithm):
            own.append((flow, algorithm.__name__, observables(algorithm), algorithm))
        else:
            raise _arguments.wrong(name, algorithm, "an algorithm's name, or a subclass of anabranch.Algorithm")
    return named, own


def observables(algorithm: type[Algorithm]) -> list[str]:
    name = f"{algorithm.__name__}.observables"
    right = 'names, such as ("alpha",)'
    return [_arguments.text(name, each, right) for each in _arguments.several(name, algorithm.observables, right)]


def axis(key: str, values: str | Sequence[object]) -> str:
    """`KEY=VALUES`: a list, or a range with steps such as `0.1..4 BDP/12log`."""
    if isinstance(values, str):
        return f"{key}={values}"
    name = f"vary[{key!r}]"
    all = _arguments.several(name, values, "a list of values, or a range such as '0.1..4 BDP/12log'")
    return f"{key}={','.join(text(name, value) for value in all)}"
