/**
 * @file SkillOpt: one document trained like a network, by a few edits per step behind a held-out gate (arXiv 2605.23904).
 *
 * The current texts play a batch; the proposer reads it in small batches and patches them; edits that several patches share come first, and
 * only as many as the edit budget allows are applied, fewer and fewer along a cosine. What the gate refuses is shown to later proposals.
 * Differs: the gate takes off a standard error where theirs compares means, and there is no slow update between epochs, which in their code
 * bypasses the gate by default.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { type Candidate, createChild } from '../candidate.ts';
import { applyEdits, editsBetween, sameEdit, type TextEdit } from '../edits.ts';
import { defineEngine, gatePlaces, holdChild, type Parts } from '../engine.ts';
import type { TrialRecord } from '../trial-ledger.ts';
import { placesOf, scoreOf } from '../trial-scores.ts';

const parameters = {
  batch: parameter.integer({ min: 1, max: 256, default: 16, description: 'tasks that the current texts play in a step' }),
  mini: parameter.integer({ min: 1, max: 64, default: 4, description: 'plays that one proposal reads' }),
  edits: parameter.integer({ min: 1, max: 64, default: 4, description: 'edits of a step, at first' }),
  last: parameter.integer({ min: 1, max: 64, default: 2, description: 'edits of a step, at last' }),
  steps: parameter.integer({ min: 1, max: 10_000, default: 12, description: 'steps over which the number of edits falls' }),
  failures: parameter.boolean({ default: false, description: 'read only plays below the batch’s mean' }),
} as const;

export const skillopt = defineEngine({
  name: 'skillopt',
  method: 'SkillOpt, bounded edits behind a held-out gate',
  source: 'arXiv 2605.23904',
  differs: 'the gate takes off a standard error; no slow update, so nothing goes round it',
  parameters,

  async *run(parts, settings) {
    const { archive, bench } = parts;
    let current = parts.start;
    archive.add(current);
    yield { kind: 'best', candidate: current, score: scoreOf(await bench.evaluate(current, gatePlaces(parts))) };
    for (let step = 0; ; step++) {
      const batch = await bench.evaluate(current, batchOf(parts, step, settings.batch));
      const patches = await patchesFor(parts, { current, step, batch, settings });
      const budget = editBudget(step, settings);
      const edits = rankEdits(patches).slice(0, budget);
      const origin = { engine: archive.engine, proposer: parts.proposer.name, step };
      const newChild = createChild(applyEdits(current.components, edits), { parents: [current], origin, locked: parts.locked });
      if ('refused' in newChild || !archive.add(newChild.child)) continue;
      yield { kind: 'candidate', candidate: newChild.child };
      const verdict = await holdChild(parts, current, newChild.child);
      yield { kind: 'verdict', candidate: newChild.child.id, against: current.id, verdict };
      if (!verdict.accept) continue;
      current = newChild.child;
      yield { kind: 'best', candidate: current, score: scoreOf(await bench.evaluate(current, gatePlaces(parts))) };
    }
  },
});

/** The maximum edits of a step: a cosine from the first to the last. */
export function editBudget(step: number, { edits, last, steps }: { edits: number; last: number; steps: number }): number {
  const done = Math.min(1, step / Math.max(1, steps - 1));
  return Math.round(last + ((edits - last) * (1 + Math.cos(Math.PI * done))) / 2);
}

/** Edits ranked by the number of patches that contain them; ties prefer the earlier patch. */
export function rankEdits(patches: readonly (readonly TextEdit[])[]): readonly TextEdit[] {
  const matches: { edit: TextEdit; support: number }[] = [];
  for (const patch of patches)
    for (const edit of patch) {
      const same = matches.find((item) => sameEdit(item.edit, edit));
      if (same === undefined) matches.push({ edit, support: 1 });
      else same.support++;
    }
  return matches.sort((a, b) => b.support - a.support).map(({ edit }) => edit);
}

interface Reading {
  readonly current: Candidate;
  readonly step: number;
  readonly batch: readonly TrialRecord[];
  readonly settings: { readonly mini: number; readonly edits: number; readonly failures: boolean };
}

/** The proposals on small batches, each as edits of the current texts. */
async function patchesFor(parts: Parts, { current, step, batch, settings }: Reading): Promise<readonly (readonly TextEdit[])[]> {
  const mean = scoreOf(batch);
  const read = settings.failures ? batch.filter(({ score }) => score !== null && score < mean) : batch;
  const tried = parts.archive.rejected.filter(({ parent }) => parent === current.id);
  const patches: (readonly TextEdit[])[] = [];
  for (let from = 0; from < read.length; from += settings.mini) {
    const children = await parts.bench.propose(parts.proposer, {
      ...{ parent: current, plays: read.slice(from, from + settings.mini), tried, edits: settings.edits },
      step: step * 1000 + from,
    });
    for (const child of children) patches.push(editsBetween(current.components, child.components));
  }
  return patches;
}

function batchOf({ bench, dice }: Parts, step: number, batch: number) {
  const tasks = bench.tasks.propose;
  const order = dice('batch', step).shuffle(Array.from({ length: tasks }, (_, task) => task));
  return placesOf('propose', order.slice(0, batch)).map((place) => ({ ...place, repeat: step }));
}
