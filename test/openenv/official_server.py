"""Small environments behind OpenEnv's own server: /guess takes an object, /tic-tac-toe a text, /tools calls of tools.

Prints "ready" when it listens. The first argument is the port.
"""

import random
import sys

import uvicorn
from fastapi import FastAPI
from fastmcp import FastMCP
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Action, Observation, State


class Guess(Action):
    guess: int


class Hint(Observation):
    hint: str


class GuessEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = State()
        self.secret = 0

    def reset(self, seed=None, episode_id=None, most=8, **kwargs):
        self.secret = random.Random(seed).randint(1, most)
        self._state = State(episode_id=episode_id, step_count=0)
        return Hint(hint=f"Guess a number from 1 to {most}.")

    def step(self, action, **kwargs):
        self._state.step_count += 1
        if action.guess < 1:
            raise ValueError("below 1 there is nothing")
        if action.guess == self.secret:
            return Hint(hint="Right.", reward=1.0, done=True)
        return Hint(hint="higher" if action.guess < self.secret else "lower", reward=-0.1, done=self._state.step_count >= 8)

    @property
    def state(self):
        return self._state


class Move(Action):
    message: str


class Board(Observation):
    prompt: str
    messages: list = []
    current_player_id: int = 0
    legal_players: list = [0, 1]
    info: dict = {}


lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToe(Environment):
    """Against chance, with the fields that our own server sends: what the reference needs for the same game."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    rules = "You are X on a board of 3 columns and 3 rows. X moves first. Three of your marks in a row, column or diagonal win."

    def __init__(self):
        super().__init__()
        self._state = State()
        self.cells = ["."] * 9
        self.dice = random.Random(0)

    def reset(self, seed=None, episode_id=None, **kwargs):
        self.cells = ["."] * 9
        self.dice = random.Random(seed)
        self._state = State(episode_id=episode_id, step_count=0)
        return self.look([self.rules], None, False)

    def step(self, action, **kwargs):
        self._state.step_count += 1
        said = [self.mark("X", int(action.message.strip("[]")))]
        if self.won("X"):
            return self.look([*said, "X wins."], 1.0, True)
        if "." not in self.cells:
            return self.look([*said, "The board is full: a draw."], 0.0, True)
        said.append(self.mark("O", self.dice.choice([i for i, cell in enumerate(self.cells) if cell == "."])))
        if self.won("O"):
            return self.look([*said, "O wins."], -1.0, True)
        return self.look(said, 0.0, False)

    def mark(self, who, cell):
        self.cells[cell] = who
        rows = "\n".join("".join(self.cells[row : row + 3]) for row in (0, 3, 6))
        return f"{who} plays [{cell}].\n{rows}"

    def won(self, who):
        return any(all(self.cells[cell] == who for cell in line) for line in lines)

    def look(self, said, reward, done):
        choices = [] if done else [f"[{i}]" for i, cell in enumerate(self.cells) if cell == "."]
        messages = [{"sender_id": -1, "content": text, "category": "GAME_MESSAGE"} for text in said]
        return Board(prompt=self.rules, messages=messages, info={"choices": choices}, reward=reward, done=done)

    @property
    def state(self):
        return self._state


class Tools(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        server = FastMCP("tools")

        @server.tool
        def add(a: int, b: int) -> int:
            """Adds two numbers."""
            return a + b

        super().__init__(server)
        self._state = State()

    def reset(self, seed=None, episode_id=None, **kwargs):
        self._state = State(episode_id=episode_id, step_count=0)
        return Observation(done=False, reward=0.0)

    def _step_impl(self, action, timeout_s=None, **kwargs):
        return Observation(done=False, reward=None)

    @property
    def state(self):
        return self._state


def main(port):
    app = FastAPI()
    app.mount("/guess", create_fastapi_app(GuessEnvironment, Guess, Hint, max_concurrent_envs=64))
    app.mount("/tic-tac-toe", create_fastapi_app(TicTacToe, Move, Board, max_concurrent_envs=64))
    app.mount("/tools", create_fastapi_app(Tools, CallToolAction, CallToolObservation, max_concurrent_envs=64))

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            print("ready", flush=True)

    Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error")).run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
