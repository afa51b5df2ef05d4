/** @file Reads a stream as lines. Nothing is read before the first line is requested, so none is lost while a caller gets ready. */

import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { Fault } from '@ludus-agents/kernel/internal/core/index';

/** Characters of the longest line; a file without line breaks must not fill the memory. */
const longest = 2 ** 28;

/**
 * Bytes of a file that are best read at a time: to ask for each block costs more than to read it, and texts of 128 KB and more get memory of their
 * own from the system, each time.
 */
export const blockBytes = 96 * 1024;

export async function* linesIn(input: Readable): AsyncGenerator<string, void, undefined> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of input) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer)).split('\n');
    for (const [i, part] of parts.entries()) {
      pieces.push(part);
      length += part.length;
      if (length > longest)
        throw new Fault('input', `A line exceeds the limit of ${longest} characters. Is this a line-based file?`, { code: 'E_TOO_LARGE' });
      if (i === parts.length - 1) break;
      yield lineOf(pieces);
      pieces = [];
      length = 0;
    }
  }
  const last = lineOf([...pieces, decoder.end()]);
  if (last !== '') yield last;
}

function lineOf(pieces: readonly string[]): string {
  const line = pieces.join('');
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
