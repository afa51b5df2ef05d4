/** @file What the sandbox carries: modules, TypeScript, files, tools, tests, clocks and dice, and its small checks. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../tools/tool.ts';
import { parseBounded } from './bounded-json.ts';
import { fitsGlob } from './glob.ts';
import { withDefaults } from './limits.ts';
import { openSandbox, type SandboxOptions, sandboxReport } from './sandbox.ts';
import { misfit } from './schema.ts';
import { toVirtualPath } from './virtual-path.ts';

const wide = { milliseconds: 60_000, wallMilliseconds: 120_000 };
const open = (files: Readonly<Record<string, string>>, more: SandboxOptions = {}) => openSandbox({ limits: wide, files, ...more });
const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/** A tool whose answers come in the order that the test says, whatever order it was called in. */
function slowTool(order: readonly number[]): Tool {
  const waiting = new Map<number, () => void>();
  return {
    spec: { name: 'ask', description: '', parameters: number },
    call: (input) =>
      new Promise((resolve) => {
        const { n } = input as { n: number };
        waiting.set(n, () => resolve({ ok: true, text: `text ${n}` }));
        if (waiting.size === order.length) for (const value of order) waiting.get(value)?.();
      }),
  };
}

describe('sandbox', () => {
  it('runs a module on an input, with JavaScript, TypeScript, and JSON imports', async () => {
    const box = await open({
      'main.ts': `import { add } from './lib/add'; import data from './data.json'; import { up } from './lib/up.js';
        export default (input: { n: number }) => add(input.n, data.by) + up;`,
      'lib/add.ts': 'type N = number; export const add = (a: N, b: N): N => a + b;',
      'lib/up.js': "import data from '../data.json'; export const up = data.by * 100;",
      'data.json': '{"by": 2}',
    });
    expect(await box.run('main.ts', { n: 40 })).toMatchObject({ ok: true, value: 242, problem: null, printed: '', calls: [] });
  });

  it('returns a default export that is not a function, and reports errors in the code', async () => {
    const box = await open({
      'value.js': 'export default { a: [1, null] }',
      'none.js': 'export const a = 1',
      'enum.ts': 'enum A { B }',
      'broken.js': 'export default (',
    });
    expect(await box.run('value.js')).toMatchObject({ ok: true, value: { a: [1, null] } });
    expect(await box.run('none.js')).toMatchObject({ ok: true, value: null });
    expect((await box.run('enum.ts')).problem).toMatchObject({ kind: 'threw', text: expect.stringContaining('enum') });
    expect((await box.run('broken.js')).problem).toMatchObject({ kind: 'threw', text: expect.stringContaining('SyntaxError') });
    await expect(box.run('other.js')).rejects.toThrow('File "other.js" not found in the sandbox. It has value.js');
  });

  it('keeps files between runs inside its folder', async () => {
    const box = await open({
      'main.js': 'export default (n) => { files.write("out/n.txt", files.list().join() + n); return files.read("/out/./n.txt"); }',
    });
    expect(await box.run('main.js', 1)).toMatchObject({ value: 'main.js1' });
    expect(box.read('out/n.txt')).toBe('main.js1');
    expect(await box.run('main.js', 2)).toMatchObject({ value: 'main.js,out/n.txt2' });
    expect(box.list()).toEqual(['main.js', 'out/n.txt']);
    for (const path of ['../a', 'a/../../b', 'a/..', '', '/', 'a\\b', 'a\0b'])
      expect(() => box.write(path, 'x'), path).toThrow('A path in a sandbox must look like "lib/add.js"');
    expect(box.read('nothing')).toBeNull();
    expect(() => box.write('big', 'x'.repeat(1_000_001))).toThrow('characters in total; "big" exceeds that.');
  });

  it('preserves every character of texts', async () => {
    const odd = 'a\0b\ud800 ü 🂡\n"\\';
    const box = await open({
      'main.js': 'export default (text) => { files.write("a", text); console.log(text); return files.read("a") + text.length; }',
    });
    const result = await box.run('main.js', odd);
    expect(result).toMatchObject({ value: odd + odd.length, printed: `${odd}\n` });
    expect(box.read('a')).toBe(odd);
  });

  it('calls tools in the parent process, records them, and resolves them in order', async () => {
    const code = `export default async () => {
      const order = [];
      await Promise.all([1, 2, 3].map(async (n) => order.push(await tools.ask({ n }))));
      try { await tools.ask({}); } catch (thrown) { order.push(thrown.message); }
      return order;
    }`;
    const box = await open({ 'main.js': code }, { tools: [slowTool([3, 1, 2])] });
    const result = await box.run('main.js');
    expect(result.value).toEqual(['text 1', 'text 2', 'text 3', 'The tool ask was not called: the arguments must have "n".']);
    expect(result.calls.map(({ arguments: input, ok }) => [input, ok])).toEqual([
      [{ n: 1 }, true],
      [{ n: 2 }, true],
      [{ n: 3 }, true],
      [{}, false],
    ]);
  });

  it('is deterministic by seed, with a simulated clock', async () => {
    const code = `export default async () => {
      const began = Date.now();
      const dice = [Math.random(), Math.random()];
      await new Promise((done) => setTimeout(done, 86_400_000));
      return [began, dice, new Date().toISOString(), Date.now() - began, typeof Date(), new Date(5).getTime(), new Date() instanceof Date, new (new Date().constructor)().getFullYear()];
    }`;
    const run = async (more: SandboxOptions) => (await (await open({ 'main.js': code }, more)).run('main.js')).value;
    const first = await run({ seed: 7 });
    expect(await run({ seed: 7 })).toEqual(first);
    expect(((await run({ seed: 8 })) as Json[])[1]).not.toEqual((first as Json[])[1]);
    expect(first).toMatchObject([946_684_800_000, {}, '2000-01-02T00:00:00.001Z', 86_400_002, 'string', 5, true, 2000]);
    expect(((await run({ clock: 0 })) as Json[])[0]).toBe(0);
  });

  it('runs tests of small programs and reports why one fails', async () => {
    const box = await open({
      'add.ts': 'export const add = (a: number, b: number) => a - b;',
      'add.test.ts': `import { test, expect } from 'test'; import { add } from './add.ts';
        test('adds', () => expect(add(2, 3)).toBe(5)); test('zero', () => expect(add(0, 0)).toBe(0));`,
      'deep/other.test.js': `import { describe, it, expect } from 'vitest';
        describe('a', () => { it('waits', async () => { await null; expect({ a: [1] }).toEqual({ a: [1] }); expect(() => { throw new Error('no'); }).toThrow('no'); expect(1).not.toBe(2); });
        it('tells minus zero', () => expect(-0).toEqual(0)); it('throws', () => { null.x }); });`,
      'broken.test.js': 'export default (',
    });
    const report = await box.test();
    expect(report.problem).toBeNull();
    expect(report.ok).toBe(false);
    expect(report.tests.map(({ name, ok, why }) => [name, ok, why.slice(0, 24)])).toEqual([
      ['adds', false, 'expected 5, got -1'],
      ['zero', true, ''],
      ['broken.test.js', false, expect.stringContaining('SyntaxError')],
      ['a > waits', true, ''],
      ['a > tells minus zero', false, 'expected 0, got -0'],
      ['a > throws', false, expect.stringContaining('TypeError')],
    ]);
    box.write('add.ts', 'export const add = (a: number, b: number) => a + b;');
    expect(await box.test('add.test.ts')).toMatchObject({ ok: true, problem: null });
    await expect(box.test('none.*')).rejects.toThrow('No file in the sandbox matches "none.*"');
    box.write('add.test.ts', "import { test } from 'test'; test('never', () => { for (;;) {} });");
    const hung = await openSandbox({ limits: { ...wide, milliseconds: 200 }, files: { 'a.test.ts': box.read('add.test.ts') as string } });
    expect(await hung.test()).toMatchObject({ ok: false, tests: [], problem: { kind: 'time' } });
  });

  it('aborts a run on a signal and rejects runs once closed', async () => {
    const box = await open({ 'main.js': 'export default async () => { await tools.stop({}); for (;;) {} }' }, { tools: [] });
    const controller = new AbortController();
    const stop: Tool = {
      spec: { name: 'stop', description: '', parameters: {} },
      call: async () => {
        controller.abort(new Error('enough'));
        return { ok: true, text: '' };
      },
    };
    const other = await open({ 'main.js': box.read('main.js') as string }, { tools: [stop] });
    await expect(other.run('main.js', null, controller.signal)).rejects.toThrow('enough');
    box.close();
    await expect(box.run('main.js')).rejects.toThrow('The sandbox is closed');
  });
});

describe('Python sandbox', async () => {
  const probe = (await sandboxReport()).find(({ backend }) => backend === 'python');
  it.skipIf(probe?.ok !== true)('supports modules, files, tools, and tests', async () => {
    const box = await open(
      {
        'main.py':
          'from lib.add import add\nimport random\ndef main(n):\n  open("out.txt", "w").write("kept")\n  return [add(n, 1), tools.ask(n=5), random.random() == random.Random(7).random()]',
        'lib/add.py': 'def add(a, b):\n  return a - b\n',
        'test_add.py':
          'import unittest\nfrom lib.add import add\nclass Add(unittest.TestCase):\n  def test_adds(self): self.assertEqual(add(2, 3), 5)\n  def test_zero(self): self.assertEqual(add(0, 0), 0)\n',
      },
      { backend: 'python', tools: [slowTool([5])], seed: 7 },
    );
    expect(await box.run('main.py', 4)).toMatchObject({
      ok: true,
      value: [3, 'text 5', true],
      calls: [{ tool: 'ask', arguments: { n: 5 }, ok: true, result: 'text 5' }],
    });
    expect(box.read('out.txt')).toBe('kept');
    expect((await box.test()).tests).toEqual([
      { name: 'test_add.Add.test_adds', ok: false, why: 'AssertionError: -1 != 5' },
      { name: 'test_add.Add.test_zero', ok: true, why: '' },
    ]);
  });

  it('fails with a readable error if Python is not available', async () => {
    await expect(openSandbox({ backend: 'python', python: '/no/such/python' })).rejects.toThrow(
      'The sandbox "python" cannot run here: there is no /no/such/python here',
    );
  });
});

describe('sandbox checks in the parent process', () => {
  it('limit the depth of JSON and drop __proto__', () => {
    expect(parseBounded('[[1]]', 2)).toEqual([[1]]);
    expect(parseBounded('[[[1]]]', 2)).toBeUndefined();
    expect(parseBounded('"[[[["', 2)).toBe('[[[[');
    expect(parseBounded('{"a\\"[[[": [1]}', 2)).toEqual({ 'a"[[[': [1] });
    expect(parseBounded('{')).toBeUndefined();
    expect(Object.hasOwn(parseBounded('{"__proto__": {"a": 1}}') as object, '__proto__')).toBe(false);
    expect(Object.keys((parseBounded('[{"\\u005f_proto__": 1}]') as object[])[0]!)).toEqual([]);
  });

  it('keep paths inside the folder', () => {
    expect(toVirtualPath('./a//b/../c.js')).toBe('a/c.js');
    expect(toVirtualPath('../b.js', 'a/x.js')).toBe('b.js');
    expect(toVirtualPath('/b.js', 'a/x.js')).toBe('b.js');
    for (const path of ['..', '../x', 'a/../../x', '/..', '.', '__proto__/a']) expect(toVirtualPath(path), path).toBeNull();
    expect(['a.test.ts', 'b/c.test.js', 'a.ts'].filter((path) => fitsGlob(path, '**/*.test.*'))).toEqual(['a.test.ts', 'b/c.test.js']);
    expect(fitsGlob('b/c.js', '*.js')).toBe(false);
  });

  it.each<[Json, Json, string | null]>([
    [{ type: 'object', required: ['a'] }, { a: 1 }, null],
    [{ type: 'object', required: ['a'] }, {}, 'must have "a"'],
    [{ type: 'object' }, [], 'must be object'],
    [{ properties: { a: { type: 'integer', minimum: 1 } } }, { a: 1.5 }, '"a" must be integer'],
    [{ properties: { a: { type: 'integer', minimum: 1 } } }, { a: 0 }, 'must be from 1'],
    [{ additionalProperties: false }, { a: 0 }, 'must not have "a"'],
    [{ properties: { constructor: { type: 'string' } } }, { toString: 1 }, null],
    [{ type: 'array', items: { enum: ['x'] } }, ['x', 'y'], '[1] must be one of ["x"]'],
    [{ type: ['string', 'null'], maxLength: 2 }, 'abc', '2 characters or fewer'],
    [true, 1, null],
    [{}, 'anything', null],
  ])('check %j against %j', (schema, value, wrong) => {
    if (wrong === null) expect(misfit(schema, value)).toBeNull();
    else expect(misfit(schema, value)).toContain(wrong);
  });

  it('reject invalid limits and unknown backends', async () => {
    expect(() => withDefaults({ megabytes: 3 })).toThrow('The sandbox limit "megabytes" must be an integer from');
    expect(withDefaults({ milliseconds: 20_000 }).wallMilliseconds).toBe(100_000);
    await expect(openSandbox({ backend: 'vm' as never })).rejects.toThrow(
      'Unknown sandbox "vm". Available: wasm, python, python-wasm, container, remote.',
    );
  });
});
