"""Sampling by a thread of its own and in a stream of its own: games go on while an update is made, and the GPU has work while either of the two is prepared."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from ludus_gpu.devices import own_stream
from ludus_gpu.jobs import Answer, Job
from ludus_gpu.numbered import Work
from ludus_gpu.results import Future, failure, sampled
from ludus_gpu.sampling import Sampling

MOST_TAKEN = 4096
"""Those who ask at the same moment are so many seconds apart."""
APART = 0.002

Asking = tuple[Future, list[Job]]


class SamplingThread:
    """Whatever waits to be sampled is sampled together. `settle` keeps what comes of a request."""

    def __init__(self, sampling: Sampling, settle: Callable[[Future, Work], None]) -> None:
        self.sampling, self.settle = sampling, settle
        self.waiting: SimpleQueue[Asking | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def put(self, future: Future, jobs: list[Job]) -> None:
        self.waiting.put((future, jobs))

    def close(self) -> None:
        """What waits is still answered."""
        self.waiting.put(None)
        self.thread.join()

    def _serve(self) -> None:
        with own_stream(self.sampling.model.device):
            while (first := self.waiting.get()) is not None:
                self._sample([first])

    def _sample(self, come: list[Asking]) -> None:
        """These requests, and whatever else comes before they are answered."""
        parts: dict[str, tuple[Future, dict[int, Answer]]] = {}
        wanted: dict[str, int] = {}

        def take(under_way: bool) -> list[tuple[tuple[str, int], Job]]:
            while len(come) < MOST_TAKEN and (more := self._more(APART if come and not under_way else 0)):
                come.extend(more)
            new, come[:] = list(come), []
            parts.update({one.id: (one, {}) for one, _ in new})
            wanted.update({one.id: len(some) for one, some in new})
            for _, some in new:
                for job in some:
                    job.sampler.wait()
            return [((one.id, i), job) for one, some in new for i, job in enumerate(some)]

        def give(key: tuple[str, int], answer: Answer) -> None:
            one, answers = parts[key[0]]
            answers[key[1]] = answer
            if len(answers) == wanted[one.id]:
                del parts[one.id], wanted[one.id]
                self.settle(one, lambda: sampled([answers[i] for i in range(len(answers))]))

        try:
            self.sampling.run(take, give)
        except Exception as thrown:  # noqa: BLE001
            why = failure(thrown)
            for one, _ in [*parts.values(), *come]:
                self.settle(one, lambda: why)

    def _more(self, seconds: float) -> list[Asking]:
        """Those that have come since, or that come within so many seconds."""
        more: list[Asking] = []
        try:
            while (one := self.waiting.get(timeout=0 if more else seconds)) is not None:
                more.append(one)
            self.waiting.put(None)
        except Empty:
            pass
        return more
