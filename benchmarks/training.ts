/** @file How fast and how well learners learn: a table on a million games of Kuhn poker, and a language model through text. */

import { kuhnPoker } from '../src/environments/kuhn-poker.ts';
import { distance } from '../src/environments/solve/best-response.ts';
import { flatten } from '../src/environments/solve/flat.ts';
import { gameTree } from '../src/environments/solve/tree.ts';
import { Tabular } from '../src/learners/index.ts';
import { builtInRecipe } from '../src/learning/rl/recipes/index.ts';
import { TrainingLoop } from '../src/learning/rl/training-loop.ts';
import { overlap } from './_overlap.ts';
import { transformer } from './_transformer.ts';
import type { Figure } from './run.ts';

export async function measure(): Promise<readonly Figure[]> {
  return [...(await tabular()), ...(await transformer()), ...(await overlap())];
}

/** CPU-seconds and not the clock's: other work on the machine does not count. */
async function tabular(): Promise<readonly Figure[]> {
  const tree = gameTree(kuhnPoker);
  const game = flatten(tree);
  const found: { seconds: number; exploitability: number }[] = [];
  for (let seed = 201; seed <= 210; seed++) {
    const clock = process.cpuUsage();
    const learner = new Tabular({ game });
    await new TrainingLoop(builtInRecipe('kuhn-tabular'), { environment: kuhnPoker, game, learner, seed }).run();
    const { user, system } = process.cpuUsage(clock);
    found.push({ seconds: (user + system) / 1e6, exploitability: distance(tree, learner.strategy()).exploitability });
  }
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const exploitabilities = found.map(({ exploitability }) => exploitability);
  const below = exploitabilities.filter((one) => one < 0.02).length;
  return [
    {
      name: 'kuhn_tabular.seconds_1m',
      value: median(found.map(({ seconds }) => seconds)),
      unit: 's',
      goal: '≤ 2',
      note: `exploitability ${median(exploitabilities).toFixed(4)}, below 0.02 on ${below} of 10 seeds`,
    },
  ];
}
