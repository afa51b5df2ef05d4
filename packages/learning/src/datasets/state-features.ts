/** @file Converts a state of any environment to numbers: every leaf of its JSON by its path, and the layers in its messages. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';

/** The maximum length of a text that becomes features; longer texts are not boards. */
const longestText = 4096;

/** Numbers are unchanged, booleans become 1 and 0, texts become character codes. Leaves out the task, which is constant. */
export function leavesOf(state: Json): ReadonlyMap<string, number> {
  const leaves = new Map<string, number>();
  const walk = (value: Json, path: string): void => {
    if (typeof value === 'number') leaves.set(path, value);
    else if (typeof value === 'boolean') leaves.set(path, value ? 1 : 0);
    else if (typeof value === 'string')
      for (let i = 0; i < Math.min(value.length, longestText); i++) leaves.set(`${path}[${i}]`, value.charCodeAt(i));
    else if (Array.isArray(value)) for (const [i, item] of value.entries()) walk(item as Json, `${path}[${i}]`);
    else if (value !== null)
      for (const [key, item] of Object.entries(value))
        if (path !== '' || key !== 'task') walk(item as Json, path === '' ? key : `${path}.${key}`);
  };
  walk(state, '');
  return leaves;
}

interface Layers {
  readonly layers: number;
  readonly height: number;
  readonly width: number;
  readonly values: Uint8Array;
}

/** The layers in a message's data: lists of one square length with integers from 0 to 255. */
export function layersIn(data: Json | undefined): Layers | null {
  if (data === undefined || data === null || typeof data !== 'object' || Array.isArray(data)) return null;
  const { layers } = data as { readonly layers?: Json };
  if (!Array.isArray(layers) || layers.length === 0 || !layers.every((layer) => Array.isArray(layer))) return null;
  const lists = layers as readonly (readonly Json[])[];
  const side = Math.sqrt(lists[0].length);
  const fits = lists.every(
    (list) => list.length === side ** 2 && list.every((item) => Number.isInteger(item) && Number(item) >= 0 && Number(item) < 256),
  );
  if (!Number.isInteger(side) || !fits) return null;
  return { layers: lists.length, height: side, width: side, values: Uint8Array.from(lists.flat() as number[]) };
}

/** The header of an NPY file of version 1.0. */
export function npyHead(type: '<f8' | '|u1', shape: readonly number[]): Uint8Array {
  const dict = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const length = Math.ceil((10 + dict.length + 1) / 64) * 64;
  const text = `${dict.padEnd(length - 11)}\n`;
  return Buffer.concat([
    Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length & 255, text.length >> 8]),
    Buffer.from(text, 'latin1'),
  ]);
}
