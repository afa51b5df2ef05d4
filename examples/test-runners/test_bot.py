"""The same tests in pytest: pip install "ludus-agents[test]", and Node.js for the simulated customer."""

import re

POLICY = "- A locker costs 8 a month.\n- Ask for the membership number before you cancel a locker."
CUSTOMER = {
    "says": [{"ask": "How much is a locker a month?", "tell": [8]}, "Please cancel my locker."],
    "knows": {"membership number": "M310"},
}


def make_bot(price=8):
    state = {}

    def bot(message):
        match = re.search(r"\bM\d{3}\b", message)
        if match:
            state["number"] = match.group()
        if re.search("how much|cost", message, re.I):
            return f"A locker costs {price} a month."
        if "number" not in state:
            return "What is your membership number?"
        return f"The locker of {state['number']} is cancelled."

    return bot


def test_keeps_to_the_policy(ludus_simulate):
    run = ludus_simulate(make_bot(), customer=CUSTOMER, policy=POLICY)
    assert run.passed, run.complaint


def test_a_wrong_price_is_named(ludus_simulate):
    run = ludus_simulate(make_bot(price=12), customer=CUSTOMER, policy=POLICY)
    assert not run.passed
    assert "wrong-answer" in [fault["fault"] for fault in run.faults]
    assert "12 a month" in run.complaint
