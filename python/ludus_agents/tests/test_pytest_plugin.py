"""The gate as a fixture: a bot that says nothing useful fails, and a gate that cannot run is an error."""

import os
import re
import sys

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


CUSTOMER = {"says": [{"ask": "How much is a locker a month?", "tell": [8]}]}
POLICY = "- A locker costs 8 a month."


def test_a_conversation_of_a_function_is_judged(ludus_simulate):
    assert ludus_simulate(lambda message: "A locker costs 8 a month.", CUSTOMER, POLICY).passed
    wrong = ludus_simulate(lambda message: "A locker costs 12 a month.", CUSTOMER, POLICY)
    assert not wrong.passed
    assert "12 a month" in wrong.complaint


def test_what_a_bot_raises_is_raised_in_the_test(ludus_simulate):
    def broken(message):
        raise KeyError("locker")

    with pytest.raises(KeyError):
        ludus_simulate(broken, CUSTOMER, POLICY)


def test_a_command_runs_in_the_project_and_fails_with_what_it_says(ludus_simulate, monkeypatch, tmp_path, pytestconfig):
    script = tmp_path / "ludus.py"
    script.write_text("import os, sys\nsys.exit(os.getcwd())\n")
    monkeypatch.setenv("LUDUS_COMMAND", f"{sys.executable} {script}")
    with pytest.raises(RuntimeError, match=re.escape(str(pytestconfig.rootpath))):
        ludus_simulate("http://127.0.0.1:9/", CUSTOMER, POLICY)
