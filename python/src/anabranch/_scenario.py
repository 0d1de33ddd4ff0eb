"""Converts scenario arguments for the engine."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from . import _anabranch, _arguments
from ._algorithm import Algorithm, Own, is_own, own

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
"""A scenario: a file's path, `example:NAME`, TOML text, which has a line break, or a dictionary."""

Cc = Union[str, type[Algorithm], Algorithm, Callable[[], Algorithm], Mapping[str, Any], None]
"""The algorithm of the multipath flows: a name; a class, an instance or a function in Python; a dictionary of `name` and
parameters. Or a dictionary of flows' names and such algorithms."""


CHANGES = 'a dictionary of keys and their values, such as {"links.dsl.rate": "50 Mbit/s"}'


VALUES = "text, finite numbers (integers below 2⁶³), booleans, lists or tables"


def read(scenario: Scenario) -> tuple[str, str]:
    """The scenario's name for messages, and its text."""
    if isinstance(scenario, Mapping):
        keys = _arguments.mapping("scenario", scenario, "a dictionary of a scenario's keys")
        return "the scenario", _anabranch.toml(dumped("scenario", {key: in_si(key, each) for key, each in keys.items()}))
    if isinstance(scenario, str) and "\n" in scenario:
        return "the scenario", scenario
    if not isinstance(scenario, (str, os.PathLike)):
        raise _arguments.wrong("scenario", scenario, "a file's path, TOML text or a dictionary")
    return _arguments.file("scenario", scenario)


def texts(study: _anabranch.Study) -> list[str]:
    """The scenario of each point of a sweep, with the files that it refers to."""
    part = _anabranch.Part(study, [1], _anabranch.Finished())
    return [json.loads(part.task(i))["scenario"] for i in range(len(part))]


def stem(name: str) -> str:
    """The name of a scenario's sweep."""
    return Path(name.removeprefix("example:")).stem


def dumped(name: str, value: object) -> str:
    """The value as JSON."""

    def other(value: Any) -> object:
        # NumPy's numbers and arrays.
        if hasattr(value, "tolist"):
            return value.tolist()
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        raise _arguments.wrong(name, value, VALUES)

    return json.dumps(value, default=other)


def text(name: str, value: object) -> str:
    """A value in scenario syntax; text stays as it is, so that `"5 Mbit/s"` needs no further quotes."""
    if isinstance(value, str):
        return value
    json = dumped(name, value)
    try:
        return _anabranch.inline(json)
    except ValueError:  # TOML has no null, and JSON no NaN
        raise _arguments.wrong(name, value, VALUES) from None


def assignments(
    set: Mapping[str, object], duration: str | float | None, warmup: str | float | None = None
) -> list[str]:
    """The assignments `KEY=VALUE`."""
    changes = _arguments.mapping("set", set, CHANGES).items()
    each = [f"{key}={text(f'set[{key!r}]', in_si(key, value))}" for key, value in changes]
    times = (("duration", duration), ("warmup", warmup))
    return [*each, *(f"{key}={span(value, key)}" for key, value in times if value is not None)]


def span(duration: str | float, name: str = "duration") -> str:
    """A time; a number is in seconds."""
    if isinstance(duration, str):
        return duration
    seconds = _arguments.number(name, duration, "a number of seconds, or text such as '20 s'")
    return f"{seconds!r} s"


SECONDS = frozenset(
    ("duration", "warmup", "delay", "start", "stop", "at", "interval", "tick", "good", "bad", "up_to", "correlation", "reorder_delay")
    + ("target", "update", "max_burst", "min_rto", "delayed_ack_timeout", "start_offset", "host_jitter", "think", "on", "off")
)
"""Keys of times."""

DRAWN = frozenset(("from", "to", "mean", "median"))
"""Keys of a distribution in the unit of what is drawn."""


def in_si(key: str, value: object) -> object:
    """The value of a key as a scenario has it: a plain number of a rate is in bit/s, of a time in seconds."""
    *parents, last = key.split(".")
    if isinstance(value, Mapping):
        return {name: in_si(f"{key}.{name}", each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [in_si(key, each) for each in value]
    if isinstance(value, (bool, str)) or not isinstance(value, numbers.Real):
        return value
    if last == "rate" and parents and parents[-1] not in ("loss", "jitter", "reorder"):
        return f"{float(value)!r} bit/s"
    is_time = last in SECONDS or (last in DRAWN and bool(parents) and parents[-1] in SECONDS)
    return f"{float(value)!r} s" if is_time else value


def algorithms(cc: Cc) -> tuple[list[str], list[Own]]:
    """`NAME` or `FLOW=NAME` for each algorithm, and those in Python."""
    if cc is None:
        return [], []
    if isinstance(cc, Mapping) and "name" not in cc:
        each = list(_arguments.mapping("cc", cc, "a dictionary of flows' names and algorithms").items())
        read = [(f"{flow}=", *algorithm(f"cc[{flow!r}]", of, keyed=False)) for flow, of in each]
    else:
        read = [("", *algorithm("cc", cc, keyed=False))]
    return [flow + spec for flow, spec, _ in read], [own for *_, own in read if own]


def algorithm(argument: str, value: Any, keyed: bool) -> tuple[str, Own | None]:
    """An algorithm in scenario syntax, and what is in Python; `keyed` if its runs may be stored."""
    if isinstance(value, str):
        return value, None
    parameters: dict[str, Any] = {}
    if isinstance(value, Mapping):
        parameters = dict(_arguments.mapping(argument, value, "a dictionary of `name` and parameters"))
        value = parameters.pop("name", None)
        if isinstance(value, str):
            return text(argument, {"name": value, **parameters}), None
    if not is_own(value):
        raise _arguments.wrong(argument, value, "an algorithm's name, or a subclass of anabranch.Algorithm")
    # The engine's own parameter of all algorithms.
    common = {"pacing": parameters.pop("pacing")} if "pacing" in parameters else {}
    found = own(argument, value, parameters, keyed)
    return (text(argument, {"name": found.name, **common}) if common else found.name), found


def choice(argument: str, value: Any) -> tuple[str, str, Own | None]:
    """An algorithm of a sweep in scenario syntax, its label in tables, and what is in Python."""
    flow = ""
    if isinstance(value, Mapping) and "name" not in value:
        if len(value) != 1:
            raise _arguments.wrong(argument, value, "an algorithm, or a dictionary of one flow's name and its algorithm")
        [(name, value)] = _arguments.mapping(argument, value, "a dictionary of one flow's name and its algorithm").items()
        flow, argument = f"{name}=", f"{argument}[{name!r}]"
    spec, found = algorithm(argument, value, keyed=True)
    return flow + spec, flow + (found.label if found else spec), found


def choices(cc: object) -> tuple[list[str], dict[str, str], list[Own]]:
    """The algorithms of a sweep, the labels of those in Python, and these. Labels are unique: tables distinguish runs by them."""
    listed = _arguments.several("cc", cc, 'a list of algorithms, such as ["lia", "olia"]')
    places = ["cc" if len(listed) == 1 else f"cc[{i}]" for i in range(len(listed))]
    read = [choice(place, value) for place, value in zip(places, listed)]
    labels = [label for _, label, _ in read]
    for i, label in enumerate(labels):
        if label in labels[:i]:
            raise _arguments.refused(
                f"`{places[labels.index(label)]}` and `{places[i]}` are both `{label}` in tables: list each algorithm once, and "
                'give those in Python distinct class names or parameters, {"name": CLASS, …}'
            )
    return [spec for spec, *_ in read], {spec: label for spec, label, _ in read if label != spec}, [own for *_, own in read if own]


def axis(key: str, values: str | Sequence[object]) -> str:
    """`KEY=VALUES`: a list, or a range with steps such as `0.1..4 BDP/12log`."""
    if isinstance(values, str):
        return f"{key}={values}"
    name = f"vary[{key!r}]"
    all = _arguments.several(name, values, "a list of values, or a range such as '0.1..4 BDP/12log'")
    return f"{key}={','.join(text(name, in_si(key, value)) for value in all)}"
