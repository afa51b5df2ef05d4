"""The gate as a fixture: a bot that says nothing useful fails, and a gate that cannot run is an error."""

import os

import pytest


def ludus(cwd, *words):
    import subprocess

    command = (os.environ.get("LUDUS_COMMAND") or "npx ludus").split()
    subprocess.run([*command, *words], cwd=cwd, check=True, capture_output=True)


def test_the_example_bot_fails_the_gate(ludus_test, tmp_path):
    ludus(tmp_path, "new", "desk", "shop")
    (tmp_path / "silent.mjs").write_text("export default () => 'Hello.';\n")
    (tmp_path / "bot.json").write_text('{"name": "silent", "kind": "bot", "settings": {"file": "./silent.mjs"}}')
    result = ludus_test(str(tmp_path / "shop"), str(tmp_path / "bot.json"), 0.9)
    assert not result.passed
    assert result.summary
    assert result.results


def test_a_gate_that_cannot_run_is_an_error(ludus_test):
    with pytest.raises(RuntimeError, match="could not run"):
        ludus_test("./no-such-desk", "./no-such-bot.json")
