"""Speed and agreement on one GPU, compared with plain transformers and plain PEFT in the same process.

    python3 -m ludus_gpu.bench --model PATH --prompts prompts.json > figures.json

PATH is what the server takes; prompts.json is a list of lists of tokens.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ludus_gpu.decoding import Decoder
from ludus_gpu.jobs import Job
from ludus_gpu.lora import Adapter
from ludus_gpu.model import Transformer
from ludus_gpu.passes import Slots, TrainingPasses
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling
from ludus_gpu.training import Row, Trainer
from ludus_gpu.weights import converted, load


def timed(work: Callable[[], Any], times: int = 3) -> float:
    work()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    began = time.perf_counter()
    for _ in range(times):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / times


def agreement(model: Transformer, plain: Any, prompts: list[list[int]]) -> float:
    """The largest difference of a log-probability from that of transformers, both in float32."""
    rows = [Row(np.array(prompt[:-1]), np.array(prompt[1:])) for prompt in prompts]
    ours = Trainer(model).forward(rows, None).logprobs
    worst = 0.0
    with torch.no_grad():
        for prompt, own in zip(prompts, ours):
            spread = plain(torch.tensor([prompt[:-1]], device="cuda")).logits[0].float().log_softmax(-1)
            theirs = spread[torch.arange(len(own)), torch.tensor(prompt[1:])].cpu().numpy()
            worst = max(worst, float(np.abs(theirs - own).max()))
    return worst


def rows_of(shared: int, dice: np.random.Generator, vocabulary: int) -> list[Row]:
    """64 rows of 320 tokens that begin alike."""
    prefix = dice.integers(3, vocabulary, shared)
    rows = []
    for _ in range(64):
        tokens = np.concatenate([prefix, dice.integers(3, vocabulary, 321 - shared)])
        weights = (np.arange(320) >= max(shared, 1) - 1).astype(float)
        rows.append(Row(tokens[:-1], tokens[1:], {"weights": weights}))
    return rows


def answered(prompts: list[list[int]], dice: np.random.Generator, vocabulary: int) -> list[Row]:
    """1,024 prompts in turn, each with an answer of 8 tokens: what a training of the game sends, but that equal rows are sent once there."""
    rows = []
    for i in range(1024):
        prompt = prompts[i % len(prompts)]
        tokens = np.concatenate([prompt, dice.integers(3, vocabulary, 8)])
        weights = (np.arange(len(tokens) - 1) >= len(prompt) - 1).astype(float)
        rows.append(Row(tokens[:-1], tokens[1:], {"weights": weights}))
    return rows


def padded(rows: list[Row]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Tokens, which of them count, and labels, of rows that are filled up to the longest."""
    longest = max(len(row.tokens) for row in rows) + 1
    whole = [np.append(row.tokens, row.targets[-1]) for row in rows]
    ids = np.stack([np.pad(one, (0, longest - len(one)), constant_values=2) for one in whole])
    seen = np.stack([np.arange(longest) < len(one) for one in whole])
    counts = np.stack([np.pad(row.inputs["weights"] > 0, (1, longest - 1 - len(row.tokens))) for row in rows])
    return tuple(torch.tensor(part, device="cuda") for part in (ids, seen.astype(np.int64), np.where(counts, ids, -100)))  # type: ignore[return-value]


def main() -> None:
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--prompts", required=True)
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/ludus-gpu"))
    options = parser.parse_args()
    path, cache = Path(options.model), Path(options.cache)
    prompts: list[list[int]] = json.loads(Path(options.prompts).read_text())
    source = load(path, cache)
    folder = converted(path, cache) if path.is_file() else path
    torch.set_float32_matmul_precision("highest")
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).cuda().eval()
    out: dict[str, float] = {"agreement": agreement(Transformer(source.config, dict(source.weights), "cuda", torch.float32), plain, prompts)}
    torch.set_float32_matmul_precision("high")
    plain = plain.to(torch.bfloat16)
    model = Transformer(source.config, dict(source.weights), "cuda", torch.bfloat16)
    sampling, slots, count = Sampling(model, None, [Decoder(model)]), Slots(model), 1024
    longest = max(map(len, prompts))
    batch = [prompts[i % len(prompts)] for i in range(count)]
    ids = torch.tensor([[2] * (longest - len(prompt)) + prompt for prompt in batch], device="cuda")
    seen = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in batch], device="cuda")
    for new in (8, 32):

        def ours(new: int = new) -> None:
            sampler = Sampler(model, None, slots=slots)
            each = [count // len(prompts) + (i < count % len(prompts)) for i in range(len(prompts))]
            sampling.answer([Job(sampler, p, each[i], new, 1.0, -1, 1.0, i, frozenset(), ()) for i, p in enumerate(prompts)])

        def theirs(new: int = new) -> None:
            plain.generate(ids, attention_mask=seen, max_new_tokens=new, min_new_tokens=new, do_sample=True, top_k=0, pad_token_id=2)

        out[f"answers_per_s.{new}_tokens"] = count / timed(ours, 1)
        out[f"answers_per_s.{new}_tokens.generate"] = count / timed(theirs, 1)
    adapter, dice = Adapter(model.config, 16, 0, model.device, model.dtype), np.random.default_rng(0)
    trainer = Trainer(model, TrainingPasses(model))
    for shared in (0, 288):
        rows = rows_of(shared, dice, model.config.vocabulary)
        out[f"trained_tokens_per_s.shared_{shared}"] = 64 * 320 / timed(lambda rows=rows: trainer.backward(rows, adapter, "cross_entropy", {}))
        out[f"peak_gb.shared_{shared}"] = torch.cuda.max_memory_allocated() / 1e9
    game = answered(prompts, dice, model.config.vocabulary)
    tokens = sum(len(row.tokens) for row in game)
    out["trained_tokens_per_s.prompts"] = tokens / timed(lambda: trainer.backward(game, adapter, "cross_entropy", {}))
    out["peak_gb.prompts"] = torch.cuda.max_memory_allocated() / 1e9
    parts = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    peft = get_peft_model(plain, LoraConfig(r=16, lora_alpha=32, target_modules=parts))
    inputs = torch.tensor(np.stack([row.tokens for row in rows_of(0, dice, model.config.vocabulary)]), device="cuda")
    out["trained_tokens_per_s.peft"] = 64 * 320 / timed(lambda: peft(input_ids=inputs, labels=inputs).loss.backward())
    out["peak_gb.peft"] = torch.cuda.max_memory_allocated() / 1e9
    # 128 rows at a time: all 1,024 would need more memory than there is.
    batches = [padded(game[at : at + 128]) for at in range(0, len(game), 128)]

    def game_by_peft() -> None:
        for ids_there, seen_there, labels in batches:
            peft(input_ids=ids_there, attention_mask=seen_there, labels=labels).loss.backward()

    out["trained_tokens_per_s.prompts.peft"] = tokens / timed(game_by_peft)
    out["peak_gb.prompts.peft"] = torch.cuda.max_memory_allocated() / 1e9
    json.dump(out, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
