"""A Ludus environment for verifiers and the trainers that use it, and verifiers environments for the bridge.

    from verifiers.types import ClientConfig
    from ludus_agents.verifiers import load_environment

    env = load_environment("http://127.0.0.1:8000/openenv/kuhn-poker", opponents="random")
    client = ClientConfig(api_base_url="http://127.0.0.1:8001/v1", api_key_var="OPENAI_API_KEY")
    results = env.evaluate_sync(client, "Qwen/Qwen3-0.6B", num_examples=50)

The model answers each observation until the episode is over; the return of its seat is the reward.
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import time
from typing import Any

import verifiers as vf
from datasets import Dataset
from verifiers.clients import Client
from verifiers.types import Response, ResponseMessage, ToolCall

from ludus_agents.client import Episode, Observation, Server
from ludus_agents.worlds import observation


def _text(seen: Observation) -> str:
    moves = f"\nYour moves: {' '.join(seen.choices)}" if seen.choices and not seen.done else ""
    return f"{seen.text}{moves}"


class LudusEnv(vf.MultiTurnEnv):
    """One seat of a Ludus environment. Each row of the dataset is a seed."""

    def __init__(self, server: Server, settings: dict[str, Any], **options: Any) -> None:
        self.server, self.settings = server, settings
        super().__init__(**options)

    async def setup_state(self, state: Any) -> Any:
        episode: Episode = await asyncio.to_thread(self.server.reset, seed=state["info"]["seed"], **self.settings)
        state["ludus_episode"] = episode
        state["prompt"] = [*state["prompt"], vf.UserMessage(content=_text(episode.observation))]
        return state

    async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
        seen = await asyncio.to_thread(state["ludus_episode"].step, str(messages[-1].content or ""))
        reply = [vf.UserMessage(content=_text(seen))]
        if seen.done:
            state["final_env_response"] = reply
        return reply

    @vf.cleanup
    async def end_episode(self, state: Any) -> None:
        if (episode := state.get("ludus_episode")) is not None:
            await asyncio.to_thread(episode.close)


async def episode_return(state: Any) -> float:
    """What the seat earned in the episode."""
    return float(state["ludus_episode"].total)


def load_environment(
    url: str | None = None,
    token: str | None = None,
    *,
    episodes: int = 1000,
    first_seed: int = 0,
    instruction: str = "Play the game below until it is over.",
    max_turns: int = -1,
    **settings: Any,
) -> LudusEnv:
    """An environment with a row for each seed. `settings` go with every reset: task={"rounds": 3}, opponents="scripted:equilibrium"."""
    prompt = [{"role": "system", "content": instruction}]
    rows = [{"prompt": prompt, "info": {"seed": seed}} for seed in range(first_seed, first_seed + episodes)]
    return LudusEnv(Server(url, token), settings, dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[episode_return]), max_turns=max_turns)


class _Player(Client):
    """A model whose answers come from a queue: the player of the relay."""

    def __init__(self, prompts: queue.Queue[Any], answers: queue.Queue[str]) -> None:
        super().__init__(None)
        self.prompts, self.answers = prompts, answers

    async def get_response(self, prompt: Any, model: str, sampling_args: Any, tools: Any = None, **_: Any) -> Response:
        self.prompts.put((prompt, tools or []))
        text = await asyncio.to_thread(self.answers.get)
        calls = _tool_calls(text, {tool.name for tool in tools or []})
        message = ResponseMessage(content=text, tool_calls=calls or None, finish_reason="tool_calls" if calls else "stop", is_truncated=False)
        return Response(id="relay", created=int(time.time()), model=model, message=message)

    def setup_client(self, config: Any) -> None: ...
    async def to_native_tool(self, tool: Any) -> Any: ...
    async def to_native_prompt(self, messages: Any) -> Any: ...
    async def get_native_response(self, *words: Any, **named: Any) -> Any: ...
    async def raise_from_native_response(self, response: Any) -> None: ...
    async def from_native_response(self, response: Any) -> Any: ...
    async def close(self) -> None: ...


def _tool_calls(text: str, names: set[str]) -> list[ToolCall]:
    """The call in a text like {"tool": NAME, "arguments": {…}}, where the environment has that tool."""
    try:
        call = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError:
        return []
    if not isinstance(call, dict) or call.get("tool") not in names:
        return []
    return [ToolCall(id="call", name=call["tool"], arguments=json.dumps(call.get("arguments") or {}))]


class VerifiersWorld:
    """An installed verifiers environment by its id. The seed of the episode chooses the row; its own code runs and scores the rollout."""

    def __init__(self, name: str) -> None:
        self.env = vf.load_environment(name)
        self.rows = self.env.get_dataset()
        self.answers: queue.Queue[str] = queue.Queue()

    def reset(self, seed: int, seats: list[str] | None) -> dict[str, Any]:
        if seats:
            raise ValueError(f"a verifiers environment has one player, but the relay has {len(seats)} seats")
        self.prompts: queue.Queue[Any] = queue.Queue()
        self.answers = queue.Queue()
        self.shown = 0
        threading.Thread(target=self._run, args=(self.rows[seed % len(self.rows)], self.prompts, self.answers), daemon=True).start()
        return self._next()

    def _run(self, row: Any, prompts: queue.Queue[Any], answers: queue.Queue[str]) -> None:
        async def rollout() -> Any:
            state = await self.env.rollout(row, _Player(prompts, answers), "relay", {})
            if state.get("error") is not None:
                raise state["error"]
            await self.env.rubric.score_rollout(state)
            return state

        try:
            prompts.put(asyncio.run(rollout()))
        except Exception as error:
            prompts.put(error)

    def step(self, answers: dict[str, str]) -> dict[str, Any]:
        self.answers.put(next(iter(answers.values())))
        return self._next()

    def _next(self) -> dict[str, Any]:
        item = self.prompts.get()
        if isinstance(item, Exception):
            raise RuntimeError(f"the rollout failed: {item}") from item
        if not isinstance(item, tuple):
            return observation("The episode is over.", [], float(item["reward"] or 0.0), True)
        messages, tools = item
        fresh = [str(message.content or "") for message in messages[self.shown :] if message.role != "assistant"]
        self.shown = len(messages)
        if tools and self.shown == len(fresh):
            listed = "\n".join(f"- {tool.name}({', '.join((tool.parameters.get('properties') or {}))}): {tool.description}" for tool in tools)
            fresh.append(f'To call a tool, answer {{"tool": NAME, "arguments": {{…}}}}. The tools:\n{listed}')
        return observation("\n".join(fresh), [], None, False)
