/**
 * @file Regular expressions from strangers, matched in linear time by the machine of core. What it cannot do within bounds (looking around,
 * back references) is refused, and a book of many keys shares one effort.
 */

import { compilePattern, type Effort, runPattern } from '@ludus-agents/kernel/internal/core/pattern-machine';
import { parsePattern } from '@ludus-agents/kernel/internal/core/pattern-syntax';

export type { Effort };

export interface Pattern {
  /** Does the pattern occur in the text? Once the effort is used up, the answer is no. */
  test(text: string, effort?: Effort): boolean;
}

const longest = 500;
const limits = { largest: 2000, lookarounds: false };

/**
 * The pattern of a `/source/flags` key or of a bare source; null when it is invalid, too large, or beyond a machine of this kind. Compiling
 * takes from the same effort as matching, so that a book of many hard keys stops too.
 */
export function pattern(key: string, caseless = true, effort: Effort = { left: Infinity }): Pattern | null {
  const literal = /^\/(.*)\/([dgimsuvy]*)$/s.exec(key);
  const source = literal?.[1] ?? key;
  const flags = [...new Set((literal?.[2] ?? (caseless ? 'i' : '')).replace(/[dgy]/g, ''))].join('');
  // Classes within classes, which the v flag allows, are not taken apart here.
  if (source.length > longest || flags.includes('v')) return null;
  effort.left -= source.length;
  try {
    new RegExp(source, flags);
  } catch {
    return null;
  }
  try {
    // Captures are not asked for.
    const program = { ...compilePattern(parsePattern(source, flags), flags, limits), slots: 0 };
    effort.left -= program.code.length;
    return { test: (text, left = { left: Infinity }) => runPattern(program, text, 0, false, left) !== null };
  } catch {
    // It was given up at the largest size, at the latest.
    effort.left -= limits.largest;
    return null;
  }
}

/** Is the key written as `/source/flags`? */
export function looksLikePattern(key: string): boolean {
  return /^\/.+\/[dgimsuvy]*$/s.test(key);
}
