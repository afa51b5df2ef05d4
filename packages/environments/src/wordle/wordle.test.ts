import { type EndEvent, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { isHeldOut } from '../grid.ts';
import { consistentGuesses, leastGuesses, totalGuesses } from './solve.cases.ts';
import { entropyOf, mostTelling } from './solve.ts';
import { wordle } from './wordle.ts';
import { feedback, wordLists } from './words.ts';

const script = (name: string) => wordle.scripts?.[name] as Script;
const { common, small } = wordLists;

describe('wordle feedback', () => {
  it.each([
    ['speed', 'erase', 'ybyyb'],
    ['llama', 'banal', 'ybyby'],
    ['puppy', 'apple', 'ybgbb'],
    ['level', 'eagle', 'yybyb'],
    ['geese', 'eerie', 'bgybg'],
    ['crane', 'crane', 'ggggg'],
  ])('to %s against %s is %s, counting repeated letters', (guess, secret, answer) => {
    expect(feedback(guess, secret)).toBe(answer);
  });
});

describe('small word list', () => {
  it('matches the tabulated entropies and minimum totals', () => {
    const rounded = (word: string) => Math.round(entropyOf(word, small) * 1e6) / 1e6;
    expect(['crane', 'slate', 'trace', 'stare', 'arise', 'puppy'].map(rounded)).toEqual([3.875, 3.875, 3.75, 3.70282, 3.375, 0.993393]);
    const { total, by } = leastGuesses(small);
    expect(total).toBe(32);
    expect([...by].filter(([, least]) => least === 32).map(([word]) => word)).toEqual(['crane', 'slate']);
    expect(['stare', 'trace', 'puppy'].map((word) => by.get(word))).toEqual([33, 33, 43]);
    expect(consistentGuesses(small) / 16).toBeCloseTo(1082643 / 465920, 12);
  });

  it('is solved by the entropy script in the minimum total', async () => {
    expect(totalGuesses(small, (left) => mostTelling(small, left))).toBe(32);
    let total = 0;
    for (const secret of small) {
      const [log] = await rollout(
        wordle,
        { guesser: scriptedPolicy('entropy', script('entropy')) },
        { seeds: [0], task: { list: 'small', secret } },
      );
      const end = log?.at(-1) as EndEvent | undefined;
      expect(end?.returns['guesser']).toBe(1 - (end?.turns ?? 0));
      total += end?.turns ?? 0;
    }
    expect(total).toBe(32);
  });
});

describe('common word list', () => {
  it('has unique five-letter words', () => {
    expect(new Set(common).size).toBe(common.length);
    expect(common.every((word) => /^[a-z]{5}$/.test(word))).toBe(true);
    expect(common.length).toBeGreaterThan(350);
  });

  it('is solved better by entropy than by consistent guesses, and far better than at random', async () => {
    const seeds = Array.from({ length: 40 }, (_, i) => i);
    const mean = async (name: string, play: Script) => {
      const logs = await rollout(wordle, { guesser: scriptedPolicy(name, play) }, { seeds });
      return logs.reduce((sum, log) => sum + (log.at(-1) as EndEvent).returns['guesser']!, 0) / seeds.length;
    };
    const [entropy, consistent] = [await mean('entropy', script('entropy')), await mean('consistent', script('consistent'))];
    const blind = await mean('blind', ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) }));
    expect(entropy).toBeGreaterThan(-2.7);
    expect(consistent).toBeLessThan(entropy);
    expect(blind).toBeLessThan(-5.5);
  });
});

describe('wordle secrets and splits', () => {
  it('show identical views for two secrets with identical feedback, until the end', () => {
    const [item, two] = ['stare', 'share'].map((secret) => {
      let step = wordle.start(wordle.task({ words: 'stare share bluff', secret, tries: 2 }), rng(1));
      const observations = [step.messages, step.asks];
      for (const _ of [1, 2]) {
        step = wordle.step(step.state, { guesser: { text: '[guess bluff]' } }, rng(1));
        observations.push(step.messages.slice(0, 1));
      }
      return [observations, step.messages.at(-1)?.text];
    });
    expect(item?.[0]).toEqual(two?.[0]);
    expect(item?.[1]).not.toEqual(two?.[1]);
  });

  it('keep held-out words separate from training words', () => {
    for (let seed = 0; seed < 60; seed++)
      for (const split of ['train', 'held-out']) {
        const { state } = wordle.start(wordle.task({ split }), rng(seed));
        expect(isHeldOut((state as { secret: string }).secret)).toBe(split === 'held-out');
      }
  });

  it.each([
    { secret: 'zzzzz' },
    { words: 'one three' },
    { words: 'UPPER' },
    { words: 'tea', split: 'held-out' },
    { words: 'net', split: 'train' },
  ])('reject %j if no word fits', (task) => {
    const fits = 'split' in task && isHeldOut(task.words as string) === (task.split === 'held-out');
    if (fits) expect(wordle.task(task)).toMatchObject(task);
    else expect(() => wordle.task(task)).toThrow(/wordle: /);
  });
});
