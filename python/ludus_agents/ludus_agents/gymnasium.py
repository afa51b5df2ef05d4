"""One seat of a Ludus environment as a Gymnasium environment; the server plays the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium

from ludus_agents.client import Episode, Server
from ludus_agents.spaces import AnyText, action_space, answer_of, info_of


class LudusEnv(gymnasium.Env[str, Any]):
    """Observations are text. Actions are text, or numbers of `moves` with info["action_mask"].

    `settings` go with every reset: task={"rounds": 3}, opponents="scripted:equilibrium", seat="second".
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        url: str | None = None,
        moves: Sequence[str] | None = None,
        token: str | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.server = Server(url, token)
        self.moves = None if moves is None else list(moves)
        self.settings = settings
        self.render_mode = render_mode
        self.observation_space = AnyText()
        self.action_space = action_space(self.moves)
        self._episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        chosen = int(self.np_random.integers(2**31)) if seed is None else seed
        self._episode = self.server.reset(**{**self.settings, **(options or {}), "seed": chosen})
        seen = self._episode.observation
        return seen.text, info_of(seen, self.moves)

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("Call reset() before step().")
        seen = self._episode.step(answer_of(action, self.moves))
        # An episode that a limit ended was cut short; every other end is one of the rules.
        truncated = seen.done and seen.info.get("reason") == "limit"
        return seen.text, seen.reward, seen.done and not truncated, truncated, info_of(seen, self.moves)

    def render(self) -> str:
        return "" if self._episode is None else self._episode.observation.text

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None
