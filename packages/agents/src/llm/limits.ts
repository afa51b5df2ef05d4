/** @file The default maximum length of an answer, by the type of the request. A model without a limit may generate for minutes. */

import type { Tokens } from '../mind/budget.ts';
import type { AnswerForm, ExtraField } from './answer.ts';

/** Tokens for each part of an answer. A move in brackets is a few; talk is three sentences; a thought is two. */
const move = 16;
const talk = 150;
const labelled = 600;
const fields: Readonly<Record<ExtraField, number>> = { remember: 60, plan: 120, memo: 60 };
/** What a model that thinks may think before it answers. */
export const thinking = 2048;

export interface AnswerAsked {
  readonly form: AnswerForm;
  readonly extras: readonly ExtraField[];
  /** Moves that the answer is one of, where it is nothing else. */
  readonly choices: readonly string[];
  /** A schema of the world that the move must fit. */
  readonly schema: string | undefined;
  /** Tokens that a memo may have. */
  readonly memo: number;
  readonly compact: boolean;
  readonly thinks: boolean;
}

/** The most tokens of an answer. */
export function answerLimit(request: AnswerAsked, tokens: Tokens): number {
  return wordsFor(request, tokens) + (request.thinks ? thinking : 0);
}

function wordsFor({ form, extras, choices, schema, memo, compact }: AnswerAsked, tokens: Tokens): number {
  if (choices.length > 0) return Math.max(move, 8 + Math.max(...choices.map((choice) => 2 * tokens(choice))));
  const shaped = schema === undefined ? 0 : Math.min(2000, Math.max(200, tokens(schema)));
  if (form === 'plain') return Math.max(compact ? talk : labelled, shaped);
  const more = extras.reduce((sum, name) => sum + fields[name] + (name === 'memo' ? memo : 0), 0);
  return Math.ceil((labelled + more + shaped) * (form === 'json' ? 1.25 : 1));
}

/** Tokens of a context that are reserved: for the answer, and for errors in counting tokens. */
export function answerReserve(limit: number, context: number, counted: boolean): number {
  const doubt = Math.ceil(context * (counted ? 0.05 : 0.2)) + 32;
  return Math.min(Math.floor(context * 0.6), limit + doubt);
}
