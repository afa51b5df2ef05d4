/** @file Reads files and texts from outside, and explains why one of them could not be read. */

import { Fault, type Json, sentenceOf } from './index.ts';

/** Reads JSON, saying where it came from when it is none. */
export function jsonFrom(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    throw new Fault('input', `${where} must be JSON, but is not: ${sentenceOf(thrown)}.`);
  }
}

/** Why a file could not be read or written, without the system's own words where we have better ones. */
export function reasonOf(thrown: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EISDIR: 'it is a folder',
    EACCES: 'you may not',
    ENOSPC: 'the disk is full',
  };
  return reasons[(thrown as { code?: string }).code ?? ''] ?? sentenceOf(thrown);
}
