"""Turns of many texts that differ: what the sampler takes for each, by the tiny model of the tests on a CPU, or by a model of one's own on a GPU.

    python3 -m ludus_gpu.bench_turns [--model PATH] [--texts 512 --shared 60 --own 50 --most 16 --more 20 --turns 3]

All texts begin alike; each turn adds what was drawn and some more tokens. Two runs that drew the same tokens have the same `drawn`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from ludus_gpu.decoding import Decoder
from ludus_gpu.jobs import Job
from ludus_gpu.lora import Adapter
from ludus_gpu.model import Config, Transformer
from ludus_gpu.passes import Slots
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling
from ludus_gpu.tiny import RAW, tiny_weights
from ludus_gpu.weights import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a folder or a GGUF file; the tiny model on a CPU where it is left out")
    for name, usual in (("texts", 512), ("shared", 60), ("own", 50), ("most", 16), ("more", 20), ("turns", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    if asked.model is None:
        torch.set_num_threads(1)
        raw = {**RAW, "max_position_embeddings": 2048}
        model = Transformer(Config.read(raw), tiny_weights(raw), "cpu", torch.float32)
    else:
        source = load(Path(asked.model), Path.home() / ".cache" / "ludus-gpu")
        model = Transformer(source.config, source.weights, "cuda", torch.bfloat16)
    passes: Counter[str] = Counter()
    read, write = Decoder._read, Decoder.write

    def count_read(*args: object) -> torch.Tensor:
        passes["read"] += 1
        return read(*args)  # type: ignore[arg-type]

    def count_write(*args: object) -> list[torch.Tensor]:
        passes["write"] += 1
        return write(*args)  # type: ignore[arg-type]

    Decoder._read, Decoder.write = count_read, count_write  # type: ignore[method-assign, assignment]
    sampling, slots = Sampling(model, None, [Decoder(model)]), Slots(model)
    # Twice, so that what is recorded in the first run is not counted in the second.
    for run in range(1 if asked.model is None else 2):
        dice, drawn = np.random.default_rng(0), hashlib.sha256()
        sampler = Sampler(model, Adapter(model.config, 16, 0, model.device, model.dtype).frozen(), slots=slots)
        first = dice.integers(0, 320, asked.shared).tolist()
        texts = [first + dice.integers(0, 320, asked.own).tolist() for _ in range(asked.texts)]
        for turn in range(asked.turns):
            passes.clear()
            wall, processor = time.perf_counter(), time.process_time()
            jobs = [Job(sampler, text, 1, asked.most, 1.0, -1, 1.0, 1000 * turn + i, frozenset(range(30)), ()) for i, text in enumerate(texts)]
            answers = sampling.answer(jobs)
            took = {"seconds": round(time.perf_counter() - wall, 3), "processor": round(time.process_time() - processor, 3)}
            for text, answer in zip(texts, answers):
                tokens = answer.samples[0].tokens
                drawn.update(repr(tokens).encode())
                text += tokens + dice.integers(0, 320, asked.more).tolist()
            print(json.dumps({"run": run, "turn": turn, **took, **passes, "drawn": drawn.hexdigest()[:12]}), flush=True)


if __name__ == "__main__":
    main()
