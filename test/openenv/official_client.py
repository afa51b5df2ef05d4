"""Plays seeded episodes with OpenEnv's own clients and prints what was done, as one line of JSON.

Reads one line of JSON: {"url", "worlds", "seeds", "sessions"}. Every (world, seed) is played over a WebSocket with GenericEnvClient and
over HTTP with MCPToolClient, at most `sessions` at once. The moves are picked by a rule that needs no dice.
"""

import asyncio
import json
import sys

from openenv.core import GenericEnvClient, MCPToolClient


def pick(choices, seed, turn):
    return choices[(seed * 31 + turn * 17) % len(choices)] if choices else "hello"


async def over_websocket(url, world, seed):
    actions, rewards = [], []
    async with GenericEnvClient(base_url=f"{url}/openenv/{world}") as env:
        result = await env.reset(seed=seed, some_column="dropped")
        episode = (await env.state())["episode"]
        while not result.done:
            action = pick(result.observation["info"].get("choices"), seed, len(actions))
            result = await env.step({"message": action})
            actions.append(action)
            rewards.append(result.reward)
        state = await env.state()
        assert state["step_count"] == len(actions), state
        try:
            await env.step({"message": "too late"})
            raise AssertionError("a step after the end was taken")
        except RuntimeError as error:
            assert "EXECUTION_ERROR" in str(error), error
    return {"transport": "ws", "world": world, "seed": seed, "episode": episode, "actions": actions, "rewards": rewards}


async def over_http(url, world, seed):
    actions, rewards = [], []
    env = MCPToolClient(base_url=f"{url}/openenv/{world}")
    env.use_production_mode = True
    names = [tool.name for tool in await env.list_tools()]
    assert names == ["act", "look", "rules", "resign"], names
    seen = await env.call_tool("look", seed=seed)
    episode = seen["episode"]
    while not seen["done"]:
        action = pick(seen.get("choices"), seed, len(actions))
        seen = await env.call_tool("act", message=action)
        actions.append(action)
        rewards.append(seen["reward"])
    await env.close()
    return {"transport": "http", "world": world, "seed": seed, "episode": episode, "actions": actions, "rewards": rewards}


def synchronous(url, world):
    """The synchronous face of the client, and tools called in steps."""
    with GenericEnvClient(base_url=f"{url}/openenv/{world}").sync() as env:
        done = env.reset(seed=1).done
    client = MCPToolClient(base_url=f"{url}/openenv/{world}").sync()
    with client as env:
        env.reset(seed=1)
        tools = [tool.name for tool in env.list_tools()]
    return {"done": done, "tools": tools}


async def main(plan):
    gate = asyncio.Semaphore(plan["sessions"])
    active, most = 0, 0

    async def one(how, world, seed):
        nonlocal active, most
        async with gate:
            active += 1
            most = max(most, active)
            try:
                return await how(plan["url"], world, seed)
            finally:
                active -= 1

    games = [(how, world, seed) for how in (over_websocket, over_http) for world in plan["worlds"] for seed in plan["seeds"]]
    episodes = await asyncio.gather(*(one(*game) for game in games))
    return {"episodes": episodes, "most": most}


if __name__ == "__main__":
    given = json.loads(sys.stdin.readline())
    report = asyncio.run(main(given))
    report["sync"] = synchronous(given["url"], given["worlds"][0])
    try:
        from openenv.cli._validation import validate_running_environment

        report["validation"] = validate_running_environment(f"{given['url']}/openenv/{given['worlds'][0]}")
    except ModuleNotFoundError as error:
        report["validation"] = {"skipped": str(error)}
    print(json.dumps(report))
