/** @file A language model learns Kuhn poker through text and tokens: a shortened run, with bounds. */

import { describe, expect, it } from 'vitest';
import { hasRuntime } from '../learners/transformer/index.ts';
import { kuhnLm, type LanguageRecipe } from '../learning/rl/recipes/language.ts';
import { languageTraining } from './language-trainer.ts';

const short: LanguageRecipe = { ...kuhnLm, games: 50_400, ramp: 20 };

describe.skipIf(!hasRuntime())('a language model in self-play', () => {
  it('speaks the grammar of Kuhn poker after imitation, and then gets much harder to exploit', async () => {
    const { training } = await languageTraining(short, { cwd: process.cwd(), seed: 1 });
    await training.warmUp();
    const before = await training.progress();
    expect(before.outside).toBeLessThan(0.1);
    expect(before.exploitability).toBeGreaterThan(0.35);
    expect(await training.run()).toBeNull();
    const after = await training.progress();
    expect(after.update).toBe(200);
    expect(after.invalid).toBeLessThan(0.02);
    expect(after.exploitability).toBeLessThan(0.2);
  });

  it('goes on from a checkpoint to the identical next update', async () => {
    const tiny: LanguageRecipe = { ...short, games: 120, batch: 30, warmUp: { games: 30, steps: 5, rate: 0.003 } };
    const ready = () => languageTraining(tiny, { cwd: process.cwd(), seed: 5 });
    const whole = (await ready()).training;
    await whole.run();
    const half = (await ready()).training;
    await half.run(2);
    const checkpoint = await half.save();
    const rest = (await ready()).training;
    await rest.load(JSON.parse(JSON.stringify(checkpoint)));
    await rest.run();
    expect(await rest.save()).toEqual(await whole.save());
    expect(checkpoint.learner).not.toBe((await whole.save()).learner);
  });
});
