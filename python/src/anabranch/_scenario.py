"""Arguments about scenarios, as the engine takes them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from . import _anabranch
from ._algorithm import Algorithm

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A file's path; TOML text, which has a line break; or the same as a dictionary."""

Cc = Union[str, type[Algorithm], Mapping[str, Union[str, type[Algorithm]]], None]
"""The multipath flows' algorithm, or that of each flow by its name."""

Own = tuple[Union[str, None], str, list[str], type[Algorithm]]
"""An algorithm in Python as the engine takes it: the flow, its name, its observables, its class."""


def read(scenario: Scenario) -> tuple[str, str]:
    """The scenario's name in messages, and its text."""
    if isinstance(scenario, Mapping):
        return "the scenario", _anabranch.toml(json.dumps(scenario, default=str))
    if isinstance(scenario, str) and "\n" in scenario:
        return "the scenario", scenario
    path = Path(scenario)
    return str(path), path.read_text(encoding="utf-8")


def text(value: object) -> str:
    """A value as it stands in a scenario; text is taken as it is, so that `"5 Mbit/s"` needs no other quotes."""
    return value if isinstance(value, str) else _anabranch.inline(json.dumps(value))


def assignments(set: Mapping[str, object], duration: str | float | None) -> list[str]:
    """`KEY=VALUE` for each."""
    length = {} if duration is None else {"duration": span(duration)}
    return [f"{key}={text(value)}" for key, value in {**set, **length}.items()]


def span(duration: str | float) -> str:
    """A time; a number is in seconds."""
    return duration if isinstance(duration, str) else f"{duration} s"


def algorithms(cc: Cc) -> tuple[list[str], list[Own]]:
    """`NAME`, or `FLOW=NAME` for each; and what is written in Python."""
    if cc is None:
        return [], []
    each = cc.items() if isinstance(cc, Mapping) else [(None, cc)]
    named = [name if flow is None else f"{flow}={name}" for flow, name in each if isinstance(name, str)]
    own = [
        (flow, algorithm.__name__, list(algorithm.observables), algorithm)
        for flow, algorithm in each
        if not isinstance(algorithm, str)
    ]
    return named, own


def axis(key: str, values: str | Sequence[object]) -> str:
    """`KEY=VALUES`: a list, or a range with its steps, such as `0.1..4 BDP/12log`."""
    return f"{key}={values if isinstance(values, str) else ','.join(text(value) for value in values)}"
