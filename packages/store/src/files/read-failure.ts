/** @file Explains why a file could not be read, with the name in its folder that was probably meant. */

import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { distance, nearest } from '@ludus-agents/kernel/internal/core/suggest';

/** Why a file could not be read or written; uses our own wording if there is one, instead of the system's. */
export function reasonOf(thrown: unknown): string {
  const { code = '', path } = thrown as { code?: string; path?: string };
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `no such file or folder${typeof path === 'string' ? nearbyFile(path) : ''}`,
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    ENOSPC: 'the disk is full',
  };
  return reasons[code] ?? sentenceOf(thrown);
}

/** ` (did you mean "agent.json"?)` after a path to nothing, or nothing. The first part of the path that is missing is looked at. */
export function nearbyFile(path: string): string {
  const folder = dirname(path);
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (thrown) {
    return (thrown as { code?: string }).code === 'ENOENT' && folder !== path ? nearbyFile(folder) : '';
  }
  const typed = basename(path);
  // Endings are alike by themselves, so it is the stems that are compared.
  const ownNames = names.filter((name) => name.startsWith('.') === typed.startsWith('.'));
  // One or two letters are near to any others; there the ending alone may be wrong.
  const stem = stemOf(typed).length < 3 ? stemOf(typed) : nearest(stemOf(typed), ownNames.map(stemOf));
  const [meant] = ownNames.filter((name) => stemOf(name) === stem).toSorted((a, b) => distance(typed, a) - distance(typed, b));
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

function stemOf(name: string): string {
  return name.replace(linear(/(?<=.)\.[^.]*$/), '');
}
