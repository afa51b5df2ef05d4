import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemSentence } from './system-errors.ts';
import { folder, ludus } from './terminal.cases.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
}

describe('what the machine refuses', () => {
  const place = folder();

  it('is a sentence with the path, the reason and what to do', () => {
    writeFileSync(join(place, 'file'), '');
    expect(systemSentence(thrownBy(() => mkdirSync(join(place, 'file', 'inner'))))).toBe(
      `${place}/file/inner cannot be made: a part of its path is a file; name another folder.`,
    );
    expect(systemSentence(thrownBy(() => readFileSync(place)))).toBe('A file cannot be read: it is a folder; name a file in it.');
    expect(systemSentence(Object.assign(new Error('x'), { code: 'ENOSPC', syscall: 'write' }))).toBe(
      'A file cannot be written: the disk is full; make room, and run the command again.',
    );
  });

  it('leaves other errors, sockets and programs alone', () => {
    expect(systemSentence(thrownBy(() => rmdirSync(join(place, 'nothing'))))).toBe(undefined);
    expect(systemSentence(new Error('EACCES'))).toBe(undefined);
    expect(systemSentence('EACCES')).toBe(undefined);
    for (const syscall of ['listen', 'connect', 'spawn nothing'])
      expect(systemSentence(Object.assign(new Error('x'), { code: 'EACCES', syscall }))).toBe(undefined);
  });

  it('is said by a command whose folder cannot be made, with the exit code of bad input', async () => {
    // A file in place of the folder stops everybody; permissions do not stop an administrator.
    writeFileSync(join(place, '.ludus'), '');
    const { code, err } = await ludus(place, ['train', 'kuhn-tabular', '--games', '64']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining(
        `✗ ${place}/.ludus cannot be made: there is a file of that name; move it away, or work in another folder.\n`,
      ),
    });
  });
});
