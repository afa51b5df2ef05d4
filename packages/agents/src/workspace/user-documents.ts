/**
 * @file The user's own documents: personas with their portraits, and scenes, as files in subfolders of the working folder. The gallery is
 * never changed.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault, isFault, type Json, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { gallery, type Persona, parsePersona, slug } from '../personas/index.ts';

/** A user's document, or why its file could not be read. */
export type OwnPersona =
  | { readonly key: string; readonly persona: Persona; readonly problem: null }
  | { readonly key: string; readonly persona: null; readonly problem: string };

/**
 * All personas, in the order of their keys, then the named files of the folder. An invalid file is reported with its reason and hides no
 * other.
 */
export function ownPersonas(cwd: string, files: readonly string[] = []): readonly OwnPersona[] {
  return [...keysIn(cwd, 'personas'), ...files].map((key) => {
    try {
      return { key, persona: ownPersona(cwd, key) as Persona, problem: null };
    } catch (thrown) {
      return { key, persona: null, problem: sentenceOf(thrown) };
    }
  });
}

/** The document with this key, or null. */
export function ownPersona(cwd: string, key: string): Persona | null {
  const json = documentIn(fileOf(cwd, key, 'personas'));
  return json === null ? null : parsePersona(json);
}

/** The picture of a user's card, or null. */
export function portraitOf(cwd: string, key: string): Uint8Array<ArrayBuffer> | null {
  const file = fileOf(cwd, key, 'personas', 'png');
  return existsSync(file) ? new Uint8Array(readFileSync(file)) : null;
}

/** Writes a temporary file and renames it, so a crash leaves the old or the new document, never a partial one. */
export function savePersona(cwd: string, key: string, persona: Persona, image?: Uint8Array): void {
  if (image !== undefined) writeThenMove(fileOf(cwd, key, 'personas', 'png'), image);
  writeThenMove(fileOf(cwd, key, 'personas'), `${JSON.stringify(persona, null, 2)}\n`);
}

export function deletePersona(cwd: string, key: string): void {
  // A name may refer to any file of the folder; only a character is deleted.
  if (isFile(key) && ownPersona(cwd, key) === null) return;
  rmSync(fileOf(cwd, key, 'personas'), { force: true });
  rmSync(fileOf(cwd, key, 'personas', 'png'), { force: true });
}

/** The scenes with their keys, as in their files. */
export function ownScenes(cwd: string): readonly string[] {
  return keysIn(cwd, 'scenes');
}

export function ownScene(cwd: string, key: string): Json | null {
  return documentIn(fileOf(cwd, key, 'scenes'));
}

export function saveScene(cwd: string, key: string, scene: Json): void {
  writeThenMove(fileOf(cwd, key, 'scenes'), `${JSON.stringify(scene, null, 2)}\n`);
}

export function deleteScene(cwd: string, key: string): void {
  rmSync(fileOf(cwd, key, 'scenes'), { force: true });
}

/** An unused key, here and in the gallery: the wanted name, or the name with a number. */
export function freshKey(cwd: string, wanted: string): string {
  const plain = [...slug(wanted)].slice(0, 60).join('');
  const isTaken = (key: string) => existsSync(fileOf(cwd, key, 'personas')) || Object.hasOwn(gallery, key);
  for (let n = 1; ; n++) {
    const key = n === 1 ? plain : `${plain}-${n}`;
    if (!isTaken(key)) return key;
  }
}

/** A key is one word of letters, digits and hyphens, so it cannot form a path. */
function isKey(key: string): boolean {
  return key.length <= 200 && /^[\p{L}\p{N}\p{M}]+(-[\p{L}\p{N}\p{M}]+)*$/u.test(key);
}

/** A character in the working folder itself, as in "./bess.json". */
function isFile(key: string): boolean {
  return key.length <= 200 && /^\.\/[^/\\]+\.json$/.test(key);
}

type Room = 'personas' | 'scenes';

function keysIn(cwd: string, room: Room): readonly string[] {
  const folder = resolve(cwd, '.ludus', room);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.json') && isKey(file.slice(0, -5)) ? [file.slice(0, -5)] : []))
    .sort();
}

function fileOf(cwd: string, key: string, room: Room, ending: 'json' | 'png' = 'json'): string {
  if (room === 'personas' && isFile(key)) return resolve(cwd, `${key.slice(2, -5)}.${ending}`);
  if (!isKey(key)) throw new Fault('input', `Invalid name "${key.slice(0, 60)}". Use letters, digits, and hyphens.`);
  return resolve(cwd, '.ludus', room, `${key}.${ending}`);
}

function documentIn(file: string): Json | null {
  if (!existsSync(file)) return null;
  try {
    return jsonFrom(readFileSync(file, 'utf8'), file);
  } catch (thrown) {
    if (isFault(thrown)) throw thrown;
    throw new Fault('input', `${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

function writeThenMove(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomicSync(file, content);
}
