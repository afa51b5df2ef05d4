import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { filesText, injectorReward, passes, readFiles } from './judging.ts';
import { applyChange, changesOf } from './mutations.ts';
import { programs } from './programs.ts';
import { repositories, slowPrograms } from './repositories.ts';

const say = (state: Parameters<typeof programs.step>[0], text: string, seat = 'fixer') =>
  programs.step(state, { [seat]: { text } }, rng(1));

describe('program repositories', () => {
  it.each(repositories.map((repository) => [repository.name, repository] as const))(
    '%s passes its tests, which catch most one-token changes',
    (_, { files, tests }) => {
      expect(passes(files, tests)).toBe(true);
      const all = changesOf(files);
      const caught = all.filter((codeChange) => !passes(applyChange(files, codeChange)!, tests)).length;
      expect(caught / all.length).toBeGreaterThan(0.7);
      expect(readFiles(filesText(files))).toEqual(files);
    },
  );

  it('can undo every change', () => {
    for (const { files } of repositories.slice(0, amount(2, repositories.length)))
      for (const change of changesOf(files)) {
        const broken = applyChange(files, change)!;
        expect(changesOf(broken).some((back) => applyChange(broken, back)![change.file] === files[change.file])).toBe(true);
      }
  });

  it.each(slowPrograms.map((slowProgram) => [slowProgram.name, slowProgram] as const))(
    '%s has a faster program that passes the same tests',
    (_, { files, faster, tests }) => {
      expect(passes({ ...files, ...faster }, tests)).toBe(true);
    },
  );
});

describe('program repair', () => {
  it('starts with a failing test, pays nothing without a fix, and protects the tests', () => {
    for (let seed = 0; seed < 10; seed++) {
      const { state, messages } = programs.start(programs.task({}), rng(seed));
      expect(messages[0]!.text).toMatch(/^FAIL /m);
      expect(say(state, '[submit]').rewards).toEqual({ fixer: 0 });
      const [test] = Object.keys(state.made.tests);
      const step = say(state, `\`\`\`${test}\nimport { test } from 'test'; test('x', () => {});\n\`\`\``);
      expect(step.messages[0]!.text).toMatch(/Tests are not written/);
    }
  });

  it('continues after an unreadable file and an endless loop', () => {
    let step = programs.start(
      programs.task({
        repository: {
          files: { 'a.js': 'export const a = 1;' },
          tests: {
            'a.test.js': "import { test, expect } from 'test'; import { a } from './a.js'; test('a', () => { expect(a).toBe(2); });",
          },
        },
      }),
      rng(1),
    );
    for (const code of ['# @ ~', 'while (true) {}', 'export const a = (', 'export const a = 2;']) {
      step = say(step.state, `\`\`\`a.js\n${code}\n\`\`\``);
      step = say(step.state, '[test]');
    }
    expect(step.rewards).toEqual({ fixer: 1 });
  });

  it("accepts a user's repository in the format of public tasks", () => {
    const repository = {
      files: { 'add.js': 'export function add(a, b) { return a - b; }' },
      tests: {
        'add.test.js':
          "import { test, expect } from 'test'; import { add } from './add.js'; test('adds', () => { expect(add(2, 3)).toBe(5); }); test('zero', () => { expect(add(0, 0)).toBe(0); }); test('odd', () => { expect(add(1, 1)).toBe(3); });",
      },
      problem_statement: 'It subtracts.',
      FAIL_TO_PASS: '["adds"]',
      PASS_TO_PASS: ['zero'],
    };
    let step = programs.start(programs.task({ repository }), rng(1));
    expect(step.messages[0]!.text).toContain('Problem: It subtracts.');
    step = say(step.state, '```add.js\nexport function add(a, b) { return a + b; }\n```');
    expect(say(step.state, '[submit]').rewards).toEqual({ fixer: 1 });
  });

  it.each([
    [{ files: {}, tests: {} }, /programs: a repository needs "files", an object/],
    [{ files: { 'a.js': '1' }, tests: { 'a.js': '1' } }, /" is listed both as a file and as/],
    [{ files: { 'a.js': '1' }, tests: { 'a.test.js': "import { test } from 'test'; test('x', () => {});" } }, /nothing to repair/],
    [
      { files: { 'a.js': '1' }, tests: { 'a.test.js': "import { test } from 'test'; test('x', () => {});" }, FAIL_TO_PASS: ['y'] },
      /have no "y"/,
    ],
    [
      { files: { 'a.js': '1' }, tests: { 'a.test.js': '(' }, FAIL_TO_PASS: 'x' },
      /programs: FAIL_TO_PASS and PASS_TO_PASS must be lists of test/,
    ],
  ])('rejects the repository %j', (repository, sentence) => {
    expect(() => programs.task({ repository } as unknown as Json)).toThrow(sentence);
  });
});

describe('program self-play', () => {
  it('pays the injector according to the tables', () => {
    expect([1, 2, 3].map((solved) => injectorReward(solved, 4))).toEqual([1 - 0.45, 1 - 0.9, 1 - 1.8 * 0.75]);
    expect([injectorReward(0, 4), injectorReward(4, 4)]).toEqual([-0.8, -0.8]);
  });

  it('costs the injector 1 for an unnoticed bug, and pays solvers by the tests', () => {
    const { state } = programs.start(programs.task({ mode: 'self-play', solvers: 2 }), rng(1));
    const all = changesOf(state.made.files);
    const idle = all.find((codeChange) => passes(applyChange(state.made.files, codeChange)!, state.made.tests));
    const real = all.find((codeChange) => !passes(applyChange(state.made.files, codeChange)!, state.made.tests))!;
    const text = (verb: string, codeChange: (typeof all)[number]) =>
      `[${verb} ${codeChange.file}:${codeChange.line}:${codeChange.nth} ${codeChange.from} to ${codeChange.to}]`;
    if (idle !== undefined) expect(say(state, text('inject', idle), 'injector').rewards).toEqual({ injector: -1 });
    let step = say(state, text('inject', real), 'injector');
    step = say(step.state, text('change', { ...real, from: real.to, to: real.from }), 'solver 1');
    const wrong = changesOf(step.state.progress.files).find((change) => change.line !== real.line)!;
    step = say(step.state, text('change', wrong), 'solver 2');
    expect(step.rewards).toEqual({ injector: 1 - 1.8 * 0.5, 'solver 1': 1, 'solver 2': -1 });
  });
});
