import { shift } from '@ludus-agents/environments/internal/shift/shift';
import { type EpisodeEvent, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { ruleScorer } from '../scorer.ts';
import { adaptability, adaptationOf } from './adaptability.ts';

const scripts = shift.scripts as Readonly<Record<string, Script>>;
const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices!) });

async function scores(
  script: Script,
  change: string,
): Promise<readonly { value: number; parts: Readonly<Record<string, number | null>> }[]> {
  const logs = await rollout(
    shift,
    { chooser: scriptedPolicy('one', script) },
    { seeds: Array.from({ length: 20 }, (_, i) => i), task: { change } },
  );
  const episodes = logs.map((events: readonly EpisodeEvent[], i) => ({ id: `e${i}`, events }));
  const scores = await ruleScorer(adaptability).score({ episodes, rng: rng(1) }, new AbortController().signal);
  return scores as never;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('adaptability', () => {
  it('matches a hand-computed example from 1 down to 0 and back in four steps', () => {
    const adaptation = adaptationOf([0, 1, 1, 1, 1, 1, 0, 0, 0, 0.5, 1, 1, 1, 1, 1], 6);
    expect(adaptation).toEqual({ before: 1, after: 0, end: 1, drop: 1, recovery: 1, steps: 4, since: 5.5 / 9 });
    expect(adaptationOf([1, 1], 2)).toBeNull();
    expect(adaptationOf([0, 0, 1, 1], 2)?.recovery).toBeNull();
  });

  it.each(['population', 'goal', 'dynamics'])('recovers after a change of %s for an adaptive agent only', async (change) => {
    const [adaptive, stubborn, chance] = [
      await scores(scripts['adaptive']!, change),
      await scores(scripts['stubborn']!, change),
      await scores(random, change),
    ];
    const value = (list: typeof adaptive) => mean(list.map((item) => item.value));
    expect(adaptive.every(({ parts }) => parts['before'] === 1)).toBe(true);
    expect(value(adaptive)).toBeGreaterThan(0.8);
    expect(value(stubborn)).toBeLessThan(0.5);
    expect(value(chance)).toBeGreaterThan(0.3);
    expect(value(chance)).toBeLessThan(0.7);
    // Trying each dish once is enough: five steps at the most.
    for (const { parts } of adaptive) expect(parts['steps']).toBeLessThanOrEqual(5);
  });

  it('drops by nothing if nothing changes', async () => {
    for (const { value, parts } of await scores(scripts['adaptive']!, 'none')) expect([value, parts['drop']]).toEqual([1, 0]);
  });
});
