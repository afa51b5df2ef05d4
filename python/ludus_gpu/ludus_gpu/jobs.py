"""What requests want to be sampled, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ludus_gpu.decoding import Written
from ludus_gpu.drawing import uniform
from ludus_gpu.sampler import Sampler


@dataclass
class Job:
    """What one request wants."""

    sampler: Sampler
    prompt: list[int]
    samples: int
    most: int
    temperature: float
    top_k: int
    top_p: float
    seed: int
    stop_tokens: frozenset[int]
    stop_texts: tuple[bytes, ...]
    read_prompt: bool = False
    """The number of its first sample, where a request is answered in parts."""
    first: int = 0


@dataclass
class Sample:
    job: Job
    number: int
    """Where it is in the tree of its sampler, or its row where texts are written side by side."""
    node: int
    text: Written | None = None
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: str | None = None


@dataclass
class Answer:
    samples: list[Sample]
    prompt_logprobs: list[float | None] | None
    cached: int


def length_of(job: Job) -> int:
    return len(job.prompt) + job.most


def room_of(job: Job) -> int:
    return len(job.prompt) + job.samples * job.most


def heats_of(jobs: Iterable[Job]) -> np.ndarray:
    return np.array([[job.temperature, float(job.top_k), job.top_p] for job in jobs], np.float32)


def rolls_of(samples: Sequence[Sample], steps: np.ndarray) -> np.ndarray:
    """By the steps of each sample: [steps, samples]."""
    seeds = np.array([sample.job.seed & (2**64 - 1) for sample in samples], np.uint64)
    numbers = np.array([sample.number for sample in samples], np.uint64)
    return uniform(seeds, numbers, steps.astype(np.uint64))
