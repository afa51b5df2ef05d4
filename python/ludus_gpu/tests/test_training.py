"""Losses and gradients on a tiny random model, against hand-computed values and differences."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from safetensors.torch import load_file

from ludus_gpu import kernels
from ludus_gpu import merge
from ludus_gpu.ancestors import Blocks
from ludus_gpu.lora import Adapter, LayerWeights
from ludus_gpu.losses import LOSSES, NEEDED
from ludus_gpu.model import Segment, Transformer
from ludus_gpu.products import gated, lowered, turned
from ludus_gpu.tiny import tiny_model, write_tiny
from ludus_gpu.training import Row, Trainer
from ludus_gpu.trees import trees
from ludus_gpu.weights import load

SETTINGS = {"ppo": {"clip_low_threshold": 0.7, "clip_high_threshold": 1.3}, "dro": {"beta": 0.1}}


def rows_of(seed: int, count: int = 5, kl: bool = False) -> list[Row]:
    dice = np.random.default_rng(seed)
    prompt = dice.integers(0, 320, 7)
    rows = []
    for _ in range(count):
        tokens = np.concatenate([prompt[: dice.integers(3, 8)], dice.integers(0, 320, dice.integers(2, 6))])
        n = len(tokens) - 1
        mask = (np.arange(n) >= 3).astype(float)
        inputs = {"weights": mask * dice.normal(size=n), "logprobs": mask * (-5.8 + 0.3 * dice.normal(size=n)), "advantages": mask * dice.normal(size=n)}
        if kl:
            inputs["kl_weights"] = mask * dice.random(n)
        rows.append(Row(tokens[:-1], tokens[1:], inputs))
    return rows


def with_inputs(rows: list[Row], loss: str, kl: bool = False) -> list[Row]:
    names = [*NEEDED[loss], *(["kl_weights"] if kl else [])]
    return [Row(row.tokens, row.targets, {name: row.inputs[name] for name in names}) for row in rows]


def warmed(adapter: Adapter, seed: int = 3) -> Adapter:
    """An adapter whose upper halves are not 0 any more, and a reference elsewhere."""
    dice = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        adapter.theta += 0.05 * torch.randn(adapter.theta.shape, generator=dice, dtype=adapter.theta.dtype).to(adapter.theta.device)
    return adapter


class Losses(unittest.TestCase):
    def test_published_values(self) -> None:
        now = torch.tensor([-0.5, -1.2, -0.1], dtype=torch.float64, requires_grad=True)
        inputs = {
            "weights": torch.ones(3, dtype=torch.float64),
            "logprobs": torch.tensor([-0.7, -1.0, -0.9], dtype=torch.float64),
            "advantages": torch.tensor([1.0, -0.5, 2.0], dtype=torch.float64),
        }
        for loss, settings, value, slope in [
            ("cross_entropy", {}, 1.8, (-1, -1, -1)),
            ("importance_sampling", {}, -5.2631192, (-1.2214, 0.40937, -4.45108)),
            ("ppo", {}, -3.1906346, (0, 0.40937, 0)),
            ("cispo", {}, 0.5645711, (-1.2214, 0.40937, -4.45108)),
            ("cispo", {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2}, 0.3487615, (-1.2, 0.40937, -2.4)),
            ("dro", {"beta": 0.05}, 0.118, (-0.99, 0.49, -1.96)),
        ]:
            got = LOSSES[loss](now, inputs, settings)
            (gradient,) = torch.autograd.grad(got, now)
            self.assertAlmostEqual(float(got), value, 6, loss)
            np.testing.assert_allclose(gradient.numpy(), slope, atol=1e-5, err_msg=loss)

    def test_gradients_agree_with_differences(self) -> None:
        model = tiny_model(torch.float64)
        trainer = Trainer(model)
        for loss, kl in [*((loss, False) for loss in LOSSES), ("cross_entropy", True)]:
            adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
            rows = with_inputs(rows_of(5, kl=kl), loss, kl)
            settings = {**SETTINGS.get(loss, {}), **({"kl": 0.7} if kl else {})}
            trainer.backward(rows, adapter, loss, settings)
            gradient = adapter.theta.grad.clone()
            self.assertGreater(float(gradient.norm()), 0.1)
            picks = gradient.abs().topk(6).indices.tolist() + [0, len(gradient) // 2]

            def at(place: int, move: float) -> float:
                with torch.no_grad():
                    adapter.theta[place] += move
                adapter.theta.grad = None
                value = trainer.backward(rows, adapter, loss, settings).metrics["loss:sum"]
                with torch.no_grad():
                    adapter.theta[place] -= move
                return value

            # The gradient of CISPO is not that of its value: the ratio counts as a constant.
            if loss == "cispo":
                continue
            for place in picks:
                slope = (at(place, 1e-5) - at(place, -1e-5)) / 2e-5
                self.assertAlmostEqual(slope, float(gradient[place]), delta=1e-5 * max(1, abs(slope)), msg=f"{loss} {place}")

    def test_cispo_is_cross_entropy_with_clipped_ratios(self) -> None:
        model = tiny_model(torch.float64)
        trainer = Trainer(model)
        rows = rows_of(5)
        adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
        trainer.backward(with_inputs(rows, "cispo"), adapter, "cispo", {"clip_high_threshold": 1.1})
        gradient = adapter.theta.grad.clone()
        adapter.theta.grad = None
        now = trainer.forward(rows, adapter.frozen()).logprobs
        for row, own in zip(rows, now):
            row.inputs["weights"] = np.exp(own - row.inputs["logprobs"]).clip(0, 1.1) * row.inputs["advantages"]
        trainer.backward(with_inputs(rows, "cross_entropy"), adapter, "cross_entropy", {})
        np.testing.assert_allclose(adapter.theta.grad.numpy(), gradient.numpy(), atol=1e-9)


class Trees(unittest.TestCase):
    def test_shared_beginnings_change_nothing(self) -> None:
        model = tiny_model(torch.float64)
        trainer = Trainer(model)
        adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
        rows = with_inputs(rows_of(9, 12), "cross_entropy")
        together = trainer.backward(rows, adapter, "cross_entropy", {})
        gradient = adapter.theta.grad.clone()
        adapter.theta.grad = None
        alone = [trainer.backward([row], adapter, "cross_entropy", {}) for row in rows]
        np.testing.assert_allclose(adapter.theta.grad.numpy(), gradient.numpy(), atol=1e-10)
        for got, one in zip(together.logprobs, alone):
            np.testing.assert_allclose(got, one.logprobs[0], atol=1e-10)
        self.assertLess(together.metrics["nodes:sum"], sum(one.metrics["nodes:sum"] for one in alone))

    def test_targets_that_are_left_out_at_the_beginning_count_for_nothing(self) -> None:
        dice = np.random.default_rng(8)
        shared, model = dice.integers(3, 320, 9), tiny_model(torch.float64)
        texts = [np.concatenate([shared, dice.integers(3, 320, n)]) for n in (3, 7, 5)]
        whole, short = [], []
        for text in texts:
            count = len(text) - 10
            weights = dice.normal(size=count)
            whole.append(Row(text[:-1], text[1:], {"weights": np.concatenate([np.zeros(9), weights])}))
            short.append(Row(text[:-1], text[1:][9:], {"weights": weights}))
        gradients = []
        for rows in (whole, short):
            adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
            done = Trainer(model).backward(rows, adapter, "cross_entropy", {})
            gradients.append((adapter.theta.grad, done))
        torch.testing.assert_close(gradients[0][0], gradients[1][0])
        for long, own in zip(gradients[0][1].logprobs, gradients[1][1].logprobs):
            np.testing.assert_allclose(own, long[9:])

    def test_texts_that_share_only_their_first_token_stand_side_by_side(self) -> None:
        dice = np.random.default_rng(4)
        shared = dice.integers(3, 320, 12)
        bodies = [dice.integers(3, 320, n) for n in (9, 10, 11, 30, 4)]
        bodies += [np.concatenate([shared, dice.integers(3, 320, n)]) for n in (3, 5, 4)]
        texts = [np.concatenate([[1], body]) for body in bodies]
        rows = [Row(text[:-1], text[1:], {"weights": dice.normal(size=len(text) - 1) * (dice.random(len(text) - 1) < 0.7)}) for text in texts]
        (tree,) = trees([row.tokens for row in rows], 4096)
        self.assertEqual(len(tree.roots()) - 1, 6)
        model = tiny_model(torch.float64)
        blocks = Blocks(tree, model.device)
        # One of them branches; lines of about the same length are a block, filled up to the longest.
        self.assertEqual(sum(block.count for block in blocks.blocks), 6)
        self.assertEqual(sum(block.sees is not None for block in blocks.blocks), 1)
        self.assertTrue(any(block.count > 1 for block in blocks.blocks))
        adapter, trainer = warmed(Adapter(model.config, 4, 1, model.device, model.dtype)), Trainer(model)
        together = trainer.backward(rows, adapter, "cross_entropy", {})
        gradient = adapter.theta.grad.clone()
        adapter.theta.grad = None
        for row, own in zip(rows, together.logprobs):
            n = len(row.tokens)
            segment = Segment(0, n, torch.ones(n, n, dtype=torch.bool).tril(), adapter.weights().layers())
            spread = model.logits(model.read(torch.as_tensor(row.tokens), torch.arange(n), [segment])).log_softmax(-1)
            picked = spread[torch.arange(n), torch.as_tensor(row.targets)]
            (-(torch.as_tensor(row.inputs["weights"]) * picked).sum()).backward()
            np.testing.assert_allclose(own, picked.detach().numpy(), atol=1e-10)
        np.testing.assert_allclose(adapter.theta.grad.numpy(), gradient.numpy(), atol=1e-10)

    def test_trees_hold_every_row_and_split(self) -> None:
        rows = [row.tokens for row in rows_of(2, 30)]
        found: set[int] = set()
        for tree in trees(rows, 40):
            for number, path in tree.paths.items():
                np.testing.assert_array_equal(tree.tokens[path], rows[number])
                np.testing.assert_array_equal(tree.depths[path], np.arange(len(path)))
                sees = tree.sees(torch.device("cpu")).numpy()
                np.testing.assert_array_equal(np.nonzero(sees[path[-1]])[0], np.sort(path))
                found.add(number)
            self.assertLessEqual(len(tree.tokens), 40)
        self.assertEqual(found, set(range(30)))

    def test_recomputed_layers_give_the_same_gradient(self) -> None:
        model = tiny_model(torch.float64)
        adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
        tokens, depths = torch.arange(9), torch.arange(9)
        gradients = []
        for recompute in (False, True):
            adapter.theta.grad = None
            segment = Segment(0, 9, torch.ones(9, 9, dtype=torch.bool).tril(), adapter.weights().layers())
            model.read(tokens, depths, [segment], recompute).square().sum().backward()
            gradients.append(adapter.theta.grad.numpy().copy())
        np.testing.assert_allclose(*gradients, atol=1e-10)


class Merged(unittest.TestCase):
    def test_a_merged_model_says_what_the_adapter_says(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            folder = write_tiny(Path(place) / "tiny")
            model = tiny_model()
            adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
            adapter.save(Path(place) / "adapter", "tiny", training=False)
            with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.redirect_stderr(io.StringIO()) as refused:
                merge.main(["--model", str(folder), "--adapter", f"{place}/adapter", "--out", f"{place}/out"])
                with self.assertRaises(SystemExit):
                    merge.main(["--model", str(folder), "--adapter", f"{place}/adapter", "--out", f"{place}/out"])
            self.assertIn("vllm serve", told.getvalue())
            self.assertIn("is there already", refused.getvalue())
            source = load(Path(place) / "out", Path(place) / "cache")
            alone = Trainer(Transformer(source.config, source.weights, "cpu", torch.float32))
            rows = rows_of(3)
            with_adapter = Trainer(model).forward(rows, adapter.frozen()).logprobs
            for own, other, base in zip(alone.forward(rows, None).logprobs, with_adapter, Trainer(model).forward(rows, None).logprobs):
                np.testing.assert_allclose(own, other, atol=2e-5)
                self.assertGreater(float(np.abs(own - base).max()), 1e-3)
            with self.assertRaisesRegex(ValueError, "another model"):
                merge.merged({}, dict(load_file(Path(place) / "adapter" / "adapter_model.safetensors")), 1.0)


class Optimiser(unittest.TestCase):
    def test_steps_as_torch_does(self) -> None:
        model = tiny_model()
        adapter = warmed(Adapter(model.config, 2, 1, model.device, model.dtype))
        other = torch.nn.Parameter(adapter.theta.detach().clone())
        theirs = torch.optim.AdamW([other], lr=0.01, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
        dice = torch.Generator().manual_seed(1)
        for _ in range(5):
            gradient = torch.randn(other.shape, generator=dice)
            adapter.theta.grad, other.grad = gradient.clone(), gradient.clone()
            torch.nn.utils.clip_grad_norm_([other], 3.0)
            theirs.step()
            adapter.step(0.01, 0.9, 0.95, 1e-8, 0.1, 3.0)
        np.testing.assert_allclose(adapter.theta.detach().numpy(), other.detach().numpy(), atol=2e-5)

    def test_refuses_a_gradient_that_is_not_finite(self) -> None:
        model = tiny_model()
        adapter = Adapter(model.config, 2, 1, model.device, model.dtype)
        before = adapter.theta.detach().clone()
        adapter.theta.grad = torch.full_like(before, float("nan"))
        with self.assertRaisesRegex(ValueError, "not finite"):
            adapter.step(0.01, 0.9, 0.95, 1e-8, 0.0, 0.0)
        self.assertTrue(torch.equal(adapter.theta.detach(), before))


class Products(unittest.TestCase):
    """Parts of a layer whose way back is written by hand, against differences."""

    def test_low_rank_products_of_two_adapters_in_one_pass(self) -> None:
        dice = torch.Generator().manual_seed(3)

        def draw(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=dice, dtype=torch.float64).requires_grad_()

        x, frozen, matrices = draw(5, 4), draw(7, 4).detach(), [draw(4, 4), draw(7, 4), draw(4, 4), draw(7, 4)]

        def run(x: torch.Tensor, *parts: torch.Tensor) -> torch.Tensor:
            segments = [
                Segment(0, 2, None, [LayerWeights({"qk": (parts[0], parts[1])})]),
                Segment(2, 4, None, [LayerWeights({"qk": (parts[2], parts[3])})]),
                Segment(4, 5, None, None),
            ]
            return lowered(x, frozen, None, segments, 0, "qk")

        out = run(x, *matrices)
        torch.testing.assert_close(out[:2], x[:2] @ (frozen + matrices[1] @ matrices[0]).t())
        torch.testing.assert_close(out[4:], x[4:] @ frozen.t())
        self.assertTrue(torch.autograd.gradcheck(run, (x, *matrices)))

    def test_gates_and_turns(self) -> None:
        dice = torch.Generator().manual_seed(4)
        x = torch.randn(3, 2, 8, generator=dice, dtype=torch.float64).requires_grad_()
        angles = torch.randn(3, 1, 4, generator=dice, dtype=torch.float64)
        both = torch.cat([angles, angles], -1)
        self.assertTrue(torch.autograd.gradcheck(gated, (x,)))
        self.assertTrue(torch.autograd.gradcheck(lambda x: turned(x, both.cos(), both.sin()), (x,)))

    @unittest.skipUnless(kernels.triton and (torch.cuda.is_available() or os.environ.get("TRITON_INTERPRET")), "Triton has neither a GPU nor TRITON_INTERPRET=1")
    def test_gates_and_turns_in_one_pass_over_memory(self) -> None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        dice = torch.Generator().manual_seed(5)
        for rows, heads, size in ((3, 5, 24), (7, 4, 64)):
            gates, turns = (torch.randn(rows, 2 * heads * size, generator=dice).to(device).requires_grad_() for _ in range(2))
            given = torch.randn(rows, heads * size, generator=dice).to(device)
            both = torch.randn(rows, 1, size // 2, generator=dice).repeat(1, 1, 2).to(device)
            got: list[list[torch.Tensor]] = []
            for fused in (True, False):
                gates.grad = turns.grad = None
                with mock.patch("ludus_gpu.kernels.fit", lambda _, fused=fused: fused):
                    out = gated(gates)
                    out.backward(given)
                    # Heads of rows that have more in them than these.
                    turn = turned(turns[:, : heads * size].view(rows, heads, size), both.cos(), both.sin())
                    turn.backward(given.view(rows, heads, size))
                got.append([part.detach().clone() for part in (out, gates.grad, turn, turns.grad)])
            for own, other in zip(*got):
                torch.testing.assert_close(own, other)


if __name__ == "__main__":
    unittest.main()
