/** @file The roles of a recipe, each by a figure that is known exactly, next to the same recipe without it. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { Tabular } from '@ludus-agents/learning/internal/learners/index';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import { readSafetensors } from '@ludus-agents/learning/internal/learners/transformer/safetensors';
import { jointAdvantages } from '@ludus-agents/learning/internal/rl/baselines/joint';
import { override } from '@ludus-agents/learning/internal/rl/recipe-overrides';
import { builtInRecipe } from '@ludus-agents/learning/internal/rl/recipes/index';
import { cropOf, Encoder, infoNce } from '@ludus-agents/learning/internal/rl/roles/contrast';
import { SkillLearner } from '@ludus-agents/learning/internal/rl/roles/skills';
import type { EpisodeSample } from '@ludus-agents/learning/internal/rl/samples';
import { opponentBy } from '@ludus-agents/learning/internal/training/seat-policies';
import { loadTrainedModel } from '@ludus-agents/learning/internal/training/trained-agents';
import { createTrainer, type Trainer } from '@ludus-agents/learning/internal/training/trainer';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../../test/fixtures/amount.ts';
import { folder, ludus } from '../../../../src/cli/terminal.cases.ts';

async function ready(name: string, settings: readonly string[] = [], seed = 1): Promise<Trainer> {
  const recipe = override(builtInRecipe(name), settings);
  return createTrainer({ recipe, seed }, { trust: Trust.commandLine, cwd: process.cwd(), folder: null });
}

async function trained(name: string, settings: readonly string[] = [], seed = 1): Promise<Trainer> {
  const trainer = await ready(name, settings, seed);
  expect(await trainer.run(trainer.updates)).toBeNull();
  return trainer;
}

const learnersOf = async (trainer: Trainer) => JSON.parse((await trainer.save()).learner).learners as Record<string, string>;

describe('learners per role', () => {
  const turn = (at: number) => ({ read: [at], written: [0], logprobs: [0], reward: 0, penalty: 0, at });
  const sample = (seat: string, at: number): EpisodeSample => ({
    ...{ environment: 'x', seat, prompt: 0, game: 0, turns: [turn(at)], returned: 1, invalid: 0, truncated: false },
  });
  const advantages = (values: readonly number[]) => {
    const critic = { value: (item: { at: number }) => values[item.at]!, learn: () => {} };
    const episodes = values.map((_, at) => sample(`seat ${at}`, at));
    return jointAdvantages(
      episodes,
      episodes.map(() => 1),
      { discount: 0.99, trace: 0.95, critic },
    ).map(([item]) => Number(item!.toFixed(4)));
  };

  it("credit a role with the next role's value of the resulting state", () => {
    expect(advantages([0.4, 0.6])).toEqual([0.5702, 0.4]);
    expect(advantages([0.6, 0.4])).toEqual([0.3603, 0.6]);
    expect(advantages([0.3, 0.5, 0.7])).toEqual([0.6419, 0.4752, 0.3]);
    // Apart, each would be told its own 1 − V.
    expect(advantages([0.4])).toEqual([0.6]);
  });

  it.skipIf(!hasRuntime())('have separate heads on a shared trunk, which stays exactly the same after imitation', async () => {
    const small = [
      ...['training.learner=transformer', 'training.games=32', 'training.batch=16', 'training.environment=kuhn-poker'],
      ...['training.sizes={"width":8,"layers":1,"heads":2,"context":96}', 'training.warmUp={"games":8,"steps":3,"rate":0.01}'],
    ];
    const tensorsOf = async (trainer: Trainer) =>
      Object.values(await learnersOf(trainer)).map(
        (item) => readSafetensors(Buffer.from(item.slice(item.indexOf(',') + 1), 'base64')).tensors,
      );
    /** Whether the two roles have the same of a part of the network, and whether the first role's has moved since. */
    const alike = async (shared: boolean) => {
      const trainer = await ready('marft', [...small, `roles.shared=${shared}`]);
      await trainer.begin();
      const [before = {}] = await tensorsOf(trainer);
      expect(await trainer.run(2)).toBeNull();
      const [item = {}, other = {}] = await tensorsOf(trainer);
      const same = (a: typeof before, b: typeof before, name: string) => a[name]!.data.every((value, i) => value === b[name]!.data[i]);
      return ['embedding', 'block.0.query', 'block.0.down', 'head'].map((name) => [same(item, other, name), same(item, before, name)]);
    };
    expect(await alike(true)).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [false, false],
    ]);
    // Apart, every part of the two goes its own way, and from the beginning on.
    expect((await alike(false)).flat()).toEqual(Array.from({ length: 8 }, () => false));
    await expect(ready('marft', ['roles.shared=true'])).rejects.toThrow(/has no trunk to share between roles\. Set training\.learner/);
  });

  it('are trained one at a time, leaving the others exactly unchanged', async () => {
    const small = ['training.games=256', 'training.batch=32', 'roles.alternate=2'];
    const trainer = await ready('marft', small);
    await trainer.run(1);
    const before = await learnersOf(trainer);
    await trainer.run(2);
    const early = await learnersOf(trainer);
    expect(early['first'] === before['first']).toBe(false);
    expect(tableOf(early['second']!)).toEqual(tableOf(before['second']!));
    await trainer.run(4);
    const later = await learnersOf(trainer);
    expect(tableOf(later['first']!).slice(0, 8)).toEqual(tableOf(early['first']!).slice(0, 8));
    expect(tableOf(later['second']!)).not.toEqual(tableOf(early['second']!));
    const combinedTrainer = await ready('marft', small.slice(0, 2));
    await combinedTrainer.run(1);
    const [item, two] = [await learnersOf(combinedTrainer), await learnersOf(await ready('marft', small.slice(0, 2)))];
    for (const seat of ['first', 'second']) expect(tableOf(item[seat]!)).not.toEqual(tableOf(two[seat]!));
  });

  it('resume where they stopped', async () => {
    const small = ['training.games=160', 'training.batch=32', 'roles.alternate=1'];
    const whole = await trained('marft', small);
    const broken = await ready('marft', small);
    await broken.run(2);
    const again = await ready('marft', small);
    await again.load(JSON.parse(JSON.stringify(await broken.save())));
    await again.run(again.updates);
    expect(await again.save()).toEqual(await whole.save());
  });
});

/** Logits of a table that were moved, by their bytes. */
function tableOf(checkpoint: string): readonly number[] {
  const { table } = JSON.parse(checkpoint) as { table: { logits: string } };
  const bytes = Buffer.from(table.logits, 'base64');
  return [...new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))].filter((value) => value !== 0);
}

describe('contrastive opponent embeddings', () => {
  it('have the loss of worked numbers, without gain if nothing is known', () => {
    const likeness = [
      [0.9, 0.1, -0.4],
      [0, 0.8, 0.2],
      [-0.5, 0.3, 0.7],
    ];
    expect(infoNce(likeness, 0.5).loss).toBeCloseTo(0.35953, 5);
    expect(infoNce(likeness, 0.1).loss).toBeCloseTo(0.005963, 6);
    expect(
      infoNce(
        likeness.map((row) => row.map(() => 0)),
        0.5,
      ).loss,
    ).toBeCloseTo(Math.log(3), 12);
  });

  it('follow their gradient and separate different opponents', () => {
    const pairs = [
      [
        [0, 1, 0],
        [0, 0],
      ],
      [
        [2, 3],
        [3, 2, 2],
      ],
      [[4], [4, 5]],
    ] as const;
    const made = () => new Encoder(4, 6, rng(1, 'x'));
    const rate = 1e-5;
    const [encoder, moved] = [made(), made()];
    const loss = moved.learn(pairs, { rate, temperature: 0.5 });
    const step = moved.weights.flatMap((row, d) => row.map((value, k) => value - encoder.weights[d]![k]!));
    const after = moved.learn(pairs, { rate: 0, temperature: 0.5 });
    // A step down a slope lowers the loss by the square of its length over the rate.
    expect((after - loss) / (-step.reduce((sum, value) => sum + value * value, 0) / rate)).toBeCloseTo(1, 3);
    const crop = cropOf([1, 2, 3, 4, 5], rng(1, 'crop'));
    expect(crop.length).toBeGreaterThanOrEqual(3);
  });

  it('beat opponents that a policy without them cannot distinguish', async () => {
    const short = [`training.games=${amount(1920, 3200)}`];
    const pennies = await builtInEnvironment('dilemma');
    const paid = async (trainer: Trainer, names: readonly string[]) => {
      const seeds = Array.from({ length: 32 }, (_, i) => i);
      let sum = 0;
      for (const name of names)
        for (const [seat, other] of [
          ['first', 'second'],
          ['second', 'first'],
        ] as const) {
          const cast = { [seat]: trainer.learner.policy(), [other]: opponentBy(name, pennies) };
          for (const log of await rollout(pennies, cast, { seeds, task: { game: 'pennies', rounds: 8 } })) {
            const end = log.at(-1);
            if (end?.kind === 'end') sum += end.returns[seat]! / seeds.length / names.length / 2;
          }
        }
      return sum;
    };
    const [observedTrainer, untold] = [await trained('clam', short), await trained('clam', [...short, 'roles.codes=1'])];
    // Seven of eight rounds can be won at best, since the first is a guess; who is always in doubt wins none on average.
    expect(await paid(observedTrainer, ['allc', 'alld'])).toBeGreaterThan(4.5);
    expect(Math.abs(await paid(untold, ['allc', 'alld']))).toBeLessThan(1.5);
    // One that was never met, which keeps to a side until it is let down.
    expect(await paid(observedTrainer, ['grim'])).toBeGreaterThan(0.5);
  });
});

/** What each latent of a set gives on average, on the first seat. */
async function giftsOf(trainer: Trainer): Promise<readonly number[]> {
  const { all } = await learnersOf(trainer);
  const table = new Tabular();
  await table.load(all!);
  const { sets } = JSON.parse(all!) as { sets: readonly [string, number][] };
  const of = new Map<string, number[]>();
  for (const [key, set] of sets) {
    const latent = key.match(/^first\b[\s\S]*Strategy (\d)/)?.[1];
    if (latent === undefined) continue;
    const mean = table.strategy()[set]!.reduce((sum, chance, gift) => sum + chance * gift, 0);
    of.set(latent, [...(of.get(latent) ?? []), mean]);
  }
  return [...of.values()].map((list) => list.reduce((sum, value) => sum + value, 0) / list.length);
}

describe('a policy set for varying numbers of seats', () => {
  it('fits two untrained numbers of seats, unlike a single policy', async () => {
    const short = ['training.games=3200'];
    const trainer = await trained('mra', short);
    const [three, five] = await trainer.held();
    // Giving four pays a seat 4 · 3.5 / 3 − 4 = 0.67 more with three seats, and 4 · 3.5 / 5 − 4 = 1.2 less with five.
    expect(three!.paid[0]! - three!.paid[1]!).toBeGreaterThan(0.4);
    expect(five!.paid[1]! - five!.paid[0]!).toBeGreaterThan(0.6);
    // What is lost in the two by playing the better of what is there: a policy that gives the same in both loses 0.67 at least.
    const lost = async (trainer: Trainer) => {
      const gifts = await giftsOf(trainer);
      return (3.5 / 3 - 1) * (4 - Math.max(...gifts)) + (1 - 3.5 / 5) * Math.min(...gifts);
    };
    expect(await lost(trainer)).toBeLessThan(0.4);
    expect(await lost(await trained('mra', [...short, 'roles.size=1']))).toBeGreaterThan(0.66);
  });
});

describe('skills under a controller', () => {
  it('update preferences like a gradient bandit', async () => {
    const controller = new Tabular({ optimiser: 'sgd' });
    const policy = { name: 'still', act: () => [] };
    const skills = ['a', 'b', 'c'].map((name) => ({ name, policy, descriptors: {} }));
    const learner = new SkillLearner('x', controller, { skills, weight: 1 });
    // The second skill was used, paid 1 where 0.4 is usual, at a rate of 0.1.
    await learner.forwardBackward([{ tokens: [0, 0, 1], mask: [0, 0, 1], weights: [0, 0, 0.6] }], 'cross_entropy');
    await learner.optimStep({ rate: 0.1 });
    expect(controller.strategy()[0]!.map((value) => Number(value.toFixed(4)))).toEqual(Float64Array.from([0.3266, 0.3468, 0.3266]));
  });

  it('find the weakness of a new opponent, compared with the measured start', async () => {
    const share = async (settings: readonly string[]) => {
      const trainer = await ready('skill-controller', settings);
      const chances = async () => {
        const { controller } = await learnersOf(trainer);
        const table = new Tabular({ optimiser: 'sgd' });
        await table.load(controller!);
        return table.strategy()[0]![1]!;
      };
      const before = await chances();
      await trainer.run(trainer.updates);
      return [before, await chances()] as const;
    };
    // Known opponents punish anyone who defects, so that skill begins as the least likely; one who always cooperates pays it 50 of 50.
    const [before, after] = await share([]);
    expect(before).toBeLessThan(0.2);
    expect(after).toBeGreaterThan(0.9);
    const [still, same] = await share(['training.rate={"from":1e-12,"to":1e-12}']);
    expect(same).toBeCloseTo(still, 6);
  });
});

describe('learners per level of decisions', () => {
  it('learn motions in drills, then strategies over frozen motions, then both', async () => {
    const stages = [60, 15, 10];
    const phases = [{ drill: true }, {}, {}].map((task, i) => ({ name: `stage ${i}`, updates: stages[i], tasks: [task] }));
    const settings = [`phases=${JSON.stringify(phases)}`, `roles.alone=${JSON.stringify(stages.slice(0, 2))}`];
    const trainer = await ready('hcsp', [...settings, 'training.batch=32', `training.games=${32 * 85}`]);
    await trainer.begin();
    const environment = await builtInEnvironment('team-volleyball');
    const drilled = async () => {
      const policy = trainer.learner.policy();
      const seeds = Array.from({ length: 40 }, (_, i) => i);
      const logs = await rollout(environment, { home: policy, guests: policy }, { seeds, task: { drill: true } });
      return logs.reduce((sum, log) => sum + (log.at(-1) as { readonly returns: Record<string, number> }).returns['home']!, 0) / 40;
    };
    const [before, untrained] = [await drilled(), await learnersOf(trainer)];
    await trainer.run(60);
    const skilled = await learnersOf(trainer);
    const earned = await drilled();
    expect(earned).toBeGreaterThan(2 * before);
    expect(skilled['strategy']).toBe(untrained['strategy']);
    await trainer.run(75);
    const strategic = await learnersOf(trainer);
    expect(await drilled()).toBe(earned);
    expect(strategic['strategy']).not.toBe(skilled['strategy']);
    await trainer.run(85);
    expect(await drilled()).not.toBe(earned);
    expect(trainer.mechanism()).toMatchObject({ acted: true, idle: [] });
  });

  it('need asks that name a level', async () => {
    const trainer = await ready('hcsp', [
      'training.environment=kuhn-poker',
      'training.games=128',
      'phases=[{"name":"a","updates":2,"tasks":[{}]}]',
    ]);
    await expect(trainer.run(1)).rejects.toThrow(/of no level/);
  });
});

it('every trained role setup plays by name as it learned', async () => {
  const cwd = folder();
  const dilemma = await builtInEnvironment('dilemma');
  const short = ['--games', '64', '--set', 'training.batch=16'];
  for (const [name, options] of [
    ['skill-controller', []],
    ['clam', short],
    ['mra', short],
  ] as const) {
    expect((await ludus(cwd, ['train', name, ...options])).code).toBe(0);
    const policy = (await loadTrainedModel(`local/${name}-1@last`, cwd)).policy();
    const task = name === 'mra' ? { game: 'goods', players: 3, endowment: 4, rounds: 1 } : name === 'clam' ? { game: 'pennies' } : {};
    const cast = { first: policy, second: opponentBy('allc', dilemma), ...(name === 'mra' && { second: policy, third: policy }) };
    for (const log of await rollout(dilemma, cast, { seeds: [1, 2, 3], task })) {
      const end = log.at(-1);
      expect(end?.kind === 'end' ? end.reason : end?.kind).toBe('over');
      if (name === 'skill-controller' && end?.kind === 'end') expect(end.returns['first']).toBeGreaterThanOrEqual(30);
    }
  }
});
