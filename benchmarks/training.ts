/** @file How fast and how well learners learn: a table on a million games of Kuhn poker, and a language model through text. */

import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { distance } from '@ludus-agents/environments/internal/solve/best-response';
import { flatten } from '@ludus-agents/environments/internal/solve/flat';
import { gameTree } from '@ludus-agents/environments/internal/solve/tree';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { TrainingLoop } from '@ludus-agents/learning/internal/rl/training-loop';
import { overlap } from './_overlap.ts';
import { sampling } from './_sampling.ts';
import { sizeOf } from './_size.ts';
import { trainingSteps } from './_training-steps.ts';
import { kuhnThroughText } from './_transformer.ts';
import type { Figure, Flags } from './run.ts';

const parts = { table: tabular, text: kuhnThroughText, sampling, steps: trainingSteps, overlap };

/** `--only=steps` measures one part of it. */
export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const { only } = flags;
  const selectedEntries = Object.entries(parts).filter(([name]) => only === undefined || name === only);
  if (selectedEntries.length === 0)
    throw new Error(`Expected --only to name one of ${Object.keys(parts).join(', ')}, but it is "${only}".`);
  const figures: Figure[] = [];
  for (const [, part] of selectedEntries) figures.push(...(await part(flags)));
  return figures;
}

/** CPU-seconds and not the clock's: other work on the machine does not count. */
async function tabular(flags: Flags): Promise<readonly Figure[]> {
  const seeds = sizeOf(flags, 'seeds', 10, 1);
  const tree = gameTree(kuhnPoker);
  const game = flatten(tree);
  const table = builtInRecipe('kuhn-tabular');
  const recipe = { ...table, training: { ...table.training, games: sizeOf(flags, 'games', table.training.games, 2000) } };
  const matches: { seconds: number; exploitability: number }[] = [];
  for (let seed = 201; seed < 201 + seeds; seed++) {
    const clock = process.cpuUsage();
    const learner = new Tabular({ game });
    await new TrainingLoop(recipe, { environment: kuhnPoker, game, learner, seed }).run();
    const { user, system } = process.cpuUsage(clock);
    matches.push({ seconds: (user + system) / 1e6, exploitability: distance(tree, learner.strategy()).exploitability });
  }
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
  const exploitabilities = matches.map(({ exploitability }) => exploitability);
  const below = exploitabilities.filter((exploitability) => exploitability < 0.02).length;
  return [
    {
      name: 'kuhn_tabular.seconds_1m',
      value: median(matches.map(({ seconds }) => seconds)),
      unit: 's',
      goal: '≤ 2',
      note: `exploitability ${median(exploitabilities).toFixed(4)}, below 0.02 on ${below} of ${seeds} seeds`,
    },
  ];
}
