"""Advice on an algorithm for a scenario."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _anabranch, _arguments, _scenario
from ._table import Table, html


class Advice:
    """What `advise` found."""

    data: dict[str, Any]
    """Everything, as `anabranch advise --json` prints it: each goal has its ratio, its verdict and its link."""
    recommendation: str
    """The recommendation, in a sentence."""
    best: list[str]
    """The recommended algorithm; several if they do not differ beyond chance, or if the best depends on the buffer; empty without
    intervals."""
    table: Table
    """One row per buffer and algorithm: goodput in bit/s, the ratios of the three goals, the goodput of the other flows, completion times in
    seconds, each with half the width of its 95 % interval; `missed` counts the missed goals. An empty value does not apply."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text)
        self.recommendation = self.data["recommendation"]["text"]
        self.best = list(self.data["recommendation"]["best"])
        self.table = _table(self.data["cases"])

    def __repr__(self) -> str:
        return f"<anabranch.Advice on {self.data['scenario']}: {self.recommendation}>"

    def _repr_html_(self) -> str:
        return f"<p>{html(self.recommendation)}</p>{self.table._repr_html_()}"


def _table(cases: list[dict[str, Any]]) -> Table:
    columns: list[tuple[str, str, Sequence[Any]]] = []
    if any(case["buffer"] for case in cases):
        columns.append(("buffer", "text", [case["buffer"] for case in cases]))
    columns.append(("cc", "text", [case["cc"] for case in cases]))

    def add(name: str, values: Sequence[dict[str, Any] | None], unit: str = "") -> None:
        of = {key: [value and value[key] for value in values] for key in ("mean", "half_width")}
        columns.append((f"{name}{unit}", "number", of["mean"]))
        columns.append((f"{name}_half_width{unit}", "number", of["half_width"]))

    add("goodput", [case["goodput_bps"] for case in cases], "_bps")
    goals = ("goal1", "goal2", "goal3")
    for goal in goals:
        add(goal, [case[goal] and case[goal]["ratio"] for case in cases])
    missed = [sum(bool(case[goal]) and case[goal]["met"] == "missed" for goal in goals) for case in cases]
    columns.append(("missed", "count", missed))
    for i, (flow, _) in enumerate(cases[0]["others_bps"]):
        add(f"goodput_{flow}", [case["others_bps"][i][1] for case in cases], "_bps")
    for i, (flow, _) in enumerate(cases[0]["completions"]):
        add(f"completion_{flow}", [case["completions"][i][1] for case in cases], "_s")
    return Table._of(columns)


def advise(
    scenario: _scenario.Scenario,
    *,
    cc: Sequence[str | Mapping[str, Any]] | None = None,
    buffers: Sequence[str] = (),
    flow: str | None = None,
    set: Mapping[str, object] = {},
    duration: str | float | None = None,
    seeds: int = 5,
    jobs: int | None = None,
) -> Advice:
    """Finds the algorithm that suits a scenario, by the rule of `anabranch advise`.

    Runs each algorithm of `cc`, by default the command's, with each of the `buffers` of every link, such as `["0.5 BDP", "2 BDP"]`.
    Compares it with single-path flows in the place of the connection `flow`, which may be left out if only one flow has several
    paths. `set` and `duration` work as in `run`; `seeds` is the number of seeds. `jobs` runs execute at once, by default one for each
    core. Ctrl-C interrupts it.
    """
    algorithms = None
    if cc is not None:
        all = _arguments.several("cc", cc, "a list of algorithms: names, or dictionaries of `name` and parameters")
        read = [_scenario.algorithm(f"cc[{i}]", each, keyed=False) for i, each in enumerate(all)]
        if not read or any(own for _, own in read):
            raise _arguments.wrong("cc", cc, "a list of one algorithm or more that come with the package")
        algorithms = [spec for spec, _ in read]
    sizes = _arguments.several("buffers", buffers, "a list of buffers, such as ['0.5 BDP', '2 BDP']")
    sizes = [_arguments.text(f"buffers[{i}]", each, "a text such as '2 BDP'") for i, each in enumerate(sizes)]
    if flow is not None:
        flow = _arguments.text("flow", flow, "the name of a flow")
    if jobs is not None:
        jobs = _arguments.whole("jobs", jobs, 1, 10_000)
    seeds = _arguments.whole("seeds", seeds, 1, _arguments.SEEDS)
    sets = _scenario.assignments(set, duration)
    return Advice(_anabranch.advise(_scenario.read(scenario), sets, flow, algorithms, sizes, seeds, jobs))
