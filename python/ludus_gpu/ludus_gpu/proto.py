"""The few protobuf messages that the official Tinker client sends and accepts, read and written by hand.

It sends forward_backward so, and takes results of sampling and of passes in no other form. Numbers of fields are those of its published
tinker_public.proto: they are the wire.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus_gpu.requested import Body, Refusal

CONTENT_TYPE = "application/x-protobuf"
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""DType by its number."""
DTYPES = {1: ("float32", np.dtype("<f4")), 2: ("int64", np.dtype("<i8")), 3: ("int64", np.dtype("<i4"))}


def fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers and values, in the order in which they come."""
    at = 0
    while at < len(raw):
        key, at = varint(raw, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise ValueError("the message is not protobuf")
        if kind == VARINT:
            value, at = varint(raw, at)
            yield number, value
            continue
        length = {FIXED64: 8, FIXED32: 4}.get(kind)
        if kind == BYTES:
            length, at = varint(raw, at)
        if length is None or at + length > len(raw):
            raise ValueError("the message is not protobuf, or is cut off")
        yield number, raw[at : at + length]
        at += length


def varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(raw) or shift > 63:
            raise ValueError("the message is not protobuf, or is cut off")
        byte = raw[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def all_of(raw: Any) -> dict[int, list[Any]]:
    out: dict[int, list[Any]] = {}
    if not isinstance(raw, bytes):
        raise ValueError("a message stands where a number was expected, or the other way round")
    for number, value in fields(raw):
        out.setdefault(number, []).append(value)
    return out


def text(values: Sequence[Any]) -> str:
    return bytes(values[-1]).decode() if values else ""


def entries(values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The pairs of a map."""
    for one in values:
        pair = all_of(one)
        yield text(pair.get(1, [])), pair.get(2, [b""])[-1]


def read_request(raw: bytes) -> tuple[str, Body]:
    """A ForwardBackwardRequest as the JSON body of the call that it stands for, and the name of that call."""
    got = all_of(raw)
    config = {name: struct.unpack("<d", value)[0] for name, value in entries(got.get(5, []))}
    loss = {"loss_fn": text(got.get(4, [])), "loss_fn_config": config or None, "data": [read_datum(one) for one in got.get(3, [])]}
    name = "forward" if got.get(6, [0])[-1] else "forward_backward"
    return name, {"model_id": text(got.get(1, [])), "seq_id": int(got.get(2, [0])[-1]), f"{name}_input": loss}


def read_datum(raw: bytes) -> Body:
    got = all_of(raw)
    chunks = [read_chunk(one) for one in got.get(1, [])]
    return {"model_input": {"chunks": chunks}, "loss_fn_inputs": {name: read_tensor(value) for name, value in entries(got.get(2, []))}}


def read_chunk(raw: bytes) -> Body:
    got = all_of(raw)
    if 1 not in got:
        raise Refusal(400, "This server reads texts alone: images and sounds have no part in its models")
    tokens = all_of(got[1][-1]).get(1, [b""])[-1]
    return {"type": "encoded_text", "tokens": np.frombuffer(tokens, "<i4").tolist()}


def read_tensor(raw: bytes) -> Body:
    got = all_of(raw)
    if 2 in got:
        raise Refusal(400, "Tensors are sent dense to this server; convert them first")
    known = DTYPES.get(got.get(3, [0])[-1])
    if known is None:
        raise Refusal(400, "Tensors are float32 or int64")
    data = np.frombuffer(got.get(1, [b""])[-1], known[1])
    shape: list[int] = []
    for one in got.get(4, []):
        # Packed, as the newer syntax has it, or one by one.
        at = 0
        if isinstance(one, int):
            shape.append(one)
            continue
        while at < len(one):
            size, at = varint(one, at)
            shape.append(size)
    return {"data": data.tolist(), "dtype": known[0], "shape": shape or [len(data)]}


def put_varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def put(number: int, value: int | bytes | str) -> bytes:
    """One field; a 0 is not written, as the newer syntax has it."""
    if isinstance(value, int):
        return put_varint(number << 3) + put_varint(value) if value else b""
    raw = value.encode() if isinstance(value, str) else value
    return put_varint(number << 3 | BYTES) + put_varint(len(raw)) + raw


def floats(values: Sequence[float | None]) -> bytes:
    return np.array([np.nan if value is None else value for value in values], "<f4").tobytes()


def write_result(result: Body) -> bytes | None:
    """A result in the form that the official client takes; None where that is JSON."""
    if "sequences" in result:
        return write_samples(result)
    return write_pass(result) if "loss_fn_outputs" in result else None


def write_samples(result: Body) -> bytes:
    out = b""
    for one in result["sequences"]:
        tokens = np.array(one["tokens"], "<i4").tobytes()
        out += put(1, put(1, int(one["stop_reason"] == "length")) + put(2, tokens) + put(3, floats(one["logprobs"])))
    if result.get("prompt_logprobs") is not None:
        out += put(2, floats(result["prompt_logprobs"]))
    return out + put(4, int(result.get("prompt_cache_hit_tokens") or 0))


def write_pass(result: Body) -> bytes:
    rows = [np.array(one["logprobs"]["data"], "<f4") for one in result["loss_fn_outputs"]]
    ends = np.cumsum([0, *(row.nbytes for row in rows)]).astype("<i8")
    tensor = put(1, b"".join(row.tobytes() for row in rows)) + put(2, ends.tobytes()) + put(3, 1)
    record = put(1, "ArrayRecord") + put(2, put(1, "logprobs") + put(2, tensor)) + put(3, len(rows))
    metrics = b"".join(
        put(3, put(1, name) + put_varint(2 << 3 | FIXED64) + struct.pack("<d", value)) for name, value in result["metrics"].items()
    )
    return put(1, "ArrayRecord") + put(2, record) + metrics
