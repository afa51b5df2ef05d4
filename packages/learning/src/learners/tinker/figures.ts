/** @file The figures of a training pass. */

import type { JsonObject, TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { lossOf } from './datum.ts';
import type { PassOutputs } from './pass-outputs.ts';

/** The figures of a pass: the loss as defined here, and the server's sums as means over tokens. */
export function figuresOf(
  rows: readonly TokenRow[],
  { logprobs, metrics }: PassOutputs,
  { loss, settings }: { readonly loss: string; readonly settings: JsonObject },
): Readonly<Record<string, number>> {
  let [sum, tokens, mass] = [0, 0, 0];
  rows.forEach((row, i) => {
    sum += lossOf(row, loss, { logprobs: logprobs[i], settings });
    for (let at = 1; at < row.tokens.length; at++)
      if (row.mask[at] !== 0) {
        tokens++;
        mass += row.mask[at];
      }
  });
  const { 'kl:sum': kl, 'entropy:sum': entropy } = metrics;
  const pull = kl === undefined ? 0 : ((settings['kl'] ?? 0) as number) * kl;
  const means = kl === undefined || !settings['kl'] ? {} : { kl: kl / mass, entropy: (entropy ?? 0) / mass };
  return { loss: sum + pull, tokens, ...means };
}
