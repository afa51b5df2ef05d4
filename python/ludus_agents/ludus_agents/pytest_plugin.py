"""Fixtures for tests of bots and agents: pip install ludus-agents, then use `ludus_server` or `ludus_test` in a test.

    def test_my_bot(ludus_test):
        result = ludus_test("./shop", "./my-bot.json")
        assert result.passed, result.summary
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
