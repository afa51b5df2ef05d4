/** @file Converts external lorebooks to our format: the book of a card, a stand-alone `lorebook_v3`, or a SillyTavern world file. */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Lorebook, LoreEntry } from '../persona.ts';
import { flagIn, numberIn, objectIn, present } from './loose.ts';

/** Reads any lorebook; the format is detected from its content. */
export function importLorebook(json: Json): Lorebook {
  if (isObject(json) && json['spec'] === 'lorebook_v3' && isObject(json['data'])) return readBook(json['data']);
  if (isObject(json) && (Array.isArray(json['entries']) || isObject(json['entries']))) return readBook(json);
  throw new Fault('input', 'Expected a lorebook, {"spec": "lorebook_v3", "data": …} or an object with entries.');
}

export function exportLorebook(book: Lorebook): JsonObject {
  return { spec: 'lorebook_v3', data: book };
}

/** Tolerant: values of the wrong type are omitted, and extensions of book and entries are preserved. */
export function readBook(book: JsonObject): Lorebook {
  const entries = book['entries'];
  return {
    ...present({
      name: typeof book['name'] === 'string' ? book['name'] : undefined,
      description: typeof book['description'] === 'string' ? book['description'] : undefined,
      scan_depth: numberIn(book['scan_depth']),
      token_budget: numberIn(book['token_budget']),
      recursive_scanning: flagIn(book['recursive_scanning']),
    }),
    extensions: objectIn(book['extensions']),
    entries: Array.isArray(entries)
      ? entries.filter(isObject).map(readEntry)
      : Object.values(objectIn(entries))
          .filter(isObject)
          .map((entry) => readEntry(fromWorld(entry))),
  };
}

function readEntry(entry: JsonObject): LoreEntry {
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
  const position = entry['position'];
  const id = entry['id'];
  return {
    keys: keysIn(entry['keys']),
    content: text(entry['content']) ?? '',
    extensions: objectIn(entry['extensions']),
    enabled: flagIn(entry['enabled']) ?? true,
    insertion_order: numberIn(entry['insertion_order']) ?? 100,
    ...present({
      case_sensitive: flagIn(entry['case_sensitive']),
      use_regex: flagIn(entry['use_regex']),
      constant: flagIn(entry['constant']),
      name: text(entry['name']),
      priority: numberIn(entry['priority']),
      id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
      comment: text(entry['comment']),
      selective: flagIn(entry['selective']),
      secondary_keys: entry['secondary_keys'] === undefined ? undefined : keysIn(entry['secondary_keys']),
      position: position === 'before_char' || position === 'after_char' ? position : undefined,
    }),
  };
}

/** A list, or (by one interpretation of V3) a comma-separated text. */
function keysIn(value: Json | undefined): readonly string[] {
  const items = typeof value === 'string' ? value.split(',').map((key) => key.trim()) : Array.isArray(value) ? value : [];
  return items.filter((key: Json) => typeof key === 'string' && key !== '') as string[];
}

/** Field names of a world file, mapped to the names of the same fields in a card's entry extensions. */
const worldNames: Readonly<Record<string, string>> = {
  position: 'position',
  displayIndex: 'display_index',
  probability: 'probability',
  useProbability: 'useProbability',
  depth: 'depth',
  selectiveLogic: 'selectiveLogic',
  group: 'group',
  groupOverride: 'group_override',
  groupWeight: 'group_weight',
  excludeRecursion: 'exclude_recursion',
  preventRecursion: 'prevent_recursion',
  delayUntilRecursion: 'delay_until_recursion',
  scanDepth: 'scan_depth',
  matchWholeWords: 'match_whole_words',
  caseSensitive: 'case_sensitive',
  role: 'role',
  sticky: 'sticky',
  cooldown: 'cooldown',
  delay: 'delay',
  characterFilter: 'character_filter',
  ignoreBudget: 'ignore_budget',
};

function fromWorld(entry: JsonObject): JsonObject {
  const extensions: Record<string, Json> = { selectiveLogic: 0 };
  for (const [from, to] of Object.entries(worldNames)) if (entry[from] !== undefined && entry[from] !== null) extensions[to] = entry[from];
  return present({
    id: entry['uid'],
    keys: entry['key'],
    secondary_keys: entry['keysecondary'],
    content: entry['content'],
    comment: entry['comment'],
    constant: entry['constant'],
    selective: entry['selective'],
    insertion_order: entry['order'],
    enabled: entry['disable'] !== true,
    position: entry['position'] === 0 ? 'before_char' : 'after_char',
    extensions,
  }) as JsonObject;
}
