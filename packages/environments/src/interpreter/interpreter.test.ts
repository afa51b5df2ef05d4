import { describe, expect, it } from 'vitest';
import { runScript, runScriptTests } from './interpreter.ts';

const run = (code: string) => runScript({ 'a.js': code }, 'a.js');

describe('script interpreter', () => {
  it.each([
    ['1 + 2 * 3 ** 2', 19],
    ['let s = 0; for (let i = 0; i < 5; i++) { if (i === 3) continue; s += i; } s', 7],
    ['const f = (a: number, b: number): number => a - b; f(5, 3)', 2],
    ['function g(n) { return n < 2 ? n : g(n - 1) + g(n - 2); } g(12)', 144],
    ['const o = { a: 1, b: [2, 3] }; o.c = o.b.map((x) => x * 10); JSON.stringify(o)', '{"a":1,"b":[2,3],"c":[20,30]}'],
    ['[10, 9, 1].sort().join(" ")', '1 10 9'],
    ['[10, 9, 1].sort((a, b) => a - b)', [1, 9, 10]],
    ['let out = ""; for (const [k, v] of Object.entries({ x: 1, y: 2 })) out += k + v; out', 'x1y2'],
    ['null ?? "none"', 'none'],
    ['"a-b-c".split("-").reverse().join("") + "x".repeat(2)', 'cbaxx'],
    ['let i = 0; while (true) { i += 2; if (i > 9) break; } i', 10],
    ['[3, 1, 2].reduce((a, b) => a + b, 0) % 4', 2],
    ['typeof (() => 1)', 'function'],
  ])('evaluates %s', (code, value) => {
    const { problem, value: got } = run(code);
    expect({ problem, got }).toEqual({ problem: '', got: value });
  });

  it('runs tests across several files', () => {
    const files = {
      'add.ts': 'export function add(a: number, b: number): number { return a - b; }',
      'add.test.ts':
        "import { test, expect } from 'test'; import { add } from './add.ts'; test('adds', () => { expect(add(2, 3)).toBe(5); }); test('zero', () => { expect(add(0, 0)).toBe(0); });",
    };
    expect(runScriptTests(files, ['add.test.ts']).tests).toEqual([
      { name: 'adds', ok: false, why: 'expected 5, got -1' },
      { name: 'zero', ok: true, why: '' },
    ]);
  });
});

describe('malicious scripts', () => {
  it.each([
    ['while (true) {}', /steps/],
    ['for (;;) {}', /steps/],
    ['function f() { return f(); } f()', /too deeply/],
    ['let a = "x"; while (true) a = a + a;', /characters|steps/],
    ['let a = [1]; while (true) a = a.concat(a);', /steps|100,000 items/],
    ['"x".repeat(1e12)', /steps/],
    ['let a = [1]; for (let i = 0; i < 60; i++) a = [a, a, a]; a + ""', /too large/],
    ['let a = [1, 1, 1, 1]; for (let i = 0; i < 30; i++) a = [a, a, a, a]; JSON.stringify(a)', /too large/],
    ['const a = []; a.push(a); a', /too large/],
    ['const a = []; a.push(a); expect', /not defined/],
    ['(1).constructor.constructor("return process")()', /Cannot read|not a function/],
    ['[].constructor', /^$/],
    ['process', /not defined/],
    ['globalThis', /not defined/],
    ['const o = {}; o.__proto__ = { x: 1 }; o["constructor"]', /^$/],
    [`${'('.repeat(50_000)}1`, /nested too deeply/],
    [`${'['.repeat(5000)}`, /nested too deeply/],
    ['import { readFile } from "node:fs"; readFile("x")', /no module/],
    ['let a = []; a[99999999] = 1;', /holes/],
    ['for (let i = 0; i < 1e6; i++) print("hello")', /printed more/],
    ['const a = "x".repeat(90000); let b = []; for (let i = 0; i < 3000; i++) b.push(a); b.join("")', /too large/],
  ])('end with a readable error (%#)', (code, problem) => {
    const outcome = run(code);
    expect(outcome.problem).toMatch(problem);
    expect(outcome.value).toBeNull();
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
