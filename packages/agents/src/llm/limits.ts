/** @file The default maximum length of an answer, by the type of the request. A model without a limit may generate for minutes. */

import type { Tokens } from '../mind/budget.ts';
import type { AnswerForm, ExtraField } from './answer.ts';

/** Tokens for each part of an answer: a few for a move in brackets, three sentences of talk, two of thought. */
const move = 16;
const talk = 150;
const labelled = 600;
const fields: Readonly<Record<ExtraField, number>> = { remember: 60, plan: 120, memo: 60 };
/** The most tokens for the thoughts of a reasoning model before its answer. */
export const thinking = 2048;

export interface AnswerAsked {
  readonly form: AnswerForm;
  readonly extras: readonly ExtraField[];
  /** The legal moves, if the answer is nothing but one of them. */
  readonly choices: readonly string[];
  /** The environment's schema for the move. */
  readonly schema: string | undefined;
  /** The most tokens of a memo. */
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

/** Context tokens reserved for the answer and for errors in counting tokens. */
export function answerReserve(limit: number, context: number, counted: boolean): number {
  const doubt = Math.ceil(context * (counted ? 0.05 : 0.2)) + 32;
  return Math.min(Math.floor(context * 0.6), limit + doubt);
}
