import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from './terminal.cases.ts';
import { nameCommands, typedName } from './typed-name.ts';

function project(): string {
  const cwd = folder();
  mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(join(cwd, 'node_modules', '.bin', 'ludus'), '');
  return cwd;
}

describe('the typed command name', () => {
  const npx = { npm_command: 'exec' };

  it.each([
    ['without npm', {}, 'ludus', ''],
    ['by npx in a project', npx, 'npx ludus', ''],
    ['by a script of a project', { npm_command: 'run-script' }, 'npx ludus', ''],
    ['in a folder of a project', npx, 'npx ludus', 'sub'],
    ['from the cache of npx', npx, 'npx ludus-agents', '/home/ann/.npm/_npx/1f/node_modules/ludus-agents/dist/cli/typed-name.js'],
  ])('is as typed %s', (_, env, expected, at) => {
    const cwd = project();
    const program = at.startsWith('/') ? [at] : [];
    expect(typedName({ env, cwd: join(cwd, at.startsWith('/') ? '' : at) }, ...program)).toBe(expected);
  });

  it('is not npx if nothing installed could be started with it', () => {
    expect(typedName({ env: npx, cwd: folder() })).toBe('ludus');
  });

  it('appears in errors, output, and help, but never in JSON', async () => {
    const cwd = project();
    const words = ['show', 'nothing'];
    expect((await ludus(cwd, ['report', 'x'], { env: npx })).err).not.toMatch(/(?<!npx )\bludus [a-z]/);
    expect((await ludus(cwd, ['list', 'environments'], { env: npx })).out).not.toMatch(/(?<!npx )"ludus [a-z]/);
    expect((await ludus(cwd, ['list', '--help'], { env: npx })).out).toContain('npx ludus list');
    const plain = await ludus(cwd, [...words, '--json']);
    expect((await ludus(cwd, [...words, '--json'], { env: npx })).out).toBe(plain.out);
  });

  it('replaces the program name only before a command', () => {
    expect(nameCommands('Run "ludus eval x" in ./ludus eval; npx ludus test; ludus is a game, and ludus\nstore.', 'npx ludus')).toBe(
      'Run "npx ludus eval x" in ./ludus eval; npx ludus test; ludus is a game, and npx ludus\nstore.',
    );
  });
});
