/** @file Critics: of utterances off policy (ArCHer), bought where they pay (MANSA), traces by length and a critic that learns first (UI-TARS-2). */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Learner } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import { Advantages } from '../advantage.ts';
import { mansa, uiTars2 } from '../recipes/rewards.ts';
import type { EpisodeSample, TurnSample } from '../samples.ts';
import { TrainingLoop } from '../training-loop.ts';
import { BoughtBaseline, type BoughtSettings } from './bought.ts';
import { gae, lengthTrace } from './gae.ts';
import { StateCritic } from './state-critic.ts';
import { UtteranceCritic } from './utterance-critic.ts';

const turn = (read: number, written: number, chance: number, reward = 0): TurnSample => ({
  ...{ read: [read], written: [written], logprobs: [Math.log(chance)], reward, penalty: 0, at: 1 },
});

/** A policy that goes by a table of chances: read, then written. */
const learnerOf = (chances: Readonly<Record<string, number>>) =>
  ({
    logprobs: async (rows: readonly { tokens: ArrayLike<number> }[]) =>
      rows.map(({ tokens }) => [0, Math.log(chances[`${tokens[0]} ${tokens[1]}`] ?? 1)]),
  }) as unknown as Learner;

describe('utterance critic', () => {
  // A uniform policy has filled the replay: go, then good or bad; good is paid.
  const [go, good, bad] = [turn(1, 0, 1), turn(2, 1, 0.5), turn(2, 0, 0.5)];
  const replay = Array.from({ length: 20 }, (_, i) => [
    { turn: go, reward: 0, next: '2' },
    { turn: i % 2 === 0 ? good : bad, reward: i % 2 === 0 ? 1 : 0, next: null },
  ]).flat();

  it('values an old observation under the current policy: 0.855 instead of the return of 0.475', async () => {
    const critic = new UtteranceCritic({ discount: 0.95, room: 100, sweeps: 200 });
    await critic.learn(replay, learnerOf({ '2 1': 0.9, '2 0': 0.1 }));
    expect(critic.worth(go)).toBeCloseTo(0.855, 3);
    expect(critic.advantage(good)).toBeCloseTo(0.1, 3);
    expect(critic.advantage(bad)).toBeCloseTo(-0.9, 3);
    const still = new UtteranceCritic({ discount: 0.95, room: 100, sweeps: 200 });
    await still.learn(replay, learnerOf({ '2 1': 0.5, '2 0': 0.5 }));
    expect(still.worth(go)).toBeCloseTo(0.475, 3);
  });

  it('forgets old samples beyond its capacity and is restored from a checkpoint', async () => {
    const critic = new UtteranceCritic({ discount: 0.95, room: 4, sweeps: 50 });
    await critic.learn(replay, learnerOf({ '2 1': 0.9, '2 0': 0.1 }));
    const again = new UtteranceCritic({ discount: 0.95, room: 4, sweeps: 50 });
    again.read(JSON.parse(JSON.stringify(critic.write())));
    expect(again.worth(go)).toBe(critic.worth(go));
    expect((critic.write()['replay'] as readonly unknown[]).length).toBe(4);
  });
});

describe('critic on network states', () => {
  // Observations 2 and 5 read alike, and so do their utterances; the network tells them from 1.
  const places: Readonly<Record<string, readonly number[]>> = {
    ...{ '1': [1, 0, 0, 0], '1 0': [1, 0, 0, 0], '2': [0, 1, 0, 0], '5': [0, 1, 0, 0] },
    ...{ '2 1': [0, 0, 1, 0], '5 1': [0, 0, 1, 0], '2 0': [0, 0, 0, 1], '5 0': [0, 0, 0, 1] },
  };
  const network = (good: number) =>
    ({
      ...learnerOf({ '2 1': good, '2 0': 1 - good }),
      states: async (texts: readonly (readonly number[])[]) => texts.map((text) => places[text.join(' ')]!),
    }) as unknown as Learner;
  const [go, good, bad] = [turn(1, 0, 1), turn(2, 1, 0.5), turn(2, 0, 0.5)];
  const replay = Array.from({ length: 20 }, (_, i) => [
    { turn: go, reward: 0, next: '2' },
    { turn: i % 2 === 0 ? good : bad, reward: i % 2 === 0 ? 1 : 0, next: null },
  ]).flat();
  const critic = async (chance: number) => {
    const stateCritic = new StateCritic({ discount: 0.95, room: 100, sweeps: 60 });
    await stateCritic.learn(replay, network(chance));
    return stateCritic;
  };

  it('generalizes to a similar utterance, which a table cannot', async () => {
    const stateCritic = await critic(0.9);
    expect(await stateCritic.worth({ read: [5], written: [1] }, network(0.9))).toBeCloseTo(1, 1);
    expect(await stateCritic.worth({ read: [5], written: [0] }, network(0.9))).toBeCloseTo(0, 1);
    const table = new UtteranceCritic({ discount: 0.95, room: 100, sweeps: 200 });
    await table.learn(replay, network(0.9));
    expect(table.worth(turn(5, 1, 0.5))).toBe(0);
  });

  it('values an old observation under the current policy, and is restored from a checkpoint', async () => {
    const [today, still] = [await critic(0.9), await critic(0.5)];
    // As the table has it: 0.855 and 0.475, but for what the price on weights takes.
    expect(await today.worth(go, network(0.9))).toBeCloseTo(0.855, 1);
    expect(await still.worth(go, network(0.5))).toBeCloseTo(0.475, 1);
    expect(today.advantage(good)).toBeCloseTo(0.1, 1);
    expect(today.advantage(bad)).toBeCloseTo(-0.9, 1);
    const again = new StateCritic({ discount: 0.95, room: 100, sweeps: 60 });
    again.read(JSON.parse(JSON.stringify(today.write())));
    expect(await again.worth(go, network(0.9))).toBe(await today.worth(go, network(0.9)));
  });

  it('rejects a learner without states', async () => {
    const stateCritic = new StateCritic({ discount: 0.95, room: 10, sweeps: 1 });
    await expect(stateCritic.learn(replay, new Tabular())).rejects.toThrow(/has no states for a critic\. Set training\.learner to/);
  });
});

describe('bought central critic', () => {
  /** In state A the return hangs on what is hidden; in B it does not. */
  function visits(cost: number) {
    const baseline = new BoughtBaseline({ cost, decay: 0.9 });
    const boughtBaseline = new BoughtBaseline({ cost: Number.POSITIVE_INFINITY, decay: 0.9 });
    const matches = Array.from({ length: 400 }, (_, i) => {
      const hidden = i % 4 < 2 ? 'x' : 'y';
      const [state, returned] = i % 2 === 0 ? (['A', hidden === 'x' ? 1 : -1] as const) : (['B', 0.5] as const);
      return [baseline.advantage(state, hidden, returned), boughtBaseline.advantage(state, hidden, returned)] as const;
    });
    return { baseline, found: matches };
  }

  it('is bought only in the state that needs it', () => {
    const { baseline } = visits(0.2);
    expect([baseline.buys('A'), baseline.buys('B')]).toEqual([true, false]);
    expect(baseline.share).toBeGreaterThan(0.4);
    expect(baseline.share).toBeLessThan(0.5);
  });

  it('has a price in units of return that rewards of 0 and 1 can cover', () => {
    const baseline = new BoughtBaseline({ cost: 0.2, decay: 0.9 });
    for (let i = 0; i < 400; i++) baseline.advantage('A', i % 4 < 2 ? 'x' : 'y', i % 4 < 2 ? 1 : 0);
    expect(baseline.buys('A')).toBe(true);
    expect(baseline.used[0]).toBeGreaterThan(300);
  });

  it('is bought by a learned switch where it pays, within its budget', () => {
    const learned = (settings: Partial<BoughtSettings>) => {
      const baseline = new BoughtBaseline({ cost: 0.2, decay: 0.9, switch: 'learned', ...settings });
      // In state A the return hangs on what is hidden; in B it does not.
      for (let i = 0; i < 800; i++) {
        const hidden = i % 4 < 2 ? 'x' : 'y';
        if (i % 2 === 0) baseline.advantage('A', hidden, hidden === 'x' ? 1 : 0);
        else baseline.advantage('B', hidden, 0.5);
      }
      return baseline;
    };
    const plain = learned({});
    expect([plain.buys('A'), plain.buys('B')]).toEqual([true, false]);
    // Half of the returns are of A; the rest are tries.
    expect(plain.share).toBeGreaterThan(0.4);
    expect(plain.share).toBeLessThan(0.56);
    expect(learned({ cost: 0.9 }).buys('A')).toBe(false);
    expect(learned({ budget: 0.1 }).share).toBeLessThanOrEqual(0.1);
    const again = new BoughtBaseline({ cost: 0.2, decay: 0.9, switch: 'learned' });
    again.read(JSON.parse(JSON.stringify(plain.write())));
    expect(again.advantage('A', 'x', 1)).toBe(plain.advantage('A', 'x', 1));
  });

  it('is never bought above its value, and then changes nothing', () => {
    const { baseline, found } = visits(5);
    expect(baseline.share).toBe(0);
    expect(found.every(([value, other]) => value === other)).toBe(true);
  });

  it('is bought in some states of Kuhn poker by the recipe', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const loop = new TrainingLoop(
      { ...mansa, training: { ...mansa.training, games: 1280, batch: 64 } },
      { environment, learner: new Tabular(), seed: 1 },
    );
    await loop.run();
    const { bought, asked } = ((await loop.save()).lessons['advantages'] as Record<string, Record<string, number>>)['bought']!;
    expect(bought).toBeGreaterThan(0);
    expect(bought).toBeLessThan(asked!);
  });
});

describe('length-adaptive trace', () => {
  it('approaches one for longer episodes and is never negative', () => {
    expect([20, 40, 100, 200, 1000, 5].map((length) => lengthTrace(0.05, length))).toEqual([0, 0.5, 0.8, 0.9, 0.98, 0]);
  });

  it('applies only to the policy, and the critic learns the full return', () => {
    const [rewards, values] = [
      [0, 0, 0, 1],
      [0.2, 0.3, 0.5, 0.8],
    ];
    const trace = lengthTrace(0.5, 4);
    const round = (list: ArrayLike<number>) => Array.from(list, (value) => Math.round(1e4 * value) / 1e4);
    expect(round(gae({ rewards, values, discount: 1, trace }))).toEqual([0.3, 0.4, 0.4, 0.2]);
    expect(round(gae({ rewards, values, discount: 1, trace: 1 }).map((value, i) => value + values[i]!))).toEqual([1, 1, 1, 1]);
    expect(round(gae({ rewards, values, discount: 1, trace: 0.95 }))).toEqual([0.7322, 0.6655, 0.49, 0.2]);
  });

  it('waits during the critic warm-up, in which the policy does not change', () => {
    const { baseline } = uiTars2;
    const advantages = new Advantages({ ...uiTars2, baseline: { ...baseline, warm: 2 } as typeof baseline });
    const episode = { environment: 'e', seat: 's', prompt: 0, game: 0, turns: [turn(1, 0, 1), turn(2, 0, 1, 1)], returned: 1 };
    const of = () =>
      advantages.of([{ ...episode, invalid: 0, truncated: false } as EpisodeSample]).map((arrayLike) => Array.from(arrayLike as number[]));
    expect([of(), of()]).toEqual([[[0, 0]], [[0, 0]]]);
    const [[first, second]] = of() as [[number, number]];
    // Its values have risen by two steps of a tenth towards one.
    expect(second).toBeCloseTo(1 - 0.19, 9);
    expect(first).toBeCloseTo(0.5 * (1 - 0.19), 9);
  });
});
