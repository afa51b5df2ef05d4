"""Adds an adapter to its base once and for all: a folder that vLLM serves and Ollama imports, without adapters.

    npx ludus train RUN --export-adapter adapter
    python3 -m ludus_gpu.merge --model PATH --adapter adapter --out merged
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path

from safetensors.torch import load_file, save_file
from torch import Tensor

from ludus_gpu.vllm_sampling import CLASSES
from ludus_gpu.weights import converted, load

PREFIX = "base_model.model."


def merged(weights: dict[str, Tensor], adapter: dict[str, Tensor], scale: float) -> dict[str, Tensor]:
    """Each product of two halves is added to the matrix that it belongs to, in float32, and rounded once."""
    out = dict(weights)
    left = set(adapter)
    for name in sorted(adapter):
        if not name.endswith(".lora_A.weight"):
            continue
        other, place = name.replace(".lora_A.", ".lora_B."), name.removeprefix(PREFIX).replace(".lora_A.", ".")
        if other not in adapter or place not in out:
            raise ValueError(f"The adapter has {name}, but there is no {other if other not in adapter else place}; it is of another model")
        matrix, added = out[place], scale * adapter[other].float() @ adapter[name].float()
        if matrix.shape != added.shape:
            raise ValueError(f"{place} is {tuple(matrix.shape)} in the model and {tuple(added.shape)} in the adapter; it is of another model")
        out[place] = (matrix.float() + added).to(matrix.dtype)
        left -= {name, other}
    if left:
        raise ValueError(f"The adapter has {min(left)}, which is not known; low-rank weights of linear layers are")
    return out


def write(model: Path, adapter: Path, out: Path, cache: Path) -> None:
    """The folder appears whole, or not at all."""
    facts = json.loads((adapter / "adapter_config.json").read_text())
    source = load(model, cache)
    folder = converted(model, cache) if model.is_file() else model
    weights = merged(source.weights, load_file(adapter / "adapter_model.safetensors"), facts["lora_alpha"] / facts["r"])
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    config = json.loads((folder / "config.json").read_text())
    kind = str(next(iter(weights.values())).dtype).removeprefix("torch.")
    named = {"architectures": [CLASSES[source.config.family]], "torch_dtype": kind, "tie_word_embeddings": "lm_head.weight" not in weights}
    (part / "config.json").write_text(json.dumps({**named, **config}, indent=1))
    for file in folder.iterdir():
        if file.name.startswith(("tokenizer", "special_tokens", "chat_template", "generation_config", "vocab", "merges")):
            shutil.copy(file, part / file.name)
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, part / "model.safetensors", metadata={"format": "pt"})
    part.rename(out)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Adds an adapter to its base: a folder for vLLM and Ollama.")
    parser.add_argument("--model", required=True, help="the base: a folder with config.json and .safetensors, or a GGUF file")
    parser.add_argument("--adapter", required=True, help="a PEFT folder, as ludus train RUN --export-adapter NAME writes it")
    parser.add_argument("--out", required=True, help="the folder to write; it must not be there yet")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/ludus-gpu"), help="where weights of GGUF files are kept as safetensors")
    options = parser.parse_args(words)
    out = Path(options.out)
    if out.exists():
        parser.error(f"{out} is there already; name another folder")
    try:
        write(Path(options.model), Path(options.adapter), out, Path(options.cache))
    except (ValueError, OSError, KeyError) as thrown:
        parser.error(f"{options.adapter} cannot be added to {options.model}: {thrown}")
    print(f"{out}: vllm serve {out}, or FROM {out} in a Modelfile of Ollama")
    if not (out / "tokenizer.json").exists():
        print("The base has no tokenizer.json (a GGUF file has none): copy the tokenizer's files of the same model beside the weights first.")


if __name__ == "__main__":
    main()
