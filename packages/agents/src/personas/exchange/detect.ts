/** @file Reads and writes personas in any known format; the format is detected from the content. */

import { canonical, equal, Fault, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { derive } from '../lineage.ts';
import { checkPersona, depthOf, type PersonaInput, parsePersona, parseWithoutHash } from '../parse.ts';
import type { Persona } from '../persona.ts';
import { absorb } from './absorb.ts';
import { backfillCard, type CardVersion, cardVersion, exportCard, importCard } from './card.ts';
import { carry } from './carry.ts';
import { readCharx, writeCharx } from './charx.ts';
import { isEliza, readEliza, writeEliza } from './eliza.ts';
import { type ExportFormat, exportFormats } from './export-formats.ts';
import { hasPngCard, isPng, plainImage, readPngCard, withoutCards, writePngCard } from './png.ts';
import { isSotopia, readSotopia, writeSotopia } from './sotopia.ts';
import { fragmentJoined, isTinyTroupe, readTinyTroupe, writeTinyTroupe } from './tinytroupe.ts';
import { isZip } from './zip.ts';

export interface Imported {
  readonly persona: Persona;
  readonly format: ExportFormat | 'text';
  /** The image of the card, without the card. */
  readonly image?: Uint8Array;
  /** The original image with every chunk: an export without changes writes it again. */
  readonly original?: Uint8Array;
  /** Files included with the card, by path. */
  readonly assets?: ReadonlyMap<string, Uint8Array>;
}

export interface ExportOptions {
  /** A PNG that will contain the card; by default a plain square. */
  readonly image?: Uint8Array;
  readonly assets?: ReadonlyMap<string, Uint8Array>;
}

interface Exchange {
  is(json: JsonObject): boolean;
  read(json: JsonObject): PersonaInput;
  write(persona: Persona): JsonObject;
}

const exchanges = {
  tinytroupe: { is: isTinyTroupe, read: readTinyTroupe, write: writeTinyTroupe },
  sotopia: { is: isSotopia, read: readSotopia, write: writeSotopia },
  eliza: { is: isEliza, read: readEliza, write: writeEliza },
} as const satisfies Readonly<Record<string, Exchange>>;

type ExchangeFormat = keyof typeof exchanges;

const largestText = 64 * 2 ** 20;

/** Reads a persona in any supported format, from the bytes of a file or from JSON. */
export function importPersona(input: Uint8Array | Json): Imported {
  if (!(input instanceof Uint8Array)) return fromJson(input);
  if (isPng(input)) return { ...fromJson(readPngCard(input)), format: 'png', image: withoutCards(input), original: input };
  if (isZip(input)) {
    const { card, assets } = readCharx(input);
    return { ...fromJson(card), format: 'charx', assets };
  }
  const text = decode(input);
  const described = text === null || /^\s*[[{]/.test(text) ? null : cardOfText(text);
  return described === null ? fromJson(parseText(text)) : { persona: importCard(described), format: 'text' };
}

/** Exports a persona for another program. An imported persona without changes is exported unchanged. */
export function exportPersona(persona: Persona, to: 'png' | 'charx', options?: ExportOptions): Uint8Array;
export function exportPersona(persona: Persona, to: Exclude<ExportFormat, 'png' | 'charx'>): JsonObject;
export function exportPersona(persona: Persona, to: ExportFormat, options?: ExportOptions): JsonObject | Uint8Array;
export function exportPersona(persona: Persona, to: ExportFormat, options: ExportOptions = {}): JsonObject | Uint8Array {
  if (to === 'persona') return persona;
  if (to === 'card-v1' || to === 'card-v2' || to === 'card-v3') return exportCard(persona, Number(to.at(-1)) as CardVersion);
  if (to === 'png') return toPng(persona, options.image ?? plainImage(persona.hash));
  if (to === 'charx') return writeCharx(exportCard(persona, 3), options.assets);
  if (Object.hasOwn(exchanges, to)) return exportAs(persona, to);
  throw new Fault('input', `Unknown format ${brief(to)}. A persona can be exported to ${exportFormats.join(', ')}.`, {
    code: 'E_UNKNOWN_NAME',
  });
}

/** The fields that would be lost if the persona were exported to a format and imported again. */
export function losses(persona: Persona, to: ExportFormat): readonly string[] {
  const written = exportPersona(persona, to);
  const again = importPersona(written).persona;
  const skipped = new Set(['hash', 'raw', 'parent']);
  return Object.entries(persona).flatMap(([key, value]) =>
    skipped.has(key) ? [] : differences(value as Json, again[key as keyof Persona], key),
  );
}

/** A persona with a TinyTroupe fragment added to it. */
export function withFragment(persona: Persona, fragment: Json): Persona {
  const part = isObject(fragment) ? fragment['persona'] : undefined;
  if (!isObject(fragment) || fragment['type'] !== 'Fragment' || !isObject(part))
    throw new Fault('input', `A fragment is {"type": "Fragment", "persona": {…}}, but got ${brief(fragment)}.`);
  const agent = exportAs(persona, 'tinytroupe');
  const whole = { ...agent, persona: fragmentJoined(agent['persona'], part) };
  return derive(
    persona,
    (persona) => absorb(persona, parseWithoutHash(readTinyTroupe(agent)), parseWithoutHash(readTinyTroupe(whole))),
    'merge',
  );
}

function fromJson(json: Json): Imported {
  if (!isObject(json)) throw new Fault('input', `A persona is a JSON object, but got ${brief(json)}.`);
  if (depthOf(json) > 100)
    throw new Fault('input', 'This document is nested deeper than 100 levels, which is too deep for a persona.', { code: 'E_TOO_LARGE' });
  if (json['schema'] === 'persona/1') return { persona: parsePersona(json), format: 'persona' };
  const version = cardVersion(json);
  if (version !== null) return { persona: importCard(json), format: `card-v${version}` };
  for (const [format, exchange] of Object.entries(exchanges) as [ExchangeFormat, Exchange][])
    if (exchange.is(json)) return { persona: parsePersona({ ...exchange.read(json), raw: { [format]: json } }), format };
  // A document that looks like our format but has an error is rejected with the error.
  if (['statements', 'identity', 'voice'].some((field) => field in json) || checkPersona(json).length === 0)
    return { persona: parsePersona(json), format: 'persona' };
  throw new Fault(
    'input',
    `Unknown format. Expected persona/1, a character card, a TinyTroupe agent, a Sotopia profile, or an eliza character, but got an object with ${keysOf(json)}.`,
    { code: 'E_UNKNOWN_NAME' },
  );
}

function exportAs(persona: Persona, format: ExchangeFormat): JsonObject {
  const { read, write } = exchanges[format];
  const original = persona.raw[format];
  return isObject(original) ? (carry(original, write(parseWithoutHash(read(original))), write(persona)) as JsonObject) : write(persona);
}

/** An image keeps the version of its card. Other personas become V3, with an additional V2 for older programs. */
function toPng(persona: Persona, image: Uint8Array): Uint8Array {
  const { raw } = persona;
  const old = raw['card-v3'] !== undefined ? null : raw['card-v2'] !== undefined ? 2 : raw['card-v1'] !== undefined ? 1 : null;
  const card = exportCard(persona, old ?? 3);
  // An unchanged card keeps both of its chunks; writing it again would replace the one for older programs.
  if (hasPngCard(image) && equal(readPngCard(image), card)) return image;
  if (old !== null) return writePngCard(image, { chara: card });
  return writePngCard(image, { chara: backfillCard(persona), ccv3: card });
}

function decode(bytes: Uint8Array): string | null {
  if (bytes.length > largestText)
    throw new Fault('input', `A persona file has at most ${largestText} bytes, but this one has ${bytes.length}.`, { code: 'E_TOO_LARGE' });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parseText(text: string | null): Json {
  try {
    return JSON.parse(text ?? '') as Json;
  } catch (thrown) {
    if (text !== null && /^\s*[[{]/.test(text))
      throw new Fault('input', `A persona file must be JSON, but this one is not: ${sentenceOf(thrown)}.`);
    throw new Fault(
      'input',
      'Expected a persona file: JSON in UTF-8, a PNG, a CHARX archive, or a text that begins with the name, such as "Ann Archer is a baker."',
    );
  }
}

const nameLine = linear(/^\s*(#{1,6} |name[ \t]*:)[ \t]*([^\s:#][^\n:]{0,79})(?:\n|$)/i);
const nameWord = `\\p{Lu}[\\p{L}'’.-]*`;
/** A full name in front of any verb, or one name in front of a verb that cards often begin with. */
const nameInSentence = linear(
  new RegExp(
    `^\\s*(?:(${nameWord}(?: ${nameWord}){1,4})(?:,| \\p{Ll})|(${nameWord})(?:,| (?:is|was|has|works|lives|keeps|runs|sells|teaches|makes)\\b))`,
    'u',
  ),
);
const notNames = /^(?:a|an|the|he|she|they|it|this|that|there|here|i|we|you|my|who|what|expected)$/i;

/** The card of a plain-text description that begins with the character's name; null for other texts. */
function cardOfText(text: string): JsonObject | null {
  const line = nameLine.exec(text);
  const [, full, single] = nameInSentence.exec(text) ?? [];
  const name = (line?.[2] ?? full ?? single)?.trim();
  if (name === undefined || name.split(' ').some((word) => notNames.test(word))) return null;
  const description = (line === null ? text : text.slice(line[0].length)).trim();
  // Any document may begin with a heading; the text under a name speaks of it.
  if (line?.[1]?.startsWith('#') && !description.includes(name.split(' ', 1).join(''))) return null;
  return { name, description, personality: '', scenario: '', first_mes: '', mes_example: '' };
}

function differences(a: Json, b: Json | undefined, path: string): readonly string[] {
  if (equal(a, b)) return [];
  if (isObject(a) && isObject(b)) return Object.keys(a).flatMap((key) => differences(a[key]!, b[key], `${path}.${key}`));
  if (Array.isArray(a) && Array.isArray(b)) {
    const there = new Set(b.map((item: Json) => canonical(item)));
    return a.every((item: Json) => there.has(canonical(item))) ? [] : [path];
  }
  return [path];
}

function keysOf(json: JsonObject): string {
  const keys = Object.keys(json);
  return keys.length === 0 ? 'no keys' : `the keys ${keys.slice(0, 6).join(', ')}${keys.length > 6 ? ' …' : ''}`;
}
