"""The losses of the Tinker API on the log-probabilities of targets: sums over tokens, never means."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

Inputs = Mapping[str, Tensor]
Settings = Mapping[str, float]


def cross_entropy(now: Tensor, inputs: Inputs, settings: Settings) -> Tensor:
    return -(inputs["weights"] * now).sum()


def importance_sampling(now: Tensor, inputs: Inputs, settings: Settings) -> Tensor:
    return -((now - inputs["logprobs"]).exp() * inputs["advantages"]).sum()


def ppo(now: Tensor, inputs: Inputs, settings: Settings) -> Tensor:
    ratio, advantages = (now - inputs["logprobs"]).exp(), inputs["advantages"]
    clipped = ratio.clamp(settings.get("clip_low_threshold", 0.8), settings.get("clip_high_threshold", 1.2))
    return -torch.minimum(ratio * advantages, clipped * advantages).sum()


def cispo(now: Tensor, inputs: Inputs, settings: Settings) -> Tensor:
    ratio = (now.detach() - inputs["logprobs"]).exp()
    clipped = ratio.clamp(settings.get("clip_low_threshold", 0.0), settings.get("clip_high_threshold", 4.0))
    return -(clipped * now * inputs["advantages"]).sum()


def dro(now: Tensor, inputs: Inputs, settings: Settings) -> Tensor:
    """Its penalty would not vanish on a prompt, whose tokens nobody sampled: these have advantage 0 and log-probability 0."""
    old, advantages = inputs["logprobs"], inputs["advantages"]
    sampled = ((old != 0) | (advantages != 0)).to(now.dtype)
    penalty = 0.5 * settings.get("beta", 0.05) * (now - old).square()
    return -((now * advantages - penalty) * sampled).sum()


LOSSES: dict[str, Callable[[Tensor, Inputs, Settings], Tensor]] = {
    "cross_entropy": cross_entropy,
    "importance_sampling": importance_sampling,
    "ppo": ppo,
    "cispo": cispo,
    "dro": dro,
}
NEEDED = {name: ("weights",) if name == "cross_entropy" else ("logprobs", "advantages") for name in LOSSES}
CONFIGS = {
    "cross_entropy": ("kl",),
    "importance_sampling": (),
    "ppo": ("clip_low_threshold", "clip_high_threshold"),
    "cispo": ("clip_low_threshold", "clip_high_threshold"),
    "dro": ("beta",),
}
