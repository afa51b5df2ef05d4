/**
 * @file Converts the input and output of a seat's model in an episode to training rows. Only its output is under the mask.
 *
 * A prompt that extends the previous input and output continues the same row, so a conversation of many turns is trained in one pass; any
 * other prompt (after a window moved or a summary was written) starts a new row.
 */

import { type EpisodeEvent, Fault, type ModelCall, type Seat, type TokenRow } from '@ludus-agents/kernel/internal/core/index';

/** A row as plain data. */
export interface Sequence extends TokenRow {
  readonly tokens: readonly number[];
  readonly mask: readonly number[];
  readonly advantages?: readonly number[];
  readonly logprobs?: readonly number[];
}

interface Growing {
  readonly tokens: number[];
  readonly mask: number[];
  readonly advantages: number[];
  readonly logprobs: number[];
}

/** Calls of a seat's model in order; of one model only, if its name is given. */
export function callsOf(events: Iterable<EpisodeEvent>, seat: Seat, model?: string): readonly ModelCall[] {
  const calls: ModelCall[] = [];
  for (const event of events) {
    if (event.kind !== 'action' || event.seat !== seat) continue;
    for (const call of event.calls ?? []) if (model === undefined || call.model === model) calls.push(call);
  }
  return calls;
}

/** Whether a call includes its input and output tokens. */
export function hasTokens({ promptTokenIds, tokenIds }: ModelCall): boolean {
  return promptTokenIds !== undefined && tokenIds !== undefined && promptTokenIds.length > 0 && tokenIds.length > 0;
}

/** Rows of calls, with each call's advantage on all its output tokens. They have log-probabilities if every call has them. */
export function sequencesOf(calls: readonly ModelCall[], advantages?: ArrayLike<number>): readonly Sequence[] {
  if (advantages !== undefined && advantages.length !== calls.length)
    throw new Fault('input', `There are ${calls.length} calls but ${advantages.length} advantages. Give one for each call.`);
  const certain = calls.every(({ logprobs }) => logprobs !== undefined);
  const rows: Growing[] = [];
  calls.forEach((call, i) => {
    const { prompt, tokens, logprobs } = tokensOf(call);
    let row = rows.at(-1);
    if (row === undefined || !extendsIt(prompt, row.tokens)) {
      row = { tokens: [], mask: [], advantages: [], logprobs: [] };
      rows.push(row);
    }
    for (const token of prompt.slice(row.tokens.length)) add(row, token, { mask: 0, advantage: 0, logprob: 0 });
    const advantage = advantages?.[i] ?? 0;
    tokens.forEach((token, at) => {
      add(row, token, { mask: 1, advantage, logprob: logprobs?.[at] ?? 0 });
    });
  });
  return rows.map((row) => ({
    tokens: row.tokens,
    mask: row.mask,
    ...(advantages === undefined ? {} : { advantages: row.advantages }),
    ...(certain ? { logprobs: row.logprobs } : {}),
  }));
}

function tokensOf(call: ModelCall): { prompt: readonly number[]; tokens: readonly number[]; logprobs: readonly number[] | undefined } {
  const { model, promptTokenIds: prompt = [], tokenIds: tokens = [], logprobs } = call;
  if (!hasTokens(call)) throw new Fault('input', `A call of ${model} has no token ids. Play with a model that returns them.`);
  if (logprobs !== undefined && logprobs.length !== tokens.length)
    throw new Fault('input', `A call of ${model} has ${tokens.length} tokens but ${logprobs.length} log-probabilities. Leave it out.`);
  return { prompt, tokens, logprobs };
}

function extendsIt(prompt: readonly number[], before: readonly number[]): boolean {
  return before.length <= prompt.length && before.every((token, i) => token === prompt[i]);
}

function add(row: Growing, token: number, { mask, advantage, logprob }: { mask: 0 | 1; advantage: number; logprob: number }): void {
  row.tokens.push(token);
  row.mask.push(mask);
  row.advantages.push(advantage);
  row.logprobs.push(logprob);
}
