/**
 * @file Trajectories in the Agent Trajectory Interchange Format, version 1.7: one for each seat.
 *
 * Logs have no clocks, so steps have no timestamps. A tool's answer is an observation of the step that called it.
 */

import type { ChatMessage, JsonObject, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { argumentsOf, lines, originOf } from './format.ts';
import { type Chat, chatsOf } from './words.ts';

export const atif = lines(
  'ATIF 1.7 trajectories, one seat of one episode per line',
  [
    'Steps of source "agent" without `is_copied_context` were written by the seat in this episode and are to be learned. Masked turns have `is_copied_context`, too.',
  ],
  function* (play) {
    for (const seat of play.seats) {
      const chats = chatsOf(play, seat);
      for (const [i, chat] of chats.entries()) {
        const steps = stepsOf(chat);
        const model = chat.calls.find((call) => call !== null)?.model;
        const name = play.start.cast[seat] ?? seat;
        yield {
          schema_version: 'ATIF-v1.7',
          session_id: play.record.id,
          trajectory_id: `${play.record.id}:${seat}${chats.length === 1 ? '' : `:${i + 1}`}`,
          agent: { name, version: play.record.environment, ...(model === undefined ? {} : { model_name: model }) },
          steps,
          final_metrics: totals(chat, steps.length),
          extra: { ...originOf(play, seat), wording: chat.wording },
        };
      }
    }
  },
);

type Step = {
  readonly step_id: number;
  readonly source: 'system' | 'user' | 'agent';
  readonly message: string;
  readonly tool_calls?: readonly JsonObject[];
  observation?: { readonly results: JsonObject[] };
};

function stepsOf({ messages, mask, calls }: Chat): readonly JsonObject[] {
  const steps: Step[] = [];
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool' && addObservation(steps, message)) continue;
    const step = { step_id: steps.length + 1, source: sourceOf(message), message: message.content };
    if (message.role !== 'assistant') {
      steps.push(step);
      continue;
    }
    const results = (message.toolCalls ?? []).map((call) => {
      return { tool_call_id: call.id, function_name: call.name, arguments: argumentsOf(call) };
    });
    const call = calls[i] ?? null;
    steps.push({
      ...step,
      ...(call === null ? {} : { model_name: call.model }),
      ...(results.length === 0 ? {} : { tool_calls: results }),
      ...(call === null ? {} : { metrics: metricsOf(call) }),
      ...(mask[i] === 1 ? {} : { is_copied_context: true }),
    });
  }
  return steps;
}

function sourceOf({ role }: ChatMessage): Step['source'] {
  return role === 'assistant' ? 'agent' : role === 'system' ? 'system' : 'user';
}

/** Puts a tool's answer to the step that called it; false where none did. */
function addObservation(steps: readonly Step[], { content, toolCallId }: ChatMessage): boolean {
  const caller = steps.findLast(({ tool_calls: jsonObjects = [] }) => jsonObjects.some((call) => call['tool_call_id'] === toolCallId));
  if (caller === undefined) return false;
  caller.observation ??= { results: [] };
  caller.observation.results.push({ source_call_id: toolCallId as string, content });
  return true;
}

function metricsOf({ usage, cost, promptTokenIds, tokenIds, logprobs }: ModelCall): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    ...(usage.cachedTokens === undefined ? {} : { cached_tokens: usage.cachedTokens }),
    ...(cost === null ? {} : { cost_usd: cost }),
    ...(promptTokenIds === undefined ? {} : { prompt_token_ids: promptTokenIds }),
    ...(tokenIds === undefined ? {} : { completion_token_ids: tokenIds }),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
}

function totals({ calls }: Chat, steps: number): JsonObject {
  const modelCalls = calls.filter((call) => call !== null);
  const sum = (pick: (call: ModelCall) => number) => modelCalls.reduce((total, call) => total + pick(call), 0);
  if (modelCalls.length === 0) return { total_steps: steps };
  const priced = modelCalls.every(({ cost }) => cost !== null);
  return {
    total_prompt_tokens: sum(({ usage }) => usage.promptTokens),
    total_completion_tokens: sum(({ usage }) => usage.completionTokens),
    ...(priced ? { total_cost_usd: sum(({ cost }) => cost as number) } : {}),
    total_steps: steps,
  };
}
