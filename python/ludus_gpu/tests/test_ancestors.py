"""Nodes take from their ancestors alone, whichever way attention is made."""

from __future__ import annotations

import unittest

import numpy as np
import torch
from torch import Tensor

from ludus_gpu import kernels
from ludus_gpu.ancestors import Ancestors, Blocks, Tiles, tiles_of
from ludus_gpu.lora import Adapter
from ludus_gpu.passes import TrainingPasses
from test_training import rows_of, warmed, with_inputs
from ludus_gpu.tiny import tiny_model
from ludus_gpu.training import Trainer
from ludus_gpu.trees import Tree, trees


def tree_of(seed: int, rows: int = 40) -> Tree:
    """Texts of which many share a beginning, each after one that is there already."""
    dice = np.random.default_rng(seed)
    texts = [dice.integers(0, 50, 30)]
    for _ in range(rows):
        before = texts[int(dice.integers(len(texts)))]
        texts.append(np.concatenate([before[: int(dice.integers(1, len(before) + 1))], dice.integers(0, 50, int(dice.integers(1, 60)))]))
    (tree,) = trees(texts, 10**6, 10**6)
    return tree


class TileLists(unittest.TestCase):
    def test_every_tile_lists_those_of_which_it_sees_anything(self) -> None:
        for seed in range(20):
            tree, size = tree_of(seed), 16
            sees = tree.sees(torch.device("cpu")).numpy()
            last, starts, seen = tiles_of(tree.ends, size)
            count = -(-len(sees) // size)
            wanted = [[j for j in range(count) if sees[i * size : (i + 1) * size, j * size : (j + 1) * size].any()] for i in range(count)]
            self.assertEqual([seen[starts[i] : starts[i + 1]].tolist() for i in range(count)], wanted)
            self.assertEqual(last.tolist(), [max(i for i in range(count) if j in wanted[i]) for j in range(count)])


class Attention(unittest.TestCase):
    def check(self, tree: Tree, ancestors: Ancestors, heads: int, kv_heads: int, size: int, device: str, dtype: torch.dtype, most: float) -> None:
        dice = torch.Generator().manual_seed(1)
        n = len(tree.tokens)
        drawn = [torch.randn(n, count, size, generator=dice) for count in (heads, kv_heads, kv_heads, heads)]
        q, k, v = (part.to(device, dtype).requires_grad_() for part in drawn[:3])
        given = drawn[3].to(device, dtype)
        out = ancestors.attend(q, k, v)
        out.backward(given)
        # The same by one dense mask, in double precision.
        wide = [part.detach().double().cpu().requires_grad_() for part in (q, k, v)]
        keys, values = (part.repeat_interleave(heads // kv_heads, 1) for part in wide[1:])
        scores = torch.einsum("qhd,khd->hqk", wide[0], keys) / size**0.5
        shares = scores.masked_fill(~tree.sees(torch.device("cpu")), float("-inf")).softmax(-1)
        wanted = torch.einsum("hqk,khd->qhd", shares, values)
        wanted.backward(given.double().cpu())
        pairs: list[tuple[Tensor | None, Tensor | None]] = [(out, wanted), *((a.grad, b.grad) for a, b in zip((q, k, v), wide))]
        for own, other in pairs:
            assert own is not None and other is not None
            self.assertLess(float((own.detach().double().cpu() - other.detach()).abs().max() / other.detach().abs().max()), most)

    def test_trees_side_by_side(self) -> None:
        for seed in range(3):
            tree = tree_of(seed, 12)
            self.check(tree, Blocks(tree, torch.device("cpu")), 4, 2, 16, "cpu", torch.float64, 1e-12)

    @unittest.skipUnless(torch.cuda.is_available() and kernels.work(), "needs a GPU and Triton")
    def test_tiles(self) -> None:
        for seed, (heads, kv_heads, size) in enumerate([(4, 2, 16), (8, 1, 64), (4, 4, 128), (32, 4, 64)]):
            tree = tree_of(seed, 60)
            self.check(tree, Tiles.of(tree.ends, torch.device("cuda")), heads, kv_heads, size, "cuda", torch.bfloat16, 2e-2)

    @unittest.skipUnless(torch.cuda.is_available() and kernels.work(), "needs a GPU and Triton")
    def test_recorded_passes_read_tiles(self) -> None:
        model = tiny_model(torch.bfloat16, "cuda")
        self.assertTrue(model.in_tiles)
        rows = with_inputs(rows_of(3, 30, kl=True), "cross_entropy", kl=True)
        got = []
        for trainer in (Trainer(model), Trainer(model, TrainingPasses(model))):
            adapter = warmed(Adapter(model.config, 4, 1, model.device, model.dtype))
            for _ in range(2):
                adapter.theta.grad = None
                done = trainer.backward(rows, adapter, "cross_entropy", {"kl": 0.5})
            assert adapter.theta.grad is not None
            got.append((adapter.theta.grad, np.concatenate(done.logprobs)))
        self.assertLess(float((got[0][0] - got[1][0]).norm() / got[0][0].norm()), 2e-2)
        np.testing.assert_allclose(got[0][1], got[1][1], atol=0.1)


if __name__ == "__main__":
    unittest.main()
