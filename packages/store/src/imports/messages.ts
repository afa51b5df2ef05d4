/** @file Lists of chat messages, as OpenAI writes them, read as lines of two seats: τ-bench files and training sets both contain them. */

import { Fault, type Json, type JsonObject, type ToolCall, type ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { brief, isObject } from '@ludus-agents/kernel/internal/core/json';
import { argumentsIn, objectsIn, type Transcript, type TranscriptLine, textIn } from './transcript.ts';

export const assistant = 'assistant';
export const user = 'user';

/**
 * Seats and lines of a list of messages. Where only the assistant acts, the user is still a seat, since the user's messages have an author.
 */
export function linesIn(value: Json | undefined, where: string): readonly TranscriptLine[] {
  return objectsIn(value, where).map((message, i) => lineOf(message, `message ${i + 1}`));
}

function lineOf(message: JsonObject, where: string): TranscriptLine {
  const text = textIn(message['content'], `The content of ${where}`);
  const { role, tool_call_id: id, name, requestor } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return { kind: 'told', to: [assistant], role: 'system', text };
    case 'user':
    case assistant: {
      const toolCalls = callsIn(message, where);
      const other = role === user ? assistant : user;
      // A tool call is addressed to the tool and not to the other seat, unless it comes with text.
      const to = toolCalls.length > 0 && text === '' ? [] : [other];
      return { kind: 'said', seat: role, to, text, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...weightIn(message) };
    }
    case 'tool':
    case 'function': {
      const call = typeof id === 'string' ? id : message['id'];
      return {
        kind: 'told',
        to: [requestor === user ? user : assistant],
        role: 'tool',
        text,
        ...(typeof call === 'string' ? { toolCallId: call } : {}),
        ...(typeof name === 'string' ? { name } : {}),
      };
    }
    default:
      throw new Fault('input', `The role of ${where} must be system, user, assistant or tool, but got ${brief(role)}.`);
  }
}

/** Training sets say by a weight of 0 which answers are read and not learned. */
export function weightIn({ weight }: JsonObject): { readonly weight?: 0 } {
  return weight === 0 ? { weight } : {};
}

/** Calls as OpenAI writes them, with a function inside, or flat as τ² does; the oldest files have a single one. */
function callsIn(message: JsonObject, where: string): readonly ToolCall[] {
  const old = message['function_call'];
  if (isObject(old)) return [callOf({ id: 'call_0', function: old }, where)];
  const calls = message['tool_calls'];
  return calls === null || calls === undefined ? [] : objectsIn(calls, `The tool calls of ${where}`).map((call) => callOf(call, where));
}

function callOf(call: JsonObject, where: string): ToolCall {
  const inner = isObject(call['function']) ? call['function'] : call;
  const { name, arguments: input } = inner;
  if (typeof name !== 'string') throw new Fault('input', `A tool call of ${where} has no name.`);
  return { id: typeof call['id'] === 'string' ? call['id'] : `call_${name}`, name, arguments: argumentsIn(input) };
}

/** Tools as servers take them, or bare. */
export function toolsIn(value: Json | undefined): readonly ToolSpec[] {
  const listed = typeof value === 'string' ? argumentsIn(value) : value;
  if (!Array.isArray(listed)) return [];
  return listed.filter(isObject).flatMap((jsonObject): readonly ToolSpec[] => {
    const { name, description, parameters } = isObject(jsonObject['function']) ? jsonObject['function'] : jsonObject;
    if (typeof name !== 'string') return [];
    return [{ name, description: typeof description === 'string' ? description : '', parameters: parameters ?? {} }];
  });
}

/** The common parts of every conversation between an assistant and a user. */
export function talk(lines: readonly TranscriptLine[], tools: readonly ToolSpec[]): Pick<Transcript, 'seats' | 'lines' | 'tools'> {
  return { seats: [assistant, user], lines, ...(tools.length === 0 ? {} : { tools }) };
}
