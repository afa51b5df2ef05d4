"""Passes over small trees in a few fixed sizes, recorded once as CUDA graphs: to launch a kernel from Python takes longer than to run it.

Rows are padded to the next size. Without a GPU the same passes run unrecorded.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from ludus_gpu.ancestors import Tiles, laid_out
from ludus_gpu.devices import brought, waiting
from ludus_gpu.lora import LayerWeights, Layout, Weights
from ludus_gpu.model import Memory, Segment, Transformer
from ludus_gpu.trees import Tree

"""Rows of a pass that samples, nodes of a tree that it samples from, and nodes of a tree that is trained on or only read."""
ROWS = (16, 64, 256, 1024)
ROOM = 2048
NODES = (256, 512, 1024, 2048, 3072, 4096, 6144, 8192)
READ_NODES = NODES[2:]
"""Nodes that are trained on in a recorded pass wherever there are any, and the share of a GPU's memory that may be kept for more of them."""
FEW_NODES = 2048
KEPT_SHARE = 6
"""Trees at a time, and how many of them nobody reads before one is given to the next owner."""
SLOTS = 8
SPARE = 3
"""Passes are recorded in one stream, whoever records them."""
ONE_RECORDING = threading.Lock()


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
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), recording():
        rehearse(run)
        with captured(graph):
            out = run()

    # What was recorded reads the tensors of `run` where they lie, so that they must not be given away as long as it is replayed.
    kept = (out, run)

    def replay() -> Tensor:
        graph.replay()
        return kept[0]

    return replay


@contextmanager
def recording() -> Iterator[None]:
    """One thread at a time. What is recorded once is worth a plan of cuDNN, which takes long to be made."""
    with ONE_RECORDING:
        torch.backends.cuda.enable_cudnn_sdp(True)
        # A pass that is thrown away by chance while another is recorded would end the recording.
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            torch.backends.cuda.enable_cudnn_sdp(False)
            if collects:
                gc.enable()


def rehearse(run: Callable[[], Any]) -> None:
    """What is done at the first calls alone is not recorded."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            run()
    torch.cuda.current_stream().wait_stream(side)


@contextmanager
def captured(graph: torch.cuda.CUDAGraph, pool: Any = None) -> Iterator[None]:
    """Other threads may take memory and wait meanwhile."""
    stream = torch.cuda.current_stream()
    try:
        with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
            yield
    finally:
        # Also where the recording failed.
        torch.cuda.set_stream(stream)


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


class ReadingPass:
    """Hidden states, keys and values of a tree of at most so many nodes, from which nothing goes back."""

    def __init__(self, model: Transformer, layout: Layout | None, nodes: int) -> None:
        self.nodes, self.memory, self.device = nodes, model.memory(nodes), model.device
        self.numbers = torch.zeros((2, nodes), dtype=torch.long, device=model.device)
        self.sees = brought(filled_up(Tree.empty(), nodes), model.device)
        self.weights = None if layout is None else torch.zeros(layout.wide_size, device=model.device, dtype=model.dtype)
        lora = None if layout is None or self.weights is None else layout.layers(self.weights)
        segment = Segment(0, nodes, None, lora, self.memory, ancestors=Tiles(self.sees, nodes))
        self.replay = recorded(lambda: model.read(self.numbers[0], self.numbers[1], [segment]), model.device)

    def __call__(self, weights: Weights | None, tree: Tree) -> tuple[Tensor, Memory]:
        """Both are overwritten by the next call."""
        n = len(tree.tokens)
        numbers = np.zeros((2, self.nodes), np.int64)
        numbers[:, :n] = tree.tokens, tree.depths
        self.numbers.copy_(waiting(numbers, self.device), non_blocking=True)
        self.sees.copy_(waiting(filled_up(tree, self.nodes), self.device), non_blocking=True)
        if self.weights is not None and weights is not None:
            self.weights.copy_(weights.wide)
        return self.replay()[:n], self.memory


class ReadingPasses:
    """Reads trees: in recorded passes where there are some of their size, and elsewhere as they are."""

    def __init__(self, model: Transformer, graphs: bool) -> None:
        self.model, self.graphs = model, graphs and model.in_tiles
        self.made: dict[tuple[int, int], ReadingPass] = {}

    def read(self, weights: Weights | None, tree: Tree) -> tuple[Tensor, Memory]:
        count = len(tree.tokens)
        size = next((size for size in READ_NODES if size >= count), None) if self.graphs else None
        if size is not None:
            key = (0 if weights is None else weights.layout.rank, size)
            if key not in self.made:
                self.made[key] = ReadingPass(self.model, None if weights is None else weights.layout, size)
            return self.made[key](weights, tree)
        device, memory = self.model.device, self.model.memory(count)
        segment = Segment(0, count, None, None if weights is None else weights.layers(), memory, ancestors=self.model.ancestors(tree))
        return self.model.read(brought(tree.tokens, device), brought(tree.depths, device), [segment]), memory


def filled_up(tree: Tree, nodes: int) -> np.ndarray:
    """For the kernel. Nodes beyond the last see themselves."""
    return laid_out(np.append(tree.ends, np.arange(len(tree.tokens) + 1, nodes + 1)))


class BothWays:
    """A pass and the way back from it to its first input, recorded. Others may share the pool of memory that go before it or after it, and none in between."""

    def __init__(self, run: Callable[..., Tensor], pool: Any, weights: Tensor, *others: Tensor) -> None:
        self.inputs = (weights, *others)
        self.there, self.back = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        # Also where the first to need it is a pass that has no way back.
        with torch.enable_grad(), recording():
            rehearse(lambda: torch.autograd.grad(run(*self.inputs).sum(), weights))
            with captured(self.there, pool):
                self.out = run(*self.inputs)
            self.wanted = torch.zeros_like(self.out)
            with captured(self.back, pool):
                (self.gradient,) = torch.autograd.grad(self.out, weights, self.wanted)

    def __call__(self, *inputs: Tensor) -> Tensor:
        """The result is overwritten by the next call, and so is the gradient that comes back."""
        return cast(Tensor, _Replayed.apply(self, *inputs))


class _Replayed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, both: BothWays, *inputs: Tensor) -> Tensor:
        ctx.both = both
        for own, given in zip(both.inputs, inputs):
            own.copy_(given, non_blocking=True)
        both.there.replay()
        return both.out.detach()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        both = ctx.both
        both.wanted.copy_(gradients[0])
        both.back.replay()
        return None, both.gradient.detach(), *(None for _ in both.inputs[1:])


class TrainingPass:
    """Hidden states of a tree of at most so many nodes, and the way back to the weights."""

    def __init__(self, model: Transformer, layout: Layout, nodes: int, pool: Any = None) -> None:
        self.nodes, self.device, self.in_tiles = nodes, model.device, model.in_tiles

        def run(weights: Tensor, tokens: Tensor, depths: Tensor, sees: Tensor) -> Tensor:
            lora = layout.layers(weights)
            segment = Segment(0, nodes, None, lora, ancestors=Tiles(sees, nodes)) if model.in_tiles else Segment(0, nodes, sees, lora)
            return model.read(tokens, depths, [segment])

        self.run: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor] = run
        if model.device.type == "cuda":
            weights = torch.zeros(layout.wide_size, device=model.device, dtype=model.dtype, requires_grad=True)
            tokens, depths = (torch.zeros(nodes, dtype=torch.long, device=model.device) for _ in range(2))
            self.run = BothWays(run, pool, weights, tokens, depths, self._sees(Tree.empty()))

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
            return brought(filled_up(tree, self.nodes), self.device)
        sees = torch.eye(self.nodes, dtype=torch.bool, device=self.device)
        sees[:n, :n] = tree.sees(self.device)
        return sees


class TrainingPasses:
    """One goes after the other, so that all of them keep what they need for the way back in the same memory."""

    def __init__(self, model: Transformer) -> None:
        self.model = model
        self.pool = torch.cuda.graph_pool_handle() if model.device.type == "cuda" else None
        room = torch.cuda.get_device_properties(model.device).total_memory // KEPT_SHARE if model.in_tiles else 0
        self.sizes = [size for size in NODES if size <= FEW_NODES or size * model.kept_of_node <= room]
        self.made: dict[tuple[int, int], TrainingPass] = {}

    @property
    def largest(self) -> int:
        return self.sizes[-1]

    def of(self, layout: Layout, nodes: int) -> TrainingPass | None:
        """The smallest pass that a tree fits into; None where it is larger than all."""
        size = next((size for size in self.sizes if size >= nodes), None)
        if size is None:
            return None
        key = (layout.rank, size)
        if key not in self.made:
            self.made[key] = TrainingPass(self.model, layout, size, self.pool)
        return self.made[key]
