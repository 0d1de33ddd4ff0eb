"""The package itself: its types, and its wheel in a fresh environment."""

import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import get_origin

import pytest
from conftest import ROOT, SHORT, TARGET, output

import anabranch

WHEELS = Path(os.environ.get("ANABRANCH_WHEELS", TARGET / "wheels"))


def test_its_types() -> None:
    """mypy, as strict as it can be, on the package and on what uses it."""
    words = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir", os.devnull, "src/anabranch"]
    checked = subprocess.run(words, cwd=ROOT / "python", capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_its_stubs_are_what_there_is() -> None:
    """Nothing that is in Rust lacks a type, and nothing has one that is not there."""
    words = [sys.executable, "-m", "mypy.stubtest", "anabranch._anabranch", "--ignore-missing-stub", "--ignore-disjoint-bases"]
    checked = subprocess.run(words, capture_output=True, text=True, cwd=ROOT / "python")
    assert checked.returncode == 0, checked.stdout


def test_everything_public_says_what_it_is() -> None:
    for name in anabranch.__all__:
        each = getattr(anabranch, name)
        if callable(each) and not get_origin(each):  # aliases of types have none
            assert each.__doc__, name
            own = [(key, value) for key, value in vars(each).items() if not key.startswith("_")] if isinstance(each, type) else []
            for key, value in own:
                assert getattr(value, "__doc__", None), f"{name}.{key}"


def test_in_a_fresh_environment(tmp_path: Path) -> None:
    """Nothing but the wheel is needed to run and to sweep."""
    [wheel] = WHEELS.glob("anabranch-*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    output(python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
    (tmp_path / "short.toml").write_text(SHORT)
    code = """if True:
        import anabranch, sys
        from concurrent.futures import ProcessPoolExecutor
        run = anabranch.run("short.toml", cc="olia")
        assert "numpy" not in sys.modules
        with ProcessPoolExecutor(2) as pool:
            table = anabranch.sweep("short.toml", {"links.a.rate": ["5 Mbit/s", "10 Mbit/s"]}, executor=pool, seeds=3, progress=False)
        print(anabranch.__file__, len(table), run.flows["goodput_bps"][0])
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    said = subprocess.run(
        [python, "-I", "-c", code], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    file, rows, goodput = said.stdout.split()
    assert Path(file).is_relative_to(tmp_path / "venv") and rows == "12"
    assert float(goodput) == anabranch.run(SHORT, cc="olia").flows["goodput_bps"][0]
