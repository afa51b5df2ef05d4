/** @file The outputs of a training pass, which may have been split into several requests. */

import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';

export interface PassOutputs {
  /** The log-probabilities of the requested last targets of each row. */
  readonly logprobs: readonly ArrayLike<number>[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** `counts`: the number of targets of each row. For several requests, only sums can be combined. */
export function outputsIn(results: readonly JsonObject[], counts: readonly number[], id: string): PassOutputs {
  const logprobs = results.flatMap((result) =>
    (result['loss_fn_outputs'] as readonly JsonObject[]).map(({ logprobs }) => tensorData(logprobs)),
  );
  if (logprobs.length !== counts.length || logprobs.some((list, i) => list.length !== counts[i]))
    throw new Fault('model', `${id} did not return one log-probability per training token. Check the server.`);
  const metrics: Record<string, number> = {};
  for (const result of results)
    for (const [figure, value] of Object.entries(result['metrics'] as Readonly<Record<string, number>>))
      if (results.length === 1) metrics[figure] = value;
      else if (figure.endsWith(':sum')) metrics[figure] = (metrics[figure] ?? 0) + value;
  return { logprobs, metrics };
}

function tensorData(value: unknown): ArrayLike<number> {
  return ((value as JsonObject | undefined)?.['data'] ?? []) as readonly number[];
}
