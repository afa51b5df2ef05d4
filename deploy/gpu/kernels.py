"""Gates and turns as one pass over memory each, where Triton and a GPU are at hand: written in plain parts they take as long as half of all products."""

from __future__ import annotations

import functools
import sys
from typing import Any

import torch
from torch import Tensor

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


def fit(x: Tensor) -> bool:
    """Whether these kernels take it."""
    return x.is_cuda and x.dtype != torch.float64 and work()


@functools.cache
def work() -> bool:
    """Whether Triton is there and runs: it needs a compiler of C beside it."""
    if triton is None:
        return False
    try:
        gate(torch.zeros((1, 2), device="cuda"))
    except Exception as error:
        print(f"Gates and turns are made in plain parts, which takes a quarter longer, since Triton does not run: {error}", file=sys.stderr)
        return False
    return True


if triton is not None:

    @triton.jit
    def _gate(x_at, out_at, hidden, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
        row = tl.program_id(0).to(tl.int64)
        column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = column < hidden
        gate = tl.load(x_at + row * 2 * hidden + column, inside).to(tl.float32)
        up = tl.load(x_at + (row * 2 + 1) * hidden + column, inside).to(tl.float32)
        out = gate * tl.sigmoid(gate) * up
        tl.store(out_at + row * hidden + column, out.to(out_at.dtype.element_ty), inside)

    @triton.jit
    def _gate_back(given_at, x_at, out_at, hidden, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
        row = tl.program_id(0).to(tl.int64)
        column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = column < hidden
        given = tl.load(given_at + row * hidden + column, inside).to(tl.float32)
        gate = tl.load(x_at + row * 2 * hidden + column, inside).to(tl.float32)
        up = tl.load(x_at + (row * 2 + 1) * hidden + column, inside).to(tl.float32)
        share = tl.sigmoid(gate)
        gate_back = given * up * share * (1 + gate * (1 - share))
        up_back = given * gate * share
        tl.store(out_at + row * 2 * hidden + column, gate_back.to(out_at.dtype.element_ty), inside)
        tl.store(out_at + (row * 2 + 1) * hidden + column, up_back.to(out_at.dtype.element_ty), inside)

    @triton.jit
    def _turn(x_at, cos_at, sin_at, out_at, row_stride, head_stride, heads, half, way, HEADS: tl.constexpr, HALF: tl.constexpr):  # type: ignore[no-untyped-def]
        row = tl.program_id(0).to(tl.int64)
        column = tl.arange(0, HALF)
        head = tl.arange(0, HEADS)[:, None]
        inside = (head < heads) & (column < half)[None, :]
        cos = tl.load(cos_at + row * 2 * half + column, column < half)[None, :]
        sin = tl.load(sin_at + row * 2 * half + column, column < half)[None, :] * way
        place = row * row_stride + head * head_stride + column[None, :]
        left = tl.load(x_at + place, inside).to(tl.float32)
        right = tl.load(x_at + place + half, inside).to(tl.float32)
        place = (row * heads + head) * 2 * half + column[None, :]
        tl.store(out_at + place, (left * cos - right * sin).to(out_at.dtype.element_ty), inside)
        tl.store(out_at + place + half, (right * cos + left * sin).to(out_at.dtype.element_ty), inside)


BLOCK = 1024


def gate(x: Tensor) -> Tensor:
    """Gates and what goes through them are side by side in rows without gaps."""
    rows, both = x.shape
    out = x.new_empty((rows, both // 2))
    _gate[(rows, _parts(both // 2))](x, out, both // 2, BLOCK=BLOCK)
    return out


def gate_back(given: Tensor, x: Tensor) -> Tensor:
    rows, hidden = given.shape
    out = torch.empty_like(x)
    _gate_back[(rows, _parts(hidden))](given.contiguous(), x, out, hidden, BLOCK=BLOCK)
    return out


def turn(x: Tensor, cos: Tensor, sin: Tensor, way: int) -> Tensor:
    """Of each row [heads, head size] by the angles of the row; `way` is 1, or -1 to turn back."""
    rows, heads, size = x.shape
    if x.stride(2) != 1:
        x = x.contiguous()
    out = torch.empty((rows, heads, size), device=x.device, dtype=x.dtype)
    sizes: dict[str, Any] = {"HEADS": _power(heads), "HALF": _power(size // 2)}
    _turn[(rows,)](x, cos, sin, out, x.stride(0), x.stride(1), heads, size // 2, float(way), **sizes)
    return out


def _parts(size: int) -> int:
    return -(-size // BLOCK)


def _power(size: int) -> int:
    return 1 << (size - 1).bit_length()
