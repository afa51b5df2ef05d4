"""Passes of fixed sizes give what passes of the exact size give; on a machine with a GPU they are recorded ones."""

from __future__ import annotations

import unittest
from unittest import mock

import numpy as np
import torch

from ludus_gpu.decoding import Decoder
from ludus_gpu.jobs import Answer, Job
from ludus_gpu.lora import Adapter, Weights
from ludus_gpu.passes import ROOM, ReadingPasses, Slots, TrainingPasses
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling
from test_training import rows_of, warmed, with_inputs
from ludus_gpu.tiny import tiny_model
from ludus_gpu.training import Trainer

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def sampled(sampler: Sampler, samples: int, most: int, seed: int = 1) -> list[tuple[list[int], list[float]]]:
    prompts = [[1, 2, 3, 4, 5], [1, 2, 3, 9], [7] * 20]
    jobs = [Job(sampler, prompt, samples, most, 1.0, -1, 1.0, seed, frozenset({0}), ()) for prompt in prompts]
    return [(sample.tokens, sample.logprobs) for answer in Sampling(sampler.model, None).answer(jobs) for sample in answer.samples]


class Passes(unittest.TestCase):
    def setUp(self) -> None:
        self.model = tiny_model(torch.float32, DEVICE)
        self.adapters = [warmed(Adapter(self.model.config, 4, seed, self.model.device, self.model.dtype)) for seed in range(4)]

    def same(self, got: list[tuple[list[int], list[float]]], wanted: list[tuple[list[int], list[float]]]) -> None:
        """The same texts. Builds of PyTorch round differently: a draw on the border of two tokens may take the other one, in one text of twenty."""
        alike = [(own, other) for own, other in zip(got, wanted, strict=True) if own[0] == other[0]]
        self.assertGreaterEqual(len(alike), len(got) - len(got) // 20, [(own[0], other[0]) for own, other in zip(got, wanted) if own[0] != other[0]])
        for (_, own), (_, other) in alike:
            np.testing.assert_allclose(own, other, atol=2e-5)

    def test_samples_are_the_same_in_a_slot(self) -> None:
        slots = Slots(self.model)
        for adapter in self.adapters[:2]:
            sampler = Sampler(self.model, adapter.frozen(), slots=slots)
            self.same(sampled(sampler, 9, 6), sampled(Sampler(self.model, adapter.frozen()), 9, 6))
            self.assertIsNotNone(sampler.slot)

    def test_a_tree_that_outgrows_its_slot_moves(self) -> None:
        sampler = Sampler(self.model, self.adapters[0].frozen(), slots=Slots(self.model))
        self.same(sampled(sampler, 40, 24), sampled(Sampler(self.model, self.adapters[0].frozen()), 40, 24))
        self.assertGreater(sampler.count, ROOM)
        self.assertIsNone(sampler.slot)

    def test_texts_that_share_little_are_written_side_by_side(self) -> None:
        dice = np.random.default_rng(6)
        prompts = [dice.integers(0, 320, int(n)).tolist() for n in (5, 30, 31, 60, 9)]

        def jobs(sampler: Sampler) -> list[Job]:
            ways = [(1, 1.0, -1, 1.0), (3, 0.7, -1, 0.8), (1, 0.0, -1, 1.0), (2, 1.3, 5, 1.0), (1, 1.0, 7, 0.9)]
            return [Job(sampler, prompt, *way[:1], 12, *way[1:], 40 + i, frozenset({0}), ()) for i, (prompt, way) in enumerate(zip(prompts, ways))]

        def answers(sampling: Sampling, sampler: Sampler) -> list[tuple[list[int], list[float]]]:
            return [(sample.tokens, sample.logprobs) for answer in sampling.answer(jobs(sampler)) for sample in answer.samples]

        # Five rows for eight texts: some have to wait until others have ended.
        decoder = Decoder(self.model, 5)
        beside = Sampling(self.model, None, [decoder])
        for weights in (None, self.adapters[0].frozen(), self.adapters[1].frozen()):
            sampler = Sampler(self.model, weights)
            with mock.patch("ludus_gpu.sampling.ROOM", 0):
                got = answers(beside, sampler)
            self.same(got, answers(Sampling(self.model, None), Sampler(self.model, weights)))
            self.assertEqual(len(decoder.free), decoder.rows)
        self.assertIsNotNone(decoder.cache)
        # Three at once, with two to write side by side: the third has a tree.
        two = [Decoder(self.model, 5), Decoder(self.model, 9)]
        samplers = [Sampler(self.model, weights) for weights in (None, self.adapters[0].frozen(), self.adapters[1].frozen())]
        with mock.patch("ludus_gpu.sampling.ROOM", 0):
            together = Sampling(self.model, None, two).answer([job for sampler in samplers for job in jobs(sampler)])
        got = [(sample.tokens, sample.logprobs) for answer in together for sample in answer.samples]
        self.same(got, [one for sampler in samplers for one in answers(Sampling(self.model, None), Sampler(self.model, sampler.weights))])
        self.assertEqual([len(one.free) for one in two], [one.rows for one in two])
        self.assertTrue(all(one.cache is not None for one in two))
        self.assertEqual([sampler.count > 0 for sampler in samplers], [False, False, True])
        # A tree that is small goes on as one.
        alone = Decoder(self.model, 5)
        answers(Sampling(self.model, None, [alone]), Sampler(self.model, None))
        self.assertIsNone(alone.cache)

    def test_texts_of_a_tree_that_fall_apart_go_on_side_by_side(self) -> None:
        def answers(sampling: Sampling, weights: Weights | None) -> list[tuple[list[int], list[float]]]:
            sampler = Sampler(self.model, weights)
            jobs = [Job(sampler, prompt, 20, most, 1.0, -1, 1.0, i, frozenset({0}), ()) for i, (prompt, most) in enumerate((([5] * 20, 12), ([5] * 9 + [6], 30)))]
            return [(sample.tokens, sample.logprobs) for answer in sampling.answer(jobs) for sample in answer.samples]

        # Ten rows of 256 tokens, or forty of 64.
        decoder = Decoder(self.model, 10)
        beside = Sampling(self.model, None, [decoder])
        for weights in (self.adapters[0].frozen(), None, self.adapters[1].frozen()):
            with mock.patch("ludus_gpu.sampling.ROOM", 60), mock.patch("ludus_gpu.decoding.SIZES", (64, 128, 256)), mock.patch.object(decoder, "copy", wraps=decoder.copy) as copy:
                got = answers(beside, weights)
            copy.assert_called_once()
            self.same(got, answers(Sampling(self.model, None), weights))
            self.assertEqual((len(decoder.free), decoder.rows, decoder.room), (10, 10, 256))

    def test_more_texts_than_rows_stand_in_shorter_rows(self) -> None:
        def jobs(sampler: Sampler) -> list[Job]:
            prompts = [[7] * (3 + i % 5) + [9, *range(i % 3, 10), i] for i in range(36)]
            return [Job(sampler, prompt, 1 + i % 2, 8, 1.0, -1, 1.0, i, frozenset({0}), ()) for i, prompt in enumerate(prompts)]

        def late(sampler: Sampler) -> list[Job]:
            return [Job(sampler, [8] * 70 + [i], 1, 6, 1.0, -1, 1.0, i, frozenset(), ()) for i in range(2)]

        # Ten rows of 256 tokens, or eighty of 32: two texts that come later are too long for these, and wait for longer ones.
        decoder = Decoder(self.model, 10)
        for weights in (None, self.adapters[0].frozen()):
            sampler = Sampler(self.model, weights)
            come = {0: list(enumerate(jobs(sampler))), 2: [(36 + i, job) for i, job in enumerate(late(sampler))]}
            calls, rooms = iter(range(1000)), []
            out: dict[int, Answer] = {}

            def take(under_way: bool) -> list[tuple[int, Job]]:
                rooms.append((decoder.rows, decoder.room))
                return come.pop(next(calls), [])

            small = (mock.patch("ludus_gpu.sampling.ROOM", 0), mock.patch("ludus_gpu.decoding.SIZES", (32, 64, 128, 256)), mock.patch("ludus_gpu.sampling.AHEAD", 2))
            with small[0], small[1], small[2], mock.patch.object(decoder, "_read", wraps=decoder._read) as read:
                Sampling(self.model, None, [decoder]).run(take, out.__setitem__)
            self.assertEqual((rooms[1], rooms[-1]), ((80, 32), (10, 256)))
            self.assertEqual(read.call_count, 2)
            plain = Sampler(self.model, weights)
            wanted = Sampling(self.model, None).answer([*jobs(plain), *late(plain)])
            self.same(*([(one.tokens, one.logprobs) for answer in some for one in answer.samples] for some in ([out[i] for i in range(38)], wanted)))

    @torch.no_grad()
    def test_what_prompts_share_is_read_once_side_by_side(self) -> None:
        prompts = [[5] * 30 + [i, *range(i)] for i in (3, 9, 4)] + [[5] * 30, [6, 7], [5] * 30 + [3, 0, 1, 2]]
        decoder = Decoder(self.model, 10)
        sampler = Sampler(self.model, self.adapters[0].frozen())
        with mock.patch.object(self.model, "read", wraps=self.model.read) as read:
            together = decoder.read(decoder.begin(sampler, sampler.weights, len(prompts)), prompts)
        (call,) = read.call_args_list
        self.assertEqual(len(call.args[0]), 30 + 4 + 10 + 5 + 2)
        for i, prompt in enumerate(prompts):
            other = Decoder(self.model, 1)
            alone = other.read(other.begin(sampler, sampler.weights, 1), [prompt])
            np.testing.assert_allclose(together[i].cpu().numpy(), alone[0].cpu().numpy(), atol=2e-5)

    @unittest.skipUnless(DEVICE == "cuda", "needs a GPU")
    @torch.no_grad()
    def test_prompts_are_read_the_same_in_a_recorded_pass(self) -> None:
        model = tiny_model(torch.bfloat16, DEVICE)
        dice = np.random.default_rng(4)
        rows = [np.array([5] * 30 + dice.integers(0, 320, int(n)).tolist()) for n in dice.integers(1, 200, 20)]
        adapters = [warmed(Adapter(model.config, 4, seed, model.device, model.dtype)).frozen() for seed in range(2)]
        fixed, plain = ReadingPasses(model, True), ReadingPasses(model, False)
        for weights in (*adapters, None):
            for some in (rows, rows[:3], rows[5:]):
                (tree,) = model.trees(some, 8192)
                (hidden, memory), (wanted, other) = fixed.read(weights, tree), plain.read(weights, tree)
                count = len(tree.tokens)
                for own, theirs in ((hidden, wanted), (memory.keys[:, :count], other.keys), (memory.values[:, :count], other.values)):
                    np.testing.assert_allclose(own.float().cpu().numpy(), theirs.float().cpu().numpy(), atol=0.06)
        self.assertEqual({rank for rank, _ in fixed.made}, {0, 4})
        self.assertEqual(plain.made, {})

    def test_whoever_comes_later_is_taken_in_and_ends_first(self) -> None:
        def job(sampler: Sampler, prompt: list[int], most: int, seed: int) -> Job:
            return Job(sampler, prompt, 1, most, 1.0, -1, 1.0, seed, frozenset(), ())

        def alone(prompt: list[int], most: int, seed: int) -> list[int]:
            sampler = Sampler(self.model, None)
            return Sampling(self.model, None).answer([job(sampler, prompt, most, seed)])[0].samples[0].tokens

        sampler = Sampler(self.model, None)
        come = {0: [("long", job(sampler, [1, 2, 3], 40, 1))], 5: [("short", job(sampler, [1, 2, 9], 4, 2))]}
        given: list[tuple[str, list[int], int]] = []
        calls = iter(range(1000))
        at = [0]

        def take(under_way: bool) -> list[tuple[str, Job]]:
            at[0] = next(calls)
            return come.pop(at[0], [])

        Sampling(self.model, None).run(take, lambda key, answer: given.append((key, answer.samples[0].tokens, at[0])))
        self.assertEqual([(key, step) for key, _, step in given], [("short", 8), ("long", 39)])
        self.assertEqual(given[0][1], alone([1, 2, 9], 4, 2))
        self.assertEqual(given[1][1], alone([1, 2, 3], 40, 1))
        self.assertFalse(sampler.busy)

    def test_whoever_waits_for_room_is_not_passed_by(self) -> None:
        sampler = Sampler(self.model, None, room=64)
        jobs = [("a", 40), ("b", 40), ("c", 4)]
        come = [[(key, Job(sampler, [1, 2, 3], 1, most, 1.0, -1, 1.0, 1, frozenset(), ())) for key, most in jobs]]
        given: list[str] = []
        Sampling(self.model, None).run(lambda _: come.pop() if come else [], lambda key, _: given.append(key))
        self.assertEqual(given, ["a", "c", "b"])
        self.assertLessEqual(sampler.count, 64)

    def test_more_samplers_than_slots(self) -> None:
        slots = Slots(self.model, 2)
        samplers = [Sampler(self.model, adapter.frozen(), slots=slots) for adapter in self.adapters]
        jobs = [Job(sampler, [1, 2, 3], 5, 4, 1.0, -1, 1.0, 3, frozenset(), ()) for sampler in samplers]
        together = Sampling(self.model, None).answer(jobs)
        for adapter, answer in zip(self.adapters, together):
            alone = Sampling(self.model, None).answer([Job(Sampler(self.model, adapter.frozen()), [1, 2, 3], 5, 4, 1.0, -1, 1.0, 3, frozenset(), ())])
            self.same([(s.tokens, s.logprobs) for s in answer.samples], [(s.tokens, s.logprobs) for s in alone[0].samples])
        # In turns, each takes the slot of one that is not in use.
        for adapter, sampler in zip(self.adapters, samplers):
            sampler.forget()
            self.same(sampled(sampler, 3, 4), sampled(Sampler(self.model, adapter.frozen()), 3, 4))

    def test_training_is_the_same_in_a_fixed_size(self) -> None:
        adapter = self.adapters[0]
        rows = with_inputs(rows_of(9, 12), "cross_entropy")
        for row in rows:
            row.inputs["kl_weights"] = np.abs(row.inputs["weights"])
        with torch.no_grad():
            adapter.reference.add_(0.01)
        found = []
        for passes in (None, TrainingPasses(self.model)):
            trainer = Trainer(self.model, passes)
            adapter.theta.grad = None
            done = [trainer.backward(rows, adapter, "cross_entropy", {"kl": 0.5}) for _ in range(2)][-1]
            found.append((done, adapter.theta.grad.cpu().numpy().copy()))
        (plain, gradient), (fixed, other) = found
        np.testing.assert_allclose(other, gradient, atol=2e-4 * np.abs(gradient).max())
        for own, wanted in zip(fixed.logprobs, plain.logprobs):
            np.testing.assert_allclose(own, wanted, atol=2e-5)
        self.assertAlmostEqual(fixed.metrics["kl:sum"], plain.metrics["kl:sum"], 4)


if __name__ == "__main__":
    unittest.main()
