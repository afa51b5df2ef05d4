/** @file Parts compose: random combinations of slots train for two updates, or are refused in a sentence before anything is lost. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { isFault, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import type { Recipe } from '../rl/recipe.ts';
import { checkRecipe } from '../rl/recipe-shape.ts';
import { grpo } from '../rl/recipes/group-relative.ts';
import { createTrainer } from './trainer.ts';

/** Choices of each slot that a table can play; null leaves the slot as it is. */
const slots: Readonly<Record<string, readonly unknown[]>> = {
  assignment: [
    { kind: 'outcome' },
    { kind: 'return-to-go', discount: 0.9 },
    { kind: 'win-rate' },
    { kind: 'checklist', by: 'checklist', reference: { checklist: [{ says: 'a' }] } },
  ],
  rewards: [null, { length: { weight: -0.01 } }, { environment: { weight: 1 }, shortness: { weight: 0.1 } }],
  baseline: [
    { kind: 'none' },
    { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'std' },
    {
      kind: 'group',
      key: ['prompt', 'turn'],
      center: 'leave-one-out',
      scale: 'none',
      plus: { key: ['state'], weight: 1, discount: 0.9 },
    },
    { kind: 'running', key: ['seat'], decay: 0.9 },
    { kind: 'value', level: 'turn', discount: 1, trace: 0.9 },
    { kind: 'bought', cost: 0.1, decay: 0.9 },
  ],
  loss: [
    { kind: 'policy-gradient', aggregation: 'constant' },
    { kind: 'clipped', clip: [0.2, 0.2], minibatches: 3, epochs: 2, aggregation: 'token-mean' },
    { kind: 'preference', beta: 0.1, aggregation: 'sequence-mean-token-sum' },
    { kind: 'squared', beta: 1, aggregation: 'sequence-mean-token-sum' },
    { kind: 'kept-gradient', clip: [0.2, 0.3], aggregation: 'token-mean', band: { low: 0.5, high: 1.5, weight: 0.1 } },
  ],
  rollout: [
    { kind: 'iid' },
    { kind: 'group', size: 4 },
    { kind: 'adaptive', size: 4, least: 2, above: 0.5, longer: 2 },
    { kind: 'branch', size: 4, trunk: 2, chance: 0.5, slope: 0.2, probe: true },
    { kind: 'resample', size: 4, keep: 2 },
  ],
  replay: [
    { kind: 'none' },
    { kind: 'inject', keep: 4, rescale: true },
    { kind: 'imitate', room: 32, age: 4, rise: 10 },
    { kind: 'band', low: 0.1, high: 0.9 },
    { kind: 'route', updates: 1, least: 0.5, keep: 2, rows: 8, weight: 0.1 },
  ],
  curriculum: [
    { kind: 'uniform' },
    { kind: 'mixed' },
    { kind: 'horizon', turns: [2, 4], every: 1 },
    { kind: 'unsolved', share: 0.5 },
    { kind: 'learnable' },
    { kind: 'replayed-levels', temperature: 0.1 },
    { kind: 'teacher', teacher: 'alp-gmm', tasks: 4 },
  ],
  importance: [null, 2],
  view: [null, { kind: 'moves' }, { kind: 'episodes', count: 2 }, { kind: 'memo', tokens: 400 }],
  roles: [null, { kind: 'own' }, { kind: 'set', size: 2 }],
  guidance: [null, { kind: 'hint', teachers: ['random'], share: 1, tries: 1 }, { kind: 'refine', teachers: [], share: 1, tries: 2 }],
  rewardModel: [null, { rule: 'return>=1', labels: 1, updates: 1 }],
};

const settings: readonly Partial<Recipe['training']>[] = [
  {},
  { ahead: 2 },
  { opponents: 'league' },
  { opponents: 'random' },
  { warmUp: { games: 4, steps: 2, rate: 0.01 } },
];

function draw(dice: Rng): Recipe {
  const choices = Object.entries(slots).map(([name, options]) => {
    // Most slots stay as they are, so that what is drawn is not refused by the first pair that cannot be.
    const option = ['guidance', 'rewardModel', 'roles', 'view', 'rewards'].includes(name) && dice.next() < 0.7 ? null : dice.pick(options);
    return [name, option] as const;
  });
  const change = Object.fromEntries(choices.filter(([, option]) => option !== null));
  // Tasks of poker with many hands take long, and a teacher chooses among them.
  const isTaught = (change['curriculum'] as { readonly kind: string }).kind === 'teacher';
  const environment = dice.pick(isTaught ? ['lock', 'dilemma'] : ['lock', 'kuhn-poker', 'dilemma']);
  const training = { ...grpo.training, environment, ...dice.pick(settings), games: 16, batch: 8 };
  return checkRecipe({ ...grpo, ...change, training }, 'a combination');
}

async function outcomeOf(recipe: Recipe): Promise<string> {
  try {
    const trainer = await createTrainer({ recipe, seed: 5 }, { cwd: process.cwd(), trust: Trust.commandLine, folder: null });
    await trainer.begin();
    await trainer.run(trainer.updates);
    return trainer.update() === trainer.updates ? 'trained' : 'collapsed';
  } catch (thrown) {
    // A refusal names the reason; anything else is a mistake of the parts.
    if (isFault(thrown) && (thrown.boundary === 'input' || thrown.boundary === 'scorer')) return 'refused';
    throw new Error(JSON.stringify(recipe), { cause: thrown });
  }
}

describe('random combinations of recipe settings', () => {
  it('train for two updates or are rejected', async () => {
    const dice = rng(Number(process.env['PROPERTY_SEED'] ?? 20), 'combinations');
    const outcomes: Record<string, number> = { trained: 0, refused: 0, collapsed: 0 };
    for (let i = 0; i < amount(36, 400); i++) {
      const outcome = await outcomeOf(draw(dice));
      outcomes[outcome] = outcomes[outcome]! + 1;
    }
    // Refusals are the exception: most parts go together.
    expect(outcomes['trained']).toBeGreaterThan(outcomes['refused']!);
  });
});
