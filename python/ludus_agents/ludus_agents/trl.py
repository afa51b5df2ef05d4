"""A Ludus environment for TRL's GRPOTrainer.

    from ludus_agents.trl import environment, rows
    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        train_dataset=rows(1000),
        environment_factory=environment("http://127.0.0.1:8000/openenv/kuhn-poker", opponents="random"),
        args=GRPOConfig(max_completion_length=1024),
    )

The model calls the tool `act` until the episode is over; the return of its seat is the reward.
"""

from __future__ import annotations

from typing import Any

from ludus_agents.client import Episode, Observation, Server


class _Seat:
    """One episode at a time. TRL makes a tool of every public method, so that everything else starts with an underscore."""

    _server: Server
    _settings: dict[str, Any] = {}

    def __init__(self) -> None:
        self._episode: Episode | None = None

    def reset(self, prompt: Any = None, seed: int | None = None, task: Any = None, **_: Any) -> str:
        if self._episode is not None:
            self._episode.close()
        settings = {**self._settings, "seed": seed, **({"task": task} if task is not None else {})}
        self._episode = self._server.reset(**settings)
        return _text(self._episode.observation)

    def act(self, message: str) -> str:
        """
        Make your move in the game.

        Args:
            message: Your move, written exactly as the game asks for it.

        Returns:
            What happened then.
        """
        if self._episode is None or self._episode.done:
            raise ValueError("The episode is over.")
        return _text(self._episode.step(message))

    def get_reward(self) -> float:
        return 0.0 if self._episode is None else self._episode.total


def _text(seen: Observation) -> str:
    moves = f"\nYour moves: {' '.join(seen.choices)}" if seen.choices else ""
    return f"{seen.text}{moves}" if not seen.done else f"{seen.text}\nThe episode is over."


def environment(url: str | None = None, token: str | None = None, **settings: Any) -> type[_Seat]:
    """The class for `environment_factory`. `settings` go with every reset: task={"rounds": 3}, opponents="scripted:equilibrium"."""
    return type("LudusEnvironment", (_Seat,), {"_server": Server(url, token), "_settings": settings})


def rows(count: int, first: int = 0, instruction: str = "Play the game below with the tool until it is over.\n\n") -> Any:
    """A dataset of seeds: every member of a group plays the same deal, so that their returns can be compared."""
    from datasets import Dataset

    prompt = [{"role": "user", "content": instruction}]
    return Dataset.from_list([{"prompt": prompt, "seed": seed} for seed in range(first, first + count)])
