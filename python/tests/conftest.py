"""Helpers of the tests. They use the installed wheel, not the sources beside them."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SCENARIO = ROOT / "scenarios/two-paths-and-a-neighbour.toml"

# A link that two connections share; a run of it takes milliseconds.
SHORT = """
name = "one link"
duration = "3 s"
warmup = "1 s"
links.a = { rate = "10 Mbit/s", delay = "10 ms" }
links.b = { rate = "5 Mbit/s", delay = "20 ms", loss = { model = "bernoulli", rate = 1e-3 } }
flows = [
    { name = "tested", cc = "lia", paths = [["a"], ["b"]] },
    { name = "other", cc = "reno", paths = [["a"]] },
]
"""


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A file with a short scenario."""
    file = tmp_path / "short.toml"
    file.write_text(SHORT)
    return file


@pytest.fixture(scope="session")
def command() -> Path:
    """The command, as the Rust tests have built it."""
    command = TARGET / "debug/anabranch"
    assert command.exists(), "cargo build --features linux --bin anabranch makes it"
    return command


def output(*words: object) -> str:
    """A program's standard output."""
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout
