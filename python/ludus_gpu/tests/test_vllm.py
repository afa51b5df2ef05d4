"""What vLLM is asked, and what is made of its answers, with a stand-in that has the names of its published types."""

from __future__ import annotations

import json
import sys
import types
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import torch

from ludus_gpu.jobs import Job
from ludus_gpu.lora import Adapter
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling
from test_training import warmed
from ludus_gpu.tiny import tiny_model
from ludus_gpu.vllm_sampling import VllmSampling


@dataclass
class LoRARequest:
    lora_name: str
    lora_int_id: int
    lora_path: str


class SamplingParams:
    FIELDS = "n max_tokens temperature top_k top_p seed stop_token_ids ignore_eos detokenize logprobs prompt_logprobs".split()

    def __init__(self, **given: Any) -> None:
        if set(given) - set(self.FIELDS):
            raise TypeError(f"unexpected {set(given) - set(self.FIELDS)}")
        vars(self).update(given)


class LLM:
    """Answers by our own sampler, so that what is passed on is held against what is asked."""

    def __init__(self, **given: Any) -> None:
        self.given, self.adapters = given, []
        self.model = tiny_model()

    def generate(self, prompts: Any, sampling_params: Any, *, lora_request: Any, use_tqdm: bool) -> list[Any]:
        self.adapters.append(lora_request)
        out = []
        for prompt, way, adapter in zip(prompts, sampling_params, lora_request):
            weights = None
            if adapter is not None:
                config = json.loads((Path(adapter.lora_path) / "adapter_config.json").read_text())
                own = Adapter(self.model.config, config["r"], 0, self.model.device, self.model.dtype)
                own.load(Path(adapter.lora_path), training=False)
                weights = own.frozen()
            job = Job(Sampler(self.model, weights), prompt["prompt_token_ids"], way.n, way.max_tokens, way.temperature, way.top_k, way.top_p, way.seed, frozenset(way.stop_token_ids), (), way.prompt_logprobs is not None)
            (got,) = Sampling(self.model, None).answer([job])
            each = [types.SimpleNamespace(token_ids=tuple(one.tokens), logprobs=spreads(one.tokens, one.logprobs), finish_reason=one.finish) for one in got.samples]
            prompted = None if got.prompt_logprobs is None else spreads(job.prompt, got.prompt_logprobs)
            out.append(types.SimpleNamespace(outputs=each, prompt_logprobs=prompted, num_cached_tokens=None))
        return out


def spreads(tokens: Any, logprobs: Any) -> list[Any]:
    return [None if value is None else {token: types.SimpleNamespace(logprob=value)} for token, value in zip(tokens, logprobs)]


class Vllm(unittest.TestCase):
    def test_answers_as_our_own_sampler_does(self) -> None:
        lora = types.SimpleNamespace(request=types.SimpleNamespace(LoRARequest=LoRARequest))
        parts = {"vllm": types.SimpleNamespace(LLM=LLM, SamplingParams=SamplingParams, lora=lora), "vllm.lora": lora, "vllm.lora.request": lora.request}
        model = tiny_model()
        pieces = [bytes([65 + i % 26]) for i in range(320)]
        with mock.patch.dict(sys.modules, parts):
            sampling = VllmSampling(model, pieces, Path("/models/tiny"), 0.3, 8)
        self.assertEqual(sampling.llm.given["hf_overrides"], {"architectures": ["LlamaForCausalLM"]})
        adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
        for weights in (None, adapter.frozen()):
            sampler = Sampler(model, weights)
            jobs = [
                Job(sampler, [1, 2, 3], 3, 6, 0.8, 5, 0.9, 7, frozenset({0, 9}), (), True),
                Job(sampler, [4, 5], 1, 4, 0.0, -1, 1.0, 8, frozenset(), ()),
                Job(sampler, [4, 5], 1, 9, 1.0, -1, 1.0, 8, frozenset(), (b"A",)),
            ]
            got, wanted = sampling.answer(jobs), Sampling(model, pieces).answer(jobs)
            for own, other in zip(got, wanted):
                self.assertEqual([(one.tokens, one.finish) for one in own.samples], [(one.tokens, one.finish) for one in other.samples])
                for a, b in zip(own.samples, other.samples):
                    torch.testing.assert_close(torch.tensor(a.logprobs), torch.tensor(b.logprobs), atol=1e-5, rtol=0)
            self.assertEqual(len(got[0].prompt_logprobs or []), 3)
        # A stop that is a text does not go there; the base has no adapter, and one is written once.
        self.assertEqual([len(one) for one in sampling.llm.adapters], [2, 2])
        self.assertIsNone(sampling.llm.adapters[0][0])
        self.assertIs(sampling.llm.adapters[1][0], sampling.llm.adapters[1][1])


if __name__ == "__main__":
    unittest.main()
