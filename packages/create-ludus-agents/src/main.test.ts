/** @file `npm create ludus-agents` writes a project and overwrites nothing. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { projectKinds } from './kinds.ts';
import { createProject } from './main.ts';

const folder = mkdtempSync(join(tmpdir(), 'ludus-create-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program without a terminal, with the given npm. */
function create(words: readonly string[], path = process.env['PATH']) {
  const program = `import { main } from ${JSON.stringify(new URL('./main.ts', import.meta.url).href)}; process.exitCode = await main(process.argv.slice(1));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', ...words], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: path },
  });
  return { status, stdout, stderr };
}

describe('npm create ludus-agents', () => {
  it('offers five kinds of projects', () => {
    expect(Object.keys(projectKinds)).toEqual(['game', 'character', 'bot', 'survey', 'prompt']);
  });

  it.each(Object.keys(projectKinds))('writes a %s project with a README that explains every script', (kind) => {
    const path = join(folder, kind);
    createProject({ folder: path, kind, version: '1.2.3', install: false });
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: kind, type: 'module', dependencies: { 'ludus-agents': '^1.2.3' } });
    const readme = readFileSync(join(path, 'README.md'), 'utf8');
    for (const script of Object.keys(manifest.scripts)) expect(readme).toMatch(new RegExp(`npm (run )?${script}\``));
    expect(readme).toContain('npx ludus new');
    expect(readme).not.toContain('undefined');
  });

  it('rejects a folder with files in it and an unknown kind', () => {
    const request = { version: '1.2.3', install: false };
    expect(() => createProject({ ...request, folder: join(folder, 'bot'), kind: 'bot' })).toThrow('is not empty');
    expect(() => createProject({ ...request, folder: join(folder, 'new'), kind: 'castle' })).toThrow('Expected game, character');
  });

  it.each([[], ['shop'], ['--kind', 'bot']])('creates nothing without an interactive terminal: %j', (...words) => {
    const before = readdirSync(folder);
    const { status, stderr } = create(words);
    expect(status).toBe(2);
    for (const [kind, { goal }] of Object.entries(projectKinds)) expect(stderr).toMatch(new RegExp(`${kind} +${goal}`));
    expect(stderr).toContain('--yes');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('uses the defaults with --yes and lists the remaining commands', () => {
    const { status, stdout } = create(['--yes', '--no-install']);
    expect({ status, isThere: existsSync(join(folder, 'my-ludus', 'package.json')) }).toEqual({ status: 0, isThere: true });
    expect(stdout).toMatch(/cd my-ludus\n {2}npm install\n {2}npx ludus new environment sticks\n {2}npm start/);
  });

  it.skipIf(process.platform === 'win32')('explains how to continue after a failed installation', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "no network" >&2\nexit 1\n');
    chmodSync(join(bin, 'npm'), 0o755);
    const { status, stderr } = create(['half', '--kind', 'bot'], `${bin}${delimiter}${process.env['PATH']}`);
    expect(status).toBe(2);
    expect(stderr).toContain('not complete');
    const commands = ['npm install', 'npx ludus new bot my-bot', 'npx ludus new desk shop'];
    expect(stderr).toContain(commands.map((command) => `  ${command}\n`).join(''));
    expect(readFileSync(join(folder, 'half', 'README.md'), 'utf8')).toContain(commands.join('\n'));
  });
});
