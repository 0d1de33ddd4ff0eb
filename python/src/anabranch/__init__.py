"""Congestion control for multipath transports.

`run` simulates a scenario, `sweep` many variants of it, `sweep_to` a million, and `Study` a study file. `advise` recommends an
algorithm for a scenario, `ideal` computes theoretical shares, and `algorithms` lists the algorithms. Sweeps and studies take any
`concurrent.futures.Executor`, such as a Dask client's.

Quantities have their unit in their name: `goodput_bps`, `mean_rtt_s`, `cwnd_segments`.

In signatures, `Scenario` is a scenario: a file's path, `example:NAME` (`examples` lists them), TOML text or a dictionary. `Cc` is the
algorithm of the multipath flows: a name, a dictionary of its `name` and parameters, or in Python a class, an instance or a function
that makes one; or a dictionary of flows' names and such algorithms.
"""

from . import _fork as _fork
from ._advice import Advice, advise
from ._algorithm import Algorithm
from ._anabranch import Ack, Congestion, LostSegment, Path, RateSample, __version__
from ._errors import Error, InputError, MissingFileError, RunError, VersionError, WrongTypeError
from ._load import LoadedStudy, load
from ._run import Run, algorithms, examples, ideal, run, trace
from ._scenario import Cc, Scenario
from ._shards import StoredSweep, StoredTable, sweep_to
from ._session import FlowState, LinkState, Observation, Session, SubflowState
from ._study import Figure, Study, StudyResult, Sweep, sweep
from ._table import Table

__all__ = [
    "Ack",
    "Advice",
    "Algorithm",
    "Cc",
    "Congestion",
    "Error",
    "Figure",
    "FlowState",
    "InputError",
    "LinkState",
    "LoadedStudy",
    "LostSegment",
    "MissingFileError",
    "Observation",
    "Path",
    "RateSample",
    "Run",
    "RunError",
    "Scenario",
    "Session",
    "StoredSweep",
    "StoredTable",
    "Study",
    "StudyResult",
    "SubflowState",
    "Sweep",
    "Table",
    "VersionError",
    "WrongTypeError",
    "__version__",
    "advise",
    "algorithms",
    "examples",
    "ideal",
    "load",
    "run",
    "sweep",
    "sweep_to",
    "trace",
]
