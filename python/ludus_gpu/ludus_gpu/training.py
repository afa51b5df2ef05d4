"""Forward and backward passes over rows: trees of tokens in, log-probabilities of targets out, gradients added to the adapter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from ludus_gpu.devices import brought, fetched
from ludus_gpu.lora import Adapter, Weights
from ludus_gpu.losses import LOSSES
from ludus_gpu.model import Segment, Transformer
from ludus_gpu.passes import TrainingPasses
from ludus_gpu.trees import Tree

"""Nodes of one pass that is not recorded; distributions that are made at a time; bytes of distributions that are kept for the way back."""
MOST_NODES = 12288
CHUNK = 1024
MOST_KEPT = 2**32


@dataclass
class Row:
    tokens: np.ndarray
    """What follows the last tokens, as many as are given: those before count for nothing."""
    targets: np.ndarray
    """Per target: weights, or logprobs and advantages; and kl_weights where a pull to the reference is asked for."""
    inputs: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass
class Pass:
    logprobs: list[np.ndarray]
    metrics: dict[str, float]


class Trainer:
    def __init__(self, model: Transformer, passes: TrainingPasses | None = None) -> None:
        self.model, self.passes = model, passes

    def forward(self, rows: Sequence[Row], weights: Weights | None) -> Pass:
        out: list[np.ndarray] = [np.zeros(0)] * len(rows)
        with torch.no_grad():
            for tree in self._portions(rows, weights is not None):
                self._fill(Pairs.of(tree, rows), self._read(tree, weights), None)(out)
        return Pass(out, {"rows:sum": float(len(rows))})

    def backward(self, rows: Sequence[Row], adapter: Adapter, loss: str, settings: Mapping[str, float]) -> Pass:
        return self.launch(self.ready(rows), adapter, loss, settings)()

    def ready(self, rows: Sequence[Row]) -> Ready:
        """All that can be done without the GPU, by any thread."""
        wide = np.float64 if self.model.wide == torch.float64 else np.float32
        portions = [(tree, Pairs.of(tree, rows)) for tree in self._portions(rows, True)]
        return Ready(len(rows), [(tree, pairs, Active.of(pairs, rows, wide)) for tree, pairs in portions])

    def launch(self, ready: Ready, adapter: Adapter, loss: str, settings: Mapping[str, float]) -> Callable[[], Pass]:
        """Begins the way back; what is given waits until it is done, so that the next can begin meanwhile."""
        out: list[np.ndarray] = [np.zeros(0)] * ready.rows
        kl_weight = settings.get("kl", 0.0)
        nodes = 0
        told: list[Callable[[list[np.ndarray]], None]] = []
        sums = torch.zeros(3, device=self.model.device, dtype=self.model.wide)
        for tree, pairs, counted in ready.portions:
            nodes += len(tree.tokens)
            active = None if counted is None else counted.on(self.model.device)
            before = None
            if kl_weight != 0 and active is not None:
                # First, since a recorded pass overwrites what it gave before.
                with torch.no_grad():
                    before = self._read(tree, adapter.frozen(adapter.reference)).clone()
            hidden = self._read(tree, adapter.weights())
            if active is None:
                told.append(self._fill(pairs, hidden.detach(), None))
                continue
            each, kls, entropies = self._active(active, hidden, before)
            told.append(self._fill(pairs, hidden.detach(), (active.here.pairs, each.detach())))
            total = LOSSES[loss](each[active.back], active.inputs, settings)
            shares = active.shares
            pull = (shares * kls).sum()
            if kl_weight != 0:
                total = total + kl_weight * pull
            sums += torch.stack([total.detach(), pull.detach(), (shares * entropies).sum()])
            total.backward()
        summed = fetched(sums)

        def done() -> Pass:
            for tell in told:
                tell(out)
            value, kl, entropy = summed().tolist()
            return Pass(out, {"loss:sum": value, "kl:sum": kl, "entropy:sum": entropy, "rows:sum": float(ready.rows), "nodes:sum": float(nodes)})

        return done

    def _portions(self, rows: Sequence[Row], has_adapter: bool) -> list[Tree]:
        # Several recorded passes take less than one whose kernels are launched from Python.
        most = self.passes.largest if self.passes is not None and has_adapter else MOST_NODES
        return list(self.model.trees([row.tokens for row in rows], most))

    def _read(self, tree: Tree, weights: Weights | None) -> Tensor:
        if self.passes is not None and weights is not None:
            fixed = self.passes.of(weights.layout, len(tree.tokens))
            if fixed is not None:
                return fixed(weights.wide, tree)
        device = self.model.device
        tokens, depths = (brought(part, device) for part in (tree.tokens, tree.depths))
        lora = None if weights is None else weights.layers()
        segment = Segment(0, len(tree.tokens), None, lora, ancestors=self.model.ancestors(tree))
        return self.model.read(tokens, depths, [segment], recompute=self._is_large(len(tree.tokens)))

    def _is_large(self, nodes: int) -> bool:
        """Whether what happens inside layers takes more than half of the memory that is free: then it is computed again on the way back."""
        if self.model.device.type != "cuda":
            return nodes > 4096
        unused = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        return nodes * self.model.kept_of_node > (torch.cuda.mem_get_info()[0] + unused) // 2

    @torch.no_grad()
    def _fill(self, pairs: Pairs, hidden: Tensor, known: tuple[np.ndarray, Tensor] | None) -> Callable[[list[np.ndarray]], None]:
        """What every target has as its log-probability, whether it counts or not; those that are known are not computed again."""
        missing = np.ones(len(pairs.codes), bool)
        if known is not None:
            missing[known[0]] = False
        nodes, targets = (brought(part[missing], hidden.device) for part in (pairs.nodes, pairs.targets))
        parts = []
        for at in range(0, len(nodes), CHUNK):
            spread = self.model.logits(hidden[nodes[at : at + CHUNK]]).log_softmax(-1)
            parts.append(spread.gather(1, targets[at : at + CHUNK, None])[:, 0])
        found = fetched(torch.cat(parts)) if parts else None
        given = None if known is None else (known[0], fetched(known[1]))

        def tell(out: list[np.ndarray]) -> None:
            got = np.zeros(len(pairs.codes))
            if found is not None:
                got[missing] = found()
            if given is not None:
                got[given[0]] = given[1]()
            flat, at = got[pairs.back], 0
            for i, count in pairs.rows.items():
                out[i] = flat[at : at + count]
                at += count

        return tell

    def _active(self, active: ActiveThere, hidden: Tensor, before: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Log-probabilities of the pairs that count, and of each node the distance from the reference and the entropy."""
        now, kls, entropies = [], [], []
        kept = len(active.nodes) * self.model.config.vocabulary * 4 * (1 if before is None else 4) <= MOST_KEPT
        # Taken out at once, so that what comes back is put together once.
        own = hidden.index_select(0, active.nodes).split(CHUNK)
        own_before = None if before is None else before.index_select(0, active.nodes).split(CHUNK)
        for i, at in enumerate(range(0, len(active.nodes), CHUNK)):
            # Pairs are in the order of their nodes.
            first, last = np.searchsorted(active.here.which, [at, at + CHUNK])
            which, targets = active.which[first:last] - at, active.targets[first:last]
            args = (own[i], None if own_before is None else own_before[i], which, targets)
            got = self._spread(*args) if kept else checkpoint(self._spread, *args, use_reentrant=False)
            for piece, part in zip((now, kls, entropies), got):
                piece.append(part)
        return torch.cat(now), torch.cat(kls), torch.cat(entropies)

    def _spread(self, hidden: Tensor, before: Tensor | None, which: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        spread = self.model.logits(hidden).log_softmax(-1)
        with torch.no_grad():
            entropy = -(spread.exp() * spread).sum(-1)
        kl = torch.zeros_like(entropy)
        if before is not None:
            with torch.no_grad():
                target = self.model.logits(before).log_softmax(-1)
            kl = (spread.exp() * (spread - target)).sum(-1)
        # No pair is there twice, so that nothing has to be sorted on the way back.
        return spread.flatten().index_select(0, which * spread.shape[1] + targets), kl, entropy


@dataclass
class Pairs:
    """Nodes of a tree with the targets that follow them, each pair once, in the order of the nodes."""

    codes: np.ndarray
    nodes: np.ndarray
    targets: np.ndarray
    """Of each target of each row the pair that it is, and how many targets each row has."""
    back: np.ndarray
    rows: dict[int, int]

    @staticmethod
    def of(tree: Tree, rows: Sequence[Row]) -> Pairs:
        numbers = list(tree.paths)
        nodes = np.concatenate([tree.paths[i][-len(rows[i].targets) :] for i in numbers])
        targets = np.concatenate([rows[i].targets for i in numbers])
        width = int(targets.max()) + 1
        codes, back = np.unique(nodes * width + targets, return_inverse=True)
        return Pairs(codes, codes // width, codes % width, back.reshape(-1), {i: len(rows[i].targets) for i in numbers})


@dataclass
class Active:
    """Targets that count: the numbers of their pairs."""

    pairs: np.ndarray
    nodes: np.ndarray
    """Of each pair the place of its node in `nodes`, and its target."""
    which: np.ndarray
    targets: np.ndarray
    """Of each value of `inputs` the pair that it belongs to."""
    back: np.ndarray
    inputs: dict[str, np.ndarray]
    """How much the distribution of each node counts where whole distributions do."""
    shares: np.ndarray

    @staticmethod
    def of(pairs: Pairs, rows: Sequence[Row], wide: type) -> Active | None:
        numbers = list(pairs.rows)
        inputs = {name: np.concatenate([rows[i].inputs[name] for i in numbers]) for name in rows[numbers[0]].inputs}
        counts = np.zeros(len(pairs.back), bool)
        for values in inputs.values():
            counts |= values != 0
        if not counts.any():
            return None
        own, back = np.unique(pairs.back[counts], return_inverse=True)
        places, which = np.unique(pairs.nodes[own], return_inverse=True)
        shares = np.zeros(len(places))
        share = inputs.get("kl_weights", np.ones(len(counts)))[counts]
        np.add.at(shares, which[back], share)
        counted = {name: values[counts].astype(wide) for name, values in inputs.items()}
        return Active(own, places, which, pairs.targets[own], back, counted, shares.astype(wide))

    def on(self, device: torch.device) -> ActiveThere:
        nodes, which, targets, back, shares = (brought(part, device) for part in (self.nodes, self.which, self.targets, self.back, self.shares))
        return ActiveThere(self, nodes, which, targets, back, {name: brought(values, device) for name, values in self.inputs.items()}, shares)


@dataclass
class ActiveThere:
    """The same on the device."""

    here: Active
    nodes: Tensor
    which: Tensor
    targets: Tensor
    back: Tensor
    inputs: dict[str, Tensor]
    shares: Tensor


@dataclass
class Ready:
    """Rows in portions, with what counts in each."""

    rows: int
    portions: list[tuple[Tree, Pairs, Active | None]]
