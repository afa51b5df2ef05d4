"""Environments of other Python projects are played by Ludus, and replay from their logs."""

import json
import os
import random
import subprocess
import sys

import pytest

COMMAND = (os.environ.get("LUDUS_COMMAND") or "npx ludus").split()


def play(tmp_path, kind, name, seed, cast=("--player", "random"), seats=None):
    bridge = subprocess.Popen(
        [sys.executable, "-m", "ludus_agents.bridge", kind, name, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = bridge.stdout.readline().strip()
        assert url.startswith("ws://")
        task = ["--task", json.dumps({"seats": seats})] if seats else []
        words = ["play", "relay", *task, "--world", f"openenv:{url}", *cast, "--seed", str(seed), "--json"]
        done = subprocess.run([*COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        episode = json.loads(done.stdout.strip().splitlines()[-1])
        assert subprocess.run([*COMMAND, "replay", episode["episode"]], cwd=tmp_path, check=False).returncode == 0
        return episode
    finally:
        bridge.terminate()
        bridge.wait()


def test_gymnasium(tmp_path):
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    assert play(tmp_path, "gymnasium", "FrozenLake-v1", 1)["reason"] == "over"


def test_pettingzoo(tmp_path):
    pytest.importorskip("pettingzoo.classic.tictactoe_v3", reason="pettingzoo.classic is not installed")
    first, again = (play(tmp_path, "pettingzoo", "pettingzoo.classic.tictactoe_v3", 3) for _ in range(2))
    assert first["reason"] == "over"
    assert [first["returns"], first["penalties"]] == [again["returns"], again["penalties"]]


def test_pettingzoo_with_a_seat_for_every_player(tmp_path):
    pytest.importorskip("pettingzoo.classic.tictactoe_v3", reason="pettingzoo.classic is not installed")
    cast = ("--X", "random", "--O", "random")
    episode = play(tmp_path, "pettingzoo", "pettingzoo.classic.tictactoe_v3", 5, cast, ["X", "O"])
    assert episode["reason"] == "over"
    assert episode["returns"]["X"] == -episode["returns"]["O"]


def test_textarena(tmp_path):
    pytest.importorskip("textarena", reason="textarena is not installed")
    mover = tmp_path / "mover.mjs"
    mover.write_text(
        "export default { name: 'mover', act: ({ view }) => {\n"
        "  const text = view.seen.findLast((item) => item.kind === 'message').text;\n"
        "  return { action: { text: /Available Moves: '(\\[\\d\\])'/.exec(text)[1] } };\n"
        "} };\n"
    )
    cast = ("--A", str(mover), "--B", str(mover))
    first, again = (play(tmp_path, "textarena", "TicTacToe-v0", 2, cast, ["A", "B"]) for _ in range(2))
    assert first["reason"] == "over"
    assert first["returns"]["A"] == -first["returns"]["B"] == 1
    assert again["returns"] == first["returns"]


def test_openspiel():
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    from ludus_agents.worlds import OpenSpielGame

    totals = {"player_0": 0.0, "player_1": 0.0}
    for seed in range(50):
        game, dice = OpenSpielGame("kuhn_poker"), random.Random(seed)
        game.start(seed)
        while (asked := game.asked()) is not None:
            game.move(dice.choice(asked.choices))
        for player, earned in game.returns().items():
            totals[player] += earned
    assert totals["player_0"] == -totals["player_1"] != 0


# Chance, several rounds, no chance, and moves at the same time.
@pytest.mark.parametrize("name", ["leduc_poker", "liars_dice", "tic_tac_toe", "goofspiel(num_cards=4)"])
def test_openspiel_over_the_bridge(tmp_path, name):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    cast = ("--A", "random", "--B", "random")
    first, again = (play(tmp_path, "openspiel", name, 3, cast, ["A", "B"]) for _ in range(2))
    assert first["reason"] == "over"
    assert first["returns"] == again["returns"]
    assert first["returns"]["A"] == -first["returns"]["B"]
    assert set(first["penalties"].values()) <= {0}


class Nim:
    """Take one or two of five stones; who takes the last one wins."""

    name, players = "nim", ["first", "second"]

    def start(self, seed):
        self.stones, self.turn, self.winner = 5, 0, None

    def asked(self):
        from ludus_agents.worlds import Asked

        return None if self.stones == 0 else Asked(self.players[self.turn], f"{self.stones} stones", ["[1]", "[2]"][: self.stones])

    def move(self, message):
        if message not in ("[1]", "[2]") or int(message[1]) > self.stones:
            raise ValueError("expected [1] or [2]")
        self.stones -= int(message[1])
        if self.stones == 0:
            self.winner = self.players[self.turn]
        self.turn = 1 - self.turn

    def returns(self):
        return {player: 0.0 if self.winner is None else 1.0 if player == self.winner else -1.0 for player in self.players}


def test_a_game_with_a_seat_for_each_player_and_with_one_seat():
    from ludus_agents.bridge import answer_frame
    from ludus_agents.worlds import GameWorld

    world = GameWorld(Nim(), None)
    packet = answer_frame(world, {"type": "reset", "data": {"seed": 1, "seats": ["a", "b"]}})["data"]["observation"]["packet"]
    assert packet["asks"] == [{"seat": "a", "choices": ["[1]", "[2]"]}]
    step = lambda seat, text: answer_frame(world, {"type": "step", "data": {"answers": {seat: {"message": text}}}})
    assert step("a", "[3]") == {"type": "error", "data": {"message": "expected [1] or [2]", "code": "VALIDATION_ERROR"}}
    assert step("a", "[2]")["data"]["observation"]["packet"]["asks"][0]["seat"] == "b"
    step("b", "[2]")
    last = step("a", "[1]")["data"]
    assert last["done"] and last["observation"]["packet"] == {"rewards": {"a": 1.0, "b": -1.0}, "over": True}

    refused = answer_frame(world, {"type": "reset", "data": {"seats": ["a", "b", "c"]}})
    assert "has 2 players" in refused["data"]["message"]

    alone = GameWorld(Nim(), "second")
    for seed in range(20):
        seen = alone.reset(seed, None)
        while not seen["done"]:
            seen = alone.step({"player": seen["observation"]["info"]["choices"][0]})
        assert seen["reward"] in (1.0, -1.0)
    with pytest.raises(ValueError, match="expected one of first, second"):
        GameWorld(Nim(), "third")


def test_answers_are_read_strictly():
    pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    import numpy as np
    from gymnasium import spaces

    from ludus_agents.worlds import read_action

    assert read_action("I take [2].", spaces.Discrete(4)) == 2
    assert read_action("[0.5]", spaces.Box(-1, 1, (1,))) == np.float32(0.5)
    for message, space in [("[9]", spaces.Discrete(4)), ("[1] or [2]", spaces.Discrete(4)), ("", spaces.Discrete(4)), ("[3]", spaces.Box(-1, 1, (1,)))]:
        with pytest.raises(ValueError, match="expected"):
            read_action(message, space)
    with pytest.raises(ValueError, match="not legal"):
        read_action("[1]", spaces.Discrete(2), mask=[1, 0])
