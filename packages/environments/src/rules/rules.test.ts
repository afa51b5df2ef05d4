import { type EndEvent, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { codeOf, inputs, reactions, valueAt } from './puzzles.ts';
import { rules } from './rules.ts';

describe('rules puzzles', () => {
  it('join strings according to the tables', () => {
    expect(['concatenate', 'reverse', 'insert', 'prefix'].map((name) => reactions[name]!('AB', 'CD'))).toEqual([
      'ABCD',
      'CDAB',
      'ACDB',
      'CB',
    ]);
    expect([reactions['mirror']!('AB', 'CD'), reactions['interleave']!('AB', 'CD')]).toEqual(['ABDC', 'ACBD']);
  });

  it('count paintings according to the tables', () => {
    const paintings = [
      ['oil', 'blue'],
      ['oil', 'red'],
      ['watercolour', 'blue'],
      ['acrylic', 'blue'],
      ['oil', 'blue'],
    ].map(([technique, colour]) => ({ technique: technique!, colour: colour! }));
    expect(codeOf(paintings, 'blue')).toBe('121');
  });

  it('keep inputs small enough to hide the polynomial', () => {
    expect(valueAt(['1', 'x', 'x^2'], [7, 0, 3], 10)).toBe('307');
    expect(Math.max(...inputs.map(Math.abs))).toBe(3);
  });

  it('list every experiment except the question', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { made } = rules.start(rules.task({ kind: 'reactor' }), rng(seed)).state;
      const [, first, second] = /make of (\w+) and (\w+)\?/.exec(made.brief) as unknown as [string, string, string];
      expect(made.tries).not.toContain(`join ${first} ${second}`);
      expect(new Set(made.answers).size).toBe(made.answers.length);
      expect(made.answers).toContain(made.answer);
    }
  });

  it('look the same for two rules until an experiment distinguishes them', () => {
    const { state, messages, asks } = rules.start(rules.task({ kind: 'reactor' }), rng(1));
    const other = {
      ...state,
      made: { ...state.made, answer: state.made.answers.find((otherAnswer) => otherAnswer !== state.made.answer)! },
    };
    const move = { finder: { text: `[${state.made.tries[0]}]` } };
    expect(rules.step(other, move, rng(1)).messages).toEqual(rules.step(state, move, rng(1)).messages);
    expect(JSON.stringify([messages, asks])).not.toContain('"right"');
  });
});

it('version-space script needs few experiments', async () => {
  const turns = async (task: object) => {
    const logs = await rollout(
      rules,
      { finder: scriptedPolicy('script', rules.scripts?.['version-space'] as Script) },
      { seeds: Array.from({ length: 20 }, (_, i) => i), task: { ...task } },
    );
    return Math.max(...logs.map((log) => (log.at(-1) as EndEvent).turns));
  };
  expect(await turns({ kind: 'reactor' })).toBe(2);
  expect(await turns({ kind: 'function' })).toBeLessThanOrEqual(4);
});
