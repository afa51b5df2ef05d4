import { crc32, deflateRawSync } from 'node:zlib';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { gallery } from '../gallery/index.ts';
import { readCharx, writeCharx } from './charx.ts';
import { exportPersona, importPersona } from './detect.ts';
import { unzip, zip, zipLimits } from './zip.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const good = zip([
  ['card.json', bytes('{"name": "Zoë"}')],
  ['assets/icon/images/main.png', Uint8Array.of(1, 2, 3)],
  ['long.txt', bytes('again '.repeat(1000))],
]);

interface Part {
  readonly name: string;
  readonly data: Uint8Array;
  readonly size?: number;
  readonly method?: number;
  readonly flags?: number;
}

/** A zip written by hand, so that it can lie. */
function crafted(parts: readonly Part[], tweak?: (archive: Buffer, directory: number) => void): Uint8Array {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, size, method = 8, flags = 0 } of parts) {
    const packed = method === 8 ? deflateRawSync(data) : Buffer.from(data);
    const head = Buffer.alloc(30 + name.length);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(name.length, 26);
    head.write(name, 30, 'latin1');
    const row = Buffer.alloc(46 + name.length);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE(flags, 8);
    row.writeUInt16LE(method, 10);
    row.writeUInt32LE(crc32(data), 16);
    row.writeUInt32LE(packed.length, 20);
    row.writeUInt32LE(size ?? data.length, 24);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt32LE(offset, 42);
    row.write(name, 46, 'latin1');
    locals.push(head, packed);
    central.push(row);
    offset += head.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  const archive = Buffer.concat([...locals, ...central, end]);
  tweak?.(archive, offset);
  return new Uint8Array(archive);
}

const zeros = (megabytes: number) => new Uint8Array(megabytes * 2 ** 20);

describe('zip', () => {
  it('reads stored and deflated files that it wrote', () => {
    const files = unzip(good);
    expect([...files.keys()]).toEqual(['card.json', 'assets/icon/images/main.png', 'long.txt']);
    expect(new TextDecoder().decode(files.get('long.txt'))).toBe('again '.repeat(1000));
    expect(good.length).toBeLessThan(1000);
  });

  it('reads archives from other programs, with folders and names in any script', () => {
    const files = unzip(
      crafted([
        { name: 'assets/', data: new Uint8Array(0), method: 0 },
        { name: 'a.txt', data: bytes('x') },
      ]),
    );
    expect([...files.keys()]).toEqual(['a.txt']);
    expect([...unzip(zip([['картинка.png', Uint8Array.of(9)]])).keys()]).toEqual(['картинка.png']);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['a bomb by compression ratio', crafted([{ name: 'a', data: zeros(8) }]), /times larger than its packed form, which looks like/],
    ['a bomb by size', crafted([{ name: 'a', data: bytes('x'), size: 2 ** 31 }]), /bytes, but at most/],
    [
      'a directory that understates the size',
      crafted([{ name: 'a', data: zeros(4), size: 10 }]),
      /" does not match its directory entry \(/,
    ],
    [
      'a directory that overstates the size',
      crafted([{ name: 'a', data: bytes('xyz'), size: 4 }]),
      /has 3 bytes, but its directory says 4/,
    ],
    ['a path with ..', crafted([{ name: '../../evil', data: bytes('x') }]), /, which could be written outside its folder/],
    ['an absolute path', crafted([{ name: '/etc/passwd', data: bytes('x') }]), /, which could be written outside its folder/],
    ['a backslash', crafted([{ name: '..\\evil', data: bytes('x') }]), /, which could be written outside its folder/],
    ['a Windows drive', crafted([{ name: 'C:evil', data: bytes('x') }]), /, which could be written outside its folder/],
    ['an encrypted entry', crafted([{ name: 'a', data: bytes('x'), flags: 1 }]), /encrypted/],
    ['an unknown compression method', crafted([{ name: 'a', data: bytes('x'), method: 14 }]), /method 14/],
    [
      'duplicate names',
      crafted([
        { name: 'a', data: bytes('x') },
        { name: 'a', data: bytes('y') },
      ]),
      /holds "a" twice/,
    ],
    ['a wrong checksum', crafted([{ name: 'a', data: bytes('x') }], (archive, at) => archive.writeUInt32LE(7, at + 16)), /checksum of "a"/],
    ['too many entries', crafted(Array.from({ length: 2001 }, (_, i) => ({ name: `f${i}`, data: bytes('x') }))), /has 2001 entries/],
    [
      'overlapping entries',
      crafted(
        [
          { name: 'a', data: bytes('x') },
          { name: 'b', data: bytes('x') },
        ],
        (archive, at) => archive.writeUInt32LE(0, at + 47 + 42),
      ),
      /overlap/,
    ],
    [
      'a broken directory',
      crafted([{ name: 'a', data: bytes('x') }], (archive, at) => archive.writeUInt32LE(0, at)),
      /entry 1 of its directory is broken/,
    ],
    [
      'an invalid offset',
      crafted([{ name: 'a', data: bytes('x') }], (archive, at) => archive.writeUInt32LE(5, at + 42)),
      /not where its directory says/,
    ],
  ])('rejects %s', (_, archive, why) => {
    expect(() => unzip(archive)).toThrow(Fault);
    expect(() => unzip(archive)).toThrow(why);
  });

  it('rejects many small files that exceed the total size limit', () => {
    const parts = Array.from({ length: 20 }, (_, i) => ({ name: `f${i}`, data: zeros(1) }));
    expect(() => unzip(crafted(parts), { ...zipLimits, totalBytes: 4 * 2 ** 20 })).toThrow(/more than 4194304 bytes/);
    expect(unzip(crafted(parts)).size).toBe(20);
  });

  it('rejects an archive truncated anywhere', () => {
    for (let length = 0; length < good.length; length += 5) expect(() => unzip(good.subarray(0, length))).toThrow(Fault);
  });
});

describe('CHARX', () => {
  it('contains a persona and its files', () => {
    const persona = gallery['patient']!;
    const assets = new Map([['assets/icon/images/main.png', Uint8Array.of(1, 2, 3)]]);
    const archive = exportPersona(persona, 'charx', { assets });
    expect(importPersona(archive)).toEqual({ persona, format: 'charx', assets });
    expect(exportPersona(persona, 'charx', { assets })).toEqual(archive);
  });

  it('returns an untouched card deep-equal', () => {
    const card = { spec: 'chara_card_v3', spec_version: '3.0', data: { name: 'Ж', group_only_greetings: [], odd: { x: [1] } } };
    const { persona } = importPersona(writeCharx(card));
    expect(readCharx(exportPersona(persona, 'charx')).card).toEqual(card);
  });

  it('requires card.json', () => {
    expect(() => importPersona(zip([['readme.txt', bytes('x')]]))).toThrow('This CHARX archive has no card.json at its root.');
    expect(() => importPersona(zip([['card.json', bytes('{')]]))).toThrow('The card.json of this CHARX archive is not JSON in UTF-8.');
  });
});
