/**
 * @file Curly-brace macros of cards: names, seeded random values, and comments. They are stored unexpanded, and expanded once, as late as
 * possible.
 */

import { rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Persona } from '../persona.ts';

/** The text for {{user}} if no name is set. */
export const defaultUser = 'the visitor';

export interface MacroNames {
  readonly char: string;
  readonly user: string;
  readonly seed?: Seed;
  /** Seeds the random macros together with the text: {{random}} and {{roll}} change with the turn, {{pick}} does not. */
  readonly turn?: number;
  /** The replacement of {{original}}. */
  readonly original?: string;
}

const macro = linear(
  /\{\{\s*(char|user|original|random|pick|roll|reverse|hidden_key|comment|\/\/)\s*(?:::?\s*)?((?:[^{}]|\{(?!\{)|\}(?!\}))*)\}\}|<(bot|char|user)>/gi,
);

/** The text with its macros replaced. Replacements are not expanded again, so a name cannot inject a macro. */
export function expandMacros(text: string, names: MacroNames): string {
  if (!text.includes('{{') && !text.includes('<')) return text;
  let place = 0;
  return text.replace(macro, (whole, word: string | undefined, rest: string | undefined, tag: string | undefined) => {
    place++;
    const name = (word ?? (tag as string)).toLowerCase();
    if (name === 'char' || name === 'bot') return names.char;
    if (name === 'user') return names.user;
    if (name === 'original') return names.original ?? '';
    const value = rest ?? '';
    if (name === 'reverse') return [...value].reverse().join('');
    const dice = (...path: readonly (string | number)[]) => rng(names.seed ?? 0, 'macro', text, place, ...path);
    if (name === 'pick') return dice('pick').pick(choices(value));
    if (name === 'random') return dice(names.turn ?? 0).pick(choices(value));
    if (name === 'roll') return rollDice(value, whole, (sides) => 1 + dice(names.turn ?? 0).int(sides));
    return '';
  });
}

/** The persona with its macros replaced in every text: for readers without macro support. */
export function withNames(persona: Persona, user = defaultUser): Persona {
  const { statements, goals, secrets, identity } = persona;
  const names = { char: persona.nickname || persona.name, user };
  const expand = <T extends { readonly text: string }>(items: readonly T[]) =>
    items.map((item) => ({ ...item, text: expandMacros(item.text, names) }));
  const { summary } = identity.personal;
  const personal = summary === undefined ? identity.personal : { ...identity.personal, summary: expandMacros(summary, names) };
  return {
    ...persona,
    identity: { ...identity, personal },
    ...{ statements: expand(statements), goals: expand(goals), secrets: expand(secrets) },
  };
}

/** A text prepared for scanning: without comments, with hidden keys. */
export function scanText(text: string): string {
  if (!text.includes('{{')) return text;
  return text.replace(macro, (whole, word: string | undefined, rest: string | undefined) => {
    const name = word?.toLowerCase();
    if (name === '//' || name === 'comment') return '';
    return name === 'hidden_key' ? (rest ?? '') : whole;
  });
}

/** Splits at commas; `\,` is a literal comma. */
function choices(text: string): readonly string[] {
  return text.split(/(?<!\\),/).map((choice) => choice.replaceAll('\\,', ',').trim());
}

function rollDice(value: string, whole: string, roll: (sides: number) => number): string {
  const sides = Number(value.trim().replace(/^d/i, ''));
  return Number.isInteger(sides) && sides >= 1 && sides <= 2 ** 32 ? String(roll(sides)) : whole;
}
