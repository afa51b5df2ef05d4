import { type EndEvent, type Script, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { tables } from './twenty-questions.table.ts';
import { guessMyCity } from './twenty-questions.ts';

const script = (name: string) => scriptedPolicy(name, guessMyCity.scripts?.[name] as Script);
const cities = tables.cities;
const returned = (log: readonly unknown[]) => (log.at(-1) as EndEvent).returns['guesser']!;

describe('guess-my-city cities', () => {
  it('have distinct attributes and at least one continent each', () => {
    expect(new Set(cities.rows).size).toBe(cities.names.length);
    expect(cities.names.length).toBeGreaterThan(80);
    for (const row of cities.rows) expect(row.slice(0, 6)).toContain('1');
  });

  it('are all found by bisection within the turn limit, at a rate that bits allow', async () => {
    let total = 0;
    for (const thing of cities.names) {
      const [log] = await rollout(
        guessMyCity,
        { guesser: script('binary-search'), oracle: script('oracle') },
        { seeds: [0], task: { thing } },
      );
      const payment = returned(log ?? []);
      expect(payment, thing).toBeGreaterThan(-20);
      total -= payment;
    }
    // A return of −n takes n questions before the right guess.
    expect(total / cities.names.length).toBeGreaterThanOrEqual(Math.log2(cities.names.length) - 1);
    expect(total / cities.names.length).toBeLessThan(9);
  });

  it('are rarely found by guessing names, which costs 20 on failure', async () => {
    const seeds = Array.from({ length: 60 }, (_, i) => i);
    const logs = await rollout(guessMyCity, { guesser: script('random-guesser'), oracle: script('oracle') }, { seeds });
    const returns = logs.map(returned);
    const expected = 1 - 20 / cities.names.length;
    const missed = returns.filter((payment) => payment === -20).length / seeds.length;
    expect(Math.abs(missed - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / seeds.length));
  });

  it('are hidden from the guesser until the end', async () => {
    const [log] = await rollout(guessMyCity, { guesser: script('binary-search'), oracle: script('oracle') }, { seeds: [5] });
    const messageEvents = viewOf((log ?? []).slice(0, 12), 'guesser').seen.filter((item) => item.kind === 'message');
    expect(JSON.stringify(messageEvents)).not.toContain('The city is');
    expect(JSON.stringify(viewOf(log ?? [], 'oracle').seen)).toContain('The city is');
  });
});
