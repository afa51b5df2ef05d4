"""Requests of one model by their numbers, however they arrive, each once however often it comes."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

from ludus_gpu.requested import Body, Refusal
from ludus_gpu.results import Future

MOST_HELD = 256
"""Gives an answer, or what is still to be waited for or done with files before there is one."""
Work = Callable[[], "Body | Callable[[], Body]"]


class Numbered:
    """A number that does not come for a while was never sent: those after it go on, and it is refused if it comes after all."""

    def __init__(self, go_on: Callable[[tuple[Future, Work]], None], patience: float) -> None:
        self.go_on, self.patience = go_on, patience
        self.lock = threading.Lock()
        self.last = 0
        self.seen: dict[int, tuple[str, Future]] = {}
        """Requests that came before one that goes before them."""
        self.held: dict[int, tuple[Future, Work]] = {}
        self.timer: threading.Timer | None = None

    def take(self, number: int | None, digest: str, work: Work) -> Future:
        """The promise of a request, which is the one that it got before where it was seen before."""
        with self.lock:
            number = max([self.last, *self.held]) + 1 if number is None else number
            before = self.seen.get(number)
            if before is not None and before[0] == digest:
                return before[1]
            if before is not None:
                raise Refusal(409, "Training request sequence number was reused")
            if number <= self.last:
                raise Refusal(400, f"The sequence number {number} came after {self.last}")
            if number - self.last > MOST_HELD:
                raise Refusal(400, f"The sequence number {number} is too far from {self.last}")
            future = Future(f"request_{secrets.token_hex(8)}")
            self.seen[number] = (digest, future)
            self.seen.pop(number - MOST_HELD, None)
            self.held[number] = (future, work)
            self._advance()
            return future

    def _advance(self) -> None:
        """Whatever is next goes on; a timer runs while something waits for one that is missing."""
        while (item := self.held.pop(self.last + 1, None)) is not None:
            self.last += 1
            self.go_on(item)
        if self.timer is not None:
            self.timer.cancel()
        self.timer = None
        if self.held:
            self.timer = threading.Timer(self.patience, self._pass_over)
            self.timer.daemon = True
            self.timer.start()

    def _pass_over(self) -> None:
        with self.lock:
            if self.held:
                self.last = min(self.held) - 1
            self._advance()
