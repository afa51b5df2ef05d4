/** @file The orders of an expert: how they are written and parsed. */

import { type Action, type ParsedMove, parseBracketed } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { talkOf } from '../together.ts';
import { type ClinicKind, type ClinicTable, indexOf } from './table.ts';
import { findingAskedFor } from './talk.ts';

/** A parsed answer of the expert. `finding` −1 is talk that matches nothing in the table. */
export type ClinicOrder =
  | { readonly kind: ClinicKind; readonly finding: number; readonly words: string }
  | { readonly kind: 'advise'; readonly words: string }
  | { readonly kind: 'diagnose'; readonly conditions: readonly number[] }
  | { readonly kind: 'refer' };

/** Parses the expert's answer: one bracketed order, or free talk that is passed on. */
export function orderOf(table: ClinicTable, action: Action): ParsedMove<ClinicOrder> {
  const { text } = action;
  if (!text.includes('[')) {
    const speech = talkOf(text);
    if (speech === '') return { ok: false, problem: `Your answer is empty. ${grammar}` };
    if (table.seats.length === 1) return { ok: false, problem: `There is nobody to talk to. ${grammar}` };
    return { ok: true, move: { kind: 'ask', finding: findingAskedFor(table, speech), words: speech } };
  }
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const [, verb, rest] = /^(\w+) (.+)$/.exec(read.move) ?? [];
  const speech = talkOf(text.slice(0, text.indexOf('[')) + text.slice(text.indexOf(']') + 1));
  const name = rest?.toLowerCase();
  switch (verb?.toLowerCase()) {
    case 'refer':
      return name === 'urgent' ? { ok: true, move: { kind: 'refer' } } : { ok: false, problem: 'Write [refer urgent] to refer.' };
    case 'advise':
      return { ok: true, move: { kind: 'advise', words: talkOf((rest as string).replace(/^"|"$/g, '')) } };
    case 'diagnose':
      return diagnosis(table, name as string);
    case 'ask':
    case 'exam':
    case 'test': {
      const finding = indexOf(table, name as string);
      if (finding >= 0 && table.findings[finding]?.kind === verb?.toLowerCase())
        return { ok: true, move: { kind: verb?.toLowerCase() as ClinicKind, finding, words: speech || `Tell me about this: ${name}.` } };
      return { ok: false, problem: `There is no [${verb} ${name?.slice(0, 60)}] here.` };
    }
    default:
      return { ok: false, problem: `[${read.move.slice(0, 60)}] is no order. ${grammar}` };
  }
}

function diagnosis(table: ClinicTable, names: string): ParsedMove<ClinicOrder> {
  const conditions = names.split(linear(/\s*,\s*/)).map((name) => table.conditions.findIndex(({ id }) => id === name));
  if (conditions.includes(-1) || conditions.length > 3 || new Set(conditions).size < conditions.length)
    return { ok: false, problem: `A diagnosis is one condition of the list, or up to three different ones with commas between them.` };
  return { ok: true, move: { kind: 'diagnose', conditions } };
}

export const grammar =
  'Orders are [ask ID], [exam ID], [test ID], [advise "…"], [refer urgent], [diagnose CONDITION] or [diagnose A, B, C].';

const written = new Map<ClinicTable, { readonly looks: readonly string[]; readonly diagnoses: readonly string[] }>();

/** Lists all orders as answers: one for each finding, and one for each condition. */
export function choicesOf(table: ClinicTable): { readonly looks: readonly string[]; readonly diagnoses: readonly string[] } {
  const knownNames = written.get(table);
  if (knownNames !== undefined) return knownNames;
  const looks = table.findings.map(({ kind, id }) => `[${kind} ${id}]`);
  const result = { looks, diagnoses: table.conditions.map(({ id }) => `[diagnose ${id}]`) };
  written.set(table, result);
  return result;
}
