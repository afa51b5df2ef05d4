"""The work behind the calls: models in training, samplers and saved weights, each model in the order of its numbers.

One thread samples, and another does all else. What changes a model happens once for each of its sequence numbers, however often the
request comes.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from ludus_gpu.decoding import Decoder
from ludus_gpu.jobs import Job
from ludus_gpu.lora import Adapter, rank_of
from ludus_gpu.model import Transformer
from ludus_gpu.numbered import Numbered, Work
from ludus_gpu.passes import ReadingPasses, Slots, TrainingPasses
from ludus_gpu.requested import Body, Reader, Refusal, Request
from ludus_gpu.results import Future, failure, output
from ludus_gpu.sampler import Sampler
from ludus_gpu.sampling import Sampling
from ludus_gpu.sampling_thread import SamplingThread
from ludus_gpu.training import Trainer

MOST_FUTURES = 20_000
MOST_SAMPLERS = 64
"""How many samplers can write texts side by side at the same time."""
DECODERS = 4
NAME = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$")
"""Seconds after which a session that nobody hears from may lose its models, where others need the room."""
SILENCE = 300.0


@dataclass
class Model:
    id: str
    adapter: Adapter
    numbered: Numbered
    session: str = ""
    loadable: bool = True


class Engine:
    def __init__(
        self,
        model: Transformer,
        base: str,
        state: Path,
        pieces: Sequence[bytes] | None = None,
        most_models: int = 16,
        passes: bool = True,
        patience: float = 10.0,
        sampling: Sampling | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model, self.base, self.state, self.most_models, self.patience = model, base, state, most_models, patience
        self.slots = Slots(model) if passes else None
        self.trainer = Trainer(model, TrainingPasses(model) if passes else None)
        self.reader = Reader(model.config, pieces)
        self.clock = clock
        """When each session was heard last."""
        self.sessions: dict[str, float] = {}
        self.models: dict[str, Model] = {}
        self.samplers: OrderedDict[str, Sampler] = OrderedDict()
        self.futures: OrderedDict[str, Future] = OrderedDict()
        self.lock = threading.Lock()
        self.base_sampler: Sampler | None = None
        self.writer = ThreadPoolExecutor(1)
        reading = ReadingPasses(model, graphs=passes)
        self.sampling = sampling or Sampling(model, pieces, [Decoder(model, graphs=passes, reading=reading) for _ in range(DECODERS)])
        self.samples = SamplingThread(self.sampling, self._settle)
        self.waiting: SimpleQueue[tuple[Future, Work] | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.waiting.put(None)
        self.thread.join()
        self.samples.close()
        self.writer.shutdown()

    # Calls that are answered at once.

    def create_session(self, body: Body) -> Body:
        session = f"session_{secrets.token_hex(8)}"
        with self.lock:
            self.sessions[session] = self.clock()
        return {"type": "create_session", "session_id": session}

    def session_heartbeat(self, body: Body) -> Body:
        self._session(body)
        return {"type": "session_heartbeat"}

    def create_sampling_session(self, body: Body) -> Body:
        self._session(body)
        path = body.get("model_path")
        if path is None:
            self._base(body.get("base_model"))
            return {"type": "create_sampling_session", "sampling_session_id": self._keep(self._base_sampler())}
        folder = self._folder(path)
        adapter = self._adapter(rank_of(folder), 0)
        adapter.load(folder, training=False)
        sampler = Sampler(self.model, adapter.frozen(), slots=self.slots)
        return {"type": "create_sampling_session", "sampling_session_id": self._keep(sampler)}

    def retrieve(self, request: str, seconds: float) -> Body | None:
        """The result of a promise; None where it is not there yet."""
        with self.lock:
            future = self.futures.get(request)
        if future is None:
            raise Refusal(404, "Future not found")
        return future.result if future.done.wait(seconds) else None

    def get_info(self, body: Body) -> Body:
        model = self._model(body)
        data = {"arch": self.model.config.family, "model_name": self.base, "tokenizer_id": self.base}
        rank = model.adapter.layout.rank
        return {"type": "get_info", "model_data": data, "model_id": model.id, "is_lora": True, "lora_rank": rank, "model_name": self.base}

    def weights_info(self, body: Body) -> Body:
        rank = rank_of(self._folder(body.get("tinker_path")))
        return {"base_model": self.base, "is_lora": True, "lora_rank": rank, "train_unembed": False, "train_mlp": True, "train_attn": True}

    def sampler_info(self, name: str) -> Body:
        with self.lock:
            if name not in self.samplers:
                raise Refusal(404, "Sampling session not found")
        return {"sampler_id": name, "base_model": self.base}

    # Calls that are answered by a promise.

    def create_model(self, body: Body) -> Body:
        self._session(body)
        self._base(body.get("base_model"))
        config = body.get("lora_config") or {}
        rank, seed = int(config.get("rank") or 32), int(config.get("seed") or 0)
        if not 1 <= rank <= 1024:
            raise Refusal(400, f"The rank must be from 1 to 1024, but came as {rank}")
        form = (body.get("user_metadata") or {}).get("ludus")
        if form is not None and not (isinstance(form, str) and isinstance(json.loads(form), dict)):
            raise Refusal(400, "How a model is asked comes as the text of a JSON object")
        with self.lock:
            if len(self.models) >= self.most_models:
                self._drop_silent()
            if len(self.models) >= self.most_models:
                raise Refusal(429, f"There are {self.most_models} models in training already; unload one")
            name = f"model_{secrets.token_hex(8)}"
            model = Model(name, self._adapter(rank, seed), Numbered(self.waiting.put, self.patience), body["session_id"])
            model.adapter.form = form
            self.models[name] = model
        return {**self._promise(lambda: {"type": "create_model", "model_id": name}), "model_id": name}

    def _drop_silent(self) -> None:
        """A client that was killed unloads nothing; one that lives is heard every few seconds."""
        heard = self.clock() - SILENCE
        for name, model in list(self.models.items()):
            if self.sessions[model.session] < heard:
                del self.models[name]

    def unload_model(self, body: Body) -> Body:
        with self.lock:
            if self.models.pop(str(body.get("model_id")), None) is None:
                raise Refusal(404, "Model not found")
        return self._promise(lambda: {"type": "unload_model"})

    def forward(self, body: Body) -> Body:
        data, _, settings = self.reader.rows(body.get("forward_input"), training=False)

        def work(model: Model) -> Body:
            adapter = model.adapter
            flat = adapter.reference if settings.get("reference") else None
            done = self.trainer.forward(data, adapter.frozen(flat))
            return output(done)

        return self._in_order(body, work)

    def forward_backward(self, body: Body) -> Body:
        data, loss, settings = self.reader.rows(body.get("forward_backward_input"), training=True)

        # By the thread that asks, so that the GPU does not wait for it.
        ready = self.trainer.ready(data)

        def work(model: Model) -> Callable[[], Body]:
            done = self.trainer.launch(ready, model.adapter, loss, settings)
            return lambda: output(done())

        return self._in_order(body, work)

    def optim_step(self, body: Body) -> Body:
        params = body.get("adam_params") or {}
        got = {name: value for name, value in params.items() if value is not None}
        settings = {"learning_rate": 1e-4, "beta1": 0.9, "beta2": 0.95, "eps": 1e-12, "weight_decay": 0.0, "grad_clip_norm": 0.0, **got}

        def work(model: Model) -> Body:
            s = settings
            norm = model.adapter.step(s["learning_rate"], s["beta1"], s["beta2"], s["eps"], s["weight_decay"], s["grad_clip_norm"])
            return {"metrics": {"norm:mean": norm}}

        return self._in_order(body, work)

    def refer(self, body: Body) -> Body:
        """An extension: the reference goes a share of the way to the weights as they are."""
        share = float(body.get("share", 1))
        if not 0 <= share <= 1:
            raise Refusal(400, f"The share must be from 0 to 1, but came as {share}")

        def work(model: Model) -> Body:
            model.adapter.refer(share)
            return {"type": "refer"}

        return self._in_order(body, work)

    def mean(self, body: Body) -> Body:
        """An extension: the weights are added to their mean, or the mean becomes the weights."""

        def work(model: Model) -> Body:
            if body.get("settle") is True:
                model.adapter.settle()
            else:
                model.adapter.average()
            return {"type": "mean"}

        return self._in_order(body, work)

    def save_weights(self, body: Body) -> Body:
        return self._save(body, "weights", str(body.get("path") or f"step-{body.get('seq_id')}"))

    def save_weights_for_sampler(self, body: Body) -> Body:
        if body.get("path") is not None:
            return self._save(body, "sampler_weights", str(body["path"]))

        def work(model: Model) -> Body:
            sampler = Sampler(self.model, model.adapter.frozen(), slots=self.slots)
            return {"type": "save_weights_for_sampler", "sampling_session_id": self._keep(sampler)}

        return self._in_order(body, work)

    def load_weights(self, body: Body) -> Body:
        folder = self._folder(body.get("path"))
        model = self._model(body)
        if not model.loadable:
            raise Refusal(400, "Weights load into a model that nothing was done to yet; create one")
        if rank_of(folder) != model.adapter.layout.rank:
            raise Refusal(400, f"The saved weights have the rank {rank_of(folder)}, but the model has {model.adapter.layout.rank}")

        def work(model: Model) -> Body:
            model.adapter.load(folder, training=body.get("optimizer") is True)
            return {"type": "load_weights", "path": body["path"], "model_id": model.id}

        return self._in_order(body, work)

    def asample(self, body: Body) -> Body:
        name = body.get("sampling_session_id")
        with self.lock:
            sampler = self.samplers.get(str(name))
            if sampler is not None:
                self.samplers.move_to_end(str(name))
        if sampler is None and name is None:
            self._base(body.get("base_model"))
            sampler = self._base_sampler()
        if sampler is None:
            raise Refusal(404, "Sampling session not found")
        prompts = body.get("prompts", [body])
        if not isinstance(prompts, list) or not prompts or not all(isinstance(one, dict) for one in prompts):
            raise Refusal(400, "prompts must be a list of requests, at least one")
        # The sequences come one prompt after another.
        return self._promise([job for one in prompts for job in self.reader.jobs(sampler, {**body, **one})])

    # Parts.

    def _save(self, body: Body, kind: str, name: str) -> Body:
        if not NAME.fullmatch(name):
            raise Refusal(400, "Weights are saved under a name of letters, digits, dots, lines and underlines")

        def work(model: Model) -> Callable[[], Body]:
            kept = model.adapter.kept(training=kind == "weights")

            def write() -> Body:
                kept.write(self.state / model.id / kind / name, self.base)
                named = "save_weights" if kind == "weights" else "save_weights_for_sampler"
                return {"type": named, "path": f"tinker://{model.id}/{kind}/{name}"}

            return write

        return self._in_order(body, work)

    def _folder(self, path: Any) -> Path:
        parts = str(path).removeprefix("tinker://").split("/")
        if not str(path).startswith("tinker://") or len(parts) != 3 or not all(NAME.fullmatch(part) for part in parts):
            raise Refusal(400, "Saved weights are named like tinker://MODEL/weights/NAME")
        folder = self.state.joinpath(*parts)
        if not (folder / "adapter_model.safetensors").exists():
            raise Refusal(404, f"Checkpoint not found: {path}")
        return folder

    def adapter_file(self, path: str) -> Path:
        return self._folder(path) / "adapter_model.safetensors"

    def _session(self, body: Body) -> None:
        with self.lock:
            if body.get("session_id") not in self.sessions:
                raise Refusal(404, "Session not found")
            self.sessions[body["session_id"]] = self.clock()

    def _base(self, name: Any) -> None:
        if name != self.base:
            raise Refusal(400, f"This server has {self.base}, but was asked for {name}")

    def _adapter(self, rank: int, seed: int) -> Adapter:
        return Adapter(self.model.config, rank, seed, self.model.device, self.model.dtype)

    def _base_sampler(self) -> Sampler:
        if self.base_sampler is None:
            self.base_sampler = Sampler(self.model, None, slots=self.slots)
        return self.base_sampler

    def _keep(self, sampler: Sampler) -> str:
        name = f"sampling_{secrets.token_hex(8)}"
        with self.lock:
            self.samplers[name] = sampler
            while len(self.samplers) > MOST_SAMPLERS:
                self.samplers.popitem(last=False)
        return name

    def _model(self, body: Body) -> Model:
        with self.lock:
            model = self.models.get(str(body.get("model_id")))
            if model is not None:
                self.sessions[model.session] = self.clock()
        if model is None:
            raise Refusal(404, "Model not found")
        return model

    def _in_order(self, body: Body, work: Callable[[Model], Body | Callable[[], Body]]) -> Body:
        model = self._model(body)
        number = body.get("seq_id")
        digest = body.digest if isinstance(body, Request) else json.dumps(body, sort_keys=True)
        future = model.numbered.take(None if number is None else int(number), digest, lambda: work(model))
        with self.lock:
            model.loadable = False
            self._remember(future)
        return {"request_id": future.id, "model_id": model.id}

    def _promise(self, work: Work | list[Job]) -> Body:
        future = Future(f"request_{secrets.token_hex(8)}")
        with self.lock:
            self._remember(future)
        if callable(work):
            self.waiting.put((future, work))
        else:
            self.samples.put(future, work)
        return {"request_id": future.id}

    def _remember(self, future: Future) -> None:
        self.futures[future.id] = future
        while len(self.futures) > MOST_FUTURES:
            self.futures.popitem(last=False)

    def _serve(self) -> None:
        while (work := self.waiting.get()) is not None:
            self._settle(*work)

    def _settle(self, future: Future, work: Work) -> None:
        """Keeps what comes of a piece of work. What is left to wait for or to do with files is left to the writer, one after the other, and the GPU goes on."""
        try:
            result = work()
            if callable(result):
                self.writer.submit(self._settle, future, result)
                return
            future.result = result
        except Refusal as thrown:
            future.result = {"error": str(thrown), "category": "user"}
        except Exception as thrown:  # noqa: BLE001
            future.result = failure(thrown)
        future.done.set()
