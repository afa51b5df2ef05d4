/** @file Agents and environments from packages: an installed package counts by its versions, a linked one by what is in its folder. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeProgram, importFile } from '@ludus-agents/agents/internal/workspace/programs';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../packages/ludus-agents/src/cli/terminal.cases.ts';

const coin = `import { pay } from './rules/pay.js';
const seats = ['first', 'second'];
export const coin = {
  id: 'coin@1',
  about: { summary: 'Say heads.', tasks: [{}], turns: 4, complete: true },
  parameters: {},
  task: () => ({}),
  seats: () => seats,
  start: () => ({ state: {}, messages: [{ to: seats, text: 'Say [heads] or [tails].' }], asks: seats.map((seat) => ({ seat, choices: ['[heads]', '[tails]'] })) }),
  step: (_, actions) => ({
    state: {}, messages: [], asks: [],
    rewards: Object.fromEntries(seats.map((seat) => [seat, actions[seat].text.includes('heads') ? pay : 0])),
  }),
};
`;
const bot = `import { at } from './lists/at.js';
export default { name: 'bot', async act({ ask }) { return { action: { text: ask.choices[at] } }; } };
`;
const manifest = (more: object) => JSON.stringify({ version: '1.0.0', type: 'module', ...more });

function write(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

/** A folder with two packages: coin-bot, an agent, and coin-game, an environment. Linked, their files are in a folder next to it. */
function prepared(kind: 'linked' | 'installed'): { readonly here: string; readonly packages: string } {
  const here = folder();
  const packages = kind === 'linked' ? folder() : join(here, 'node_modules');
  write(packages, {
    'coin-bot/package.json': manifest({ name: 'coin-bot', exports: { '.': './index.js', './lists/*': './lists/*.js' } }),
    'coin-bot/index.js': bot,
    'coin-bot/lists/at.js': 'export const at = 0;\n',
    'coin-game/package.json': manifest({ name: 'coin-game', main: 'index.js' }),
    'coin-game/index.js': coin,
    'coin-game/rules/pay.js': 'export const pay = 1;\n',
  });
  if (kind === 'linked') {
    mkdirSync(join(here, 'node_modules'));
    for (const name of ['coin-bot', 'coin-game']) symlinkSync(join(packages, name), join(here, 'node_modules', name), 'junction');
  }
  write(here, {
    'user.mjs': "import bot from 'coin-bot';\nexport default { name: 'user', act: bot.act };\n",
    'path.mjs': `import { at } from 'coin-bot/lists/at';\n${bot.split('\n').slice(1).join('\n')}`,
  });
  return { here, packages };
}

async function arena(here: string, agent: string) {
  const { code, out, err } = await ludus(here, ['arena', 'coin-game', '--agents', `${agent},random`, '--games', '8', '--yes', '--json']);
  expect(code, err).toBe(0);
  const { run, played, pairs } = JSON.parse(out) as { run: string; played: number; pairs: unknown };
  return { run, played, pairs };
}

describe('a linked package', () => {
  it.each([
    ['an agent', 'coin-bot', 'coin-bot/lists/at.js', 'export const at = 1;\n'],
    ['imported by an agent', './user.mjs', 'coin-bot/lists/at.js', 'export const at = 1;\n'],
    ['imported by a path', './path.mjs', 'coin-bot/lists/at.js', 'export const at = 1;\n'],
    ['an environment', './user.mjs', 'coin-game/rules/pay.js', 'export const pay = 2;\n'],
  ])('used as %s is played again after an edit, and commands that read the run mention it', async (_, agent, file, text) => {
    const { here, packages } = prepared('linked');
    const first = await arena(here, agent);
    expect(await arena(here, agent)).toEqual({ ...first, played: 0 });
    expect((await ludus(here, ['show', first.run])).out).not.toContain('changed after');
    write(packages, { [file]: text });
    expect((await ludus(here, ['show', first.run])).out).toContain('changed after');
    const second = await arena(here, agent);
    expect(second.played).toBe(first.played);
    expect(second.pairs).not.toEqual(first.pairs);
    expect((await ludus(here, ['show', first.run])).out).not.toContain('changed after');
  });
});

describe('an installed package', () => {
  it.each(['coin-bot', './user.mjs'])('is identified by its version in %s', async (agent) => {
    const { here, packages } = prepared('installed');
    const first = await arena(here, agent);
    write(packages, { 'coin-bot/lists/at.js': 'export const at = 1;\n' });
    expect(await arena(here, agent)).toEqual({ ...first, played: 0 });
    write(packages, { 'coin-bot/package.json': manifest({ name: 'coin-bot', version: '1.0.1', main: 'index.js' }) });
    expect((await ludus(here, ['show', first.run])).out).toContain('changed after');
    // Node keeps what it has loaded of a package: a process that plays on would play the old one.
    const again = await ludus(here, ['arena', 'coin-game', '--agents', `${agent},random`, '--games', '8', '--yes', '--json']);
    expect([again.code, JSON.parse(again.out)]).toEqual([2, expect.objectContaining({ code: 'E_STALE' })]);
  });

  it('is identified by the versions of its dependencies and the files of linked packages', () => {
    const { here, packages } = prepared('installed');
    const elsewhere = folder();
    write(elsewhere, { 'package.json': manifest({ name: 'at' }), 'index.js': 'export const at = 0;\n' });
    symlinkSync(elsewhere, join(packages, 'at'), 'junction');
    const choices = (version: string) => manifest({ name: 'choices', version, dependencies: { at: '*', 'coin-bot': '*' } });
    write(packages, {
      'coin-bot/package.json': manifest({ name: 'coin-bot', main: 'index.js', dependencies: { choices: '^1.0.0' } }),
      'choices/package.json': choices('1.0.0'),
    });
    const digests = new Set<string>();
    const digest = () => digests.add(describeProgram(join(here, 'user.mjs')).digest).size;
    expect([digest(), digest()]).toEqual([1, 1]);
    write(packages, { 'choices/package.json': choices('1.0.1') });
    expect(digest()).toBe(2);
    write(elsewhere, { 'index.js': 'export const at = 1;\n' });
    expect(digest()).toBe(3);
  });
});

describe('a module loaded by an earlier program', () => {
  it('is loaded again by a later program if it was edited in between', async () => {
    const { here } = prepared('linked');
    write(here, { 'lists/at.js': 'export const at = 0;\n', 'package.json': manifest({}) });
    const exports = "export { at } from './lists/at.js';\n";
    write(here, { 'a.mjs': exports, 'b.mjs': exports });
    expect(await importFile(join(here, 'a.mjs'))).toMatchObject({ at: 0 });
    write(here, { 'lists/at.js': 'export const at = 1;\n' });
    expect(await importFile(join(here, 'b.mjs'))).toMatchObject({ at: 1 });
  });
});
