"""Requests as they come, read into what is asked for; what does not fit is refused in words."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus_gpu.jobs import Job
from ludus_gpu.losses import CONFIGS, NEEDED
from ludus_gpu.model import Config
from ludus_gpu.sampler import Sampler
from ludus_gpu.training import Row

Body = dict[str, Any]


class Request(dict[str, Any]):
    """A request, and a name for its bytes: one that comes twice has the same."""

    def __init__(self, fields: Body, raw: bytes) -> None:
        super().__init__(fields)
        self.digest = hashlib.sha256(raw).hexdigest()


class Refusal(Exception):
    """A request that is not carried out, with the status that says so."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class Reader:
    def __init__(self, config: Config, pieces: Sequence[bytes] | None) -> None:
        self.config, self.pieces = config, pieces

    def jobs(self, sampler: Sampler, body: Body) -> list[Job]:
        prompt = self._tokens(body.get("prompt"))
        if not prompt:
            raise Refusal(400, "The prompt has no tokens")
        params = body.get("sampling_params") or {}
        samples = int(body.get("num_samples") or 1)
        room = self.config.context - len(prompt)
        most = min(int(params.get("max_tokens") or room), room)
        if not 1 <= samples <= 65536 or most < 1:
            raise Refusal(400, f"{samples} samples of {most} tokens after a prompt of {len(prompt)} do not fit")
        stop = params.get("stop")
        stops = [stop] if isinstance(stop, str) else list(stop or [])
        texts = tuple(one.encode() for one in stops if isinstance(one, str))
        if texts and self.pieces is None:
            raise Refusal(400, "This model has no tokenizer here, so stops must be token numbers")
        heat = params.get("temperature")
        top_p = params.get("top_p")
        seed = params.get("seed")
        job = Job(
            sampler=sampler,
            prompt=prompt,
            samples=samples,
            most=most,
            temperature=1.0 if heat is None else float(heat),
            top_k=int(params.get("top_k") or -1),
            top_p=1.0 if top_p is None else float(top_p),
            seed=secrets.randbits(63) if seed is None else int(seed),
            stop_tokens=frozenset(one for one in stops if isinstance(one, int)),
            stop_texts=texts,
            read_prompt=body.get("prompt_logprobs") is True,
        )
        each = max(1, (sampler.room - len(prompt)) // most)
        if samples <= each:
            return [job]
        return [
            Job(**{**vars(job), "samples": min(each, samples - at), "first": at, "read_prompt": job.read_prompt and at == 0})
            for at in range(0, samples, each)
        ]

    def rows(self, given: Any, training: bool) -> tuple[list[Row], str, dict[str, float]]:
        if not isinstance(given, dict) or not isinstance(given.get("data"), list):
            raise Refusal(400, "The input must have a list of data")
        loss = str(given.get("loss_fn"))
        if loss not in NEEDED:
            raise Refusal(400, f"There is no loss {loss}; there are {', '.join(NEEDED)}")
        settings = {name: float(value) for name, value in (given.get("loss_fn_config") or {}).items()}
        known = CONFIGS[loss] if training else ("reference",)
        for name in settings:
            if name not in known:
                raise Refusal(400, f"The loss {loss} takes no setting {name}; it takes {', '.join(known) or 'none'}")
        needed = (*NEEDED[loss], *(("kl_weights",) if settings.get("kl") else ()))
        return [self._row(datum, needed if training else ()) for datum in given["data"]], loss, settings

    def _row(self, datum: Any, needed: Sequence[str]) -> Row:
        tokens = self._tokens(datum.get("model_input"))
        # An extension: how many targets are left out, at the beginning.
        first = int(datum.get("first") or 0)
        count = len(tokens) - first
        if first < 0 or count < 1:
            raise Refusal(400, f"A row has {len(tokens)} tokens and leaves {first} targets out; at least one must be left")
        inputs = datum.get("loss_fn_inputs") or {}

        def values(name: str) -> np.ndarray:
            data = (inputs.get(name) or {}).get("data")
            if not isinstance(data, list) or len(data) != count:
                raise Refusal(400, f"{name} must have one value for each of the {count} tokens")
            return np.asarray(data, np.float64)

        targets = values("target_tokens")
        if targets.min() < 0 or targets.max() >= self.config.vocabulary:
            raise Refusal(400, "target_tokens must be tokens of the model")
        got = {name: values(name) for name in needed}
        if got and not np.isfinite(np.concatenate(list(got.values()))).all():
            raise Refusal(400, "The data hold a value that is not finite")
        return Row(np.asarray(tokens, np.int64), targets.astype(np.int64), got)

    def _tokens(self, given: Any) -> list[int]:
        chunks = given.get("chunks") if isinstance(given, dict) else None
        if not isinstance(chunks, list):
            raise Refusal(400, "A text is given as chunks of tokens")
        tokens: list[int] = chunks[0].get("tokens", []) if len(chunks) == 1 else [token for chunk in chunks for token in chunk.get("tokens", [])]
        if len(tokens) > self.config.context:
            raise Refusal(400, f"A text has {len(tokens)} tokens, but the model reads {self.config.context} at most")
        # Without a step of Python for each token: an update of self-play sends half a million.
        if not {int}.issuperset(map(type, tokens)) or (tokens and not 0 <= min(tokens) <= max(tokens) < self.config.vocabulary):
            raise Refusal(400, f"Tokens are whole numbers below {self.config.vocabulary}")
        return tokens
