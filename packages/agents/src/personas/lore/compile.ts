/** @file Compiles a lorebook for scanning: decorators parsed, dialect detected, and keys prepared, once per book. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Lorebook, LoreEntry } from '../persona.ts';
import { type Decorators, parseDecorators } from './decorators.ts';
import { type Effort, looksLikePattern, type Pattern, pattern } from './pattern.ts';

/** The text to scan, unchanged and in lower case. */
export interface Scanned {
  readonly text: string;
  readonly lower: string;
}

/** A compiled key; null means one that can never match. */
export interface Key {
  readonly written: string;
  found(scanned: Scanned, effort: Effort): boolean;
}

/** How secondary keys combine with primary ones, in SillyTavern's numbering. */
export const logics = ['and_any', 'not_all', 'not_any', 'and_all'] as const;
export type Logic = (typeof logics)[number];

export type Role = 'system' | 'user' | 'assistant';
const roles: readonly Role[] = ['system', 'user', 'assistant'];

/** The position of an activated entry. Notes are the author's notes, examples the example dialogue. */
export type LorePosition =
  | 'before'
  | 'after'
  | 'note_top'
  | 'note_bottom'
  | 'depth'
  | 'examples_top'
  | 'examples_bottom'
  | 'personality'
  | 'scenario';

const places: readonly LorePosition[] = ['before', 'after', 'note_top', 'note_bottom', 'depth', 'examples_top', 'examples_bottom'];

export interface Compiled {
  readonly id: string;
  readonly index: number;
  readonly content: string;
  readonly decorators: Decorators;
  readonly keys: readonly Key[];
  readonly secondary: readonly Key[];
  readonly additional: readonly Key[];
  readonly excluded: readonly Key[];
  readonly logic: Logic;
  readonly constant: boolean;
  readonly order: number;
  readonly rank: number;
  readonly scanDepth: number | null;
  /** In percent. */
  readonly probability: number;
  readonly sticky: number;
  readonly cooldown: number;
  readonly delay: number;
  readonly excludeRecursion: boolean;
  readonly preventRecursion: boolean;
  /** 0: active at once; n: only in recursion, from level n on. */
  readonly delayUntilRecursion: number;
  readonly groups: readonly string[];
  readonly groupWeight: number;
  readonly groupOverride: boolean;
  readonly ignoreBudget: boolean;
  readonly filter: { readonly exclude: boolean; readonly names: readonly string[]; readonly tags: readonly string[] } | null;
  readonly place: LorePosition;
  readonly depth: number;
  readonly role: Role;
  /** Constant and unconditional: the same in every turn, so it belongs to the static part of a prompt. */
  readonly steady: boolean;
}

const result = new WeakMap<Lorebook, readonly Compiled[]>();

/** Step one of the contract: removes disabled and empty entries, and the decorators from the content. */
export function compile(book: Lorebook): readonly Compiled[] {
  const before = result.get(book);
  if (before !== undefined) return before;
  const used = new Set<string>();
  const compiled = book.entries.flatMap((entry, index) => {
    if (!entry.enabled) return [];
    const { content, decorators } = parseDecorators(entry.content);
    if (content.trim() === '') return [];
    let id = String(entry.id ?? index);
    if (used.has(id)) id = `${id}#${index}`;
    used.add(id);
    return [compileEntry(entry, { id, index, content, decorators })];
  });
  result.set(book, compiled);
  return compiled;
}

/** Prepares a text for scanning. */
export function toScanned(text: string): Scanned {
  return { text, lower: text.toLowerCase() };
}

type Parsed = Pick<Compiled, 'id' | 'index' | 'content' | 'decorators'>;

function compileEntry(entry: LoreEntry, parsed: Parsed): Compiled {
  const { extensions } = entry;
  const { decorators } = parsed;
  // SillyTavern marks every entry as a regex. Its own fields reveal its dialect, in which only /…/ keys are patterns.
  const tavern = extensions['selectiveLogic'] !== undefined || extensions['display_index'] !== undefined;
  const regex = !tavern && entry.use_regex === true;
  const cased = (flag(extensions['case_sensitive']) ?? entry.case_sensitive) === true;
  const key = keyMaker({
    cased,
    regex,
    slashes: tavern || entry.use_regex !== false,
    wholeWords: extensions['match_whole_words'] === true,
  });
  const secondary = entry.selective === true && !regex ? (entry.secondary_keys ?? []) : [];
  const additional = decorators.additional_keys ?? [];
  const probability = extensions['useProbability'] === false ? 100 : (number(extensions['probability']) ?? 100);
  const sticky = number(extensions['sticky']) ?? 0;
  const cooldown = number(extensions['cooldown']) ?? 0;
  const delay = number(extensions['delay']) ?? 0;
  const level = extensions['delay_until_recursion'];
  const constant = entry.constant === true && !regex;
  const timed = probability < 100 || sticky > 0 || cooldown > 0 || delay > 0;
  const groups = typeof extensions['group'] === 'string' ? commaList(extensions['group']) : [];
  const filter = filterIn(extensions['character_filter']);
  const conditions = Object.keys(decorators).some((name) => !['depth', 'role', 'position', 'scan_depth'].includes(name));
  return {
    ...parsed,
    keys: [...entry.keys, ...(regex ? additional : [])].map(key),
    secondary: secondary.map(key),
    additional: regex ? [] : additional.map(key),
    excluded: regex ? [] : (decorators.exclude_keys ?? []).map(key),
    logic: (tavern ? logics[number(extensions['selectiveLogic']) ?? 0] : undefined) ?? 'and_any',
    constant,
    order: entry.insertion_order,
    rank: entry.priority ?? entry.insertion_order,
    scanDepth: decorators.scan_depth ?? number(extensions['scan_depth']) ?? null,
    probability,
    sticky,
    cooldown,
    delay,
    excludeRecursion: extensions['exclude_recursion'] === true,
    preventRecursion: extensions['prevent_recursion'] === true,
    delayUntilRecursion: level === true ? 1 : (number(level) ?? 0),
    groups,
    groupWeight: number(extensions['group_weight']) ?? 100,
    groupOverride: extensions['group_override'] === true,
    ignoreBudget: extensions['ignore_budget'] === true,
    filter,
    ...placeOf(entry, decorators),
    steady: constant && !timed && !conditions && groups.length === 0 && filter === null && !level,
  };
}

function placeOf(entry: LoreEntry, decorators: Decorators): Pick<Compiled, 'place' | 'depth' | 'role'> {
  const { extensions } = entry;
  const role = decorators.role ?? roles[number(extensions['role']) ?? 0] ?? 'system';
  const at = (place: LorePosition, depth = 0) => ({ place, depth, role });
  if (decorators.position === 'before_desc') return at('before');
  if (decorators.position === 'after_desc') return at('after');
  if (decorators.position !== undefined) return at(decorators.position);
  if (decorators.depth !== undefined) return at('depth', Math.max(0, decorators.depth));
  // Negative: counted from the oldest message.
  if (decorators.reverse_depth !== undefined) return at('depth', -1 - Math.max(0, decorators.reverse_depth));
  const numbered = places[number(extensions['position']) ?? -1];
  if (numbered !== undefined) return at(numbered, numbered === 'depth' ? (number(extensions['depth']) ?? 4) : 0);
  return at(entry.position === 'before_char' ? 'before' : 'after');
}

interface KeyRules {
  readonly cased: boolean;
  /** Every key is a pattern. */
  readonly regex: boolean;
  /** A key written /…/ is a pattern. */
  readonly slashes: boolean;
  readonly wholeWords: boolean;
}

function keyMaker(rules: KeyRules): (written: string) => Key {
  return (written) => {
    if (rules.regex || (rules.slashes && looksLikePattern(written))) {
      let ready: Pattern | null | undefined;
      return {
        written,
        found({ text }, effort) {
          // Patterns are compiled on first use, because most entries of a large book never need them.
          if (ready === undefined && effort.left <= 0) return false;
          if (ready === undefined) ready = pattern(written, !rules.cased, effort);
          return ready?.test(text, effort) ?? false;
        },
      };
    }
    const wanted = rules.cased ? written : written.toLowerCase();
    const whole = rules.wholeWords && !/\s/.test(written);
    return {
      written,
      found({ text, lower }) {
        const within = rules.cased ? text : lower;
        return wanted !== '' && (whole ? hasWord(within, wanted) : within.includes(wanted));
      },
    };
  };
}

function hasWord(text: string, word: string): boolean {
  const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return true;
  return false;
}

function filterIn(value: Json | undefined): Compiled['filter'] {
  if (!isObject(value)) return null;
  const names = (list: Json | undefined) => (Array.isArray(list) ? list.filter((name: Json) => typeof name === 'string') : []) as string[];
  const filter = { exclude: value['isExclude'] === true, names: names(value['names']), tags: names(value['tags']) };
  return filter.names.length + filter.tags.length === 0 ? null : filter;
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function flag(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function commaList(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
