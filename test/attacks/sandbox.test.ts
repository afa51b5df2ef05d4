/**
 * @file Code that tries to get out of the sandbox, or to take more than it may. Every attack names what ends it.
 *
 * Each runs twice: inside the isolation of this machine (bubblewrap, rlimits), where it has them, and with the engine and its process alone.
 * Nothing here is told by the clock: limits are wide except for attacks that only time ends.
 */

import { createSocket, type Socket } from 'node:dgram';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxResult } from '@ludus-agents/agents/internal/sandbox/box';
import type * as Sandbox from '@ludus-agents/agents/internal/sandbox/sandbox';
import type { SandboxOptions } from '@ludus-agents/agents/internal/sandbox/sandbox';
import type { Tool } from '@ludus-agents/agents/internal/tools/tool';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { amount } from '../fixtures/amount.ts';
import { importBuilt } from '../fixtures/built.ts';
import { type Attack, body, escapes, floods, forgeries, python, pythonWasm, wide } from './sandbox-attacks.ts';

const { openSandbox, sandboxReport } = (await importBuilt('agents/sandbox/sandbox')) as typeof Sandbox;

// Every run is its own process, which a busy machine starts late.
vi.setConfig({ testTimeout: 180_000 });

const folder = mkdtempSync(join(tmpdir(), 'ludus-attack-'));
const target = join(folder, 'written');
let tcp: Server;
let udp: Socket;
let reached = 0;
const before = { ...Object.getOwnPropertyDescriptors(Object.prototype) };

const twice: Tool = {
  spec: {
    name: 'twice',
    description: 'Twice a number.',
    parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false },
  },
  call: async (input) => ({ ok: true, text: '', value: 2 * (input as { n: number }).n }),
};

beforeAll(async () => {
  tcp = createServer((socket) => {
    reached++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  udp = createSocket('udp4').on('message', () => reached++);
  await new Promise<void>((resolve) => udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1', resolve));
});

afterAll(async () => {
  await new Promise((resolve) => tcp.close(resolve));
  await new Promise<void>((resolve) => udp.close(resolve));
  rmSync(folder, { recursive: true });
});

function unharmed(): void {
  expect(reached).toBe(0);
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

/** Where no end is named (a container has files and processes to itself), nothing outside may have been harmed. */
async function attack(
  options: SandboxOptions,
  file: string,
  [, code, end, limits = wide]: readonly [string, string, Attack[2] | null, Attack[3]?],
): Promise<SandboxResult> {
  const text = code.replaceAll('PORT', String((tcp.address() as AddressInfo).port)).replaceAll('TARGET', target);
  const box = await openSandbox({ ...options, limits, tools: [twice], files: { [file]: text } });
  const result = await box.run(file, { secret: 1 });
  if (end !== null && typeof end === 'object' && 'value' in end) expect(result).toMatchObject({ ok: true, value: end.value });
  else if (end !== null) expect(result.problem?.kind, JSON.stringify(result).slice(0, 400)).toBeOneOf([end].flat());
  expect(result.printed.length).toBeLessThanOrEqual(limits.characters ?? 0);
  expect(result.calls.length).toBeLessThanOrEqual(limits.calls ?? 0);
  unharmed();
  return result;
}

/** What is a matter of the engine alone need not be tried inside isolation again. */
const outward = /chain|TCP|UDP|socket|killing|SQLite|child|endless loop$|indexOf on|300 MB in|deep recursion|parser bomb|million|calls$/;
const probe = await openedProbe('wasm');
const isIsolated = probe.why === undefined;
const ways: [string, SandboxOptions, (attack: Attack) => boolean][] = [
  // `npm run test:long` tries what runs inside isolation without it, too.
  ['engine and process only', { isolation: false }, ([name]) => !isIsolated || amount(0, 1) === 1 || !outward.test(name)],
  ['with the isolation of this machine', {}, ([name]) => outward.test(name)],
];

describe.concurrent.each(isIsolated ? ways : ways.slice(0, 1))('the wasm sandbox (%s)', (_, options, wanted) => {
  // Each is a process: `npm test` tries every third one by the engine alone, and `npm run test:long` all of them.
  const isTried = (index: number) => options.isolation !== false || index % amount(3, 1) === 0;
  const each = (all: readonly Attack[]) =>
    it.each(all.filter(wanted).flatMap((attack, i) => (isTried(i) ? [[attack[0], attack] as const] : [])));
  each(escapes)('blocks escapes: %s', async (_, otherAttack) => void (await attack(options, 'main.js', otherAttack)));
  each(forgeries)('rejects forged results: %s', async (_, otherAttack) => void (await attack(options, 'main.js', otherAttack)));
  each(floods)('enforces limits: %s', async (_, otherAttack) => {
    const { used } = await attack(options, 'main.js', otherAttack);
    expect(used.bytes).toBeLessThanOrEqual(48 * 2 ** 20);
  });

  it('runs harmless code', async () => {
    const code = body(
      'const all = Array.from({ length: 1e5 }, () => Math.random()); all.sort((a, b) => a - b); console.log("sorted"); return [all.length, all[0] <= all[1], await tools.twice({ n: 21 })]',
    );
    const harmless: Attack = ['', code, { value: [100_000, true, 42] }];
    expect(await attack(options, 'main.js', harmless)).toMatchObject({
      printed: 'sorted\n',
      calls: [{ tool: 'twice', ok: true, result: 42 }],
    });
  });
});

const pythonProbe = await openedProbe('python');
const engines = [
  ['python', pythonProbe],
  ['container', await openedProbe('container')],
] as const;

for (const [backend, { ok, why }] of engines)
  (ok ? describe.concurrent : describe.skip)(`the ${backend} sandbox${ok ? '' : ` (skipped: ${why})`}`, () => {
    const options: SandboxOptions = { backend, language: 'python' };
    it.each(python.map((attack) => [attack[0], attack] as const))(
      'blocks %s',
      async (_, [name, code, end, limits]) =>
        void (await attack(options, 'main.py', [name, code, backend === 'container' ? null : end, limits])),
    );

    it('runs harmless code', async () => {
      const code =
        'import random\ndef main(given):\n  print("sorted")\n  return [sorted(random.random() for _ in range(10 ** 5))[0] < 1, tools.twice(n=21), given["secret"]]';
      expect(await attack(options, 'main.py', ['', code, { value: [true, 42, 1] }])).toMatchObject({ printed: 'sorted\n' });
    });
  });

/** Modules that Python in WebAssembly lacks are an error there, and a path from the root is one in its folder; what counts is that nothing got out. */
const lacking = python.map(([name, code, , limits = wide]): Attack => {
  const inFolder = /open\("(TARGET", "w"|\/usr)/.test(code);
  return [name, code, inFolder ? { value: null } : ['threw', 'stack', 'memory', 'time', 'output', 'calls'], limits];
});
const wasmProbe = await openedProbe('python-wasm');

(wasmProbe.ok ? describe.concurrent : describe.skip)(`the python-wasm sandbox${wasmProbe.ok ? '' : ` (skipped: ${wasmProbe.why})`}`, () => {
  const attacks = [
    ...pythonWasm,
    ...lacking.filter(([, code]) => /import (socket|subprocess|ctypes|threading|sqlite3)|os\.(fork|kill|execv)|open\(/.test(code)),
  ];
  it.each(attacks.slice(0, amount(2, attacks.length)).map((attack) => [attack[0], attack] as const))(
    'blocks %s',
    async (_, otherAttack) => {
      const { used } = await attack({ backend: 'python-wasm', isolation: false }, 'main.py', otherAttack);
      expect(used.bytes).toBeLessThanOrEqual(48 * 2 ** 20);
    },
  );

  it('runs harmless code', async () => {
    const code =
      'import random\ndef main(given):\n  print("sorted")\n  open("a/b.txt", "w").write("kept")\n  return [sorted(random.random() for _ in range(1000))[0] < 1, tools.twice(n=21), given["secret"], open("a/b.txt").read()]';
    const harmless: Attack = ['', code, { value: [true, 42, 1, 'kept'] }];
    expect(await attack({ backend: 'python-wasm' }, 'main.py', harmless)).toMatchObject({ printed: 'sorted\n' });
  });
});

it('reports which isolation was unavailable for testing', ({ skip }) => {
  skip(probe.why !== undefined, `the wasm sandbox holds here ${probe.why}`);
  skip(!pythonProbe.ok, `Python was not attacked: ${pythonProbe.why}`);
});

async function openedProbe(backend: 'wasm' | 'python' | 'python-wasm' | 'container') {
  return (await sandboxReport()).find((item) => item.backend === backend) as { ok: boolean; why?: string };
}
