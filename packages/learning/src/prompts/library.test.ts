import { runCode } from '@ludus-agents/agents/internal/tools/sandbox';
import { codeSkillsIn, type CodeSkill as Skill, skillIn } from '@ludus-agents/environments/internal/code-skill';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { chainRewards, flawIn, type RunCode, SkillLibrary } from './library.ts';

const sandbox: RunCode = (code, input) => runCode(code, input);
/** A stand-in that answers at once, for what is not about running code. */
const trusting: RunCode = async () => ({ ok: true, value: true });

const skill = (name: string, about: string, more: Partial<Skill> = {}): Skill => ({
  name,
  about,
  code: 'return true;',
  tests: [{ input: null, output: true }],
  ...more,
});

const ten: readonly (readonly [string, string, string])[] = [
  ['sumPrices', 'adds up the prices of all items in an order', 'what do all items of the order cost together, the prices added up'],
  ['findCustomer', 'looks a customer up by email or by name and zip code', 'which customer has this email address'],
  ['cancelOrder', 'cancels a pending order with one of the accepted reasons', 'please cancel my order'],
  ['parseDate', 'reads a date in words and gives year, month and day', 'which day and month is the third of May'],
  ['shortestPath', 'finds the shortest way between two rooms of a map', 'the way from the hall to the kitchen, as short as possible'],
  ['craftPlan', 'lists the parts needed to craft a thing, deepest first', 'which parts do I need to craft a lantern'],
  ['guessMiddle', 'guesses the middle of the numbers that are left', 'a guess in the middle of what numbers remain'],
  ['countPegs', 'counts exact and misplaced pegs of a guess', 'how many pegs are exact and how many misplaced'],
  ['translate', 'translates a sentence into another language', 'say this sentence in another language'],
  ['bargainSplit', 'proposes a split of books, hats and balls by their values', 'how to split the hats and balls in this bargain'],
];

describe('a skill library', () => {
  it('never stores code that fails, throws, lacks a test, or could not be run', async () => {
    const library = new SkillLibrary(sandbox);
    const double = { code: 'return input * 2;', tests: [{ input: 4, output: 8 }] };
    expect(await library.add(skill('double', 'doubles', double))).toBeNull();
    expect(await library.add(skill('wrong', 'wrong', { ...double, code: 'return input * 3;' }))).toContain('gave 12 where its test says 8');
    expect(await library.add(skill('throws', 'throws', { ...double, code: 'throw new Error("no");' }))).toContain('failed');
    expect(await library.add(skill('reaches', 'reaches', { ...double, code: 'return require("node:fs").readdirSync("/");' }))).toContain(
      'failed',
    );
    expect(await library.add(skill('untested', 'untested', { tests: [] }))).toContain('no test');
    const broken = new SkillLibrary(() => Promise.reject(new Error('no sandbox today')));
    expect(await broken.add(skill('any', 'any'))).toContain('no sandbox today');
    expect(await flawIn(skill('any', 'any'), null)).toContain('cannot be run');
    expect(library.skills.map(({ name }) => name)).toEqual(['double']);
  });

  it('keeps every version', async () => {
    const library = new SkillLibrary(trusting);
    await library.add(skill('one', 'first'));
    await library.add(skill('one', 'second'));
    expect(library.skills).toHaveLength(1);
    expect(library.versions('one').map(({ about, version }) => [about, version])).toEqual([
      ['first', 1],
      ['second', 2],
    ]);
  });

  it('finds the right one of ten skills for each of ten questions', async () => {
    const library = new SkillLibrary(trusting);
    for (const [name, about] of ten) await library.add(skill(name, about));
    for (const [name, , question] of ten) expect(library.retrieve(question, 5)[0]?.name, question).toBe(name);
    expect(library.retrieve('zzz')).toEqual([]);
  });

  it('is as pure as its critic is right: one that lets a fifth of failing code through shows in the library', async () => {
    const dice = rng(5, 'critic');
    const purity = async (falsePositives: number) => {
      const library = new SkillLibrary(async (code) =>
        code === 'good' || dice.next() < falsePositives ? { ok: true, value: true } : { ok: false, problem: 'bad code' },
      );
      for (let i = 0; i < 400; i++) await library.add(skill(`s${i}`, '', { code: i % 2 === 0 ? 'good' : 'bad' }));
      return library.skills.filter(({ code }) => code === 'good').length / library.skills.length;
    };
    expect(await purity(0)).toBe(1);
    expect(await purity(0.2)).toBeCloseTo(1 / 1.2, 1);
  });

  it('reads code with its tests from a text, and words as words', () => {
    const text = 'Doubles a number.\n```js\n// test: 4 -> 8\n// test: {"a": -> broken\nreturn input * 2;\n```';
    expect(skillIn('double', text)).toMatchObject({ about: 'Doubles a number.', tests: [{ input: 4, output: 8 }] });
    expect(skillIn('words', 'Be brief.')).toBeNull();
    expect(codeSkillsIn({ 'skill/add tax': text, instruction: text, 'library/00001': 'words' }).map(({ name }) => name)).toEqual([
      'skill_add_tax',
    ]);
  });

  it('pays chains as SAGE does, and a skill that was not used nothing', () => {
    expect(chainRewards(1, 1, true)).toEqual([2, 2]);
    expect(chainRewards(1, 1, false)).toEqual([1, 1]);
    expect(chainRewards(0, 1, true)).toEqual([0, 2]);
    expect(chainRewards(1, 0, true)).toEqual([1, 0]);
  });
});
