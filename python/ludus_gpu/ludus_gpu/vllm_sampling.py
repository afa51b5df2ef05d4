"""Sampling by vLLM, where it is installed: the same jobs and answers as sampling.py. Weights are still trained here.

An adapter is written to a folder when its sampler is first asked, and vLLM loads it from there. Stops that are given as texts are
watched for by our own sampler, since vLLM gets no tokenizer: prompts and answers are tokens.
"""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from ludus_gpu.jobs import Answer, Job, Sample
from ludus_gpu.lora import peft_config
from ludus_gpu.model import Transformer
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling

CLASSES = {"llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM"}


class VllmSampling(Sampling):
    def __init__(self, model: Transformer, pieces: Sequence[bytes] | None, folder: Path, share: float, rank: int) -> None:
        super().__init__(model, pieces)
        import vllm
        from vllm.lora.request import LoRARequest

        self.params, self.request = vllm.SamplingParams, LoRARequest
        self.llm = vllm.LLM(
            model=str(folder),
            dtype=str(model.dtype).removeprefix("torch."),
            max_model_len=model.config.context,
            skip_tokenizer_init=True,
            enable_lora=True,
            max_lora_rank=rank,
            gpu_memory_utilization=share,
            # Of what was drawn from, as ours are; and a folder made from a GGUF file does not name its class.
            logprobs_mode="processed_logprobs",
            hf_overrides={"architectures": [CLASSES[model.config.family]]},
        )
        self.numbers = itertools.count(1)
        self.adapters: weakref.WeakKeyDictionary[Sampler, Any] = weakref.WeakKeyDictionary()

    def run(self, take: Callable[[bool], Sequence[tuple[Any, Job]]], give: Callable[[Any, Answer], None]) -> None:
        while jobs := take(False):
            ours = [one for one in jobs if one[1].stop_texts]
            theirs = [one for one in jobs if not one[1].stop_texts]
            if ours:
                left = [ours]
                super().run(lambda _: left.pop() if left else [], give)
            if not theirs:
                continue
            prompts = [{"prompt_token_ids": job.prompt} for _, job in theirs]
            ways, adapters = [self._params(job) for _, job in theirs], [self._adapter(job.sampler) for _, job in theirs]
            for (key, job), out in zip(theirs, self.llm.generate(prompts, ways, lora_request=adapters, use_tqdm=False)):
                give(key, answer_of(job, out))

    def _params(self, job: Job) -> Any:
        return self.params(
            n=job.samples,
            max_tokens=job.most,
            temperature=max(job.temperature, 0.0),
            top_k=max(job.top_k, 0),
            top_p=job.top_p,
            # Parts of one request must not draw alike.
            seed=(job.seed + job.first) % 2**63,
            stop_token_ids=sorted(job.stop_tokens),
            ignore_eos=True,
            detokenize=False,
            logprobs=0,
            prompt_logprobs=0 if job.read_prompt else None,
        )

    def _adapter(self, sampler: Sampler) -> Any:
        if sampler.weights is None:
            return None
        if sampler not in self.adapters:
            folder, weights = tempfile.mkdtemp(prefix="ludus-adapter-"), sampler.weights
            weakref.finalize(sampler, shutil.rmtree, folder, True)
            named = {name: view.cpu().contiguous().clone() for name, view in weights.named().items()}
            save_file(named, Path(folder) / "adapter_model.safetensors", metadata={"format": "pt"})
            (Path(folder) / "adapter_config.json").write_text(json.dumps(peft_config(weights.layout.rank, "base")))
            number = next(self.numbers)
            self.adapters[sampler] = self.request(f"adapter-{number}", number, folder)
        return self.adapters[sampler]


def answer_of(job: Job, out: Any) -> Answer:
    samples = []
    for number, one in enumerate(out.outputs):
        tokens = list(one.token_ids)
        logprobs = [spread[token].logprob for spread, token in zip(one.logprobs, tokens)]
        finish = "stop" if one.finish_reason == "stop" else "length"
        samples.append(Sample(job, job.first + number, 0, None, tokens, logprobs, finish))
    prompt = None
    if job.read_prompt:
        prompt = [None if spread is None else spread[token].logprob for spread, token in zip(out.prompt_logprobs, job.prompt)]
    return Answer(samples, prompt, out.num_cached_tokens or 0)
