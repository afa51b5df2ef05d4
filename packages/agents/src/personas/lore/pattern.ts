/**
 * @file Untrusted regular expressions, matched in linear time by the kernel's pattern machine. Unsupported features (lookaround, back
 * references) are rejected, and all keys of a book share one effort limit.
 */

import { compilePattern, type Effort, runPattern } from '@ludus-agents/kernel/internal/core/pattern-machine';
import { parsePattern } from '@ludus-agents/kernel/internal/core/pattern-syntax';

export type { Effort };

export interface Pattern {
  /** Whether the pattern occurs in the text. Once the effort is used up, the answer is no. */
  test(text: string, effort?: Effort): boolean;
}

const longest = 500;
const limits = { largest: 2000, lookarounds: false };

/**
 * The pattern of a `/source/flags` key or of a bare source; null if it is invalid, too large, or unsupported. Compiling uses the same
 * effort as matching, so a book with many hard keys stops too.
 */
export function pattern(key: string, caseless = true, effort: Effort = { left: Infinity }): Pattern | null {
  const literal = /^\/(.*)\/([dgimsuvy]*)$/s.exec(key);
  const source = literal?.[1] ?? key;
  const flags = [...new Set((literal?.[2] ?? (caseless ? 'i' : '')).replace(/[dgy]/g, ''))].join('');
  // Nested classes, which the v flag allows, are not supported.
  if (source.length > longest || flags.includes('v')) return null;
  effort.left -= source.length;
  try {
    new RegExp(source, flags);
  } catch {
    return null;
  }
  try {
    // Captures are not needed.
    const program = { ...compilePattern(parsePattern(source, flags), flags, limits), slots: 0 };
    effort.left -= program.code.length;
    return { test: (text, left = { left: Infinity }) => runPattern(program, text, 0, false, left) !== null };
  } catch {
    // A failed compilation costs at most the largest size.
    effort.left -= limits.largest;
    return null;
  }
}

/** Whether the key has the form `/source/flags`. */
export function looksLikePattern(key: string): boolean {
  return /^\/.+\/[dgimsuvy]*$/s.test(key);
}
