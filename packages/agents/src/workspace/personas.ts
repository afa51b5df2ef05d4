/** @file Personas by name: from a file in any known format, or from the gallery; and writing documents back to files. */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Fault, findEntry, isFault } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { toDiskFault, writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { withoutCards } from '../personas/exchange/png.ts';
import { gallery, type Imported, importPersona, slug } from '../personas/index.ts';
import { readConfigIn } from './config.ts';
import { checkFile } from './consent.ts';
import { personaKind } from './kinds.ts';
import { loadEntry } from './load.ts';
import { Trust } from './trust.ts';
import { ownPersona, ownPersonas } from './user-documents.ts';

/** How names are read: relative to the folder, or from standard input for "-". */
export interface FileReader {
  readonly cwd: string;
  readonly stdin: Readable;
  /** The origin of the names. */
  readonly trust: Trust;
}

/** The bytes of a file, or of standard input for "-". */
export async function readBytes(name: string, reader: FileReader): Promise<Uint8Array> {
  if (name === '-') return buffer(reader.stdin);
  const path = checkFile(name, reader.trust, { cwd: reader.cwd, env: process.env });
  try {
    return readFileSync(path);
  } catch (thrown) {
    throw new Fault('input', `${name} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

/**
 * A persona by its name in the gallery or among the user's own, or from a file in any known format. A file of that name takes precedence,
 * and the user's own entries cannot use a gallery name.
 */
export async function resolvePersona(name: string, reader: FileReader): Promise<Imported> {
  if (/\.[cm]?[jt]s(#|$)/.test(name)) return { persona: await loadEntry(personaKind, name, reader.cwd, reader.trust), format: 'persona' };
  const configured = findEntry((await readConfigIn(reader.cwd)).kinds?.['personas'] ?? {}, name);
  if (configured !== null && configured !== name) return resolvePersona(configured, { ...reader, trust: Trust.configuration });
  const ownEntry = Object.hasOwn(gallery, name) ? gallery[name] : undefined;
  const isFile = name === '-' || /[\\/.]/.test(name) || existsSync(resolve(reader.cwd, name));
  if (ownEntry !== undefined && !isFile) return { persona: ownEntry, format: 'persona' };
  const retainedPersona = isFile ? null : ownPersona(reader.cwd, slug(name));
  if (retainedPersona !== null) return { persona: retainedPersona, format: 'persona' };
  if (!isFile) {
    const mine = ownPersonas(reader.cwd).map(({ key }) => key);
    const knownKeys = [...Object.keys(gallery), ...mine];
    throw new Fault(
      'input',
      `Unknown persona or file "${name}". The gallery${mine.length > 0 ? ' and your saved personas have' : ' has'} ${knownKeys.join(', ')}.${didYouMean(name, knownKeys)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  }
  try {
    return withPortrait(importPersona(await readBytes(name, reader)), resolve(reader.cwd, name));
  } catch (thrown) {
    if (name === '-' || !isFault(thrown) || thrown.message.startsWith(name)) throw thrown;
    throw new Fault('input', `${name}: ${thrown.message}`, { cause: thrown });
  }
}

/** The image file of a card whose document is in a file: ann.json has ann.portrait.png next to it. */
export function portraitFile(document: string): string {
  return `${document.replace(/\.json$/i, '')}.portrait.png`;
}

/** Adds the image again to a document that was imported from an image. */
function withPortrait(imported: Imported, path: string): Imported {
  const file = portraitFile(path);
  if (imported.original !== undefined || !/\.json$/i.test(path) || !existsSync(file)) return imported;
  const original = new Uint8Array(readFileSync(file));
  return { ...imported, image: withoutCards(original), original };
}

/** Writes a file, and creates its folder if missing. */
export function writeOut(name: string, content: string | Uint8Array, cwd: string): void {
  const file = resolve(cwd, name);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileAtomicSync(file, content);
  } catch (thrown) {
    throw toDiskFault(thrown, name);
  }
}

/** A document in file format. */
export function pretty(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
