"""Advice: the command's, as a table."""

import json
import math
from pathlib import Path

import pytest
from conftest import ROOT, output

import anabranch

TWO_PATHS = ROOT / "scenarios/two-paths-and-a-neighbour.toml"


def test_it_is_the_command_s_advice(command: Path) -> None:
    advice = anabranch.advise(TWO_PATHS, cc=["lia", "uncoupled"], buffers=["0.5 BDP", "2 BDP"], duration=12, seeds=2)
    theirs = json.loads(
        output(
            command, "advise", TWO_PATHS, "--cc", "lia,uncoupled", "--buffers", "0.5 BDP,2 BDP", "--duration", "12 s", "--seeds", "2",
            "--json",
        )
    )  # fmt: skip
    assert {**advice.data, "command": ""} == {**theirs, "command": ""}
    assert advice.recommendation == theirs["recommendation"]["text"]
    assert advice.table["buffer"] == ["0.5 BDP", "0.5 BDP", "2 BDP", "2 BDP"]
    assert advice.table["cc"] == ["lia", "uncoupled"] * 2
    for row, case in zip(advice.table.rows(), theirs["cases"]):
        assert row["goodput_bps"] == case["goodput_bps"]["mean"]
        assert row["goal2_half_width"] == case["goal2"]["ratio"]["half_width"]
        assert row["goodput_neighbour_bps"] == case["others_bps"][0][1]["mean"]
        assert row["missed"] == sum(bool(case[f"goal{i}"]) and case[f"goal{i}"]["met"] == "missed" for i in (1, 2, 3))
    assert not math.isnan(advice.table["goal1"][0])


def test_mistakes() -> None:
    with pytest.raises(anabranch.InputError, match="no flow with several paths"):
        anabranch.advise(ROOT / "scenarios/dumbbell.toml")
    with pytest.raises(anabranch.InputError, match="unknown algorithm `oila`"):
        anabranch.advise(TWO_PATHS, cc=["oila"])
    with pytest.raises(anabranch.WrongTypeError, match="`cc` is 'lia'"):
        anabranch.advise(TWO_PATHS, cc="lia")
    with pytest.raises(anabranch.InputError, match="`seeds` is 0"):
        anabranch.advise(TWO_PATHS, seeds=0)
