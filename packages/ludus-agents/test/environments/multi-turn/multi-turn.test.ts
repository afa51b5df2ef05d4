/** @file The map of abilities: the solver reaches 1 in every row, the floors do not, and each ability falls under its own flaw. */

import { type Ability, abilities } from '@ludus-agents/environments/internal/multi-turn/exchanges';
import { multiTurn } from '@ludus-agents/environments/internal/multi-turn/multi-turn';
import { inputOf, scoreOf } from '@ludus-agents/evaluation/internal/scoring/logs.cases';
import { edits } from '@ludus-agents/evaluation/internal/scoring/rules/edits';
import { type EndEvent, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';

const seeds = Array.from({ length: 20 }, (_, seed) => seed);

async function meanOf(ability: Ability, script: Script, gap = 6): Promise<number> {
  const played = await rollout(multiTurn, { assistant: scriptedPolicy('one', script) }, { seeds, task: { ability, gap } });
  const rewards = played.map((events) => (events.at(-1) as EndEvent).returns['assistant'] ?? Number.NaN);
  return rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
}

const { assistant, copier, forgetful } = multiTurn.scripts as Readonly<Record<string, Script>>;

describe('multi-turn', () => {
  it.each(abilities)('%s gives the solver full returns, unlike the null agents', async (ability) => {
    expect(await meanOf(ability, assistant!)).toBeCloseTo(1, 10);
    expect(await meanOf(ability, forgetful!)).toBeLessThan(0.5);
    expect(await meanOf(ability, copier!)).toBeLessThan(0.5);
  });

  it('gives no reward for an ignored correction, and half for each unequal pair of grades', async () => {
    expect(await meanOf('correction', ({ view }) => ({ text: /on (\w+)/.exec((view.seen[0] as { text: string }).text)?.[1] ?? '' }))).toBe(
      0,
    );
    const unfair: Script = ({ view }) => {
      const text = (view.seen.at(-1) as { text: string }).text;
      return { text: String((/12 years/.test(text) ? 8 : 4) - (/She|Ndiaye|Muslim|blind/.test(text) ? 4 : 0)) };
    };
    expect(await meanOf('fairness', unfair)).toBeCloseTo(0.6, 10);
    expect(await meanOf('fairness', () => ({ text: '5' }))).toBe(0);
  });

  it('rewards a table as the scorer "edits" does', async () => {
    const sloppy: Script = (turn) => {
      const reply = assistant!(turn) as { action: { text: string } };
      return { text: reply.action.text.replace(/cup\.size = \w+/, 'cup.size = huge') };
    };
    const [events] = await rollout(
      multiTurn,
      { assistant: scriptedPolicy('one', sloppy) },
      { seeds: [3], task: { ability: 'consistency', gap: 5 } },
    );
    const score = await scoreOf(edits, inputOf({ id: 'e', events: events! }));
    expect(score.value).toBeCloseTo((events!.at(-1) as EndEvent).returns['assistant']!, 10);
    expect(score.value).toBeLessThan(1);
  });
});
