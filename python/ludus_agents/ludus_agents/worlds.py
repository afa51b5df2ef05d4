"""Environments of other Python projects, for the bridge: Gymnasium, PettingZoo, OpenSpiel, TextArena, verifiers.

A `Game` is played in turns by named players. `GameWorld` serves one: with one player, the others choose legal moves at random; with several, every
player is an agent of Ludus. `GymnasiumWorld` serves an environment that has one player anyway.
"""

from __future__ import annotations

import importlib
import json
import random
import re
import threading
from typing import Any, NamedTuple, Protocol

MOST_CHOICES = 400


class World(Protocol):
    """One session of an environment. Both calls return the data of an OpenEnv observation; ValueError is a refusal that the player reads."""

    def reset(self, seed: int, seats: list[str] | None) -> dict[str, Any]: ...
    def step(self, answers: dict[str, str]) -> dict[str, Any]: ...


class Asked(NamedTuple):
    """Who moves next, what this player learns before, and its legal moves where the game lists them."""

    player: str
    text: str
    choices: list[str]


class Game(Protocol):
    """A game in turns."""

    name: str
    players: list[str]

    def start(self, seed: int) -> None: ...
    def asked(self) -> Asked | None: ...
    def move(self, message: str) -> None: ...
    def returns(self) -> dict[str, float]: ...


def to_text(value: Any) -> str:
    """An observation as a player reads it."""
    import numpy as np

    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(f"{name}: {to_text(part)}" for name, part in value.items())
    return np.array2string(np.asarray(value), precision=4, threshold=500)


def choices_of(space: Any, mask: Any = None) -> list[str]:
    import numpy as np
    from gymnasium import spaces

    if not isinstance(space, spaces.Discrete) or space.n > MOST_CHOICES:
        return []
    legal = range(int(space.n)) if mask is None else np.flatnonzero(mask)
    return [f"[{int(space.start) + int(number)}]" for number in legal]


def read_action(message: str, space: Any, mask: Any = None) -> Any:
    """The action that a message names; ValueError says what was expected."""
    import numpy as np
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        numbers = re.findall(r"\[(-?\d+)\]", message) or re.findall(r"^\s*(-?\d+)\s*$", message)
        if len(numbers) != 1 or not space.contains(int(numbers[0])):
            raise ValueError(f"expected one number from {space.start} to {space.start + space.n - 1} in square brackets")
        number = int(numbers[0])
        if mask is not None and not mask[number - int(space.start)]:
            raise ValueError(f"[{number}] is not legal now")
        return number
    if isinstance(space, spaces.Text):
        return message
    try:
        action = np.asarray(json.loads(message), dtype=space.dtype).reshape(space.shape or ())
    except (ValueError, TypeError) as error:
        raise ValueError(f"expected a JSON list that fits {space}: {error}") from None
    if not space.contains(action):
        raise ValueError(f"expected a JSON list that fits {space}")
    return action


def observation(text: str, choices: list[str], reward: float | None, done: bool) -> dict[str, Any]:
    """What one player is sent."""
    messages = [{"sender_id": -1, "content": text, "category": "GAME_MESSAGE"}]
    return {"observation": {"prompt": text, "messages": messages, "info": {"choices": choices}}, "reward": reward, "done": done}


class GymnasiumWorld:
    def __init__(self, name: str) -> None:
        import gymnasium

        self.env = gymnasium.make(name)

    def reset(self, seed: int, seats: list[str] | None) -> dict[str, Any]:
        if seats:
            raise ValueError(f"a Gymnasium environment has one player, but the relay has {len(seats)} seats")
        seen, info = self.env.reset(seed=seed)
        self.mask = info.get("action_mask")
        about = f"You act in {self.env.spec.id if self.env.spec else self.env}. Actions: {self.env.action_space}."
        return observation(f"{about}\n{to_text(seen)}", choices_of(self.env.action_space, self.mask), None, False)

    def step(self, answers: dict[str, str]) -> dict[str, Any]:
        action = read_action(*answers.values(), self.env.action_space, self.mask)
        seen, reward, terminated, truncated, info = self.env.step(action)
        self.mask = info.get("action_mask")
        done = bool(terminated or truncated)
        return observation(to_text(seen), [] if done else choices_of(self.env.action_space, self.mask), float(reward), done)


class PettingZooGame:
    """A module with `env()` (in turns) or only `parallel_env()`, whose moves are then asked for one after the other."""

    def __init__(self, name: str) -> None:
        self.name = name.rsplit(".", 1)[-1]
        module = importlib.import_module(name)
        if hasattr(module, "env"):
            self.env = module.env()
        else:
            from pettingzoo.utils import parallel_to_aec

            self.env = parallel_to_aec(module.parallel_env())
        self.players = list(self.env.possible_agents)

    def start(self, seed: int) -> None:
        self.env.reset(seed=seed)
        self.totals = dict.fromkeys(self.players, 0.0)

    def _mask(self, player: str) -> Any:
        seen = self.env.observe(player)
        return seen.get("action_mask") if isinstance(seen, dict) else self.env.infos[player].get("action_mask")

    def asked(self) -> Asked | None:
        while self.env.agents:
            player = self.env.agent_selection
            seen, _, terminated, truncated, _ = self.env.last()
            if terminated or truncated:
                self._step(None)
                continue
            space = self.env.action_space(player)
            text = to_text(seen.get("observation", seen) if isinstance(seen, dict) else seen)
            return Asked(player, f"Actions: {space}.\n{text}", choices_of(space, self._mask(player)))
        return None

    def move(self, message: str) -> None:
        player = self.env.agent_selection
        self._step(read_action(message, self.env.action_space(player), self._mask(player)))

    def _step(self, action: Any) -> None:
        self.env.step(action)
        for player, reward in self.env.rewards.items():
            self.totals[player] += float(reward)

    def returns(self) -> dict[str, float]:
        return self.totals


class OpenSpielGame:
    """A game of OpenSpiel in turns, such as leduc_poker or kuhn_poker(players=3). Chance is drawn by the seed."""

    def __init__(self, name: str) -> None:
        import pyspiel

        self.name = name
        self.game = pyspiel.load_game(name)
        if self.game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
            self.game = pyspiel.convert_to_turn_based(self.game)
        self.players = [f"player_{i}" for i in range(self.game.num_players())]

    def start(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.state = self.game.new_initial_state()
        self._draw_chance()

    def _draw_chance(self) -> None:
        while self.state.is_chance_node():
            outcomes, weights = zip(*self.state.chance_outcomes(), strict=True)
            self.state.apply_action(self.random.choices(outcomes, weights)[0])

    def _moves(self) -> dict[str, int]:
        player = self.state.current_player()
        return {f"[{self.state.action_to_string(player, action)}]": action for action in self.state.legal_actions()}

    def asked(self) -> Asked | None:
        if self.state.is_terminal():
            return None
        player = self.state.current_player()
        kind = self.game.get_type()
        if kind.provides_information_state_string:
            text = self.state.information_state_string(player)
        elif kind.provides_observation_string:
            text = self.state.observation_string(player)
        else:
            text = str(self.state)
        choices = list(self._moves())
        return Asked(self.players[player], text, choices if len(choices) <= MOST_CHOICES else [])

    def move(self, message: str) -> None:
        moves = self._moves()
        matches = [move for move in moves if move in message] or [move for move in moves if move[1:-1] == message.strip()]
        if len(matches) != 1:
            raise ValueError(f"expected one of {' '.join(list(moves)[:40])}")
        self.state.apply_action(moves[matches[0]])
        self._draw_chance()

    def returns(self) -> dict[str, float]:
        return dict(zip(self.players, map(float, self.state.returns()), strict=True))


class TextArenaGame:
    """A game of TextArena, such as TicTacToe-v0. Its games draw from Python's global `random`, so each session keeps that generator's state."""

    lock = threading.Lock()

    def __init__(self, name: str, players: int | None) -> None:
        import textarena

        self.name = name
        self.env = textarena.make(name)
        self.players = [f"player_{i}" for i in range(players or self._fewest())]
        self.over = False

    def _fewest(self) -> int:
        """The smallest number of players that the game accepts."""
        problem: Exception | None = None
        for count in range(1, 11):
            try:
                self.env.reset(num_players=count, seed=0)
                return count
            except (AssertionError, ValueError) as error:
                problem = error
        raise ValueError(f"{self.name}: no number of players from 1 to 10 is accepted: {problem}")

    def _with_dice(self, call: Any) -> Any:
        with self.lock:
            before = random.getstate()
            random.setstate(self.dice)
            try:
                return call()
            finally:
                self.dice = random.getstate()
                random.setstate(before)

    def start(self, seed: int) -> None:
        self.dice = random.Random(seed).getstate()
        self._with_dice(lambda: self.env.reset(num_players=len(self.players), seed=seed))
        self.over = False

    def asked(self) -> Asked | None:
        if self.over:
            return None
        player, seen = self.env.get_observation()
        return Asked(self.players[player], seen if isinstance(seen, str) else "\n".join(part[1] for part in seen), [])

    def move(self, message: str) -> None:
        self.over, _ = self._with_dice(lambda: self.env.step(action=message))

    def returns(self) -> dict[str, float]:
        rewards, _ = self.env.close() if self.over else ({}, {})
        return {player: float((rewards or {}).get(i, 0.0)) for i, player in enumerate(self.players)}


class GameWorld:
    """A game for the relay. `seat` is who the one player is where the relay has one seat."""

    def __init__(self, game: Game, seat: str | None) -> None:
        self.game = game
        self.seat = seat or game.players[0]
        if self.seat not in game.players:
            raise ValueError(f"unknown player {self.seat}; expected one of {', '.join(game.players)}")

    def reset(self, seed: int, seats: list[str] | None) -> dict[str, Any]:
        players = self.game.players
        if seats and len(seats) != len(players):
            raise ValueError(f"{self.game.name} has {len(players)} players ({', '.join(players)}), but the relay has {len(seats)} seats")
        self.seats = dict(zip(players, seats, strict=True)) if seats else None
        self.random = random.Random(seed)
        self.game.start(seed)
        self.earned = dict.fromkeys(players, 0.0)
        self.introduced: set[str] = set()
        return self._next()

    def step(self, answers: dict[str, str]) -> dict[str, Any]:
        self.game.move(next(iter(answers.values())))
        return self._next()

    def _next(self) -> dict[str, Any]:
        while (asked := self.game.asked()) is not None and self.seats is None and asked.player != self.seat:
            if not asked.choices:
                raise ValueError(
                    f"{self.game.name} does not list legal moves, so that nobody can play {asked.player} at random: "
                    f"give every player a seat, as in --task '{json.dumps({'seats': self.game.players})}'"
                )
            self.game.move(self.random.choice(asked.choices))
        returns = self.game.returns()
        rewards = {player: returns[player] - self.earned[player] for player in self.game.players}
        self.earned = dict(returns)
        return self._packet(asked, rewards) if self.seats is not None else self._observation(asked, rewards[self.seat])

    def _introduce(self, asked: Asked) -> str:
        first = asked.player not in self.introduced
        self.introduced.add(asked.player)
        return f"You are {asked.player} in {self.game.name}.\n{asked.text}" if first else asked.text

    def _observation(self, asked: Asked | None, reward: float) -> dict[str, Any]:
        if asked is None:
            return observation("The episode is over.", [], reward, True)
        return observation(self._introduce(asked), asked.choices, reward, False)

    def _packet(self, asked: Asked | None, rewards: dict[str, float]) -> dict[str, Any]:
        assert self.seats is not None
        packet: dict[str, Any] = {"rewards": {self.seats[player]: reward for player, reward in rewards.items() if reward != 0.0}}
        if asked is None:
            packet["over"] = True
        else:
            seat = self.seats[asked.player]
            packet["messages"] = [{"to": [seat], "text": self._introduce(asked)}]
            packet["asks"] = [{"seat": seat, **({"choices": asked.choices} if asked.choices else {})}]
        return {"observation": {"packet": packet}, "reward": None, "done": asked is None}


def create_world(kind: str, name: str, seat: str | None = None, players: int | None = None) -> World:
    """A session of the environment `name` of the project `kind`."""
    if kind == "gymnasium":
        return GymnasiumWorld(name)
    if kind == "verifiers":
        from ludus_agents.verifiers import VerifiersWorld

        return VerifiersWorld(name)
    game: Game = PettingZooGame(name) if kind == "pettingzoo" else OpenSpielGame(name) if kind == "openspiel" else TextArenaGame(name, players)
    return GameWorld(game, seat)


KINDS = ("gymnasium", "pettingzoo", "openspiel", "textarena", "verifiers")
