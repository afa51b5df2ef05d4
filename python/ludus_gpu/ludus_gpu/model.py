"""A decoder-only transformer (Llama, Mistral, Qwen 2, Qwen 3) that reads trees of tokens, with low-rank weights over frozen ones.

Every position is a node of a tree and sees its ancestors alone, so what texts have in common at their beginning is read once. Several
adapters share one pass: the frozen products are made for all rows together, the low-rank ones and attention for each segment of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from ludus_gpu.ancestors import Ancestors, Blocks, Tiles, in_tiles
from ludus_gpu.products import gated, lowered, turned
from ludus_gpu.trees import MOST_TOGETHER, Tree, trees

if TYPE_CHECKING:
    from ludus_gpu.lora import LayerWeights

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
    """In place of `sees`, where the rows are trees in a row, and the memory is of these alone."""
    ancestors: Ancestors | None = None
    """Where texts have a row each: the row of each node here; `at` is its place there, and `sees` is [rows, 1, 1, places]."""
    cache: Cache | None = None
    rows: Tensor | None = None


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
        if self.device.type == "cuda":
            # cuDNN works out a plan for every new size of a text, which takes a hundred times as long as to attend to it.
            torch.backends.cuda.enable_cudnn_sdp(False)
        self.in_tiles = in_tiles(self.device, dtype, config.head_size)
        self.wide = torch.promote_types(dtype, torch.float32)
        self.embedding = take(weights.pop("model.embed_tokens.weight"))
        self.head = take(weights.pop("lm_head.weight")) if "lm_head.weight" in weights else self.embedding
        self.wide_head = self.head.to(self.wide)
        self.norm = take(weights.pop("model.norm.weight"))
        self.layers = [Layer(weights, f"model.layers.{i}.", take) for i in range(config.layers)]
        angles = torch.outer(torch.arange(config.context, dtype=torch.float64), frequencies(config))
        both = torch.cat([angles, angles], -1)
        self.cos, self.sin = (wave.to(device=device, dtype=self.wide) for wave in (both.cos(), both.sin()))

    @property
    def kept_of_node(self) -> int:
        """Bytes that layers keep of each node for the way back, at most."""
        c = self.config
        return c.layers * (10 * c.width + 6 * c.hidden) * self.embedding.element_size()

    def memory(self, room: int) -> Memory:
        c = self.config
        shape = (c.layers, room, c.kv_heads, c.head_size)
        return Memory(*(torch.empty(shape, device=self.device, dtype=self.dtype) for _ in range(2)))

    def trees(self, rows: Sequence[np.ndarray], most: int) -> Iterator[Tree]:
        """Rows in portions of at most so many nodes, as many of them together as it takes no longer to read."""
        return trees(rows, most, most if self.in_tiles else MOST_TOGETHER)

    def ancestors(self, tree: Tree) -> Ancestors:
        return Tiles.of(tree.ends, self.device) if self.in_tiles else Blocks(tree, self.device)

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
            cache.keys[i].index_put_(place, k)
            cache.values[i].index_put_(place, v)
            # Heads that share keys are rows of one query.
            count, size = (0, 0) if segment.sees is None else (len(segment.sees), segment.sees.shape[-1])
            each = q.view(-1, c.kv_heads, copies, c.head_size)
            keys, values = (part[i, :count, :, :size] for part in (cache.keys, cache.values))
            out = F.scaled_dot_product_attention(each, keys, values, attn_mask=segment.sees)
            return out.reshape(-1, c.heads, c.head_size)
        if segment.ancestors is not None:
            if segment.memory is not None:
                segment.memory.keys[i].copy_(k)
                segment.memory.values[i].copy_(v)
            return segment.ancestors.attend(q, k, v)
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


def own(x: Tensor, segment: Segment) -> Tensor:
    """The rows of a segment. A part that is the whole is not cut out: the way back would fill it up with zeros."""
    return x if segment.start == 0 and segment.stop == len(x) else x[segment.start : segment.stop]


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
