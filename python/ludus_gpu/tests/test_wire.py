"""The official Python client's calls, replayed as bytes: its basic recipe over protobuf and JSON, against the server with a tiny model.

The bytes are those of its published messages (tinker 0.25). Requests are written here apart from the server's own reader, field by field.
"""

from __future__ import annotations

import json
import struct
import unittest
from http.client import HTTPConnection
from typing import Any

import numpy as np

from ludus_gpu.proto import all_of, entries, read_request, write_pass, write_samples
from ludus_gpu.requested import Refusal
from test_server import Serving, datum, loss_of, text

PROTO = "application/x-protobuf"


def field(number: int, raw: bytes) -> bytes:
    length = len(raw)
    assert length < 2**14 and number < 16
    size = bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])
    return bytes([number << 3 | 2]) + size + raw


def tensor(values: list[float], dtype: int) -> bytes:
    raw = np.array(values, "<f4" if dtype == 1 else "<i8").tobytes()
    return field(1, raw) + bytes([3 << 3, dtype]) + field(4, bytes([len(values)]))


def request(model: str, number: int, rows: list[list[int]], forward_only: bool = False, **inputs: Any) -> bytes:
    out = field(1, model.encode()) + bytes([2 << 3, number])
    for row in rows:
        n = len(row) - 1
        chunk = field(1, field(1, np.array(row[:-1], "<i4").tobytes()))
        named = {"target_tokens": tensor(row[1:], 2), "weights": tensor([1.0] * n, 1)}
        maps = b"".join(field(2, field(1, name.encode()) + field(2, value)) for name, value in named.items())
        out += field(3, field(1, chunk) + maps)
    out += field(4, b"cross_entropy")
    for name, value in inputs.items():
        out += field(5, field(1, name.encode()) + bytes([2 << 3 | 1]) + struct.pack("<d", value))
    return out + (bytes([6 << 3, 1]) if forward_only else b"")


class Messages(unittest.TestCase):
    def test_a_sample_is_the_recorded_bytes(self) -> None:
        one = {"stop_reason": "length", "tokens": [5, 6], "logprobs": [-0.5, -1.0]}
        self.assertEqual(write_samples({"sequences": [one]}).hex(), "0a160801120805000000060000001a08000000bf000080bf")
        with_prompt = write_samples({"sequences": [one], "prompt_logprobs": [None, -2.0], "prompt_cache_hit_tokens": 300})
        got = all_of(with_prompt)
        np.testing.assert_array_equal(np.frombuffer(got[2][0], "<f4"), np.array([np.nan, -2.0], "<f4"))
        self.assertEqual(got[4], [300])

    def test_a_request_is_read_field_by_field(self) -> None:
        name, body = read_request(request("m", 7, [[5, 6, 7]], kl=0.25))
        self.assertEqual((name, body["model_id"], body["seq_id"]), ("forward_backward", "m", 7))
        loss = body["forward_backward_input"]
        self.assertEqual((loss["loss_fn"], loss["loss_fn_config"]), ("cross_entropy", {"kl": 0.25}))
        expected = datum([5, 6, 7])
        self.assertEqual(loss["data"], [expected])
        self.assertEqual(read_request(request("m", 7, [], forward_only=True))[0], "forward")

    def test_a_pass_is_read_back(self) -> None:
        rows = [[-0.5, -1.0], [-2.0]]
        outputs = [{"logprobs": {"data": row, "dtype": "float32", "shape": [len(row)]}} for row in rows]
        got = all_of(write_pass({"loss_fn_outputs": outputs, "metrics": {"loss:sum": 3.5}}))
        (record,) = [all_of(one) for one in got[2]]
        self.assertEqual(record[3], [2])
        ((name, value),) = entries(record[2])
        batched = all_of(value)
        self.assertEqual((name, batched[3]), ("logprobs", [1]))
        self.assertEqual(np.frombuffer(batched[2][0], "<i8").tolist(), [0, 8, 12])
        self.assertEqual(np.frombuffer(batched[1][0], "<f4").tolist(), [-0.5, -1.0, -2.0])
        self.assertEqual([(key, struct.unpack("<d", raw)[0]) for key, raw in entries(got[3])], [("loss:sum", 3.5)])

    def test_what_is_no_message_is_refused(self) -> None:
        whole = request("m", 7, [[5, 6, 7]])
        for cut in range(1, len(whole)):
            try:
                read_request(whole[:cut])
            except (ValueError, Refusal, struct.error):
                pass
        for raw in (b"\xff" * 12, b"\x0a\x7f", b"\x00\x00", field(3, field(1, field(2, b"picture")))):
            with self.assertRaises((ValueError, Refusal)):
                read_request(raw)


class Recipe(Serving):
    """The order of the client's own `rl_loop`, with its headers."""

    def send(self, name: str, body: Any, accept: str = "application/json", kind: str = "application/json") -> tuple[str, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"content-type": kind, "accept": accept, "x-api-key": "tml-any", "user-agent": "AsyncTinker/Python 0.25.0"}
        connection.request("POST", f"/api/v1/{name}", body if isinstance(body, bytes) else json.dumps(body), headers)
        response = connection.getresponse()
        raw = response.read()
        self.assertEqual(response.status, 200, raw)
        return response.headers["content-type"], raw

    def json(self, name: str, body: Any) -> Any:
        return json.loads(self.send(name, body)[1])

    def result(self, promised: dict[str, Any], accept: str = "application/json") -> tuple[str, bytes]:
        while True:
            kind, raw = self.send("retrieve_future", {"request_id": promised["request_id"], "allow_metadata_only": True}, accept)
            if kind == PROTO or json.loads(raw).get("type") != "try_again":
                return kind, raw

    def test_the_basic_recipe(self) -> None:
        self.engine.patience = 3600.0
        self.assertFalse(self.json("client/config", {"sdk_version": "0.25.0"})["use_pyqwest_transport"])
        session = self.json("create_session", {"tags": [], "sdk_version": "0.25.0", "type": "create_session"})["session_id"]
        self.assertEqual(self.json("telemetry", {"events": [], "session_id": session}), {"status": "accepted"})
        lora = {"rank": 4, "train_unembed": True, "train_mlp": True, "train_attn": True}
        created = self.json("create_model", {"session_id": session, "model_seq_id": 0, "base_model": "tiny", "lora_config": lora, "type": "create_model"})
        model = json.loads(self.result(created)[1])["model_id"]
        info = self.json("get_info", {"model_id": model, "type": "get_info"})
        self.assertEqual((info["lora_rank"], info["model_data"]["model_name"]), (4, "tiny"))

        saved = self.json("save_weights_for_sampler", {"model_id": model, "seq_id": 1, "sampling_session_seq_id": 0, "type": "save_weights_for_sampler"})
        sampler = json.loads(self.result(saved)[1])["sampling_session_id"]
        params = {"max_tokens": 4, "temperature": 1.0, "top_k": -1, "top_p": 1.0, "seed": 3}
        asked = {"num_samples": 2, "prompt": text([3, 1, 4]), "sampling_params": params, "sampling_session_id": sampler, "seq_id": 0, "type": "sample"}
        kind, raw = self.result(self.json("asample", {**asked, "topk_prompt_logprobs": 0}), PROTO)
        self.assertEqual(kind, PROTO)
        samples = [all_of(one) for one in all_of(raw)[1]]
        rows = [[3, 1, 4, *np.frombuffer(one[2][0], "<i4").tolist()] for one in samples]
        self.assertEqual([len(one[3][0]) for one in samples], [len(one[2][0]) for one in samples])

        # The first of several parts is sent last; then the step, before any result is asked for.
        second = self.json_of(request(model, 3, rows[1:]))
        first = self.json_of(request(model, 2, rows[:1]))
        step = self.json("optim_step", {"model_id": model, "seq_id": 4, "adam_params": {"learning_rate": 1e-3}, "type": "optim_step"})
        for promised, row, sample in ((first, rows[0], samples[0]), (second, rows[1], samples[1])):
            kind, raw = self.result(promised, PROTO)
            self.assertEqual(kind, PROTO)
            ((_, value),) = entries(all_of(all_of(raw)[2][0])[2])
            told = np.frombuffer(all_of(value)[1][0], "<f4")
            self.assertEqual(len(told), len(row) - 1)
            np.testing.assert_allclose(told[2:], np.frombuffer(sample[3][0], "<f4"), atol=1e-4)
            self.assertTrue(all(":" in name for name, _ in entries(all_of(raw)[3])))
        self.assertIn("metrics", json.loads(self.result(step)[1]))
        state = json.loads(self.result(self.json("save_weights", {"model_id": model, "path": "s1", "seq_id": 5, "type": "save_weights"}))[1])
        self.assertEqual(state, {"type": "save_weights", "path": f"tinker://{model}/weights/s1"})
        self.assertEqual(self.json("weights_info", {"tinker_path": state["path"]})["lora_rank"], 4)
        named = {"model_id": model, "path": "p1", "seq_id": 6, "type": "save_weights_for_sampler"}
        self.assertEqual(json.loads(self.result(self.json("save_weights_for_sampler", named))[1])["type"], "save_weights_for_sampler")
        self.assertEqual(self.client.ask(f"samplers/{sampler}")[1], {"sampler_id": sampler, "base_model": "tiny"})

    def json_of(self, raw: bytes) -> Any:
        return json.loads(self.send("forward_backward", raw, kind=PROTO)[1])

    def test_both_wires_train_alike(self) -> None:
        one, other = self.client.create(seed=1), self.client.create(seed=1)
        self.client.do("forward_backward", {"model_id": one, "seq_id": 1, "forward_backward_input": loss_of([datum([5, 6, 7])])})
        self.result(self.json_of(request(other, 1, [[5, 6, 7]])), PROTO)
        ours, theirs = (self.engine.models[name].adapter.theta.grad for name in (one, other))
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


if __name__ == "__main__":
    unittest.main()
