"""Runs on Linux kernels and over QUIC, which the installed command makes: the package itself only simulates TCP."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import warnings
from concurrent.futures import Future, wait
from pathlib import Path

from . import _anabranch, _arguments, _scenario
from ._errors import InputError, MissingFileError, RunError

BACKENDS = tuple(_anabranch.backends())

# How soon a command gets a Ctrl-C, in seconds.
SOON = 0.1


def checked(backend: str) -> str:
    """A backend's name."""
    if backend not in BACKENDS:
        raise _arguments.refused(f"`backend` is {backend!r}: it must be one of {', '.join(BACKENDS)}")
    return backend


def run(
    backend: str, source: tuple[str, str], sets: list[str], cc: list[str], seed: int | None
) -> tuple[str, _anabranch.Table, _anabranch.Table, _anabranch.Table]:
    """Runs a scenario by `anabranch run --backend`, and reads its record."""
    command = shutil.which("anabranch")
    if command is None:
        feature = "quic" if backend == "noq" else "linux"
        raise _arguments.refused(
            f"`backend={backend!r}` needs the command `anabranch` on PATH, built with the feature `{feature}`", MissingFileError
        )
    name, text = source
    with tempfile.TemporaryDirectory(prefix="anabranch-") as folder:
        file = Path(name)
        if not file.is_file():
            file = Path(folder, "scenario.toml")
            file.write_text(_whole(name, text, sets), encoding="utf-8")
        record = Path(folder, "record")
        words = [command, "run", str(file), "--backend", backend, "--out", str(record), "--yes"]
        words += [f"--set={each}" for each in sets] + [f"--cc={each}" for each in cc]
        words += [] if seed is None else [f"--seed={seed}"]
        status, said = _ended(words)
        if status:
            kind = RunError if status == 1 else _arguments.refused
            raise kind(f"`anabranch run --backend {backend}` failed:\n{said}")
        if said:
            warnings.warn(said, UserWarning, stacklevel=3)
        return _anabranch.load(str(record))


def _whole(name: str, text: str, sets: list[str]) -> str:
    """The scenario with the files that it refers to, which are relative to this process's folder."""
    with warnings.catch_warnings():
        # The command prints them, too.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return _scenario.texts(_anabranch.Study.of_sweep("run", name, text, [], [], sets, None, 1))[0]
        except InputError:
            # It may lack an algorithm that the command gets. Otherwise the command refuses it.
            return text


def _ended(words: list[str]) -> tuple[int, str]:
    """The exit status of a command, and its standard error. It must end by itself at Ctrl-C, to restore what it has changed."""
    interrupts: list[KeyboardInterrupt] = []
    begun, ended = threading.Lock(), Future[tuple[int, str]]()

    def run() -> tuple[int, str]:
        if interrupts:
            return -signal.SIGINT, ""
        # In its own session, so that it gets each Ctrl-C once: at a second one it ends at once.
        with subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "NO_COLOR": "1"},
            start_new_session=True,
        ) as command:
            sent = 0
            while True:
                try:
                    said = command.communicate(timeout=SOON)[1]
                    return command.returncode, said.strip()
                except subprocess.TimeoutExpired:
                    for _ in interrupts[sent:]:
                        command.send_signal(signal.SIGINT)
                        sent += 1

    def run_once() -> None:
        if begun.acquire(blocking=False):
            try:
                ended.set_result(run())
            except BaseException as why:
                ended.set_exception(why)

    # In a thread, which Ctrl-C does not interrupt; it may interrupt the start of one.
    while True:
        try:
            if not begun.locked():
                threading.Thread(target=run_once).start()
            # Not without a limit: a signal right before such a wait does not end it.
            if wait([ended], timeout=SOON).done:
                break
        except KeyboardInterrupt as why:
            interrupts.append(why)
    if interrupts:
        raise interrupts[0]
    return ended.result()
