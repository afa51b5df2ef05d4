/**
 * @file Converts rows of tokens to the trainer's format: the input is the row without its last token, the targets are the row without its
 * first, and every value of a token is at the position where that token is the target.
 */

import { inputOf } from '@ludus-agents/agents/internal/models/tinker/sequences';
import { Fault, type JsonObject, type TokenRow } from '@ludus-agents/kernel/internal/core/index';

/** The losses over token rows, each with the settings that the server accepts. */
export const losses: Readonly<Record<string, readonly string[]>> = {
  cross_entropy: [],
  importance_sampling: [],
  ppo: ['clip_low_threshold', 'clip_high_threshold'],
  cispo: ['clip_low_threshold', 'clip_high_threshold'],
  dro: ['beta'],
};

/** Default bounds of the ratios, as on the server. */
const clips: Readonly<Record<string, { readonly low: number; readonly high: number }>> = {
  ppo: { low: 0.8, high: 1.2 },
  cispo: { low: 0, high: 4 },
};

/** Whether a row has any training data: one of the policy's own tokens after the first position. */
export function trains({ tokens, mask }: TokenRow): boolean {
  for (let i = 1; i < tokens.length; i++) if (mask[i] !== 0) return true;
  return false;
}

/** The number of leading targets without effect: those before the policy's first own token. */
export function skippedTargets({ tokens, mask }: TokenRow): number {
  let at = 1;
  while (at < tokens.length && mask[at] === 0) at++;
  return at - 1;
}

/**
 * Whether targets without an advantage or a weight can be left out of a loss: not for `dro`, which holds them to their old probabilities.
 */
export function skipsTargets(loss: string): boolean {
  return loss !== 'dro';
}

/**
 * `kl`: adds each token's weight in the divergence from the reference, for servers that compute whole distributions. `first`: the number of
 * leading targets left out, for servers that accept this; most of a row is input, which is not trained on.
 */
export function datumOf(row: TokenRow, loss: string, { kl = false, first = 0 }: { kl?: boolean; first?: number } = {}): JsonObject {
  const { tokens } = row;
  refuse(row);
  const from = first + 1;
  const data: Record<string, JsonObject> = { target_tokens: tensor(sliceList(tokens, from), 'int64') };
  if (loss === 'cross_entropy') data['weights'] = tensor(weightsOf(row, from), 'float32');
  else {
    const [advantages, logprobs] = [requireList(row, 'advantages', loss), requireList(row, 'logprobs', loss)];
    // The published losses have no mask: an advantage of 0 has no effect.
    data['advantages'] = tensor(maskList(row, advantages, { from, scaled: true }), 'float32');
    data['logprobs'] = tensor(maskList(row, logprobs, { from }), 'float32');
  }
  if (kl) data['kl_weights'] = tensor(maskList(row, row.mask, { from }), 'float32');
  return { model_input: inputOf(sliceList(tokens, 0, -1)), ...(first > 0 && { first }), loss_fn_inputs: data };
}

/** The loss of a row given the trainer's log-probabilities of its last targets: the sum whose gradient was computed. */
export function lossOf(row: TokenRow, loss: string, { logprobs, settings }: { logprobs: ArrayLike<number>; settings: JsonObject }): number {
  const low = (settings['clip_low_threshold'] ?? clips[loss]?.low ?? 0) as number;
  const high = (settings['clip_high_threshold'] ?? clips[loss]?.high ?? 0) as number;
  const beta = (settings['beta'] ?? 0.05) as number;
  const weights = weightsOf(row, 1);
  const skipped = weights.length - logprobs.length;
  let sum = 0;
  for (let i = 0; i < weights.length; i++) {
    if (row.mask[i + 1] === 0) continue;
    const now = logprobs[i - skipped];
    if (loss === 'cross_entropy') {
      sum -= weights[i] * now;
      continue;
    }
    const gap = now - requireList(row, 'logprobs', loss)[i + 1];
    const ratio = Math.exp(gap);
    const clipped = Math.min(high, Math.max(low, ratio));
    const advantage = row.mask[i + 1] * requireList(row, 'advantages', loss)[i + 1];
    if (loss === 'ppo') sum -= Math.min(ratio * advantage, clipped * advantage);
    else if (loss === 'cispo') sum -= clipped * now * advantage;
    else if (loss === 'dro') sum -= now * advantage - 0.5 * beta * gap * gap;
    else sum -= ratio * advantage;
  }
  return sum;
}

/** Splits a batch to limit the size of requests; gradients are sums, so the result is the same. */
export function chunkRows(
  rows: readonly TokenRow[],
  most: { readonly rows: number; readonly tokens: number },
): readonly (readonly TokenRow[])[] {
  const out: TokenRow[][] = [];
  let tokens = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const last = out.at(-1);
    if (last === undefined || last.length >= most.rows || tokens + row.tokens.length > most.tokens) {
      out.push([row]);
      tokens = row.tokens.length;
    } else {
      last.push(row);
      tokens += row.tokens.length;
    }
  }
  return out;
}

/**
 * Merges rows with the same tokens: masks add up, and weights are averaged under them. This is exact for losses that are linear in their
 * weights. `which` maps each row to its merged one.
 */
export function distinct(rows: readonly TokenRow[]): { readonly rows: readonly TokenRow[]; readonly which: readonly number[] } {
  const places = new Map<number, number[]>();
  const out: { tokens: ArrayLike<number>; mask: number[]; pull: number[] }[] = [];
  const which = rows.map(({ tokens, mask, weights }) => {
    const code = hashOf(tokens);
    const alike = places.get(code) ?? [];
    const place = alike.find((value) => areSame(out[value].tokens, tokens)) ?? out.length;
    if (place === out.length) {
      places.set(code, [...alike, place]);
      out.push({ tokens, mask: zeros(mask.length), pull: zeros(mask.length) });
    }
    const { mask: sums, pull } = out[place];
    for (let i = 0; i < tokens.length; i++) {
      if (mask[i] === 0) continue;
      sums[i] = sums[i] + mask[i];
      pull[i] = pull[i] + mask[i] * (weights === undefined ? 1 : weights[i]);
    }
    return place;
  });
  for (const { mask, pull } of out) for (let i = 0; i < pull.length; i++) if (mask[i] !== 0) pull[i] = pull[i] / mask[i];
  return { rows: out.map(({ tokens, mask, pull }) => ({ tokens, mask, weights: pull })), which };
}

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}

/** A hash of the tokens. */
function hashOf(tokens: ArrayLike<number>): number {
  let code = tokens.length;
  for (let i = 0; i < tokens.length; i++) code = Math.imul(code ^ tokens[i], 0x01000193);
  return code;
}

function areSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}

function sliceList(list: ArrayLike<number>, from: number, to?: number): number[] {
  return Array.prototype.slice.call(list, from, to) as number[];
}

/** The values of the unmasked tokens, multiplied by their masks if `scaled`; 0 for masked ones. */
function maskList({ mask }: TokenRow, list: ArrayLike<number>, { from, scaled = false }: { from: number; scaled?: boolean }): number[] {
  const out = zeros(list.length - from);
  for (let i = from; i < list.length; i++) if (mask[i] !== 0) out[i - from] = scaled ? mask[i] * list[i] : list[i];
  return out;
}

function weightsOf(row: TokenRow, from: number): number[] {
  return row.weights === undefined ? maskList(row, row.mask, { from }) : maskList(row, row.weights, { from, scaled: true });
}

function requireList(row: TokenRow, name: 'advantages' | 'logprobs', loss: string): ArrayLike<number> {
  const list = row[name];
  if (list === undefined) throw new Fault('input', `The loss "${loss}" needs ${name} in every row. Add them, or use "cross_entropy".`);
  return list;
}

/** Refuses a row whose lists differ in length. */
export function refuse(row: TokenRow): void {
  const { tokens } = row;
  for (const name of ['mask', 'weights', 'advantages', 'logprobs'] as const) {
    const list = row[name];
    if (list !== undefined && list.length !== tokens.length)
      throw new Fault('input', `A row has ${tokens.length} tokens but ${list.length} ${name}. Give one for each token.`);
  }
}

function tensor(data: readonly number[], dtype: 'int64' | 'float32'): JsonObject {
  for (let i = 0; i < data.length; i++)
    if (!Number.isFinite(data[i]))
      throw new Fault('input', `A row contains ${data[i]}, which cannot be used for training. Remove such rows.`);
  return { data, dtype, shape: [data.length] };
}
