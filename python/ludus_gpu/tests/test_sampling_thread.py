"""Samples come from a thread of their own, and what is trained meanwhile changes nothing of them, nor they of it."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np
import torch

from ludus_gpu.decoding import Decoder
from ludus_gpu.jobs import Answer, Job
from ludus_gpu.lora import Adapter
from ludus_gpu.numbered import Work
from ludus_gpu.passes import Slots, TrainingPasses
from ludus_gpu.results import Future
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling
from ludus_gpu.sampling_thread import SamplingThread
from test_training import rows_of, warmed, with_inputs
from ludus_gpu.tiny import tiny_model
from ludus_gpu.training import Trainer

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def settle(future: Future, work: Work) -> None:
    future.result = dict(work())
    future.done.set()


def job(sampler: Sampler, seed: int, prompt: Sequence[int] = (1, 2, 3), samples: int = 3) -> Job:
    return Job(sampler, list(prompt), samples, 8, 1.0, -1, 1.0, seed, frozenset({0}), ())


class Threads(unittest.TestCase):
    def setUp(self) -> None:
        self.model = tiny_model(torch.float32, DEVICE)

    def test_what_waits_is_sampled_together_and_answered_after_the_end(self) -> None:
        sampler = Sampler(self.model, None)
        asked: list[int] = []

        class Watched(Sampling):
            def run(self, take: Callable[[bool], Sequence[tuple[Any, Job]]], give: Callable[[Any, Answer], None]) -> None:
                # Only once all have been put.
                ready.wait()

                def counted(under_way: bool) -> Sequence[tuple[Any, Job]]:
                    taken = take(under_way)
                    asked.append(len(taken))
                    return taken

                super().run(counted, give)

        ready = Future("ready").done
        thread = SamplingThread(Watched(self.model, None), settle)
        futures = [Future(f"request_{i}") for i in range(5)]
        for i, future in enumerate(futures):
            thread.put(future, [job(sampler, i)] * (1 + i % 2))
        ready.set()
        thread.close()
        self.assertEqual(asked[0], 7)
        for i, future in enumerate(futures):
            alone = Sampling(self.model, None).answer([job(Sampler(self.model, None), i)])[0]
            tokens = [one["tokens"] for one in (future.result or {})["sequences"]]
            self.assertEqual(tokens, [one.tokens for one in alone.samples] * (1 + i % 2))

    def test_a_failure_is_told_to_all_whom_it_meets_and_to_nobody_else(self) -> None:
        sampler = Sampler(self.model, None)
        sampling = Sampling(self.model, None)
        futures = [Future("request_0"), Future("request_1")]
        thread = SamplingThread(sampling, settle)
        with mock.patch.object(sampling, "_draw", side_effect=RuntimeError("no memory is left")):
            thread.put(futures[0], [job(sampler, 1)])
            futures[0].done.wait()
        thread.put(futures[1], [job(sampler, 1)])
        thread.close()
        self.assertEqual(futures[0].result, {"error": "RuntimeError: no memory is left", "category": "server"})
        self.assertEqual(len((futures[1].result or {})["sequences"]), 3)

    def test_training_beside_samples_changes_neither(self) -> None:
        rows = [with_inputs(rows_of(seed, 12), "cross_entropy") for seed in range(4)]
        prompts = [[5] * 30 + [i % 7] for i in range(12)]

        def trained(ask: Callable[[Adapter, int], None]) -> tuple[np.ndarray, list[np.ndarray]]:
            adapter = warmed(Adapter(self.model.config, 4, 1, self.model.device, self.model.dtype))
            trainer = Trainer(self.model, TrainingPasses(self.model))
            logprobs: list[np.ndarray] = []
            for i in range(12):
                ask(adapter, i)
                logprobs += trainer.backward(rows[i % 4], adapter, "cross_entropy", {}).logprobs
                adapter.step(1e-3, 0.9, 0.95, 1e-12, 0.0, 0.0)
            return adapter.theta.detach().cpu().numpy(), logprobs

        with mock.patch("ludus_gpu.sampling.ROOM", 60):
            slots = Slots(self.model)
            thread = SamplingThread(Sampling(self.model, None, [Decoder(self.model, 10)]), settle)
            futures: list[Future] = []
            before: list[list[list[int]]] = []

            def beside(adapter: Adapter, i: int) -> None:
                sampler = Sampler(self.model, adapter.frozen(), slots=slots)
                futures.append(Future(f"request_{i}"))
                thread.put(futures[-1], [job(sampler, i, prompts[i], samples) for samples in (2, 20)])

            def alone(adapter: Adapter, i: int) -> None:
                sampler = Sampler(self.model, adapter.frozen())
                answers = Sampling(self.model, None).answer([job(sampler, i, prompts[i], samples) for samples in (2, 20)])
                before.append([sample.tokens for answer in answers for sample in answer.samples])

            wanted = trained(alone)
            got = trained(beside)
            thread.close()
        np.testing.assert_allclose(got[0], wanted[0], atol=1e-5)
        for own, other in zip(got[1], wanted[1]):
            np.testing.assert_allclose(own, other, atol=1e-4)
        self.assertEqual([[one["tokens"] for one in (future.result or {})["sequences"]] for future in futures], before)


if __name__ == "__main__":
    unittest.main()
