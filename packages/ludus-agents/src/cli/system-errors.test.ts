import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownFileSentence, systemSentence } from './system-errors.ts';
import { folder, ludus } from './terminal.cases.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}

describe('a system error', () => {
  const place = folder();

  it('becomes a sentence with the path, the reason, and a fix', () => {
    writeFileSync(join(place, 'file'), '');
    expect(systemSentence(thrownBy(() => mkdirSync(join(place, 'file', 'inner'))))).toBe(
      `${place}/file/inner cannot be made: part of the path is a file; use another folder.`,
    );
    expect(systemSentence(thrownBy(() => readFileSync(place)))).toBe('A file cannot be read: it is a folder; name a file in it.');
    expect(systemSentence(Object.assign(new Error('x'), { code: 'ENOSPC', syscall: 'write' }))).toBe(
      'A file cannot be written: the disk is full; free some space and run the command again.',
    );
  });

  it('leaves other errors, sockets, and programs alone', () => {
    expect(systemSentence(thrownBy(() => rmdirSync(join(place, 'nothing'))))).toBe(undefined);
    expect(systemSentence(new Error('EACCES'))).toBe(undefined);
    expect(systemSentence('EACCES')).toBe(undefined);
    for (const syscall of ['listen', 'connect', 'spawn nothing'])
      expect(systemSentence(Object.assign(new Error('x'), { code: 'EACCES', syscall }))).toBe(undefined);
  });

  it('is reported by a command whose folder cannot be created, with exit code 2', async () => {
    // A file in place of the folder stops everyone; permissions do not stop an administrator.
    writeFileSync(join(place, '.ludus'), '');
    const { code, err } = await ludus(place, ['train', 'kuhn-tabular', '--games', '64']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining(`✗ ${place}/.ludus cannot be made: a file with that name exists; move it, or use another folder.\n`),
    });
  });
});

describe("an error thrown by a user's file", () => {
  it('is reported with its location, not as an internal error', async () => {
    const cwd = folder();
    const door = new URL('../index.ts', import.meta.url).href;
    const lines = [
      `import { loadEnvironment } from ${JSON.stringify(door)};`,
      `const base = await loadEnvironment('tic-tac-toe');`,
      `export default { ...base, id: 'mine@1', step: () => undefined.sticks };`,
    ];
    writeFileSync(join(cwd, 'mine.mjs'), lines.join('\n'));
    const training = ['train', 'kuhn-tabular', '--environment', './mine.mjs', '--games', '64'];
    for (const words of [training, ['env', 'solve', './mine.mjs']]) {
      const { code, err } = await ludus(cwd, words);
      const sentence = `✗ ${cwd}/mine.mjs:3 failed: TypeError: Cannot read properties of undefined (reading 'sticks'). --debug`;
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(sentence) });
    }
  });

  it('is not confused with errors from Ludus, packages, or unknown places', () => {
    expect(ownFileSentence(new Error('ours'))).toBe(undefined);
    expect(ownFileSentence('text')).toBe(undefined);
    const thrownAt = (place: string) =>
      Object.assign(new TypeError('x'), { stack: `TypeError: x\n    at node:fs:1:1\n    at f (${place}:3:9)` });
    expect(ownFileSentence(thrownAt('file:///home/ann/node_modules/pg/lib/index.js'))).toBe(undefined);
    expect(ownFileSentence(thrownAt('file:///home/ann/my%20game.ts'))).toBe(
      '/home/ann/my game.ts:3 failed: TypeError: x. --debug shows how it was called.',
    );
    expect(ownFileSentence(thrownAt('/home/ann/game.cjs'))).toContain('/home/ann/game.cjs:3 failed');
  });
});
