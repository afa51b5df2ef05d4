/** @file Converts between a player's text and the fields, tools, and observations of an OpenEnv server. */

import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject, plainText } from '@ludus-agents/kernel/internal/core/json';
import { below, type OpenEnvConnection } from './line.ts';

/** The format of a server's actions: one text, a tool call, or the server's own object. */
export type Form =
  | { readonly kind: 'text'; readonly field: string }
  | { readonly kind: 'tools'; readonly tools: readonly JsonObject[] }
  | { readonly kind: 'object'; readonly schema: JsonObject };

/** Asks a server for its action format. Without a reply, it gets a message. */
export async function formOf(connection: OpenEnvConnection, signal: AbortSignal): Promise<Form> {
  const schema = await actionSchema(connection.base, signal);
  const properties = objectOr(schema['properties']);
  if (Object.hasOwn(properties, 'tool_name')) {
    const { data } = await connection.ask({ type: 'step', data: { type: 'list_tools' } }, signal);
    const tools = objectOr(data['observation'])['tools'];
    return { kind: 'tools', tools: Array.isArray(tools) ? tools.map(objectOr) : [] };
  }
  const fields = Object.keys(properties).filter((name) => name !== 'metadata');
  const required = Array.isArray(schema['required']) ? schema['required'] : fields;
  const [only, another] = required.length > 0 ? required : fields;
  if (fields.length === 0) return { kind: 'text', field: 'message' };
  if (only !== undefined && another === undefined && objectOr(properties[only])['type'] === 'string') return { kind: 'text', field: only };
  return { kind: 'object', schema };
}

async function actionSchema(base: URL, signal: AbortSignal): Promise<JsonObject> {
  const url = below(base, '/schema');
  const headers: Record<string, string> = {};
  if (url.password !== '') headers['authorization'] = `Bearer ${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]) });
    return response.ok ? objectOr(objectOr((await response.json()) as Json)['action']) : {};
  } catch {
    return {};
  }
}

/** Instructions for answering, shown to the player once; empty if plain text is enough. */
export function howTo(form: Form): string {
  if (form.kind === 'text') return '';
  if (form.kind === 'object') return `Answer with one JSON object that fits ${JSON.stringify(form.schema)}`;
  const lines = form.tools.map(({ name, description, input_schema, inputSchema }) => {
    const parameters = objectOr(objectOr(input_schema ?? inputSchema ?? {})['properties']);
    return `- ${plainText(name)}(${Object.keys(parameters).join(', ')}): ${plainText(description ?? '')}`;
  });
  return ['Answer by calling one tool, as JSON: {"tool": NAME, "arguments": {…}}. The tools:', ...lines].join('\n');
}

/** The action in a player's answer, or an error message. */
export function actionOf(
  { text, data }: { readonly text: string; readonly data?: Json | undefined },
  form: Form,
): { readonly action: JsonObject } | { readonly problem: string } {
  const jsonObject = isObject(data) ? data : form.kind === 'text' ? null : objectIn(text);
  if (form.kind === 'text') return { action: jsonObject ?? { [form.field]: text } };
  if (jsonObject === null)
    return { problem: form.kind === 'tools' ? 'Answer with JSON like {"tool": NAME, "arguments": {…}}.' : 'Answer with one JSON object.' };
  if (form.kind === 'object') return { action: jsonObject };
  const tool = jsonObject['tool'] ?? jsonObject['tool_name'] ?? jsonObject['name'];
  if (typeof tool !== 'string') return { problem: `Name a tool: ${form.tools.map(({ name }) => plainText(name)).join(', ')}.` };
  return { action: { type: 'call_tool', tool_name: tool, arguments: objectOr(jsonObject['arguments']) } };
}

/** An observation as text: its text field if it has one, else all of it. */
export function textOfObservation(observation: JsonObject): string {
  const { messages, tool_name: tool, result, error } = observation;
  if (Array.isArray(messages) && messages.every((message) => typeof objectOr(message)['content'] === 'string'))
    return messages.map((message) => plainText(objectOr(message)['content'])).join('\n');
  if (tool !== undefined) {
    if (isObject(error)) return `${plainText(tool)} failed: ${plainText(error['message'])}`;
    const toolData = objectOr(result)['data'] ?? result ?? null;
    return typeof toolData === 'string' ? toolData : JSON.stringify(toolData);
  }
  const texts = Object.values(observation).filter((value) => value !== null && value !== '');
  return texts.length === 1 && typeof texts[0] === 'string' ? texts[0] : JSON.stringify(observation);
}

/** The outermost JSON object in a text, or null. */
function objectIn(text: string): JsonObject | null {
  try {
    const parsed = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Json;
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
