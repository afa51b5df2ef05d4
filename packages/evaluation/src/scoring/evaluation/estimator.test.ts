/** @file The one estimator: what a table shows and what a comparison says are the same numbers, and their intervals hold what they say. */

import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { tQuantile } from '../statistics/distributions.ts';
import { chooseOver, type Over } from '../statistics/estimator.ts';
import { contest, type ScoreRow, standingsOf, summaryOf } from './index.ts';

function row(part: Partial<ScoreRow>): ScoreRow {
  const base = { episode: 'e', scene: 'one', task: 't', seed: 0, seat: 'first', agent: 'a', company: '{}', end: 'over' } as const;
  return { ...base, value: 1, status: 'ok', passed: null, ...part };
}

/** A run as untidy as runs are: scenes of unequal size that share tasks, other company, several seats, repeats, and values that are missing. */
function anyRun(dice: Rng): readonly ScoreRow[] {
  const binary = dice.int(2) === 0;
  const scenes = 1 + dice.int(5);
  return Array.from({ length: scenes }, (_, s) => {
    const tasks = 1 + dice.int(6);
    const seeds = 2 + dice.int(4);
    const seats = dice.int(2) === 0 ? ['first'] : ['first', 'second'];
    return ['a', 'b'].flatMap((agent) =>
      Array.from({ length: tasks }, (_, t) =>
        Array.from({ length: seeds }, (_, seed) =>
          seats.map((seat) => {
            const value = dice.int(8) === 0 && t + seed > 0 ? null : binary ? dice.int(2) : dice.next();
            return row({ agent, scene: `s${s}`, task: `t${t}`, seed, seat, company: `{"other":"house:${s}"}`, value });
          }),
        ).flat(),
      ).flat(),
    );
  }).flat();
}

const side = (rows: readonly ScoreRow[], name: string) => ({ name, rows: rows.filter(({ agent }) => agent === name) });

describe('any run', () => {
  it('has comparisons equal to the differences of its table, counting every episode once', () => {
    for (let run = 0; run < amount(30, 400); run++) {
      const rows = anyRun(rng(run, 'any-run'));
      const { agents } = standingsOf(rows, { nulls: ['b'] });
      const mean = (name: string) => agents.find(({ agent }) => agent === name)?.value as number;
      const comparison = contest(side(rows, 'a'), side(rows, 'b'));
      expect(Math.abs(comparison.difference - (mean('a') - mean('b')))).toBeLessThanOrEqual(1e-12);
      expect(Math.abs((agents.find(({ agent }) => agent === 'a')?.lift?.value as number) - comparison.difference)).toBeLessThanOrEqual(
        1e-12,
      );
      expect(2 * comparison.pairs + comparison.unpaired + comparison.missing + comparison.leftOut).toBe(rows.length);
      expect(comparison.interval[0]).toBeLessThanOrEqual(comparison.interval[1]);
    }
  });

  it('has comparisons that only change their sign when reversed', () => {
    for (let run = 0; run < amount(25, 50); run++) {
      const rows = anyRun(rng(run, 'turned'));
      const [forth, back] = [contest(side(rows, 'a'), side(rows, 'b')), contest(side(rows, 'b'), side(rows, 'a'))];
      expect(forth.difference).toBeCloseTo(-back.difference, 12);
      expect(forth.interval[0]).toBeCloseTo(-back.interval[1], 12);
      expect(forth.p).toBeCloseTo(back.p, 12);
    }
  });

  it('omits and counts scenes that only one agent has played', () => {
    const rows = [0, 1, 2].flatMap((seed) => [row({ seed }), row({ seed, scene: 'two' }), row({ seed, agent: 'b', value: 0 })]);
    expect(contest(side(rows, 'a'), side(rows, 'b'))).toMatchObject({ difference: 1, pairs: 3, unpaired: 0, leftOut: 3 });
  });
});

describe('a task with more episodes than others', () => {
  /** Values of each task, one for each seed. */
  const make = (agent: string, values: readonly (readonly number[])[]) =>
    values.flatMap((tries, t) =>
      tries.map((value, seed) => row({ agent, episode: `${t} ${seed}`, task: `t${t}`, seed, value, passed: value === 1 })),
    );

  it('counts once in the mean and the interval over tasks', () => {
    // Means of the tasks 10, 0 and 5: their mean is 5, their variance 25, the error √(25 / 3) = 2.88675, and t at 2 is 4.302653.
    const summary = summaryOf(make('a', [[10], [0, 0, 0, 0], [2, 8, 4, 6]]), { over: 'tasks' });
    expect(summary).toMatchObject({ value: 5, tasks: 3, episodes: 9 });
    expect(summary?.interval?.[0]).toBeCloseTo(5 - 12.42069, 4);
    expect(summary?.interval?.[1]).toBeCloseTo(5 + 12.42069, 4);
  });

  it('counts once in the mean and the interval over seeds', () => {
    // Means 1.5 and 4; variances of these means (1/2) / 2 and (8/3) / 4, each halved twice in their mean.
    const rows = make('a', [
      [1, 2],
      [2, 4, 4, 6],
    ]);
    const summary = summaryOf(rows, { over: 'seeds' });
    expect(summary?.value).toBe(2.75);
    const [first, second] = [1 / 2 / 2 / 4, 8 / 3 / 4 / 4];
    // One and three degrees of freedom, by Satterthwaite.
    const half = ((summary?.interval?.[1] as number) - (summary?.interval?.[0] as number)) / 2;
    const df = (first + second) ** 2 / (first ** 2 / 3 + second ** 2 / 5) - 2;
    expect(half).toBeCloseTo(tQuantile(0.975, df) * Math.sqrt(first + second), 9);
  });

  it('counts once in pass^1, in a scene, and in a difference', () => {
    const rows = [...make('a', [[1], [0, 0, 0, 0], [0, 0, 0, 0]]), ...make('b', [[0], [0, 0, 0, 0], [1, 0, 1, 0]])];
    const { agents } = standingsOf(rows, { k: [1] });
    const [a, b] = ['a', 'b'].map((name) => agents.find(({ agent }) => agent === name)!);
    expect([a?.value, a?.pass[1], a?.scenes[0]?.value]).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect([b?.value, b?.pass[1]]).toEqual([1 / 6, 1 / 6]);
    expect(contest(side(rows, 'a'), side(rows, 'b')).difference).toBeCloseTo(1 / 6, 12);
  });
});

describe('an agent in both seats of a constant-sum game', () => {
  it('has no interval for its constant mean, unlike against another agent', () => {
    const game = (agent: string, other: string, won: readonly number[]) =>
      won.flatMap((value, seed) => [
        row({ agent, episode: `${agent}${seed}`, seed, seat: 'first', value }),
        row({ agent: other, episode: `${agent}${seed}`, seed, seat: 'second', value: -value }),
      ]);
    const [itself] = standingsOf(game('a', 'a', [2, -1, 1, 2, -2])).agents;
    expect(itself).toMatchObject({ value: 0, interval: null, episodes: 5, values: 10 });
    // Returns 2, −1, 1, 2, −2: mean 0.4, variance 3.3, error √(3.3 / 5) = 0.812404, and t at 4 is 2.776445.
    const against = standingsOf(game('a', 'b', [2, -1, 1, 2, -2])).agents.find(({ agent }) => agent === 'a');
    expect(against?.interval?.[0]).toBeCloseTo(0.4 - 2.255595, 5);
    expect(against?.interval?.[1]).toBeCloseTo(0.4 + 2.255595, 5);
    // Two agents that play alike, on swapped seats, cancel out by what they did: 1, 1, −1, −1 has the variance 4/3, and t at 1 is 12.7062.
    const swapped = [...game('a', 'b', [1, 1]), ...game('b', 'a', [1, 1])];
    const alike = standingsOf(swapped).agents.find(({ agent }) => agent === 'a');
    expect(alike?.value).toBe(0);
    expect(alike?.interval?.[1]).toBeCloseTo(12.7062 * Math.sqrt(1 / 3), 3);
    const points = game('a', 'a', [1, 0, 1]).map((item) => ({ ...item, value: item.seat === 'first' ? item.value : 1 + item.value! }));
    expect(standingsOf(points).agents).toMatchObject([{ value: 0.5, interval: null }]);
  });
});

describe('scenes with the same task and seed but different opponents', () => {
  it('are not pooled in comparisons', () => {
    const make = (agent: string, won: (scene: number) => boolean) =>
      Array.from({ length: 8 }, (_, scene) =>
        [0, 1, 2, 3].map((seed) =>
          row({ agent, scene: `s${scene}`, company: `{"visitor":"house:${scene}"}`, seed, value: won(scene) ? 1 : 0 }),
        ),
      ).flat();
    const rows = [...make('a', (scene) => scene < 6), ...make('b', () => false)];
    const comparison = contest(side(rows, 'a'), side(rows, 'b'));
    expect(comparison).toMatchObject({ difference: 0.75, better: 'a', pairs: 32, unpaired: 0 });
  });
});

describe('the population of an interval', () => {
  it('is new tasks if there are enough, otherwise new seeds, and impossible choices are rejected', () => {
    const tasks = (n: number, scene = 'one') => Array.from({ length: n }, (_, t) => row({ task: `t${t}`, scene }));
    expect(chooseOver(tasks(10))).toBe('tasks');
    expect(chooseOver(tasks(9))).toBe('seeds');
    expect(chooseOver([...tasks(10), row({ scene: 'two' })])).toBe('seeds');
    expect(chooseOver(tasks(10), 'seeds')).toBe('seeds');
    expect(() => chooseOver([...tasks(10), row({ scene: 'two' })], 'tasks')).toThrow('but "two" has one. Use an interval over seeds.');
  });

  it('makes the interval of 50 tasks with 4 tries as wide as the tasks differ', () => {
    const dice = rng(1, 'tau');
    const rows = Array.from({ length: 50 }, (_, t) => {
      const rate = dice.next() < 0.42 ? 0.85 : 0.1;
      return [0, 1, 2, 3].map((seed) => row({ task: `t${t}`, seed, value: dice.next() < rate ? 1 : 0 }));
    }).flat();
    const width = (over: Over) => {
      const [low, high] = summaryOf(rows, { over })?.interval ?? [0, 0];
      return (high - low) / 2;
    };
    expect(width('tasks')).toBeGreaterThan(1.8 * width('seeds'));
    expect(summaryOf(rows)).toEqual(summaryOf(rows, { over: 'tasks' }));
  });
});

/** Two scenes of unequal size, two agents on the same tasks and seeds: tasks are easy or hard, and agents are good at different ones. */
interface Design {
  readonly tasks: number;
  readonly seeds: number;
  readonly binary: boolean;
  /** Some tasks are played up to twice more often than others. */
  readonly unequal: boolean;
}

function draw(dice: Rng, { tasks, seeds, binary, unequal }: Design) {
  const cut = (x: number) => Math.min(0.97, Math.max(0.03, x));
  const rows: ScoreRow[] = [];
  const rates: Record<string, number[][]> = { a: [[], []], b: [[], []] };
  for (const scene of [0, 1])
    for (let t = 0; t < tasks * (scene + 1); t++) {
      const shared = 0.25 + 0.5 * dice.next();
      for (const [agent, skill] of [
        ['a', 0.08],
        ['b', 0],
      ] as const) {
        const rate = cut(shared + skill + 0.4 * (dice.next() - 0.5));
        rates[agent]?.[scene]?.push(rate);
        for (let seed = 0; seed < seeds + (unequal ? t % 3 : 0); seed++) {
          const value = binary ? Number(dice.next() < rate) : rate + dice.next() - 0.5 + 2;
          rows.push(row({ agent, scene: `s${scene}`, task: `s${scene} t${t}`, seed, value }));
        }
      }
    }
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const truth = (agent: string) => mean(rates[agent]!.map(mean)) + (binary ? 0 : 2);
  return { rows, truth: { a: truth('a'), b: truth('b') } };
}

const runs = amount(100, 2000);
/** Four standard errors of a share of 95%: 0.02 for 2,000 runs. */
const slack = 0.02 * Math.sqrt(2000 / runs);

/** How often the intervals of a mean and of a difference hold what they speak about. */
function coverage(design: Design, over: Over) {
  // Over tasks, the truth is the mean over all tasks there could be: found from very many of them.
  const world = draw(rng(0, 'world'), { ...design, tasks: 20_000, seeds: 1 }).truth;
  const current = { mean: 0, difference: 0 };
  for (let run = 0; run < runs; run++) {
    const { rows, truth } = draw(rng(run, 'coverage'), design);
    const aim = over === 'seeds' ? truth : world;
    const [low, high] = summaryOf(side(rows, 'a').rows, { over })?.interval ?? [0, 0];
    if (low <= aim.a && aim.a <= high) current.mean++;
    const { interval } = contest(side(rows, 'a'), side(rows, 'b'), { over });
    if (interval[0] <= aim.a - aim.b && aim.a - aim.b <= interval[1]) current.difference++;
  }
  return { mean: current.mean / runs, difference: current.difference / runs };
}

describe('a 95% interval covers the truth 93 to 97 times in 100', () => {
  for (const over of ['seeds', 'tasks'] as const)
    for (const design of [
      { tasks: 10, seeds: 4, binary: true, unequal: false },
      { tasks: 5, seeds: 3, binary: false, unequal: false },
      { tasks: 12, seeds: 2, binary: false, unequal: true },
    ])
      it(`over ${over}: ${design.tasks} and ${2 * design.tasks} tasks × ${design.seeds} seeds${design.unequal ? ' or more' : ''}, ${design.binary ? 'rates' : 'returns'}`, {
        timeout: 120_000,
      }, () => {
        const current = coverage(design, over);
        for (const share of [current.mean, current.difference]) expect(Math.abs(share - 0.95)).toBeLessThanOrEqual(slack);
      });

  it('does not cover new tasks if it is over seeds (control)', () => {
    const design = { tasks: 10, seeds: 4, binary: true, unequal: false };
    const world = draw(rng(0, 'world'), { ...design, tasks: 20_000, seeds: 1 }).truth;
    let held = 0;
    for (let run = 0; run < 300; run++) {
      const [low, high] = summaryOf(side(draw(rng(run, 'coverage'), design).rows, 'a').rows, { over: 'seeds' })?.interval ?? [0, 0];
      if (low <= world.a && world.a <= high) held++;
    }
    expect(held / 300).toBeLessThan(0.9);
  });
});
