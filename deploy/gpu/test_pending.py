"""Samples and other work are done in turns."""

from __future__ import annotations

import unittest

from pending import Pending


class Turns(unittest.TestCase):
    def test_samples_are_taken_together_and_work_one_by_one(self) -> None:
        pending: Pending[str, str] = Pending()
        for name in "abc":
            pending.put_work(name)
        for name in "xy":
            pending.put_sample(name)
        self.assertEqual(pending.take(), (["x", "y"], None))
        pending.put_sample("z")
        # Work waits for its turn, so that nothing more is sampled before it.
        self.assertEqual(pending.more_samples(0), [])
        self.assertEqual(pending.take(), ([], "a"))
        self.assertEqual(pending.take(), (["z"], None))
        self.assertEqual([pending.take(), pending.take()], [([], "b"), ([], "c")])

    def test_samples_that_come_later_are_taken_where_nothing_else_waits(self) -> None:
        pending: Pending[str, str] = Pending()
        pending.put_sample("x")
        self.assertEqual(pending.take(), (["x"], None))
        pending.put_sample("y")
        self.assertEqual(pending.more_samples(0), ["y"])
        pending.put_sample("z")
        self.assertEqual(pending.take(), (["z"], None))

    def test_what_waits_is_taken_after_the_end(self) -> None:
        pending: Pending[str, str] = Pending()
        pending.put_work("a")
        pending.put_sample("x")
        pending.close()
        self.assertEqual([pending.take(), pending.take(), pending.take()], [(["x"], None), ([], "a"), None])


if __name__ == "__main__":
    unittest.main()
