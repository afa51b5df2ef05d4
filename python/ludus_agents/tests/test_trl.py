"""The class for TRL plays episodes, and TRL itself makes a tool of its method."""

import pytest

from ludus_agents.trl import environment


def test_an_episode(ludus_server):
    seat = environment(f"{ludus_server}/openenv/kuhn-poker", opponents="random")()
    text = seat.reset(prompt=None, seed=1)
    while "over" not in text:
        text = seat.act("[bet]" if "[bet]" in text.splitlines()[-1] else "[call]")
    assert seat.get_reward() != 0
    with pytest.raises(ValueError, match="over"):
        seat.act("[bet]")


def test_the_schema_that_a_chat_template_gets(ludus_server):
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed")
    schema = utils.get_json_schema(environment(f"{ludus_server}/openenv/kuhn-poker")().act)
    assert schema["function"]["parameters"]["required"] == ["message"]
