"""PettingZoo's parallel environment: several agents, each with a flow of one scenario. Needs `pettingzoo` and `gymnasium`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy
from pettingzoo import ParallelEnv

from ._arguments import refused
from ._scenario import Scenario
from ._session import Observation, Session
from .gym import Agent, Reward, power, spaces


class ParallelEnvironment(ParallelEnv[str, Any, Any]):
    """Flows of a scenario that share its links, in steps: an agent for each, with its flow's name. Observations, actions and rewards
    are those of `anabranch.gym.Environment`. All agents end with the scenario (`truncated`).

    `flows` names the agents' flows, by default all.
    """

    metadata: dict[str, Any] = {"name": "anabranch", "render_modes": []}

    def __init__(
        self,
        scenario: Scenario,
        flows: Sequence[str] | None = None,
        *,
        step: float = 0.01,
        set: Mapping[str, object] = {},
        reward: Reward = power,
    ) -> None:
        if isinstance(flows, str):
            raise refused("`flows` must be a list of names")
        with Session(scenario, 1, set=set) as all:
            self.possible_agents = list(all.flows if flows is None else flows)
        self.scenario, self.seconds, self.set, self.reward = scenario, step, dict(set), reward
        self.random = numpy.random.default_rng()
        self.agents: list[str] = []
        self._begin(1)
        self.spaces = {flow: spaces(len(agent.before.subflows)) for flow, agent in self.driven.items()}

    def _begin(self, seed: int) -> None:
        self.session = Session(self.scenario, seed, control=self.possible_agents, set=self.set)
        self.driven = {flow: Agent(self.session, flow, self.reward) for flow in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        return self.spaces[agent][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        if seed is not None:
            self.random = numpy.random.default_rng(seed)
        run = int(self.random.integers(2**63))
        self.session.close()
        self._begin(run)
        self.agents = list(self.possible_agents)
        seen = self._seen(self.session.step(self.seconds))
        return {flow: features for flow, (features, _) in seen.items()}, {flow: {"seed": run} for flow in seen}

    def _seen(self, seen: Observation) -> dict[str, tuple[Any, float]]:
        return {flow: agent.see(seen) for flow, agent in self.driven.items()}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        for flow, action in actions.items():
            self.driven[flow].act(action)
        observation = self.session.step(self.seconds)
        seen = self._seen(observation)
        if observation.done:
            self.agents = []
        return (
            {flow: features for flow, (features, _) in seen.items()},
            {flow: reward for flow, (_, reward) in seen.items()},
            dict.fromkeys(seen, False),
            dict.fromkeys(seen, observation.done),
            {flow: {"time_s": observation.time_s, "goodput_bps": agent.before.goodput_bps} for flow, agent in self.driven.items()},
        )

    def close(self) -> None:
        self.session.close()
