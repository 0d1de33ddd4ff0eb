"""Runs on Linux kernels, which the installed command makes: the package itself only simulates."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import _anabranch, _arguments
from ._errors import MissingFileError, RunError

BACKENDS = ("sim", "kernel", "guest-6.12", "guest-6.1", "guest-newest")


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
        raise _arguments.refused(
            f"`backend={backend!r}` needs the command `anabranch` on PATH, built with the feature `linux`", MissingFileError
        )
    name, text = source
    with tempfile.TemporaryDirectory(prefix="anabranch-") as folder:
        file = Path(name)
        if not file.is_file():
            file = Path(folder, "scenario.toml")
            file.write_text(text, encoding="utf-8")
        record = Path(folder, "record")
        words = [command, "run", str(file), "--backend", backend, "--out", str(record), "--yes"]
        words += [f"--set={each}" for each in sets] + [f"--cc={each}" for each in cc]
        words += [] if seed is None else [f"--seed={seed}"]
        made = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
        if made.returncode:
            kind = RunError if made.returncode == 1 else _arguments.refused
            raise kind(f"`anabranch run --backend {backend}` failed:\n{made.stderr.strip()}")
        return _anabranch.load(str(record))
