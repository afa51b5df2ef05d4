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

from ludus_gpu.devices import brought, waiting
from ludus_gpu.lora import LayerWeights, Weights
from ludus_gpu.model import Cache, Memory, Segment, Transformer
from ludus_gpu.passes import ReadingPasses, recorded
from ludus_gpu.trees import Tree

"""Texts that are written at a time, their most tokens, and tokens of prompts that are read in one pass."""
ROWS = 192
ROOM = 2048
MOST_READ = 8192
"""Rows and places of a pass that is recorded."""
COUNTS = (16, 64, 192, 512, 1024)
SIZES = (256, 512, 1024, 2048)


@dataclass
class Written:
    """A text under way: who writes it, its row there, and how many of its tokens are in the memory."""

    by: Decoder
    row: int
    length: int
    token: int = 0


class Decoder:
    def __init__(self, model: Transformer, rows: int = ROWS, room: int = ROOM, graphs: bool = True, reading: ReadingPasses | None = None) -> None:
        c = model.config
        self.model, self.room, self.graphs = model, min(room, c.context), graphs and model.device.type == "cuda"
        self.reading = reading or ReadingPasses(model, graphs)
        # A sixteenth of the memory of a GPU at most, or 1 GB.
        most = torch.cuda.get_device_properties(model.device).total_memory // 16 if model.device.type == "cuda" else 2**30
        each = 2 * c.layers * self.room * c.kv_heads * c.head_size * model.embedding.element_size()
        self.usual = (min(rows, max(8, most // each)), self.room)
        self.whole: Cache | None = None
        self.cache: Cache | None = None
        self.owner: Any = None
        self.passes: dict[tuple[int, int, int, int], Callable[[], Tensor]] = {}
        self.weights: dict[int, Weights] = {}
        self._divide(*self.usual)

    def _divide(self, rows: int, room: int) -> None:
        """The same memory in more rows that are shorter, or as usual."""
        self.rows, self.room, self.free = rows, room, list(range(rows))
        if self.whole is not None:
            self.cache = self.whole.divided(rows, room)

    def rows_of(self, longest: int) -> int:
        """How many texts of this length there is room for where nobody writes; none where they are too long."""
        room = self._room_of(longest)
        return 0 if room is None else self.usual[0] * self.usual[1] // room

    def _room_of(self, longest: int) -> int | None:
        return next((size for size in (*SIZES, self.usual[1]) if longest <= size <= self.usual[1]), None)

    def begin(self, owner: Any, weights: Weights | None, count: int, longest: int | None = None) -> list[Written]:
        """Rows for so many texts; where nobody writes, in rows that are no longer than these need."""
        if self.cache is None:
            self.whole = self.cache = Cache.empty(self.model, *self.usual)
            self.numbers = torch.zeros((2, self.usual[0] * self.usual[1] // min(SIZES[0], self.usual[1])), dtype=torch.long, device=self.model.device)
        room = None if longest is None else self._room_of(longest)
        if room is not None and self.owner is None:
            self._divide(self.usual[0] * self.usual[1] // room, room)
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
            self._divide(*self.usual)

    def read(self, texts: Sequence[Written], prompts: Sequence[Sequence[int]]) -> Tensor:
        """Reads prompts into the memory; the last hidden state of each. What prompts of one pass have in common at their beginning is read once."""
        rows = [np.array(prompt, np.int64) for prompt in prompts]
        read = [(list(tree.paths), self._read([texts[i] for i in tree.paths], tree)) for tree in self.model.trees(rows, MOST_READ)]
        order = np.argsort(np.concatenate([numbers for numbers, _ in read]))
        return torch.cat([hidden for _, hidden in read])[brought(order, self.model.device)]

    def copy(self, texts: Sequence[Written], memory: Memory, paths: Sequence[np.ndarray]) -> None:
        """What was kept of the nodes of each text goes into its row."""
        if self.cache is None:
            return
        longest = max(map(len, paths))
        # What fills up is seen by nobody before it is written anew.
        places = np.zeros((len(paths), longest), np.int64)
        for place, path, text in zip(places, paths, texts):
            place[: len(path)] = path
            text.length = len(path)
        wide, rows = brought(places, self.model.device), brought([text.row for text in texts], self.model.device)
        for own, other in ((self.cache.keys, memory.keys), (self.cache.values, memory.values)):
            for i in range(self.model.config.layers):
                own[i, :, :, :longest].index_copy_(0, rows, other[i][wide].transpose(1, 2))

    def _read(self, texts: Sequence[Written], tree: Tree) -> Tensor:
        paths = list(tree.paths.values())
        hidden, memory = self.reading.read(self.now, tree)
        self.copy(texts, memory, paths)
        return hidden[brought([int(path[-1]) for path in paths], self.model.device)]

    def write(self, texts: Sequence[Written], steps: int, draw: Callable[[Tensor, int], Tensor], first: Tensor | None = None) -> list[Tensor]:
        """The next tokens of each text, as many as there are steps, each read where it was drawn: nobody looks at them in between.

        `first` are the last tokens of the last texts, where these were drawn just now. A text that ends meanwhile goes on, in a row that nobody reads.
        """
        longest, highest = min(max(text.length for text in texts) + steps, self.room), max(text.row for text in texts) + 1
        size = next((size for size in SIZES if longest <= size <= self.room), self.room)
        count = next((count for count in COUNTS if highest <= count <= self.rows), self.rows) if self.graphs else highest
        rows = [text.row for text in texts]
        numbers = np.zeros((2, count), np.int64)
        numbers[:, rows] = [text.token for text in texts], [text.length for text in texts]
        for text in texts:
            text.length = min(text.length + steps, self.room)
        self.numbers[:, :count].copy_(waiting(numbers, self.model.device), non_blocking=True)
        key = (0 if self.now is None else self.now.layout.rank, self.room, count, size)
        run = self.passes.get(key)
        if run is None:
            run = self._pass(count, size)
            if self.graphs:
                run = self.passes[key] = recorded(run, self.model.device)
        own = brought(rows, self.model.device)
        if first is not None:
            self.numbers[0].index_copy_(0, own[len(rows) - len(first) :], first)
        drawn: list[Tensor] = []
        for i in range(steps):
            if i > 0:
                self.numbers[0].index_copy_(0, own, drawn[-1][0].long())
                self.numbers[1, :count].add_(1).clamp_(max=self.room - 1)
            drawn.append(draw(run()[own], i))
        return drawn

    def _pass(self, count: int, size: int) -> Callable[[], Tensor]:
        rows = torch.arange(count, device=self.model.device)
        order = torch.arange(size, device=self.model.device)
        lora, cache = self._lora(), self.cache
        # Rows without a text read one token at the first place of a row that is written anew before it is used.
        tokens, places = self.numbers[0, :count], self.numbers[1, :count]

        def run() -> Tensor:
            sees = (order[None, :] <= places[:, None])[:, None, None, :]
            segment = Segment(0, count, sees, lora, cache=cache, rows=rows, at=places)
            return self.model.read(tokens, places, [segment])

        return run

    def _lora(self) -> Sequence[LayerWeights] | None:
        return None if self.now is None else self.now.layers()
