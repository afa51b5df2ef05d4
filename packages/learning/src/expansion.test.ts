/** @file A policy for long results: it learns what tells passages apart, spends no more than the rule, and learns nothing from labels by chance. */

import { digestOf } from '@ludus-agents/agents/internal/tools/digests';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { type ExpansionCase, learnExpansion } from './expansion.ts';

const filler = 'Ropes and grain lie in the sheds and nobody counts them before the winter comes again to this coast of ours.';

/** The passage that answers shares one rare word with the question; three others share two common ones, and are longer. */
function casesOf(seed: number, count: number, byChance = false): readonly ExpansionCase[] {
  const dice = rng(seed, 'cases');
  return Array.from({ length: count }, (_, i) => {
    const at = dice.int(12);
    const passages = Array.from({ length: 12 }, (_, k) => {
      if (k === at) return `The vessel${i} lies near the pier. Ask for berth-${i}.`;
      return k % 4 === 0 ? `The harbor master said so. ${filler} ${filler} ${filler}` : `${filler} Shed ${k}.`;
    });
    const answer = byChance ? passages[dice.int(12)] : `berth-${i}`;
    return { question: `What does the harbor master know of the place of vessel${i}?`, result: passages.join('\n\n'), answer };
  });
}

describe('learned expansion policy', () => {
  it('finds the answer more often than the rule, at no greater length', async () => {
    const { learned, rule, difference, cases, tested } = await learnExpansion(casesOf(1, 60));
    expect([cases, tested]).toEqual([40, 20]);
    expect(learned.shown).toBe(1);
    expect(rule.shown).toBeLessThan(1);
    expect(learned.characters).toBeLessThanOrEqual(1.05 * rule.characters);
    expect(difference.interval[0]).toBeGreaterThan(0);
  });

  it('learns nothing from random labels', async () => {
    const { learned } = await learnExpansion(casesOf(2, 60, true));
    expect(learned.shown).toBeLessThan(0.7);
  });

  it('is used only with the encoder it was learned with', async () => {
    const { expansion } = await learnExpansion(casesOf(3, 45));
    const [{ question, result }] = casesOf(4, 1);
    const passages = result.split('\n\n');
    const byRule = await digestOf(passages, question);
    expect(await digestOf(passages, question, { expansion: { ...expansion, encoder: 'another' } })).toBe(byRule);
    expect(await digestOf(passages, question, { expansion })).not.toBe(byRule);
  });

  it('requires cases whose result contains the answer', async () => {
    const cases = casesOf(5, 40).map((item, i) => (i < 15 ? { ...item, answer: 'nowhere' } : item));
    await expect(learnExpansion(cases)).rejects.toMatchObject({ code: 'E_EXPANSION_CASES', details: { usable: 25 } });
  });
});
