"""Low-rank weights: one flat vector in float32 for each adapter, with its gradient, its optimiser, and a reference that follows it."""

from __future__ import annotations

import json
import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from ludus_gpu.model import Config

ALPHA = 32.0
"""Parts of a layer that read the same input: their lower halves are one matrix."""
GROUPS = {"qkv": ("q_proj", "k_proj", "v_proj"), "o": ("o_proj",), "gate_up": ("gate_proj", "up_proj"), "down": ("down_proj",)}
BLOCK = {name: "self_attn" if name[0] in "qkvo" else "mlp" for names in GROUPS.values() for name in names}


@dataclass
class LayerWeights:
    """For each group its lower halves as one matrix, and its upper halves as another, which is 0 where a part would read another's lower half."""

    parts: dict[str, tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Place:
    """Where a matrix is among the numbers of a layer: as it is kept, and inside of a matrix of its group as it is used."""

    name: str
    is_upper: bool
    at: int
    rows: int
    columns: int
    wide_at: int
    wide_rows: int
    wide_columns: int
    first_row: int
    first_column: int

    def kept(self, layers: Tensor) -> Tensor:
        return layers[:, self.at : self.at + self.rows * self.columns].view(-1, self.rows, self.columns)

    def used(self, layers: Tensor) -> Tensor:
        whole = layers[:, self.wide_at : self.wide_at + self.wide_rows * self.wide_columns].view(-1, self.wide_rows, self.wide_columns)
        return whole[:, self.first_row : self.first_row + self.rows, self.first_column : self.first_column + self.columns]


class Layout:
    """Where each matrix is in the flat vector, layer by layer: as it is kept, and as it is used, with the matrices of a group as two."""

    def __init__(self, config: Config, rank: int) -> None:
        self.config, self.rank, self.scale = config, rank, ALPHA / rank
        self.places: list[Place] = []
        self.shapes: list[tuple[int, int]] = []
        sizes = config.outputs()
        at = wide_at = 0
        for names in GROUPS.values():
            outer, inner, width = sum(sizes[name][0] for name in names), rank * len(names), sizes[names[0]][1]
            for n, name in enumerate(names):
                self.places.append(Place(name, False, at, rank, width, wide_at, inner, width, n * rank, 0))
                at += rank * width
            wide_at += inner * width
            first = 0
            for n, name in enumerate(names):
                rows = sizes[name][0]
                self.places.append(Place(name, True, at, rows, rank, wide_at, outer, inner, first, n * rank))
                at += rows * rank
                first += rows
            wide_at += outer * inner
            self.shapes += [(inner, width), (outer, inner)]
        self.size, self.wide_size = config.layers * at, config.layers * wide_at

    def wide(self, flat: Tensor) -> Tensor:
        """As it is used, upper halves times the scale."""
        return cast(Tensor, _Wide.apply(flat, self))

    def narrow(self, wide: Tensor, scale: float) -> Tensor:
        """From where they are used to where they are kept, upper halves times this."""
        out = wide.new_empty(self.size)
        kept, used = (part.view(self.config.layers, -1) for part in (out, wide))
        for place in self.places:
            torch.mul(place.used(used), scale if place.is_upper else 1.0, out=place.kept(kept))
        return out

    def layers(self, wide: Tensor) -> list[LayerWeights]:
        """Views into the vector. One split for all, so that the way back is one concatenation."""
        shapes = self.shapes * self.config.layers
        views = (piece.view(shape) for piece, shape in zip(wide.split([rows * columns for rows, columns in shapes]), shapes))
        return [LayerWeights({group: (next(views), next(views)) for group in GROUPS}) for _ in range(self.config.layers)]

    def named(self, flat: Tensor) -> dict[str, Tensor]:
        """As PEFT names them."""
        views = [place.kept(flat.view(self.config.layers, -1)) for place in self.places]
        return {
            f"base_model.model.model.layers.{i}.{BLOCK[place.name]}.{place.name}.lora_{'B' if place.is_upper else 'A'}.weight": view[i]
            for i in range(self.config.layers)
            for place, view in zip(self.places, views)
        }

    def flat(self, named: dict[str, Tensor]) -> Tensor:
        flat = torch.zeros(self.size)
        for name, view in self.named(flat).items():
            if name not in named or named[name].shape != view.shape:
                raise ValueError(f"The saved weights have no {name} of the shape {tuple(view.shape)}; they are of another model or rank.")
            view.copy_(named[name])
        return flat


class _Wide(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, flat: Tensor, layout: Layout) -> Tensor:
        ctx.layout = layout
        out = flat.new_zeros(layout.wide_size)
        kept, used = (part.view(layout.config.layers, -1) for part in (flat, out))
        for place in layout.places:
            torch.mul(place.kept(kept), layout.scale if place.is_upper else 1.0, out=place.used(used))
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return ctx.layout.narrow(gradients[0], ctx.layout.scale), None


@dataclass
class Weights:
    """The low-rank weights of one moment as they are used, in the precision of the model."""

    layout: Layout
    wide: Tensor

    def layers(self) -> list[LayerWeights]:
        return self.layout.layers(self.wide)

    def named(self) -> dict[str, Tensor]:
        """As PEFT names them."""
        return self.layout.named(self.layout.narrow(self.wide, 1 / self.layout.scale))


@dataclass
class Kept:
    """An adapter as it was at one moment, to be written by whoever has the time."""

    layout: Layout
    form: str | None
    state: dict[str, Tensor]
    counts: dict[str, str]

    def write(self, folder: Path, base: str) -> None:
        """A PEFT adapter, and beside it what only training needs. The folder appears whole, or not at all."""
        config = self.layout.config
        part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        facts = peft_config(self.layout.rank, base)
        if self.form is not None:
            facts["ludus"] = json.loads(self.form)
        (part / "adapter_config.json").write_text(json.dumps(facts, indent=1))
        # What a writer of GGUF files has to know of the base model.
        told = {"family": config.family, "heads": str(config.heads), "kv_heads": str(config.kv_heads), "alpha": str(ALPHA), "base": base}
        if self.form is not None:
            told["ludus"] = self.form
        named = {name: view.clone() for name, view in self.layout.named(self.state["theta"]).items()}
        save_file(named, part / "adapter_model.safetensors", metadata={"format": "pt", **told})
        only_training = {name: tensor for name, tensor in self.state.items() if name != "theta"}
        if only_training:
            save_file(only_training, part / "optimizer.safetensors", metadata=self.counts)
        for file in part.iterdir():
            with open(file, "rb") as handle:
                os.fsync(handle.fileno())
        if folder.exists():
            old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
            folder.rename(old)
            part.rename(folder)
            shutil.rmtree(old)
        else:
            part.rename(folder)


class Adapter:
    def __init__(self, config: Config, rank: int, seed: int, device: torch.device, dtype: torch.dtype) -> None:
        self.layout, self.dtype = Layout(config, rank), dtype
        dice = torch.Generator().manual_seed(seed)
        start = torch.zeros(self.layout.size)
        for name, view in self.layout.named(start).items():
            if name.endswith("lora_A.weight"):
                # As PEFT draws them; the upper halves are 0, so that a new adapter changes nothing.
                view.uniform_(-1, 1, generator=dice).mul_(1 / math.sqrt(view.shape[1]))
        self.theta = start.to(device, torch.promote_types(dtype, torch.float32)).requires_grad_()
        self.reference = self.theta.detach().clone()
        self.first, self.second = torch.zeros_like(self.reference), torch.zeros_like(self.reference)
        self.steps = 0
        self.mean: Tensor | None = None
        self.moments = 0
        # How the client asks, as it says: saved with the weights, and not looked at here.
        self.form: str | None = None

    def weights(self) -> Weights:
        """Cast anew at each call: a cast that is kept would be of weights that have changed."""
        return Weights(self.layout, self.layout.wide(self.theta).to(self.dtype))

    def frozen(self, flat: Tensor | None = None) -> Weights:
        with torch.no_grad():
            return Weights(self.layout, self.layout.wide(self.theta if flat is None else flat).to(self.dtype))

    def step(self, rate: float, beta1: float, beta2: float, eps: float, decay: float, clip: float) -> float:
        """AdamW. Returns the length of the gradient, and forgets it."""
        gradient = self.theta.grad
        if gradient is None:
            gradient = torch.zeros_like(self.reference)
        with torch.no_grad():
            norm = float(gradient.norm())
            if not math.isfinite(norm):
                self.theta.grad = None
                raise ValueError("The gradient is not finite, so that no step was made; use a smaller rate or other rows.")
            if clip > 0 and norm > clip:
                gradient = gradient * (clip / norm)
            self.steps += 1
            self.first.lerp_(gradient, 1 - beta1)
            self.second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
            size = (self.second / (1 - beta2**self.steps)).sqrt_().add_(eps)
            self.theta.mul_(1 - rate * decay).addcdiv_(self.first, size, value=-rate / (1 - beta1**self.steps))
        self.theta.grad = None
        return norm

    def refer(self, share: float) -> None:
        self.reference.lerp_(self.theta.detach(), share)

    def average(self) -> None:
        """Adds the weights as they are to their mean."""
        self.moments += 1
        self.mean = self.theta.detach().clone() if self.mean is None else self.mean.lerp_(self.theta.detach(), 1 / self.moments)

    def settle(self) -> None:
        """The mean becomes the weights, where one was kept."""
        if self.mean is not None:
            with torch.no_grad():
                self.theta.copy_(self.mean)
        self.mean, self.moments = None, 0

    def save(self, folder: Path, base: str, training: bool) -> None:
        self.kept(training).write(folder, base)

    def kept(self, training: bool) -> Kept:
        """A copy that the next step does not change, on the side of the host, with what only training needs where that is wanted."""
        state = {"theta": self.theta.detach()}
        if training:
            state.update(first=self.first, second=self.second, reference=self.reference)
            if self.mean is not None:
                state["mean"] = self.mean
        copies = {name: torch.empty(part.shape, dtype=part.dtype, pin_memory=part.is_cuda) for name, part in state.items()}
        for name, part in state.items():
            copies[name].copy_(part, non_blocking=True)
        if self.theta.is_cuda:
            torch.cuda.current_stream().synchronize()
        return Kept(self.layout, self.form, copies, {"steps": str(self.steps), "moments": str(self.moments)})

    def load(self, folder: Path, training: bool) -> None:
        flat = self.layout.flat(load_file(folder / "adapter_model.safetensors"))
        state = folder / "optimizer.safetensors"
        with torch.no_grad():
            self.theta.copy_(flat)
        self.theta.grad = None
        self.steps = 0
        self.first.zero_()
        self.second.zero_()
        self.reference.copy_(self.theta.detach())
        self.mean, self.moments = None, 0
        with safe_open(str(folder / "adapter_model.safetensors"), "pt") as file:
            self.form = self.form or (file.metadata() or {}).get("ludus")
        if training and state.exists():
            for name, tensor in load_file(state).items():
                if name == "mean":
                    self.mean = tensor.to(self.reference)
                else:
                    getattr(self, name).copy_(tensor)
            with safe_open(str(state), "pt") as file:
                counts = file.metadata() or {}
                self.steps, self.moments = int(counts.get("steps", "0")), int(counts.get("moments", "0"))


def peft_config(rank: int, base: str) -> dict[str, Any]:
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": ALPHA,
        "lora_dropout": 0.0,
        "bias": "none",
        "use_rslora": False,
        "target_modules": [name for names in GROUPS.values() for name in names],
    }


def rank_of(folder: Path) -> int:
    return int(json.loads((folder / "adapter_config.json").read_text())["r"])
