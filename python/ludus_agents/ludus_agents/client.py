"""A client for the server that "ludus serve openenv" starts. Standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any


class ServerError(RuntimeError):
    """The server refused a request, or could not be reached."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Observation:
    """What a seat learned since its last answer."""

    text: str
    """The new messages, one below the other."""
    choices: tuple[str, ...]
    """The legal answers, where the environment lists them."""
    reward: float
    """What the seat earned since its last answer."""
    done: bool
    info: Mapping[str, Any] = field(default_factory=dict)
    """Seat, turn, return, penalty, and at the end the reason."""


class Server:
    """One environment of a server.

    `url` is the address that the server prints, with the name of the environment: http://127.0.0.1:8000/openenv/kuhn-poker. Without it,
    the variable LUDUS_URL is used. The token comes from `token` or LUDUS_TOKEN; a server started with --no-token needs none.
    """

    def __init__(self, url: str | None = None, token: str | None = None, timeout: float = 3600) -> None:
        address = url or os.environ.get("LUDUS_URL")
        if not address:
            raise ValueError("No server: pass its url, or set LUDUS_URL, such as http://127.0.0.1:8000/openenv/kuhn-poker.")
        self.url = re.sub(r"^ws", "http", address).rstrip("/")
        self.token = token or os.environ.get("LUDUS_TOKEN")
        self.timeout = timeout

    def call(self, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One request: POST with a body, GET without."""
        headers = {"content-type": "application/json"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            with contextlib.suppress(ValueError, AttributeError):
                text = json.loads(text).get("error", text)
            hint = " In Python, set LUDUS_TOKEN to the token, or pass it to Server." if error.code == 401 else ""
            raise ServerError(f"{self.url}/{path}: {str(text)[:500]}{hint}", error.code) from None
        except urllib.error.URLError as error:
            raise ServerError(f"{self.url} cannot be reached: {error.reason}. Start it with: npx ludus serve openenv") from None

    def seats(self) -> tuple[str, ...]:
        """The names of the seats under the default task."""
        text = self.call("metadata").get("readme_content") or ""
        match = re.search(r"^Seats: (.*)\.$", text, re.MULTILINE)
        if match is None:
            raise ServerError(f"{self.url} does not name its seats.")
        return tuple(name.strip() for name in match[1].split(","))

    def reset(self, **settings: Any) -> Episode:
        """Starts an episode on one seat: seed, task, seat, opponents, name."""
        return Episode(self, settings)

    def match(self, seats: Sequence[str] | None = None, **settings: Any) -> Match:
        """Starts an episode in which this program plays several seats; all of them unless `seats` names some."""
        return Match(self, tuple(seats or self.seats()), settings)


class Episode:
    """One seat of one episode. `observation` is what the seat was told last."""

    def __init__(self, server: Server, settings: Mapping[str, Any]) -> None:
        self.server = server
        self.id = secrets.token_hex(12)
        wanted = {name: value for name, value in settings.items() if value is not None}
        self.total = 0.0
        self.observation = self._read(server.call("reset", {**wanted, "episode_id": self.id}))

    @property
    def done(self) -> bool:
        return self.observation.done

    def step(self, answer: str) -> Observation:
        """Answers, and returns once the seat is asked again or the episode is over."""
        if self.done:
            raise ValueError("The episode is over. Start another with reset().")
        self.observation = self._read(self.server.call("step", {"action": {"message": answer}, "episode_id": self.id}))
        return self.observation

    def close(self) -> None:
        """Ends an episode that is under way."""
        if self.done:
            return
        with contextlib.suppress(ServerError):
            action = {"type": "call_tool", "tool_name": "resign", "arguments": {}}
            self.server.call("step", {"action": action, "episode_id": self.id})
        last = self.observation
        self.observation = Observation(last.text, (), 0.0, True, last.info)

    def _read(self, answer: Mapping[str, Any]) -> Observation:
        seen = answer["observation"]
        info = dict(seen.get("info") or {})
        reward = float(answer.get("reward") or 0.0)
        self.total += reward
        text = "\n".join(message["content"] for message in seen.get("messages") or [])
        return Observation(text, tuple(info.pop("choices", None) or ()), reward, bool(answer["done"]), info)

    def __enter__(self) -> Episode:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Match:
    """Several seats of one episode. Each seat is a session, and waits in its own thread until it is asked."""

    def __init__(self, server: Server, seats: tuple[str, ...], settings: Mapping[str, Any]) -> None:
        self.seats = seats
        self.episodes: dict[str, Episode] = {}
        self._threads = ThreadPoolExecutor(max(1, len(seats)))
        self._pending: dict[Future[Observation], str] = {}
        self._asked: dict[str, Observation] = {}
        shared = {**settings, "match_id": secrets.token_hex(8)}
        for seat in seats:
            self._pending[self._threads.submit(self._sit, server, seat, shared)] = seat

    def _sit(self, server: Server, seat: str, settings: Mapping[str, Any]) -> Observation:
        self.episodes[seat] = Episode(server, {**settings, "seat": seat})
        return self.episodes[seat].observation

    def wait(self, until_all: bool = False, seconds: float | None = None) -> dict[str, Observation]:
        """Waits until a seat is asked (or all seats), and gives what each seat that is asked or at its end has learned."""
        while self._pending and (until_all or not self._asked):
            done, _ = wait(self._pending, timeout=seconds, return_when=FIRST_COMPLETED)
            if not done:
                waiting = ", ".join(sorted(self._pending.values()))
                raise TimeoutError(f"{waiting}: not asked within {seconds} s, while {', '.join(self._asked) or 'nobody'} is.")
            for future in done:
                observation = future.result()
                self._asked[self._pending.pop(future)] = observation
                # The end comes to all seats: the others are on their way.
                until_all = until_all or observation.done
        return {seat: self._asked[seat] for seat in self.seats if seat in self._asked}

    def answer(self, seat: str, text: str) -> None:
        """Answers for a seat that is asked."""
        if seat not in self._asked or self._asked[seat].done:
            raise ValueError(f'The seat "{seat}" is not asked now.')
        del self._asked[seat]
        self._pending[self._threads.submit(self.episodes[seat].step, text)] = seat

    def close(self) -> None:
        """Ends the episode for all seats."""
        for episode in list(self.episodes.values()):
            episode.close()
        self._threads.shutdown(wait=False, cancel_futures=True)


@contextlib.contextmanager
def start_server(command: Sequence[str] = ("npx", "ludus"), *arguments: str, cwd: str | None = None) -> Iterator[str]:
    """Starts "ludus serve openenv" on a free port and gives its address; LUDUS_COMMAND replaces the command. Environments are below /openenv/NAME."""
    words = os.environ["LUDUS_COMMAND"].split() if os.environ.get("LUDUS_COMMAND") else list(command)
    process = subprocess.Popen(
        [*words, "serve", "openenv", "--port", "0", "--no-token", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=cwd,
        start_new_session=True,
    )
    try:
        output = ""
        assert process.stdout is not None
        for row in process.stdout:
            output += row
            match = re.search(r"(http://[^/\s]+)/openenv", row)
            if match is not None:
                break
        else:
            raise ServerError(f"The server did not start: {output.strip()[-500:]}")
        yield match[1]
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a program and its children: npx runs the server as one, and does not pass a signal on."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    else:
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
    process.wait()
