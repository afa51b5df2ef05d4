"""Attention over trees in a row, in which every node sees its ancestors and itself.

Nodes are in an order in which each comes before what is below it, so that what sees a node is a stretch from the node on. In half precision on a
GPU one kernel goes through tiles of nodes and leaves out those that see nothing of each other. Elsewhere trees of about one length stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ludus_gpu import kernels
from ludus_gpu.devices import brought
from ludus_gpu.trees import Tree


class Ancestors(Protocol):
    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Queries [nodes, heads, head size], and keys and values of fewer heads where some share them."""


def in_tiles(device: torch.device, dtype: torch.dtype, head_size: int) -> bool:
    """Whether trees of any size may stand in a row: then two nodes that see nothing of each other cost nothing."""
    return device.type == "cuda" and dtype in (torch.bfloat16, torch.float16) and head_size in (16, 32, 64, 128) and kernels.work()


class Tiles:
    """For the kernel, by `laid_out`: where the part below each node ends, the last tile that sees anything of each tile, where the list of those that each sees begins, and all lists."""

    def __init__(self, numbers: Tensor, nodes: int) -> None:
        sizes = _sizes(nodes)
        self.parts = tuple(part[:size] for part, size in zip(numbers.split([_filled(size) for size in sizes]), sizes))

    @staticmethod
    def of(ends: np.ndarray, device: torch.device) -> Tiles:
        return Tiles(brought(laid_out(ends), device), len(ends))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return cast(Tensor, _Attend.apply(q, k, v, self))


def laid_out(ends: np.ndarray) -> np.ndarray:
    """The same length for the same number of nodes, whatever they see, so that a recorded pass can read it."""
    out = np.zeros(sum(map(_filled, _sizes(len(ends)))), np.int32)
    at = 0
    for part, size in zip((ends, *tiles_of(ends, kernels.TILE)), _sizes(len(ends))):
        out[at : at + len(part)] = part
        at += _filled(size)
    return out


def _sizes(nodes: int) -> tuple[int, int, int, int]:
    tiles = -(-nodes // kernels.TILE)
    return nodes, tiles, tiles + 1, tiles * (tiles + 1) // 2


def _filled(size: int) -> int:
    """Parts begin at even places: the kernel is compiled anew for those that do not."""
    return -(-size // 16) * 16


def tiles_of(ends: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The last tile that sees anything of each tile, and of each tile those of which it sees anything: where its list begins, and all lists."""
    count = -(-len(ends) // size)
    own = np.arange(count)
    furthest = np.maximum.reduceat(ends, own * size)
    last = -(-furthest // size) - 1
    lengths = last - own + 1
    seen = np.repeat(own, lengths)
    by = seen + np.arange(len(seen)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    order = np.argsort(by, kind="stable")
    return last, np.append(0, np.cumsum(np.bincount(by, minlength=count))), seen[order]


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, tiles: Tiles) -> Tensor:
        q, k, v = (kernels.in_rows(part) for part in (q, k, v))
        out, sums = kernels.attend(q, k, v, tiles.parts)
        ctx.save_for_backward(q, k, v, out, sums)
        ctx.tiles = tiles
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        return *kernels.attend_back(kernels.in_rows(gradients[0]), *ctx.saved_tensors, ctx.tiles.parts), None


@dataclass
class Block:
    """Trees of about the same length, side by side: how many, how long the longest is, and what each node sees; None is whatever comes before it."""

    count: int
    length: int
    sees: Tensor | None


class Blocks:
    """Where the nodes of a portion stand when its trees are side by side in blocks, each filled up to its longest."""

    def __init__(self, tree: Tree, device: torch.device) -> None:
        depths, ends, roots = tree.depths, tree.ends, tree.roots()
        lengths = np.diff(roots)
        line = np.array([depths[stop - 1] == stop - start - 1 for start, stop in zip(roots, roots[1:])])
        order = sorted(range(len(lengths)), key=lambda i: (bool(line[i]), int(lengths[i])))
        self.blocks: list[Block] = []
        places: list[np.ndarray] = []
        back, size, at = np.zeros(len(depths), np.int64), 0, 0
        while at < len(order):
            longest, stop = int(lengths[order[at]]), at
            # A tree that is longer by more than an eighth begins a new block.
            while stop < len(order) and line[order[stop]] == line[order[at]] and 8 * lengths[order[stop]] <= 9 * longest:
                stop += 1
            some = order[at:stop]
            longest = int(lengths[some[-1]])
            place = np.tile(roots[some][:, None], (1, longest))
            sees = None if line[some[0]] else np.tile(np.eye(longest, dtype=bool), (len(some), 1, 1))
            for row, i in enumerate(some):
                own = np.arange(roots[i], roots[i + 1])
                n = len(own)
                place[row, :n] = own
                back[own] = size + row * longest + np.arange(n)
                if sees is not None:
                    inner = np.arange(n)
                    sees[row, :n, :n] = (inner[None, :] <= inner[:, None]) & (inner[:, None] < (ends[own] - roots[i])[None, :])
            self.blocks.append(Block(len(some), longest, None if sees is None else brought(sees, device).unsqueeze(1)))
            places.append(place.reshape(-1))
            size += len(some) * longest
            at = stop
        # Trees of one length stand where they are already.
        self.in_place = size == len(back) and bool((back == np.arange(size)).all())
        self.places, self.back = (brought(part, device) for part in (np.concatenate(places), back))

    def spread(self, x: Tensor) -> list[Tensor]:
        """Of each block [trees, heads, nodes, head size]."""
        whole = x if self.in_place else cast(Tensor, _Spread.apply(x, self.places, self.back))
        parts = whole.split([block.count * block.length for block in self.blocks])
        return [part.view(block.count, block.length, *x.shape[1:]).transpose(1, 2) for part, block in zip(parts, self.blocks)]

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        rows = [part.transpose(1, 2).flatten(0, 1) for part in parts]
        whole = rows[0] if len(rows) == 1 else torch.cat(rows)
        return whole if self.in_place else cast(Tensor, _Joined.apply(whole, self.back))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        copies = q.shape[1] // k.shape[1]
        out = []
        for block, queries, keys, values in zip(self.blocks, self.spread(q), self.spread(k), self.spread(v)):
            # Only the kernel for half precision shares keys among heads by itself, and only without a mask.
            shares = copies > 1 and block.sees is None and q.is_cuda and q.dtype != torch.float32
            if copies > 1 and not shares:
                keys, values = (part.repeat_interleave(copies, 1) for part in (keys, values))
            out.append(F.scaled_dot_product_attention(queries, keys, values, attn_mask=block.sees, is_causal=block.sees is None, enable_gqa=shares))
        return self.joined(out)


class _Spread(torch.autograd.Function):
    """Every node has one place; what fills up is seen by nobody, so nothing comes back from it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, places: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        return x.index_select(0, places)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return gradients[0].index_select(0, ctx.saved_tensors[0]), None, None


class _Joined(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        ctx.rows = x.shape[0]
        return x.index_select(0, back)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (given,) = gradients
        return given.new_zeros((ctx.rows, *given.shape[1:])).index_copy_(0, ctx.saved_tensors[0], given), None
