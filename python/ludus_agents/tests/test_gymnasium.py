"""Gymnasium's own checker accepts the wrapper, with text and with numbers as actions."""

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from ludus_agents.gymnasium import LudusEnv  # noqa: E402


@pytest.mark.parametrize(("world", "moves"), [("kuhn-poker", ["[check]", "[bet]", "[fold]", "[call]"]), ("kuhn-poker", None), ("wordle", None)])
def test_check_env(ludus_server, world, moves):
    env = LudusEnv(f"{ludus_server}/openenv/{world}", moves=moves)
    check_env(env, skip_render_check=True)
    env.close()


def test_masks_are_the_legal_moves(ludus_server):
    moves = ["[fold]", "[check]", "[bet]", "[call]"]
    env = LudusEnv(f"{ludus_server}/openenv/kuhn-poker", moves=moves, opponents="random")
    total = 0.0
    for seed in range(20):
        _, info = env.reset(seed=seed)
        terminated = truncated = False
        while not (terminated or truncated):
            action = int(info["action_mask"].argmax())
            assert moves[action] in info["choices"]
            _, reward, terminated, truncated, info = env.step(action)
            total += reward
        assert info["penalty"] == 0
    assert total != 0
    env.close()
