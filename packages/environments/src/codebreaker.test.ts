import type { EndEvent, EpisodeEvent, Json, Script } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../test/fixtures/amount.ts';
import { codesOf, feedback } from './codebreaker.scripts.ts';
import { codebreaker } from './codebreaker.ts';

const scripts = codebreaker.scripts as Readonly<Record<string, Script>>;
const dice = rng(0);
const classic = { mode: 'pegs', pegs: 4, colours: 6, top: 100 };

async function logs(name: string, task: Json, seeds: readonly number[] = [0]): Promise<readonly (readonly EpisodeEvent[])[]> {
  return rollout(codebreaker, { breaker: scriptedPolicy(name, scripts[name]!) }, { seeds, task });
}
const endOf = (log: readonly EpisodeEvent[] | undefined) => log?.at(-1) as EndEvent;

/** Guesses of a script for every code of a kind. */
async function guesses(name: string, task: { readonly [parameter: string]: Json }, codes: readonly string[]): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const code of codes) {
    const end = endOf((await logs(name, { ...task, code, listed: false, turns: 20 }))[0]);
    expect(end.returns['breaker']).toBeCloseTo(1 - (end.turns - 1) / 20, 12);
    counts.push(end.turns);
  }
  return counts;
}

describe('codebreaker pegs', () => {
  it.each([
    ['1123', '1123', 4, 0],
    ['1122', '2211', 0, 4],
    ['1122', '1212', 2, 2],
    ['1111', '1234', 1, 0],
    ['1234', '1111', 1, 0],
    ['1123', '3211', 0, 4],
    ['5566', '1234', 0, 0],
    ['1231', '1113', 1, 2],
  ])('%s against %s gives %d exact and %d misplaced', (guess, code, exact, misplaced) => {
    expect(feedback(guess, code)).toEqual({ exact, misplaced });
    const step = codebreaker.step(
      { task: codebreaker.task({ code }), code, past: [], misses: 0 },
      { breaker: { text: `[guess ${guess}]` } },
      dice,
    );
    if (exact < 4) expect(step.messages[0]?.text).toBe(`1. ${guess}: ${exact} exact, ${misplaced} misplaced.`);
    else expect(step.rewards).toEqual({ breaker: 1 });
  });

  it('give symmetric feedback, and never all but one exact with one misplaced', () => {
    const codes = codesOf({ ...classic, pegs: 3, colours: 4 });
    for (const a of codes)
      for (const b of codes) {
        expect(feedback(a, b)).toEqual(feedback(b, a));
        expect(feedback(a, b)).not.toEqual({ exact: 2, misplaced: 1 });
      }
  });

  it('are solved by minimax in at most 5 guesses, 5,801 in total for all 1,296 codes', async () => {
    const counts = await guesses('minimax', {}, codesOf(classic));
    expect(counts).toHaveLength(1296);
    expect(Math.max(...counts)).toBe(5);
    expect(counts.reduce((sum, count) => sum + count)).toBe(5801);
    expect(counts[codesOf(classic).indexOf('1122')]).toBe(1);
  });

  it('pay 1, 0.9, 0.8 … by the number of guesses, and nothing if never solved', async () => {
    const code = '6666';
    let step = codebreaker.start(codebreaker.task({ code }), dice);
    for (let turn = 1; turn <= 10; turn++) {
      const matchingStep = codebreaker.step(step.state, { breaker: { text: `[guess ${code}]` } }, dice);
      expect(matchingStep.rewards?.['breaker']).toBeCloseTo(1 - 0.1 * (turn - 1), 12);
      step = codebreaker.step(step.state, { breaker: { text: '[guess 1111]' } }, dice);
    }
    expect(step.rewards).toEqual({ breaker: 0 });
    expect(step.messages.at(-1)?.text).toBe('No guess is left. It was 6666.');
  });

  it.each([1, 4, 10, 40])('pay with %d guesses according to the stated rules', (turns) => {
    const { state, messages } = codebreaker.start(codebreaker.task({ code: '3141', turns }), rng(1));
    const rules = messages?.[0]?.text ?? '';
    if (turns > 1) expect(rules).toContain(`You have ${turns} guesses. The right one pays 1 if it is the first, and 1/${turns} less`);
    else expect(rules).toContain('You have one guess; if it is right, it pays 1.');
    let at = state;
    for (let before = 0; before < turns; before++) {
      const { rewards } = codebreaker.step(at, { breaker: { text: '[guess 3141]' } }, rng(1));
      expect(rewards?.['breaker']).toBeCloseTo(1 - before / turns, 12);
      if (before < turns - 1) at = codebreaker.step(at, { breaker: { text: '[guess 1111]' } }, rng(1)).state;
    }
  });

  it('are solved by random play with a chance of 1/36 per turn', async () => {
    const seeds = Array.from({ length: 4000 }, (_, i) => i);
    const blind = scriptedPolicy('blind', ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) }));
    const played = await rollout(codebreaker, { breaker: blind }, { seeds, task: { pegs: 2 } });
    const p = 1 - (35 / 36) ** 10;
    const count = played.filter((log) => endOf(log).returns['breaker']! > 0).length / seeds.length;
    expect(Math.abs(count - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / seeds.length));
  });
});

describe('codebreaker numbers', () => {
  it.each([
    [10, 2.9],
    [16, 27 / 8],
    [20, 3.7],
    [50, 4.86],
    [100, 5.8],
  ])('up to %d are found by bisection in %d guesses on average and ⌈log2(N+1)⌉ at worst', async (top, mean) => {
    const counts = await guesses('minimax', { mode: 'number', top }, codesOf({ ...classic, mode: 'number', top }));
    expect(counts.reduce((sum, count) => sum + count) / top).toBeCloseTo(mean, 12);
    expect(Math.max(...counts)).toBe(Math.ceil(Math.log2(top + 1)));
    // No way of asking is better: the least total for n numbers is n + the least split of the other n − 1.
    const least = [0];
    for (let n = 1; n <= top; n++)
      least.push(n + Math.min(...Array.from({ length: n }, (_, below) => least[below]! + least[n - 1 - below]!)));
    expect(least[top]! / top).toBeCloseTo(mean, 12);
  });
});

describe('codebreaker guesses', () => {
  it.each([
    [{}, '[guess 1127]'],
    [{}, '[guess 112]'],
    [{}, '[1122]'],
    [{}, 'guess 1122'],
    [{}, '[guess 1122] or [guess 1123]'],
    [{ mode: 'number' }, '[guess 0]'],
    [{ mode: 'number' }, '[guess 101]'],
    [{ mode: 'number' }, '[guess 050]'],
    [{ mode: 'number' }, '[guess 5.5]'],
  ])('with %j do not accept %s, and a third invalid guess in a row forfeits', (task, text) => {
    let step = codebreaker.start(codebreaker.task(task), dice);
    for (const wanted of [1, 1, undefined]) {
      step = codebreaker.step(step.state, { breaker: { text } }, dice);
      expect(step.penalties?.['breaker']).toBe(wanted);
    }
    expect(step.rewards).toEqual({ breaker: 0 });
    expect(step.messages[0]?.text).toContain('forfeits');
  });

  it('are listed only if there are few, unless the task turns listing off', () => {
    expect(codebreaker.start(codebreaker.task({}), dice).asks[0]?.choices).toHaveLength(1296);
    expect(codebreaker.start(codebreaker.task({ listed: false }), dice).asks[0]).toEqual({ seat: 'breaker' });
    expect(codebreaker.start(codebreaker.task({ pegs: 5 }), dice).asks[0]).toEqual({ seat: 'breaker' });
  });

  it('that are random but consistent beat chance but not minimax', async () => {
    const seeds = Array.from({ length: amount(100, 300) }, (_, i) => i);
    const played = await logs('consistent', { turns: 20, listed: false }, seeds);
    const mean = played.reduce((sum, log) => sum + endOf(log).turns, 0) / seeds.length;
    expect(mean).toBeGreaterThan(5801 / 1296);
    expect(mean).toBeLessThan(5.2);
  });
});

describe('secrecy in codebreaker', () => {
  it('shows identical views for two codes with identical feedback, until the code is revealed', () => {
    // 2 exact and 0 misplaced, then 1 and 0, for both codes.
    const views = ['1133', '1144'].map((code) => {
      let step = codebreaker.start(codebreaker.task({ code, turns: 3 }), dice);
      const messages = [...step.messages];
      for (const guess of ['1122', '1555', '6666']) {
        step = codebreaker.step(step.state, { breaker: { text: `[guess ${guess}]` } }, dice);
        messages.push(...step.messages);
      }
      return viewOf(
        messages.map((message) => ({ kind: 'message' as const, ...message })),
        'breaker',
      ).seen;
    });
    expect(views[0]?.slice(0, -1)).toEqual(views[1]?.slice(0, -1));
    expect(views[0]?.at(-1)).not.toEqual(views[1]?.at(-1));
  });
});

describe('codebreaker task', () => {
  it.each([{ code: '1178' }, { code: '11' }, { mode: 'number', code: '0' }, { mode: 'number', code: '101' }])('rejects %j', (task) => {
    expect(() => codebreaker.task(task)).toThrow(/codebreaker: "code" must be/);
  });
});
