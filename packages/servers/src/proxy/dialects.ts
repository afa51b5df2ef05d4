/** @file Requests in dialects other than OpenAI's chat: responses, Anthropic's messages, and Gemini, converted to the record's format. */

import type { Dialect } from '@ludus-agents/agents/internal/models/dialects/dialect';
import { dialectPlaces } from '@ludus-agents/agents/internal/models/dialects/index';
import { argumentsIn, fieldsOf, listOf } from '@ludus-agents/agents/internal/models/openai.wire';
import type { ChatMessage, ImagePart, Json, Prompt, Sampling, ToolCall, ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { pictureIn, withPictures } from './pictures.ts';
import { type ProxyDialect, type ProxyRequest, Refused } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

const places: Readonly<Record<ProxyDialect, string>> = { messages: 'anthropic', responses: 'responses', gemini: 'google' };

/** How server responses of a dialect are parsed; also used by our own models. */
export function dialectOf(name: ProxyDialect): Promise<Dialect> {
  return dialectPlaces[places[name]]!.load();
}

/** Reads a request. Gemini has the model and streaming mode in its path, as in "gemini-3:streamGenerateContent". */
export function readDialect(dialect: ProxyDialect, body: Fields, called = ''): ProxyRequest {
  const colon = called.lastIndexOf(':');
  const [named, verb] = colon < 0 ? [called, ''] : [called.slice(0, colon), called.slice(colon + 1)];
  const model = dialect === 'gemini' ? named : body['model'];
  if (typeof model !== 'string' || model === '') throw new Refused(400, '"model" must be the name of a model.', { param: 'model' });
  if (dialect === 'gemini' && !/^(?:stream)?generateContent$/i.test(verb))
    throw new Refused(404, `Unknown method ":${verb.slice(0, 40)}". Available: :generateContent and :streamGenerateContent.`);
  const notes: string[] = [];
  const { messages, tools } = readers[dialect](body, notes);
  if (messages.every(({ role }) => role === 'system'))
    throw new Refused(400, `"${{ messages: 'messages', responses: 'input', gemini: 'contents' }[dialect]}" must contain a message.`);
  const prompt: Prompt = tools.length === 0 ? { messages } : { messages, tools };
  const streamed = dialect === 'gemini' ? verb.startsWith('stream') : body['stream'] === true;
  return { kind: 'chat', dialect, model, prompt, sampling: samplingOf(dialect, body), streamed, usage: true, body, notes };
}

interface Read {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
}

const readers: Readonly<Record<ProxyDialect, (body: Fields, notes: string[]) => Read>> = {
  messages: ({ system, messages, tools }, notes) => ({
    messages: [
      ...toMessages('system', system, notes),
      ...listOf(messages)
        .map(fieldsOf)
        .flatMap((item) => blocks(item, notes)),
    ],
    tools: listOf(tools)
      .map(fieldsOf)
      .map((item) => spec(item, item['input_schema'])),
  }),

  responses: ({ instructions, input, tools }, notes) => ({
    messages: [
      ...toMessages('system', instructions, notes),
      ...(typeof input === 'string'
        ? toMessages('user', input, notes)
        : listOf(input)
            .map(fieldsOf)
            .flatMap((entry) => item(entry, notes))),
    ],
    tools: listOf(tools)
      .map(fieldsOf)
      .filter(({ type }) => type === 'function')
      .map((item) => spec(item, item['parameters'])),
  }),

  gemini: ({ systemInstruction, contents, tools }, notes) => ({
    messages: [
      ...toMessages('system', fieldsOf(systemInstruction)['parts'], notes),
      ...listOf(contents)
        .map(fieldsOf)
        .flatMap((item) => parts(item, notes)),
    ],
    tools: listOf(tools)
      .flatMap((item) => listOf(fieldsOf(item)['functionDeclarations']))
      .map(fieldsOf)
      .map((item) => spec(item, item['parametersJsonSchema'] ?? item['parameters'])),
  }),
};

function spec({ name, description }: Fields, parameters: unknown): ToolSpec {
  return {
    name: String(name ?? ''),
    description: typeof description === 'string' ? description : '',
    parameters: (parameters ?? {}) as Json,
  };
}

/** A message with this text and these pictures; empty without both. */
function toMessages(role: ChatMessage['role'], content: unknown, notes: string[]): ChatMessage[] {
  const read = contentOf(content, notes);
  return read.content === '' && read.images === undefined ? [] : [{ role, ...read }];
}

/** The text and images of a string or of a list of parts. Reasoning and tool calls are handled elsewhere; other parts are not recorded. */
function contentOf(content: unknown, notes: string[]): Pick<ChatMessage, 'content' | 'images'> {
  if (typeof content === 'string') return { content };
  const images: ImagePart[] = [];
  const texts = listOf(content)
    .map(fieldsOf)
    .map((part) => {
      const { type, text, thought, inlineData, fileData } = part;
      if (typeof text === 'string') return thought === true ? '' : text;
      const image = pictureIn(part);
      if (image !== null) images.push(image);
      else if (inlineData !== undefined || fileData !== undefined) notes.push('A part that is a file is not in the record.');
      else if (typeof type === 'string' && !/^(?:thinking|redacted_thinking|reasoning|tool_use|tool_result)$/.test(type))
        notes.push(`A part of the type "${type}" is not in the record.`);
      return '';
    });
  return { content: texts.join(''), ...withPictures(images) };
}

/** An Anthropic turn: its text, tool calls, and tool results as separate messages. */
function blocks({ role, content }: Fields, notes: string[]): ChatMessage[] {
  if (role !== 'user' && role !== 'assistant')
    throw new Refused(400, '"messages[].role" must be user or assistant.', { param: 'messages' });
  const list = typeof content === 'string' ? [] : listOf(content).map(fieldsOf);
  const results = list
    .filter(({ type }) => type === 'tool_result')
    .map((item): ChatMessage => ({ role: 'tool', ...contentOf(item['content'], notes), toolCallId: String(item['tool_use_id'] ?? '') }));
  const calls = list
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }): ToolCall => ({ id: String(id ?? ''), name: String(name ?? ''), arguments: (input ?? {}) as Json }));
  return [...results, ...speechMessages(role, contentOf(content, notes), calls)];
}

function speechMessages(
  role: 'user' | 'assistant',
  read: Pick<ChatMessage, 'content' | 'images'>,
  calls: readonly ToolCall[],
): ChatMessage[] {
  if (read.content === '' && read.images === undefined && calls.length === 0) return [];
  return [{ role, ...read, ...(calls.length === 0 ? {} : { toolCalls: calls }) }];
}

/** An item of the OpenAI responses API. */
function item({ type = 'message', role, content, call_id: id, name, arguments: text, output }: Fields, notes: string[]): ChatMessage[] {
  if (type === 'function_call')
    return speechMessages('assistant', { content: '' }, [
      { id: String(id ?? ''), name: String(name ?? ''), arguments: argumentsIn(String(text ?? '')) },
    ]);
  if (type === 'function_call_output') return [{ role: 'tool', ...contentOf(output, notes), toolCallId: String(id ?? '') }];
  if (type === 'message') return toMessages(role === 'assistant' || role === 'user' ? role : 'system', content, notes);
  if (type !== 'reasoning') notes.push(`A part of the type ${JSON.stringify(type)} is not in the record.`);
  return [];
}

/** A Gemini turn. */
function parts({ role, parts: list }: Fields, notes: string[]): ChatMessage[] {
  const all = listOf(list).map(fieldsOf);
  const side = role === 'model' ? 'assistant' : 'user';
  const results = all.flatMap(({ functionResponse }): ChatMessage[] => {
    if (functionResponse === undefined) return [];
    const { id, name, response } = fieldsOf(functionResponse);
    return [{ role: 'tool', content: JSON.stringify(response ?? {}), toolCallId: String(id ?? name ?? '') }];
  });
  const calls = all.flatMap(({ functionCall }): ToolCall[] => {
    if (functionCall === undefined) return [];
    const { id, name, args } = fieldsOf(functionCall);
    return [{ id: String(id ?? name ?? ''), name: String(name ?? ''), arguments: (args ?? {}) as Json }];
  });
  return [...results, ...speechMessages(side, contentOf(all, notes), calls)];
}

function samplingOf(dialect: ProxyDialect, body: Fields): Sampling {
  const from = dialect === 'gemini' ? fieldsOf(body['generationConfig']) : body;
  const number = (...names: readonly string[]) => names.map((name) => from[name]).find((value) => typeof value === 'number');
  const stop = listOf(from['stop_sequences'] ?? from['stopSequences']).filter((item) => typeof item === 'string');
  const match = {
    maxTokens: number('max_tokens', 'max_output_tokens', 'maxOutputTokens'),
    temperature: number('temperature'),
    topP: number('top_p', 'topP'),
    seed: number('seed'),
    ...(stop.length === 0 ? {} : { stop }),
  };
  return Object.fromEntries(Object.entries(match).filter(([, value]) => value !== undefined)) as Sampling;
}
