"""What waits to be done, samples and other work in turns: neither has to wait until all of the other is done."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

S = TypeVar("S")
W = TypeVar("W")


class Pending(Generic[S, W]):
    """`take` gives whatever waits to be sampled as one list, or one piece of work."""

    def __init__(self) -> None:
        self.samples: deque[S] = deque()
        self.work: deque[W] = deque()
        self.changed = threading.Condition()
        self.closed = False
        self.was_sampled = False

    def put_sample(self, sample: S) -> None:
        self._put(lambda: self.samples.append(sample))

    def put_work(self, work: W) -> None:
        self._put(lambda: self.work.append(work))

    def close(self) -> None:
        """What waits is still taken."""

        def end() -> None:
            self.closed = True

        self._put(end)

    def take(self) -> tuple[list[S], W | None] | None:
        """Waits for something; None where nothing waits and nothing will."""
        with self.changed:
            self.changed.wait_for(lambda: self.samples or self.work or self.closed)
            if self.samples and not (self.work and self.was_sampled):
                self.was_sampled = True
                return self._samples(), None
            self.was_sampled = False
            return ([], self.work.popleft()) if self.work else None

    def more_samples(self, seconds: float) -> list[S]:
        """Those that have come since, or that come within so many seconds; none while other work waits for its turn."""
        with self.changed:
            if seconds > 0 and not self.samples:
                self.changed.wait_for(lambda: self.samples or self.work or self.closed, seconds)
            return [] if self.work else self._samples()

    def _samples(self) -> list[S]:
        taken = list(self.samples)
        self.samples.clear()
        return taken

    def _put(self, change: Callable[[], None]) -> None:
        with self.changed:
            change()
            self.changed.notify_all()
