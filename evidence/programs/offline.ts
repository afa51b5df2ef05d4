/**
 * @file Learning from stored episodes of mixed quality: random play of an environment, then a recipe on its episodes. Options:
 * environment, task, recipe, settings (more options of the command), episodes, games, seed (of the data and of the training).
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { type ProgramOptions, runCommand } from '../arms.ts';
import { environmentOf } from './_play.ts';

export default async function run(options: ProgramOptions): Promise<Json> {
  const { environment = 'lock', task = '{}', recipe = 'imitate', settings = '', episodes = 200, games = 2000, seed = 1 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'ludus-plan-'));
  try {
    const rules = await environmentOf(String(environment));
    const read = JSON.parse(String(task)) as Json;
    const [seat = ''] = rules.seats(rules.task(read));
    const plan = {
      name: 'data',
      environments: [{ environment, tasks: [read] }],
      seeds: { from: Number(seed) * 1000, count: Number(episodes) },
      casts: [{ [seat]: 'random' }],
    };
    writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
    const training = `ludus train ${recipe} --from data ${settings} --games ${games} --seed ${seed} --json`;
    return await runCommand(`ludus run ${join(folder, 'plan.json')} && ${training}`, Number(seed));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
