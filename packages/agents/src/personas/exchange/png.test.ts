import { crc32, inflateSync } from 'node:zlib';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { gallery } from '../gallery/index.ts';
import { exportPersona, importPersona } from './detect.ts';
import { plainImage, readPngCard, withoutCards, writePngCard } from './png.ts';

const image = plainImage('ff8000');
const card = { name: 'Zoë', text: '日本語 🦉 \u0000' };

function chunk(type: string, data: Uint8Array, crc?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc ?? crc32(body), 8 + data.length);
  return out;
}

/** The image with a chunk put before its end, which takes the last twelve bytes. */
function withChunk(inserted: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([image.subarray(0, -12), inserted, image.subarray(-12)]));
}

const text = (keyword: string, value: string) => chunk('tEXt', Buffer.from(`${keyword}\0${value}`, 'latin1'));
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

describe('PNG card', () => {
  it('is inserted before the end of the image and read back, in any script', () => {
    const bytes = writePngCard(image, { chara: card });
    expect(readPngCard(bytes)).toEqual(card);
    expect(Buffer.from(bytes.subarray(-8, -4)).toString('latin1')).toBe('IEND');
    expect(withoutCards(bytes)).toEqual(image);
  });

  it('prefers ccv3, compares keywords case-insensitively, and replaces existing cards', () => {
    const both = writePngCard(image, { chara: { v: 2 }, ccv3: { v: 3 } });
    expect(readPngCard(both)).toEqual({ v: 3 });
    expect(readPngCard(writePngCard(both, { chara: { v: 1 } }))).toEqual({ v: 1 });
    expect(readPngCard(withChunk(text('CHARA', base64({ v: 0 }))))).toEqual({ v: 0 });
  });

  it('keeps other chunks unchanged', () => {
    const noted = withChunk(text('Comment', 'hello'));
    expect(Buffer.from(writePngCard(noted, { chara: card })).includes('Comment\0hello')).toBe(true);
  });

  it('creates a valid image with header, palette, and the stated number of pixels', () => {
    const view = new DataView(image.buffer, image.byteOffset);
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([64, 64]);
    const at = Buffer.from(image).indexOf('IDAT');
    const pixels = inflateSync(image.subarray(at + 4, at + 4 + view.getUint32(at - 4)));
    expect(pixels).toHaveLength(65 * 64);
    expect([...image.subarray(Buffer.from(image).indexOf('PLTE') + 4).subarray(0, 3)]).toEqual([255, 128, 0]);
  });

  it('contains the whole persona plus a V2 card for older programs', () => {
    const persona = gallery['villain']!;
    const bytes = exportPersona(persona, 'png', { image });
    const imported = importPersona(bytes);
    expect(imported).toMatchObject({ format: 'png', persona, image });
    const at = Buffer.from(bytes).indexOf('tEXtchara\0');
    expect(at).toBeGreaterThan(0);
    const end = at + 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(at - 4);
    const old = JSON.parse(Buffer.from(Buffer.from(bytes.subarray(at + 10, end)).toString('latin1'), 'base64').toString('utf8')) as {
      spec: string;
      data: { creator_notes: string };
    };
    expect(old.spec).toBe('chara_card_v2');
    expect(old.data.creator_notes).toMatch(/V3 loaded as V2/);
    expect(JSON.stringify(old)).not.toContain('ludus/persona');
  });

  it('exports an untouched card in the version it was imported from', () => {
    const v2 = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'A', odd: 1 } };
    const { persona } = importPersona(writePngCard(image, { chara: v2 }));
    const again = exportPersona(persona, 'png', { image });
    expect(readPngCard(again)).toEqual(v2);
    expect(again).toEqual(writePngCard(image, { chara: v2 }));
  });
});

describe('malformed PNG', () => {
  const good = writePngCard(image, { chara: card });
  const broken = (change: (bytes: Uint8Array) => void) => {
    const copy = new Uint8Array(good);
    change(copy);
    return copy;
  };
  it.each<[string, Uint8Array, RegExp]>([
    ['no signature', good.subarray(1), /eight signature bytes/],
    ['no character card', image, /no tEXt chunk named chara or ccv3/],
    ['a wrong checksum', withChunk(chunk('tEXt', Buffer.from(`chara\0${base64(card)}`), 1)), /checksum of its tEXt chunk/],
    ['a flipped bit in the data', broken((bytes) => bytes.fill(65, 60, 61)), /checksum/],
    ['a length beyond the end', broken((bytes) => bytes.fill(0xff, 8, 12)), /claims 4294967295 bytes/],
    ['invalid base64', withChunk(text('chara', 'not base64!')), /not base64/],
    [
      'base64 that is not JSON',
      withChunk(text('chara', Buffer.from('{"a":').toString('base64'))),
      /malformed: its chara chunk is not JSON in UTF-8\./,
    ],
    [
      'base64 that is not UTF-8',
      withChunk(text('ccv3', Buffer.from([0x22, 0xff, 0xfe, 0x22]).toString('base64'))),
      /malformed: its ccv3 chunk is not JSON in UTF-8\./,
    ],
    ['a chunk without a name', withChunk(chunk('t\0xt', Buffer.alloc(1))), /no valid name/],
    [
      'a wrong first chunk',
      new Uint8Array(Buffer.concat([image.subarray(0, 8), chunk('IEND', Buffer.alloc(0))])),
      /it does not start with IHDR/,
    ],
  ])('is rejected: %s', (_, bytes, why) => {
    expect(() => readPngCard(bytes)).toThrow(Fault);
    expect(() => readPngCard(bytes)).toThrow(why);
  });

  it('is rejected wherever it is truncated', () => {
    for (let length = 8; length < good.length; length += 7) expect(() => readPngCard(good.subarray(0, length))).toThrow(Fault);
  });

  it('with a card keyword without its zero byte has no card', () => {
    expect(() => readPngCard(withChunk(chunk('tEXt', Buffer.from('chara'))))).toThrow(/no tEXt chunk/);
  });
});
