/** @file Reads tool calls from OpenTelemetry spans (OTLP as JSON), by current and earlier names of the conventions for generative AI. */

import { type Json, type JsonObject, parseJson, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

export interface SpanCall {
  /** The conversation that the span names. */
  readonly session?: string;
  readonly call: ToolCall;
}

export function callsInSpans(body: Json): SpanCall[] {
  const spans = listIn(body, 'resourceSpans').flatMap((jsonObject) =>
    listIn(jsonObject, 'scopeSpans').flatMap((scope) => listIn(scope, 'spans')),
  );
  const begun = (span: JsonObject) => BigInt(/^\d+$/.test(String(span['startTimeUnixNano'])) ? String(span['startTimeUnixNano']) : 0);
  const ordered = [...spans].sort((a, b) => (begun(a) < begun(b) ? -1 : begun(a) > begun(b) ? 1 : 0));
  return ordered.flatMap((span) => {
    const facts = attributesOf(span);
    const isTool = facts['gen_ai.operation.name'] === 'execute_tool' || /^execute_tool /.test(String(span['name'] ?? ''));
    const failed = isObject(span['status']) && [2, 'STATUS_CODE_ERROR'].includes(span['status']['code'] as number | string);
    if (!isTool || failed) return [];
    const name = String(facts['gen_ai.tool.name'] ?? String(span['name'] ?? '').replace(/^execute_tool /, ''));
    const session = facts['gen_ai.conversation.id'] ?? facts['session.id'];
    const id = String(facts['gen_ai.tool.call.id'] ?? span['spanId'] ?? '');
    const args = readArguments(facts['gen_ai.tool.call.arguments'] ?? {});
    return [{ ...(typeof session === 'string' ? { session } : {}), call: { id, name, arguments: args } }];
  });
}

/** Arguments may be an object, or a text that contains one. */
function readArguments(input: Json): Json {
  if (typeof input !== 'string') return input;
  try {
    return parseJson(input) as Json;
  } catch {
    return input;
  }
}

function listIn(value: Json, key: string): readonly JsonObject[] {
  const attribute = isObject(value) ? value[key] : undefined;
  return Array.isArray(attribute) ? attribute.filter(isObject) : [];
}

function attributesOf(span: JsonObject): Record<string, Json> {
  return Object.fromEntries(listIn(span, 'attributes').map((jsonObject) => [String(jsonObject['key']), readValue(jsonObject['value'])]));
}

function readValue(value: Json | undefined): Json {
  if (!isObject(value)) return null;
  if (isObject(value['kvlistValue'])) return attributesOf({ attributes: value['kvlistValue']['values'] ?? [] });
  if (isObject(value['arrayValue'])) return listIn(value['arrayValue'], 'values').map(readValue);
  if (value['intValue'] !== undefined) return Number(value['intValue']);
  return value['stringValue'] ?? value['doubleValue'] ?? value['boolValue'] ?? null;
}
