"""Frozen weights and the tree of tokens that they have read, whose nodes keep their keys and values: what was read is never read again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ludus_gpu.lora import Weights
from ludus_gpu.model import Memory, Transformer
from ludus_gpu.passes import ROOM, Slot, Slots


class Sampler:
    """Frozen weights and the tree of what they have read."""

    def __init__(self, model: Transformer, weights: Weights | None, room: int = 32768, slots: Slots | None = None) -> None:
        self.model, self.weights, self.room, self.slots = model, weights, room, slots
        self.lora = None if weights is None else weights.layers()
        self.slot: Slot | None = None
        self.busy = False
        """When the weights are there: they are made in another stream than the one that reads them."""
        self.made: torch.cuda.Event | None = None
        if weights is not None and weights.wide.is_cuda:
            self.made = torch.cuda.Event()
            self.made.record()
        self.forget()

    def wait(self) -> None:
        """Whatever is asked for from now on waits until the weights are there."""
        if self.made is not None and self.weights is not None:
            stream = torch.cuda.current_stream()
            stream.wait_event(self.made)
            self.weights.wide.record_stream(stream)
            self.made = None

    def forget(self) -> None:
        if self.slot is not None:
            self.slot.owner = None
        self.slot = None
        self.children: dict[tuple[int, int], int] = {}
        self.tokens: list[int] = []
        self.depths: list[int] = []
        self.memory: Memory | None = None
        self.count = 0
        self.read = 0

    def _grow(self, need: int) -> None:
        """A small tree is in a slot, where one is free; a larger one has memory of its own."""
        small = need < ROOM
        if self.memory is None and small and self.slots is not None:
            self.slot = self.slots.take(self, self.weights, lambda owner: owner.busy)
            if self.slot is not None:
                self._move(self.slot.memory, ROOM)
        if self.slot is not None and small:
            return
        size = 512 if self.memory is None else self.sees.shape[0]
        while size < need or (self.slot is not None and size <= ROOM):
            size *= 2
        if self.memory is None or size > self.sees.shape[0]:
            self._move(self.model.memory(size), size)
            if self.slot is not None:
                self.slot.owner, self.slot = None, None

    def _move(self, memory: Memory, size: int) -> None:
        hidden = torch.empty((size, self.model.config.width), device=self.model.device, dtype=self.model.dtype)
        sees = np.zeros((size, size), bool)
        if self.memory is not None:
            n = self.count
            memory.keys[:, :n], memory.values[:, :n] = self.memory.keys[:, :n], self.memory.values[:, :n]
            hidden[:n] = self.hidden[:n]
            sees[:n, :n] = self.sees[:n, :n]
        self.memory, self.hidden, self.sees = memory, hidden, sees

    def unknown(self, tokens: Sequence[int]) -> int:
        """How many of these tokens are not in the tree."""
        node = -1
        for at, token in enumerate(tokens):
            child = self.children.get((node, token))
            if child is None:
                return len(tokens) - at
            node = child
        return 0

    def add(self, node: int, tokens: Sequence[int]) -> list[int]:
        """The nodes of tokens after a node (-1: at the beginning); those that are new are read by the next pass."""
        path: list[int] = []
        at = 0
        while at < len(tokens) and (child := self.children.get((node, tokens[at]))) is not None:
            node = child
            path.append(node)
            at += 1
        new = len(tokens) - at
        if new == 0:
            return path
        first = self.count
        self._grow(first + new)
        depth = 0 if node < 0 else self.depths[node] + 1
        if node >= 0:
            self.sees[first : first + new, :first] = self.sees[node, :first]
        self.sees[first : first + new, first : first + new] = np.tri(new, dtype=bool)
        for i, token in enumerate(tokens[at:]):
            self.children[(node, token)] = first + i
            node = first + i
            self.tokens.append(token)
            self.depths.append(depth + i)
        self.count += new
        return path + list(range(first, first + new))

    def follow(self, nodes: Sequence[int], tokens: Sequence[int]) -> list[int]:
        """The node of one token after each node."""
        out: list[int] = []
        parents: list[int] = []
        first = self.count
        for node, token in zip(nodes, tokens):
            child = self.children.get((node, token))
            if child is None:
                child = self.children[(node, token)] = first + len(parents)
                parents.append(node)
                self.tokens.append(token)
                self.depths.append(self.depths[node] + 1)
            out.append(child)
        if parents:
            self._grow(first + len(parents))
            own = np.arange(first, first + len(parents))
            self.sees[first : first + len(parents), :first] = self.sees[parents, :first]
            self.sees[own, own] = True
            self.count += len(parents)
        return out
