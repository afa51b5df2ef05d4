"""Texts as a tree of tokens: what they have in common at their beginning is there once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass
class Tree:
    tokens: np.ndarray
    depths: np.ndarray
    """Where the part of the tree below each node ends, in an order in which every node comes before what is below it."""
    ends: np.ndarray
    """The nodes of each row, by the row's number."""
    paths: dict[int, np.ndarray]

    def sees(self, device: torch.device) -> Tensor:
        """[nodes, nodes]: each node sees its ancestors and itself."""
        order, ends = torch.arange(len(self.tokens), device=device), torch.as_tensor(self.ends, device=device)
        return (order[None, :] <= order[:, None]) & (order[:, None] < ends[None, :])


def trees(rows: Sequence[np.ndarray], most: int) -> Iterator[Tree]:
    """All rows in trees of at most so many nodes; one row may be longer than that."""
    order = sorted(range(len(rows)), key=lambda i: rows[i].tolist())
    at = 0
    while at < len(order):
        tokens: list[np.ndarray] = []
        depths: list[np.ndarray] = []
        ends = np.zeros(0, np.int64)
        paths: dict[int, np.ndarray] = {}
        last, path, count = np.zeros(0, np.int64), np.zeros(0, np.int64), 0
        while at < len(order):
            row = rows[order[at]]
            same = common(last, row)
            new = len(row) - same
            if count > 0 and count + new > most:
                break
            ends[path[same:]] = count
            path = np.concatenate([path[:same], np.arange(count, count + new)])
            tokens.append(row[same:])
            depths.append(np.arange(same, len(row)))
            ends = np.concatenate([ends, np.zeros(new, np.int64)])
            paths[order[at]] = path
            last, count, at = row, count + new, at + 1
        ends[path] = count
        yield Tree(np.concatenate(tokens), np.concatenate(depths), ends, paths)


def common(a: np.ndarray, b: np.ndarray) -> int:
    """How many tokens two rows begin with alike."""
    n = min(len(a), len(b))
    different = np.nonzero(a[:n] != b[:n])[0]
    return n if len(different) == 0 else int(different[0])
