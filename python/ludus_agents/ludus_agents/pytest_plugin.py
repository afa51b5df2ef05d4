"""Fixtures for tests of bots and agents: pip install ludus-agents, then use `ludus_server`, `ludus_test` or `ludus_simulate` in a test.

    def test_my_bot(ludus_test):
        result = ludus_test("./shop", "./my-bot.json")
        assert result.passed, result.summary

    def test_one_conversation(ludus_simulate):
        run = ludus_simulate(my_bot, customer="Please cancel A-101.", policy="Cancel only after a yes.")
        assert run.passed, run.complaint
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ludus_agents.client import start_server


@dataclass(frozen=True)
class GateResult:
    """The verdict of "ludus test"."""

    passed: bool
    summary: str
    """The report in Markdown."""
    results: dict[str, Any]


@dataclass(frozen=True)
class SimulatedRun:
    """One conversation of a bot with a simulated customer, and the verdict on it."""

    passed: bool
    complaint: str | None
    """What is wrong, with the transcript; None where the conversation passes."""
    lines: list[dict[str, str]]
    calls: list[dict[str, Any]]
    faults: list[dict[str, Any]]
    problems: list[str]
    unchecked: list[str]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ludus", default=None, help='The command that runs Ludus (default: LUDUS_COMMAND, or "npx ludus").')


def _command(config: pytest.Config) -> list[str]:
    return str(config.getoption("--ludus") or os.environ.get("LUDUS_COMMAND") or "npx ludus").split()


@pytest.fixture(scope="session")
def ludus_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that runs as long as the session; environments are below /openenv/NAME."""
    with start_server(_command(request.config), cwd=str(tmp_path_factory.mktemp("ludus"))) as url:
        yield url


@pytest.fixture
def ludus_test(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., GateResult]:
    """Runs the release gate: ludus_test(desk, bot, fail_under=0.9)."""

    def run(desk: str, bot: str, fail_under: float = 0.9, *arguments: str) -> GateResult:
        files = {name: tmp_path / name for name in ("gate.md", "gate.json")}
        words = ["test", desk, "--agents", bot, "--fail-under", str(fail_under), "--yes"]
        outputs = ["--markdown", str(files["gate.md"]), "--save", str(files["gate.json"])]
        done = subprocess.run(
            [*_command(request.config), *words, *outputs, *arguments],
            capture_output=True,
            text=True,
            cwd=request.config.rootpath,
            check=False,
        )
        # 0: passed; 1: the gate failed. Everything else says that nothing was tested.
        if done.returncode not in (0, 1) or not files["gate.json"].exists():
            raise RuntimeError(f"ludus test could not run: {(done.stderr or done.stdout).strip()[-1000:]}")
        return GateResult(done.returncode == 0, files["gate.md"].read_text(), json.loads(files["gate.json"].read_text()))

    return run


@contextmanager
def _served(bot: Callable[[str], str | dict[str, Any]]) -> Iterator[str]:
    """A function as a bot behind HTTP, for as long as a conversation lasts. What it raises is raised again in the test."""
    failures: list[BaseException] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))["message"]
            try:
                answer = bot(message)
                status, body = 200, answer if isinstance(answer, dict) else {"reply": answer}
            except Exception as failure:  # noqa: BLE001
                failures.append(failure)
                status, body = 500, {"error": str(failure)}
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    if failures:
        raise failures[0]


@pytest.fixture
def ludus_simulate(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., SimulatedRun]:
    """Lets a bot, a function or an http address, talk with a customer: ludus_simulate(bot, customer=…, policy=…)."""

    def run(bot: Callable[[str], str | dict[str, Any]] | str, customer: str | list[Any] | dict[str, Any], policy: str = "Help the customer.") -> SimulatedRun:
        says = [customer] if isinstance(customer, str) else customer
        (tmp_path / "customer.json").write_text(json.dumps(says if isinstance(says, dict) else {"says": says}))
        (tmp_path / "policy.md").write_text(policy)
        with nullcontext(bot) if isinstance(bot, str) else _served(bot) as address:
            files = ["--customer", str(tmp_path / "customer.json"), "--policy", str(tmp_path / "policy.md")]
            words = ["desk", "bot", f"bot:{address}", *files, "--json"]
            # "npx ludus" finds what is installed in the project, so it has to run there.
            done = subprocess.run([*_command(request.config), *words], capture_output=True, text=True, cwd=request.config.rootpath, check=False)
        # 0: passed; 1: a fault was found. Everything else says that nothing was tested.
        if done.returncode not in (0, 1) or not done.stdout.lstrip().startswith("{"):
            raise RuntimeError(f"ludus desk bot could not run: {(done.stderr or done.stdout).strip()[-1000:]}")
        verdict = json.loads(done.stdout)
        return SimulatedRun(**{field.name: verdict[field.name] for field in fields(SimulatedRun)})

    return run
