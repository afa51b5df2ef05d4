/**
 * @file The sweep: every combination of the values that components may take, one after the other behind the gate.
 *
 * The simplest engine. It reads no lessons and calls no proposer; its answer is the start until a combination is better by more than luck
 * explains. If there are too many combinations to try, it draws some at random.
 */

import { Fault, parameter } from '@ludus-agents/kernel/internal/core/index';
import { createChild } from '../candidate.ts';
import { combinations } from '../choices.ts';
import { defineEngine, holdChild, selectScore } from '../engine.ts';

export const sweep = defineEngine({
  name: 'sweep',
  method: 'every combination of given values',
  source: 'grid search',
  differs: 'each is held at the gate; the best is not the luckiest',
  parameters: { most: parameter.integer({ min: 1, max: 10_000, default: 64, description: 'maximum number of combinations' }) },

  async *run(parts, { most }) {
    const { start, archive, choices = {}, dice, locked } = parts;
    if (Object.keys(choices).length === 0)
      throw new Fault('input', 'A sweep needs values to try: --try COMPONENT=VALUE,VALUE, such as --try setting/temperature=0,0.7.');
    const all = combinations(start.components, choices);
    const tried = all.length > most ? dice('combinations').shuffle(all).slice(0, most) : all;
    let best = start;
    archive.add(best);
    yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    for (const [step, components] of tried.entries()) {
      const newChild = createChild(components, { parents: [start], origin: { engine: archive.engine, proposer: 'sweep', step }, locked });
      if ('refused' in newChild || !archive.add(newChild.child)) continue;
      yield { kind: 'candidate', candidate: newChild.child };
      const verdict = await holdChild(parts, best, newChild.child);
      yield { kind: 'verdict', candidate: newChild.child.id, against: best.id, verdict };
      if (!verdict.accept) continue;
      best = newChild.child;
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    }
  },
});
