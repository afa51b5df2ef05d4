import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareOutputs } from './output-files.ts';
import { folder, ludus } from './terminal.cases.ts';

describe('output files', () => {
  it('get their folders before the command starts', async () => {
    const cwd = folder();
    expect(await ludus(cwd, ['persona', 'export', 'villain', '--to', 'card-v3', '-o', 'new/deep/villain.json'])).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'new/deep/villain.json'))).toBe(true);
  });

  it('stop a command before it plays if they cannot be written', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'taken'), '');
    const words = ['test', 'games-core', '--agents', 'random', '--seeds', '1', '--junit', 'taken/out.xml'];
    expect(await ludus(cwd, words)).toMatchObject({
      code: 2,
      out: '',
      err: `✗ ${cwd}/taken/out.xml cannot be written: part of the path is a file; use another folder.\n`,
    });
    expect(existsSync(join(cwd, '.ludus'))).toBe(false);
  });

  it('may be devices, stdout, and folders', () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'data'));
    expect(() => prepareOutputs({ output: '/dev/null', html: '-', save: 'data', junit: true }, cwd)).not.toThrow();
  });
});
