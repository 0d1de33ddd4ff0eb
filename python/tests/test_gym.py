"""The environments of gymnasium and of PettingZoo."""

import os

import pytest
from conftest import SHORT

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed: its environments are not tested")
pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not tested")

import numpy  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from pettingzoo.test import parallel_api_test, parallel_seed_test  # noqa: E402

import anabranch  # noqa: E402
from anabranch.gym import Environment, VectorEnvironment  # noqa: E402
from anabranch.pettingzoo import ParallelEnvironment  # noqa: E402


def test_it_is_an_environment() -> None:
    environment = Environment(SHORT, "tested")
    check_env(environment, skip_render_check=True)
    features, info = environment.reset(seed=1)
    again, other = environment.reset(seed=1)
    assert info == other and (features == again).all()


def test_actions_change_windows_until_the_episode_ends() -> None:
    environment = Environment(SHORT, "tested", step=0.05)
    environment.reset(seed=1)
    goodputs, steps, ended = [], 0, False
    while not ended:
        _, reward, terminated, ended, info = environment.step([0.2 if steps < 20 else -1.0] * 2)
        assert not terminated and numpy.isfinite(reward)
        goodputs.append(info["goodput_bps"])
        steps += 1
    assert steps == 59
    assert max(goodputs[:25]) > 4e6 > 2e6 > goodputs[-1]


def test_several_step_at_once() -> None:
    """As each by itself."""
    vector = VectorEnvironment(lambda: Environment(SHORT, "tested", step=0.1), 3, threads=2)
    alone = [Environment(SHORT, "tested", step=0.1) for _ in range(3)]
    features, _ = vector.reset(seed=5)
    for i, environment in enumerate(alone):
        assert (features[i] == environment.reset(seed=5 + i)[0]).all()
    for _ in range(28):
        actions = numpy.full((3, 2), 0.1, dtype=numpy.float32)
        features, rewards, terminated, ended, _ = vector.step(actions)
        for i, environment in enumerate(alone):
            own = environment.step(actions[i])
            assert (features[i] == own[0]).all() and rewards[i] == own[1] and not terminated[i]
        assert not ended.any()
    *_, ended, _ = vector.step(actions)
    assert ended.all()
    # The next step resets.
    features, rewards, _, ended, _ = vector.step(actions)
    # So it does in a process that was forked, which has none of the threads.
    pid = os.fork()
    if pid == 0:
        vector.step(actions)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert features.shape == (3, 10) and not rewards.any() and not ended.any()
    vector.close()


def test_agents_share_a_link() -> None:
    make = lambda: ParallelEnvironment(SHORT, step=0.05)  # noqa: E731
    parallel_api_test(make(), num_cycles=150)
    parallel_seed_test(make, num_cycles=30)
    environment = make()
    environment.reset(seed=1)
    assert environment.agents == ["tested", "other"]
    assert [environment.action_space(agent).shape for agent in environment.agents] == [(2,), (1,)]
    while environment.agents:
        # The one grows slowly, the other shrinks to one segment: 1448 bytes in 21 ms at most.
        actions = {"tested": numpy.full(2, 0.05), "other": numpy.full(1, -1.0)}
        _, rewards, _, ended, infos = environment.step(actions)
    assert set(ended.values()) == {True} and rewards["tested"] != rewards["other"] and infos["other"]["time_s"] == 3.0
    tested, other = environment.session.finish().flows["goodput_bps"]
    assert tested > 5e6 and 0 < other < 1448 * 8 / 0.021


def test_one_agent_is_the_environment() -> None:
    """The same windows for one flow, and the same is seen."""
    several, alone = ParallelEnvironment(SHORT, ["tested"], step=0.1), Environment(SHORT, "tested", step=0.1)
    _, info = several.reset(seed=1)
    seed = info["tested"]["seed"]
    alone.agent = alone._agent(seed)
    alone.agent.see(alone.session.step(0.1))
    for _ in range(20):
        (ours, theirs) = several.step({"tested": [0.2, 0.1]}), alone.step([0.2, 0.1])
        assert (ours[0]["tested"] == theirs[0]).all() and ours[1]["tested"] == theirs[1]


def test_another_number_is_refused() -> None:
    """Of actions, seeds and environments: the rest would stay as it was."""
    environment = Environment(SHORT, "tested")
    environment.reset(seed=1)
    for action in ([0.1], [0.1, 0.1, 0.1]):
        with pytest.raises(anabranch.InputError, match="must have 2 numbers, one for each path"):
            environment.step(action)
    several = VectorEnvironment(lambda: Environment(SHORT, "tested"), 2)
    several.reset(seed=1)
    for actions in ([[0.1, 0.1]], [[0.1, 0.1]] * 3):
        with pytest.raises(anabranch.InputError, match=f"`actions` has {len(actions)} actions: there are 2 environments"):
            several.step(actions)
    with pytest.raises(anabranch.InputError, match="`seed` has 1 seeds: there are 2 environments"):
        VectorEnvironment(lambda: environment, 2).reset(seed=[1])
    with pytest.raises(anabranch.InputError, match="`count` is 0"):
        VectorEnvironment(lambda: environment, 0)
