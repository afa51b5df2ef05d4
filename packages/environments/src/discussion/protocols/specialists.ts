/**
 * @file Specialists and a strategist (HIMA, arXiv 2508.06042). All specialists propose a list of moves at once, without hearing each other.
 * The lead takes one of the proposals or decides itself. A chosen list is carried out move by move, without asking members, until it is
 * used up or interrupted: a move is not legal, or the seat observes the same as before. The strategist is told how each specialist's lists
 * ended.
 *
 * A specialist that is a policy, such as an imitator, proposes the move that it would make alone.
 */

import { isObject, type JsonObject, type Seat } from '@ludus-agents/kernel/internal/core/index';
import { continueRun, movesIn, startRun } from '../procedures.ts';
import type { Discussion, DiscussionResult, Protocol, Speech } from '../protocol.ts';
import { answerWords, isOn, othersOf, plurality, recordFrom, speechesOf } from '../protocol.ts';
import { lineIn } from '../speech.ts';

const horizon = 5;

export const specialists: Protocol = {
  about: 'all but the lead propose moves, each alone; the lead takes a proposal, which is carried out until it is interrupted (HIMA)',
  mechanisms: {
    horizon: 'only the first move of a proposal is made',
    records: 'the lead is not told how earlier proposals ended',
  },

  next(discussion) {
    const { said, lead, choices } = discussion;
    const others = othersOf(discussion);
    if (said.length === 0 && isOn(discussion, 'horizon')) {
      const run = continueRun(discussion);
      if (run.kind === 'move')
        return {
          result: {
            ...{ answer: run.move, by: run.running?.name ?? '' },
            memory: { ...discussion.memory, running: run.running as JsonObject | null },
            acted: { continued: 1 },
          },
        };
    }
    if (said.length < others.length) {
      const tell = `Propose the next moves, at most ${horizon}, in order: "Moves: …", and why. ${answerWords(discussion)}`;
      return { asks: others.map((seat) => ({ seat, part: 'propose', tell, hears: [], choices, act: true as const })) };
    }
    if (said.length > others.length) return { result: readDecision(discussion) };
    const form = `Write "Take: NAME" to carry out the moves of a proposal. ${answerWords(discussion)}`;
    const tell = `${recordWords(discussion)}Say in which points the proposals agree, where they conflict and how you settle that, then decide. ${form}`;
    return { asks: [{ seat: lead, part: 'decide', tell, hears: speechesOf(discussion, () => true), choices, act: true }] };
  },
};

function readDecision(discussion: Discussion): DiscussionResult {
  const { said, choices } = discussion;
  const proposals = said.filter(({ part }) => part === 'propose');
  const decision = said.at(-1) as Speech;
  const name = lineIn(decision.text, 'take')?.toLowerCase();
  const speech = proposals.find(({ seat }) => seat.toLowerCase() === name);
  const records = recordsAfter(discussion);
  const recordMemory = isOn(discussion, 'records') ? { records } : {};
  if (speech === undefined) {
    const answer = decision.answer ?? plurality(proposals.map((proposal) => proposal.answer)).answer;
    return { answer, memory: { ...recordMemory, running: null }, acted: { interrupted: countInterruptions(discussion) } };
  }
  const moves = (lineIn(speech.text, 'moves') === null ? [speech.answer ?? ''] : movesIn(lineIn(speech.text, 'moves') ?? '')).slice(
    0,
    horizon,
  );
  const run = startRun(speech.seat, moves, choices);
  const acted = { taken: 1, interrupted: countInterruptions(discussion) };
  if (run.kind !== 'move') return { answer: speech.answer ?? '', memory: { ...recordMemory, running: null }, acted };
  const running = isOn(discussion, 'horizon') ? run.running : null;
  return {
    answer: run.move,
    by: speech.seat,
    memory: { ...recordMemory, running: running as JsonObject | null, taken: speech.seat },
    acted,
  };
}

function countInterruptions(discussion: Discussion): number {
  return isObject(discussion.memory['running']) ? 1 : 0;
}

/** Counts, for each specialist, the lists that were completed and the lists that were interrupted. */
function recordsAfter(discussion: Discussion): JsonObject {
  const records = recordFrom(discussion, 'records');
  const seat = discussion.memory['taken'];
  if (typeof seat !== 'string') return records;
  const before = isObject(records[seat]) ? records[seat] : {};
  const failed = countInterruptions(discussion) === 1 || discussion.repeats > 0;
  const add = (name: string, by: number) => ({ [name]: (typeof before[name] === 'number' ? before[name] : 0) + by });
  return { ...records, [seat]: { ...before, ...add('finished', failed ? 0 : 1), ...add('interrupted', failed ? 1 : 0) } };
}

function recordWords(discussion: Discussion): string {
  if (!isOn(discussion, 'records')) return '';
  const records = Object.entries(recordsAfter(discussion)) as readonly (readonly [Seat, JsonObject])[];
  if (records.length === 0) return '';
  const texts = records.map(
    ([seat, counts]) => `${seat}: ${String(counts['finished'] ?? 0)} carried out, ${String(counts['interrupted'] ?? 0)} interrupted`,
  );
  return `Proposals so far: ${texts.join('; ')}.\n`;
}
