"""Who may ask the training server, and how much of a request it reads: without a model, and without torch."""

from __future__ import annotations

import http.client
import importlib
import socket
import sys
import threading
import types
import unittest
from typing import Any


def stub(name: str, **parts: Any) -> None:
    """What the server imports and these tests have no use for."""
    if name not in sys.modules:
        sys.modules[name] = types.SimpleNamespace(**parts)  # type: ignore[assignment]


def load_server() -> Any:
    modules = ("engine", "model", "proto", "requested", "vllm_sampling", "weights", "server")
    names = ("torch", *(f"ludus_gpu.{name}" for name in modules))
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}

    class Refusal(Exception):
        def __init__(self, status: int, detail: str) -> None:
            super().__init__(detail)
            self.status = status

    stub("torch")
    stub("ludus_gpu.engine", Engine=object)
    stub("ludus_gpu.model", Transformer=object)
    stub("ludus_gpu.proto", CONTENT_TYPE="application/x-protobuf", read_request=None, write_result=None)
    stub("ludus_gpu.requested", Refusal=Refusal, Request=lambda body, raw: body)
    stub("ludus_gpu.vllm_sampling", VllmSampling=object)
    stub("ludus_gpu.weights", converted=None, load=None, pieces_of=None)
    server = importlib.import_module("ludus_gpu.server")

    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(before)
    return server


class Engine:
    """Counts what reaches it."""

    def __init__(self) -> None:
        self.base = "tiny"
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        def answer(*_: Any) -> dict[str, str]:
            self.asked += 1
            return {"type": name}

        return answer


class Access(unittest.TestCase):
    def setUp(self) -> None:
        self.module = load_server()
        self.engine = Engine()
        self.server = self.module.Server(("127.0.0.1", 0), self.engine, None, "right")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> int:
        connection = http.client.HTTPConnection(*self.server.server_address, timeout=20)
        try:
            connection.request(method, path, body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def test_every_route_wants_the_key(self) -> None:
        gets = ["healthz", "get_server_capabilities", "tokenizer", "samplers/x", "adapter?path=tinker://a/b/c"]
        posts = [*self.module.POSTS, "retrieve_future", "client/config", "telemetry", "nothing"]
        for method, names in (("GET", gets), ("POST", posts)):
            for name in names:
                body = b"{}" if method == "POST" else None
                self.assertEqual(self.ask(method, f"/api/v1/{name}", body), 401, name)
                self.assertEqual(self.ask(method, f"/api/v1/{name}", body, **{"x-api-key": "wrong"}), 401, name)
        self.assertEqual(self.engine.asked, 0)
        self.assertEqual(self.ask("POST", "/api/v1/create_model", b"{}", **{"x-api-key": "right"}), 200)
        self.assertEqual(self.engine.asked, 1)

    def test_a_body_is_not_read_for_who_has_no_key(self) -> None:
        with socket.create_connection(self.server.server_address, timeout=20) as raw:
            # It says that 200 megabytes follow, and sends none of them: a server that read first would wait for them.
            raw.sendall(b"POST /api/v1/create_model HTTP/1.1\r\nhost: a\r\ncontent-length: 200000000\r\n\r\n")
            self.assertIn(b" 401 ", raw.recv(1000))

    def test_lengths_that_are_none_or_too_much_are_refused(self) -> None:
        for length in ("999999999999", "-1", "1e3", "0x10", "9" * 40):
            with socket.create_connection(self.server.server_address, timeout=20) as raw:
                raw.sendall(f"POST /api/v1/create_model HTTP/1.1\r\nhost: a\r\nx-api-key: right\r\ncontent-length: {length}\r\n\r\n".encode())
                self.assertIn(b" 413 ", raw.recv(1000), length)
        self.assertEqual(self.engine.asked, 0)


if __name__ == "__main__":
    unittest.main()
