/**
 * @file The texts of a new trainer: Python programs that train language models of other libraries in environments of a Ludus server, with
 * all seats of a match in one episode. Both use the same client file, which needs only Python.
 */

import { title } from './templates.ts';

/** The supported libraries. */
export const trainerKinds = ['verifiers', 'trl'] as const;
export type TrainerKind = (typeof trainerKinds)[number];

/** The files of a trainer by their paths in its folder. */
export function trainerFiles(kind: TrainerKind, name: string): Readonly<Record<string, string>> {
  if (kind === 'trl') return { 'match.py': matchText, 'train.py': trlText(name), 'README.md': trlReadme(name) };
  const module = name.replaceAll('-', '_');
  return {
    'pyproject.toml': projectText(name, module),
    'README.md': verifiersReadme(name),
    [`${module}/__init__.py`]: `from ${module}.taskset import MatchEnv, MatchTaskset\n\n__all__ = ["MatchEnv", "MatchTaskset"]\n`,
    [`${module}/match.py`]: matchText,
    [`${module}/taskset.py`]: tasksetText(name, module),
  };
}

const matchText = `"""One match on a Ludus server: every seat is a separate session of the same match."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

# What a seat says to what it was told; None where it gave up.
Speak = Callable[[str], Awaitable[str | None]]


@dataclass
class SeatResult:
    reward: float = 0.0
    turns: int = 0
    gave_up: bool = False
    info: dict[str, Any] = field(default_factory=dict)


class LudusServer:
    """An environment of "ludus serve openenv", by its address."""

    def __init__(self, url: str | None = None, token: str | None = None, sessions: int = 128) -> None:
        self.url = (url or os.environ.get("LUDUS_URL") or "http://127.0.0.1:8000/openenv/kuhn-poker").rstrip("/")
        self.token = token or os.environ.get("LUDUS_TOKEN")
        # A request waits while the other seats think, so each session needs a separate thread.
        self.threads = ThreadPoolExecutor(sessions)

    async def post(self, call: str, body: dict[str, Any]) -> dict[str, Any]:
        return await asyncio.get_running_loop().run_in_executor(self.threads, self._post, call, body)

    def _post(self, call: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"content-type": "application/json"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.url}/{call}", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=3600) as response:
                return json.load(response)
        except urllib.error.HTTPError as thrown:
            raise RuntimeError(f"{self.url} refused {call}: {thrown.read().decode(errors='replace')[:500]}") from None

    async def play(self, seats: Mapping[str, Speak], seed: int, task: dict[str, Any] | None = None) -> dict[str, SeatResult]:
        """One episode; the same seed deals the same game. A seat that fails ends the match for all."""
        match = secrets.token_hex(8)
        results = {name: SeatResult() for name in seats}
        async with asyncio.TaskGroup() as group:
            for name, speak in seats.items():
                group.create_task(self._sit(name, speak, results[name], match, {"seed": seed, **({"task": task} if task else {})}))
        return results

    async def _sit(self, name: str, speak: Speak, seat: SeatResult, match: str, wanted: dict[str, Any]) -> None:
        session = f"{match}-{name}"
        got = await self.post("reset", {**wanted, "seat": name, "match_id": match, "episode_id": session})
        while True:
            seat.reward += got["reward"] or 0.0
            seat.info = got["observation"].get("info") or {}
            if got["done"]:
                return
            answer = None if seat.gave_up else await speak(told_in(got["observation"]))
            seat.turns += 1
            # Anyone who has given up answers nothing, which the rules of the environment take for a forfeit.
            seat.gave_up = answer is None
            got = await self.post("step", {"action": {"message": answer or ""}, "episode_id": session})


def told_in(observation: dict[str, Any]) -> str:
    """What is new to a seat, and the moves it may make where they are listed."""
    said = [message["content"] for message in observation.get("messages") or []] or [observation.get("prompt") or ""]
    choices = (observation.get("info") or {}).get("choices") or []
    return "\\n".join([*said, *([f"Your moves: {' '.join(choices)}"] if choices else [])])
`;

function projectText(name: string, module: string): string {
  return `[project]
name = "${name}"
version = "0.1.0"
description = "${title(name)}: self-play in environments of a Ludus server, each seat an agent."
requires-python = ">=3.11"
dependencies = ["verifiers"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["${module}"]
`;
}

function tasksetText(name: string, module: string): string {
  return `"""${title(name)}: every seat of a Ludus environment is an agent of verifiers, and one match is one rollout.

Both seats are the run's own model unless one is pinned (--env.second.model NAME), which is self-play by one policy. What the environment
pays a seat is the reward of its trace; traces carry the names of their seats, as algorithms with a baseline for each seat need them.
"""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import count

import verifiers.v1 as vf

from ${module}.match import LudusServer, Speak

# One AgentConfig below for each seat, called like it: "ludus show kuhn-poker" names the seats of an environment.
SEATS = ("first", "second")
SYSTEM = "You play a game. You are told what happens. Answer with exactly one of your moves, as it is written, in square brackets."


class MatchData(vf.TaskData):
    seed: int = 0


class MatchTask(vf.Task[MatchData]):
    pass


class MatchConfig(vf.TasksetConfig):
    pass


class MatchEnvConfig(vf.EnvConfig):
    first: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})
    second: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})
    url: str = ""
    """The environment, like http://127.0.0.1:8000/openenv/kuhn-poker; LUDUS_URL by default."""


class MatchEnv(vf.Env[MatchEnvConfig]):
    async def start(self) -> None:
        self.server = LudusServer(self.config.url or None)

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        async with AsyncExitStack() as stack:
            seats: dict[str, vf.Interaction] = {}
            for name in SEATS:
                # Each seat is spoken to as it is asked, so that its task has no prompt.
                own = vf.Task(vf.TaskData(idx=task.data.idx, name=f"{task.data.name} {name}", prompt=None, system_prompt=SYSTEM))
                seats[name] = await stack.enter_async_context(getattr(agents, name).interaction(own))
            results = await self.server.play({name: speaker(seat) for name, seat in seats.items()}, task.data.seed)
        for name, seat in seats.items():
            result = results[name]
            seat.trace.record_reward("payoff", result.reward)
            seat.trace.record_metric("gave_up", float(result.gave_up))
            seat.trace.info["match"] = {"seat": name, "seed": task.data.seed, "turns": result.turns}


def speaker(seat: vf.Interaction) -> Speak:
    async def speak(told: str) -> str | None:
        segment = await seat.turn(told)
        return None if segment.terminated else segment.last_reply

    return speak


class MatchTaskset(vf.Taskset[MatchTask, MatchConfig]):
    INFINITE = True

    def load(self) -> Iterator[MatchTask]:
        for seed in count():
            yield MatchTask(MatchData(idx=seed, name=f"match#{seed}", prompt=None, seed=seed))
`;
}

function verifiersReadme(name: string): string {
  return `# ${title(name)}

A package for verifiers (1.x) and prime-rl: every seat of a Ludus environment is an agent, one match is one rollout.

    npx ludus serve openenv --port 8000 --sessions 512 --no-token &
    pip install -e .
    LUDUS_URL=http://127.0.0.1:8000/openenv/kuhn-poker eval ${name} -m MODEL -n 8

Another environment: its address in LUDUS_URL, and its seats in \`SEATS\` and in \`MatchEnvConfig\`. With a token: LUDUS_TOKEN. Self-play in
prime-rl: \`algo.type = "rae"\` has a running baseline for each seat. Every match is in the store of the server: \`npx ludus list episodes --run openenv\`.
`;
}

function trlText(name: string): string {
  return `"""${title(name)}: trains one seat of a Ludus environment by TRL's GRPOTrainer; the other seats are played by the current version of the same model.

    npx ludus serve openenv --port 8000 --sessions 512 --no-token &
    pip install "trl>=1.7"        # and vllm if you have a GPU; it is used if it is installed
    LUDUS_URL=http://127.0.0.1:8000/openenv/kuhn-poker python train.py --model Qwen/Qwen3-0.6B

All seats of a match are sessions with the same match_id. Whoever is asked at the same moment is answered by one call of the model. The tokens
of the trained seat are the completion; what it was told between its answers is in it too, and masked.
"""

from __future__ import annotations

import argparse
import asyncio
from importlib.util import find_spec
from typing import Any

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from match import LudusServer, SeatResult, Speak

# "ludus show kuhn-poker" names the seats of an environment.
SEATS = ("first", "second")
SYSTEM = "You play a game. You are told what happens. Answer with exactly one of your moves, as it is written, in square brackets."


class Talk:
    """The tokens of one seat: its prompt, its answers, and between them what it was told."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.prompt: list[int] = []
        self.completion: list[int] = []
        self.mask: list[int] = []
        self.logprobs: list[float] = []

    def hear(self, told: str) -> list[int]:
        """Adds what was told, and gives all tokens so far."""
        if not self.prompt:
            self.prompt = self._ids([{"role": "system", "content": SYSTEM}, {"role": "user", "content": told}], True)
        else:
            # What the template writes between an answer and the next one, whatever the answer was.
            before = [{"role": "user", "content": "."}, {"role": "assistant", "content": "."}]
            after = self._ids([*before, {"role": "user", "content": told}], True)[len(self._ids(before, False)) :]
            self._add(after, 0, [0.0] * len(after))
        return self.prompt + self.completion

    def speak(self, ids: list[int], logprobs: list[float] | None) -> str:
        self._add(ids, 1, [0.0] * len(ids) if logprobs is None else logprobs)
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def _add(self, ids: list[int], mask: int, logprobs: list[float]) -> None:
        self.completion += ids
        self.mask += [mask] * len(ids)
        self.logprobs += logprobs

    def _ids(self, messages: list[dict[str, str]], generate: bool) -> list[int]:
        return list(self.tokenizer.apply_chat_template(messages, add_generation_prompt=generate, tokenize=True, return_dict=False))


class Answers:
    """Collects all who wait for an answer, and asks the model once for all of them."""

    def __init__(self, trainer: GRPOTrainer) -> None:
        self.trainer = trainer
        self.waiting: list[tuple[list[int], asyncio.Future]] = []
        self.task: asyncio.Task | None = None
        self.sampled = True

    async def of(self, ids: list[int]) -> tuple[list[int], list[float] | None]:
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((ids, future))
        if self.task is None:
            self.task = asyncio.create_task(self._answer())
        return await future

    async def _answer(self) -> None:
        # Those who are asked at the same moment are a few milliseconds apart.
        await asyncio.sleep(0.05)
        batch, self.waiting, self.task = self.waiting, [], None
        try:
            completions, logprobs = self.trainer._generate_single_turn([ids for ids, _ in batch], None, {})
        except BaseException as thrown:
            for _, future in batch:
                future.set_exception(thrown)
            raise
        self.sampled = self.sampled and logprobs is not None
        for i, (_, future) in enumerate(batch):
            future.set_result((list(completions[i]), None if logprobs is None else list(logprobs[i])))


def rollouts(server: LudusServer, seat: str):
    def rollout(prompts: list, trainer: GRPOTrainer) -> dict[str, list]:
        return asyncio.run(matches(server, seat, prompts, trainer))

    return rollout


async def matches(server: LudusServer, trained: str, prompts: list, trainer: GRPOTrainer) -> dict[str, list]:
    answers = Answers(trainer)

    async def match(prompt: Any) -> tuple[Talk, SeatResult]:
        talks = {name: Talk(trainer.processing_class) for name in SEATS}
        results = await server.play({name: speaker(talk, answers) for name, talk in talks.items()}, seed_in(prompt))
        return talks[trained], results[trained]

    played = await asyncio.gather(*(match(prompt) for prompt in prompts))
    return {
        "prompt_ids": [talk.prompt for talk, _ in played],
        "completion_ids": [talk.completion for talk, _ in played],
        "logprobs": [talk.logprobs for talk, _ in played] if answers.sampled else None,
        "env_mask": [talk.mask for talk, _ in played],
        "payoff": [result.reward for _, result in played],
    }


def speaker(talk: Talk, answers: Answers) -> Speak:
    async def speak(told: str) -> str:
        return talk.speak(*await answers.of(talk.hear(told)))

    return speak


def seed_in(prompt: Any) -> int:
    """Rows of the dataset are seeds: members of a group play the same deal, so that their returns can be compared."""
    return int((prompt if isinstance(prompt, str) else prompt[-1]["content"]).split()[-1])


def payoff(completions: list, payoff: list[float], **_: Any) -> list[float]:
    return payoff


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="Qwen/Qwen3-0.6B")
    parser.add_argument("--seat", default=SEATS[0], choices=SEATS, help="the seat that is trained")
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--answer", type=int, default=512, help="the longest answer, and the most of a match that is trained, in tokens")
    parser.add_argument("--output", default="${name}")
    given = parser.parse_args()
    rows = [{"prompt": [{"role": "user", "content": f"Match {seed}"}]} for seed in range(given.matches)]
    trainer = GRPOTrainer(
        model=given.model,
        train_dataset=Dataset.from_list(rows),
        reward_funcs=payoff,
        rollout_func=rollouts(LudusServer(), given.seat),
        args=GRPOConfig(
            output_dir=given.output,
            num_generations=8,
            per_device_train_batch_size=8,
            max_completion_length=given.answer,
            **({"use_vllm": True, "vllm_mode": "colocate"} if find_spec("vllm") else {}),
            **({} if torch.cuda.is_available() else {"use_cpu": True, "bf16": False}),
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
`;
}

function trlReadme(name: string): string {
  return `# ${title(name)}

Trains one seat of a Ludus environment by TRL's GRPOTrainer, against the same model on the other seats.

    npx ludus serve openenv --port 8000 --sessions 512 --no-token &
    pip install "trl>=1.7"        # and vllm if you have a GPU; it is used if it is installed
    LUDUS_URL=http://127.0.0.1:8000/openenv/kuhn-poker python train.py --model Qwen/Qwen3-0.6B

\`rollout_func\` is marked experimental in TRL, and the model is asked by \`_generate_single_turn\`, which is TRL's own. One process: several would call
the model at different times. Every match is in the store of the server: \`npx ludus list episodes --run openenv\`.
`;
}
