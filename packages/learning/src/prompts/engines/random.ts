/**
 * @file The random edit: the edits of a proposer that reads nothing, behind the same gate.
 *
 * It is the baseline for every engine. In a rule-based environment it achieves most of the gain of reflection, so an engine that does not
 * beat it provides no evidence for its reflections.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import { defineEngine, holdChild, selectScore } from '../engine.ts';

export const random = defineEngine({
  name: 'random',
  method: 'random edits behind the gate',
  source: 'the control that every reflective method needs',
  differs: 'reads no lessons; the better of two lives on',
  parameters: { edits: parameter.integer({ min: 1, max: 16, default: 1, description: 'edits per proposal' }) },

  async *run(parts, { edits }) {
    let best = parts.start;
    parts.archive.add(best);
    yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    for (let step = 0; ; step++) {
      const [child] = await parts.bench.propose(parts.proposer, { parent: best, step, edits, tried: parts.archive.tried });
      if (child === undefined || !parts.archive.add(child)) continue;
      yield { kind: 'candidate', candidate: child };
      const verdict = await holdChild(parts, best, child);
      yield { kind: 'verdict', candidate: child.id, against: best.id, verdict };
      if (!verdict.accept) continue;
      best = child;
      yield { kind: 'best', candidate: best, score: await selectScore(parts, best) };
    }
  },
});
