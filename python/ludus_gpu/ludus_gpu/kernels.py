"""Kernels for where Triton and a GPU are at hand. Gates and turns are one pass over memory each: written in plain parts they take as long as half of all products. Attention over trees is one launch, whatever the trees are."""

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

    @triton.jit
    def _part(at, row, stride, head, inside, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
        """[rows, head size] of one head."""
        column = tl.arange(0, SIZE)
        return tl.load(at + row[:, None].to(tl.int64) * stride + head * SIZE + column[None, :], inside[:, None], 0.0)

    @triton.jit(do_not_specialize=["nodes"])
    def _attend(q_at, k_at, v_at, out_at, sums_at, ends_at, starts_at, seen_at, nodes, scale, q_stride, k_stride, v_stride, HEADS: tl.constexpr, COPIES: tl.constexpr, SIZE: tl.constexpr, TILE: tl.constexpr):  # type: ignore[no-untyped-def]
        tile, head = tl.program_id(0), tl.program_id(1)
        row = tile * TILE + tl.arange(0, TILE)
        inside = row < nodes
        q = _part(q_at, row, q_stride, head, inside, SIZE)
        top = tl.full([TILE], float("-inf"), tl.float32)
        total = tl.zeros([TILE], tl.float32)
        out = tl.zeros([TILE, SIZE], tl.float32)
        for i in range(tl.load(starts_at + tile), tl.load(starts_at + tile + 1)):
            key = tl.load(seen_at + i) * TILE + tl.arange(0, TILE)
            there = key < nodes
            end = tl.load(ends_at + key, there, 0)
            k = _part(k_at, key, k_stride, head // COPIES, there, SIZE)
            v = _part(v_at, key, v_stride, head // COPIES, there, SIZE)
            sees = (key[None, :] <= row[:, None]) & (row[:, None] < end[None, :])
            score = tl.where(sees, tl.dot(q, tl.trans(k)) * scale, float("-inf"))
            higher = tl.maximum(top, tl.max(score, 1))
            # A row that has seen nothing yet has no highest score.
            base = tl.where(higher == float("-inf"), 0.0, higher)
            share = tl.exp2(score - base[:, None])
            fall = tl.exp2(top - base)
            total = total * fall + tl.sum(share, 1)
            out = out * fall[:, None] + tl.dot(share.to(v.dtype), v)
            top = higher
        total = tl.where(inside, total, 1.0)
        place = (row[:, None].to(tl.int64) * HEADS + head) * SIZE + tl.arange(0, SIZE)[None, :]
        tl.store(out_at + place, (out / total[:, None]).to(out_at.dtype.element_ty), inside[:, None])
        tl.store(sums_at + head * nodes + row, top + tl.log2(total), inside)

    @triton.jit(do_not_specialize=["nodes"])
    def _attend_back_q(given_at, q_at, k_at, v_at, out_at, sums_at, own_at, back_at, ends_at, starts_at, seen_at, nodes, scale, plain, given_stride, q_stride, k_stride, v_stride, HEADS: tl.constexpr, COPIES: tl.constexpr, SIZE: tl.constexpr, TILE: tl.constexpr):  # type: ignore[no-untyped-def]
        tile, head = tl.program_id(0), tl.program_id(1)
        row = tile * TILE + tl.arange(0, TILE)
        inside = row < nodes
        q = _part(q_at, row, q_stride, head, inside, SIZE)
        given = _part(given_at, row, given_stride, head, inside, SIZE)
        out = _part(out_at, row, HEADS * SIZE, head, inside, SIZE)
        own = tl.sum(given.to(tl.float32) * out.to(tl.float32), 1)
        tl.store(own_at + head * nodes + row, own, inside)
        sums = tl.load(sums_at + head * nodes + row, inside, 0.0)
        back = tl.zeros([TILE, SIZE], tl.float32)
        for i in range(tl.load(starts_at + tile), tl.load(starts_at + tile + 1)):
            key = tl.load(seen_at + i) * TILE + tl.arange(0, TILE)
            there = key < nodes
            end = tl.load(ends_at + key, there, 0)
            k = _part(k_at, key, k_stride, head // COPIES, there, SIZE)
            v = _part(v_at, key, v_stride, head // COPIES, there, SIZE)
            sees = (key[None, :] <= row[:, None]) & (row[:, None] < end[None, :])
            share = tl.where(sees, tl.exp2(tl.dot(q, tl.trans(k)) * scale - sums[:, None]), 0.0)
            slope = share * (tl.dot(given, tl.trans(v)) - own[:, None])
            back += tl.dot(slope.to(k.dtype), k)
        place = (row[:, None].to(tl.int64) * HEADS + head) * SIZE + tl.arange(0, SIZE)[None, :]
        tl.store(back_at + place, (back * plain).to(back_at.dtype.element_ty), inside[:, None])

    @triton.jit(do_not_specialize=["nodes"])
    def _attend_back_kv(given_at, q_at, k_at, v_at, sums_at, own_at, k_back_at, v_back_at, ends_at, last_at, nodes, scale, plain, given_stride, q_stride, k_stride, v_stride, HEADS: tl.constexpr, COPIES: tl.constexpr, SIZE: tl.constexpr, TILE: tl.constexpr):  # type: ignore[no-untyped-def]
        tile, head = tl.program_id(0), tl.program_id(1)
        key = tile * TILE + tl.arange(0, TILE)
        there = key < nodes
        end = tl.load(ends_at + key, there, 0)
        k = _part(k_at, key, k_stride, head // COPIES, there, SIZE)
        v = _part(v_at, key, v_stride, head // COPIES, there, SIZE)
        k_back = tl.zeros([TILE, SIZE], tl.float32)
        v_back = tl.zeros([TILE, SIZE], tl.float32)
        for i in range(tile, tl.load(last_at + tile) + 1):
            row = i * TILE + tl.arange(0, TILE)
            inside = row < nodes
            q = _part(q_at, row, q_stride, head, inside, SIZE)
            given = _part(given_at, row, given_stride, head, inside, SIZE)
            sums = tl.load(sums_at + head * nodes + row, inside, 0.0)
            own = tl.load(own_at + head * nodes + row, inside, 0.0)
            sees = (key[:, None] <= row[None, :]) & (row[None, :] < end[:, None])
            share = tl.where(sees, tl.exp2(tl.dot(k, tl.trans(q)) * scale - sums[None, :]), 0.0)
            v_back += tl.dot(share.to(given.dtype), given)
            slope = share * (tl.dot(v, tl.trans(given)) - own[None, :])
            k_back += tl.dot(slope.to(q.dtype), q)
        place = (key[:, None].to(tl.int64) * HEADS + head) * SIZE + tl.arange(0, SIZE)[None, :]
        tl.store(k_back_at + place, k_back * plain, there[:, None])
        tl.store(v_back_at + place, v_back, there[:, None])


LOG2E = 1.4426950408889634
BLOCK = 1024
"""Nodes that are held against each other at a time."""
TILE = 64
"""Where the part below each node ends; the last tile that sees anything of each; where the list of what each tile sees begins; all lists."""
Parts = tuple[Tensor, ...]


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


def attend(q: Tensor, k: Tensor, v: Tensor, parts: Parts) -> tuple[Tensor, Tensor]:
    """What each node takes from its ancestors, and the logarithm of the sum of its shares."""
    nodes, heads, size = q.shape
    ends, last, starts, seen = parts
    out, sums = torch.empty_like(q, memory_format=torch.contiguous_format), torch.empty((heads, nodes), device=q.device)
    _attend[(len(last), heads)](q, k, v, out, sums, ends, starts, seen, nodes, LOG2E / size**0.5, q.stride(0), k.stride(0), v.stride(0), **_sizes(q, k))
    return out, sums


def attend_back(given: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, sums: Tensor, parts: Parts) -> tuple[Tensor, Tensor, Tensor]:
    nodes, heads, size = q.shape
    ends, last, starts, seen = parts
    own, back, sizes, plain = torch.empty_like(sums), torch.empty_like(out), _sizes(q, k), size**-0.5
    scales, strides = (nodes, LOG2E * plain, plain), (given.stride(0), q.stride(0), k.stride(0), v.stride(0))
    _attend_back_q[(len(last), heads)](given, q, k, v, out, sums, own, back, ends, starts, seen, *scales, *strides, **sizes)
    # Of every head by itself: a node that all others see is what one program works on longest.
    k_back, v_back = (torch.empty((nodes, heads, size), device=q.device) for _ in range(2))
    _attend_back_kv[(len(last), heads)](given, q, k, v, sums, own, k_back, v_back, ends, last, *scales, *strides, **sizes)
    k_back, v_back = (part.view(nodes, k.shape[1], -1, size).sum(2).to(k.dtype) for part in (k_back, v_back))
    return back, k_back, v_back


def in_rows(x: Tensor) -> Tensor:
    """Heads of a node without gaps, whatever is between two nodes."""
    return x if x.stride(2) == 1 and x.stride(1) == x.shape[2] else x.contiguous()


def _sizes(q: Tensor, k: Tensor) -> dict[str, Any]:
    return {"HEADS": q.shape[1], "COPIES": q.shape[1] // k.shape[1], "SIZE": q.shape[2], "TILE": TILE}


def _parts(size: int) -> int:
    return -(-size // BLOCK)


def _power(size: int) -> int:
    return 1 << (size - 1).bit_length()
