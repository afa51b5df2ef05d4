"""Texts that share little, written side by side: each has a row of a fixed memory, and one pass writes the next token of all of them.

Trees (sampling.py) are for what begins alike. Texts that do not would make a tree in which every token is held against all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lora import LayerWeights, Weights
from model import Blocks, Cache, Segment, Transformer, brought, waiting
from passes import recorded

"""Texts that are written at a time, their most tokens, and tokens of prompts that are read in one pass."""
ROWS = 192
ROOM = 2048
MOST_READ = 8192
"""Rows and places of a pass that is recorded."""
COUNTS = (16, 64)
SIZES = (256, 512, 1024, 2048)


@dataclass
class Written:
    """A text under way: who writes it, its row there, and how many of its tokens are in the memory."""

    by: Decoder
    row: int
    length: int
    token: int = 0


class Decoder:
    def __init__(self, model: Transformer, rows: int = ROWS, room: int = ROOM, graphs: bool = True) -> None:
        c = model.config
        self.model, self.room, self.graphs = model, min(room, c.context), graphs and model.device.type == "cuda"
        # A sixteenth of the memory of a GPU at most, or 1 GB.
        most = torch.cuda.get_device_properties(model.device).total_memory // 16 if model.device.type == "cuda" else 2**30
        each = 2 * c.layers * self.room * c.kv_heads * c.head_size * model.embedding.element_size()
        rows = min(rows, max(8, most // each))
        self.rows = rows
        self.cache: Cache | None = None
        self.free = list(range(rows))
        self.owner: Any = None
        self.passes: dict[tuple[int, int, int], Callable[[], Tensor]] = {}
        self.weights: dict[int, Weights] = {}

    def has_room(self, owner: Any, samples: int) -> bool:
        """Whether so many texts of this owner can begin now; the weights of all that are under way are the same."""
        return samples <= len(self.free) and (self.owner is owner or len(self.free) == self.rows)

    def begin(self, owner: Any, weights: Weights | None, count: int) -> list[Written]:
        if self.cache is None:
            self.cache = Cache.empty(self.model, self.rows, self.room)
            self.numbers = torch.zeros((2, self.rows), dtype=torch.long, device=self.model.device)
        if self.owner is not owner:
            self.owner = owner
            if weights is not None:
                # Passes read the weights from one place.
                own = self.weights.get(weights.layout.rank)
                if own is None:
                    own = self.weights[weights.layout.rank] = Weights(weights.layout, weights.wide.clone())
                own.wide.copy_(weights.wide)
            self.now = None if weights is None else self.weights[weights.layout.rank]
        # The lowest rows first: a pass reads all up to the highest that is in use.
        return [Written(self, heappop(self.free), 0) for _ in range(count)]

    def end(self, text: Written) -> None:
        heappush(self.free, text.row)
        if len(self.free) == self.rows:
            self.owner = None

    def read(self, texts: Sequence[Written], prompts: Sequence[Sequence[int]]) -> Tensor:
        """Reads prompts into the memory; the last hidden state of each. A prompt that is the one before it is copied."""
        firsts = [i for i in range(len(texts)) if i == 0 or prompts[i] is not prompts[i - 1]]
        out: list[Tensor] = []
        at = 0
        while at < len(firsts):
            stop, total = at, 0
            while stop < len(firsts) and (stop == at or total + len(prompts[firsts[stop]]) <= MOST_READ):
                total += len(prompts[firsts[stop]])
                stop += 1
            some = firsts[at:stop]
            out.append(self._read([texts[i] for i in some], [prompts[i] for i in some]))
            at = stop
        for first, after in zip(firsts, [*firsts[1:], len(texts)]):
            self._copy(texts[first], texts[first + 1 : after])
        repeats = np.diff([*firsts, len(texts)])
        return torch.cat(out).repeat_interleave(brought(repeats, self.model.device), 0)

    def _copy(self, source: Written, others: Sequence[Written]) -> None:
        if not others or self.cache is None:
            return
        rows = brought([text.row for text in others], self.model.device)
        for part in (self.cache.keys, self.cache.values):
            part[:, rows, :, : source.length] = part[:, source.row : source.row + 1, :, : source.length]
        for text in others:
            text.length = source.length

    def _read(self, texts: Sequence[Written], prompts: Sequence[Sequence[int]]) -> Tensor:
        device = self.model.device
        lengths = np.array([len(prompt) for prompt in prompts])
        roots = np.concatenate([[0], np.cumsum(lengths)])
        depths = np.concatenate([np.arange(n) for n in lengths])
        blocks = Blocks(depths, np.repeat(roots[1:], lengths), roots, device)
        rows = brought(np.repeat([text.row for text in texts], lengths), device)
        tokens = brought(np.concatenate(prompts), device)
        places = brought(depths, device)
        lora = self._lora()
        segment = Segment(0, len(depths), None, lora, blocks=blocks, cache=self.cache, rows=rows, at=places)
        hidden = self.model.read(tokens, places, [segment])
        for text, n in zip(texts, lengths):
            text.length = int(n)
        return hidden[brought(roots[1:] - 1, device)]

    def step(self, texts: Sequence[Written]) -> Tensor:
        """Reads the last token of each text; its hidden state."""
        longest, highest = max(text.length for text in texts) + 1, max(text.row for text in texts) + 1
        size = next((size for size in SIZES if longest <= size <= self.room), self.room)
        count = next((count for count in COUNTS if highest <= count <= self.rows), self.rows) if self.graphs else highest
        numbers = np.zeros((2, self.rows), np.int64)
        for text in texts:
            numbers[:, text.row] = text.token, text.length
            text.length += 1
        self.numbers.copy_(waiting(numbers, self.model.device), non_blocking=True)
        key = (0 if self.now is None else self.now.layout.rank, count, size)
        run = self.passes.get(key)
        if run is None:
            run = self._pass(count, size)
            if self.graphs:
                run = self.passes[key] = recorded(run, self.model.device)
        return run()[brought([text.row for text in texts], self.model.device)]

    def _pass(self, count: int, size: int) -> Callable[[], Tensor]:
        rows = torch.arange(count, device=self.model.device)
        order = torch.arange(size, device=self.model.device)
        lora = self._lora()
        # Rows without a text read one token at the first place of a row that is written anew before it is used.
        tokens, places = self.numbers[0, :count], self.numbers[1, :count]

        def run() -> Tensor:
            sees = (order[None, :] <= places[:, None])[:, None, None, :]
            segment = Segment(0, count, sees, lora, cache=self.cache, rows=rows, at=places)
            return self.model.read(tokens, places, [segment])

        return run

    def _lora(self) -> Sequence[LayerWeights] | None:
        return None if self.now is None else self.now.layers()
