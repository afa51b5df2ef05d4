/**
 * @file Packing: plain JSON as text in which everything that repeats is stored once, under its hash, and referred to.
 *
 * Long texts (rules, system prompts) and lists that grow (the chat so far, in every model call; a memory, in every mind) are cut from their
 * start into parts. A part's address is the hash of its parent's address and its own text, so two values that begin alike share all parts
 * of their common beginning, and a log of n turns that each contain the whole chat grows with n, not with n².
 *
 * In packed JSON `{"~": hash}` means a shared value, and `{"~": hash, "+": rest}` for one with a short rest after it. Keys made of tildes
 * alone get one more, so that no real object is taken for a reference. What is known is cached by content, never by identity: an agent that
 * changes its mind in place must not be able to change, or freeze, the log.
 */

import { hash as digest } from 'node:crypto';
import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { quoteKey } from '@ludus-agents/kernel/internal/core/json';

/** A piece of a text or list: its value is the parent's value with `part`, packed JSON text of a string or an array, after it. */
export interface Shared {
  readonly hash: string;
  readonly parent: string | null;
  readonly part: string;
}

/** A shared piece as it is read back. */
export interface Piece {
  readonly parent: string | null;
  readonly part: Json;
}

/** Shorter texts are cheaper to repeat than to refer to. */
const long = 200;
/** Texts are cut into slices of this many characters. */
const slice = 2048;
/** Lists are cut when the items since the last cut take this many characters. */
const portion = 512;
/** Deeper values are refused while that is still harmless: a log that can be written must be readable with any stack. */
const deepest = 1000;

/** The address of a part. Parts are JSON text, so no part can look like a hash, and every lone surrogate is escaped. */
export function addressOf(parent: string | null, part: string): string {
  // Node's own SHA-256, twenty times as fast as the portable one in core, and the same digest.
  return digest('sha256', (parent ?? '') + part);
}

/** Writes values as packed JSON text, and hands each shared part to `share` once, before the first text that needs it is returned. */
export class Packer {
  readonly #share: (shared: Shared) => void;
  readonly #parts = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  #size = 0;

  constructor(share: (shared: Shared) => void) {
    this.#share = share;
  }

  /** The number of characters cached to recognize shared parts. */
  get size(): number {
    return this.#size;
  }

  /** Forgets all that was shared: it is written again when it is next needed. */
  forget(): void {
    this.#parts.clear();
    this.#texts.clear();
    this.#size = 0;
  }

  /** Several values one after the other, as in a list. */
  packAll(values: readonly unknown[], label: (index: number) => string): string {
    const texts: string[] = [];
    let from = 0;
    // Most events are small, and for those the engine's own writer gives the same text several times as fast, the faster the more there are.
    const light = (to: number) => {
      if (to > from) texts.push(JSON.stringify(values.slice(from, to)).slice(1, -1));
      from = to + 1;
    };
    for (let i = 0; i < values.length; i++) {
      const packedText = packedTexts.get(values[i] as object);
      if (packedText === undefined && isLight(values[i])) continue;
      light(i);
      texts.push(packedText ?? this.pack(values[i], label(i)));
    }
    light(values.length);
    return texts.join(',');
  }

  /** Packed JSON text of plain data; anything else is refused, named by `label` and the place in it. */
  pack(value: unknown, label: string): string {
    try {
      return isLight(value) ? JSON.stringify(value) : this.#write(value, 0);
    } catch (thrown) {
      // The fast walk does not keep track of where it is.
      const problem = thrown instanceof RangeError ? `${label}, but ${thrown.message}` : problemIn(value, label);
      throw new Fault(
        'input',
        `Expected plain JSON at ${problem ?? label}. Use only null, booleans, finite numbers, strings, arrays, and plain objects.`,
      );
    }
  }

  #write(value: unknown, depth: number): string {
    if (typeof value === 'string') return value.length < long ? JSON.stringify(value) : this.#text(value);
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    if (value === null || typeof value === 'boolean') return String(value);
    if (typeof value !== 'object') throw new TypeError('Not plain JSON.');
    if (depth === deepest) throw new RangeError(`it is more than ${deepest} levels deep, or contains itself`);
    if (Array.isArray(value)) return this.#list(value, depth);
    if (!isPlain(value)) throw new TypeError('Not plain JSON.');
    let text = '';
    for (const key of Object.keys(value)) {
      const name = isTildes(key) ? `${key}~` : key;
      text += `${text === '' ? '' : ','}${quoteKey(name)}:${this.#inner((value as JsonObject)[key], depth + 1)}`;
    }
    return `{${text}}`;
  }

  /** Small values inside large ones are serialized by the engine, too; they have at most one level for every two characters. */
  #inner(value: unknown, depth: number): string {
    const isSmall = typeof value === 'object' && value !== null && depth + portion / 2 <= deepest && isLight(value);
    return isSmall ? JSON.stringify(value) : this.#write(value, depth);
  }

  #text(text: string): string {
    const textNumber = this.#texts.get(text);
    if (textNumber !== undefined) return textNumber;
    let parent: string | null = null;
    let at = 0;
    for (; at + slice <= text.length; at += slice) parent = this.#part(parent, JSON.stringify(text.slice(at, at + slice)));
    let rest = text.slice(at);
    if (rest.length >= long) {
      parent = this.#part(parent, JSON.stringify(rest));
      rest = '';
    }
    const reference = rest === '' ? `{"~":"${parent}"}` : `{"~":"${parent}","+":${JSON.stringify(rest)}}`;
    this.#texts.set(text, reference);
    this.#size += text.length;
    return reference;
  }

  #list(items: readonly unknown[], depth: number): string {
    let parent: string | null = null;
    let open: string[] = [];
    let length = 0;
    for (let i = 0; i < items.length; i++) {
      const text = this.#inner(items[i], depth + 1);
      open.push(text);
      length += text.length + 1;
      if (length < portion) continue;
      parent = this.#part(parent, `[${open.join(',')}]`);
      open = [];
      length = 0;
    }
    const rest = `[${open.join(',')}]`;
    if (parent === null) return rest;
    return open.length === 0 ? `{"~":"${parent}"}` : `{"~":"${parent}","+":${rest}}`;
  }

  #part(parent: string | null, part: string): string {
    const body = (parent ?? '') + part;
    const partNumber = this.#parts.get(body);
    if (partNumber !== undefined) return partNumber;
    const address = addressOf(parent, part);
    this.#parts.set(body, address);
    this.#size += body.length;
    this.#share({ hash: address, parent, part });
    return address;
  }
}

/** Remembers the packed text of a frozen value that many share, where it is small and refers to nothing. */
export function keepPackedText<T extends object>(value: T): T {
  if (isLight(value)) packedTexts.set(value, JSON.stringify(value));
  return value;
}

const packedTexts = new WeakMap<object, string>();

/** The addresses that packed JSON refers to, without those that only other parts refer to. */
export function referencesIn(packed: Json, matches: Set<string> = new Set()): Set<string> {
  if (packed === null || typeof packed !== 'object') return matches;
  if (Array.isArray(packed)) {
    for (const item of packed) referencesIn(item, matches);
    return matches;
  }
  const object = packed as JsonObject;
  for (const key in object) {
    if (key === '~') matches.add(String(object[key]));
    else referencesIn(object[key]!, matches);
  }
  return matches;
}

/** A reference to a shared value in a packed one: the position in a list or an object, and the reference itself. */
export interface Hole {
  readonly in: Json[] | Record<string, Json>;
  readonly at: number | string;
  readonly address: string;
  readonly rest: Json | undefined;
}

/**
 * Finds all references in packed JSON in one walk, so that they are filled in where they stand: most of a log refers to nothing. False where
 * a key was escaped, and the value has to be written again, and where it has more levels than there is room for.
 */
export function holesIn(packed: Json, holes: Hole[], room = anyDepth): boolean {
  if (room <= 0) return false;
  if (Array.isArray(packed)) {
    for (let i = 0; i < packed.length; i++) if (!holeAt(packed, i, packed[i], holes, room - 1)) return false;
    return true;
  }
  const object = packed as Record<string, Json>;
  for (const key in object) {
    // Assigning to "__proto__" would set the prototype.
    if (key.charCodeAt(0) === tilde || key === '__proto__') return false;
    if (!holeAt(object, key, object[key], holes, room - 1)) return false;
  }
  return true;
}

const tilde = 126;

/** Levels of a value that may have any number. */
const anyDepth = 2 ** 30;

function holeAt(container: Hole['in'], at: Hole['at'], value: Json | undefined, holes: Hole[], room: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (!Array.isArray(value) && Object.hasOwn(value, '~')) {
    if (room < deepest && !hasRoom(value, room)) return false;
    const { '~': address, '+': rest } = value as JsonObject;
    holes.push({ in: container, at, address: String(address), rest });
    return true;
  }
  return holesIn(value, holes, room);
}

/** Whether a value has at most this many levels. */
function hasRoom(value: Json, room: number): boolean {
  if (value === null || typeof value !== 'object') return true;
  return room > 0 && Object.values(value).every((inner) => hasRoom(inner, room - 1));
}

/** Reads packed JSON back, given the referenced pieces. Values that share pieces share their objects. */
export class Unpacker {
  readonly #find: (hash: string) => Piece | undefined;
  readonly #read = new Map<string, Piece>();

  constructor(find: (hash: string) => Piece | undefined) {
    this.#find = find;
  }

  unpack(packed: Json): Json {
    if (packed === null || typeof packed !== 'object') return packed;
    if (Array.isArray(packed)) {
      const items = packed.map((item) => this.unpack(item));
      return items.every((item, i) => item === packed[i]) ? packed : items;
    }
    const object = packed as JsonObject;
    if (Object.hasOwn(object, '~')) return this.#join(String(object['~']), object['+']);
    let isChanged = false;
    const values: Json[] = [];
    for (const key in object) {
      const value = this.unpack(object[key]!);
      values.push(value);
      if (value !== object[key] || isTildes(key)) isChanged = true;
    }
    // Most values contain nothing shared, and are returned unchanged.
    if (!isChanged) return object;
    // From entries: assigning to "__proto__" would set the prototype instead of making a key.
    return Object.fromEntries(Object.keys(object).map((key, i) => [isTildes(key) ? key.slice(1) : key, values[i]!] as const));
  }

  /** Replaces a reference by the shared value. */
  fill({ in: container, at, address, rest }: Hole): void {
    (container as Record<number | string, Json>)[at] = this.#join(address, rest);
  }

  #join(address: string, rest: Json | undefined): Json {
    const pieces: Json[] = rest === undefined ? [] : [this.unpack(rest)];
    for (let at: string | null = address; at !== null; ) {
      const piece = this.#piece(at);
      pieces.push(piece.part);
      at = piece.parent;
    }
    pieces.reverse();
    return typeof pieces[0] === 'string' ? pieces.join('') : (pieces.flat(1) as Json);
  }

  #piece(address: string): Piece {
    const knownPiece = this.#read.get(address);
    if (knownPiece !== undefined) return knownPiece;
    const matchingPiece = this.#find(address);
    if (matchingPiece === undefined) throw missingPart(address);
    const piece = { parent: matchingPiece.parent, part: this.unpack(matchingPiece.part) };
    this.#read.set(address, piece);
    return piece;
  }
}

export function missingPart(address: string): Fault {
  return new Fault(
    'store',
    `The log refers to a shared value ${address.slice(0, 12)}… that is missing. The data is damaged or incomplete.`,
    { code: 'E_INVALID_DOCUMENT' },
  );
}

/** Whether a value is small and plain, with nothing long to share, no list worth cutting and no key to escape. */
export function isLight(value: unknown): boolean {
  return lightness(value, portion) >= 0;
}

/** The remaining characters after a value is serialized; negative if it is too long. */
function lightness(value: unknown, room: number): number {
  if (typeof value === 'string') return value.length < long ? room - value.length - 3 : -1;
  if (typeof value === 'number') return Number.isFinite(value) ? room - 8 : -1;
  if (value === null || typeof value === 'boolean') return room - 6;
  if (typeof value !== 'object') return -1;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = lightness(value[i], left);
    return left;
  }
  if (!isPlain(value)) return -1;
  for (const key in value) {
    if (left < 0 || isTildes(key)) return -1;
    left = lightness((value as JsonObject)[key], left - key.length - 4);
  }
  return left;
}

/** The first position in a value that is not plain JSON, and the value. */
function problemIn(value: unknown, place: string): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return null;
  if (typeof value !== 'object') return `${place}, but found ${typeof value === 'function' ? 'a function' : String(value)}`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = problemIn(value[i], `${place}[${i}]`);
      if (problem !== null) return problem;
    }
    return null;
  }
  if (!isPlain(value)) return `${place}, but found a ${value.constructor?.name ?? 'class instance'}`;
  for (const [key, item] of Object.entries(value)) {
    const problem = problemIn(item, `${place}.${key}`);
    if (problem !== null) return problem;
  }
  return null;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isTildes(key: string): boolean {
  return key.startsWith('~') && /^~+$/.test(key);
}
