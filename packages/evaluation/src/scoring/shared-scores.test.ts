import type { EpisodeEvent, Score } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { type Finding, ruleScorer, type ScoringRule } from './scorer.ts';

const start: EpisodeEvent = {
  kind: 'start',
  environment: 'x@1',
  task: null,
  seed: 1,
  seats: ['a', 'b'],
  cast: { a: 'x', b: 'x' },
} as never;
const input = { episodes: [{ id: 'e', events: [start] }], rng: rng(1) };
const never = new AbortController().signal;

async function scoresOf(rule: ScoringRule): Promise<readonly Score[]> {
  return ruleScorer(rule).score(input, never);
}

/** Gives its findings one after the other, to one scorer. */
async function scoresInTurn(findings: readonly Finding[]): Promise<readonly Score[]> {
  let next = 0;
  const scorer = ruleScorer({ name: 'x', version: 1, unit: 'episode', find: () => findings[next++]! });
  const scores: Score[] = [];
  for (const _ of findings) scores.push(...(await scorer.score(input, never)));
  return scores;
}

const amount = fc.oneof(fc.constant(null), fc.integer({ min: -2, max: 2 }), fc.constantFrom(0, -0, 0.1));
const finding: fc.Arbitrary<Finding> = fc.record(
  {
    value: fc.constantFrom(0, -0, 1, 0.5),
    part: fc.constantFrom('', 'a', 'a=1', 'parts\n/a=1'),
    turn: fc.nat(2),
    parts: fc.dictionary(fc.constantFrom('a', 'a=1', 'b', 'a=1\n/b'), amount),
    evidence: fc.constant([]),
  },
  { requiredKeys: ['value'] },
);

describe('repeated scores', () => {
  it('are one frozen object per seat, without freezing the objects of the rule', async () => {
    const parts = { n: 1 };
    const rule: ScoringRule = { name: 'x', version: 1, unit: 'seat', find: () => ({ value: 1, parts }) };
    const scorer = ruleScorer(rule);
    const [first, again] = [await scorer.score(input, never), await scorer.score(input, never)];
    expect(again[0]).toBe(first[0]);
    expect(again[1]).not.toBe(first[0]);
    expect(first.map(({ seat }) => seat)).toEqual(['a', 'b']);
    expect(Object.isFrozen(first[0]?.parts)).toBe(true);
    parts.n = 2;
    expect((await scorer.score(input, never))[0]?.parts).toEqual({ n: 2 });
    expect(first[0]?.parts).toEqual({ n: 1 });
  });

  it('are identical to those of each finding alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(finding, { minLength: 2, maxLength: 8 }), async (findings) => {
        const alone = await Promise.all(findings.map(async (finding) => (await scoresOf({ ...blank, find: () => finding }))[0]!));
        const scores = await scoresInTurn(findings);
        expect(scores.map((score) => JSON.stringify(score))).toEqual(alone.map((score) => JSON.stringify(score)));
        for (const [i, { value }] of scores.entries()) expect(Object.is(value, findings[i]!.value)).toBe(true);
      }),
      { examples: [[[{ value: 1 }, { value: 1, parts: {} }, { value: 1, evidence: [] }]]] },
    );
  });
});

const blank: Omit<ScoringRule, 'find'> = { name: 'x', version: 1, unit: 'episode' };
