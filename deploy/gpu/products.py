"""Parts of a layer with ways back of their own, which write into what they have made instead of adding up copies of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor

if TYPE_CHECKING:
    from model import Segment


def lowered(x: Tensor, frozen: Tensor, bias: Tensor | None, segments: Sequence[Segment], i: int, part: str) -> Tensor:
    """The product with frozen weights, to which each segment's adapter adds its own."""
    spans: list[tuple[int, int, float, int]] = []
    matrices: list[Tensor] = []
    for segment in segments:
        if segment.lora is not None:
            down, ups = segment.lora[i].parts[part]
            spans.append((segment.start, segment.stop, segment.scale, len(ups)))
            matrices += [down, *ups]
    return cast(Tensor, _Lowered.apply(x, frozen, bias, spans, *matrices)) if spans else F.linear(x, frozen, bias)


class _Lowered(torch.autograd.Function):
    """Of each span of rows the lower matrix, whose parts are side by side, and the upper one of each part."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, frozen: Tensor, bias: Tensor | None, spans: list[tuple[int, int, float, int]], *matrices: Tensor) -> Tensor:
        y = F.linear(x, frozen, bias)
        inners, left = [], iter(matrices)
        for start, stop, scale, count in spans:
            inner = F.linear(x[start:stop], next(left))
            inners.append(inner)
            at = 0
            for low in inner.chunk(count, -1):
                up = next(left)
                y[start:stop, at : at + len(up)].addmm_(low, up.t(), alpha=scale)
                at += len(up)
        ctx.spans = spans
        ctx.save_for_backward(x, frozen, *matrices, *inners)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (given,) = gradients
        x, frozen, *rest = ctx.saved_tensors
        matrices, inners = rest[: len(rest) - len(ctx.spans)], rest[len(rest) - len(ctx.spans) :]
        back = given @ frozen
        out: list[Tensor | None] = []
        left = iter(matrices)
        for (start, stop, scale, count), inner in zip(ctx.spans, inners):
            down, at = next(left), 0
            lows: list[Tensor] = []
            ups: list[Tensor | None] = []
            for low in inner.chunk(count, -1):
                up = next(left)
                own = given[start:stop, at : at + len(up)]
                lows.append(own @ up)
                ups.append((own.t() @ low).mul_(scale))
                at += len(up)
            low_back = torch.cat(lows, -1).mul_(scale)
            back[start:stop].addmm_(low_back, down)
            out += [low_back.t() @ x[start:stop], *ups]
        return back, None, None, None, *out


def gated(x: Tensor) -> Tensor:
    """Gates and what goes through them, side by side."""
    return cast(Tensor, _Gated.apply(x))


class _Gated(torch.autograd.Function):
    """Keeps what it was given alone, and gives back both halves as one."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        gate, up = x.chunk(2, -1)
        return F.silu(gate).mul_(up)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
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
    left, right = x.chunk(2, -1)
    cos, sin = (wave.chunk(2, -1)[0] for wave in (cos, sin))
    out = torch.empty_like(x)
    first, second = out.chunk(2, -1)
    first.copy_((left * cos).sub_(right * sin, alpha=way))
    second.copy_((right * cos).add_(left * sin, alpha=way))
    return out
