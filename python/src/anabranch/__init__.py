"""Congestion control for multipath transports.

`run` simulates a scenario, `sweep` many variants of it, and `Study` a study file. `ideal` computes theoretical shares, and
`algorithms` lists the algorithms. Sweeps and studies take any `concurrent.futures.Executor`, such as a Dask client's.

Quantities have their unit in their name: `goodput_bps`, `mean_rtt_s`, `cwnd_segments`.
"""

from . import _fork as _fork
from ._algorithm import Algorithm
from ._anabranch import Ack, Congestion, LostSegment, Path, RateSample, __version__
from ._errors import Error, InputError, MissingFileError, RunError, VersionError, WrongTypeError
from ._run import Run, algorithms, ideal, load, run, trace
from ._session import FlowState, LinkState, Observation, Session, SubflowState
from ._study import Figure, Study, Sweep, sweep
from ._table import Table

__all__ = [
    "Ack",
    "Algorithm",
    "Congestion",
    "Error",
    "Figure",
    "FlowState",
    "InputError",
    "LinkState",
    "LostSegment",
    "MissingFileError",
    "Observation",
    "Path",
    "RateSample",
    "Run",
    "RunError",
    "Session",
    "Study",
    "SubflowState",
    "Sweep",
    "Table",
    "VersionError",
    "WrongTypeError",
    "__version__",
    "algorithms",
    "ideal",
    "load",
    "run",
    "sweep",
    "trace",
]
