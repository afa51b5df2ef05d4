/** @file Tests of fingerprints of names that a part of Ludus resolves: they follow what such a name is made from. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Fingerprints } from './fingerprint.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const hashes = () => new Fingerprints({ cwd, trust: Trust.commandLine });
const environmentHash = async (name: string) => (await hashes().environment(name)).hash;
const scorerHash = async (name: string) => (await hashes().scorer(name))?.hash;

it('environmentHash differs between games about the same environment and between environments', async () => {
  const names = ['kuhn-poker', 'advice:kuhn-poker', 'discussion:kuhn-poker', 'advice:tic-tac-toe', 'advice:advice:kuhn-poker'];
  expect(new Set(await Promise.all(names.map(environmentHash))).size).toBe(names.length);
  expect(await environmentHash('advice:kuhn-poker')).toBe(await environmentHash('advice:kuhn-poker'));
});

it('scorerHash of a model scorer changes with its program', async () => {
  const write = (text: string) =>
    writeFileSync(join(cwd, 'model.mjs'), `export default { id: 'mine', complete: async () => ({ text: '${text}' }) };\n`);
  write('one');
  const before = await Promise.all(['states=./model.mjs', 'apc=./model.mjs'].map(scorerHash));
  write('two');
  const after = await Promise.all(['states=./model.mjs', 'apc=./model.mjs'].map(scorerHash));
  expect(new Set([...before, ...after]).size).toBe(4);
  expect(await scorerHash('return')).toBeUndefined();
});

it('scorerHash of a critic requires its run', async () => {
  await expect(scorerHash('critic=none')).rejects.toThrow('none');
});

it('the hash of a program covers the files it reads and marks computed names as unpinned', async () => {
  const data = (text: string) => writeFileSync(join(cwd, 'data.txt'), text);
  const program = (name: string, read: string) =>
    writeFileSync(
      join(cwd, name),
      `import { readFileSync } from 'node:fs';\nimport { join } from 'node:path';\nexport const agent = { act: async () => ({ text: readFileSync(${read}, 'utf8') }) };\nexport default () => agent;\n`,
    );
  program('plain.mjs', `join(import.meta.dirname, 'data.txt')`);
  program('computed.mjs', `['data', 'txt'].join('.')`);
  data('one');
  const before = await hashes().agent('./plain.mjs');
  data('two');
  const after = await hashes().agent('./plain.mjs');
  expect(after.hash).not.toBe(before.hash);
  expect([before.unpinned, after.unpinned]).toEqual([[], []]);
  expect((await hashes().agent('./computed.mjs')).unpinned).toEqual([
    `it opens a file whose name is computed: readFileSync(['data', 'txt'].join('.')) in computed.mjs`,
  ]);
  writeFileSync(join(cwd, 'varies.mjs'), 'export default () => ({ act: async () => ({ text: String(process.env.LUDUS_TEST_ADD) }) });\n');
  const plain = await hashes().agent('./varies.mjs');
  process.env['LUDUS_TEST_ADD'] = '1';
  const added = await hashes().agent('./varies.mjs');
  delete process.env['LUDUS_TEST_ADD'];
  expect([plain.unpinned, added.unpinned, added.hash === plain.hash]).toEqual([[], [], false]);
  writeFileSync(join(cwd, 'asks.mjs'), 'export default () => ({ act: async () => ({ text: await (await fetch("http://x")).text() }) });\n');
  expect((await hashes().agent('./asks.mjs')).unpinned).toEqual(['it can reach a server or another program: fetch in asks.mjs']);
});

it('of a program follow the aliases of its package.json without loading it, and a shell script has none', async () => {
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  write('package.json', JSON.stringify({ type: 'module', imports: { '#text': './text.mjs' } }));
  write('a.mjs', "import { text } from '#text';\nexport default { name: 'a', act: async () => ({ action: { text } }) };\n");
  const idle = async (text: string) => {
    write('text.mjs', `export const text = '${text}';\n`);
    return (await new Fingerprints({ cwd, trust: Trust.commandLine, isIdle: true }).agent('./a.mjs')).hash;
  };
  expect(await idle('one')).not.toBe(await idle('two'));
  write('bot.sh', 'cat text.txt\n');
  const [script, library] = ['cmd:bash bot.sh', 'cmd:node a.mjs'].map((kind) => hashes().agent(kind));
  expect([(await script)?.unpinned, (await library)?.unpinned]).toEqual([['the files that "bash bot.sh" reads cannot be determined'], []]);
});
