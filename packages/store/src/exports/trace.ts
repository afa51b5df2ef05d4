/**
 * @file Token traces in the format of OpenEnv's training contract: the tokens read and written, with their log-probabilities.
 *
 * Only tokens returned by the inference engine itself are exported. A call without them is omitted and counted, because tokenizing it again
 * could give different ones.
 */

import type { ChatMessage, JsonObject, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { lines, originOf, wireMessage } from './format.ts';
import { answerOf, turnCalls } from './words.ts';

export const trace = lines(
  'OpenEnv training traces (schema 1), one seat of one episode per line: token IDs, log-probabilities, masks',
  [
    '`loss_mask` covers prompt and completion. It is 1 on the tokens that the seat’s model sampled, and 0 on all others and on masked turns.',
  ],
  function* (play, leave) {
    for (const seat of play.seats) {
      const turns: JsonObject[] = [];
      for (const [i, { call, turn: number }] of turnCalls(play.events, seat).entries()) {
        const turn = turnOf(call, `${seat}-${i}`, play.masked?.[seat]?.has(number) === true);
        if (turn === null) leave('calls without tokens or log-probabilities');
        else turns.push(turn);
      }
      if (turns.length > 0) yield { schema_version: 1, turns, metadata: originOf(play, seat) };
    }
  },
);

const finishes = { stop: 'stop', length: 'length', tool: 'tool_calls', refused: 'content_filter' } as const;

function turnOf(call: ModelCall, node: string, masked: boolean): JsonObject | null {
  const { promptTokenIds: prompt, tokenIds: tokens, logprobs, prompt: requestedPrompt, model, finish } = call;
  if (prompt === undefined || tokens === undefined || logprobs === undefined) return null;
  if (prompt.length === 0 || tokens.length === 0 || tokens.length !== logprobs.length) return null;
  const wire = (message: ChatMessage) => wireMessage(message, 'text');
  const tools = requestedPrompt.tools === undefined ? null : requestedPrompt.tools.map((tool) => ({ type: 'function', function: tool }));
  return {
    node_id: node,
    prompt_token_ids: prompt,
    completion_token_ids: tokens,
    per_token_logps: logprobs,
    loss_mask: [...prompt.map(() => 0), ...tokens.map(() => (masked ? 0 : 1))],
    request: { messages: requestedPrompt.messages.map(wire), tools },
    response: { choices: [{ message: wire(answerOf(call)), finish_reason: finishes[finish] }] },
    metadata: { model },
  };
}
