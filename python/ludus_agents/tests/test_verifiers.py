"""verifiers runs a Ludus environment with its own rollout code, and Ludus plays a verifiers environment."""

import asyncio
import queue
import threading

import pytest

pytest.importorskip("verifiers", reason="verifiers is not installed")
pytest.importorskip("datasets", reason="datasets is not installed")

import verifiers as vf
from datasets import Dataset

from ludus_agents import start_server
from ludus_agents.verifiers import VerifiersWorld, _Player, load_environment


def test_a_ludus_environment_is_rolled_out_and_scored():
    with start_server() as address:
        env = load_environment(f"{address}/openenv/kuhn-poker", episodes=4, opponents="random")
        prompts, answers = queue.Queue(), queue.Queue()

        def check_down():
            """A model that never bets: it takes the first listed move."""
            while (item := prompts.get()) is not None:
                answers.put(str(item[0][-1].content).split("Your moves: ")[1].split()[0])

        thread = threading.Thread(target=check_down)
        thread.start()
        client = _Player(prompts, answers)
        states = [asyncio.run(env._run_rollout_state(row, client, "m", {})) for row in env.get_dataset()]
        prompts.put(None)
        thread.join()
        assert all(abs(state["reward"]) in (1.0, 2.0) for state in states)
        assert all(state["completion"][-1].role == "user" for state in states)
        assert len({state["prompt"][-1].content for state in states}) > 1


class Echo(vf.MultiTurnEnv):
    """Two turns; each word of the answer that was in the question earns one."""

    async def env_response(self, messages, state, **_):
        return [{"role": "user", "content": "And again?"}]


async def kept_words(completion, answer, **_):
    return float(sum(answer in str(message.content) for message in completion if message.role == "assistant"))


def test_a_verifiers_environment_is_a_world(monkeypatch):
    rows = [{"question": "Say blue.", "answer": "blue"}, {"question": "Say red.", "answer": "red"}]
    env = Echo(dataset=Dataset.from_list(rows), rubric=vf.Rubric(funcs=[kept_words]), max_turns=2)
    monkeypatch.setattr(vf, "load_environment", lambda name: env)
    world = VerifiersWorld("echo")
    seen = world.reset(3, None)
    assert "Say red." in seen["observation"]["prompt"]
    seen = world.step({"player": "red it is"})
    assert seen["observation"]["prompt"] == "And again?"
    assert world.step({"player": "blue"})["reward"] == 1.0
    with pytest.raises(ValueError, match="one player"):
        world.reset(1, ["a", "b"])
