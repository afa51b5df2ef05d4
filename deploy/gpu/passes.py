"""Passes over small trees in a few fixed sizes, recorded once as CUDA graphs: to launch a kernel from Python takes longer than to run it.

Rows are padded to the next size. Without a GPU the same passes run unrecorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ancestors import Tiles, laid_out
from devices import brought, waiting
from lora import LayerWeights, Layout, Weights
from model import Segment, Transformer
from trees import Tree

"""Rows of a pass that samples, nodes of a tree that it samples from, and nodes of a tree that is trained on."""
ROWS = (16, 64, 256, 1024)
ROOM = 2048
NODES = (256, 512, 1024, 2048)
"""Trees at a time, and how many of them nobody reads before one is given to the next owner."""
SLOTS = 8
SPARE = 3


class Slot:
    """Memory for one small tree, and a place for the low-rank weights that read it. What is recorded over both serves every next owner."""

    def __init__(self, model: Transformer, like: Weights | None) -> None:
        self.model, self.memory = model, model.memory(ROOM)
        # Attention multiplies what is hidden by 0, which is 0 only where it is a number.
        self.memory.keys.zero_()
        self.memory.values.zero_()
        self.weights: Tensor | None = None
        self.lora: Sequence[LayerWeights] | None = None
        if like is not None:
            self.weights = torch.zeros_like(like.wide)
            self.lora = like.layout.layers(self.weights)
        self.passes: dict[int, _SamplingPass] = {}
        self.owner: Any = None

    def read(self, tokens: Sequence[int], depths: Sequence[int], sees: np.ndarray, first: int) -> Tensor:
        """The last hidden states of new nodes, which are written to the memory from `first` on."""
        out = []
        for at in range(0, len(tokens), ROWS[-1]):
            some = slice(at, min(at + ROWS[-1], len(tokens)))
            rows = next(size for size in ROWS if size >= some.stop - some.start)
            if rows not in self.passes:
                self.passes[rows] = _SamplingPass(self, rows)
            out.append(self.passes[rows](tokens[some], depths[some], sees[some], first + at))
        return out[0] if len(out) == 1 else torch.cat(out)


class _SamplingPass:
    def __init__(self, slot: Slot, rows: int) -> None:
        device = slot.model.device
        self.rows = rows
        # Tokens, depths and places as one tensor, so that they are brought over at once.
        self.numbers = torch.zeros((3, rows), dtype=torch.long, device=device)
        self.sees = torch.zeros((rows, ROOM), dtype=torch.bool, device=device)
        self.sees[:, 0] = True
        self.numbers[2] = ROOM - 1

        def run() -> Tensor:
            segment = Segment(0, rows, self.sees, slot.lora, slot.memory, self.numbers[2])
            return slot.model.read(self.numbers[0], self.numbers[1], [segment])

        self.replay = recorded(run, device)

    def __call__(self, tokens: Sequence[int], depths: Sequence[int], sees: np.ndarray, first: int) -> Tensor:
        n, seen = sees.shape
        numbers = np.zeros((3, self.rows), np.int64)
        # Rows beyond the last see the first node and are written to a place that nobody reads.
        numbers[2] = ROOM - 1
        numbers[0, :n], numbers[1, :n], numbers[2, :n] = tokens, depths, np.arange(first, first + n)
        wide = np.zeros((self.rows, ROOM), bool)
        wide[n:, 0] = True
        wide[:n, :seen] = sees
        self.numbers.copy_(waiting(numbers, self.numbers.device), non_blocking=True)
        self.sees.copy_(waiting(wide, self.sees.device), non_blocking=True)
        return self.replay()[:n].clone()


def recorded(run: Callable[[], Tensor], device: torch.device) -> Callable[[], Tensor]:
    """The same work without its launches: each call fills and returns the same tensor."""
    if device.type != "cuda":
        return run
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.no_grad(), planned(), torch.cuda.stream(side):
        for _ in range(2):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    # Other threads may take memory meanwhile.
    with torch.no_grad(), planned(), torch.cuda.graph(graph, capture_error_mode="thread_local"):
        out = run()

    # What was recorded reads the tensors of `run` where they lie, so that they must not be given away as long as it is replayed.
    kept = (out, run)

    def replay() -> Tensor:
        graph.replay()
        return kept[0]

    return replay


@contextmanager
def planned() -> Iterator[None]:
    """What is recorded once is worth a plan of cuDNN, which takes long to be made."""
    torch.backends.cuda.enable_cudnn_sdp(True)
    try:
        yield
    finally:
        torch.backends.cuda.enable_cudnn_sdp(False)


class Slots:
    """As many as there are; whoever asks gets a free one, or that of an owner who is not in use."""

    def __init__(self, model: Transformer, most: int = SLOTS) -> None:
        self.model, self.most = model, most
        self.slots: dict[int, list[Slot]] = {}

    def take(self, owner: Any, weights: Weights | None, busy: Callable[[Any], bool]) -> Slot | None:
        """A slot with these weights; None where all are in use."""
        own = self.slots.setdefault(0 if weights is None else weights.layout.rank, [])
        slot = next((one for one in own if one.owner is None), None)
        if slot is None:
            idle = [one for one in own if not busy(one.owner)]
            # To record a new one takes longer than to read a text again, so that few are kept for owners who may come back.
            if len(own) < self.most and len(idle) < SPARE:
                slot = Slot(self.model, weights)
                own.append(slot)
            elif idle:
                slot = idle[0]
                slot.owner.forget()
            else:
                return None
        # The one that was used last is given away last.
        own.remove(slot)
        own.append(slot)
        slot.owner = owner
        if slot.weights is not None and weights is not None:
            slot.weights.copy_(weights.wide)
        return slot


class TrainingPass:
    """Hidden states of a tree of at most so many nodes, and the way back to the weights."""

    def __init__(self, model: Transformer, layout: Layout, nodes: int) -> None:
        self.nodes, self.device, self.in_tiles = nodes, model.device, model.in_tiles

        def run(weights: Tensor, tokens: Tensor, depths: Tensor, sees: Tensor) -> Tensor:
            lora = layout.layers(weights)
            segment = Segment(0, nodes, None, lora, ancestors=Tiles(sees, nodes)) if model.in_tiles else Segment(0, nodes, sees, lora)
            return model.read(tokens, depths, [segment])

        self.run: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor] = run
        if model.device.type == "cuda":
            weights = torch.zeros(layout.wide_size, device=model.device, dtype=model.dtype, requires_grad=True)
            tokens, depths = (torch.zeros(nodes, dtype=torch.long, device=model.device) for _ in range(2))
            # Also where the first to need it is a pass that has no way back.
            with torch.enable_grad(), planned():
                self.run = torch.cuda.make_graphed_callables(run, (weights, tokens, depths, self._sees(Tree.empty())))

    def __call__(self, weights: Tensor, tree: Tree) -> Tensor:
        """The result is overwritten by the next call."""
        n = len(tree.tokens)
        tokens, depths = np.zeros(self.nodes, np.int64), np.zeros(self.nodes, np.int64)
        tokens[:n], depths[:n] = tree.tokens, tree.depths
        return self.run(weights, *(brought(part, self.device) for part in (tokens, depths)), self._sees(tree))[:n]

    def _sees(self, tree: Tree) -> Tensor:
        """Nodes beyond the last see themselves."""
        n = len(tree.tokens)
        if self.in_tiles:
            return brought(laid_out(np.append(tree.ends, np.arange(n + 1, self.nodes + 1))), self.device)
        sees = torch.eye(self.nodes, dtype=torch.bool, device=self.device)
        sees[:n, :n] = tree.sees(self.device)
        return sees


class TrainingPasses:
    def __init__(self, model: Transformer) -> None:
        self.model = model
        self.made: dict[tuple[int, int], TrainingPass] = {}

    def of(self, layout: Layout, nodes: int) -> TrainingPass | None:
        """The smallest pass that a tree fits into; None where it is larger than all."""
        size = next((size for size in NODES if size >= nodes), None)
        if size is None:
            return None
        key = (layout.rank, size)
        if key not in self.made:
            self.made[key] = TrainingPass(self.model, layout, size)
        return self.made[key]
