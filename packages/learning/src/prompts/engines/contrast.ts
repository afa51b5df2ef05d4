/**
 * @file Recon-Act: a failure and a success of the same task side by side become a hint (arXiv 2509.21072).
 *
 * The current hints play a task several times; if it both succeeds and fails, the proposer reads both episodes, and its addition becomes a
 * hint. If each task always has the same result, the worst and the best task are compared instead, or only a failure is read if all fail
 * alike. A hint is kept if the gate finds an improvement and no task gets worse. A hint that has changed no episode is removed. Differs:
 * hints are texts alone, without tools that decide; and no successful episode is needed that the agent did not play itself.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { type Candidate, createChild } from '../candidate.ts';
import { defineEngine, gatePlaces, holdChild, type Parts, selectScore } from '../engine.ts';
import type { Delta, Playbook, PlaybookChange } from '../playbook.ts';
import {
  applyDeltas,
  bookIn,
  entriesOffered,
  Numbering,
  readProposal,
  repeats,
  rewriteComponents,
  SeenEntries,
  withBook,
} from '../playbook.ts';
import type { TrialKey, TrialRecord } from '../trial-ledger.ts';
import { together } from './playbook.ts';

const kind = 'hint';

const parameters = {
  group: parameter.integer({
    min: 2,
    max: 32,
    default: 3,
    description: 'plays of a task among which a failure and a success are looked for',
  }),
  tasks: parameter.integer({ min: 1, max: 64, default: 4, description: 'tasks of a round' }),
  gap: parameter.number({ min: 0, max: 1000, default: 0.1, description: 'how much better a success must be than a failure' }),
  drop: parameter.number({
    min: 0,
    max: 1000,
    default: 0.9,
    description: 'the most that any task of the gate may lose; little, where each is played often',
  }),
  idle: parameter.integer({
    min: 0,
    max: 10_000,
    default: 50,
    description: 'plays that a hint must change one of, or it is retired; 0 for never',
  }),
} as const;

export const contrast = defineEngine({
  name: 'contrast',
  method: 'Recon-Act, hints from failures compared with successes',
  source: 'arXiv 2509.21072',
  differs: 'hints are texts; a regression on any task refuses them; a hint that changes nothing is retired',
  parameters,

  async *run(parts, settings) {
    const { archive } = parts;
    const numbering = new Numbering(parts.start.components, kind);
    const seenEntries = new SeenEntries();
    const careful: Parts = {
      ...parts,
      gate: { ...parts.gate, protect: parts.gate.protect ?? 'all', drop: parts.gate.drop ?? settings.drop },
    };
    let current = parts.start;
    let hints: Playbook = bookIn(current.components, kind);
    archive.add(current);
    yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    for (let round = 0; ; round++) {
      let deltas: readonly Delta[] = [];
      const edits: PlaybookChange['edits'][number][] = [];
      for (const [k, plays] of (await contrasting(parts, current, { round, ...settings })).entries()) {
        const components = entriesOffered(current.components, round + k);
        const question = { parent: current, plays, step: round * 1000 + k, components, tried: archive.rejected };
        for (const proposed of await parts.bench.propose(parts.proposer, question)) {
          const reading = readProposal(current.components, proposed.components, { book: hints, kind, numbering });
          deltas = together(deltas, reading.deltas);
          edits.push(...reading.edits);
        }
      }
      const grown = applyDeltas(hints, deltas).book;
      const next = applyDeltas(grown, repeats(grown)).book;
      const components = rewriteComponents(current.components, { book: next, edits, kind });
      const origin = { engine: archive.engine, proposer: parts.proposer.name, step: round };
      const newChild = createChild(components, { parents: [current], origin, locked: parts.locked });
      if ('refused' in newChild || !seenEntries.fresh(newChild.child.components) || !archive.add(newChild.child)) continue;
      yield { kind: 'candidate', candidate: newChild.child };
      const verdict = await holdChild(careful, current, newChild.child);
      yield { kind: 'verdict', candidate: newChild.child.id, against: current.id, verdict };
      if (!verdict.accept) continue;
      [current, hints] = [newChild.child, next];
      const retired = await idle(parts, { current, hints, plays: settings.idle });
      for (const id of retired) yield { kind: 'note', words: `hint ${id} is retired: in ${settings.idle} plays it changed nothing` };
      if (retired.length > 0) {
        hints = hints.filter(({ id }) => !retired.includes(id));
        const less = createChild(withBook(current.components, hints, kind), { parents: [current], origin, locked: parts.locked });
        if ('child' in less) {
          archive.add(less.child);
          current = less.child;
        }
      }
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    }
  },
});

/** The worst and the best play of each task whose plays differ; if there is none, the same over all tasks of the round. */
async function contrasting(
  { bench, dice }: Parts,
  current: Candidate,
  { round, group, tasks, gap }: { readonly round: number; readonly group: number; readonly tasks: number; readonly gap: number },
): Promise<readonly (readonly TrialRecord[])[]> {
  const order = dice('tasks', round).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  const pairs: (readonly TrialRecord[])[] = [];
  const all: TrialRecord[] = [];
  for (const task of order.slice(0, tasks)) {
    const places = Array.from({ length: group }, (_, i): TrialKey => ({ split: 'propose', task, repeat: round * group + i }));
    const plays = (await bench.evaluate(current, places)).filter(({ score }) => score !== null);
    all.push(...plays);
    const ends = worstAndBest(plays, gap);
    if (ends.length === 2) pairs.push(ends);
  }
  const across = pairs.length === 0 ? worstAndBest(all, gap) : [];
  return across.length === 0 || across[0]?.score === 1 ? pairs : [across];
}

/** The worst and the best play, if they differ enough; else only the worst. */
function worstAndBest(plays: readonly TrialRecord[], gap: number): readonly TrialRecord[] {
  const sorted = plays.toSorted((a, b) => (a.score as number) - (b.score as number));
  const [worst, best] = [sorted[0], sorted.at(-1)];
  if (worst === undefined || best === undefined) return [];
  return (best.score as number) - (worst.score as number) > gap ? [worst, best] : [worst];
}

/** Hints without which every gate play so far would have been the same. */
async function idle(
  parts: Parts,
  { current, hints, plays }: { readonly current: Candidate; readonly hints: Playbook; readonly plays: number },
): Promise<readonly string[]> {
  const places = gatePlaces(parts).slice(0, plays);
  // Only checks the oldest hint, and only if enough budget is left to continue.
  const [oldest] = hints;
  if (plays === 0 || oldest === undefined || hints.length < 2 || places.length < plays || parts.bench.left < 4 * places.length) return [];
  const without = createChild(withBook(current.components, hints.slice(1), kind), {
    parents: [current],
    origin: current.origin,
    locked: parts.locked,
  });
  if ('refused' in without) return [];
  const [before, after] = [await parts.bench.evaluate(current, places), await parts.bench.evaluate(without.child, places)];
  return before.every(({ score }, i) => score === after[i]?.score) ? [oldest.id] : [];
}
