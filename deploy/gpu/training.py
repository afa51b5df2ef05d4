"""Forward and backward passes over rows: trees of tokens in, log-probabilities of targets out, gradients added to the adapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from lora import Adapter, Weights
from losses import LOSSES
from model import Segment, Transformer
from passes import TrainingPasses
from trees import Tree, trees

"""Nodes of one tree; from how many on layers are recomputed on the way back; distributions that are held at a time."""
MOST_NODES = 8192
RECOMPUTE = 4096
CHUNK = 1024


@dataclass
class Row:
    tokens: np.ndarray
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
            for tree in trees([row.tokens for row in rows], MOST_NODES):
                hidden = self._read(tree, weights)
                self._told(tree, rows, hidden, out)
        return Pass(out, {"rows:sum": float(len(rows))})

    def backward(self, rows: Sequence[Row], adapter: Adapter, loss: str, settings: Mapping[str, float]) -> Pass:
        out: list[np.ndarray] = [np.zeros(0)] * len(rows)
        kl_weight = settings.get("kl", 0.0)
        sums = {"loss:sum": 0.0, "kl:sum": 0.0, "entropy:sum": 0.0, "rows:sum": float(len(rows)), "nodes:sum": 0.0}
        for tree in trees([row.tokens for row in rows], MOST_NODES):
            sums["nodes:sum"] += len(tree.tokens)
            active = Active.of(tree, rows, self.model.device, np.float64 if self.model.wide == torch.float64 else np.float32)
            before = None
            if kl_weight != 0 and active is not None:
                # First, since a recorded pass overwrites what it gave before.
                with torch.no_grad():
                    before = self._read(tree, adapter.frozen(adapter.reference)).clone()
            hidden = self._read(tree, adapter.weights())
            self._told(tree, rows, hidden.detach(), out)
            if active is None:
                continue
            now, kls, entropies = self._active(active, hidden, before)
            total = LOSSES[loss](now, active.inputs, settings)
            shares = active.shares
            sums["entropy:sum"] += float((shares * entropies).sum())
            if kl_weight != 0:
                pull = (shares * kls).sum()
                sums["kl:sum"] += float(pull.detach())
                total = total + kl_weight * pull
            sums["loss:sum"] += float(total.detach())
            total.backward()
        return Pass(out, sums)

    def _read(self, tree: Tree, weights: Weights | None) -> Tensor:
        if self.passes is not None and weights is not None:
            fixed = self.passes.of(weights.layout, weights.scale, len(tree.tokens))
            if fixed is not None:
                return fixed(weights.flat, tree)
        device = self.model.device
        tokens, depths = (torch.as_tensor(part, device=device) for part in (tree.tokens, tree.depths))
        lora, scale = (None, 1.0) if weights is None else (weights.layers(), weights.scale)
        segment = Segment(0, len(tree.tokens), tree.sees(device), lora, scale)
        return self.model.read(tokens, depths, [segment], recompute=len(tree.tokens) > RECOMPUTE)

    @torch.no_grad()
    def _told(self, tree: Tree, rows: Sequence[Row], hidden: Tensor, out: list[np.ndarray]) -> None:
        """What every target has as its log-probability, whether it counts or not."""
        numbers = list(tree.paths)
        nodes = np.concatenate([tree.paths[i] for i in numbers])
        targets = np.concatenate([rows[i].targets for i in numbers])
        pairs, back = np.unique(np.stack([nodes, targets]), axis=1, return_inverse=True)
        got = np.zeros(pairs.shape[1])
        for at in range(0, pairs.shape[1], CHUNK):
            node, target = (torch.as_tensor(part, device=hidden.device) for part in pairs[:, at : at + CHUNK])
            spread = self.model.logits(hidden[node]).log_softmax(-1)
            got[at : at + CHUNK] = spread.gather(1, target[:, None])[:, 0].cpu().numpy()
        flat, at = got[back.reshape(-1)], 0
        for i in numbers:
            out[i] = flat[at : at + len(rows[i].targets)]
            at += len(rows[i].targets)

    def _active(self, active: Active, hidden: Tensor, before: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Log-probabilities of the pairs that count, and of each node the distance from the reference and the entropy."""
        now, kls, entropies = [], [], []
        for at in range(0, len(active.nodes), CHUNK):
            nodes = active.nodes[at : at + CHUNK]
            mine = (active.which >= at) & (active.which < at + len(nodes))
            which, targets = active.which[mine] - at, active.targets[mine]
            old = None if before is None else before[nodes]
            got = checkpoint(self._spread, hidden[nodes], old, which, targets, use_reentrant=False)
            for piece, part in zip((now, kls, entropies), got):
                piece.append(part)
        return torch.cat(now)[active.back], torch.cat(kls), torch.cat(entropies)

    def _spread(self, hidden: Tensor, before: Tensor | None, which: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        spread = self.model.logits(hidden).log_softmax(-1)
        chances = spread.exp()
        entropy = -(chances * spread).sum(-1).detach()
        kl = torch.zeros_like(entropy)
        if before is not None:
            with torch.no_grad():
                target = self.model.logits(before).log_softmax(-1)
            kl = (chances * (spread - target)).sum(-1)
        return spread[which, targets], kl, entropy


@dataclass
class Active:
    """Targets that count: pairs of a node and a target, each once, in the order of their nodes."""

    nodes: Tensor
    """Of each pair the place of its node in `nodes`, and its target."""
    which: Tensor
    targets: Tensor
    """Of each value of `inputs` the pair that it belongs to."""
    back: Tensor
    inputs: dict[str, Tensor]
    """How much the distribution of each node counts where whole distributions do."""
    shares: Tensor

    @staticmethod
    def of(tree: Tree, rows: Sequence[Row], device: torch.device, wide: type) -> Active | None:
        numbers = list(tree.paths)
        names = list(rows[numbers[0]].inputs)
        nodes = np.concatenate([tree.paths[i] for i in numbers])
        targets = np.concatenate([rows[i].targets for i in numbers])
        inputs = {name: np.concatenate([rows[i].inputs[name] for i in numbers]) for name in names}
        counts = np.zeros(len(nodes), bool)
        for values in inputs.values():
            counts |= values != 0
        if not counts.any():
            return None
        nodes, targets = nodes[counts], targets[counts]
        pairs, back = np.unique(np.stack([nodes, targets]), axis=1, return_inverse=True)
        places, which = np.unique(pairs[0], return_inverse=True)
        shares = np.zeros(len(places))
        share = inputs.get("kl_weights", np.ones(len(counts)))[counts]
        np.add.at(shares, which[back.reshape(-1)], share)
        put = lambda part: torch.as_tensor(part, device=device)  # noqa: E731
        return Active(
            put(places),
            put(which),
            put(pairs[1]),
            put(back.reshape(-1)),
            {name: put(values[counts].astype(wide)) for name, values in inputs.items()},
            put(shares.astype(wide)),
        )
