"""What `anabranch study FILE --dask ADDRESS` starts: a study, its runs on a cluster of Dask.

The request is a line of JSON on standard input, whose end ends the work; the answer is JSON on standard output.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from typing import Any

from . import Error, RunError, Study
from ._pool import pool

TIMEOUT = "10 s"
"""So long a scheduler may take to answer."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    # Whatever libraries print does not belong to the answer.
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.showwarning = lambda message, *_, **__: note(str(message))
    try:
        request = json.loads(sys.stdin.readline())
        threading.Thread(target=until_it_ends, daemon=True).start()
        answer = answered(request)
    except KeyboardInterrupt:
        answer = "interrupted"
    answers.write(json.dumps(answer))
    answers.close()


def until_it_ends() -> None:
    """The command has been interrupted, or is gone, when standard input ends."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def note(text: str) -> None:
    print(f"Note: {text}", file=sys.stderr)


def refused(why: str, help: str | None = None) -> dict[str, Any]:
    return {"refused": {"why": why, "help": help}}


def answered(request: dict[str, Any]) -> Any:
    try:
        from distributed import Client
    except ImportError as why:
        return refused(f"python3 has no `distributed`: {why}", "`pip install distributed` there")
    try:
        client = Client(request["dask"], timeout=TIMEOUT)
    except Exception as why:
        return refused(f"no scheduler of Dask answers at {request['dask']}: {why}", "`dask scheduler` prints its address")
    with client:
        try:
            return made(request, client)
        except RunError as why:
            return {"failed": str(why)}
        except (Error, OSError) as why:
            return refused(str(why))


def made(request: dict[str, Any], client: Any) -> dict[str, Any]:
    """The answer to a request that can be."""
    study = Study.from_file(request["file"], at=dict(request["at"]))
    study._command = request["command"]
    executor = client.get_executor()
    options = {key: request[key] for key in ("size", "seeds", "only", "columns", "store")}
    if not client.nthreads():
        note("there is no worker yet: the first one that comes begins")
    if request["longest_s"] is not None:
        campaign = study._study.campaign(**options)
        workers = pool(executor).workers()
        seconds = sum(map(campaign.seconds, range(campaign.missing))) / workers
        if seconds > request["longest_s"]:
            return refused(
                f"{study.name} has {campaign.missing} runs to be made, about {seconds / 3600:.0f} h on {workers} workers",
                "say --yes, or ask for less: --quick, fewer seeds, fewer values; or have more workers",
            )
    study.run(**options, executor=executor, progress=sys.stderr.isatty())
    report = study.report(request["out"])
    return {"done": {"result": study.result, "report": str(report)}}


if __name__ == "__main__":
    main()
