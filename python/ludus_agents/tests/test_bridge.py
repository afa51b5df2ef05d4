"""Environments of Gymnasium and PettingZoo are played by Ludus, and replay from their logs."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed")

COMMAND = (os.environ.get("LUDUS_COMMAND") or "npx ludus").split()


def play(tmp_path, kind, name, seed):
    bridge = subprocess.Popen(
        [sys.executable, "-m", "ludus_agents.bridge", kind, name, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = bridge.stdout.readline().strip()
        assert url.startswith("ws://")
        words = ["play", "relay", "--world", f"openenv:{url}", "--player", "random", "--seed", str(seed), "--json"]
        done = subprocess.run([*COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.strip().splitlines()[-1])
    finally:
        bridge.terminate()
        bridge.wait()


def test_gymnasium(tmp_path):
    episode = play(tmp_path, "gymnasium", "FrozenLake-v1", 1)
    assert subprocess.run([*COMMAND, "replay", episode["episode"]], cwd=tmp_path, check=False).returncode == 0
    assert episode["reason"] == "over"


def test_pettingzoo(tmp_path):
    pytest.importorskip("pettingzoo.classic.tictactoe_v3", reason="pettingzoo.classic is not installed")
    first, again = (play(tmp_path, "pettingzoo", "pettingzoo.classic.tictactoe_v3", 3) for _ in range(2))
    assert first["reason"] == "over"
    assert [first["returns"], first["penalties"]] == [again["returns"], again["penalties"]]


def test_answers_are_read_strictly():
    import numpy as np
    from gymnasium import spaces

    from ludus_agents.bridge import read_action

    assert read_action("I take [2].", spaces.Discrete(4)) == 2
    assert read_action("[0.5]", spaces.Box(-1, 1, (1,))) == np.float32(0.5)
    for message, space in [("[9]", spaces.Discrete(4)), ("[1] or [2]", spaces.Discrete(4)), ("", spaces.Discrete(4)), ("[3]", spaces.Box(-1, 1, (1,)))]:
        with pytest.raises(ValueError, match="expected"):
            read_action(message, space)
    with pytest.raises(ValueError, match="not legal"):
        read_action("[1]", spaces.Discrete(2), mask=[1, 0])
