/** @file A training that is stopped at any moment goes on to the identical next update, for a table on a tree, a table by rollout and a language model. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { hasRuntime } from '../learners/transformer/index.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer, type Trainer } from './trainer.ts';

/** Short runs of every kind of learner and every kind of memory that a checkpoint has. */
const runs: readonly (readonly [string, readonly string[]])[] = [
  ['kuhn-tabular', ['training.games=2560']],
  ['rapo', ['training.games=640', 'training.batch=32']],
  ['spear', ['training.games=640', 'training.batch=32', 'training.ahead=2']],
  ...(hasRuntime()
    ? ([['kuhn-lm', ['training.games=200', 'training.batch=10', 'training.warmUp={"games":20,"steps":3,"rate":0.003}']]] as const)
    : []),
];

/** How many moments each is stopped at; the long test takes twenty. A language model needs a fifth of a second an update. */
const momentsOf = (name: string) => Number(process.env['LUDUS_MOMENTS'] ?? (name === 'kuhn-lm' ? 1 : 2));

describe('training stopped at any moment', () => {
  it.each(runs)('resumes %s with an identical next update', async (name, settings) => {
    const recipe = override(builtInRecipe(name), settings);
    const ready = (): Promise<Trainer> =>
      createTrainer({ recipe, seed: 4 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    const dice = rng(11, 'moments', name);
    const stops = [...new Set(Array.from({ length: momentsOf(name) }, () => 1 + dice.int(18)))].sort((a, b) => a - b);
    const whole = await ready();
    for (const stop of stops) {
      const broken = await ready();
      if (stop > 0) await broken.run(stop);
      const checkpoint = JSON.parse(JSON.stringify(await broken.save()));
      const again = await ready();
      await again.load(checkpoint);
      await again.run(stop + 1);
      await whole.run(stop + 1);
      expect(await again.save()).toEqual(await whole.save());
    }
    const other = await createTrainer({ recipe, seed: 5 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    await expect(other.load(JSON.parse(JSON.stringify(await whole.save())))).rejects.toThrow('. Resume the run that it comes from.');
  });
});
