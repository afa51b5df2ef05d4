/** @file Parses requests of an OpenAI-compatible client, and writes errors in the expected format. */

import { fieldsOf, listOf } from '@ludus-agents/agents/internal/models/openai.wire';
import type { ChatMessage, ImagePart, Json, Prompt, Sampling, ToolCall, ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { Fault, JsonFault, parseJson } from '@ludus-agents/kernel/internal/core/index';
import { pictureIn, withPictures } from './pictures.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Dialects in addition to chat and plain completions. */
export type ProxyDialect = 'messages' | 'responses' | 'gemini';

/** A request, with its original body. */
export interface ProxyRequest {
  readonly kind: 'chat' | 'completion';
  /** The dialect, if it is not OpenAI's chat. */
  readonly dialect?: ProxyDialect;
  readonly model: string;
  readonly prompt: Prompt;
  readonly sampling: Sampling;
  readonly streamed: boolean;
  /** Whether the caller wants the usage at the end of its stream. */
  readonly usage: boolean;
  readonly body: Fields;
  /** The parts that the record cannot store. */
  readonly notes: readonly string[];
}

/** A refusal in the protocol's format. */
export class Refused extends Fault {
  readonly status: number;
  readonly param: string | null;

  constructor(status: number, message: string, why: { readonly code?: string; readonly param?: string; readonly cause?: unknown } = {}) {
    super('input', message, { ...(why.cause !== undefined && { cause: why.cause }), ...(why.code !== undefined && { code: why.code }) });
    this.status = status;
    this.param = why.param ?? null;
  }
}

/** The body of an error. */
export function errorBody(
  status: number,
  message: string,
  why: { readonly code?: string | undefined; readonly param?: string | null } = {},
) {
  const type = status >= 500 ? 'server_error' : status === 401 ? 'authentication_error' : 'invalid_request_error';
  return { error: { message, type, param: why.param ?? null, code: why.code ?? null } };
}

/** Parses a JSON body. */
export function readBody(text: string): Fields {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (thrown) {
    if (thrown instanceof JsonFault && thrown.reason !== 'syntax') throw new Refused(400, thrown.message, { code: 'invalid_json' });
    throw new Refused(400, `The body must be JSON, but starts with ${JSON.stringify(text.slice(0, 40))}.`, { code: 'invalid_json' });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong('body', 'an object', body);
  return body as Fields;
}

export function readAsked(kind: ProxyRequest['kind'], body: Fields): ProxyRequest {
  const { model, stream, stream_options: options } = body;
  if (typeof model !== 'string' || model === '') throw wrong('model', 'the name of a model', model);
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') throw wrong('stream', 'true or false', stream);
  const notes: string[] = [];
  const prompt = kind === 'chat' ? chatPrompt(body, notes) : textPrompt(body, notes);
  const usage = fieldsOf(options)['include_usage'] === true;
  return { kind, model, prompt, sampling: samplingOf(body), streamed: stream === true, usage, body, notes };
}

function chatPrompt({ messages, tools }: Fields, notes: string[]): Prompt {
  if (!Array.isArray(messages) || messages.length === 0) throw wrong('messages', 'a list of messages', messages);
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) throw wrong('tools', 'a list of tools', tools);
  const specs = listOf(tools).map((tool, i) => toolSpec(tool, `tools[${i}]`));
  const read = messages.map((message, i) => readMessage(message, `messages[${i}]`, notes));
  return specs.length === 0 ? { messages: read } : { messages: read, tools: specs };
}

const roles: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

/** A message in the log's format. Converting it back preserves its content. */
function readMessage(value: unknown, where: string, notes: string[] = []): ChatMessage {
  const message = fieldsOf(value);
  const { role: input, content, name, tool_call_id: id, tool_calls: calls } = message;
  const role = typeof input === 'string' && Object.hasOwn(roles, input) ? roles[input] : undefined;
  if (role === undefined) throw wrong(`${where}.role`, `one of ${Object.keys(roles).join(', ')}`, input);
  const empty = content === null || content === undefined;
  if (empty && role !== 'assistant') throw wrong(`${where}.content`, 'a string', content);
  if (!empty && typeof content !== 'string' && !Array.isArray(content))
    throw wrong(`${where}.content`, 'a string or a list of parts', content);
  const toolCalls = listOf(calls).map((call, i) => readCall(call, `${where}.tool_calls[${i}]`));
  return {
    role,
    ...(typeof content === 'string' ? { content } : contentOf(listOf(content), notes)),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof id === 'string' ? { toolCallId: id } : {}),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** Text parts as one text, and pictures. Audio, files, and linked pictures pass through the proxy, but are not recorded. */
function contentOf(parts: readonly unknown[], notes: string[]): Pick<ChatMessage, 'content' | 'images'> {
  const images: ImagePart[] = [];
  const texts = parts.map((part) => {
    const { type, text } = fieldsOf(part);
    if (typeof text === 'string') return text;
    const image = pictureIn(fieldsOf(part));
    if (image === null) notes.push(`A part of the type ${JSON.stringify(type ?? null)} is not in the record.`);
    else images.push(image);
    return '';
  });
  return { content: texts.join(''), ...withPictures(images) };
}

/** Arguments that would change when serialized again stay text. */
function readCall(value: unknown, where: string): ToolCall {
  const call = fieldsOf(value);
  const { name, arguments: text } = fieldsOf(call['function']);
  if (typeof name !== 'string') throw wrong(`${where}.function.name`, 'the name of a function', name);
  return {
    id: typeof call['id'] === 'string' ? call['id'] : '',
    name,
    arguments: typeof text === 'string' ? parseUnchanged(text) : ((text ?? {}) as Json),
  };
}

function parseUnchanged(text: string): Json {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && JSON.stringify(value) === text ? value : text;
  } catch {
    return text;
  }
}

function toolSpec(value: unknown, where: string): ToolSpec {
  const { name, description, parameters } = fieldsOf(fieldsOf(value)['function']);
  if (typeof name !== 'string') throw wrong(`${where}.function.name`, 'the name of a function', name);
  return { name, description: typeof description === 'string' ? description : '', parameters: (parameters ?? {}) as Json };
}

/** A plain completion takes one text, or tokens; it is recorded as one user message. */
function textPrompt({ prompt }: Fields, notes: string[]): Prompt {
  const tokens = Array.isArray(prompt) && prompt.length > 0 && prompt.every((item) => Number.isSafeInteger(item));
  const text =
    typeof prompt === 'string'
      ? prompt
      : Array.isArray(prompt) && prompt.length === 1 && typeof prompt[0] === 'string'
        ? prompt[0]
        : undefined;
  if (text === undefined && !tokens) throw wrong('prompt', 'one text, or a list of token ids', prompt);
  notes.push(
    tokens
      ? 'A plain completion of tokens: the prompt has no text.'
      : 'A plain completion: the prompt was this text alone, without a chat around it.',
  );
  return { messages: [{ role: 'user', content: text ?? '' }] };
}

function samplingOf(body: Fields): Sampling {
  const number = (name: string) => {
    const value = body[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(name, 'a number', value);
    return value;
  };
  const [maxTokens, temperature, topP, seed] = [
    number('max_completion_tokens') ?? number('max_tokens'),
    number('temperature'),
    number('top_p'),
    number('seed'),
  ];
  const stop = typeof body['stop'] === 'string' ? [body['stop']] : listOf(body['stop']).filter((item) => typeof item === 'string');
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(body['return_token_ids'] === true || (body['logprobs'] ?? false) !== false ? { tokens: true } : {}),
  };
}

function wrong(param: string, expected: string, came: unknown): Refused {
  const text = came === undefined ? 'is missing' : `got ${JSON.stringify(came).slice(0, 60)}`;
  return new Refused(400, `"${param}" must be ${expected}, but ${text}.`, { param });
}
