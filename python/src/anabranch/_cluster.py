"""The process that `anabranch study FILE --dask ADDRESS` starts: runs a study on a Dask cluster.

The request is a line of JSON on standard input, the answer JSON on standard output. The end of standard input interrupts the study.
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

CONNECT_TIMEOUT = "10 s"
"""Timeout of the connection to the scheduler."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    # Output of libraries must not mix with the answer.
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.showwarning = lambda message, *_, **__: note(str(message))
    try:
        request = json.loads(sys.stdin.readline())
        threading.Thread(target=watch_stdin, daemon=True).start()
        answer = answer_request(request)
    except KeyboardInterrupt:
        answer = "interrupted"
    answers.write(json.dumps(answer))
    answers.close()


def watch_stdin() -> None:
    """Interrupts this process when standard input ends: the command was interrupted or has exited."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def note(text: str) -> None:
    print(f"Note: {text}", file=sys.stderr)


def rejection(why: str, help: str | None = None) -> dict[str, Any]:
    return {"refused": {"why": why, "help": help}}


def answer_request(request: dict[str, Any]) -> Any:
    try:
        from distributed import Client
    except ImportError as why:
        return rejection(f"python3 lacks `distributed`: {why}", "run `pip install distributed` there")
    try:
        client = Client(request["dask"], timeout=CONNECT_TIMEOUT)
    except Exception as why:
        return rejection(f"cannot reach a Dask scheduler at {request['dask']}: {why}", "`dask scheduler` prints its address")
    with client:
        try:
            return run_study(request, client)
        except RunError as why:
            return {"failed": str(why)}
        except (Error, OSError) as why:
            return rejection(str(why))


def run_study(request: dict[str, Any], client: Any) -> dict[str, Any]:
    """Runs the study of a request and returns the answer."""
    study = Study.from_file(request["file"], at=dict(request["at"]))
    study._command = request["command"]
    executor = client.get_executor()
    options = {key: request[key] for key in ("size", "seeds", "only", "variants", "store")}
    if not client.nthreads():
        note("the cluster has no workers yet: the study starts with the first one")
    if request["longest_s"] is not None:
        campaign = study._study.campaign(
            request["size"], request["seeds"], None, request["only"], request["variants"], {}, "sim", request["store"]
        )
        workers = pool(executor).workers()
        seconds = sum(map(campaign.seconds, range(campaign.missing))) / workers
        if seconds > request["longest_s"]:
            return rejection(
                f"{study.name} needs {campaign.missing} runs, about {seconds / 3600:.0f} h on {workers} workers",
                "confirm with --yes, or reduce the study with --quick, fewer seeds or fewer values, or add workers",
            )
    study.run(**options, executor=executor, progress=sys.stderr.isatty())
    report = study.report(request["out"])
    return {"done": {"result": study.result, "report": str(report)}}


if __name__ == "__main__":
    main()
