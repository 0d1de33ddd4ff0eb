"""An algorithm written in Python."""

from __future__ import annotations

import copy
import difflib
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _arguments, _code
from ._anabranch import Ack, Congestion, LostSegment, Path


class Algorithm:
    """The base class of algorithms. Each connection has its own instance, which controls all paths of the connection.

    `paths` is the table of the connection's paths, and `r` the row of an event. An algorithm writes the window, the
    threshold and the pacing rate of row `r` only; it may bar any row. Windows are in segments, times in seconds.

        class Reno(anabranch.Algorithm):
            def acked(self, paths, r, ack):
                left = paths[r].slow_start(ack.acked)
                paths[r].cwnd += left / paths[r].cwnd

            def congestion(self, paths, r, event):
                paths[r].reduce_to(paths[r].cwnd / 2)

        anabranch.run("scenario.toml", cc=Reno)

    **Only rows that count may enter a sum, a mean, a maximum or a number of paths**: `path.counts`. Rows of removed and idle
    paths stay in the table, with windows and round-trip times that are out of date:

        total = sum(path.cwnd for path in paths if path.counts)

    Use it to try ideas: a run takes several times as long as in Rust.
    Note that `path.cwnd += path.slow_start(n)` reads the window before the call and so loses the growth in slow start.
    """

    observables: Sequence[str] = ()
    """Names of the values that `observe` returns; they are columns of the samples."""

    model_based: bool = False
    """Whether it models its paths, as BBR does: then it gets delivery rates (`ack.rate`) and lost segments (`lost`), and its
    window also applies while losses are repaired."""

    def path_added(self, paths: list[Path], r: int) -> None:
        """Row `r` is new, or reused after removal."""

    def path_removed(self, paths: list[Path], r: int) -> None:
        """Row `r` is removed: discard its state."""

    def acked(self, paths: list[Path], r: int, ack: Ack) -> None:
        """Segments were acknowledged on `r`: grow its window by `ack.acked`, which is 0 if it must not grow."""
        raise NotImplementedError

    def congestion(self, paths: list[Path], r: int, event: Congestion) -> None:
        """Congestion on `r`: set its threshold and window. After a timeout the window is set to one segment."""
        raise NotImplementedError

    def spurious(self, paths: list[Path], r: int) -> None:
        """The last congestion event on `r` was spurious: window and threshold are restored; restore your other state."""

    def app_limited(self, paths: list[Path], r: int, now: float) -> None:
        """Data was acknowledged on `r` while the window did not limit the sender."""

    def lost(self, paths: list[Path], r: int, lost: LostSegment) -> None:
        """A segment of `r` was deemed lost, after the `congestion` that it begins; only if `model_based`."""

    def observe(self, paths: list[Path], r: int) -> Sequence[float]:
        """The values of `observables` for row `r`, in order; NaN for undefined values."""
        return ()


REQUIRED = ("acked", "congestion")

CALLBACKS = ("path_added", "path_removed", "acked", "congestion", "spurious", "app_limited", "lost", "observe")

OTHER_NAMES = {"on_ack": "acked", "ack": "acked", "on_loss": "congestion", "loss": "congestion", "on_congestion": "congestion"}
"""Names that others give to the callbacks."""


class Own(NamedTuple):
    """An algorithm in Python for the engine."""

    name: str
    """Its name in scenarios, with a digest of its code."""
    observables: list[str]
    make: Callable[[], Algorithm]
    """Makes the instance of a connection."""
    label: str
    """Its name in tables."""
    code: tuple[Any, ...]
    """What the digest is of."""

    def is_same(self) -> bool:
        """Whether this process has the same code."""
        return self.name.endswith(MARK + _code.digest(f"`{self.label}`", *self.code))


MARK = "@py-"
"""Between a class's name and its digest."""


def label(name: str) -> str:
    """The name of an algorithm in tables: without the digest."""
    return re.sub(f"{MARK}[0-9a-f]+$", "", name)


def is_own(value: object) -> bool:
    """Whether it is an algorithm in Python: a class, an instance, or a function that makes one."""
    return isinstance(value, Algorithm) or (callable(value) and not isinstance(value, str))


def own(argument: str, value: Any, parameters: Mapping[str, object], keyed: bool) -> Own:
    """Checks an algorithm; `keyed` if its runs may be stored, so that its code must have a digest."""
    if isinstance(value, type):
        if not issubclass(value, Algorithm):
            raise _arguments.wrong(argument, value, "an algorithm's name, or a subclass of anabranch.Algorithm")
        of, make = value, (functools.partial(value, **parameters) if parameters else value)
        code: tuple[Any, ...] = (of, tuple(sorted(parameters.items())))
        observables: object = value.observables
        shown: Mapping[str, object] = parameters
    else:
        if isinstance(value, Algorithm):
            probe, make, code = value, functools.partial(copy.deepcopy, value), (type(value), tuple(sorted(vars(value).items())))
            if parameters:
                raise _arguments.refused(f"`{argument}` is an instance: give its parameters to the class")
        else:
            make = functools.partial(value, **parameters) if parameters else value
            probe, code = make(), (make,)
            if not isinstance(probe, Algorithm):
                raise _arguments.wrong(argument, value, "an algorithm's name, or a subclass of anabranch.Algorithm")
        of, observables, shown = type(probe), probe.observables, parameters or _attributes(probe)
    _spelt(of)
    _complete(of)
    name = f"{of.__name__}.observables"
    right = 'names, such as ("alpha",)'
    names = [_arguments.text(name, each, right) for each in _arguments.several(name, observables, right)]
    values: tuple[Any, ...] = (*code, tuple(names))
    sum = _code.digest(f"`{argument}` cannot be stored", *values) if keyed else _code.or_name(*values)
    label = of.__name__ + (f"({', '.join(f'{k}={v!r}' for k, v in shown.items())})" if shown else "")
    return Own(f"{of.__name__}{MARK}{sum}", names, make, label, values)


def _attributes(of: Algorithm) -> dict[str, object]:
    """The constants among an object's attributes, which distinguish it from others of its class in tables."""
    constants = (bool, int, float, str)
    return {name: value for name, value in sorted(vars(of).items()) if isinstance(value, constants)}


def _complete(of: type[Algorithm]) -> None:
    """Refuses a class without a method that every algorithm needs, before a run begins."""
    if missing := [name for name in REQUIRED if getattr(of, name) is getattr(Algorithm, name)]:
        raise _arguments.refused(f"`{of.__name__}.{missing[0]}` is missing: an algorithm must define "
                                 "`acked(self, paths, r, ack)` and `congestion(self, paths, r, event)`")  # fmt: skip


def _spelt(of: type[Algorithm]) -> None:
    """Refuses methods that look like misspelt callbacks, which would never be called."""
    for base in of.__mro__:
        if base is Algorithm:
            return
        for name, value in vars(base).items():
            if name.startswith("_") or name in CALLBACKS or not callable(value):
                continue
            meant = [OTHER_NAMES[name]] if name in OTHER_NAMES else difflib.get_close_matches(name, CALLBACKS, 1, 0.72)
            if meant:
                raise _arguments.refused(f"`{of.__name__}.{name}` is never called: did you mean `{meant[0]}`? "
                                         "Begin the names of helper methods with an underscore")  # fmt: skip
