/** @file CHARX: a zip archive with `card.json` at its root and the assets that the card names. */

import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { unzip, type ZipLimits, zip } from './zip.ts';

export interface CharxParts {
  readonly card: Json;
  /** All other files by path, as in `embeded://path`. */
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

export function readCharx(bytes: Uint8Array, limits?: ZipLimits): CharxParts {
  const files = new Map(unzip(bytes, limits));
  const card = files.get('card.json');
  if (card === undefined) throw new Fault('input', 'This CHARX archive has no card.json at its root.');
  files.delete('card.json');
  try {
    return { card: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(card)) as Json, assets: files };
  } catch {
    throw new Fault('input', 'The card.json of this CHARX archive is not JSON in UTF-8.');
  }
}

export function writeCharx(card: Json, assets: Iterable<readonly [string, Uint8Array]> = []): Uint8Array {
  return zip([['card.json', new TextEncoder().encode(JSON.stringify(card, null, 2))], ...assets]);
}
