"""The client plays whole episodes on a real server."""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ludus_agents import Server, ServerError, start_server


def play(episode):
    while not episode.done:
        episode.step(episode.observation.choices[0])
    return episode.total


def test_an_episode_is_determined_by_its_seed(ludus_server):
    server = Server(f"{ludus_server}/openenv/kuhn-poker")
    totals = [[play(server.reset(seed=seed, opponents="random")) for seed in range(8)] for _ in range(2)]
    assert totals[0] == totals[1]
    assert len(set(totals[0])) > 1


def test_a_match_is_zero_sum_where_the_game_is(ludus_server):
    server = Server(f"{ludus_server}/openenv/kuhn-poker")
    assert server.seats() == ("first", "second")
    match = server.match(seed=1)
    for _ in range(20):
        seat, seen = next(iter(match.wait().items()))
        if seen.done:
            break
        match.answer(seat, seen.choices[-1])
    assert sum(episode.total for episode in match.episodes.values()) == 0
    assert any(episode.total != 0 for episode in match.episodes.values())
    match.close()


def test_an_episode_can_be_left(ludus_server):
    with Server(f"{ludus_server}/openenv/tic-tac-toe").reset(seed=1) as episode:
        assert not episode.done
    assert episode.done
    with pytest.raises(ValueError, match="over"):
        episode.step("[0]")


def test_errors_say_what_is_wrong(ludus_server):
    with pytest.raises(ServerError) as caught:
        Server(f"{ludus_server}/openenv/no-such-game").reset(seed=1)
    assert caught.value.status is not None
    with pytest.raises(ServerError, match="cannot be reached"):
        Server("http://127.0.0.1:9/openenv/kuhn-poker").reset()
    with pytest.raises(ValueError, match="LUDUS_URL"):
        Server()


class _Guarded(BaseHTTPRequestHandler):
    def do_GET(self):
        is_allowed = self.headers["authorization"] == "Bearer secret"
        self.send_response(200 if is_allowed else 401)
        self.end_headers()
        self.wfile.write(json.dumps({} if is_allowed else {"error": "A token is required."}).encode())

    def log_message(self, *_):
        pass


def test_the_token_comes_from_the_environment(monkeypatch):
    guarded = HTTPServer(("127.0.0.1", 0), _Guarded)
    threading.Thread(target=guarded.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{guarded.server_port}"
    monkeypatch.delenv("LUDUS_TOKEN", raising=False)
    with pytest.raises(ServerError, match="set LUDUS_TOKEN"):
        Server(url).call("metadata")
    monkeypatch.setenv("LUDUS_TOKEN", "secret")
    assert Server(url).call("metadata") == {}
    guarded.shutdown()


WRAPPER = """
import subprocess, sys
child = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); print('http://127.0.0.1:1/openenv', flush=True); time.sleep(600)"
subprocess.run([sys.executable, "-c", child, MARKER])
"""


@pytest.mark.skipif(os.name != "posix", reason="process groups are those of POSIX")
def test_a_server_behind_a_wrapper_ends_too(monkeypatch, tmp_path):
    monkeypatch.delenv("LUDUS_COMMAND", raising=False)
    marker = tmp_path / "pid"
    with start_server((sys.executable, "-c", WRAPPER.replace("MARKER", repr(str(marker))))):
        assert marker.exists()
    pid = int(marker.read_text())
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("The server still runs.")
