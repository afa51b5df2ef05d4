/**
 * @file Scores given answers by an in-process model: each is read after the prompt as if the model had written it, and the
 * log-probabilities of its tokens and of the end of the turn are summed. Without the end, "bet" would always beat "bet five".
 */

/** A token, and the requested scores of the next one. */
type Asked = readonly [number, { readonly generateNext: Readonly<Record<string, unknown>> }];

interface NextToken {
  readonly next: { readonly logits?: ReadonlyMap<number, number>; readonly totalLogitWeight?: number };
}

/** The part of a node-llama-cpp 3 sequence that is used here. */
export interface ScoredSequence {
  readonly contextTokens?: readonly number[];
  adaptStateToTokens?(tokens: readonly number[], allowShift?: boolean): Promise<void>;
  controlledEvaluate?(input: readonly (number | Asked)[]): Promise<readonly (NextToken | undefined)[]>;
}

interface Scoring {
  /** Tokens of the prompt up to the start of the answer. */
  readonly before: readonly number[];
  readonly answers: readonly (readonly number[])[];
  /** The token that ends a turn, if the model has one. */
  readonly end: number | null;
  readonly signal: AbortSignal;
}

export async function scoreTexts(sequence: ScoredSequence, { before, answers, end, signal }: Scoring): Promise<readonly number[]> {
  if (sequence.controlledEvaluate === undefined || sequence.adaptStateToTokens === undefined || before.length === 0)
    throw new TypeError('This version of node-llama-cpp cannot score answers. Install version 3.22 or later.');
  const out: number[] = [];
  for (const answer of answers) {
    signal.throwIfAborted();
    const written = end === null ? answer : [...answer, end];
    // The last token of the prompt is read again each time, because it predicts the next one.
    await sequence.adaptStateToTokens(before.slice(0, -1), false);
    const retainedCount = Math.min(sequence.contextTokens?.length ?? 0, before.length - 1);
    const unread = before.slice(retainedCount, -1);
    const scoredTokens = [before.at(-1) as number, ...written.slice(0, -1)].map(
      (token, i): Asked => [token, { generateNext: about(written[i]!) }],
    );
    const results = await sequence.controlledEvaluate([...unread, ...scoredTokens]);
    out.push(written.reduce((sum, token, i) => sum + logprobOf(results[unread.length + i], token), 0));
  }
  return out;
}

/** The logit of one token, the largest one, and the sum of all of them. */
function about(token: number): Readonly<Record<string, unknown>> {
  return { logits: { filter: { tokens: [token], includeTop: 1 } }, totalLogitWeight: true };
}

function logprobOf(result: NextToken | undefined, token: number): number {
  const { logits, totalLogitWeight } = result?.next ?? {};
  const logit = logits?.get(token);
  if (logits === undefined || logit === undefined || totalLogitWeight === undefined)
    throw new TypeError('This version of node-llama-cpp returned no logits for an answer. Install version 3.22 or later.');
  return logit - Math.max(...logits.values()) - Math.log(totalLogitWeight);
}
