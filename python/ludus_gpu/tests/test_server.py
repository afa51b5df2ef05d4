"""The server over HTTP with a tiny random model: sampling, saved weights, order, keys, and many clients at a time."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from safetensors import safe_open

from ludus_gpu.engine import Engine
from ludus_gpu.server import Server, main
from ludus_gpu.tiny import tiny_model, write_tiny


class Client:
    def __init__(self, port: int, key: str | None = None) -> None:
        self.port, self.key, self.connection = port, key, HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, name: str, body: dict[str, Any] | None = None, wait: bool = False) -> tuple[int, Any]:
        headers = {**({} if self.key is None else {"x-api-key": self.key}), **({"prefer": "wait"} if wait else {})}
        self.connection.request("GET" if body is None else "POST", f"/api/v1/{name}", None if body is None else json.dumps(body), headers)
        response = self.connection.getresponse()
        raw = response.read()
        return response.status, json.loads(raw) if response.headers["content-type"] == "application/json" else raw

    def do(self, name: str, body: dict[str, Any]) -> Any:
        status, promised = self.ask(name, body)
        assert status == 200, (status, promised)
        while True:
            _, result = self.ask("retrieve_future", {"request_id": promised["request_id"]})
            if result.get("type") != "try_again":
                return result

    def create(self, rank: int = 4, seed: int = 0) -> str:
        session = self.ask("create_session", {"tags": [], "sdk_version": "test"})[1]["session_id"]
        self.session = session
        config = {"rank": rank, "seed": seed}
        return self.do("create_model", {"session_id": session, "model_seq_id": 0, "base_model": "tiny", "lora_config": config})["model_id"]

    def sampler(self, model: str, number: int) -> str:
        body = {"model_id": model, "seq_id": number, "sampling_session_seq_id": number}
        return self.do("save_weights_for_sampler", body)["sampling_session_id"]

    def sample(self, sampler: str, prompt: list[int], **more: Any) -> Any:
        count = more.pop("num_samples", 1)
        logprobs = more.pop("prompt_logprobs", False)
        params = {"max_tokens": 6, "seed": 1, "temperature": 1, **more}
        body = {"num_samples": count, "prompt": text(prompt), "sampling_params": params, "sampling_session_id": sampler}
        return self.do("asample", {**body, "prompt_logprobs": logprobs})


def text(tokens: list[int]) -> dict[str, Any]:
    return {"chunks": [{"type": "encoded_text", "tokens": tokens}]}


def datum(tokens: list[int], weight: float = 1.0) -> dict[str, Any]:
    n = len(tokens) - 1
    tensor = lambda data, dtype: {"data": data, "dtype": dtype, "shape": [n]}  # noqa: E731
    inputs = {"target_tokens": tensor(tokens[1:], "int64"), "weights": tensor([weight] * n, "float32")}
    return {"model_input": text(tokens[:-1]), "loss_fn_inputs": inputs}


def loss_of(data: list[Any], loss: str = "cross_entropy", config: dict[str, float] | None = None) -> dict[str, Any]:
    return {"loss_fn": loss, "loss_fn_config": config, "data": data}


class Serving(unittest.TestCase):
    """A server over a tiny model."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        pieces = [bytes([i % 256]) for i in range(320)]
        # Numbers that are left out on purpose are not waited for.
        self.engine = Engine(tiny_model(), "tiny", Path(self.folder.name), pieces, patience=0.0)
        self.server = Server(("127.0.0.1", 0), self.engine, None, None)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.client = Client(self.port)

    def tearDown(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.engine.close()
        self.folder.cleanup()

    def trained(self, client: Client, seed: int, steps: int = 3) -> str:
        model = client.create(seed=seed)
        for i in range(steps):
            body = {"model_id": model, "seq_id": 2 * i + 1, "forward_backward_input": loss_of([datum([5, 6, 7, 8 + seed])])}
            client.do("forward_backward", body)
            client.do("optim_step", {"model_id": model, "seq_id": 2 * i + 2, "adam_params": {"learning_rate": 0.01}})
        return model


class Served(Serving):
    def test_sampler_and_trainer_agree(self) -> None:
        model = self.trained(self.client, 1)
        sampler = self.client.sampler(model, 20)
        prompt = [3, 1, 4, 1, 5]
        got = self.client.sample(sampler, prompt, num_samples=40, prompt_logprobs=True)
        rows = [prompt + one["tokens"] for one in got["sequences"]]
        body = {"model_id": model, "seq_id": 21, "forward_input": loss_of([datum(row) for row in rows])}
        outputs = self.client.do("forward", body)["loss_fn_outputs"]
        for one, own in zip(got["sequences"], outputs):
            np.testing.assert_allclose(one["logprobs"], own["logprobs"]["data"][len(prompt) - 1 :], atol=1e-4)
            np.testing.assert_allclose(got["prompt_logprobs"][1:], own["logprobs"]["data"][: len(prompt) - 1], atol=1e-4)

    def test_samples_depend_on_their_seed_alone(self) -> None:
        sampler = self.client.sampler(self.trained(self.client, 1), 20)
        alone = self.client.sample(sampler, [3, 1, 4], num_samples=5, seed=9)
        with ThreadPoolExecutor(8) as pool:
            jobs = [pool.submit(Client(self.port).sample, sampler, [3, 1, 4, i], num_samples=3) for i in range(7)]
            again = self.client.sample(sampler, [3, 1, 4], num_samples=5, seed=9)
            for job in jobs:
                job.result()
        self.assertEqual([one["tokens"] for one in alone["sequences"]], [one["tokens"] for one in again["sequences"]])
        other = self.client.sample(sampler, [3, 1, 4], num_samples=5, seed=10)
        self.assertNotEqual([one["tokens"] for one in alone["sequences"]], [one["tokens"] for one in other["sequences"]])
        self.assertEqual(again["prompt_cache_hit_tokens"], 3)

    def test_samples_follow_their_chances(self) -> None:
        sampler = self.client.sampler(self.client.create(), 1)
        got = self.client.sample(sampler, [9, 9], num_samples=20000, max_tokens=1)["sequences"]
        chances: dict[int, float] = {one["tokens"][0]: np.exp(one["logprobs"][0]) for one in got}
        counts: dict[int, int] = {}
        for one in got:
            counts[one["tokens"][0]] = counts.get(one["tokens"][0], 0) + 1
        for token, count in counts.items():
            p = chances[token]
            self.assertLess(abs(count - 20000 * p), 5 * np.sqrt(20000 * p * (1 - p)) + 1)

    def test_temperature_stops_and_cuts(self) -> None:
        sampler = self.client.sampler(self.client.create(), 1)
        cold = self.client.sample(sampler, [7], temperature=0, num_samples=3)["sequences"]
        self.assertEqual(len({tuple(one["tokens"]) for one in cold}), 1)
        narrow = self.client.sample(sampler, [7], top_k=1)["sequences"][0]
        self.assertEqual(narrow["tokens"], cold[0]["tokens"])
        self.assertEqual(narrow["logprobs"], [0.0] * 6)
        first = cold[0]["tokens"][0]
        stopped = self.client.sample(sampler, [7], temperature=0, stop=[first])["sequences"][0]
        self.assertEqual((stopped["tokens"], stopped["stop_reason"]), ([first], "stop"))
        words = bytes(token % 256 for token in cold[0]["tokens"][:2]).decode("latin1")
        if words.isascii():
            said = self.client.sample(sampler, [7], temperature=0, stop=[words])["sequences"][0]
            self.assertEqual(said["tokens"], cold[0]["tokens"][:2])

    def test_adapters_do_not_leak(self) -> None:
        quiet, loud = self.client.create(seed=1), self.client.create(seed=2)
        quiet_sampler = self.client.sampler(quiet, 1)
        before = self.client.sample(quiet_sampler, [1, 2, 3], num_samples=4)["sequences"]
        with torch.no_grad():
            self.engine.models[loud].adapter.theta.fill_(1e3)
        loud_sampler = self.client.sampler(loud, 1)
        # Both in one pass: the engine takes what waits together.
        jobs = [self.engine.reader.jobs(self.engine.samplers[name], sampled([1, 2, 3])) for name in (loud_sampler, quiet_sampler, loud_sampler)]
        for name in (loud_sampler, quiet_sampler):
            self.engine.samplers[name].forget()
        answers = self.engine.sampling.answer([job for one in jobs for job in one])
        after = [(one.tokens, one.logprobs) for one in answers[1].samples]
        for one, (tokens, logprobs) in zip(before, after):
            self.assertEqual(one["tokens"], tokens)
            np.testing.assert_allclose(one["logprobs"], logprobs, atol=1e-5)
        self.client.do("forward_backward", {"model_id": quiet, "seq_id": 2, "forward_backward_input": loss_of([datum([1, 2, 3])])})
        self.assertIsNone(self.engine.models[loud].adapter.theta.grad)

    def test_order_and_repeats(self) -> None:
        model = self.client.create()
        body = {"model_id": model, "seq_id": 1, "forward_backward_input": loss_of([datum([1, 2, 3])])}
        first, again = self.client.ask("forward_backward", body)[1], self.client.ask("forward_backward", body)[1]
        self.assertEqual(first["request_id"], again["request_id"])
        self.client.do("optim_step", {"model_id": model, "seq_id": 2, "adam_params": {"learning_rate": 0.01}})
        self.assertEqual(self.engine.models[model].adapter.steps, 1)
        other = {**body, "forward_backward_input": loss_of([datum([1, 2, 4])])}
        self.assertEqual(self.client.ask("forward_backward", other)[0], 409)
        self.assertEqual(self.client.ask("optim_step", {"model_id": model, "seq_id": 0, "adam_params": {}})[0], 400)

    def test_requests_are_carried_out_by_their_numbers(self) -> None:
        self.engine.patience = 3600.0
        client = self.client
        straight, mixed = client.create(seed=1), client.create(seed=1)
        steps = [
            ("forward_backward", {"forward_backward_input": loss_of([datum([5, 6, 7])])}),
            ("forward_backward", {"forward_backward_input": loss_of([datum([5, 9, 2])])}),
            ("optim_step", {"adam_params": {"learning_rate": 0.05}}),
            ("forward_backward", {"forward_backward_input": loss_of([datum([1, 2, 3])])}),
            ("optim_step", {"adam_params": {"learning_rate": 0.05}}),
        ]
        for number, (name, body) in enumerate(steps, 1):
            client.do(name, {"model_id": straight, "seq_id": number, **body})
        promised = {}
        for number in (5, 2, 4, 3):
            name, body = steps[number - 1]
            status, promised[number] = client.ask(name, {"model_id": mixed, "seq_id": number, **body})
            self.assertEqual(status, 200)
        self.assertEqual(self.engine.models[mixed].numbered.last, 0)
        again = client.ask(steps[4][0], {"model_id": mixed, "seq_id": 5, **steps[4][1]})[1]
        self.assertEqual(again["request_id"], promised[5]["request_id"])
        client.do(steps[0][0], {"model_id": mixed, "seq_id": 1, **steps[0][1]})
        for number in (2, 3, 4, 5):
            self.assertIsNotNone(self.engine.retrieve(promised[number]["request_id"], 60))
        ours, theirs = (self.engine.models[name].adapter for name in (straight, mixed))
        torch.testing.assert_close(ours.theta.detach(), theirs.theta.detach(), rtol=0, atol=0)
        # One that never comes is passed over, and refused when it comes late.
        self.engine.models[mixed].numbered.patience = 0.0
        client.do("optim_step", {"model_id": mixed, "seq_id": 8, "adam_params": {}})
        self.assertEqual(client.ask("optim_step", {"model_id": mixed, "seq_id": 7, "adam_params": {}})[0], 400)
        self.assertEqual(client.ask("optim_step", {"model_id": mixed, "seq_id": 800, "adam_params": {}})[0], 400)

    def test_bad_requests_are_refused(self) -> None:
        model = self.client.create()
        for name, body, status in [
            ("nowhere", {}, 404),
            ("forward_backward", {"model_id": "none"}, 400),
            ("forward_backward", {"model_id": model, "forward_backward_input": loss_of([datum([1, 2, 999])])}, 400),
            ("forward_backward", {"model_id": model, "forward_backward_input": loss_of([datum([1, 2])], "dpo")}, 400),
            ("forward_backward", {"model_id": model, "forward_backward_input": loss_of([datum([1, 2])], config={"odd": 1})}, 400),
            ("save_weights", {"model_id": model, "path": "../../etc"}, 400),
            ("load_weights", {"model_id": model, "path": "tinker://../weights/x"}, 400),
            ("load_weights", {"model_id": model, "path": "tinker://model_1/weights/x"}, 404),
            ("asample", {"sampling_session_id": "gone", "prompt": text([1])}, 404),
            ("retrieve_future", {"request_id": "gone"}, 404),
            ("create_model", {"session_id": "gone"}, 404),
        ]:
            self.assertEqual(self.client.ask(name, body)[0], status, (name, body))
        for name in ("asample", "forward_backward"):
            self.client.connection.request("POST", f"/api/v1/{name}", "{broken")
            response = self.client.connection.getresponse()
            response.read()
            self.assertEqual(response.status, 422)
        self.assertEqual(self.client.ask("healthz"), (200, {"status": "ok"}))

    def test_several_prompts_in_one_request_and_its_result_with_the_promise(self) -> None:
        sampler = self.client.sampler(self.client.create(), 1)
        params = {"max_tokens": 6, "seed": 1, "temperature": 1}
        prompts = [{"prompt": text([5, 6, 7]), "num_samples": 2}, {"prompt": text([8, 9]), "num_samples": 1, "sampling_params": {**params, "seed": 4}}]
        body = {"sampling_session_id": sampler, "sampling_params": params, "prompts": prompts}
        status, answer = self.client.ask("asample", body, wait=True)
        apart = [*self.client.sample(sampler, [5, 6, 7], num_samples=2)["sequences"], *self.client.sample(sampler, [8, 9], seed=4)["sequences"]]
        self.assertEqual(status, 200)
        self.assertEqual([one["tokens"] for one in answer["result"]["sequences"]], [one["tokens"] for one in apart])
        self.assertEqual(self.client.ask("retrieve_future", {"request_id": answer["request_id"]})[1], answer["result"])
        self.assertEqual(self.client.ask("asample", {**body, "prompts": []})[0], 400)
        told = self.client.ask("get_server_capabilities")[1]["extensions"]
        self.assertTrue({"wait", "prompts"} <= set(told))

    def test_without_a_key_programs_of_this_machine_are_answered_and_no_page(self) -> None:
        self.server.only_here = True
        self.assertEqual(Client(self.port).ask("healthz")[0], 200)
        for headers, status in [({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 403), ({"Host": "localhost:8000"}, 200)]:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
            connection.request("GET", "/api/v1/healthz", headers=headers)
            self.assertEqual(connection.getresponse().status, status, headers)
            connection.close()
        with mock.patch.dict(os.environ, clear=False), contextlib.redirect_stderr(io.StringIO()) as told, self.assertRaises(SystemExit):
            os.environ.pop("TINKER_API_KEY", None)
            main(["--model", "none", "--host", "0.0.0.0"])
        self.assertIn("set TINKER_API_KEY", told.getvalue())

    def test_key(self) -> None:
        self.server.key = "secret-word"
        self.assertEqual(Client(self.port).ask("healthz")[0], 401)
        self.assertEqual(Client(self.port, "wrong").ask("healthz")[0], 401)
        # What comes without the key is not read, and the connection is closed.
        for name in ("asample", "forward_backward"):
            stranger = Client(self.port, "wrong")
            stranger.connection.request("POST", f"/api/v1/{name}", "{broken", {"x-api-key": "wrong"})
            response = stranger.connection.getresponse()
            response.read()
            self.assertEqual(response.status, 401)
        self.assertEqual(Client(self.port, "secret-word").ask("healthz")[0], 200)

    def test_the_mean_of_weights_becomes_the_weights(self) -> None:
        model = self.client.create()
        adapter = self.engine.models[model].adapter
        seen = []
        for number in range(3):
            with torch.no_grad():
                adapter.theta.add_(number + 1.0)
            seen.append(adapter.theta.detach().clone())
            self.client.do("mean", {"model_id": model, "seq_id": 2 * number + 1})
        saved = self.client.do("save_weights", {"model_id": model, "seq_id": 8, "path": "kept"})["path"]
        other = self.client.create()
        self.client.do("load_weights", {"model_id": other, "seq_id": 1, "path": saved, "optimizer": True})
        for name in (model, other):
            self.client.do("mean", {"model_id": name, "seq_id": 9, "settle": True})
            torch.testing.assert_close(self.engine.models[name].adapter.theta.detach(), sum(seen) / 3)

    def test_reference_follows(self) -> None:
        model = self.trained(self.client, 1)
        adapter = self.engine.models[model].adapter
        before = adapter.reference.clone()
        self.client.do("refer", {"model_id": model, "seq_id": 30, "share": 0.25})
        torch.testing.assert_close(adapter.reference, before.lerp(adapter.theta.detach(), 0.25))
        self.client.do("refer", {"model_id": model, "seq_id": 31})
        rows = loss_of([datum([1, 2, 3])], config={"reference": 1})
        there = self.client.do("forward", {"model_id": model, "seq_id": 32, "forward_input": rows})
        here = self.client.do("forward", {"model_id": model, "seq_id": 33, "forward_input": loss_of([datum([1, 2, 3])])})
        self.assertEqual(there["loss_fn_outputs"], here["loss_fn_outputs"])

    def test_saved_weights_go_on_as_if_nothing_had_happened(self) -> None:
        model = self.trained(self.client, 1)
        path = self.client.do("save_weights", {"model_id": model, "seq_id": 30, "path": "a"})["path"]
        fresh = self.client.create(seed=9)
        self.client.do("load_weights", {"model_id": fresh, "seq_id": 1, "path": path, "optimizer": True})
        for name in (model, fresh):
            body = {"model_id": name, "seq_id": 40, "forward_backward_input": loss_of([datum([4, 4, 4])])}
            self.client.do("forward_backward", body)
            self.client.do("optim_step", {"model_id": name, "seq_id": 41, "adam_params": {"learning_rate": 0.01}})
        ours, theirs = (self.engine.models[name].adapter for name in (model, fresh))
        self.assertTrue(torch.equal(ours.theta, theirs.theta) and torch.equal(ours.reference, theirs.reference))
        status, raw = self.client.ask(f"adapter?path={path}")
        self.assertEqual((status, raw[8:9]), (200, b"{"))

    def test_how_a_model_is_asked_is_saved_with_its_weights(self) -> None:
        client = self.client
        session = client.ask("create_session", {"tags": []})[1]["session_id"]
        form = {"version": 1, "settings": {"prompt": "view"}}
        named = {"session_id": session, "model_seq_id": 0, "base_model": "tiny", "lora_config": {"rank": 2}}
        model = client.do("create_model", {**named, "user_metadata": {"ludus": json.dumps(form)}})["model_id"]
        path = client.do("save_weights", {"model_id": model, "seq_id": 1, "path": "a"})["path"]
        again = client.do("create_model", {**named, "model_seq_id": 1})["model_id"]
        client.do("load_weights", {"model_id": again, "seq_id": 1, "path": path})
        client.do("save_weights", {"model_id": again, "seq_id": 2, "path": "b"})
        for folder in (Path(self.folder.name) / model / "weights" / "a", Path(self.folder.name) / again / "weights" / "b"):
            self.assertEqual(json.loads((folder / "adapter_config.json").read_text())["ludus"], form)
            with safe_open(str(folder / "adapter_model.safetensors"), "pt") as file:
                self.assertEqual(json.loads(file.metadata()["ludus"]), form)
        self.assertEqual(client.ask("create_model", {**named, "user_metadata": {"ludus": "[]"}})[0], 400)

    def test_models_of_a_killed_client_make_room_for_others(self) -> None:
        now = [0.0]
        self.engine.clock, self.engine.most_models = lambda: now[0], 2
        killed, living, late = (Client(self.port) for _ in range(3))
        gone, kept = killed.create(), living.create()
        now[0] = 299.0
        living.ask("session_heartbeat", {"session_id": living.session})
        with self.assertRaisesRegex(AssertionError, "unload one"):
            late.create()
        now[0] = 302.0
        fresh = late.create()
        self.assertEqual(set(self.engine.models), {kept, fresh})
        self.assertEqual(killed.ask("get_info", {"model_id": gone})[0], 404)

    def test_sixty_four_clients(self) -> None:
        def one(seed: int) -> int:
            client = Client(self.port)
            sampler = client.ask("create_sampling_session", {**self._session(client), "base_model": "tiny"})[1]["sampling_session_id"]
            return sum(len(client.sample(sampler, [seed, i], seed=seed)["sequences"][0]["tokens"]) for i in range(3))

        with ThreadPoolExecutor(64) as pool:
            self.assertEqual(list(pool.map(one, range(64))), [18] * 64)

    def _session(self, client: Client) -> dict[str, Any]:
        return {"session_id": client.ask("create_session", {"tags": []})[1]["session_id"], "sampling_session_seq_id": 0}


def sampled(prompt: list[int]) -> dict[str, Any]:
    return {"num_samples": 4, "prompt": text(prompt), "sampling_params": {"max_tokens": 6, "seed": 1, "temperature": 1}}


class Killed(unittest.TestCase):
    def start(self, folder: Path, model: Path) -> tuple[subprocess.Popen[str], Client]:
        words = [sys.executable, "-m", "ludus_gpu.server", "--model", str(model), "--port", "0", "--state", str(folder / "state")]
        environment = {**os.environ, "TINKER_API_KEY": "k"}
        process = subprocess.Popen([*words, "--device", "cpu"], env=environment, stdout=subprocess.PIPE, text=True)
        line = process.stdout.readline() if process.stdout is not None else ""
        return process, Client(int(line.split(" on ")[0].rsplit(":", 1)[1]), "k")

    def test_a_killed_server_loses_no_saved_weights(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            model_folder = write_tiny(folder / "tiny")
            process, client = self.start(folder, model_folder)
            model = client.create()
            client.do("forward_backward", {"model_id": model, "seq_id": 1, "forward_backward_input": loss_of([datum([1, 2, 3])])})
            client.do("optim_step", {"model_id": model, "seq_id": 2, "adam_params": {"learning_rate": 0.05}})
            path = client.do("save_weights", {"model_id": model, "seq_id": 3, "path": "kept"})["path"]
            rows = loss_of([datum([1, 2, 3])])
            before = client.do("forward", {"model_id": model, "seq_id": 4, "forward_input": rows})["loss_fn_outputs"]
            # Killed in the middle of further saves.
            for i in range(5, 9):
                client.ask("save_weights", {"model_id": model, "seq_id": i, "path": f"more{i}"})
            process.send_signal(signal.SIGKILL)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
            process, client = self.start(folder, model_folder)
            try:
                self.assertEqual(client.ask("forward", {"model_id": model, "seq_id": 5, "forward_input": rows})[0], 404)
                fresh = client.create(seed=5)
                client.do("load_weights", {"model_id": fresh, "seq_id": 1, "path": path, "optimizer": True})
                after = client.do("forward", {"model_id": fresh, "seq_id": 2, "forward_input": rows})["loss_fn_outputs"]
                self.assertEqual(after, before)
                for saved in (folder / "state" / model / "weights").glob("[!.]*"):
                    self.assertTrue((saved / "adapter_model.safetensors").exists() and (saved / "optimizer.safetensors").exists())
            finally:
                process.kill()
                process.wait()
                if process.stdout is not None:
                    process.stdout.close()


if __name__ == "__main__":
    unittest.main()
