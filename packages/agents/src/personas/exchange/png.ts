/**
 * @file Cards inside PNG images: `tEXt` chunks named `chara` (V1, V2) and `ccv3` (V3), with base64-encoded JSON. Malformed files are
 * rejected.
 */

import { crc32, deflateSync } from 'node:zlib';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Larger files are rejected. */
const largestFile = 100 * 2 ** 20;
const mostChunks = 100_000;

/** Keywords of a card, in order of precedence. */
export const cardKeywords = ['ccv3', 'chara'] as const;
export type CardKeyword = (typeof cardKeywords)[number];

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

export function isPng(bytes: Uint8Array): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}

export function hasPngCard(image: Uint8Array): boolean {
  return chunksOf(image).some((chunk) => keywordOf(chunk) !== null);
}

/** The card in an image: from `ccv3` if present, else from `chara`. */
export function readPngCard(bytes: Uint8Array): Json {
  const texts = new Map<string, Uint8Array>();
  for (const chunk of chunksOf(bytes)) {
    const keyword = keywordOf(chunk);
    if (keyword !== null && !texts.has(keyword)) texts.set(keyword, chunk.data);
  }
  const keyword = cardKeywords.find((name) => texts.has(name));
  if (keyword === undefined) throw new Fault('input', 'This PNG has no character card: it has no tEXt chunk named chara or ccv3.');
  const base64 = Buffer.from(texts.get(keyword) as Uint8Array)
    .toString('latin1')
    .slice(keyword.length + 1);
  return decodeText(base64, keyword);
}

/** The image with exactly these cards, inserted before its end. */
export function writePngCard(image: Uint8Array, cards: { readonly [K in CardKeyword]?: Json }): Uint8Array {
  const chunks = chunksOf(image).filter((chunk) => keywordOf(chunk) === null);
  const texts = [...cardKeywords].reverse().flatMap((keyword): Chunk[] => {
    const card = cards[keyword];
    if (card === undefined) return [];
    const base64 = Buffer.from(JSON.stringify(card), 'utf8').toString('base64');
    return [{ type: 'tEXt', data: Buffer.from(`${keyword}\0${base64}`, 'latin1') }];
  });
  const end = chunks.findIndex((chunk) => chunk.type === 'IEND');
  return writeChunks([...chunks.slice(0, end), ...texts, ...chunks.slice(end)]);
}

/** The image without any card. */
export function withoutCards(image: Uint8Array): Uint8Array {
  return writePngCard(image, {});
}

/** A small square of one color, for a persona without a portrait; the hash determines the color. */
export function plainImage(hash: string, size = 64): Uint8Array {
  const colour = [0, 2, 4].map((at) => Number.parseInt(hash.slice(at, at + 2), 16) || 0);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits, indexed color, no interlacing.
  header.set([8, 3, 0, 0, 0], 8);
  return writeChunks([
    { type: 'IHDR', data: header },
    { type: 'PLTE', data: Uint8Array.from(colour) },
    { type: 'IDAT', data: deflateSync(new Uint8Array((size + 1) * size)) },
    { type: 'IEND', data: new Uint8Array(0) },
  ]);
}

function chunksOf(bytes: Uint8Array): readonly Chunk[] {
  if (!isPng(bytes))
    throw new Fault('input', 'This file is not a PNG: it does not start with the eight signature bytes.', { code: 'E_INVALID_DOCUMENT' });
  if (bytes.length > largestFile) throw malformedFault(`it has ${bytes.length} bytes, but at most ${largestFile} are allowed`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const chunks: Chunk[] = [];
  let at = signature.length;
  while (chunks.at(-1)?.type !== 'IEND') {
    if (at + 12 > bytes.length) throw malformedFault(`it is cut off after ${chunks.length} chunks, before its IEND`);
    const length = view.getUint32(at);
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    if (!/^[A-Za-z]{4}$/.test(type)) throw malformedFault(`chunk ${chunks.length + 1} has no valid name`);
    if (length > bytes.length - at - 12) throw malformedFault(`its ${type} chunk claims ${length} bytes, but the file ends before that`);
    const end = at + 8 + length;
    if (crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) throw malformedFault(`the checksum of its ${type} chunk is wrong`);
    chunks.push({ type, data: bytes.subarray(at + 8, end) });
    if (chunks.length === 1 && type !== 'IHDR') throw malformedFault('it does not start with IHDR');
    if (chunks.length > mostChunks) throw malformedFault(`it has more than ${mostChunks} chunks`);
    at = end + 4;
  }
  return chunks;
}

function keywordOf({ type, data }: Chunk): CardKeyword | null {
  if (type !== 'tEXt') return null;
  const end = data.subarray(0, 80).indexOf(0);
  const keyword = end < 0 ? '' : Buffer.from(data.subarray(0, end)).toString('latin1').toLowerCase();
  return cardKeywords.find((name) => name === keyword) ?? null;
}

function decodeText(base64: string, keyword: string): Json {
  const written = base64.trimEnd();
  const padding = written.includes('=') ? written.slice(written.indexOf('=')) : '';
  if (/[^A-Za-z0-9+/=\s]/.test(written) || !['', '=', '=='].includes(padding)) throw malformedFault(`its ${keyword} chunk is not base64`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
    return JSON.parse(text) as Json;
  } catch {
    throw malformedFault(`its ${keyword} chunk is not JSON in UTF-8`);
  }
}

function writeChunks(chunks: readonly Chunk[]): Uint8Array {
  const parts: Uint8Array[] = [signature];
  for (const { type, data } of chunks) {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    parts.push(frame.subarray(0, 4), body, frame.subarray(4));
  }
  return new Uint8Array(Buffer.concat(parts));
}

function malformedFault(why: string): Fault {
  return new Fault('input', `This PNG is malformed: ${why}. Export it again from the program that made it.`);
}
