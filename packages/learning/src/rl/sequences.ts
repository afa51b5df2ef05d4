/**
 * @file What a seat's model read and wrote in an episode, as training rows. Only what it wrote is under the mask.
 *
 * A prompt that begins with everything read and written before continues with the same row, so that a talk of many turns is trained in one
 * pass; any other prompt (a window has moved, something was summed up) begins a new one.
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

/** Calls of a seat's model in the order they were made; of one model only, where its name is given. */
export function callsOf(events: Iterable<EpisodeEvent>, seat: Seat, model?: string): readonly ModelCall[] {
  const calls: ModelCall[] = [];
  for (const event of events) {
    if (event.kind !== 'action' || event.seat !== seat) continue;
    for (const call of event.calls ?? []) if (model === undefined || call.model === model) calls.push(call);
  }
  return calls;
}

/** Whether a call has the tokens that were read and written. */
export function hasTokens({ promptTokenIds, tokenIds }: ModelCall): boolean {
  return promptTokenIds !== undefined && tokenIds !== undefined && promptTokenIds.length > 0 && tokenIds.length > 0;
}

/** Rows of calls, with the advantage of each call on all its tokens. Log-probabilities are there if every call has them. */
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
