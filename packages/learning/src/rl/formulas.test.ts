/** @file Every advantage, loss and aggregation against numbers worked out by hand, and the invariants of all advantages. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { anchorAdvantages } from './baselines/anchor.ts';
import { archerAdvantage, archerTarget, softUpdate, ValueTable } from './baselines/critic.ts';
import { gae, twoLevelGae } from './baselines/gae.ts';
import { deviation, type GroupRule, groupAdvantages } from './baselines/group.ts';
import { RunningBaseline } from './baselines/running.ts';
import { aggregate, shares } from './losses/aggregate.ts';
import { outside, PastEntropy } from './losses/band.ts';
import { imitation, imitationShare, phi, without } from './losses/imitation.ts';
import { klEstimate } from './losses/kl.ts';
import { dpo, episodeLogRatio, kto, ktoBase, sppo, winChances } from './losses/preference.ts';
import { ratioOf, surrogate } from './losses/surrogate.ts';
import { humanGain, informationGain, outcome, returnToGo, winRate } from './rewards.ts';
import { cosine } from './schedule.ts';

const near = (arrayLike: ArrayLike<number>, wanted: readonly number[], digits = 4) => {
  expect(arrayLike.length).toBe(wanted.length);
  wanted.forEach((value, i) => {
    expect(arrayLike[i]).toBeCloseTo(value, digits);
  });
};
const one = (rewards: readonly number[]) => rewards.map(() => 0);
const grpo: GroupRule = { center: 'mean', scale: 'std' };
const drGrpo: GroupRule = { center: 'mean', scale: 'none' };
const rloo: GroupRule = { center: 'leave-one-out', scale: 'none' };

describe('group advantages', () => {
  it.each([
    ['GRPO', grpo, [1, 0, 0, 1], [0.866, -0.866, -0.866, 0.866]],
    ['GRPO', grpo, [1, 0, 0, 0], [1.5, -0.5, -0.5, -0.5]],
    ['GRPO', grpo, [0.2, 0.9, 0.4, 0.5], [-1.019, 1.3587, -0.3397, 0]],
    ['Dr. GRPO', drGrpo, [1, 0, 0, 0], [0.75, -0.25, -0.25, -0.25]],
    ['RLOO', rloo, [1, 0, 0, 0], [1, -1 / 3, -1 / 3, -1 / 3]],
    ['LOOP', rloo, [1, 0.5, 0, 0, 0, 0.25], [0.85, 0.25, -0.35, -0.35, -0.35, -0.05]],
  ] as const)('of %s match for %j', (_, rule, rewards, wanted) => {
    near(groupAdvantages(rewards, one(rewards), rule), wanted, 3);
  });

  it('of MARSHAL center returns-to-go over the turns of one agent', () => {
    const turns = [...returnToGo([0, 0, 1]), ...returnToGo([0, -1])];
    near(groupAdvantages(turns, one(turns), drGrpo), [0.8, 0.8, 0.8, -1.2, -1.2]);
  });

  it('of Dr. MAS are computed per agent', () => {
    const rewards = [1, 0, 1, 0, 0, 0, 1];
    near(groupAdvantages(rewards, [0, 0, 0, 0, 1, 1, 1], grpo), [0.866, -0.866, 0.866, -0.866, -0.5774, -0.5774, 1.1547], 3);
    const pooled = groupAdvantages(rewards, one(rewards), grpo);
    near([pooled[0]!, pooled[1]!], [1.069, -0.8018], 3);
  });

  it('of CM2 subtract the mean of the turns of a prompt', () => {
    near(groupAdvantages([0.6, 0.2, 1, 0.6, 0.2, 0.4], one([0, 0, 0, 0, 0, 0]), drGrpo), [0.1, -0.3, 0.5, 0.1, -0.3, -0.1]);
  });

  it('of REINFORCE++ divide by the standard deviation of the batch', () => {
    const tokens = [1, 1, 0, 0, 0, 0, 1, 1];
    expect(deviation(tokens)).toBeCloseTo(0.53452, 5);
    near(
      groupAdvantages(tokens, one(tokens), { center: 'mean', scale: 'batch-std' }),
      [0.9354, 0.9354, -0.9354, -0.9354, -0.9354, -0.9354, 0.9354, 0.9354],
    );
  });

  it('favor an injected success among failures', () => {
    near(
      groupAdvantages([1, 0, 0, 0, 0, 0, 0, 0], one([0, 0, 0, 0, 0, 0, 0, 0]), grpo),
      [2.4749, ...new Array<number>(7).fill(-0.3536)],
      3,
    );
  });

  it('of GiGPO compare visits to the same page', () => {
    const returned = returnToGo([0, 0, 0, 1], 0.95);
    near([returned[0]!, returned[2]!], [0.8574, 0.95]);
    const visits = [returned[0]!, returned[2]!, 0].map((value) => ({ key: 'page', returned: value }));
    near(anchorAdvantages(visits), [0.2549, 0.3475, -0.6025]);
    near(anchorAdvantages([...visits, { key: 'seen once', returned: 5 }]), [0.2549, 0.3475, -0.6025, 0]);
  });

  it('reject a group of one unless configured', () => {
    expect(() => groupAdvantages([1], [0], grpo)).toThrow(/at least twice/);
    expect([...groupAdvantages([1], [0], { ...grpo, single: 'zero' })]).toEqual([0]);
  });
});

describe('invariants of advantages', () => {
  const rewards = fc.array(
    fc.integer({ min: -8, max: 8 }).map((n) => n / 4),
    { minLength: 2, maxLength: 12 },
  );
  const rules: readonly GroupRule[] = [grpo, drGrpo, rloo, { center: 'median', scale: 'none' }];
  const close = (a: Float64Array, b: Float64Array) => a.every((value, i) => Math.abs(value - b[i]!) < 1e-4);

  it('I1 adding a constant changes nothing, I4 order does not matter, I6 equal rewards give 0', () => {
    fc.assert(
      fc.property(rewards, fc.constantFrom(...rules), (list, rule) => {
        const match = groupAdvantages(list, one(list), rule);
        const moved = groupAdvantages(
          list.map((reward) => reward + 3),
          one(list),
          rule,
        );
        const turned = groupAdvantages(list.toReversed(), one(list), rule).reverse();
        const flat = groupAdvantages(
          list.map(() => list[0]!),
          one(list),
          rule,
        );
        return close(match, moved) && close(match, turned) && flat.every((value) => value === 0);
      }),
    );
  });

  it('I2 scaling scales them unless divided by the deviation, I3 they sum to 0', () => {
    fc.assert(
      fc.property(rewards, (list) => {
        const doubled = list.map((reward) => reward * 2);
        const [z, twice] = [groupAdvantages(list, one(list), grpo), groupAdvantages(doubled, one(list), grpo)];
        const [plain, more] = [groupAdvantages(list, one(list), drGrpo), groupAdvantages(doubled, one(list), drGrpo)];
        const sums = [grpo, drGrpo, rloo].map((rule) => groupAdvantages(list, one(list), rule).reduce((sum, value) => sum + value, 0));
        return (
          close(z, twice) &&
          close(
            plain.map((value) => value * 2),
            more,
          ) &&
          sums.every((sum) => Math.abs(sum) < 1e-9)
        );
      }),
    );
  });

  it('RLOO equals Dr. GRPO times G/(G−1)', () => {
    fc.assert(
      fc.property(rewards, (list) => {
        const factor = list.length / (list.length - 1);
        const [left, right] = [groupAdvantages(list, one(list), rloo), groupAdvantages(list, one(list), drGrpo)];
        return left.every((value, i) => Math.abs(value - factor * right[i]!) < 1e-12);
      }),
    );
  });
});

describe('running baseline', () => {
  it('is read before it is updated', () => {
    const baseline = new RunningBaseline(0.95);
    near(baseline.advantages([1, 1, -1, 0], [0, 0, 0, 0]), [1, 0.95, -1.0975, -0.042625], 6);
    expect(baseline.mean(0)).toBeCloseTo(0.04049375, 10);
  });

  it('of two seats with opposite rewards is opposite', () => {
    const baseline = new RunningBaseline(0.95);
    const dice = rng(1);
    for (let i = 0; i < 200; i++) {
      const reward = dice.int(5) - 2;
      baseline.advantages([reward, -reward], [0, 1]);
      expect(baseline.mean(0)).toBe(-baseline.mean(1));
    }
  });
});

describe('critic targets', () => {
  const base = { rewards: [0, 0, 1], values: [0.2, 0.5, 0.8], discount: 1 };

  it('match GAE over tokens and turns', () => {
    near(gae({ ...base, trace: 0.95 }), [0.7655, 0.49, 0.2]);
    near(gae({ ...base, trace: 1 }), [0.8, 0.5, 0.2]);
    near(gae({ ...base, trace: 0 }), [0.3, 0.3, 0.2]);
    near(gae({ ...base, discount: 0.95, trace: 0.9 }), [0.6435, 0.431, 0.2]);
    // Where it was only cut off, what lies beyond still counts.
    near(gae({ ...base, rewards: [0, 0, 0], trace: 1, beyond: 1 }), [0.8, 0.5, 0.2]);
  });

  it('pass through tokens of other seats unchanged', () => {
    const match = gae({ rewards: [0, 0, 0, 0, 1], values: [0.2, 0.5, 9, 9, 0.8], mask: [1, 1, 0, 0, 1], discount: 1, trace: 0.95 });
    near(match, [0.7655, 0.49, 0, 0, 0.2]);
  });

  it('match two-level GAE', () => {
    const rewards = [0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const values = rewards.map((_, i) => (i + 1) / 10);
    near(
      twoLevelGae({ rewards, values, ends: rewards, discount: 1, trace: 1, turnDiscount: 0.95 }),
      [1.85, 1.75, 1.65, 1.55, 1.45, 0.4, 0.3, 0.2, 0.1, 0],
    );
  });

  it('match ArCHer', () => {
    expect(archerTarget({ reward: 0, next: 0.6, over: false, discount: 0.95 })).toBeCloseTo(0.57, 10);
    expect(archerTarget({ reward: 1, next: 0.6, over: true, discount: 0.95 })).toBe(1);
    expect(archerAdvantage([0.55, 0.6], [0.4, 0.5])).toBeCloseTo(0.15, 10);
    expect(softUpdate(1, 2)).toBeCloseTo(1.1, 10);
    const table = new ValueTable(0.5);
    table.learn('s', 1);
    table.learn('s', 1);
    expect(table.value('s')).toBe(0.75);
  });
});

describe('reward assignment', () => {
  it('covers outcome and information gain', () => {
    expect(outcome([0, 0, 1])).toEqual([1, 1, 1]);
    near(informationGain([0.1, 0.3, 0.25], 1), [0.2, -0.05, 1]);
  });

  it('of IGPO sums z-scores over all turns of a group', () => {
    const turns = [
      [0.1, 0.3, 0.25],
      [0.1, 0.12, 0.4],
    ].map((beliefs, i) => informationGain(beliefs, i === 0 ? 1 : 0));
    const z = groupAdvantages(turns.flat(), one(turns.flat()), grpo);
    near(z, [-0.1061, -0.7428, 1.9313, -0.5645, 0.0976, -0.6155], 3);
    near(returnToGo([...z.slice(0, 3)]), [1.0824, 1.1885, 1.9313], 3);
  });

  it('computes win rates for an order and for a cycle', () => {
    expect(winRate(3, (a, b) => (a < b ? 1 : 0))).toEqual([1, 0.5, 0]);
    expect(winRate(3, (a, b) => ((b - a + 3) % 3 === 1 ? 1 : 0))).toEqual([0.5, 0.5, 0.5]);
  });

  it('by human gain credits only results beyond those of the person alone', () => {
    near(humanGain([0.9, 0.4], [0.5, 0.7]), [0.3, 0]);
    expect(() => humanGain([1], [])).toThrow(/without help/);
  });
});

describe('losses', () => {
  it.each([
    [1, 1.5, 1.2],
    [1, 0.5, 0.5],
    [-1, 0.5, -0.8],
    [-1, 1.5, -1.5],
    [-1, 5, -5],
  ])('match the clipped surrogate for advantage %f at ratio %f', (advantage, ratio, wanted) => {
    expect(surrogate(ratio, advantage, { kind: 'clipped', clip: [0.2, 0.2] }).value).toBeCloseTo(wanted, 10);
  });

  it('support dual clip, clip-higher, the LOOP range, and the AEPO gradient', () => {
    expect(surrogate(5, -1, { kind: 'clipped', clip: [0.2, 0.2], dual: 3 })).toEqual({ value: -3, slope: 0, clipped: true });
    expect(surrogate(1.25, 1, { kind: 'clipped', clip: [0.2, 0.28] }).value).toBe(1.25);
    expect(surrogate(1.25, 1, { kind: 'clipped', clip: [0.2, 0.2] }).value).toBe(1.2);
    expect(surrogate(0.5, -1, { kind: 'log-clipped', clip: [0.1, 0.1] }).value).toBeCloseTo(-0.9091, 4);
    expect(surrogate(2, 1, { kind: 'log-clipped', clip: [0.1, 0.1] }).value).toBeCloseTo(1.1, 10);
    const retainedSurrogate = surrogate(2, 1, { kind: 'kept-gradient', clip: [0.2, 0.28] });
    expect(retainedSurrogate.value).toBe(1.28);
    expect(retainedSurrogate.slope / 2).toBeCloseTo(0.64, 10);
    expect(ratioOf(100, 0)).toBe(Math.exp(20));
  });

  it('have slopes that match finite differences', () => {
    const step = 1e-6;
    for (const kind of ['policy-gradient', 'clipped', 'log-clipped'] as const)
      for (const advantage of [-1.3, 0.7])
        for (const gap of [-0.5, -0.05, 0.05, 0.5]) {
          const at = (logprob: number) => surrogate(ratioOf(logprob, 0), advantage, { kind, clip: [0.2, 0.28], dual: 3 });
          expect(at(gap).slope).toBeCloseTo((at(gap + step).value - at(gap - step).value) / (2 * step), 5);
        }
    for (const kind of ['k1', 'k2', 'k3'] as const) {
      const at = (logprob: number) => klEstimate(kind, logprob, -1.1);
      expect(at(-0.6).slope).toBeCloseTo((at(-0.6 + step).value - at(-0.6 - step).value) / (2 * step), 5);
    }
    for (const at of [
      (x: number) => dpo(x, 0.3, 0.4),
      (x: number) => kto(x, true, { beta: 0.4, base: 0.1 }),
      (x: number) => kto(x, false, { beta: 0.4, base: 0.1 }),
      (x: number) => sppo(x, 0.7, 10),
    ])
      expect(at(0.8).slope).toBeCloseTo((at(0.8 + step).loss - at(0.8 - step).loss) / (2 * step), 5);
  });

  it('estimate KL without bias for k1 and k3', () => {
    const [p, q] = [
      [0.6, 0.4],
      [0.5, 0.5],
    ] as const;
    const mean = (kind: 'k1' | 'k2' | 'k3') =>
      p.reduce((sum, chance, i) => sum + chance * klEstimate(kind, Math.log(chance), Math.log(q[i]!)).value, 0);
    near([mean('k1'), mean('k2'), mean('k3')], [0.0201355, 0.019931, 0.0201355], 7);
  });

  it('match DPO, KTO, and SPPO', () => {
    expect(dpo(2, 0, 0.1).loss).toBeCloseTo(0.5981, 4);
    expect(dpo(1, 1, 0.1).loss).toBeCloseTo(Math.LN2, 10);
    // Two turns each; what the environment wrote has any ratio at all and no part.
    const chosen = (noise: number) => episodeLogRatio([0.4, noise, 0.1], [0, 0, 0], [1, 0, 1]);
    expect(dpo(chosen(7), -0.2 + 0.3, 0.1).loss).toBeCloseTo(0.67335, 5);
    expect(chosen(7)).toBe(chosen(-3));
    expect(kto(1, true, { beta: 0.1, base: 0.2 }).loss).toBeCloseTo(0.48, 4);
    expect(kto(1, false, { beta: 0.1, base: 0.2 }).loss).toBeCloseTo(0.52, 4);
    expect([ktoBase([-3, 1]), ktoBase([1, 3])]).toEqual([0, 2]);
    expect(2 * sppo(0.05, 0.7).loss).toBeCloseTo(39980.0025, 4);
    expect(sppo(200, 0.7).slope).toBeCloseTo(0, 9);
    near(winChances([0, 0]), [0.5, 0.5]);
  });

  it('match imitation with its schedule and its masks', () => {
    const rows = imitation([
      { tokens: [1, 2, 3], mask: [0, 1, 1] },
      { tokens: [4, 5], mask: [0, 1] },
    ]);
    near(rows[0]?.weights as ArrayLike<number>, [0, 1 / 3, 1 / 3]);
    near(
      [0, 87, 175, 262, 350].map((update) => imitationShare(update)),
      [0.9, 0.7769, 0.475, 0.1758, 0.05],
      3,
    );
    expect(phi(0.5)).toBe(0.25);
    expect([...without([1, 1, 1, 1], [[1, 3]])]).toEqual([1, 0, 0, 1]);
    expect(cosine({ from: 1, to: 0, updates: 10 }, 20)).toBe(0);
  });

  it('of an entropy band have a slope only outside the band', () => {
    const band = { low: 0.8, high: 1.2 };
    expect([0.5, 0.7, 1.5].map((entropy) => outside(entropy, 0.8, band).slope)).toEqual([-1, 0, 1]);
    expect(outside(1.5, 0.8, band).value).toBeCloseTo(0.54, 10);
    const past = new PastEntropy();
    past.add(1);
    past.add(2);
    expect(past.mean).toBe(1.5);
  });
});

describe('loss aggregation', () => {
  const [losses, masks] = [
    [
      [-1, -1, 0, 0],
      [1, 1, 1, 1],
    ],
    [
      [1, 1, 0, 0],
      [1, 1, 1, 1],
    ],
  ];

  it.each([
    ['token-mean', 1 / 3],
    ['sequence-mean-token-mean', 0],
    ['sequence-mean-token-sum', 1],
    ['constant', 0.125],
  ] as const)('%s', (mode, wanted) => {
    expect(aggregate(losses, masks, { mode, length: 8 })).toBeCloseTo(wanted, 10);
  });

  it('I5 ignores masked tokens', () => {
    const noisy = [
      [-1, -1, 99, -99],
      [1, 1, 1, 1],
    ];
    for (const mode of ['token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant'] as const)
      expect(aggregate(noisy, masks, { mode, length: 8 })).toBe(aggregate(losses, masks, { mode, length: 8 }));
    expect(shares([[0, 0]], { mode: 'token-mean' })).toEqual([0]);
    expect(() => shares([[1]], { mode: 'constant' })).toThrow(/The constant aggregation divides by a fixed length\. Set/);
  });
});
