"""Arrays on their way to a device."""

from __future__ import annotations

from collections.abc import Sequence
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
