/**
 * @file Resampling: only the start, played repeatedly until the budget is spent.
 *
 * The other baseline. It shows the effect of luck: its best draw on the select tasks is above its mean, and returns to the start's own
 * score on the fresh tasks of the report. Its best episode of each task is the score of an oracle that knows the outcomes (pass@k).
 */

import { defineEngine } from '../engine.ts';
import { placesOf, scoreOf } from '../trial-scores.ts';

export const resample = defineEngine({
  name: 'resample',
  method: 'the start, again and again',
  source: 'pass@k at equal cost',
  differs: 'changes nothing; its answer is the start with the luckiest draw',
  parameters: {},

  async *run({ start, archive, bench }) {
    archive.add(start);
    let luckiest = Number.NEGATIVE_INFINITY;
    const tasks = placesOf('select', bench.tasks.select);
    for (let repeat = 0; ; repeat++) {
      const score = scoreOf(
        await bench.evaluate(
          start,
          tasks.map((place) => ({ ...place, repeat })),
        ),
      );
      if (score <= luckiest) continue;
      luckiest = score;
      yield { kind: 'best', candidate: start, score };
    }
  },
});
