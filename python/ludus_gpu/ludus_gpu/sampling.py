"""Sampling over a tree of tokens for each sampler: a text is read once, and so is every answer that several samples begin with.

The nodes keep their keys and values for later requests: the next turn of a conversation reads only what is new. Each sample takes one
number from its seed, its own number and its step, so that it does not depend on who else samples at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from ludus_gpu.decoding import Decoder, Written
from ludus_gpu.devices import brought
from ludus_gpu.drawing import choose, tokens_of, uniform
from ludus_gpu.jobs import Answer, Job, Sample, heats_of, length_of, rolls_of, room_of
from ludus_gpu.model import Segment, Transformer
from ludus_gpu.passes import ROOM
from ludus_gpu.sampler import Sampler

CHUNK = 512
"""A request for more samples than this is answered by a tree: they are likely to begin alike."""
FEW = 16
"""Tokens of texts side by side that are drawn before anybody looks at them: to wait for each takes as long as to write it. A move is a few."""
AHEAD = 7
"""Sampler and node, and how its distribution is cut: temperature, top_k and top_p."""
Place = tuple[int, int, float, int, float]


@dataclass
class Bundle:
    """Samples of one job that have drawn the same tokens so far: what is done for each of them is done once."""

    asked: Asked
    node: int
    numbers: np.ndarray
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)


@dataclass
class Asked:
    """A job under way: the nodes of its prompt in a tree, how many of them were known before, its samples, and in a tree those that have not ended."""

    key: Any
    job: Job
    path: list[int]
    cached: int
    samples: list[Sample]
    bundles: list[Bundle] = field(default_factory=list)

    @property
    def room(self) -> int:
        return room_of(self.job)

    @property
    def few(self) -> int:
        """Nodes that it may still add, where it wants few samples."""
        return self.job.samples * self.job.most if self.job.samples <= FEW else 0


class Sampling:
    def __init__(self, model: Transformer, pieces: Sequence[bytes] | None, decoders: Sequence[Decoder] = ()) -> None:
        self.model, self.pieces, self.decoders = model, pieces, decoders

    def answer(self, jobs: Sequence[Job]) -> list[Answer]:
        out: dict[int, Answer] = {}
        come = [list(enumerate(jobs))]
        self.run(lambda _: come.pop() if come else [], lambda i, answer: out.update({i: answer}))
        return [out[i] for i in range(len(jobs))]

    @torch.no_grad()
    def run(self, take: Callable[[bool], Sequence[tuple[Any, Job]]], give: Callable[[Any, Answer], None]) -> None:
        """Answers jobs until none is left. Before every step those that have come are taken in, and one that is done is given at once.

        `take` hears whether anything is under way. Jobs of a sampler whose tree would outgrow its room wait in their order until it has room again.
        """
        under_way: list[Asked] = []
        waiting: list[tuple[Any, Job]] = []
        try:
            while True:
                waiting += take(bool(under_way))
                waiting = self._begin(waiting, under_way)
                if not under_way:
                    return
                in_trees = [asked for asked in under_way if asked.path]
                samplers = {id(asked.job.sampler): asked.job.sampler for asked in in_trees}
                self._read(samplers.values())
                self._draw([bundle for asked in in_trees for bundle in asked.bundles])
                self._write([sample for asked in under_way if not asked.path for sample in asked.samples if sample.finish is None])
                ended = [not asked.bundles if asked.path else all(sample.finish is not None for sample in asked.samples) for asked in under_way]
                done = [asked for asked, is_done in zip(under_way, ended) if is_done]
                under_way = [asked for asked, is_done in zip(under_way, ended) if not is_done]
                for asked in done:
                    job = asked.job
                    prompt = self._prompt(job, asked.path) if job.read_prompt else None
                    give(asked.key, Answer(asked.samples, prompt, asked.cached))
                for sampler in samplers.values():
                    sampler.busy = any(asked.job.sampler is sampler for asked in under_way if asked.path)
        finally:
            for asked in under_way:
                asked.job.sampler.busy = False
                for sample in asked.samples:
                    if sample.text is not None:
                        sample.text.by.end(sample.text)
                        sample.text = None

    def _begin(self, waiting: Sequence[tuple[Any, Job]], under_way: list[Asked]) -> list[tuple[Any, Job]]:
        """Takes in whatever there is room for; those that wait for room let nobody past them to the same sampler."""
        left: list[tuple[Any, Job]] = []
        full: set[int] = set()
        promised: dict[int, int] = {}
        few: dict[int, int] = {}
        for asked in under_way:
            if asked.path:
                promised[id(asked.job.sampler)] = promised.get(id(asked.job.sampler), 0) + asked.room
                few[id(asked.job.sampler)] = few.get(id(asked.job.sampler), 0) + asked.few
        for key, job in waiting:
            sampler = job.sampler
            ahead = promised.get(id(sampler), 0)
            decoder = self._decoder(sampler)
            if decoder is not None and id(sampler) not in full and stands_apart(job, decoder, few.get(id(sampler), 0)):
                longest = longest_of(waiting, job, decoder) if decoder.owner is None else None
                if decoder.owner is None or (length_of(job) <= decoder.room and job.samples <= len(decoder.free)):
                    under_way.append(self._apart(decoder, key, job, longest))
                    continue
                if length_of(job) > decoder.room:
                    # Rows become longer when all that are written have ended.
                    full.add(id(sampler))
                left.append((key, job))
                continue
            over = sampler.count + ahead + room_of(job) > sampler.room
            if id(sampler) in full or (over and ahead > 0):
                full.add(id(sampler))
                left.append((key, job))
                continue
            if over and sampler.count > 0:
                sampler.forget()
            sampler.busy = True
            known = sampler.count
            path = sampler.add(-1, job.prompt)
            asked = Asked(key, job, path, sum(node < known for node in path), [Sample(job, job.first + n, path[-1]) for n in range(job.samples)])
            asked.bundles = [Bundle(asked, path[-1], np.arange(job.first, job.first + job.samples))]
            promised[id(sampler)] = ahead + asked.room
            few[id(sampler)] = few.get(id(sampler), 0) + asked.few
            under_way.append(asked)
        return left

    def _decoder(self, sampler: Sampler) -> Decoder | None:
        """The one that writes for this sampler, or one that writes for nobody; None where all write for others."""
        own = next((one for one in self.decoders if one.owner is sampler), None)
        return own or next((one for one in self.decoders if one.owner is None), None)

    def _apart(self, decoder: Decoder, key: Any, job: Job, longest: int | None) -> Asked:
        texts = decoder.begin(job.sampler, job.sampler.weights, job.samples, longest)
        return Asked(key, job, [], 0, [Sample(job, job.first + n, text.row, text) for n, text in enumerate(texts)])

    def _write(self, live: Sequence[Sample]) -> None:
        """The next tokens of texts that are written side by side. Nothing is read before all is asked for."""
        parts: list[tuple[Sequence[Sample], list[Tensor]]] = []
        for decoder in self.decoders:
            own = [sample for sample in live if sample.text is not None and sample.text.by is decoder]
            # Those that begin come last.
            new = [sample for sample in own if not sample.tokens]
            own = [*(sample for sample in own if sample.tokens), *new]
            if own:
                parts += [(some, drawn) for some, drawn in self._ahead(decoder, own, new) if drawn]
        for some, drawn in parts:
            tokens, logprobs = tokens_of(torch.stack(drawn, 1))
            for sample, own_tokens, own_logprobs in zip(some, tokens.T.tolist(), logprobs.T.tolist()):
                for token, logprob in zip(own_tokens, own_logprobs):
                    if sample.finish is None:
                        sample.tokens.append(token)
                        sample.logprobs.append(logprob)
                        sample.finish = self._finish(sample.job, sample.tokens)
                if sample.finish is not None and sample.text is not None:
                    sample.text.by.end(sample.text)
                    sample.text = None

    def _ahead(self, decoder: Decoder, samples: Sequence[Sample], new: Sequence[Sample]) -> list[tuple[Sequence[Sample], list[Tensor]]]:
        """What new texts begin with, and what all go on with."""
        begun: list[Tensor] = []
        if new:
            hidden = decoder.read([cast(Written, sample.text) for sample in new], [sample.job.prompt for sample in new])
            begun = [self._drawn(hidden, heats_of(sample.job for sample in new), rolls_of(new, np.zeros((1, len(new))))[0])]
        left = max(sample.job.most - max(1, len(sample.tokens)) for sample in samples)
        if left == 0:
            return [(new, begun)]
        for sample in samples[: len(samples) - len(new)]:
            cast(Written, sample.text).token = sample.tokens[-1]
        steps = min(AHEAD, left)
        heats = heats_of(sample.job for sample in samples)
        # A new text has drawn one token already, which is not among its own yet.
        at = np.array([max(1, len(sample.tokens)) for sample in samples])
        rolls = rolls_of(samples, at[None, :] + np.arange(steps)[:, None])
        texts = [cast(Written, sample.text) for sample in samples]
        drawn = decoder.write(texts, steps, lambda hidden, i: self._drawn(hidden, heats, rolls[i]), begun[0][0].long() if begun else None)
        return [(new, begun), (samples, drawn)]

    def _drawn(self, hidden: Tensor, heats: np.ndarray, rolls: np.ndarray) -> Tensor:
        """A token of each distribution, and its log-probability."""
        parts = [choose(self.model, hidden[at : at + CHUNK], heats[at : at + CHUNK], rolls[at : at + CHUNK, None]) for at in range(0, len(rolls), CHUNK)]
        return (parts[0] if len(parts) == 1 else torch.cat(parts, 1))[:, :, 0]

    def _read(self, samplers: Iterable[Sampler]) -> None:
        """Reads all nodes that are not read yet: of trees in slots one after the other, of all others in one pass."""
        tokens: list[int] = []
        depths: list[int] = []
        segments: list[Segment] = []
        fresh = [sampler for sampler in samplers if sampler.read < sampler.count]
        if not fresh:
            return
        device = self.model.device
        for sampler in fresh:
            own = slice(sampler.read, sampler.count)
            if sampler.slot is not None:
                sees = sampler.sees[own, : sampler.count]
                sampler.hidden[own] = sampler.slot.read(sampler.tokens[own], sampler.depths[own], sees, sampler.read)
                sampler.read = sampler.count
                continue
            start = len(tokens)
            tokens += sampler.tokens[own]
            depths += sampler.depths[own]
            seen = brought(sampler.sees[own, : sampler.count], device)
            segments.append(Segment(start, len(tokens), seen, sampler.lora, sampler.memory, sampler.read))
        if not segments:
            return
        hidden = self.model.read(brought(tokens, device), brought(depths, device), segments)
        rest = [sampler for sampler in fresh if sampler.slot is None]
        for sampler, segment in zip(rest, segments):
            sampler.hidden[sampler.read : sampler.count] = hidden[segment.start : segment.stop]
            sampler.read = sampler.count

    def _draw(self, bundles: Sequence[Bundle]) -> None:
        """One token for each sample. Samples at the same node share its distribution, and a bundle falls apart by what its samples drew."""
        groups: dict[Place, list[Bundle]] = {}
        for bundle in bundles:
            job = bundle.asked.job
            groups.setdefault((id(job.sampler), bundle.node, job.temperature, job.top_k, job.top_p), []).append(bundle)
            bundle.asked.bundles = []
        items = list(groups.items())
        ordered = [bundle for _, group in items for bundle in group]
        counts = [len(bundle.numbers) for bundle in ordered]
        seeds = np.repeat(np.array([bundle.asked.job.seed & (2**64 - 1) for bundle in ordered], np.uint64), counts)
        steps = np.repeat(np.array([len(bundle.tokens) for bundle in ordered], np.uint64), counts)
        numbers = np.concatenate([bundle.numbers for bundle in ordered]) if ordered else np.zeros(0)
        rolls, at = uniform(seeds, numbers.astype(np.uint64), steps), 0
        parts: list[tuple[list[tuple[Place, list[Bundle]]], Tensor]] = []
        for first in range(0, len(items), CHUNK):
            some = items[first : first + CHUNK]
            sizes = [sum(len(bundle.numbers) for bundle in group) for _, group in some]
            wide = np.zeros((len(some), max(sizes)))
            for i, size in enumerate(sizes):
                wide[i, :size] = rolls[at : at + size]
                at += size
            parts.append((some, choose(self.model, self._hidden(some), heats_of(group[0].asked.job for _, group in some), wide)))
        # Nothing is read before all is asked for.
        for some, both in parts:
            tokens, logprobs = tokens_of(both)
            for (_, group), drawn, chances in zip(some, tokens, logprobs):
                start = 0
                for bundle in group:
                    stop = start + len(bundle.numbers)
                    for part in divided(bundle, drawn[start:stop], chances[start:stop]):
                        self._go_on(part)
                    start = stop
        grown: dict[int, list[Bundle]] = {}
        for asked in {id(bundle.asked): bundle.asked for bundle in bundles}.values():
            if asked.bundles:
                grown.setdefault(id(asked.job.sampler), []).extend(asked.bundles)
        for own in grown.values():
            sampler = own[0].asked.job.sampler
            if sampler.count + len(own) >= ROOM and self._hand_over(sampler, own):
                continue
            nodes = sampler.follow([bundle.node for bundle in own], [bundle.tokens[-1] for bundle in own])
            for bundle, node in zip(own, nodes):
                bundle.node = node

    def _hand_over(self, sampler: Sampler, bundles: Sequence[Bundle]) -> bool:
        """Texts of a tree go on side by side where hardly two of them are alike and there is room for all. The last token of each is not in the tree yet."""
        jobs = [bundle.asked.job for bundle in bundles]
        counts = [len(bundle.numbers) for bundle in bundles]
        longest = max(map(length_of, jobs))
        decoder = next((one for one in self.decoders if one.owner is None and one.rows_of(longest) >= sum(counts)), None)
        if decoder is None or sampler.memory is None or sum(counts) > 2 * len(counts) or any(job.read_prompt for job in jobs):
            return False
        paths = [np.nonzero(sampler.sees[bundle.node, : sampler.count])[0] for bundle, count in zip(bundles, counts) for _ in range(count)]
        begun = decoder.begin(sampler, sampler.weights, len(paths), longest)
        decoder.copy(begun, sampler.memory, paths)
        texts = iter(begun)
        for bundle in bundles:
            asked = bundle.asked
            for number in bundle.numbers.tolist():
                sample, text = asked.samples[number - asked.job.first], next(texts)
                sample.node, sample.text = text.row, text
                sample.tokens, sample.logprobs = list(bundle.tokens), list(bundle.logprobs)
            asked.path, asked.bundles = [], []
        return True

    def _go_on(self, bundle: Bundle) -> None:
        """Keeps a bundle under way, or gives its samples what they have written."""
        asked = bundle.asked
        finish = self._finish(asked.job, bundle.tokens)
        if finish is None:
            asked.bundles.append(bundle)
            return
        for number in bundle.numbers.tolist():
            sample = asked.samples[number - asked.job.first]
            sample.tokens, sample.logprobs, sample.finish = bundle.tokens, bundle.logprobs, finish

    def _hidden(self, items: Sequence[tuple[Place, list[Bundle]]]) -> Tensor:
        device = self.model.device
        places: dict[int, tuple[Sampler, list[int], list[int]]] = {}
        for row, (key, group) in enumerate(items):
            _, rows, nodes = places.setdefault(key[0], (group[0].asked.job.sampler, [], []))
            rows.append(row)
            nodes.append(key[1])
        parts = [sampler.hidden[brought(nodes, device)] for sampler, _, nodes in places.values()]
        if len(parts) == 1:
            return parts[0]
        order = np.argsort(np.concatenate([rows for _, rows, _ in places.values()]))
        return torch.cat(parts)[brought(order, device)]

    def _finish(self, job: Job, tokens: Sequence[int]) -> str | None:
        """Why an answer ends with its last token; None where it goes on."""
        if tokens[-1] in job.stop_tokens or (job.stop_texts and self._ends(job, tokens)):
            return "stop"
        return "length" if len(tokens) >= job.most else None

    def _ends(self, job: Job, tokens: Sequence[int]) -> bool:
        text = b"".join((self.pieces or [])[token] for token in tokens)
        return any(stop in text for stop in job.stop_texts)

    def _prompt(self, job: Job, path: Sequence[int]) -> list[float | None]:
        out: list[float | None] = [None]
        for at in range(0, len(path) - 1, CHUNK):
            nodes = path[at : min(at + CHUNK, len(path) - 1)]
            spread = self.model.logits(job.sampler.hidden[torch.tensor(nodes, device=self.model.device)]).log_softmax(-1)
            targets = torch.tensor(job.prompt[at + 1 : at + 1 + len(nodes)], device=self.model.device)
            out += spread.gather(1, targets[:, None])[:, 0].cpu().tolist()
        return out


def divided(bundle: Bundle, drawn: np.ndarray, chances: np.ndarray) -> list[Bundle]:
    """A bundle by what its samples drew; the nodes are still those that they drew from."""
    if drawn[0] == drawn[-1] and (len(drawn) == 1 or (drawn == drawn[0]).all()):
        bundle.tokens.append(int(drawn[0]))
        bundle.logprobs.append(float(chances[0]))
        return [bundle]
    firsts, which = np.unique(drawn, return_index=True, return_inverse=True)[1:]
    return [
        Bundle(bundle.asked, bundle.node, bundle.numbers[which == i], [*bundle.tokens, int(drawn[first])], [*bundle.logprobs, float(chances[first])])
        for i, first in enumerate(firsts)
    ]


def stands_apart(job: Job, decoder: Decoder, ahead: int) -> bool:
    """Whether a job is written beside the tree: it wants few samples, and the tree would outgrow a slot by it."""
    sampler = job.sampler
    if job.read_prompt or job.samples > min(FEW, decoder.usual[0]) or length_of(job) > decoder.usual[1]:
        return False
    return sampler.count + ahead + sampler.unknown(job.prompt) + job.samples * job.most > ROOM


def longest_of(waiting: Sequence[tuple[Any, Job]], first: Job, decoder: Decoder) -> int | None:
    """How long rows must be for those that can begin with the first of them, where they are more than the rows of the usual length."""
    jobs = [job for _, job in waiting if job.sampler is first.sampler and job.samples <= FEW and length_of(job) <= decoder.usual[1]]
    return max(map(length_of, jobs)) if sum(job.samples for job in jobs) > decoder.usual[0] else None
