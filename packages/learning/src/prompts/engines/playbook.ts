/**
 * @file ACE with credit: a playbook that grows by deltas and is weeded by experiment (arXiv 2510.04618; rule induction after CEL,
 * 2509.25052).
 *
 * The current playbook plays a batch; proposals on it become deltas; all entries, old and new, are then dropped at random, and least
 * squares shows which of them help. Entries that significantly harm are removed, the rest is cut to its size limit, and the gate decides.
 * Differs: entries can be changed and removed, where the published code only adds; room is a hard limit; credit is by randomized drop,
 * because counters cannot separate entries that are read together; a quote must be in the evidence; nothing stays without the gate.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { type Candidate, createChild } from '../candidate.ts';
import { drawHalf, effectsOf } from '../credit.ts';
import { defineEngine, holdChild, type Parts, selectScore } from '../engine.ts';
import type { Delta, Playbook, PlaybookChange } from '../playbook.ts';
import {
  applyDeltas,
  bookIn,
  entriesOffered,
  Numbering,
  planEviction,
  readProposal,
  repeats,
  rewriteComponents,
  SeenEntries,
  withBook,
} from '../playbook.ts';
import { grounded } from '../proposers/grounded.ts';
import { inducing } from '../proposers/induce.ts';
import type { TrialKey, TrialRecord } from '../trial-ledger.ts';

const kind = 'playbook';

const parameters = {
  batch: parameter.integer({ min: 1, max: 256, default: 6, description: 'tasks that the current playbook plays in a round' }),
  mini: parameter.integer({ min: 1, max: 64, default: 2, description: 'plays that one proposal reads' }),
  drops: parameter.integer({
    min: 0,
    max: 1024,
    default: 12,
    description: 'plays with entries dropped at random, for each round; 0 for none',
  }),
  errors: parameter.number({ min: 0, max: 5, default: 1, description: 'standard errors below zero at which an entry is taken out' }),
  room: parameter.integer({ min: 50, max: 1_000_000, default: 4000, description: 'characters that all entries may have together' }),
  rules: parameter.integer({ min: 0, max: 32, default: 0, description: 'rules that induction may write in a round' }),
} as const;

/** The result of a drop experiment: which entries were included, and the score. */
interface Trial {
  readonly on: ReadonlySet<string>;
  readonly score: number;
}

/** Repeats of experiments are numbered from here on, so that their random numbers differ from those of batches. */
const experiments = 1_000_000;

export const playbook = defineEngine({
  name: 'playbook',
  method: 'ACE, a playbook of deltas, with randomised-drop credit and CEL’s rule induction',
  source: 'arXiv 2510.04618 and 2509.25052',
  differs: 'entries can go; room is a hard limit; credit by experiment instead of counters; quotes are checked; the gate decides',
  parameters,

  async *run(parts, settings) {
    const { archive } = parts;
    const numbering = new Numbering(parts.start.components, kind);
    const seenEntries = new SeenEntries();
    const trials: Trial[] = [];
    let current = parts.start;
    let book: Playbook = bookIn(current.components, kind);
    archive.add(current);
    yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    for (let round = 0; ; round++) {
      const reading = await readings(parts, { current, book, numbering, round, settings });
      const grown = applyDeltas(book, reading.deltas).book;
      const joined = applyDeltas(grown, repeats(grown)).book;
      trials.push(...(await playDropped(parts, { current, book: joined, reading, round, drops: settings.drops })));
      const weeded = weed(joined, trials, settings.errors);
      for (const note of weeded.words) yield { kind: 'note', words: note };
      const next = applyDeltas(weeded.book, planEviction(weeded.book, settings.room)).book;
      const origin = { engine: archive.engine, proposer: parts.proposer.name, step: round };
      const components = rewriteComponents(current.components, { book: next, edits: reading.edits, kind });
      const newChild = createChild(components, { parents: [current], origin, locked: parts.locked });
      if ('refused' in newChild || !seenEntries.fresh(newChild.child.components) || !archive.add(newChild.child)) continue;
      yield { kind: 'candidate', candidate: newChild.child };
      const verdict = await holdChild(parts, current, newChild.child);
      yield { kind: 'verdict', candidate: newChild.child.id, against: current.id, verdict };
      if (!verdict.accept) continue;
      current = newChild.child;
      book = next;
      yield { kind: 'best', candidate: current, score: await selectScore(parts, current) };
    }
  },
});

interface Work {
  readonly current: Candidate;
  readonly book: Playbook;
  readonly numbering: Numbering;
  readonly round: number;
  readonly settings: { readonly batch: number; readonly mini: number; readonly rules: number };
}

/** The combined changes of all proposals of a round. */
async function readings(parts: Parts, { current, book, numbering, round, settings }: Work): Promise<PlaybookChange> {
  const { bench, dice, archive } = parts;
  const order = dice('batch', round).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  const places = order.slice(0, settings.batch).map((task): TrialKey => ({ split: 'propose', task, repeat: round }));
  const plays = await bench.evaluate(current, places);
  const proposed: Candidate[] = [];
  let requestCount = round;
  const ask = async (plays: readonly TrialRecord[], step: number) => {
    const question = {
      parent: current,
      plays,
      step,
      components: entriesOffered(current.components, requestCount++),
      tried: archive.rejected,
    };
    proposed.push(...(await bench.propose(grounded(parts.proposer), question)));
  };
  for (let from = 0; from < plays.length; from += settings.mini) await ask(plays.slice(from, from + settings.mini), round * 1000 + from);
  if (settings.rules > 0)
    proposed.push(
      ...(await bench.propose(parts.proposer.rules ?? inducing(), { parent: current, plays, step: round, edits: settings.rules })),
    );
  let deltas: readonly Delta[] = [];
  const edits: PlaybookChange['edits'][number][] = [];
  for (const { components } of proposed) {
    const reading = readProposal(current.components, components, { book, kind, numbering });
    deltas = together(deltas, reading.deltas);
    edits.push(...reading.edits);
  }
  return { deltas, edits };
}

/** Combines changes that were all based on the same playbook: if two change one entry, a removal wins, else the first. */
export function together(first: readonly Delta[], second: readonly Delta[]): readonly Delta[] {
  const removed = new Set([...first, ...second].flatMap((delta) => (delta.op === 'remove' ? [delta.id] : [])));
  const updated = new Set<string>();
  const deltas = [...first, ...second].filter((delta) => {
    if (delta.op === 'add') return true;
    if (delta.op !== 'remove' && removed.has(delta.id)) return false;
    if (updated.has(delta.id)) return false;
    updated.add(delta.id);
    return true;
  });
  // Additions come last and at the end, so that positions stay valid after removals.
  const adds = deltas.filter((delta) => delta.op === 'add');
  return [...deltas.filter((delta) => delta.op !== 'add'), ...adds.map((delta) => ({ ...delta, at: Number.MAX_SAFE_INTEGER }))];
}

interface Experiment {
  readonly current: Candidate;
  readonly book: Playbook;
  readonly reading: PlaybookChange;
  readonly round: number;
  readonly drops: number;
}

/** Repeatedly plays the playbook with a random half of its entries. */
async function playDropped(parts: Parts, { current, book, reading, round, drops }: Experiment): Promise<readonly Trial[]> {
  if (book.length === 0 || drops === 0) return [];
  const { bench, dice, archive, locked } = parts;
  const requests = Array.from({ length: drops }, async (_, i): Promise<readonly Trial[]> => {
    const roll = dice('drop', round, i);
    const on = drawHalf(book.length, roll);
    const playbookEntries = book.filter((_, k) => on[k]);
    const components = withBook(rewriteComponents(current.components, { book, edits: reading.edits, kind }), playbookEntries, kind);
    const origin = { engine: archive.engine, proposer: 'drop', step: round };
    const newChild = createChild(components, { parents: [current], origin, locked });
    const candidate = 'child' in newChild ? newChild.child : current;
    const place: TrialKey = { split: 'propose', task: roll.int(bench.tasks.propose), repeat: experiments + round };
    const [play] = await bench.evaluate(candidate, [place]);
    return play?.score == null ? [] : [{ on: new Set(playbookEntries.map(({ id }) => id)), score: play.score }];
  });
  return (await Promise.all(requests)).flat();
}

/** Removes entries that the experiments have shown to harm, and updates the counts. */
export function weed(
  book: Playbook,
  trials: readonly Trial[],
  errors: number,
): { readonly book: Playbook; readonly words: readonly string[] } {
  // Ignores trials with removed entries, which would still affect the estimates.
  const ids = new Set(book.map(({ id }) => id));
  const telling = trials.filter(({ on }) => [...on].every((id) => ids.has(id)));
  const effects = effectsOf(
    telling.map(({ on }) => book.map(({ id }) => on.has(id))),
    telling.map(({ score }) => score),
  );
  if (effects === null) return { book, words: [] };
  const notes: string[] = [];
  const deltas = book.flatMap(({ id, text }, i): readonly Delta[] => {
    const { effect, error } = effects[i];
    if (effect + errors * error >= 0) return [{ op: 'count', id, helpful: effect > 0 ? 1 : 0, harmful: effect > 0 ? 0 : 1 }];
    notes.push(`entry ${id} goes: ${effect.toFixed(3)} ± ${error.toFixed(3)} where it was dropped at random (“${text.slice(0, 60)}”)`);
    return [{ op: 'remove', id }];
  });
  return { book: applyDeltas(book, deltas).book, words: notes };
}
