import type { Learner, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { expect, it } from 'vitest';
import { checkRecipe } from './recipe-shape.ts';
import { kuhnLm } from './recipes/language.ts';
import { warmUp } from './warm-up.ts';

const row: TokenRow = { tokens: [1, 2, 3], mask: [0, 0, 1] } as unknown as TokenRow;

async function imitated(steps: number): Promise<readonly string[]> {
  const done: string[] = [];
  const learner = {
    forwardBackward: async () => done.push('pass'),
    optimStep: async () => done.push('step'),
    refer: async () => void done.push('refer'),
  } as unknown as Learner;
  const show = async () => {
    done.push('show');
    return [row];
  };
  await warmUp(learner, [{} as never], { games: 1, steps, rate: 1e-3, seed: 1, show });
  return done;
}

it('warm-up with zero steps shows nothing and uses the initial model as the reference', async () => {
  expect(await imitated(0)).toEqual(['refer']);
  expect(await imitated(1)).toEqual(['show', 'pass', 'step', 'refer']);
});

it('accepts zero steps in a recipe, and rejects negative ones', () => {
  const withSteps = (steps: number) => ({ ...kuhnLm, training: { ...kuhnLm.training, warmUp: { ...kuhnLm.training.warmUp!, steps } } });
  expect(checkRecipe(withSteps(0), 'recipe').training.warmUp?.steps).toBe(0);
  expect(() => checkRecipe(withSteps(-1), 'recipe')).toThrow(
    expect.objectContaining({ code: 'E_INVALID_DOCUMENT', details: expect.objectContaining({ places: ['training.warmUp.steps'] }) }),
  );
});
