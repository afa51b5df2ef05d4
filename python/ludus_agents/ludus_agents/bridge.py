"""Environments of other Python projects as Ludus environments: Gymnasium, PettingZoo, OpenSpiel, TextArena, verifiers.

    python -m ludus_agents.bridge gymnasium FrozenLake-v1 --port 8001
    npx ludus play relay --world openenv:ws://127.0.0.1:8001 --player random

    python -m ludus_agents.bridge openspiel leduc_poker --port 8001
    npx ludus play relay --task '{"seats": ["player_0", "player_1"]}' --world openenv:ws://127.0.0.1:8001 --player_0 random --player_1 random

A small OpenEnv server on this machine, written with the standard library alone. Each connection is one session with its own environment. In a game
for several players, the relay either has a seat for each of them, or one seat (--seat, default: the first), and the others choose legal moves at
random, by the seed of the episode.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ludus_agents.worlds import KINDS, World, create_world

MOST_BYTES = 2**20
ACTION = {
    "type": "object",
    "properties": {"message": {"type": "string", "description": "the action: [NUMBER], or a JSON list for a space of numbers"}},
    "required": ["message"],
}


def make_handler(create: Callable[[], World]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            # A page of another site could connect from a browser on this machine; programs send no Origin.
            if self.headers.get("Origin") is not None:
                self.send_error(403)
            elif self.path == "/health":
                self._send_json({"status": "healthy"})
            elif self.path == "/schema":
                self._send_json({"action": ACTION})
            elif self.path == "/ws" and "Sec-WebSocket-Key" in self.headers:
                self._serve_session()
            else:
                self.send_error(404)

        def log_message(self, *_: Any) -> None:
            pass

        def _send_json(self, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _serve_session(self) -> None:
            key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            self.send_response(101)
            for name, value in {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept}.items():
                self.send_header(name, value)
            self.end_headers()
            self.close_connection = True
            world = create()
            while (text := self._receive()) is not None:
                frame = json.loads(text)
                if frame.get("type") == "close":
                    break
                self._write(1, json.dumps(answer_frame(world, frame)).encode())

        def _receive(self) -> str | None:
            """The next text; pings are answered. None where the other side is gone or breaks the protocol."""
            message = b""
            while True:
                head = self.rfile.read(2)
                if len(head) < 2 or not head[1] & 0x80:
                    return None
                final, code, length = head[0] & 0x80, head[0] & 0x0F, head[1] & 0x7F
                if length >= 126:
                    size = 2 if length == 126 else 8
                    length = struct.unpack("!H" if size == 2 else "!Q", self.rfile.read(size))[0]
                if length + len(message) > MOST_BYTES:
                    return None
                mask = self.rfile.read(4)
                data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.rfile.read(length)))
                if code == 8:
                    self._write(8, data)
                    return None
                if code == 9:
                    self._write(10, data)
                elif code in (0, 1):
                    message += data
                    if final:
                        return message.decode()

        def _write(self, code: int, data: bytes) -> None:
            size = len(data)
            head = bytes([size]) if size < 126 else struct.pack("!BH", 126, size) if size < 2**16 else struct.pack("!BQ", 127, size)
            self.wfile.write(bytes([0x80 | code]) + head + data)
            self.wfile.flush()

    return Handler


def answer_frame(world: World, frame: dict[str, Any]) -> dict[str, Any]:
    """The reply to a frame of OpenEnv."""
    data = frame.get("data") or {}
    try:
        if frame.get("type") == "reset":
            return {"type": "observation", "data": world.reset(int(data.get("seed") or 0) % 2**31, data.get("seats"))}
        if frame.get("type") == "step":
            answers = data.get("answers") or {"player": data}
            return {"type": "observation", "data": world.step({seat: str(answer.get("message", "")) for seat, answer in answers.items()})}
        raise ValueError(f"unknown frame {frame.get('type')}")
    except ValueError as error:
        return {"type": "error", "data": {"message": str(error), "code": "VALIDATION_ERROR"}}


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m ludus_agents.bridge", description="Serve an environment of another Python project to Ludus.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", help="a Gymnasium id, the module of a PettingZoo game, an OpenSpiel game, or the id of a TextArena or verifiers environment")
    parser.add_argument("--seat", help="the player that the relay's only seat takes (default: the first)")
    parser.add_argument("--players", type=int, help="the number of players of a TextArena game (default: the smallest it accepts)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to serve on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8001, help="the port; 0 for a free one (default: 8001)")
    options = parser.parse_args(words)

    def create() -> World:
        return create_world(options.kind, options.name, options.seat, options.players)

    try:
        create()  # A wrong name is an error now, not in the first episode.
    except ImportError as error:
        parser.exit(1, f"{options.kind} is not installed: {error}\n")
    except Exception as error:  # Each project has its own kind of exception for an unknown name.
        parser.exit(1, f"{options.kind} {options.name}: {error}\n")
    server = ThreadingHTTPServer((options.host, options.port), make_handler(create))
    server.daemon_threads = True
    print(f"ws://{options.host}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
