/**
 * @file Parses external JSON within limits.
 *
 * `JSON.parse` accepts any depth, but functions that walk the value later (`JSON.stringify`, `canonical`, `freeze`) are recursive and
 * overflow the stack. So the depth is checked before the value exists, by a loop.
 */

import { Fault } from './fault.ts';
import type { Json } from './json.ts';

export interface JsonLimits {
  /** The deepest nesting of arrays and objects. */
  readonly depth?: number;
  /** The most bytes of the text as UTF-8. */
  readonly bytes?: number;
}

/** Limits that no valid message comes near. */
export const jsonLimits = { depth: 128, bytes: 64 * 2 ** 20 } as const;

/** Thrown for text that is not JSON or is beyond a limit; `reason` says which. */
export class JsonFault extends Fault {
  readonly reason: 'syntax' | 'depth' | 'bytes';

  constructor(reason: JsonFault['reason'], message: string, options?: ErrorOptions) {
    super('input', message, options);
    this.name = 'JsonFault';
    this.reason = reason;
  }
}

/** The value of a JSON text, or a `JsonFault`. */
export function parseJson(text: string, { depth = jsonLimits.depth, bytes = jsonLimits.bytes }: JsonLimits = {}): Json {
  // A UTF-16 unit takes at most three bytes, so short texts need no count.
  if (text.length > bytes || (text.length * 3 > bytes && bytesIn(text) > bytes))
    throw new JsonFault('bytes', `JSON is limited to ${bytes} bytes here. Send less at once.`);
  // Each level costs at least one character, so short texts need no scan.
  if (text.length > depth && isDeeperThan(text, depth))
    throw new JsonFault('depth', `JSON is limited to ${depth} levels of nesting here. Flatten it.`);
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new JsonFault('syntax', `Invalid JSON: ${(thrown as Error).message}.`, { cause: thrown });
  }
}

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [minus, nine] = [0x2d, 0x39];

/**
 * Counts brackets outside strings. For text that is not JSON any result will do, because it is rejected in either case. Numbers come in
 * long lists, so the scan skips from a number to the next bracket or string.
 */
function isDeeperThan(text: string, most: number): boolean {
  const afterNumbers = /["[\]{}]/g;
  let level = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === backslash) i++;
      else if (code === quote) quoted = false;
    } else if (code === quote) quoted = true;
    else if (code === openArray || code === openObject) {
      if (++level > most) return true;
    } else if (code === closeArray || code === closeObject) level--;
    else if (code >= minus && code <= nine) {
      afterNumbers.lastIndex = i;
      if (!afterNumbers.test(text)) return false;
      i = afterNumbers.lastIndex - 2;
    }
  }
  return false;
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // A surrogate pair takes four bytes.
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
