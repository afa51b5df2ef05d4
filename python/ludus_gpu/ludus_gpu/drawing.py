"""Draws tokens from distributions. A draw is made by a number that its sample takes from its seed, its own number and its step alone."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ludus_gpu.devices import brought
from ludus_gpu.model import Transformer


def choose(model: Transformer, hidden: Tensor, heats: np.ndarray, rolls: np.ndarray) -> Tensor:
    """Of each distribution one token for each of its rolls, and their log-probabilities, to be read by `tokens_of`. `heats` are temperature, top_k and top_p of each."""
    device = model.device
    spread = model.logits(hidden)
    # What most jobs do not ask for costs them nothing.
    heat = np.where(heats[:, :1] > 0, heats[:, :1], np.float32(1))
    if (heat != 1).any():
        spread = spread / brought(heat, device)
    spread = spread.log_softmax(-1)
    cut = np.nonzero((heats[:, 1] > 0) | (heats[:, 2] < 1))[0]
    if len(cut) > 0:
        where = brought(cut, device)
        spread[where] = kept(spread[where], brought(heats[cut, 1], device), brought(heats[cut, 2], device))
    sums = spread.exp().double().cumsum(-1)
    drawn = torch.searchsorted(sums, brought(rolls, device) * sums[:, -1:], right=True)
    # The last token with any chance, where rounding would go past it.
    drawn = torch.minimum(drawn, (sums < sums[:, -1:]).sum(-1, keepdim=True))
    greedy = heats[:, :1] <= 0
    if greedy.any():
        drawn = torch.where(brought(greedy, device), spread.argmax(-1, keepdim=True), drawn)
    # As one, to be brought over at once: to wait for the GPU twice takes longer than to widen the numbers.
    return torch.stack([drawn.double(), spread.gather(1, drawn).double()])


def tokens_of(both: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Waits until they are drawn."""
    there = both.cpu().numpy()
    return there[0].astype(np.int64), there[1]


def kept(spread: Tensor, top_k: Tensor, top_p: Tensor) -> Tensor:
    """Distributions cut to their likeliest tokens and made whole again; a top_k below 1 is none."""
    ordered, order = spread.sort(descending=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    ranks = torch.arange(spread.shape[-1], device=spread.device)
    out = (before >= top_p[:, None]) | ((top_k[:, None] > 0) & (ranks[None, :] >= top_k[:, None]))
    out[:, 0] = False
    return spread.masked_fill(torch.zeros_like(out).scatter(1, order, out), float("-inf")).log_softmax(-1)


def uniform(seeds: np.ndarray, numbers: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """A number from 0 to 1 for each sample, by splitmix64 of its seed, its number and its step."""
    with np.errstate(over="ignore"):
        x = mixed(mixed(mixed(seeds) ^ numbers) ^ steps)
    return (x >> np.uint64(11)).astype(np.float64) * 2.0**-53


def mixed(x: np.ndarray) -> np.ndarray:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
