/** @file Exports under attack: kills in the middle, full disks, links and devices in their way, stores that can only be read. */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AtomicFile, type Disk, openAtomicFile, writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../packages/ludus-agents/src/cli/terminal.cases.ts';

const real: Disk = {
  open: openSync,
  write: (file, bytes) => writeSync(file, bytes),
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
};
const failing = (code: string): Error => Object.assign(new Error(code), { code });
const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** A store with some episodes in it. */
async function played(): Promise<string> {
  const here = folder();
  writeFileSync(join(here, 'plan.json'), '{"name":"base","environments":["kuhn-poker"],"seeds":20}');
  expect((await ludus(here, ['run', 'plan.json'])).code).toBe(0);
  return here;
}

describe('an atomically written file', () => {
  it('keeps its previous content and leaves no partial file when any call fails', () => {
    const here = folder();
    const path = join(here, 'out.json');
    writeFileSync(path, 'before');
    for (const step of ['open', 'write', 'sync', 'close', 'rename'] as const) {
      const disk: Disk = {
        ...real,
        [step]: () => {
          throw failing('ENOSPC');
        },
      };
      expect(() => writeFileAtomicSync(path, 'after', { disk }), step).toThrow(
        /the disk is full \(at least \d+ bytes are needed, \d+ are free\)/,
      );
      expect(readFileSync(path, 'utf8'), step).toBe('before');
      expect(readdirSync(here), step).toEqual(['out.json']);
    }
    writeFileAtomicSync(path, 'after');
    expect(readFileSync(path, 'utf8')).toBe('after');
  });

  it('suggests a fix for each kind of failure', () => {
    const path = join(folder(), 'x');
    for (const [code, message] of [
      ['EDQUOT', 'your disk quota'],
      ['EROFS', 'read-only'],
      ['EACCES', 'permission denied'],
      ['EFBIG', 'of this size'],
    ] as const) {
      const disk: Disk = {
        ...real,
        write: () => {
          throw failing(code);
        },
      };
      expect(() => writeFileAtomicSync(path, 'x', { disk })).toThrow(message);
    }
  });

  it('continues after a short write', () => {
    const path = join(folder(), 'x');
    writeFileAtomicSync(path, 'abcdefghij', { disk: { ...real, write: (file, bytes) => writeSync(file, bytes.subarray(0, 3)) } });
    expect(readFileSync(path, 'utf8')).toBe('abcdefghij');
  });

  it('follows a link to its target and never replaces a device', () => {
    const here = folder();
    writeFileSync(join(here, 'real'), '');
    symlinkSync(join(here, 'real'), join(here, 'link'));
    writeFileAtomicSync(join(here, 'link'), 'x');
    expect(lstatSync(join(here, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(here, 'real'), 'utf8')).toBe('x');
    writeFileAtomicSync('/dev/null', 'x');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    if (existsSync('/dev/full')) expect(() => writeFileAtomicSync('/dev/full', 'x')).toThrow('the disk is full');
  });

  it('contains one complete version after two concurrent writes', () => {
    const path = join(folder(), 'x');
    const [a, b] = [new AtomicFile(path), new AtomicFile(path)];
    a.write('a'.repeat(1000));
    b.write('b'.repeat(1000));
    a.write('a');
    a.commit();
    expect(readFileSync(path, 'utf8')).toBe('a'.repeat(1001));
    b.commit();
    expect(readFileSync(path, 'utf8')).toBe('b'.repeat(1000));
  });

  it('cleans up partial files of killed processes but not of running ones', () => {
    const here = folder();
    writeFileSync(join(here, 'x.999999999-1.part'), 'half');
    writeFileSync(join(here, `x.${process.pid}-999.part`), 'under way');
    writeFileSync(join(here, 'y.999999999-1.part'), 'of another file');
    const file = openAtomicFile(join(here, 'x'));
    file.commit();
    expect(readdirSync(here).sort()).toEqual(['x', `x.${process.pid}-999.part`, 'y.999999999-1.part']);
  });
});

describe('an export', () => {
  it('has a manifest of its content, which an import must match', async () => {
    const here = await played();
    expect((await ludus(here, ['data', 'export', '-o', 'all.jsonl'])).code).toBe(0);
    const manifest = JSON.parse(readFileSync(join(here, 'all.jsonl.manifest.json'), 'utf8'));
    const text = readFileSync(join(here, 'all.jsonl'), 'utf8');
    const lines = text.trimEnd().split('\n').length;
    expect(manifest).toEqual({
      kind: 'ludus-manifest',
      version: 1,
      format: 'jsonl',
      files: [{ file: 'all.jsonl', bytes: Buffer.byteLength(text), sha256: hash(join(here, 'all.jsonl')), rows: lines }],
      counts: { lines },
    });
    expect((await ludus(here, ['data', 'import', 'all.jsonl', '--store', 'copy.sqlite'])).code).toBe(0);
    writeFileSync(join(here, 'all.jsonl'), text.replace('kuhn-poker', 'KUHN-poker'));
    const refused = await ludus(here, ['data', 'import', 'all.jsonl', '--store', 'other.sqlite']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('does not match all.jsonl.manifest.json');
    expect(existsSync(join(here, 'other.sqlite'))).toBe(false);
  });

  it.each(['openai', 'verl'])('as %s lists every file and is replaced completely by a second export', async (format) => {
    const here = await played();
    expect((await ludus(here, ['data', 'export', '--format', format, '-o', 'set', '--eval-share', '0.5', '--words', 'view'])).code).toBe(0);
    expect((await ludus(here, ['data', 'export', '--format', format, '-o', 'set', '--words', 'view'])).code).toBe(0);
    const manifest = JSON.parse(readFileSync(join(here, 'set', 'manifest.json'), 'utf8'));
    const files = readdirSync(join(here, 'set', 'data'), { recursive: true, withFileTypes: true }).filter((dirent) => dirent.isFile());
    expect(manifest.files.length).toBe(files.length);
    for (const { file, bytes, sha256 } of manifest.files) {
      expect(statSync(join(here, 'set', file)).size).toBe(bytes);
      expect(hash(join(here, 'set', file))).toBe(sha256);
    }
  });

  it('leaves no file behind when the disk is full', async () => {
    if (!existsSync('/dev/full')) return;
    const here = await played();
    const { code, err } = await ludus(here, ['data', 'export', '-o', '/dev/full']);
    expect(code).toBe(2);
    expect(err).toContain('the disk is full');
  });
});

describe('a read-only store', () => {
  it('can be listed, shown, exported, and reported, but explains why it cannot be written', async () => {
    const here = await played();
    const store = ['--store', '.ludus/ludus.sqlite', '--read-only'];
    const before = hash(join(here, '.ludus', 'ludus.sqlite'));
    const [episode] = JSON.parse((await ludus(here, ['list', 'episodes', '--json', ...store])).out) as { id: string }[];
    for (const args of [
      ['list', 'runs'],
      ['show', episode?.id as string],
      ['data', 'export', '-o', 'x.jsonl'],
      ['report', 'base', '-o', 'x.md'],
    ])
      expect(await ludus(here, [...args, ...store]), args.join(' ')).toMatchObject({ code: 0 });
    for (const args of [
      ['data', 'import', 'x.jsonl'],
      ['run', 'plan.json'],
      ['score', 'base'],
    ]) {
      if (args[0] === 'run') writeFileSync(join(here, 'plan.json'), '{"name":"other","environments":["kuhn-poker"],"seeds":2}');
      if (args[1] === 'import') {
        writeFileSync(join(here, 'x.jsonl'), readFileSync(join(here, 'x.jsonl'), 'utf8').replaceAll('"base"', '"base2"'));
        writeFileSync(join(here, 'x.jsonl.manifest.json'), '{}');
      }
      const { code, err } = await ludus(here, [...args, ...store]);
      expect(code, args.join(' ')).toBe(2);
      expect(err, args.join(' ')).toContain('is open for reading only');
    }
    expect(hash(join(here, '.ludus', 'ludus.sqlite'))).toBe(before);
    expect((await ludus(here, ['list', 'runs', '--store', 'none.sqlite', '--read-only'])).code).toBe(2);
  });

  it('can be read in a folder that is not writable', async (test) => {
    if (process.getuid?.() === 0) test.skip('root may write everywhere');
    const here = await played();
    const archive = join(here, 'archive');
    mkdirSync(archive);
    writeFileSync(join(archive, 'a.sqlite'), readFileSync(join(here, '.ludus', 'ludus.sqlite')));
    chmodSync(join(archive, 'a.sqlite'), 0o444);
    chmodSync(archive, 0o555);
    const { code, out } = await ludus(here, ['list', 'runs', '--store', 'archive/a.sqlite']);
    chmodSync(archive, 0o755);
    expect(code).toBe(0);
    expect(out).toContain('base');
  });
});
