"""Texts as trees of tokens: what they have in common at their beginning is there once, where that saves more than it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ludus_gpu.devices import brought

"""Nodes of texts that share a beginning where each of them is held against all the others: attention costs as much as all else from some 5,000 on."""
MOST_TOGETHER = 2048


@dataclass
class Tree:
    """Some trees in a row, none of which sees another."""

    tokens: np.ndarray
    depths: np.ndarray
    """Where the part of the tree below each node ends, in an order in which every node comes before what is below it."""
    ends: np.ndarray
    """The nodes of each row, by the row's number."""
    paths: dict[int, np.ndarray]

    @staticmethod
    def empty() -> Tree:
        return Tree(*(np.zeros(0, np.int64) for _ in range(3)), {})

    def sees(self, device: torch.device) -> Tensor:
        """[nodes, nodes]: each node sees its ancestors and itself."""
        order, ends = torch.arange(len(self.tokens), device=device), brought(self.ends, device)
        return (order[None, :] <= order[:, None]) & (order[:, None] < ends[None, :])

    def roots(self) -> np.ndarray:
        """Where each tree begins, and where the last one ends."""
        return np.append(np.nonzero(self.depths == 0)[0], len(self.depths))


def trees(rows: Sequence[np.ndarray], most: int, together: int = MOST_TOGETHER) -> Iterator[Tree]:
    """All rows in portions of at most so many nodes, of which so many share a beginning; one row may be longer than that.

    A row is read together with the one before it where it shares a third of itself or more, or else by itself: that all texts begin with
    the same token is no reason to hold every one against all others.
    """
    order, alike = sorted_rows(rows)
    at = 0
    while at < len(order):
        tokens: list[np.ndarray] = []
        depths: list[np.ndarray] = []
        ends = np.zeros(max(most, len(rows[order[at]])), np.int64)
        paths: dict[int, np.ndarray] = {}
        path, count, root = np.zeros(0, np.int64), 0, 0
        while at < len(order):
            row = rows[order[at]]
            same = alike[at] if count > 0 else 0
            new = len(row) - same
            if 2 * same < new or count - root + new > together:
                same, new = 0, len(row)
            if count > 0 and count + new > most:
                break
            root = count if same == 0 else root
            ends[path[same:]] = count
            path = np.concatenate([path[:same], np.arange(count, count + new)])
            tokens.append(row[same:])
            depths.append(np.arange(same, len(row)))
            paths[order[at]] = path
            count, at = count + new, at + 1
        ends[path] = count
        yield Tree(np.concatenate(tokens), np.concatenate(depths), ends[:count], paths)


def sorted_rows(rows: Sequence[np.ndarray]) -> tuple[list[int], list[int]]:
    """The numbers of rows in their order, and how many tokens each begins with as the one before it does."""
    if len(rows) == 0:
        return [], []
    # Numbers with their highest byte first are in the order of their bytes.
    keys = [row.astype(">u4").tobytes() for row in rows]
    order = sorted(range(len(rows)), key=keys.__getitem__)
    lengths = np.array([len(rows[i]) for i in order])
    wide = np.full((len(rows), int(lengths.max()) + 1), -1)
    wide[np.arange(wide.shape[1]) < lengths[:, None]] = np.concatenate([rows[i] for i in order])
    # No row is as long as the table is wide, so that two that are alike differ where the shorter one ends.
    different = wide[1:] != wide[:-1]
    different[np.arange(len(different)), np.minimum(lengths[1:], lengths[:-1])] = True
    return order, [0, *different.argmax(1).tolist()]
