import { runCode } from '@ludus-agents/agents/internal/tools/sandbox';
import { codeSkillsIn, type CodeSkill as Skill, skillIn } from '@ludus-agents/environments/internal/code-skill';
import { describe, expect, it } from 'vitest';
import { flawIn, type RunCode } from './library.ts';

const sandbox: RunCode = (code, input) => runCode(code, input);

const skill = (name: string, about: string, more: Partial<Skill> = {}): Skill => ({
  name,
  about,
  code: 'return true;',
  tests: [{ input: null, output: true }],
  ...more,
});

describe('skill library', () => {
  it('rejects code that fails, throws, lacks a test, or cannot run', async () => {
    const double = { code: 'return input * 2;', tests: [{ input: 4, output: 8 }] };
    expect(await flawIn(skill('double', 'doubles', double), sandbox)).toBeNull();
    expect(await flawIn(skill('wrong', 'wrong', { ...double, code: 'return input * 3;' }), sandbox)).toContain(
      'gave 12 where its test says 8',
    );
    for (const code of ['throw new Error("no");', 'return require("node:fs").readdirSync("/");'])
      expect(await flawIn(skill('any', 'any', { ...double, code }), sandbox)).toContain('failed');
    expect(await flawIn(skill('untested', 'untested', { tests: [] }), sandbox)).toContain('no test');
    expect(await flawIn(skill('any', 'any'), () => Promise.reject(new Error('no sandbox today')))).toContain('no sandbox today');
    expect(await flawIn(skill('any', 'any'), null)).toContain('cannot be run');
  });

  it('reads code with its tests from a text, and plain text as text', () => {
    const text = 'Doubles a number.\n```js\n// test: 4 -> 8\n// test: {"a": -> broken\nreturn input * 2;\n```';
    expect(skillIn('double', text)).toMatchObject({ about: 'Doubles a number.', tests: [{ input: 4, output: 8 }] });
    expect(skillIn('words', 'Be brief.')).toBeNull();
    expect(codeSkillsIn({ 'skill/add tax': text, instruction: text, 'library/00001': 'words' }).map(({ name }) => name)).toEqual([
      'skill_add_tax',
    ]);
  });
});
