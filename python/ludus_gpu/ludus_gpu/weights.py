"""Loads a model from a folder of safetensors or from a GGUF file, whose weights are kept as safetensors for the next start."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from ludus_gpu.model import FAMILIES, Config

NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
TOPS = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight", "output.weight": "lm_head.weight"}


@dataclass
class Source:
    """A model as it lies in a folder: its sizes, its weights, and what a client needs to speak to it."""

    config: Config
    weights: dict[str, Tensor]
    """`{tokenizer, config}` as Hugging Face writes them, or `{gguf}` with the header's own lists."""
    tokenizer: dict[str, Any] | None


def load(path: Path, cache: Path) -> Source:
    if path.is_file():
        return load_folder(converted(path, cache))
    if not (path / "config.json").exists():
        raise ValueError(f"{path} is neither a GGUF file nor a folder with a config.json.")
    return load_folder(path)


def load_folder(folder: Path) -> Source:
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise ValueError(f"{folder} has no .safetensors files; convert the model first.")
    weights: dict[str, Tensor] = {}
    for file in files:
        weights.update(load_file(file))
    return Source(Config.read(read_json(folder / "config.json")), weights, tokenizer_in(folder))


def tokenizer_in(folder: Path) -> dict[str, Any] | None:
    if (folder / "gguf-tokenizer.json").exists():
        return {"gguf": read_json(folder / "gguf-tokenizer.json")}
    if not (folder / "tokenizer.json").exists():
        return None
    config = read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").exists() else {}
    if (folder / "chat_template.jinja").exists():
        config["chat_template"] = (folder / "chat_template.jinja").read_text()
    return {"tokenizer": read_json(folder / "tokenizer.json"), "config": config}


def pieces_of(tokenizer: dict[str, Any] | None) -> list[bytes] | None:
    """The bytes of every token, for stops that are given as texts."""
    if tokenizer is None:
        return None
    if "gguf" in tokenizer:
        names: list[str] = tokenizer["gguf"]["tokens"]
        sentencepiece = tokenizer["gguf"]["model"] == "llama"
    else:
        model = tokenizer["tokenizer"]["model"]
        vocabulary = {**model["vocab"], **{added["content"]: added["id"] for added in tokenizer["tokenizer"].get("added_tokens", [])}}
        names = [""] * (max(vocabulary.values()) + 1)
        for name, i in vocabulary.items():
            names[i] = name
        sentencepiece = bool(model.get("byte_fallback"))
    if sentencepiece:
        return [bytes([int(name[3:5], 16)]) if is_byte(name) else name.replace("\u2581", " ").encode() for name in names]
    table = {chr(code): byte for byte, code in byte_codes().items()}
    return [bytes(table[c] for c in name) if all(c in table for c in name) else name.encode() for name in names]


def is_byte(name: str) -> bool:
    return len(name) == 6 and name.startswith("<0x") and name.endswith(">")


def byte_codes() -> dict[int, int]:
    """How byte-level vocabularies write bytes: those that are printable as themselves, the others from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    codes = {byte: byte for byte in plain}
    for byte in range(256):
        if byte not in codes:
            codes[byte] = 256 + len(codes) - len(plain)
    return codes


def converted(path: Path, cache: Path) -> Path:
    """The folder with the file's weights as bfloat16; made once for a path, a size and a time of change."""
    stat = path.stat()
    key = hashlib.sha256(f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:16]
    folder = cache / f"{path.stem}-{key}"
    if folder.exists():
        return folder
    reader = reader_of(str(path))
    facts = {name: field.contents() for name, field in reader.fields.items()}
    family = str(facts["general.architecture"])
    if family not in FAMILIES:
        raise ValueError(f"{path} holds a model of the family {family}; this server runs {', '.join(FAMILIES)}.")
    heads = int(facts[f"{family}.attention.head_count"])
    kv_heads = int(facts.get(f"{family}.attention.head_count_kv", heads))
    if "rope_freqs.weight" in {tensor.name for tensor in reader.tensors}:
        raise ValueError(f"{path} scales its positions by a table of its own; give the safetensors folder of this model instead.")
    part = cache / f".{folder.name}.{os.getpid()}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    weights: dict[str, Tensor] = {}
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        jobs = {tensor.name: pool.submit(dequantised, str(path), i) for i, tensor in enumerate(reader.tensors)}
        for name, job in jobs.items():
            tensor = torch.from_numpy(job.result()).view(torch.bfloat16)
            theirs = name_of(name)
            # This family's rows are stored pair by pair, where the other form has them half by half.
            if family == "llama" and ".q_proj." in theirs:
                tensor = unpaired(tensor, heads)
            if family == "llama" and ".k_proj." in theirs:
                tensor = unpaired(tensor, kv_heads)
            weights[theirs] = tensor.contiguous()
    width = int(facts[f"{family}.embedding_length"])
    config = {
        "model_type": family,
        "vocab_size": weights["model.embed_tokens.weight"].shape[0],
        "hidden_size": width,
        "intermediate_size": int(facts[f"{family}.feed_forward_length"]),
        "num_hidden_layers": int(facts[f"{family}.block_count"]),
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": int(facts.get(f"{family}.attention.key_length", width // heads)),
        "rms_norm_eps": float(facts[f"{family}.attention.layer_norm_rms_epsilon"]),
        "rope_theta": float(facts.get(f"{family}.rope.freq_base", 10000.0)),
        "max_position_embeddings": int(facts[f"{family}.context_length"]),
    }
    (part / "config.json").write_text(json.dumps(config))
    (part / "gguf-tokenizer.json").write_text(json.dumps(gguf_tokenizer(facts)))
    save_file(weights, part / "model.safetensors")
    part.rename(folder)
    return folder


def gguf_tokenizer(facts: dict[str, Any]) -> dict[str, Any]:
    prefix = "tokenizer.ggml."
    out = {name[len(prefix) :]: value for name, value in facts.items() if name.startswith(prefix)}
    return {**out, "chat_template": facts.get("tokenizer.chat_template")}


@lru_cache(maxsize=1)
def reader_of(path: str) -> Any:
    from gguf import GGUFReader

    return GGUFReader(path)


def dequantised(path: str, i: int) -> np.ndarray:
    """One tensor as the bits of bfloat16, by the process that is told to."""
    from gguf.quants import dequantize

    tensor = reader_of(path).tensors[i]
    shape = [int(n) for n in reversed(tensor.shape)]
    flat = torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32).reshape(shape))
    return flat.to(torch.bfloat16).view(torch.int16).numpy()


def name_of(name: str) -> str:
    if name in TOPS:
        return TOPS[name]
    _, number, part, kind = name.split(".")
    return f"model.layers.{number}.{NAMES[part]}.{kind}"


def unpaired(tensor: Tensor, heads: int) -> Tensor:
    size = tensor.shape[0] // heads
    return tensor.view(heads, size // 2, 2, *tensor.shape[1:]).transpose(1, 2).reshape(tensor.shape)


def read_json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found
