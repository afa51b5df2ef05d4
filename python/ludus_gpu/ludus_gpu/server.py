"""A training server for one GPU box: the calls of the Tinker API that Ludus makes, over JSON, and those of its official Python client.

    TINKER_API_KEY=... ludus-gpu --model PATH --port 8000

PATH is a folder with config.json and .safetensors, or a GGUF file. It listens on this machine alone unless --host says otherwise, and
wants the key of the environment variable in every request. Without one it answers programs of this machine, but no web page; for other
machines it must be given, or --open.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import torch

from ludus_gpu.engine import Engine
from ludus_gpu.model import Transformer
from ludus_gpu.proto import CONTENT_TYPE as PROTO
from ludus_gpu.proto import read_request, write_result
from ludus_gpu.requested import Refusal, Request
from ludus_gpu.vllm_sampling import VllmSampling
from ludus_gpu.weights import converted, load, pieces_of

MOST_BYTES = 256 * 2**20
SMALL_BYTES = 64 * 2**10
LONG_POLL = 30.0
"""Requests with rows, which take long to read."""
ROWS = ("/api/v1/forward", "/api/v1/forward_backward")
HERE = ("127.0.0.1", "localhost", "::1")
POSTS = (
    "create_session session_heartbeat create_model unload_model forward forward_backward optim_step refer mean save_weights load_weights "
    "save_weights_for_sampler create_sampling_session asample get_info weights_info"
).split()


class Proto(bytes):
    """An answer in protobuf."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, address: tuple[str, int], engine: Engine, tokenizer: dict[str, Any] | None, key: str | None) -> None:
        super().__init__(address, Handler)
        self.engine, self.key = engine, key
        """Whether only programs of this machine are answered, by whatever key."""
        self.only_here = False
        self.tokenizer = None if tokenizer is None else json.dumps(tokenizer).encode()
        # One after another as they come: if all were read at the same time, the first would be there no sooner than the last, and nothing else would go on meanwhile.
        self.rows = ThreadPoolExecutor(1)

    def server_close(self) -> None:
        super().server_close()
        self.rows.shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever goes away before the answer is no fault of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body go out as one packet.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 120
    server: Server
    named: str | None = None
    """The call that a message of protobuf stands for, where the request is one."""

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged: a training makes thousands."""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, carry_out: Callable[[dict[str, Any]], Any]) -> None:
        """`carry_out` gives an answer, or what is to be waited for until there is one."""
        try:
            # A caller without a key must not make the server read and hold a large body.
            self._allow()
            raw = self._raw()

            def begin() -> Any:
                return carry_out(self._body(raw))

            answer = self.server.rows.submit(begin).result() if self.path in ROWS else begin()
            self._say(200, answer() if callable(answer) else answer)
        except Refusal as thrown:
            # A body that was not read would be taken for the next request. A small one is read, so that the caller hears why.
            if thrown.status in (401, 403, 413):
                self.close_connection = True
                if 0 < (length := self._length()) <= SMALL_BYTES:
                    self.rfile.read(length)
            self._say(thrown.status, {"detail": str(thrown)})
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as thrown:
            self._say(422, {"detail": f"The request cannot be read: {thrown}"[:300]})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _length(self) -> int:
        written = self.headers.get("content-length") or "0"
        return int(written) if re.fullmatch("[0-9]{1,12}", written) else -1

    def _raw(self) -> bytes:
        length = self._length()
        if self.headers.get("transfer-encoding") or not 0 <= length <= MOST_BYTES:
            raise Refusal(413, f"A request has a length of at most {MOST_BYTES} bytes")
        return self.rfile.read(length)

    def _allow(self) -> None:
        given = self.headers.get("x-api-key", "")
        if self.server.key is not None and not hmac.compare_digest(given.encode(), self.server.key.encode()):
            raise Refusal(401, "The key is missing or wrong")
        # A page that a browser shows here says where it is from, or calls this machine by another name.
        named = urlsplit(f"//{self.headers.get('host', '')}").hostname
        if self.server.only_here and (self.headers.get("origin") is not None or named not in HERE):
            raise Refusal(403, "Without a key this server answers programs of this machine alone; set TINKER_API_KEY")

    def _body(self, raw: bytes) -> dict[str, Any]:
        self.named = None
        if (self.headers.get("content-encoding") or "identity") != "identity":
            raise Refusal(415, "Requests are sent to this server as they are, without compression")
        if PROTO in (self.headers.get("content-type") or ""):
            self.named, body = read_request(raw)
            return Request(body, raw)
        body = json.loads(raw) if raw else {}
        if not isinstance(body, dict):
            raise Refusal(422, "A request is a JSON object")
        return Request(body, raw)

    def _get(self, body: dict[str, Any]) -> Any:
        url = urlsplit(self.path)
        engine = self.server.engine
        name = url.path.removeprefix("/api/v1/")
        if name == "healthz":
            return {"status": "ok"}
        if name == "get_server_capabilities":
            return {
                "supported_models": [{"model_name": engine.base, "max_context_length": engine.model.config.context}],
                "extensions": ["kl", "refer", "mean", "reference", "wait", "prompts", "first", *(["tokenizer"] if self.server.tokenizer else []), "adapter"],
            }
        if name == "tokenizer" and self.server.tokenizer is not None:
            return self.server.tokenizer
        if name.startswith("samplers/"):
            return engine.sampler_info(name.removeprefix("samplers/"))
        if name == "adapter":
            return engine.adapter_file(parse_qs(url.query).get("path", [""])[0]).read_bytes()
        raise Refusal(404, f"There is no {url.path}")

    def _post(self, body: dict[str, Any]) -> Any:
        name = self.path.removeprefix("/api/v1/")
        engine = self.server.engine
        if self.named is not None:
            if name != "forward_backward":
                raise Refusal(415, f"{self.path} is asked in JSON")
            return getattr(engine, self.named)(body)
        if name == "retrieve_future":
            return lambda: self._retrieve(str(body.get("request_id")))
        if name == "client/config":
            # Nothing is switched on that this server does not have; the plain transport needs no second library.
            return {"use_pyqwest_transport": False}
        if name == "telemetry":
            return {"status": "accepted"}
        if name not in POSTS:
            raise Refusal(404, f"There is no {self.path}")
        answer: Any = getattr(engine, name)(body)
        if "request_id" in answer and (self.headers.get("prefer") or "").startswith("wait"):
            # One round trip instead of two; what takes longer is asked for again.
            return lambda: answer if (found := engine.retrieve(answer["request_id"], LONG_POLL)) is None else {**answer, "result": found}
        return answer

    def _retrieve(self, request: str) -> Any:
        found = self.server.engine.retrieve(request, LONG_POLL)
        if found is None:
            return {"type": "try_again", "request_id": request, "queue_state": "active"}
        written = write_result(found) if PROTO in (self.headers.get("accept") or "") else None
        return found if written is None else Proto(written)

    def _say(self, status: int, body: Any) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode()
        self.send_response(status)
        is_file = isinstance(body, bytes) and self.path.find("adapter") > 0
        self.send_header("content-type", PROTO if isinstance(body, Proto) else "application/octet-stream" if is_file else "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A training server for one GPU box that speaks the Tinker API.")
    parser.add_argument("--model", required=True, help="a folder with config.json and .safetensors, or a GGUF file")
    parser.add_argument("--name", help="what clients call the model; the last part of its path by default")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--state", default=".ludus-gpu", help="the folder for saved weights")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/ludus-gpu"), help="where weights of GGUF files are kept as safetensors")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=["bfloat16", "float32"], help="bfloat16 on a GPU and float32 elsewhere by default")
    parser.add_argument("--models", type=int, default=16, help="the most models in training at a time")
    parser.add_argument("--no-graphs", action="store_true", help="launch every kernel from Python: slower, and takes less memory")
    parser.add_argument("--vllm", type=float, metavar="SHARE", help="sample by vLLM, where it is installed, with so much of the GPU's memory, e.g. 0.4")
    parser.add_argument("--vllm-rank", type=int, default=64, help="the largest rank of adapters that vLLM is to sample from")
    parser.add_argument("--open", action="store_true", help="answer whoever asks, without a key")
    options = parser.parse_args(words)
    key = os.environ.get("TINKER_API_KEY") or None
    only_here = key is None and not options.open
    if only_here and options.host not in HERE:
        parser.error(f"set TINKER_API_KEY to a key of your own before others can reach {options.host}, or say --open to answer whoever asks")
    sys.setswitchinterval(0.0005)
    torch.set_float32_matmul_precision("high")
    path = Path(options.model)
    try:
        source = load(path, Path(options.cache))
    except (ValueError, OSError, KeyError) as thrown:
        parser.error(f"{path} cannot be loaded: {thrown}")
    dtype = getattr(torch, options.dtype or ("bfloat16" if options.device.startswith("cuda") else "float32"))
    model = Transformer(source.config, source.weights, options.device, dtype)
    pieces, sampling = pieces_of(source.tokenizer), None
    if options.vllm is not None:
        try:
            sampling = VllmSampling(model, pieces, converted(path, Path(options.cache)) if path.is_file() else path, options.vllm, options.vllm_rank)
        except ImportError as thrown:
            parser.error(f"--vllm needs vLLM, which is not installed here ({thrown}); pip install vllm, or leave the option out")
    engine = Engine(model, options.name or path.stem, Path(options.state), pieces, options.models, not options.no_graphs, sampling=sampling)
    server = Server((options.host, options.port), engine, source.tokenizer, None if options.open else key)
    server.only_here = only_here
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"{engine.base} at http://{options.host}:{server.server_address[1]} on {options.device}", flush=True)
    try:
        server.serve_forever()
    except (KeyboardInterrupt, SystemExit):
        pass
    # What is to be saved is saved. A pass under way is not waited for, and would end the process with a fault of its own.
    engine.writer.shutdown()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
