/** @file Parts compose: random combinations of slots train for two updates, or are refused in a sentence before anything is lost. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, isFault, type Learner, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import type { Recipe } from '../rl/recipe.ts';
import { checkRecipe } from '../rl/recipe-shape.ts';
import { grpo } from '../rl/recipes/group-relative.ts';
import type { Rollouts } from '../rl/rollouts.ts';
import '../kinds.ts';
import { withTeamSeats } from './team-training.ts';
import { createTrainer } from './trainer.ts';

/** Choices of each slot that a table can play; null leaves the slot as it is. */
const slots: Readonly<Record<string, readonly unknown[]>> = {
  assignment: [
    { kind: 'outcome' },
    { kind: 'return-to-go', discount: 0.9 },
    { kind: 'win-rate' },
    { kind: 'checklist', by: 'checklist', reference: { checklist: ['b', 'C', 'bet', 'answer', 'furnace'].map((says) => ({ says })) } },
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
  coevolution: [
    null,
    { proposer: 'pae', originals: [{}] },
    { proposer: 'paso-doble', originals: [{}], learns: 'in-turn', period: 1, buffer: 8 },
    { proposer: 'mae', originals: [{}], one: true },
    { proposer: 'agent0', labels: 'majority', originals: [{ calculator: true }] },
  ],
};

const settings: readonly Partial<Recipe['training']>[] = [
  {},
  { ahead: 2 },
  { opponents: 'league' },
  { opponents: 'random' },
  { warmUp: { games: 4, steps: 2, rate: 0.01 } },
  { ahead: 2, overlap: 4 },
  { ahead: 1, opponents: 'league' },
];

/** Members of a team learn, all of them or one, and speak under the rules of a discussion. */
const team = {
  name: 'pair',
  kind: 'team',
  settings: { protocol: 'rounds', members: ['a', 'b'].map((name) => ({ name, kind: 'random' })) },
};
const cwd = mkdtempSync(join(tmpdir(), 'combinations-'));
const trust = Trust.commandLine;
writeFileSync(join(cwd, 'team.json'), JSON.stringify(team));

function draw(dice: Rng): Recipe {
  const choices = Object.entries(slots).map(([name, options]) => {
    // Most slots stay as they are, so that what is drawn is not refused by the first pair that cannot be.
    const isRare = ['guidance', 'rewardModel', 'roles', 'view', 'rewards', 'coevolution'].includes(name);
    const option = isRare && dice.next() < 0.8 ? null : dice.pick(options);
    return [name, option] as const;
  });
  const change = Object.fromEntries(choices.filter(([, option]) => option !== null));
  const { curriculum, coevolution: writer } = change as { curriculum: { kind: string }; coevolution?: { proposer: string } };
  // Tasks of poker with many hands take long, and a teacher chooses among them.
  const played = curriculum.kind === 'teacher' ? ['lock', 'dilemma'] : ['lock', 'kuhn-poker', 'dilemma'];
  const environment = writer === undefined ? dice.pick(played) : writer.proposer === 'pae' ? 'forge' : 'exam';
  const members = dice.next() < 0.1 ? { team: './team.json', member: dice.pick(['a', 'a,b']) } : {};
  // Where tasks are written, an opponent is refused: one such refusal in a while is enough.
  const setting = dice.pick(
    writer === undefined || dice.next() < 0.1 ? settings : settings.filter(({ opponents }) => opponents === undefined),
  );
  const training = { ...grpo.training, environment, ...setting, ...members, games: 16, batch: 8 };
  return checkRecipe({ ...grpo, ...change, training }, 'a combination');
}

/** Workers, as far as the trainer can tell: the games are played elsewhere, by the weights of their update. */
const workers =
  (environment: AnyEnvironment) =>
  (_: Recipe, learner: Learner): Rollouts =>
  async ({ seeds, task, limits }, underway) => {
    underway();
    const seats: readonly string[] = environment.seats(environment.task(task));
    const cast = Object.fromEntries(seats.map((seat) => [seat, learner.policy()]));
    return rollout(environment, cast, { seeds, task, ...(limits !== undefined && { limits }) });
  };

/** Trained, collapsed, or the reason for which it was refused. */
async function outcomeOf(drawn: Recipe, isElsewhere: boolean): Promise<string> {
  try {
    const recipe = await withTeamSeats(drawn, { cwd, trust });
    const elsewhere = isElsewhere ? { rollouts: workers(await resolveEnvironment(recipe.training.environment, cwd, trust)) } : {};
    const trainer = await createTrainer({ recipe, seed: 5 }, { cwd, trust, folder: null, ...elsewhere });
    await trainer.begin();
    await trainer.run(trainer.updates);
    return trainer.update() === trainer.updates ? 'trained' : 'collapsed';
  } catch (thrown) {
    // A refusal names the reason; anything else is a mistake of the parts.
    if (isFault(thrown) && (['input', 'scorer'].includes(thrown.boundary) || /has none\. Use a learner that writes/.test(thrown.message)))
      return thrown.message;
    throw new Error(JSON.stringify([drawn, isElsewhere]), { cause: thrown });
  }
}

describe('random combinations of recipe settings', () => {
  it('train for two updates or are rejected', async () => {
    const dice = rng(Number(process.env['PROPERTY_SEED'] ?? 20), 'combinations');
    const outcomes: Record<string, number> = {};
    for (let i = 0; i < amount(36, 400); i++) {
      const outcome = await outcomeOf(draw(dice), dice.next() < 0.1);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    if (process.env['PROPERTY_REASONS'] !== undefined) process.stderr.write(`${JSON.stringify(outcomes, null, 1)}\n`);
    const { trained = 0, collapsed = 0, ...refused } = outcomes;
    // Refusals are the exception: most parts go together.
    expect(trained).toBeGreaterThan(Object.values(refused).reduce((sum, count) => sum + count, 0));
    // Each names what cannot be, or what to do.
    for (const reason of Object.keys(refused)) expect(reason).toMatch(/^[A-Z\w].{30,}[.)]/s);
  });
});
