/** @file The reward model: agreement with the rule on held-out episodes, the fall on twins, controls, and its figures to the digit. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Moment } from './features.ts';
import { areaUnderCurve, rewardCard } from './reward-card.ts';
import { chanceOfGood, type RewardExample, rewardScorer, sparse, trainReward, withoutDecisive } from './reward-model.ts';

/** A search of a house: good where the key was taken before the door was tried. What is paid is nowhere said. */
function search(seed: number): RewardExample {
  const dice = rng(seed, 'house');
  const rooms = dice.shuffle(['kitchen', 'cellar', 'attic', 'hall']).slice(0, 2 + dice.int(3));
  const good = dice.next() < 0.5;
  const acts = [
    ...rooms.map((room) => `go to the ${room}`),
    ...(good ? ['take the key', 'open the door'] : dice.next() < 0.5 ? ['open the door'] : ['take the key']),
  ];
  return {
    good,
    moments: acts.flatMap((text): readonly Moment[] => [
      { own: true, text },
      { own: false, text: 'Something happens.' },
    ]),
  };
}

const examples = Array.from({ length: 240 }, (_, i) => search(i));
const [rewardExamples, currentRewardExamples] = [examples.slice(0, 160), examples.slice(160)];

function cardOf(rows: readonly RewardExample[]) {
  const { weights, mined } = trainReward({ examples: rows, seed: 1 });
  const rate = ({ moments }: { readonly moments: readonly Moment[] }) => chanceOfGood(weights, moments);
  const good = currentRewardExamples.filter((rewardExample) => rewardExample.good);
  const twins = good.map(({ moments }) => rate({ moments: withoutDecisive(moments) }));
  return {
    weights,
    card: rewardCard({
      good: good.map(rate),
      bad: currentRewardExamples.filter((rewardExample) => !rewardExample.good).map(rate),
      twins,
      mined,
    }),
  };
}

describe('a reward model', () => {
  it('agrees with the rule on held-out episodes, drops on twins, and reports both on its card', () => {
    const { card } = cardOf(rewardExamples);
    expect(card.auc.interval[0]).toBeGreaterThan(0.9);
    expect(card.twins.refused / card.twins.n).toBeGreaterThan(0.9);
    expect(card).toMatchObject({ grade: 'A', reasons: [expect.stringMatching(/copies without their decisive step are rejected\./)] });
  });

  it('learns nothing from shuffled labels and gets grade C', () => {
    const labels = rng(5).shuffle(rewardExamples.map(({ good }) => good));
    const { card } = cardOf(rewardExamples.map(({ moments }, i) => ({ moments, good: labels[i]! })));
    expect(card.auc.interval[0]).toBeLessThan(0.7);
    expect(card.grade).toBe('C');
    expect(card.reasons.join(' ')).toMatch(/grade A needs at least 0.9/);
  });

  it('rejects every good episode without its decisive step, and needs both kinds to learn', () => {
    const { weights } = cardOf(rewardExamples);
    const twins = currentRewardExamples.filter(({ good }) => good).map(({ moments }) => withoutDecisive(moments));
    expect(twins.every((moments) => chanceOfGood(weights, moments) < 0.5)).toBe(true);
    expect(() => trainReward({ examples: rewardExamples.filter(({ good }) => good), seed: 1 })).toThrow(
      /A reward model needs good and bad episodes, but/,
    );
  });

  it('is a scorer whose scores include its card, for its own seat only', async () => {
    const { weights, card } = cardOf(rewardExamples);
    const file = {
      kind: 'ludus-reward-model',
      name: 'house',
      environment: 'house@1',
      seat: 'thief',
      rule: 'return>=1',
      weights: sparse(weights),
      card,
    } as const;
    const scorer = rewardScorer(file);
    const events = [
      { kind: 'action', seat: 'thief', action: { text: 'take the key' } },
      { kind: 'action', seat: 'thief', action: { text: 'open the door' } },
      { kind: 'message', to: ['thief'], text: 'Something happens.' },
    ];
    const input = { episodes: [{ id: 'a', events: events as never }], rng: rng(0) };
    const [score] = await scorer.score(input, new AbortController().signal);
    expect(score).toMatchObject({ name: 'reward/house', status: 'ok', provenance: { card: expect.stringMatching(/^A, AUC/) } });
    expect(score!.value).toBeGreaterThan(0.5);
    expect((await scorer.score({ ...input, seat: 'owner' }, new AbortController().signal))[0]).toMatchObject({
      status: 'not-applicable',
      value: null,
    });
  });
});

describe('the area under the curve', () => {
  it('is 11/12 with an error of .1284 for three good and four bad examples', () => {
    const { value, error } = areaUnderCurve([0.9, 0.8, 0.4], [0.7, 0.3, 0.2, 0.1]);
    expect(value).toBeCloseTo(11 / 12, 12);
    expect(error).toBeCloseTo(0.1284, 4);
    expect(areaUnderCurve([1, 1], [1, 1]).value).toBe(0.5);
  });
});
