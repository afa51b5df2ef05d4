/** @file Tasks out of a user's own texts: ideas that become quests, documents that become questions. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probeBackend, usualPython } from '@ludus-agents/agents/internal/sandbox/backends';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const suiteIn = (file: string) => JSON.parse(readFileSync(join(here, file), 'utf8'));

describe('tasks ideas', () => {
  const egg = 'The barn is north of the yard. The egg is in the barn. Bring the egg to the yard.';

  it('keeps winnable ideas, explains the others, and a script plays the suite', async () => {
    writeFileSync(join(here, 'ideas.txt'), `${egg}\n\nThe egg is in the barn.\n\n${egg.replace('is in', 'is made from milk in')}\n`);
    const { code, out } = await ludus(here, ['env', 'tasks', 'ideas', 'ideas.txt', '-o', 'quests.json', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ made: 1, commands: [3], down: [{ why: expect.stringContaining('name a goal') }, {}] });
    expect(suiteIn('quests.json').scenes[0].tasks).toEqual([{ idea: egg }]);
    const played = await ludus(here, ['eval', 'quests.json', '--agents', 'scripted', '--json']);
    expect(played.code).toBe(0);
  });

  it('explains why a file is unusable', async () => {
    writeFileSync(join(here, 'lake.txt'), 'A lake.');
    expect((await ludus(here, ['env', 'tasks', 'ideas', 'lake.txt', '-o', 'x.json'])).err).toContain(
      'No idea could be used: "a lake" is not',
    );
    expect((await ludus(here, ['env', 'tasks', 'ideas', 'none.txt', '-o', 'x.json'])).err).toContain('none.txt cannot be read');
  });
});

describe('tasks library', () => {
  it('reads Markdown and HTML from a folder, and lists skipped files', async () => {
    mkdirSync(join(here, 'notes', 'deep'), { recursive: true });
    writeFileSync(join(here, 'notes', 'index.md'), '# Index\n[a](deep/a.md) and [b](b.html)');
    writeFileSync(join(here, 'notes', 'deep', 'a.md'), '# A\nback to the [index](../index.md)');
    writeFileSync(join(here, 'notes', 'b.html'), '<title>B</title><a href="deep/a.md">A</a>');
    writeFileSync(join(here, 'notes', 'two words.md'), '# Nobody can open this');
    writeFileSync(join(here, 'notes', 'c.txt'), 'no document');
    const { code, out } = await ludus(here, ['env', 'tasks', 'library', 'notes', '--seeds', '2', '-o', 'questions.json', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ documents: 3, skipped: [{ path: 'two words.md' }] });
    expect(Object.keys(suiteIn('questions.json').scenes[0].tasks[0].documents)).toEqual(['b.html', 'deep/a.md', 'index.md']);
    expect((await ludus(here, ['eval', 'questions.json', '--agents', 'random', '--json'])).code).toBe(0);
  });

  it('accepts custom questions, and rejects those that cite missing documents', async () => {
    const question = { ask: 'What is there?', answer: 'A', cites: ['deep/a.md'] };
    writeFileSync(join(here, 'asked.json'), JSON.stringify([question]));
    writeFileSync(join(here, 'wrong.json'), JSON.stringify([{ ...question, cites: ['z.md'] }]));
    const make = (file: string) => ludus(here, ['env', 'tasks', 'library', 'notes', '--questions', file, '-o', 'own.json', '--json']);
    expect((await make('asked.json')).code).toBe(0);
    expect(suiteIn('own.json').scenes[0].tasks[0].questions).toEqual([question]);
    expect((await make('wrong.json')).err).toContain('paths among the documents');
    expect((await make('none.json')).err).toContain('none.json cannot be read');
    expect((await ludus(here, ['env', 'tasks', 'library', 'nowhere', '-o', 'x.json'])).err).toContain('cannot be read as a folder');
  });
});

describe('tasks programs', () => {
  const patch = [
    '--- a/add.js',
    '+++ b/add.js',
    '@@ -1,3 +1,3 @@',
    ' export function add(a, b) {',
    '-  return a - b;',
    '+  return a + b;',
    ' }',
    '',
  ].join('\n');
  const test = [
    "import { expect, test } from 'vitest';",
    "import { add } from './add.js';",
    "test('adds', () => { expect(add(2, 3)).toBe(5); });",
  ];
  const testPatch = ['--- /dev/null', '+++ b/add.test.js', '@@ -0,0 +1,3 @@', ...test.map((line) => `+${line}`), ''].join('\n');
  const good = { instance_id: 'a__add-1', problem_statement: 'It subtracts.', patch, test_patch: testPatch, FAIL_TO_PASS: '["adds"]' };

  it('proves tasks that their own patch fixes, and counts the others with the reason', async () => {
    mkdirSync(join(here, 'swe', 'a__add-1'), { recursive: true });
    mkdirSync(join(here, 'swe', 'b'), { recursive: true });
    for (const item of ['a__add-1', 'b'])
      writeFileSync(join(here, 'swe', item, 'add.js'), 'export function add(a, b) {\n  return a - b;\n}\n');
    const lines = [
      good,
      { ...good, instance_id: 'b', patch: patch.replace('a + b', 'a * b') },
      { ...good, instance_id: 'b', test_patch: testPatch.replace('/dev/null', 'a/none.js') },
      { ...good, instance_id: 'none' },
      { problem_statement: 'no name' },
    ];
    writeFileSync(join(here, 'swe', 'instances.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
    const { code, out } = await ludus(here, ['env', 'tasks', 'programs', 'swe/instances.jsonl', '-o', 'repairs.json', '--json']);
    expect(code).toBe(0);
    const { tasks, proved, down } = JSON.parse(out);
    expect([tasks, proved]).toEqual([1, 1]);
    expect(down.map(({ why }: { why: string }) => why)).toEqual([
      expect.stringContaining('does not make the tests pass'),
      expect.stringContaining('none.js, which does not exist'),
      expect.stringContaining('Its repository folder'),
      expect.stringContaining('"instance_id"'),
    ]);
    const [task] = suiteIn('repairs.json').scenes[0].tasks;
    expect(Object.keys(task.repository.files)).toEqual(['add.js']);
    expect(task.repository.tests['add.test.js']).toContain("from 'test'");
  });

  it('accepts Python instances if an interpreter can prove them, and otherwise explains why not', async () => {
    const python = await probeBackend({ backend: await usualPython() });
    mkdirSync(join(here, 'py', 'c'), { recursive: true });
    writeFileSync(join(here, 'py', 'c', 'add.py'), 'def add(a, b):\n    return a - b\n');
    const mend = '--- a/add.py\n+++ b/add.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n';
    const tested =
      '--- /dev/null\n+++ b/tests/test_add.py\n@@ -0,0 +1,3 @@\n+from add import add\n+def test_adds():\n+    assert add(2, 3) == 5\n';
    const instance = { instance_id: 'c', patch: mend, test_patch: tested, FAIL_TO_PASS: ['tests/test_add.py::test_adds'] };
    const lines = [instance, { ...instance, patch: mend.replace('a + b', 'a * b') }];
    writeFileSync(join(here, 'py', 'instances.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
    const { code, out, err } = await ludus(here, ['env', 'tasks', 'programs', 'py/instances.jsonl', '-o', 'python.json', '--json']);
    if (!python.ok) return void expect(err).toMatch(/python/i);
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      tasks: 1,
      proved: 1,
      down: [{ id: 'c', why: expect.stringContaining('does not make the tests pass') }],
    });
    expect(suiteIn('python.json').scenes[0]).toMatchObject({ others: { '*': 'tester' }, tasks: [{ mode: 'python' }] });
  });
});
