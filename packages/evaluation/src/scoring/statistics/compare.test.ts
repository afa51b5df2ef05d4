import { type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { compare } from './compare.ts';
import type { Observation } from './paired.ts';
import { episodesFor, episodesForMeans, episodesForRates } from './power.ts';

const list = (values: readonly (number | null)[], task = (seed: number) => `t${seed}`): Observation[] =>
  values.map((value, seed) => ({ task: task(seed), seed, value }));
const agent = (name: string, results: readonly Observation[]) => ({ name, results });

/** Two 0/1 scores with the given rates and correlation. */
function coins(dice: Rng, rates: readonly [number, number], correlation: number): [number, number] {
  const [p, q] = rates;
  const both = p * q + correlation * Math.sqrt(p * (1 - p) * q * (1 - q));
  const roll = dice.next();
  if (roll < both) return [1, 1];
  if (roll < p) return [1, 0];
  return [0, roll < p + q - both ? 1 : 0];
}

function bell(dice: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}

const runs = amount(120, 1000);
/** A bound for 1,000 runs, loosened by as many standard errors as fewer runs are less exact. */
const atLeast = (share: number) => share - 3 * Math.sqrt(share * (1 - share)) * (1 / Math.sqrt(runs) - 1 / Math.sqrt(1000));

/** The share of runs in which `first`, `second`, and neither was better. */
function verdicts(play: (dice: Rng) => readonly (readonly [number, number])[], tasks?: (seed: number) => string) {
  const tally = { first: 0, second: 0, nobody: 0 };
  for (let run = 0; run < runs; run++) {
    const scores = play(rng(run, 'compare'));
    const of = (side: 0 | 1) =>
      list(
        scores.map((score) => score[side]),
        tasks,
      );
    const { better } = compare(agent('first', of(0)), agent('second', of(1)));
    tally[(better as 'first' | 'second' | null) ?? 'nobody'] += 1 / runs;
  }
  return tally;
}

describe('two identical agents', () => {
  const many = (n: number, one: (dice: Rng) => readonly [number, number]) => (dice: Rng) => Array.from({ length: n }, () => one(dice));

  it('are rejected if one side has too few scored episodes, naming that side', () => {
    const scored = agent('scored', list([1, 0]));
    const empty = agent('empty', list([null, null]));
    for (const [a, b] of [
      [scored, empty],
      [empty, scored],
    ] as const)
      expect(() => compare(a, b)).toThrow(expect.objectContaining({ details: { side: 'empty', scored: 0 } }));
  });

  it('show no difference in rates at least 94 times in 100, paired or not, for any sample size', () => {
    for (const [n, rate, correlation] of [
      [100, 0.5, 0],
      [40, 0.8, 0.5],
      [300, 0.1, 0.3],
    ] as const)
      expect(verdicts(many(n, (dice) => coins(dice, [rate, rate], correlation))).nobody).toBeGreaterThanOrEqual(atLeast(0.94));
  });

  it('show no difference in returns at least 94 times in 100', () => {
    const deal = many(60, (dice) => {
      const shared = bell(dice);
      return [3 * shared + bell(dice), 3 * shared + bell(dice)];
    });
    expect(verdicts(deal).nobody).toBeGreaterThanOrEqual(atLeast(0.94));
  });

  it('show no difference over tasks at which each is good, unlike without task clustering', () => {
    const play = (dice: Rng) =>
      Array.from({ length: 30 }, () => {
        const tilt = 0.35 * bell(dice);
        const rates = [Math.min(1, Math.max(0, 0.5 + tilt)), Math.min(1, Math.max(0, 0.5 - tilt))] as const;
        return Array.from({ length: 4 }, () => coins(dice, rates, 0));
      }).flat();
    const task = (seed: number) => `t${Math.floor(seed / 4)}`;
    expect(verdicts(play, task).nobody).toBeGreaterThanOrEqual(atLeast(0.94));
    expect(verdicts(play).nobody).toBeLessThan(0.9);
  });
});

describe('a planted difference of 10 points', () => {
  it('is found at least 78 times in 100 with the planned number of episodes', () => {
    for (const correlation of [0, 0.3, 0.7]) {
      const n = episodesForRates({ rate: 0.45, difference: 0.1, correlation });
      const match = verdicts((dice) => Array.from({ length: n }, () => coins(dice, [0.55, 0.45], correlation)));
      expect(match.first).toBeGreaterThanOrEqual(atLeast(0.78));
      expect(match.second).toBeLessThanOrEqual(Math.max(0.002, 1 / runs));
    }
  });

  it('is also found in returns and over repeated tasks', () => {
    const n = episodesForMeans({ difference: 0.5, deviation: 2, correlation: 0.75 });
    const returns = (dice: Rng) =>
      Array.from({ length: n }, () => {
        const shared = Math.sqrt(3) * bell(dice);
        return [shared + bell(dice) + 0.5, shared + bell(dice)] as const;
      });
    expect(verdicts(returns).first).toBeGreaterThanOrEqual(atLeast(0.78));
    const tasks = episodesFor(2 + 2 / 3, 0.5);
    const repeated = (dice: Rng) =>
      Array.from({ length: tasks }, () => {
        const [own, other] = [bell(dice), bell(dice)];
        return Array.from({ length: 3 }, () => [own + bell(dice) + 0.5, other + bell(dice)] as const);
      }).flat();
    expect(verdicts(repeated, (seed) => `t${Math.floor(seed / 3)}`).first).toBeGreaterThanOrEqual(atLeast(0.78));
  });

  it('comes with the number of additional episodes needed, which suffices', () => {
    const dice = rng(7, 'needed');
    const play = (n: number) => Array.from({ length: n }, () => coins(dice, [0.5, 0.5], 0.3));
    const scores = play(200);
    const sides = (all: readonly (readonly [number, number])[]) =>
      [agent('A', list(all.map((item) => item[0]))), agent('B', list(all.map((item) => item[1])))] as const;
    const { needed } = compare(...sides(scores));
    // The plan for a correlation of .3 is 1,094 pairs; the estimate of it comes from 200.
    expect(Math.abs((needed as number) + 200 - 1094)).toBeLessThan(200);
    const after = compare(...sides([...scores, ...play(needed as number)]));
    expect(after.needed as number).toBeLessThan(150);
  });
});

describe('the text of a verdict', () => {
  const ones = (n: number, of: number) => list(Array.from({ length: of }, (_, i) => (i < n ? 1 : 0)));

  it('names the better agent, the difference, the certainty, and the scope', () => {
    const { words, better, difference, p } = compare(agent('A', ones(60, 100)), agent('B', ones(40, 100)));
    expect(words).toBe(
      'A is better than B by 20 points (95% 11.3 to 27.9) over 100 paired episodes. This covers new tasks like these 100.',
    );
    expect(better).toBe('A');
    expect(difference).toBeCloseTo(0.2, 12);
    expect(p).toBeLessThan(0.001);
    const turned = compare(agent('A', ones(60, 100)), agent('B', ones(40, 100)), { higherIsBetter: false });
    expect(turned.better).toBe('B');
    expect(compare(agent('B', ones(40, 100)), agent('A', ones(60, 100))).words).toBe(words);
  });

  it('states how many more episodes would show the requested difference', () => {
    const dice = rng(3, 'words');
    const scores = Array.from({ length: 240 }, () => coins(dice, [0.5, 0.5], 0.5));
    const { words } = compare(agent('A', list(scores.map((score) => score[0]))), agent('B', list(scores.map((score) => score[1]))));
    expect(words).toMatch(
      /^No significant difference between A and B: −?\d+(\.\d)? points? \(95% −\d+\.\d to \d+\.\d\) over 240 paired episodes; \d{3} more would show 5 points with 80% power\. This covers new tasks like these 240\.$/,
    );
    const close = compare(agent('A', ones(500, 2000)), agent('B', ones(503, 2000)));
    expect(close.words).toContain('they are within 5 points of each other');
  });

  it('requires more than five wins in five to name a winner', () => {
    expect(compare(agent('A', ones(5, 5)), agent('B', ones(0, 5))).better).toBeNull();
    expect(compare(agent('A', ones(6, 6)), agent('B', ones(0, 6))).better).toBe('A');
    for (const n of [20, 100, 1000]) {
      expect(compare(agent('A', ones(5, n)), agent('B', ones(0, n))).better).toBeNull();
      expect(compare(agent('A', ones(6, n)), agent('B', ones(0, n))).better).toBe('A');
    }
    const chips = compare(agent('A', list([3, 3, 3, 3, 3])), agent('B', list([1, 1, 1, 1, 1])));
    expect(chips.better).toBeNull();
  });

  it('keeps an interval for equal scores, because unseen outcomes may still happen', () => {
    const scores = [0.2, 0.5, 0.7, 0.9];
    const unit = compare(agent('A', list(scores)), agent('B', list(scores)));
    // Clopper and Pearson: nothing in 4 tries may still be 60.2 % of what is to come.
    expect(unit.interval[1]).toBeCloseTo(0.602, 3);
    expect(unit.interval[0]).toBeCloseTo(-0.602, 3);
    const returns = compare(agent('A', list([2, 5, 7, 12])), agent('B', list([2, 5, 7, 12])));
    expect(returns.interval[1]).toBeCloseTo(10 * 0.602, 2);
    expect([unit.better, unit.p, returns.better, returns.p]).toEqual([null, 1, null, 1]);
  });

  it('states returns in their unit, the scope of few tasks, and the absence of variation', () => {
    const few = compare(
      agent(
        'A',
        list([5, 7, 6, 9, 8, 7], (seed) => `t${seed % 3}`),
      ),
      agent(
        'B',
        list([1, 2, 3, 3, 5, 2], (seed) => `t${seed % 3}`),
      ),
    );
    expect(few.words).toMatch(
      /^A is better than B by 4\.33 \(95% .*over 6 paired episodes\. This covers new seeds of these 3 tasks, not other tasks\.$/,
    );
    const same = compare(agent('A', list([4, 4])), agent('B', list([4, 4])));
    expect(same.needed).toBeNull();
    expect(same.words).toContain('0 (no interval) over 2 paired episodes; both score the same everywhere, so the required');
  });

  it('compares unpaired episodes if none can be paired, and corrects for repeated looks', () => {
    const a = agent('A', ones(60, 100));
    const b = agent(
      'B',
      ones(40, 100).map((observation) => ({ ...observation, seed: observation.seed + 1000 })),
    );
    const apart = compare(a, b, { over: 'seeds' });
    expect(apart.paired).toBe(false);
    expect(apart.words).toContain('at least 100 unpaired episodes of each');
    expect(apart.interval[0]).toBeCloseTo(0.0614, 2);
    const once = compare(a, agent('B', ones(40, 100)));
    const often = compare(a, agent('B', ones(40, 100)), { looks: 20 });
    expect(often.interval[0]).toBeLessThan(once.interval[0]);
    expect(often.p).toBeCloseTo(20 * once.p, 12);
  });

  it('counts missing values and rejects incomparable sides', () => {
    const comparison = compare(agent('A', list([1, null, 0, 1])), agent('B', list([0, 1, 1, 0])));
    expect([comparison.n, comparison.missing, comparison.unpaired]).toEqual([3, 1, 1]);
    expect(() => compare(agent('A', []), agent('B', list([1, 2])))).toThrow('A has 0');
    expect(() => compare(agent('A', list([1, 2])), agent('B', list([1, 2])), { looks: 0.5 })).toThrow('looks');
    const one = () => 'same';
    expect(() => compare(agent('A', list([1, 2], one)), agent('B', list([3, 2], one)), { over: 'tasks' })).toThrow('over seeds');
  });
});
