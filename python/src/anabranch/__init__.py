"""Congestion control for multipath transports.

`run` simulates a scenario, `sweep` many variants of it, and `Study` a study file. `ideal` computes theoretical shares, and
`algorithms` lists the algorithms. Sweeps and studies take any `concurrent.futures.Executor`, such as a Dask client's.

Quantities have their unit in their name: `goodput_bps`, `mean_rtt_s`, `cwnd_segments`.
"""

from . import _fork as _fork
from ._algorithm import Algorithm
from ._anabranch import Ack, Congestion, Error, InputError, Path, RunError, VersionError, __version__
from ._run import Run, algorithms, ideal, run, trace
from ._study import Figure, Study, sweep
from ._table import Table

__all__ = [
    "Ack",
    "Algorithm",
    "Congestion",
    "Error",
    "Figure",
    "InputError",
    "Path",
    "Run",
    "RunError",
    "Study",
    "Table",
    "VersionError",
    "__version__",
    "algorithms",
    "ideal",
    "run",
    "sweep",
    "trace",
]
