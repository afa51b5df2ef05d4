"""Arrays on their way to a device and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor


def waiting(part: np.ndarray | Sequence[Any], device: torch.device) -> Tensor:
    """From where a GPU takes it by itself, so that nobody waits until it has done what it was asked before."""
    tensor = torch.from_numpy(np.ascontiguousarray(part)) if isinstance(part, np.ndarray) else torch.tensor(part)
    return tensor.pin_memory() if device.type == "cuda" else tensor


def brought(part: np.ndarray | Sequence[Any], device: torch.device) -> Tensor:
    return waiting(part, device).to(device, non_blocking=True)


def fetched(tensor: Tensor) -> Callable[[], np.ndarray]:
    """Comes back as soon as it is made; whoever calls for it waits until then, and for nothing that was asked for later."""
    if tensor.device.type != "cuda":
        return lambda: tensor.numpy()
    here = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    here.copy_(tensor, non_blocking=True)
    made = torch.cuda.Event()
    made.record()

    def wait() -> np.ndarray:
        made.synchronize()
        return here.numpy()

    return wait


def own_stream(device: torch.device) -> AbstractContextManager[Any]:
    """What is asked for inside goes beside what others ask a GPU for, and before it where both could go on."""
    return torch.cuda.stream(torch.cuda.Stream(device, priority=-1)) if device.type == "cuda" else nullcontext()
