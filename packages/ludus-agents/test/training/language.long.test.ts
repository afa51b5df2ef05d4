/** @file Small language models in environments of words, by the recipes' own names: some minutes each. */

import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

describe.skipIf(!hasRuntime())('a small language model', () => {
  it.each(['privacy-guard-lm', 'service-desk-lm'])(
    '%s earns a higher return on fresh episodes, with an interval above zero',
    async (name) => {
      const cwd = folder();
      const gainOf = async (seed: number, ...words: readonly string[]) => {
        const { out } = await ludus(cwd, ['train', name, '--seed', String(seed), '--json', '--force', ...words]);
        return (JSON.parse(out.trim().split('\n').at(-1)!) as { readonly gain: { readonly interval: readonly [number, number] } }).gain;
      };
      // Fractions are rounded otherwise on another processor, which is as good as another seed: one of three may fail.
      const lows: number[] = [];
      for (const seed of [1, 2, 3]) lows.push((await gainOf(seed)).interval[0]);
      expect(lows.filter((low) => low > 0).length, `lower ends ${lows}`).toBeGreaterThanOrEqual(2);
      // With a rate of nothing it stays as imitation left it.
      const still = await gainOf(1, '--games', '128', '--set', 'training.rate={"from":1e-12,"to":1e-12}');
      expect(still.interval[0]).toBeLessThanOrEqual(0);
    },
  );
});
