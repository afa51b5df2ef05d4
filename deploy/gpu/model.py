"""A decoder-only transformer (Llama, Mistral, Qwen 2, Qwen 3) that reads trees of tokens, with low-rank weights over frozen ones.

Every position is a node of a tree and sees its ancestors alone, so what texts have in common at their beginning is read once. Several
adapters share one pass: the frozen products are made for all rows together, the low-rank ones and attention for each segment of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from products import gated, lowered, turned

if TYPE_CHECKING:
    from lora import LayerWeights

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")


@dataclass(frozen=True)
class Config:
    family: str
    vocabulary: int
    width: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    eps: float
    theta: float
    context: int
    scaling: dict[str, Any] | None = None

    @staticmethod
    def read(raw: dict[str, Any]) -> Config:
        """From the fields of a config.json."""
        family = str(raw.get("model_type"))
        if family not in FAMILIES:
            raise ValueError(f"The model is of the family {family}; this server runs {', '.join(FAMILIES)}.")
        heads = int(raw["num_attention_heads"])
        rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
        kind = rope.get("rope_type", rope.get("type", "default"))
        if kind not in ("default", "llama3"):
            raise ValueError(f'Positions of the type "{kind}" are not known; this server knows default and llama3.')
        context = int(raw.get("max_position_embeddings", 2048))
        window = raw.get("sliding_window")
        if window and raw.get("use_sliding_window", True):
            context = min(context, int(window))
        return Config(
            family=family,
            vocabulary=int(raw["vocab_size"]),
            width=int(raw["hidden_size"]),
            hidden=int(raw["intermediate_size"]),
            layers=int(raw["num_hidden_layers"]),
            heads=heads,
            kv_heads=int(raw.get("num_key_value_heads") or heads),
            head_size=int(raw.get("head_dim") or raw["hidden_size"] // heads),
            eps=float(raw.get("rms_norm_eps", 1e-6)),
            theta=float(rope.get("rope_theta") or raw.get("rope_theta") or 10000.0),
            context=context,
            scaling=dict(rope) if kind == "llama3" else None,
        )

    def outputs(self) -> dict[str, tuple[int, int]]:
        """Output and input sizes of the seven linear parts of a layer."""
        q, kv = self.heads * self.head_size, self.kv_heads * self.head_size
        return {
            "q_proj": (q, self.width),
            "k_proj": (kv, self.width),
            "v_proj": (kv, self.width),
            "o_proj": (self.width, q),
            "gate_proj": (self.hidden, self.width),
            "up_proj": (self.hidden, self.width),
            "down_proj": (self.width, self.hidden),
        }


@dataclass
class Memory:
    """Keys and values of the nodes of one tree: [layers, room, kv heads, head size]."""

    keys: Tensor
    values: Tensor


@dataclass
class Segment:
    """Rows of a pass that belong to one tree and one adapter. `sees` is [rows, nodes]: which nodes each row attends to."""

    start: int
    stop: int
    sees: Tensor | None
    lora: Sequence[LayerWeights] | None
    memory: Memory | None = None
    """Where the rows' own nodes begin in the memory, or the place of each; then `sees` is as wide as the memory."""
    at: int | Tensor = 0
    """In place of `sees`, where the rows are trees that do not see each other."""
    blocks: Blocks | None = None
    """Where texts have a row each: the row of each node here; `at` is its place there, and `sees` is [rows, 1, 1, places]."""
    cache: Cache | None = None
    rows: Tensor | None = None
    """Where texts share nodes: the node at each place of `rows` and `at`, and what each text reads by itself, in place of `sees`."""
    nodes: Tensor | None = None
    rests: Rests | None = None


@dataclass
class Cache:
    """Keys and values of texts in rows of one length: [layers, rows, kv heads, room, head size]."""

    keys: Tensor
    values: Tensor

    @staticmethod
    def empty(model: Transformer, rows: int, room: int) -> Cache:
        c = model.config
        shape = (c.layers, rows, c.kv_heads, room, c.head_size)
        # Attention multiplies what is hidden by 0, which is 0 only where it is a number.
        return Cache(*(torch.zeros(shape, device=model.device, dtype=model.dtype) for _ in range(2)))

    def divided(self, rows: int, room: int) -> Cache:
        """The same memory in rows of another length."""
        layers, _, heads, _, size = self.keys.shape
        return Cache(*(part.flatten()[: layers * rows * heads * room * size].view(layers, rows, heads, room, size) for part in (self.keys, self.values)))


@dataclass
class Rest:
    """What texts read by themselves, side by side: their rows, the node at each place, which fills up with the first, how far back the longest text reaches, and what is seen there; None is whatever comes before."""

    rows: Tensor
    nodes: Tensor
    reach: int
    sees: Tensor | None


class Rests:
    """Texts in rows of a cache, each with a beginning that others read; nodes are numbered text by text."""

    def __init__(self, rows: np.ndarray, lengths: np.ndarray, shared: np.ndarray, room: int, copies: int, device: torch.device) -> None:
        new = lengths - shared
        starts = np.cumsum(new) - new
        whole = shared == 0
        order = [i for i in np.lexsort((lengths, new, whole)) if new[i] > 0]
        self.parts: list[Rest] = []
        back, size, at = np.zeros(int(new.sum()), np.int64), 0, 0
        while at < len(order):
            stop = at
            # One that is longer by more than an eighth begins a new part.
            while stop < len(order) and whole[order[stop]] == whole[order[at]] and 8 * new[order[stop]] <= 9 * new[order[at]]:
                stop += 1
            some = np.array(order[at:stop])
            steps = np.arange(new[some].max())[None, :]
            real = steps < new[some][:, None]
            nodes = np.where(real, starts[some][:, None] + steps, 0)
            back[nodes[real]] = size + np.nonzero(real.reshape(-1))[0]
            reach, sees = steps.size, None
            if not whole[some[0]]:
                # A mask is read in portions of eight.
                reach = min(room, -(-int(lengths[some].max()) // 8) * 8)
                depths = brought(np.where(real, shared[some][:, None] + steps, 0), device)
                sees = (depths[:, :, None] >= torch.arange(reach, device=device)).repeat(1, copies, 1).unsqueeze(1)
            self.parts.append(Rest(brought(rows[some], device), brought(nodes, device), reach, sees))
            size += nodes.size
            at = stop
        self.back = brought(back, device)


@dataclass
class Block:
    """Trees of about the same length, side by side: how many, how long the longest is, and what each node sees; None is whatever comes before it."""

    count: int
    length: int
    sees: Tensor | None


class Blocks:
    """Where the nodes of a portion stand when its trees are side by side in blocks, each filled up to its longest."""

    def __init__(self, depths: np.ndarray, ends: np.ndarray, roots: np.ndarray, device: torch.device) -> None:
        lengths = np.diff(roots)
        line = np.array([depths[stop - 1] == stop - start - 1 for start, stop in zip(roots, roots[1:])])
        order = sorted(range(len(lengths)), key=lambda i: (bool(line[i]), int(lengths[i])))
        self.blocks: list[Block] = []
        places: list[np.ndarray] = []
        back, size, at = np.zeros(len(depths), np.int64), 0, 0
        while at < len(order):
            longest, stop = int(lengths[order[at]]), at
            # A tree that is longer by more than an eighth begins a new block.
            while stop < len(order) and line[order[stop]] == line[order[at]] and 8 * lengths[order[stop]] <= 9 * longest:
                stop += 1
            some = order[at:stop]
            longest = int(lengths[some[-1]])
            place = np.tile(roots[some][:, None], (1, longest))
            sees = None if line[some[0]] else np.tile(np.eye(longest, dtype=bool), (len(some), 1, 1))
            for row, i in enumerate(some):
                own = np.arange(roots[i], roots[i + 1])
                n = len(own)
                place[row, :n] = own
                back[own] = size + row * longest + np.arange(n)
                if sees is not None:
                    inner = np.arange(n)
                    sees[row, :n, :n] = (inner[None, :] <= inner[:, None]) & (inner[:, None] < (ends[own] - roots[i])[None, :])
            self.blocks.append(Block(len(some), longest, None if sees is None else brought(sees, device).unsqueeze(1)))
            places.append(place.reshape(-1))
            size += len(some) * longest
            at = stop
        # Trees of one length stand where they are already.
        self.in_place = size == len(back) and bool((back == np.arange(size)).all())
        self.places, self.back = (brought(part, device) for part in (np.concatenate(places), back))

    def spread(self, x: Tensor) -> list[Tensor]:
        """Of each block [trees, heads, nodes, head size]."""
        whole = x if self.in_place else cast(Tensor, _Spread.apply(x, self.places, self.back))
        parts = whole.split([block.count * block.length for block in self.blocks])
        return [part.view(block.count, block.length, *x.shape[1:]).transpose(1, 2) for part, block in zip(parts, self.blocks)]

    def joined(self, parts: Sequence[Tensor]) -> Tensor:
        rows = [part.transpose(1, 2).flatten(0, 1) for part in parts]
        whole = rows[0] if len(rows) == 1 else torch.cat(rows)
        return whole if self.in_place else cast(Tensor, _Joined.apply(whole, self.back))


class _Spread(torch.autograd.Function):
    """Every node has one place; what fills up is seen by nobody, so nothing comes back from it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, places: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        return x.index_select(0, places)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return gradients[0].index_select(0, ctx.saved_tensors[0]), None, None


class _Joined(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(back)
        ctx.rows = x.shape[0]
        return x.index_select(0, back)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (given,) = gradients
        return given.new_zeros((ctx.rows, *given.shape[1:])).index_copy_(0, ctx.saved_tensors[0], given), None


class Layer:
    def __init__(self, weights: dict[str, Tensor], prefix: str, take: Any) -> None:
        def get(name: str) -> Tensor | None:
            return take(weights.pop(prefix + name)) if prefix + name in weights else None

        def need(name: str) -> Tensor:
            found = get(name)
            if found is None:
                raise ValueError(f"The weights have no {prefix}{name}.")
            return found

        parts = [need(f"self_attn.{name}_proj.weight") for name in "qkv"]
        self.sizes = [part.shape[0] for part in parts]
        self.qkv = torch.cat(parts)
        biases = [get(f"self_attn.{name}_proj.bias") for name in "qkv"]
        self.qkv_bias = None if biases[0] is None else torch.cat([bias for bias in biases if bias is not None])
        self.o = need("self_attn.o_proj.weight")
        self.gate_up = torch.cat([need("mlp.gate_proj.weight"), need("mlp.up_proj.weight")])
        self.down = need("mlp.down_proj.weight")
        self.before = need("input_layernorm.weight")
        self.after = need("post_attention_layernorm.weight")
        self.q_norm, self.k_norm = get("self_attn.q_norm.weight"), get("self_attn.k_norm.weight")


class Transformer:
    def __init__(self, config: Config, weights: dict[str, Tensor], device: str, dtype: torch.dtype) -> None:
        def take(tensor: Tensor) -> Tensor:
            return tensor.to(device=device, dtype=dtype)

        self.config, self.device, self.dtype = config, torch.device(device), dtype
        self.wide = torch.promote_types(dtype, torch.float32)
        self.embedding = take(weights.pop("model.embed_tokens.weight"))
        self.head = take(weights.pop("lm_head.weight")) if "lm_head.weight" in weights else self.embedding
        self.wide_head = self.head.to(self.wide)
        self.norm = take(weights.pop("model.norm.weight"))
        self.layers = [Layer(weights, f"model.layers.{i}.", take) for i in range(config.layers)]
        angles = torch.outer(torch.arange(config.context, dtype=torch.float64), frequencies(config))
        both = torch.cat([angles, angles], -1)
        self.cos, self.sin = (wave.to(device=device, dtype=self.wide) for wave in (both.cos(), both.sin()))

    def memory(self, room: int) -> Memory:
        c = self.config
        shape = (c.layers, room, c.kv_heads, c.head_size)
        return Memory(*(torch.empty(shape, device=self.device, dtype=self.dtype) for _ in range(2)))

    def read(self, tokens: Tensor, depths: Tensor, segments: Sequence[Segment], recompute: bool = False) -> Tensor:
        """The last hidden state of each node; with `recompute`, what happens inside layers is not kept for the way back."""
        x = F.embedding(tokens, self.embedding)
        cos, sin = self.cos[depths].unsqueeze(1), self.sin[depths].unsqueeze(1)
        for i in range(self.config.layers):
            if recompute and torch.is_grad_enabled():
                x = checkpoint(self._layer, i, x, cos, sin, segments, use_reentrant=False)
            else:
                x = self._layer(i, x, cos, sin, segments)
        return F.rms_norm(x, (x.shape[-1],), self.norm, self.config.eps)

    def logits(self, hidden: Tensor) -> Tensor:
        """In float32 at least: what rounding to half precision does to a chance is larger than what an update does."""
        return F.linear(hidden.to(self.wide), self.wide_head)

    def _layer(self, i: int, x: Tensor, cos: Tensor, sin: Tensor, segments: Sequence[Segment]) -> Tensor:
        c, layer = self.config, self.layers[i]
        y = F.rms_norm(x, (c.width,), layer.before, c.eps)
        q, k, v = lowered(y, layer.qkv, layer.qkv_bias, segments, i, "qkv").split(layer.sizes, -1)
        q = q.view(-1, c.heads, c.head_size)
        k, v = (part.view(-1, c.kv_heads, c.head_size) for part in (k, v))
        if layer.q_norm is not None and layer.k_norm is not None:
            q = F.rms_norm(q, (c.head_size,), layer.q_norm, c.eps)
            k = F.rms_norm(k, (c.head_size,), layer.k_norm, c.eps)
        q, k = turned(q, cos, sin), turned(k, cos, sin)
        mixed = [self._attend(i, q, k, v, segment) for segment in segments]
        y = (mixed[0] if len(mixed) == 1 else torch.cat(mixed)).flatten(1)
        x = x + lowered(y, layer.o, None, segments, i, "o")
        y = F.rms_norm(x, (c.width,), layer.after, c.eps)
        y = gated(lowered(y, layer.gate_up, None, segments, i, "gate_up"))
        return x + lowered(y, layer.down, None, segments, i, "down")

    def _attend(self, i: int, q: Tensor, k: Tensor, v: Tensor, segment: Segment) -> Tensor:
        c = self.config
        q, k, v = (own(part, segment) for part in (q, k, v))
        copies = c.heads // c.kv_heads
        cache = segment.cache
        if cache is not None and segment.rows is not None:
            place = (segment.rows[:, None], torch.arange(c.kv_heads, device=k.device)[None, :], cast(Tensor, segment.at)[:, None])
            cache.keys[i].index_put_(place, k if segment.nodes is None else k[segment.nodes])
            cache.values[i].index_put_(place, v if segment.nodes is None else v[segment.nodes])
            if segment.rests is not None:
                return self._rests(i, q, cache, segment.rests, copies)
            # Heads that share keys are rows of one query.
            count, size = (0, 0) if segment.sees is None else (len(segment.sees), segment.sees.shape[-1])
            each = q.view(-1, c.kv_heads, copies, c.head_size)
            keys, values = (part[i, :count, :, :size] for part in (cache.keys, cache.values))
            out = F.scaled_dot_product_attention(each, keys, values, attn_mask=segment.sees)
            return out.reshape(-1, c.heads, c.head_size)
        if segment.blocks is not None:
            return self._blocks(q, k, v, segment.blocks, copies)
        if segment.memory is not None:
            if isinstance(segment.at, Tensor):
                segment.memory.keys[i].index_copy_(0, segment.at, k)
                segment.memory.values[i].index_copy_(0, segment.at, v)
            else:
                places = slice(segment.at, segment.at + (segment.stop - segment.start))
                segment.memory.keys[i, places] = k
                segment.memory.values[i, places] = v
            count = 0 if segment.sees is None else segment.sees.shape[1]
            k, v = segment.memory.keys[i, :count], segment.memory.values[i, :count]
        # Heads that share keys stand one behind another, so that no key is copied.
        k, v = (part.transpose(0, 1).expand(copies, -1, -1, -1) for part in (k, v))
        q = q.view(-1, c.kv_heads, copies, c.head_size).permute(2, 1, 0, 3)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=segment.sees)
        return out.permute(2, 1, 0, 3).reshape(-1, c.heads, c.head_size)

    def _rests(self, i: int, q: Tensor, cache: Cache, rests: Rests, copies: int) -> Tensor:
        c = self.config
        out = []
        for part in rests.parts:
            count, length = part.nodes.shape
            keys, values = (one[i, part.rows, :, : part.reach] for one in (cache.keys, cache.values))
            if part.sees is None:
                out.append(self._causal(q[part.nodes].transpose(1, 2), keys, values, copies).transpose(1, 2).flatten(0, 1))
                continue
            # Heads that share keys are rows of one query, one behind another.
            each = q[part.nodes].view(count, length, c.kv_heads, copies, c.head_size).permute(0, 2, 3, 1, 4).reshape(count, c.kv_heads, -1, c.head_size)
            got = F.scaled_dot_product_attention(each, keys, values, attn_mask=part.sees)
            got = got.view(count, c.kv_heads, copies, length, c.head_size).permute(0, 3, 1, 2, 4)
            out.append(got.reshape(-1, c.heads, c.head_size))
        return (out[0] if len(out) == 1 else torch.cat(out))[rests.back]

    def _blocks(self, q: Tensor, k: Tensor, v: Tensor, blocks: Blocks, copies: int) -> Tensor:
        out = []
        for block, queries, keys, values in zip(blocks.blocks, blocks.spread(q), blocks.spread(k), blocks.spread(v)):
            if block.sees is None:
                out.append(self._causal(queries, keys, values, copies))
                continue
            if copies > 1:
                keys, values = (part.repeat_interleave(copies, 1) for part in (keys, values))
            out.append(F.scaled_dot_product_attention(queries, keys, values, attn_mask=block.sees))
        return blocks.joined(out)

    def _causal(self, queries: Tensor, keys: Tensor, values: Tensor, copies: int) -> Tensor:
        # Only the kernel for half precision shares keys among heads by itself, and only without a mask.
        shares = copies > 1 and queries.is_cuda and self.dtype != torch.float32
        if copies > 1 and not shares:
            keys, values = (part.repeat_interleave(copies, 1) for part in (keys, values))
        return F.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=shares)


def own(x: Tensor, segment: Segment) -> Tensor:
    """The rows of a segment. A part that is the whole is not cut out: the way back would fill it up with zeros."""
    return x if segment.start == 0 and segment.stop == len(x) else x[segment.start : segment.stop]


def waiting(part: np.ndarray | Sequence[Any], device: torch.device) -> Tensor:
    """From where a GPU takes it by itself, so that nobody waits until it has done what it was asked before."""
    tensor = torch.from_numpy(np.ascontiguousarray(part)) if isinstance(part, np.ndarray) else torch.tensor(part)
    return tensor.pin_memory() if device.type == "cuda" else tensor


def brought(part: np.ndarray | Sequence[Any], device: torch.device) -> Tensor:
    return waiting(part, device).to(device, non_blocking=True)


def frequencies(config: Config) -> Tensor:
    size = config.head_size
    plain = 1.0 / config.theta ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    if config.scaling is None:
        return plain
    s = config.scaling
    factor, low, high = float(s["factor"]), float(s["low_freq_factor"]), float(s["high_freq_factor"])
    old = float(s["original_max_position_embeddings"])
    waves = 2 * math.pi / plain
    smooth = ((old / waves - low) / (high - low)).clamp(0, 1)
    return (1 - smooth) * plain / factor + smooth * plain
