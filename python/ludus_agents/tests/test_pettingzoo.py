"""PettingZoo's own API tests accept the wrappers."""

import pytest

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test  # noqa: E402

from ludus_agents.pettingzoo import LudusAEC, LudusParallel  # noqa: E402

POKER = ["[check]", "[bet]", "[fold]", "[call]"]
DILEMMA = ["[C]", "[D]"]


def poker(url, moves=None):
    return LudusAEC(f"{url}/openenv/kuhn-poker", moves=moves)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("moves", [POKER, None])
def test_aec(ludus_server, moves):
    env = poker(ludus_server, moves)
    api_test(env, num_cycles=60)
    env.close()


def test_aec_seeds(ludus_server):
    seed_test(lambda: poker(ludus_server, POKER), num_cycles=20)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_parallel(ludus_server):
    env = LudusParallel(f"{ludus_server}/openenv/dilemma", moves=DILEMMA)
    parallel_api_test(env, num_cycles=60)
    env.close()


def test_parallel_seeds(ludus_server):
    parallel_seed_test(lambda: LudusParallel(f"{ludus_server}/openenv/dilemma", moves=DILEMMA), num_cycles=20)


def test_a_game_in_turns_is_not_parallel(ludus_server):
    with pytest.raises(RuntimeError, match="LudusAEC"):
        LudusParallel(f"{ludus_server}/openenv/kuhn-poker", patience=1).reset(seed=1)
