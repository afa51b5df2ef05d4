/**
 * @file Traces of running bots: OpenTelemetry spans with the GenAI names (as OTLP JSON), Langfuse traces, and ATIF trajectories.
 *
 * Spans and traces are pieces of a conversation; those of one conversation or session are put together in the order of their time. Where a
 * model call carries the whole conversation so far, the last one is read.
 */

import { type Json, type JsonObject, parseJson, type Score } from '@ludus-agents/kernel/internal/core/index';
import { isObject, plainText } from '@ludus-agents/kernel/internal/core/json';
import { assistant, linesIn, talk, toolsIn, user } from './messages.ts';
import { objectsIn, type TranscriptReader, textIn } from './transcript.ts';

// ── OpenTelemetry ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The conversations of an OTLP document, each as one item; null if it is not one. */
export function otelItems(document: JsonObject): readonly Json[] | null {
  if (!Array.isArray(document['resourceSpans'])) return null;
  const inner = (item: Json, key: string): readonly Json[] => (isObject(item) && Array.isArray(item[key]) ? item[key] : []);
  const spans = inner(document, 'resourceSpans').flatMap((resource) =>
    inner(resource, 'scopeSpans').flatMap((scope) => inner(scope, 'spans')),
  );
  const read = spans.filter(isObject).map((span) => ({
    trace: plainText(span['traceId'] ?? ''),
    start: plainText(span['startTimeUnixNano'] ?? '0').padStart(20, '0'),
    attributes: attributesIn(span['attributes']),
    error: errorIn(span),
  }));
  const chats = read.filter(
    ({ attributes }) => attributes['gen_ai.input.messages'] !== undefined || attributes['gen_ai.output.messages'] !== undefined,
  );
  const groups = Map.groupBy(chats, ({ attributes, trace }) => plainText(attributes['gen_ai.conversation.id'] ?? trace));
  return [...groups].map(([id, ownItems]) => {
    const error = ownItems.find((call) => call.error !== null)?.error ?? null;
    return {
      otel: id,
      calls: ownItems.sort((a, b) => (a.start < b.start ? -1 : 1)).map(({ attributes }) => attributes),
      ...(error === null ? {} : { error }),
    };
  });
}

/** The error of a span, by its status; null if it has none. */
function errorIn({ status }: JsonObject): string | null {
  if (!isObject(status) || (status['code'] !== 2 && status['code'] !== 'STATUS_CODE_ERROR')) return null;
  return plainText(status['message'] ?? '');
}

function attributesIn(input: Json | undefined): JsonObject {
  if (!Array.isArray(input)) return isObject(input) ? input : {};
  const entries = (input as readonly Json[])
    .filter(isObject)
    .map((jsonObject) => [plainText(jsonObject['key']), plainValue(jsonObject['value'] ?? null)] as const);
  return Object.fromEntries(entries);
}

/** A value as OTLP writes it: {"stringValue": …}, {"arrayValue": {"values": […]}}, {"kvlistValue": {"values": […]}}. */
function plainValue(value: Json): Json {
  if (!isObject(value)) return value;
  const { arrayValue, kvlistValue } = value;
  if (isObject(arrayValue)) return ((arrayValue['values'] ?? []) as readonly Json[]).map(plainValue);
  if (isObject(kvlistValue)) return attributesIn(kvlistValue['values']);
  return Object.values(value)[0] ?? null;
}

export const otel: TranscriptReader = {
  name: 'otel',
  fits: ({ otel: id, calls }) => typeof id === 'string' && Array.isArray(calls),
  read(item) {
    const calls = objectsIn(item['calls'], '"calls"');
    const whole = calls.at(-1) ?? {};
    const system = messagesIn([{ role: 'system', parts: decodeJson(whole['gen_ai.system_instructions']) ?? [] }]).filter(
      ({ content }) => content !== '',
    );
    const inputMessages = decodeJson(whole['gen_ai.input.messages']) ?? [];
    // A call that carries one message only is a turn; then the turns are put together.
    const turns = Array.isArray(inputMessages) && inputMessages.length > 1 ? [whole] : calls;
    const messages = turns.flatMap((call) => [
      ...messagesIn(decodeJson(call['gen_ai.input.messages'])),
      ...messagesIn(decodeJson(call['gen_ai.output.messages'])),
    ]);
    const model = whole['gen_ai.response.model'] ?? whole['gen_ai.request.model'];
    return {
      ...talk(linesIn([...system, ...messages], 'The messages of the spans'), toolsIn(decodeJson(whole['gen_ai.tool.definitions']))),
      cast: { [assistant]: typeof model === 'string' ? model : assistant, [user]: user },
      task: { id: item['otel'] ?? null },
      trial: 0,
      ...(typeof item['error'] === 'string' ? { scores: scoreRows([{ name: 'error', value: 0, comment: item['error'] }], 'otel') } : {}),
    };
  },
};

function decodeJson(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value) as Json;
  } catch {
    return [{ role: 'user', parts: [{ type: 'text', content: value }] }];
  }
}

/** Messages of parts as messages of OpenAI. A part of a tool's answer has "response" or, in older files, "result". */
function messagesIn(value: Json | undefined): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).filter(isObject).flatMap((message): readonly JsonObject[] => {
    const parts = (Array.isArray(message['parts']) ? message['parts'] : []).filter(isObject);
    const of = (type: string) => parts.filter((part) => part['type'] === type);
    const texts = [
      ...of('text').map((part) => textOf(part['content'])),
      ...(typeof message['content'] === 'string' ? [message['content']] : []),
    ];
    const answers = of('tool_call_response').map((part) => ({
      role: 'tool',
      tool_call_id: plainText(part['id'] ?? ''),
      content: textOf(part['response'] ?? part['result']),
    }));
    if (answers.length > 0) return answers;
    const calls = of('tool_call').map((part, i) => ({
      id: plainText(part['id'] ?? `call_${i}`),
      name: plainText(part['name'] ?? ''),
      arguments: part['arguments'] ?? {},
    }));
    return [{ role: message['role'] ?? 'user', content: texts.join('\n'), ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

// ── Langfuse ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function isTrace(item: Json): item is JsonObject {
  return (
    isObject(item) &&
    'input' in item &&
    'output' in item &&
    ('sessionId' in item || 'observations' in item || ('timestamp' in item && 'id' in item))
  );
}

/** Traces of a list, or of the API's response, by their sessions; null if there are none. */
export function langfuseItems(document: Json): readonly Json[] | null {
  const list = Array.isArray(document) ? document : isObject(document) ? document['data'] : undefined;
  if (!Array.isArray(list) || list.length === 0 || !(list as readonly Json[]).every(isTrace)) return null;
  const groups = Map.groupBy(list as readonly JsonObject[], ({ sessionId, id }) => plainText(sessionId ?? id));
  const time = (trace: JsonObject) => plainText(trace['timestamp'] ?? '');
  return [...groups].map(([id, traces]) => ({ langfuse: id, traces: traces.sort((a, b) => (time(a) < time(b) ? -1 : 1)) }));
}

export const langfuse: TranscriptReader = {
  name: 'langfuse',
  fits: (item) => (typeof item['langfuse'] === 'string' && Array.isArray(item['traces'])) || isTrace(item),
  read(item, index) {
    const traces = 'traces' in item ? objectsIn(item['traces'], '"traces"') : [item];
    const turns = traces.map((trace) => ({ heard: chatIn(trace['input'], user), said: chatIn(trace['output'], assistant) }));
    const last = turns.at(-1);
    const whole = last !== undefined && last.heard.length > 1 ? [last] : turns;
    return {
      ...talk(
        linesIn(
          whole.flatMap(({ heard, said }) => [...heard, ...said]),
          'The messages of the traces',
        ),
        [],
      ),
      cast: { [assistant]: assistant, [user]: user },
      task: { id: item['langfuse'] ?? item['sessionId'] ?? item['id'] ?? index },
      trial: 0,
      scores: traces.flatMap(scoresIn),
    };
  },
};

/** The scores of a trace, where they came with it and not as ids alone; yes and no are 1 and 0. A trace that ended in an error scores 0. */
function scoresIn(trace: JsonObject): readonly Score[] {
  const jsonObjects = Array.isArray(trace['scores']) ? trace['scores'].filter(isObject) : [];
  const observed = Array.isArray(trace['observations']) ? trace['observations'].filter(isObject) : [];
  const failed = observed.find((jsonObject) => jsonObject['level'] === 'ERROR');
  const all: readonly JsonObject[] = [
    ...jsonObjects,
    ...(failed === undefined ? [] : [{ name: 'error', value: 0, comment: failed['statusMessage'] ?? '' }]),
  ];
  return scoreRows(all, 'langfuse');
}

function scoreRows(all: readonly JsonObject[], from: string): readonly Score[] {
  return all.flatMap(({ name, value, comment, source }): readonly Score[] => {
    const number = value === true || value === false ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) return [];
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };
    const reason = typeof comment === 'string' && comment !== '' ? { reason: comment } : {};
    const provenance = { source: from, ...(typeof source === 'string' ? { judge: source } : {}) };
    return [
      { name: `${from}.${plainText(name)}`, value: number, status: 'ok', seat: assistant, evidence: [], cost, provenance, ...reason },
    ];
  });
}

/** The input or output of a trace in the shapes that occur: a text, a message, a list of messages, or an object that holds one of them. */
function chatIn(value: Json | undefined, role: string): readonly JsonObject[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value))
    return (value as readonly Json[]).every((item) => isObject(item) && 'role' in item)
      ? (value as readonly JsonObject[])
      : [{ role, content: JSON.stringify(value) }];
  if (!isObject(value)) return [{ role, content: plainText(value) }];
  if (typeof value['role'] === 'string') return [value];
  for (const key of ['messages', 'message', 'input', 'output', 'question', 'query', 'answer', 'response', 'text', 'content'])
    if (Object.hasOwn(value, key)) return chatIn(value[key], role);
  return [{ role, content: JSON.stringify(value) }];
}

// ── ATIF ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const atif: TranscriptReader = {
  name: 'atif',
  fits: ({ schema_version: version, steps }) => typeof version === 'string' && version.startsWith('ATIF') && Array.isArray(steps),
  read(item, index) {
    const messages = objectsIn(item['steps'], '"steps"').flatMap((step): readonly JsonObject[] => {
      const content = textIn(step['message'], 'The message of a step');
      if (step['source'] !== 'agent') return [{ role: step['source'] ?? 'user', content }];
      const calls = step['tool_calls'] === undefined ? [] : objectsIn(step['tool_calls'], '"tool_calls"');
      const tool_calls = calls.map((call) => ({
        id: plainText(call['tool_call_id'] ?? ''),
        name: plainText(call['function_name'] ?? ''),
        arguments: call['arguments'] ?? {},
      }));
      const observed = isObject(step['observation']) ? objectsIn(step['observation']['results'] ?? [], '"results"') : [];
      const answers = observed.map((jsonObject) => ({
        role: 'tool',
        tool_call_id: plainText(jsonObject['source_call_id'] ?? ''),
        content: textIn(jsonObject['content'], 'The content of a result'),
      }));
      return [{ role: 'assistant', content, ...(tool_calls.length === 0 ? {} : { tool_calls }) }, ...answers];
    });
    const agent = isObject(item['agent']) ? (item['agent']['model_name'] ?? item['agent']['name']) : undefined;
    return {
      ...talk(linesIn(messages, 'The steps'), []),
      cast: { [assistant]: typeof agent === 'string' ? agent : assistant, [user]: user },
      task: { id: item['session_id'] ?? item['trajectory_id'] ?? index },
      trial: 0,
    };
  },
};
