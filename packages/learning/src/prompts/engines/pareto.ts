/**
 * @file Pareto search: candidates that no other beats in score, tokens, money and seconds become parents, one change at a time.
 *
 * Intended for the choice of models and settings by role: a cheaper model that loses little is kept next to an expensive one that wins. The
 * run's answer still changes only through the gate, which may price or limit costs or accept savings (`--price`, `--most`, `--gate
 * frugal`); the front itself is in the report.
 */

import { parameter } from '@ludus-agents/kernel/internal/core/index';
import type { Candidate } from '../candidate.ts';
import { changeable, defineEngine, gatePlaces, holdChild, type Parts } from '../engine.ts';
import { type FrontPoint, frontOfPoints, pointOf, pointWords } from '../objectives.ts';
import type { TrialKey } from '../trial-ledger.ts';
import { scoreOf } from '../trial-scores.ts';

export const pareto = defineEngine({
  name: 'pareto',
  method: 'Pareto search over score, tokens, money and seconds',
  source: 'multi-objective evolution',
  differs: 'the answer passes the gate; the front is by the select tasks',
  parameters: {
    reads: parameter.integer({ min: 0, max: 16, default: 2, description: 'episodes that a proposer reads before it changes something' }),
  },

  async *run(parts, { reads }) {
    const { archive, start, dice, bench } = parts;
    let best = start;
    const points = new Map<string, FrontPoint>();
    archive.add(start);
    points.set(start.id, await measure(parts, start));
    yield { kind: 'best', candidate: best, score: points.get(start.id)!.score };
    let text = '';
    for (let step = 0; ; step++) {
      const front = frontOfPoints([...points.values()]);
      const parent = archive.get(dice('parent', step).pick(front).candidate);
      const names = changeable(parent, parts.choices);
      const component = dice('component', step).pick(names);
      const plays = await bench.evaluate(parent, lessonPlaces(parts, step, reads));
      const question = { parent, step, plays: plays.filter(({ score }) => score !== null), components: [component] };
      const [child] = await bench.propose(parts.proposer, { ...question, tried: archive.rejected });
      if (child === undefined || !archive.add(child)) continue;
      yield { kind: 'candidate', candidate: child };
      points.set(child.id, await measure(parts, child));
      const verdict = await holdChild(parts, best, child);
      yield { kind: 'verdict', candidate: child.id, against: best.id, verdict };
      const frontText = frontOfPoints([...points.values()])
        .map(pointWords)
        .join('; ');
      if (frontText !== text) yield { kind: 'note', words: `front: ${frontText}` };
      text = frontText;
      if (!verdict.accept) continue;
      best = child;
      yield { kind: 'best', candidate: best, score: points.get(best.id)!.score };
    }
  },
});

async function measure(parts: Parts, candidate: Candidate): Promise<FrontPoint> {
  const plays = await parts.bench.evaluate(candidate, gatePlaces(parts));
  return pointOf(candidate.id, plays, scoreOf(plays));
}

function lessonPlaces({ bench, dice }: Parts, step: number, many: number): readonly TrialKey[] {
  const tasks = dice('reads', step).shuffle(Array.from({ length: bench.tasks.propose }, (_, task) => task));
  return tasks.slice(0, many).map((task): TrialKey => ({ split: 'propose', task, repeat: step }));
}
