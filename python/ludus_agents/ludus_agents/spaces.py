"""Spaces and observations that the Gymnasium and the PettingZoo wrappers share."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from ludus_agents.client import Observation

LONGEST = 100_000


class AnyText(spaces.Text):
    """Text of any characters; samples are short and of plain letters."""

    def __init__(self, longest: int = LONGEST) -> None:
        super().__init__(max_length=longest, min_length=0, charset=string.ascii_letters + " []")

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        length = int(self.np_random.integers(1, 12))
        return "".join(self.np_random.choice(list(self.character_list), size=length))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


def action_space(moves: Sequence[str] | None) -> spaces.Space[Any]:
    return AnyText() if moves is None else spaces.Discrete(len(moves))


def answer_of(action: Any, moves: Sequence[str] | None) -> str:
    return str(action) if moves is None else moves[int(action)]


def info_of(observation: Observation, moves: Sequence[str] | None) -> dict[str, Any]:
    info = {**observation.info, "choices": list(observation.choices), "text": observation.text}
    if moves is not None:
        legal = [move in observation.choices for move in moves]
        # Without a list of legal answers every move may be tried.
        info["action_mask"] = np.array(legal if any(legal) else [True] * len(moves), dtype=np.int8)
    return info


class TextBytes(spaces.Box):
    """Text as its bytes in UTF-8, padded with zeros: for libraries that take arrays only. Of a longer text the end remains."""

    def __init__(self, longest: int = 4096) -> None:
        super().__init__(0, 255, (longest,), np.uint8)

    def encode(self, text: str) -> np.ndarray[Any, Any]:
        array = np.zeros(self.shape, np.uint8)
        data = text.encode()[-self.shape[0] :]
        array[: len(data)] = np.frombuffer(data, np.uint8)
        return array


def decode(array: np.ndarray[Any, Any]) -> str:
    """The text of an observation."""
    return bytes(array).rstrip(b"\0").decode(errors="replace")
