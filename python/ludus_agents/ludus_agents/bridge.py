"""Gymnasium and PettingZoo environments as Ludus environments.

    python -m ludus_agents.bridge gymnasium FrozenLake-v1 --port 8001
    python -m ludus_agents.bridge pettingzoo pettingzoo.classic.tictactoe_v3 --port 8001
    npx ludus play relay --world openenv:ws://127.0.0.1:8001 --player random

A small OpenEnv server on this machine, of the standard library alone. Each connection is one session with its own environment. In a
PettingZoo game the player takes one agent (--seat, default: the first); the others choose legal moves at random, by the seed of the episode.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib
import json
import re
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces

MOST_BYTES = 2**20
MOST_CHOICES = 400
ACTION = {
    "type": "object",
    "properties": {"message": {"type": "string", "description": "the action: [NUMBER], or a JSON list for a space of numbers"}},
    "required": ["message"],
}


class World(Protocol):
    """One session of an environment. Both calls give text, legal answers, the reward and whether the episode is over."""

    def reset(self, seed: int) -> dict[str, Any]: ...
    def step(self, message: str) -> dict[str, Any]: ...


def to_text(value: Any) -> str:
    """An observation as a player reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(f"{name}: {to_text(part)}" for name, part in value.items())
    return np.array2string(np.asarray(value), precision=4, threshold=500)


def choices_of(space: spaces.Space[Any], mask: Any = None) -> list[str]:
    if not isinstance(space, spaces.Discrete) or space.n > MOST_CHOICES:
        return []
    legal = range(int(space.n)) if mask is None else np.flatnonzero(mask)
    return [f"[{int(space.start) + int(number)}]" for number in legal]


def read_action(message: str, space: spaces.Space[Any], mask: Any = None) -> Any:
    """The action that a message names; ValueError says what was expected."""
    if isinstance(space, spaces.Discrete):
        numbers = re.findall(r"\[(-?\d+)\]", message) or re.findall(r"^\s*(-?\d+)\s*$", message)
        if len(numbers) != 1 or not space.contains(int(numbers[0])):
            raise ValueError(f"expected one number from {space.start} to {space.start + space.n - 1} in square brackets")
        number = int(numbers[0])
        if mask is not None and not mask[number - int(space.start)]:
            raise ValueError(f"[{number}] is not legal now")
        return number
    if isinstance(space, spaces.Text):
        return message
    try:
        action = np.asarray(json.loads(message), dtype=space.dtype).reshape(space.shape or ())
    except (ValueError, TypeError) as error:
        raise ValueError(f"expected a JSON list that fits {space}: {error}") from None
    if not space.contains(action):
        raise ValueError(f"expected a JSON list that fits {space}")
    return action


def result(text: str, choices: list[str], reward: float | None, done: bool) -> dict[str, Any]:
    observation = {"prompt": text, "messages": [{"sender_id": -1, "content": text, "category": "GAME_MESSAGE"}], "info": {"choices": choices}}
    return {"observation": observation, "reward": reward, "done": done}


class GymnasiumWorld:
    def __init__(self, name: str) -> None:
        import gymnasium

        self.env = gymnasium.make(name)

    def reset(self, seed: int) -> dict[str, Any]:
        seen, info = self.env.reset(seed=seed)
        self.mask = info.get("action_mask")
        about = f"You act in {self.env.spec.id if self.env.spec else self.env}. Actions: {self.env.action_space}."
        return result(f"{about}\n{to_text(seen)}", choices_of(self.env.action_space, self.mask), None, False)

    def step(self, message: str) -> dict[str, Any]:
        action = read_action(message, self.env.action_space, self.mask)
        seen, reward, terminated, truncated, info = self.env.step(action)
        self.mask = info.get("action_mask")
        done = bool(terminated or truncated)
        return result(to_text(seen), [] if done else choices_of(self.env.action_space, self.mask), float(reward), done)


class PettingZooWorld:
    def __init__(self, name: str, seat: str | None) -> None:
        self.env = importlib.import_module(name).env()
        self.seat = seat
        self.name = name.rsplit(".", 1)[-1]

    def reset(self, seed: int) -> dict[str, Any]:
        self.env.reset(seed=seed)
        self.random = np.random.default_rng(seed)
        self.player = self.seat or self.env.possible_agents[0]
        if self.player not in self.env.possible_agents:
            raise ValueError(f"unknown agent {self.player}; expected one of {', '.join(self.env.possible_agents)}")
        about = f"You are {self.player} in {self.name}. Actions: {self.env.action_space(self.player)}."
        return self._until_asked(about, None)

    def step(self, message: str) -> dict[str, Any]:
        self.env.step(read_action(message, self.env.action_space(self.player), self._mask(self.player)))
        return self._until_asked("", 0.0)

    def _mask(self, agent: str) -> Any:
        seen = self.env.observe(agent)
        return seen.get("action_mask") if isinstance(seen, dict) else self.env.infos[agent].get("action_mask")

    def _until_asked(self, about: str, reward: float | None) -> dict[str, Any]:
        while self.env.agents:
            agent = self.env.agent_selection
            seen, earned, terminated, truncated, _ = self.env.last()
            over = terminated or truncated
            if agent == self.player:
                text = to_text(seen.get("observation", seen) if isinstance(seen, dict) else seen)
                choices = [] if over else choices_of(self.env.action_space(agent), self._mask(agent))
                return result(f"{about}\n{text}".strip(), choices, float(earned) if reward is not None or over else None, bool(over))
            self.env.step(None if over else self._draw(agent))
        return result("The episode is over.", [], reward, True)

    def _draw(self, agent: str) -> Any:
        space, mask = self.env.action_space(agent), self._mask(agent)
        if isinstance(space, spaces.Discrete) and mask is not None:
            return int(space.start) + int(self.random.choice(np.flatnonzero(mask)))
        space.seed(int(self.random.integers(2**31)))
        return space.sample()


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
    """What a frame of OpenEnv is answered."""
    data = frame.get("data") or {}
    try:
        if frame.get("type") == "reset":
            return {"type": "observation", "data": world.reset(int(data.get("seed") or 0) % 2**31)}
        if frame.get("type") == "step":
            return {"type": "observation", "data": world.step(str(data.get("message", "")))}
        raise ValueError(f"unknown frame {frame.get('type')}")
    except ValueError as error:
        return {"type": "error", "data": {"message": str(error), "code": "VALIDATION_ERROR"}}


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m ludus_agents.bridge", description="Serve a Gymnasium or PettingZoo environment to Ludus.")
    parser.add_argument("kind", choices=["gymnasium", "pettingzoo"])
    parser.add_argument("name", help="the id of a Gymnasium environment, or the module of a PettingZoo game")
    parser.add_argument("--seat", help="the agent that the player takes in a PettingZoo game (default: the first)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to serve on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8001, help="the port; 0 for a free one (default: 8001)")
    given = parser.parse_args(words)

    def create() -> World:
        return GymnasiumWorld(given.name) if given.kind == "gymnasium" else PettingZooWorld(given.name, given.seat)

    create()  # A name that is wrong is an error now, not in the first episode.
    server = ThreadingHTTPServer((given.host, given.port), make_handler(create))
    server.daemon_threads = True
    print(f"ws://{given.host}:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
