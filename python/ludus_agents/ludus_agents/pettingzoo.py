"""All seats of a Ludus environment as a PettingZoo environment: `LudusAEC` for games in turns, `LudusParallel` where all seats move at once.

Observations are texts as bytes, since PettingZoo wants arrays: `decode(observation)`, or info["text"].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from ludus_agents.client import Match, Observation, Server
from ludus_agents.spaces import TextBytes, action_space, answer_of, decode, info_of

__all__ = ["LudusAEC", "LudusParallel", "decode"]


class _Seats:
    """What both kinds of environments share. `settings` go with every reset, such as task={"rounds": 3}."""

    def _prepare(self, url: str | None, moves: Sequence[str] | None, token: str | None, settings: dict[str, Any]) -> None:
        self.server = Server(url, token)
        self.moves = None if moves is None else list(moves)
        self.settings = settings
        self.possible_agents = list(self.server.seats())
        self.observation_spaces = {seat: TextBytes() for seat in self.possible_agents}
        self.action_spaces = {seat: action_space(self.moves) for seat in self.possible_agents}
        self._random = np.random.default_rng()
        self._match: Match | None = None

    def _start(self, seed: int | None, options: dict[str, Any] | None) -> None:
        self.close()
        if seed is not None:
            self._random = np.random.default_rng(seed)
        chosen = int(self._random.integers(2**31))
        task = (options or {}).get("task")
        settings = {**self.settings, **({"task": task} if task is not None else {}), "seed": chosen}
        self._match = self.server.match(self.possible_agents, **settings)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def close(self) -> None:
        if self._match is not None:
            self._match.close()
            self._match = None


class LudusAEC(_Seats, AECEnv):
    """A game in turns. Where the rules ask several seats at once, they act one after the other, in no fixed order."""

    def __init__(
        self,
        url: str | None = None,
        moves: Sequence[str] | None = None,
        token: str | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        self._prepare(url, moves, token, settings)
        self.metadata = {"name": self.server.url.rsplit("/", 1)[-1], "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._start(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._texts = dict.fromkeys(self.agents, "")
        self._await_turn()

    def _await_turn(self) -> None:
        assert self._match is not None
        asked = self._match.wait()
        for seat, seen in asked.items():
            self._texts[seat] = seen.text
            self.infos[seat] = info_of(seen, self.moves)
            self.rewards[seat] = seen.reward
            self.truncations[seat] = seen.done and seen.info.get("reason") == "limit"
            self.terminations[seat] = seen.done and not self.truncations[seat]
        self.agent_selection = next(iter(asked))

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert self._match is not None
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._match.answer(agent, answer_of(action, self.moves))
        self._await_turn()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Any:
        return self.observation_spaces[agent].encode(self._texts[agent])

    def render(self) -> str:
        return "\n".join(f"{agent}: {text}" for agent, text in self._texts.items())


class LudusParallel(_Seats, ParallelEnv):
    """A game in which all seats move at once. A game in turns is noticed after `patience` seconds, with an error."""

    def __init__(
        self,
        url: str | None = None,
        moves: Sequence[str] | None = None,
        token: str | None = None,
        render_mode: str | None = None,
        patience: float = 30,
        **settings: Any,
    ) -> None:
        self._prepare(url, moves, token, settings)
        self.metadata = {"name": self.server.url.rsplit("/", 1)[-1], "render_modes": ["ansi"]}
        self.render_mode = render_mode
        self.patience = patience
        self._texts: dict[str, str] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        self._start(seed, options)
        self.agents = list(self.possible_agents)
        seen = self._everybody()
        return self._observations(), {seat: info_of(one, self.moves) for seat, one in seen.items()}

    def _observations(self) -> dict[str, Any]:
        return {seat: self.observation_spaces[seat].encode(text) for seat, text in self._texts.items()}

    def _everybody(self) -> dict[str, Observation]:
        assert self._match is not None
        try:
            seen = self._match.wait(until_all=True, seconds=self.patience)
        except TimeoutError as error:
            self.close()
            raise RuntimeError(f"Not all seats move at once here; use LudusAEC. {error}") from None
        self._texts = {seat: one.text for seat, one in seen.items()}
        return seen

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        assert self._match is not None
        for agent in self.agents:
            self._match.answer(agent, answer_of(actions[agent], self.moves))
        seen = self._everybody()
        truncations = {seat: one.done and one.info.get("reason") == "limit" for seat, one in seen.items()}
        terminations = {seat: one.done and not truncations[seat] for seat, one in seen.items()}
        self.agents = [seat for seat in self.agents if not seen[seat].done]
        rewards = {seat: one.reward for seat, one in seen.items()}
        return self._observations(), rewards, terminations, truncations, {seat: info_of(one, self.moves) for seat, one in seen.items()}

    def render(self) -> str:
        return "\n".join(f"{agent}: {text}" for agent, text in self._texts.items())
