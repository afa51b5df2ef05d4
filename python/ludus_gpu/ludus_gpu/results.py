"""What comes of requests, as it is answered."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from ludus_gpu.jobs import Answer
from ludus_gpu.requested import Body
from ludus_gpu.training import Pass


@dataclass
class Future:
    """A promise by its name, and what has come of it."""

    id: str
    done: threading.Event = field(default_factory=threading.Event)
    result: Body | None = None


def sampled(parts: Sequence[Answer]) -> Body:
    sequences = [{"stop_reason": one.finish, "tokens": one.tokens, "logprobs": one.logprobs} for part in parts for one in part.samples]
    return {"sequences": sequences, "prompt_logprobs": parts[0].prompt_logprobs, "prompt_cache_hit_tokens": parts[0].cached}


def failure(thrown: Exception) -> Body:
    kind = "user" if isinstance(thrown, ValueError) else "server"
    return {"error": f"{type(thrown).__name__}: {thrown}"[:500], "category": kind}


def output(done: Pass) -> Body:
    rows = [{"logprobs": {"data": row.astype(float).tolist(), "dtype": "float32", "shape": [len(row)]}} for row in done.logprobs]
    return {"loss_fn_output_type": "scalar", "loss_fn_outputs": rows, "metrics": done.metrics}
