"""A tiny random Llama for tests, as it is made and as a folder that the server loads."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from ludus_gpu.model import Config, Transformer

RAW = {
    "model_type": "llama",
    "vocab_size": 320,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 256,
}


def tiny_weights(raw: dict[str, object] | None = None, seed: int = 0) -> dict[str, Tensor]:
    config = Config.read({**RAW, **(raw or {})})
    dice = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=dice) / shape[-1] ** 0.5

    weights = {
        "model.embed_tokens.weight": torch.randn(config.vocabulary, config.width, generator=dice),
        "lm_head.weight": 2 * draw(config.vocabulary, config.width),
        "model.norm.weight": torch.ones(config.width),
    }
    for i in range(config.layers):
        prefix = f"model.layers.{i}."
        for name, (rows, columns) in config.outputs().items():
            block = "self_attn" if name in ("q_proj", "k_proj", "v_proj", "o_proj") else "mlp"
            weights[f"{prefix}{block}.{name}.weight"] = draw(rows, columns)
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"{prefix}{name}.weight"] = torch.ones(config.width) + 0.1 * torch.randn(config.width, generator=dice)
    return weights


def tiny_model(dtype: torch.dtype = torch.float32, device: str = "cpu") -> Transformer:
    return Transformer(Config.read(RAW), tiny_weights(), device, dtype)


def write_tiny(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(RAW))
    save_file(tiny_weights(), folder / "model.safetensors")
    return folder
