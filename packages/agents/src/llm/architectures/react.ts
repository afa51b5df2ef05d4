/**
 * @file ReAct (Yao et al. 2023): think, use a tool, read the result, and repeat until there is an answer.
 *
 * Models with native tool calls use them; others write a line "Tool: NAME {arguments}". A turn without tools costs one call. After the last
 * step allowed, the model is asked again, without tools.
 *
 * In long turns old results can be removed from the prompt while all text of the model stays (the sliding window of DeepMiner, arXiv
 * 2510.08276).
 */

import type { ChatMessage, Json, ModelCall, Prompt, ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { parseJson } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { ToolRecord } from '../../tools/tool.ts';
import { openToolContext } from '../../tools/tool-context.ts';
import { readAnswer } from '../answer.ts';
import { toolMessage, toolText } from '../prompt.ts';
import type { Architecture } from './architecture.ts';

export const react: Architecture = {
  manner:
    'Before you answer you may use tools, as often as needed. If you cannot call them directly, write one line and nothing after it: Tool: NAME {"argument": "value"}',

  async play({ prompt, model, sampling, form, tools: all, toolContext, toolState, encoder, steps, signal }) {
    const tools = all === null ? null : await openToolContext(all, lastWords(prompt), toolContext, { before: toolState, encoder });
    const calls: ModelCall[] = [];
    const uses: ToolRecord[] = [];
    const turns: Step[] = [];
    let removed = 0;
    for (let step = 0; ; step++) {
      const open = tools !== null && step < steps;
      const messages = [...prompt.messages, ...turns.flatMap(({ wrote, results }) => [wrote, ...results])];
      // A schema for the answer would forbid the line that calls a tool.
      const { schema, ...free } = sampling;
      const { tools: _, ...bare } = prompt;
      const offered = open ? (tools?.specs() ?? []) : [];
      const chatRequest = offered.length === 0 ? { ...bare, messages } : { ...bare, messages, tools: offered };
      const call = await model.complete(chatRequest, open ? free : schema === undefined ? free : { ...free, schema }, signal);
      calls.push(call);
      const wanted = tools === null || !open ? [] : toolCallsIn(call, step);
      if (tools === null || wanted.length === 0)
        return {
          answer: readAnswer(call.text, form),
          calls,
          uses,
          toolState: tools?.state(),
          ...(toolContext.window !== undefined && { removedResults: removed }),
        };
      const native = (call.toolCalls?.length ?? 0) > 0;
      const results: ChatMessage[] = [];
      for (const toolCall of wanted) {
        const use = await tools.use(toolCall, signal);
        uses.push(use);
        const display = await tools.shown(use);
        results.push(native ? toolMessage(toolCall.id, toolCall.name, display) : toolText(toolCall.name, display));
      }
      turns.push({ wrote: { role: 'assistant', content: call.text, ...(native ? { toolCalls: wanted } : {}) }, results });
      removed += removeOldResults(turns, toolContext.window);
    }
  },
};

/** What the model wrote, and the results of the tools that it called. */
interface Step {
  readonly wrote: ChatMessage;
  results: readonly ChatMessage[];
  isRemoved?: true;
}

const removedText = 'This result was removed to make room. Call the tool again if you need it.';

/**
 * Removes old results once there are more than the window allows, and returns their number. Half of the window is removed at a time,
 * because each change of earlier messages invalidates the prefix cache of servers.
 */
function removeOldResults(turns: readonly Step[], window: number | undefined): number {
  const whole = turns.filter(({ isRemoved }) => isRemoved !== true);
  if (window === undefined || whole.length <= window) return 0;
  const old = whole.slice(0, whole.length - Math.ceil(window / 2));
  for (const step of old) {
    step.results = step.results.map((message) => ({ ...message, content: removedText }));
    step.isRemoved = true;
  }
  return old.length;
}

/** The instructions at the end of a turn, which explain the tools. */
function lastWords({ messages }: Prompt): string {
  return String(messages.findLast(({ role }) => role === 'user')?.content ?? '').slice(-2000);
}

/** The tool calls in a model's answer, native or as a line of text. */
function toolCallsIn(call: ModelCall, step: number): readonly ToolCall[] {
  if (call.toolCalls !== undefined && call.toolCalls.length > 0) return call.toolCalls;
  const [, name, written] = linear(/^[ \t*]*Tool:[ \t*]*([\w.-]+)[ \t]*(\{[\s\S]*\})?\s*$/m).exec(call.text) ?? [];
  if (name === undefined) return [];
  let input: Json = {};
  try {
    input = parseJson(written ?? '{}');
  } catch {
    input = written ?? '';
  }
  return [{ id: `text-${step}`, name, arguments: input }];
}
