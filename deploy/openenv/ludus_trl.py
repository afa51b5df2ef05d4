"""A world behind an OpenEnv server as an environment for TRL's GRPOTrainer, without a line of Python of your own.

    from ludus_trl import environment, rows
    trainer = GRPOTrainer(
        model="Qwen/Qwen3-0.6B",
        train_dataset=rows(1000),
        environment_factory=environment("ws://127.0.0.1:8000/openenv/kuhn-poker"),
        args=GRPOConfig(max_completion_length=1024),
    )

The server is asked once for its tools; each becomes a typed method, as TRL wants them. What the server pays is added up over the
episode and is the reward. Needs `openenv` (the client) and, for `rows`, `datasets`.
"""

import inspect

from openenv.core import GenericEnvClient

TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict, "array": list}


class _Episode:
    """One episode at a time over one connection. Public methods are tools, so everything else here begins with an underscore."""

    _url = ""
    _settings = {}

    def __init__(self):
        self._client = GenericEnvClient(base_url=self._url, message_timeout_s=300).sync()
        self._client.connect()
        self._return = 0.0
        self._done = True

    def reset(self, prompt=None, **columns):
        """Begins an episode; columns of the dataset (seed, task, seat, opponents) go to the server as they are."""
        wanted = {name: value for name, value in {**self._settings, **columns}.items() if value is not None}
        result = self._client.reset(**wanted)
        self._return = result.reward or 0.0
        self._done = result.done
        seen = result.observation
        return "\n".join(message["content"] for message in seen.get("messages", [])) or seen.get("prompt")

    def get_reward(self):
        return self._return

    def _call(self, tool, arguments):
        if self._done:
            raise ValueError("The episode is over.")
        result = self._client.step({"type": "call_tool", "tool_name": tool, "arguments": arguments})
        self._return += result.reward or 0.0
        self._done = result.done
        error = result.observation.get("error")
        if error:
            raise ValueError(error["message"])
        answer = result.observation["result"]
        told = answer.get("data", answer) if isinstance(answer, dict) else answer
        text = told.get("text", told) if isinstance(told, dict) else told
        return f"{text}\nThe episode is over." if self._done else str(text)


def environment(url, **settings):
    """The class to hand to `environment_factory`. `settings` go with every reset: task={"rounds": 3}, opponents="scripted:equilibrium"."""
    with GenericEnvClient(base_url=url).sync() as client:
        tools = client.step({"type": "list_tools"}).observation["tools"]
    methods = {tool["name"]: _method(tool) for tool in tools}
    return type("LudusEpisode", (_Episode,), {"_url": url, "_settings": settings, **methods})


def _method(tool):
    """A method with the name, the types and the words of a tool."""
    schema = tool.get("input_schema") or {}
    properties, required = schema.get("properties", {}), schema.get("required", [])
    types = {name: TYPES.get(spec.get("type"), str) for name, spec in properties.items()}
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)] + [
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if name in required else None,
            annotation=types[name],
        )
        for name in sorted(properties, key=lambda one: one not in required)
    ]
    signature = inspect.Signature(parameters, return_annotation=str)

    def method(*given, **named):
        bound = signature.bind(*given, **named)
        arguments = dict(bound.arguments)
        return arguments.pop("self")._call(tool["name"], arguments)

    lines = [f"    {name}: {spec.get('description', name)}" for name, spec in properties.items()]
    method.__name__ = method.__qualname__ = tool["name"]
    method.__doc__ = "\n".join([tool.get("description") or tool["name"], "", "Args:", *lines, "", "Returns:", "    What happened then."])
    method.__signature__ = signature
    method.__annotations__ = {**types, "return": str}
    return method


def rows(count, first=0, instruction="Play the game below with the tool until it is over.\n\n"):
    """A dataset of seeds: the same seed deals the same game to every member of a group, so that their returns can be compared."""
    from datasets import Dataset

    prompt = [{"role": "user", "content": instruction}]
    return Dataset.from_list([{"prompt": prompt, "seed": seed} for seed in range(first, first + count)])
