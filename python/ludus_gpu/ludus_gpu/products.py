"""Parts of a layer with ways back of their own, which write into what they have made instead of adding up copies of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from ludus_gpu import kernels

if TYPE_CHECKING:
    from ludus_gpu.model import Segment


def lowered(x: Tensor, frozen: Tensor, bias: Tensor | None, segments: Sequence[Segment], i: int, part: str) -> Tensor:
    """The product with frozen weights, to which each segment's adapter adds its own."""
    spans: list[tuple[int, int]] = []
    matrices: list[Tensor] = []
    for segment in segments:
        if segment.lora is not None:
            spans.append((segment.start, segment.stop))
            matrices += segment.lora[i].parts[part]
    return cast(Tensor, _Lowered.apply(x, frozen, bias, spans, *matrices)) if spans else F.linear(x, frozen, bias)


class _Lowered(torch.autograd.Function):
    """Of each span of rows the lower and the upper matrix."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, frozen: Tensor, bias: Tensor | None, spans: list[tuple[int, int]], *matrices: Tensor) -> Tensor:
        y = F.linear(x, frozen, bias)
        inners = []
        for (start, stop), down, up in zip(spans, matrices[::2], matrices[1::2]):
            inner = F.linear(x[start:stop], down)
            inners.append(inner)
            y[start:stop].addmm_(inner, up.t())
        ctx.spans = spans
        ctx.save_for_backward(x, frozen, *matrices, *inners)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (given,) = gradients
        x, frozen, *rest = ctx.saved_tensors
        count = len(ctx.spans)
        back = given @ frozen
        out: list[Tensor | None] = []
        for (start, stop), down, up, inner in zip(ctx.spans, rest[: 2 * count : 2], rest[1 : 2 * count : 2], rest[2 * count :]):
            own = given[start:stop]
            low = own @ up
            back[start:stop].addmm_(low, down)
            out += [low.t() @ x[start:stop], own.t() @ inner]
        return back, None, None, None, *out


def gated(x: Tensor) -> Tensor:
    """Gates and what goes through them, side by side."""
    return cast(Tensor, _Gated.apply(x))


class _Gated(torch.autograd.Function):
    """Keeps what it was given alone, and gives back both halves as one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        if kernels.fit(x):
            return kernels.gate(x)
        gate, up = x.chunk(2, -1)
        return F.silu(gate).mul_(up)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        if kernels.fit(x):
            return kernels.gate_back(gradients[0], x)
        gate, up = x.chunk(2, -1)
        out = torch.empty_like(x)
        gate_back, up_back = out.chunk(2, -1)
        torch.mul(gradients[0], F.silu(gate), out=up_back)
        torch.ops.aten.silu_backward.grad_input(gradients[0] * up, gate, grad_input=gate_back)
        return out


def turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return cast(Tensor, _Turned.apply(x, cos, sin))


class _Turned(torch.autograd.Function):
    """The way back is a turn the other way, and needs nothing of what was turned."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        ctx.save_for_backward(cos, sin)
        return _turn(x, cos, sin, 1)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        cos, sin = ctx.saved_tensors
        return _turn(gradients[0], cos, sin, -1), None, None


def _turn(x: Tensor, cos: Tensor, sin: Tensor, way: int) -> Tensor:
    """Each half by itself: both turn by the same angles, and nothing is put together in the wider precision."""
    if kernels.fit(x):
        return kernels.turn(x, cos, sin, way)
    left, right = x.chunk(2, -1)
    cos, sin = (wave.chunk(2, -1)[0] for wave in (cos, sin))
    out = torch.empty_like(x)
    first, second = out.chunk(2, -1)
    first.copy_((left * cos).sub_(right * sin, alpha=way))
    second.copy_((right * cos).add_(left * sin, alpha=way))
    return out
