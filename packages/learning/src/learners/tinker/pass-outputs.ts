/** @file What a training pass gave, of which the server may have heard in several requests. */

import { Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';

export interface PassOutputs {
  /** Of the last targets of each row, as many as were asked for. */
  readonly logprobs: readonly ArrayLike<number>[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** `counts`: the targets of each row. Of several requests only sums can be told for all of them. */
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
