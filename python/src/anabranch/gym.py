"""Environments of gymnasium: an agent sets the windows of a flow's paths. Needs `gymnasium`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from math import log2
from typing import Any

import gymnasium
import numpy
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _anabranch
from ._arguments import refused, whole
from ._scenario import Scenario
from ._session import FlowState, Observation, Session, advance_all

FEATURES = ("window", "in_flight", "queueing", "delivery", "loss")
"""What an agent sees of each path: log₂ of the window ÷ 10; segments in flight ÷ window; RTT ÷ smallest RTT − 1; the rate delivered
÷ the largest so far; segments lost in the step ÷ segments sent."""

MOST = 10.0
"""The bound of each feature."""

LARGEST_WINDOW = 10_000.0
"""Segments."""

Reward = Callable[[FlowState, FlowState], float]
"""A function of the flow before and after a step."""


def power(before: FlowState, after: FlowState) -> float:
    """The usual reward: log₂ of the goodput in Mbit/s, less the mean queueing delay of the subflows that are up, as a fraction of
    the smallest RTT."""
    queueing = [s.srtt_s / s.min_rtt_s - 1 for s in after.subflows if s.up and s.srtt_s > 0]
    return log2(after.goodput_bps / 1e6 + 0.01) - sum(queueing) / max(len(queueing), 1)


class Agent:
    """What an agent sees of a flow, and does with the windows of its paths."""

    def __init__(self, session: Session, flow: str, reward: Reward) -> None:
        self.session, self.flow, self.reward = session, flow, reward
        self.before = session.observe().flows[flow]
        self.mss = session._mss(flow)
        self.fastest = [1.0] * len(self.before.subflows)

    def act(self, action: Any) -> None:
        """Sets the windows."""
        if len(action) != len(self.before.subflows):
            raise refused(f"an action of `{self.flow}` must have {len(self.before.subflows)} numbers, one for each path, not {len(action)}")
        for path, (change, subflow) in enumerate(zip(action, self.before.subflows)):
            if subflow.up:
                window = subflow.cwnd_segments * 2.0 ** min(max(float(change), -1.0), 1.0)
                self.session.set_cwnd(self.flow, path, min(max(window, 1.0), LARGEST_WINDOW))

    def see(self, seen: Observation) -> tuple[Any, float]:
        """What the agent sees after a step, and its reward."""
        now, values = seen.flows[self.flow], []
        for path, (before, s) in enumerate(zip(self.before.subflows, now.subflows)):
            fastest = self.fastest[path] = max(self.fastest[path], s.delivery_rate_bps)
            window = max(s.cwnd_segments, 1.0)
            sent = (s.sent_bytes - before.sent_bytes) / self.mss + s.retransmitted_segments - before.retransmitted_segments
            values += [
                log2(window) / 10,
                s.in_flight_segments / window,
                s.srtt_s / s.min_rtt_s - 1 if s.srtt_s > 0 else 0.0,
                s.delivery_rate_bps / fastest,
                (s.lost_segments - before.lost_segments) / max(sent, 1.0),
            ]
        reward = float(self.reward(self.before, now))
        self.before = now
        return numpy.array([min(max(value, -MOST), MOST) for value in values], dtype=numpy.float32), reward


def spaces(paths: int) -> tuple[Any, Any]:
    """Of the observations and of the actions."""
    return (
        gymnasium.spaces.Box(-MOST, MOST, (paths * len(FEATURES),), numpy.float32),
        gymnasium.spaces.Box(-1.0, 1.0, (paths,), numpy.float32),
    )


class Environment(gymnasium.Env[Any, Any]):
    """One flow of a scenario, in steps. An action has a number from -1 to 1 for each path: the path's window is multiplied by two
    to that power. An episode is a run of the scenario, with a seed of its own, and ends (`truncated`) with it.

    A step takes `step` seconds. `reward` is a function of the flow's states before and after a step. `set` works as in `run`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scenario: Scenario,
        flow: str,
        *,
        step: float = 0.01,
        set: Mapping[str, object] = {},
        reward: Reward = power,
    ) -> None:
        self.scenario, self.flow, self.seconds, self.set, self.reward = scenario, flow, step, dict(set), reward
        self.agent = self._agent(1)
        self.observation_space, self.action_space = spaces(len(self.agent.before.subflows))

    def _agent(self, seed: int) -> Agent:
        self.session = Session(self.scenario, seed, control=self.flow, set=self.set)
        return Agent(self.session, self.flow, self.reward)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.session.close()
        run = int(self.np_random.integers(2**63))
        self.agent = self._agent(run)
        features, _ = self.agent.see(self.session.step(self.seconds))
        return features, {"seed": run}

    def result(self, seen: Observation) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The step's result."""
        features, reward = self.agent.see(seen)
        return features, reward, False, seen.done, {"time_s": seen.time_s, "goodput_bps": self.agent.before.goodput_bps}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.agent.act(action)
        return self.result(self.session.step(self.seconds))

    def close(self) -> None:
        self.session.close()


class VectorEnvironment(VectorEnv[Any, Any, Any]):
    """Several environments that step at once, on threads without the interpreter lock. An environment whose episode has ended is
    reset by the next step."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, make: Callable[[], Environment], count: int, *, threads: int | None = None) -> None:
        threads = whole("threads", threads or os.cpu_count() or 1, 1, 10_000)
        self.environments = [make() for _ in range(whole("count", count, 1, 2**31))]
        self.num_envs = count
        self.single_observation_space = self.environments[0].observation_space
        self.single_action_space = self.environments[0].action_space
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self.threads = _anabranch.Threads(threads)
        self.ended = [False] * count

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise refused(f"`seed` has {len(seeds)} seeds: there are {self.num_envs} environments")
        self.ended = [False] * self.num_envs
        return numpy.stack([e.reset(seed=s)[0] for e, s in zip(self.environments, seeds)]), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        if len(actions) != self.num_envs:
            raise refused(f"`actions` has {len(actions)} actions: there are {self.num_envs} environments")
        going = [i for i in range(self.num_envs) if not self.ended[i]]
        features: list[Any] = [None] * self.num_envs
        rewards = numpy.zeros(self.num_envs)
        ended: Any = numpy.zeros(self.num_envs, dtype=bool)
        for i in going:
            self.environments[i].agent.act(actions[i])
        sessions = [self.environments[i].session for i in going]
        until = [session.time_s + self.environments[i].seconds for i, session in zip(going, sessions)]
        for i, seen in zip(going, advance_all(sessions, until, self.threads)):
            features[i], rewards[i], _, ended[i], _ = self.environments[i].result(seen)
        for i in range(self.num_envs):
            if self.ended[i]:
                features[i], _ = self.environments[i].reset()
        self.ended = list(ended)
        return numpy.stack(features), rewards, numpy.zeros(self.num_envs, dtype=bool), ended, {}

    def close_extras(self, **_: Any) -> None:
        for environment in self.environments:
            environment.close()
