/** @file Writes rows by COPY, which costs the client least. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { Tables } from '../schema.ts';
import type { Client } from './line.ts';

/** Fewer rows than this are quicker by an INSERT. */
export const worthCopying = 8;

export async function copyChunks(client: Client, rows: readonly Tables['chunks'][]): Promise<void> {
  await pipeline(Readable.from(lines(rows)), client.query(from('copy chunks (episode, first, count, body) from stdin')));
}

/** Lines of COPY's text format, joined until they are worth a packet. */
function* lines(rows: readonly Tables['chunks'][]): Generator<Buffer> {
  let text = '';
  for (const { episode, first, count, body } of rows) {
    text += `${episode}\t${first}\t${count}\t${escapeField(body)}\n`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

const special: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeField(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => special[character]!) : text;
}
