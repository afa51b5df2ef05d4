/** @file Mirror steps find equilibria on whole game trees: by a table, and by a language model through its text. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { hasRuntime } from '../learners/transformer/index.ts';
import { createTrainer } from '../training/trainer.ts';
import { override } from './recipe-overrides.ts';
import { builtInRecipe } from './recipes/index.ts';

async function train(name: string, settings: readonly string[], seed: number) {
  const trainer = await createTrainer(
    { recipe: override(builtInRecipe(name), settings), seed },
    { trust: Trust.commandLine, cwd: process.cwd(), folder: null },
  );
  expect(await trainer.run(trainer.updates)).toBeNull();
  return trainer;
}

const exploitabilityOf = async (name: string, settings: readonly string[], seed = 1) =>
  (await (await train(name, settings, seed)).measure()).exploitability as number;

describe('mirror descent', () => {
  it('brings a table close to equilibrium in Leduc poker, thanks to averaging the last policies', async () => {
    const games = `training.games=${amount(1_000_000, 32_000_000)}`;
    const averaged = await exploitabilityOf('leduc-tabular', [games]);
    expect(averaged).toBeLessThan(amount(0.12, 0.02));
    expect(await exploitabilityOf('leduc-tabular', [games, 'training.average=0'])).toBeGreaterThan(1.5 * averaged);
  });

  it('resumes from a checkpoint with an identical result', async () => {
    const recipe = override(builtInRecipe('leduc-tabular'), ['training.games=40960']);
    const make = () => createTrainer({ recipe, seed: 3 }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
    const whole = await make();
    await whole.run(20);
    const first = await make();
    await first.run(12);
    const second = await make();
    await second.load(JSON.parse(JSON.stringify(await first.save())));
    await second.run(20);
    expect((await second.measure()).exploitability).toBe((await whole.measure()).exploitability);
  });

  it('rejects environments without a small game tree, and other rollouts', async () => {
    await expect(exploitabilityOf('leduc-tabular', ['training.environment=twenty-questions'])).rejects.toThrow(
      /recipe leduc-tabular needs mirror steps on a game tree,/,
    );
    await expect(exploitabilityOf('leduc-tabular', ['rollout={"kind":"even"}'])).rejects.toThrow(/explore/);
  });

  it.skipIf(!hasRuntime())('brings a language model near an equilibrium of Kuhn poker', async () => {
    const settings = [
      'training.environment=kuhn-poker',
      `training.games=${amount(8_000, 120_000)}`,
      'training.batch=2000',
      'training.warmUp.steps=100',
      'training.warmUp.games=300',
      'loss.step.from=1',
      'loss.step.to=0.5',
      'loss.kl.weight.from=0.3',
    ];
    const trainer = await train('leduc-lm', settings, 1);
    const { exploitability, invalid } = await trainer.measure();
    // 4 updates are nearer than playing evenly, 0.4583, and 60 are close.
    expect(invalid).toBeLessThan(amount(0.05, 0.02));
    expect(exploitability).toBeLessThan(amount(0.4, 0.15));
  });
});
