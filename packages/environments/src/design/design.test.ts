import { type Policy, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { builtInEnvironment } from '../built-in.ts';
import { closeness, designs, simulate } from './simulate.ts';

const environment = await builtInEnvironment('design');

async function returnsOf(script: Script, task: object, count = 1): Promise<readonly number[]> {
  const seats = environment.seats(environment.task(task as never));
  const policies: Record<string, Policy> = Object.fromEntries(seats.map((seat) => [seat, scriptedPolicy(seat, script)]));
  const logs = await rollout(environment, policies, { seeds: Array.from({ length: count }, (_, i) => i), task: task as never });
  return logs.map((log) => (log.at(-1) as { readonly returns: Record<string, number> }).returns[seats[0]!]!);
}

describe('design simulation', () => {
  it('matches sums computed by hand', () => {
    expect(designs).toHaveLength(1024);
    expect(simulate([0, 0, 0, 0, 0])).toEqual({ power: 60 + 34 + 10 + 18 + 6 + 40, latency: 20 + 6 + 24 + 10 + 21 + 2 });
    expect(simulate([1, 1, 2, 3, 2])).toEqual({ power: 60 + 22 + 19 + 22 + 23 + 16 + 7, latency: 20 + 19 + 8 + 8 + 9 + 16 - 6 });
  });

  it('rewards closeness to the target, capped at 1', () => {
    expect([closeness(100, 100), closeness(101, 100), closeness(110, 100), closeness(200, 100)]).toEqual([1, 1, 0.1, 0.01]);
  });

  it('has interacting parameters, so that none can be optimized alone', () => {
    const best = (place: number, rest: readonly number[], target: number) =>
      [0, 1, 2, 3].reduce((most, value) => {
        const paid = (value: number) => closeness(simulate(rest.with(place, value)).latency, target);
        return paid(value) > paid(most) ? value : most;
      }, 0);
    const target = simulate(designs[500]!).latency;
    const answers = new Set(designs.slice(0, 256).map((rest) => best(3, rest, target)));
    expect(answers.size).toBeGreaterThan(1);
  });
});

describe('design seats', () => {
  it.each([{}, { seats: 'one' }, { goal: 'power' }, { goal: 'latency', seats: 'one' }])(
    'earn exactly 1 with the optimal script in %j',
    async (task) => {
      for (const value of await returnsOf(environment.scripts!['optimal']!, task, 5)) expect(value).toBeCloseTo(1, 12);
    },
  );

  it('earn little with constant or random choices', async () => {
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const chance: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices!) });
    expect(mean(await returnsOf(environment.scripts!['first']!, {}, 60))).toBeLessThan(0.3);
    expect(mean(await returnsOf(chance, {}, 60))).toBeLessThan(0.3);
  });

  it('get defaults after a forfeit, and never see choices of the same round', () => {
    const task = environment.task({ retries: 0, rounds: 1 });
    const { state } = environment.start(task, rng(1, 'start'));
    const answers = Object.fromEntries(environment.seats(task).map((seat) => [seat, { text: '?' }]));
    const { asks, messages } = environment.step(state, answers, rng(1, 'step'));
    expect(asks).toEqual([]);
    expect(messages.some(({ text }) => text.includes('open fifo single 4 never'))).toBe(true);
    const open = environment.start(environment.task({}), rng(1, 'start'));
    const half = environment.step(open.state, { ...answers, page: { text: '[closed]' } }, rng(1, 'step'));
    expect(JSON.stringify(environment.knows!(half.state, 'queue'))).not.toContain('[1]');
    expect(environment.knows!(half.state, 'page')).toMatchObject({ given: [1] });
  });
});
