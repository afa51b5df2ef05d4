/**
 * @file Episodes as OpenTelemetry spans under the conventions for generative AI, in the JSON form of OTLP.
 *
 * An episode is a trace: a workflow, in it an agent's span for each action, in that a span for each model call and each tool call. Logs
 * have no clocks: durations are those of the calls, times are laid end to end from the moment of the export, and the workflow has a note of
 * that. Ids are hashes, so sending twice creates the same trace.
 */

import type { ActionEvent, ChatMessage, Json, JsonObject, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/index';
import { type ExportEpisode, scoresOf } from './plays.ts';

/** How many spans go into one request. */
const most = 256;

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly path: readonly (string | number)[];
  readonly parent: readonly (string | number)[] | null;
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, Json>>;
  readonly events?: readonly JsonObject[];
}

/** The request bodies for an episode; `milliseconds` is the time at which it is reported to begin. */
export function* otelRequests(play: ExportEpisode, milliseconds: number, version: string): Generator<JsonObject, void, undefined> {
  const spans = spansOf(play, milliseconds).map((span) => wireSpan(span, play.record.id));
  for (let at = 0; at < spans.length; at += most)
    yield {
      resourceSpans: [
        {
          resource: { attributes: attributesOf({ 'service.name': 'ludus', 'service.version': version }) },
          scopeSpans: [{ scope: { name: 'ludus', version }, spans: spans.slice(at, at + most) }],
        },
      ],
    };
}

function spansOf(play: ExportEpisode, began: number): readonly Span[] {
  const { record, start, end, events, seats } = play;
  const inner: Span[] = [];
  let now = began;
  for (const [i, event] of events.entries()) {
    if (event.kind !== 'action' || !seats.includes(event.seat)) continue;
    const from = now;
    for (const [j, call] of (event.calls ?? []).entries()) {
      const to = now + (call.milliseconds ?? 1);
      inner.push(chatSpan(call, { path: [i, j], parent: [i], from: now, to, conversation: record.id }));
      for (const [k, tool] of (call.toolCalls ?? []).entries())
        inner.push({
          name: `execute_tool ${tool.name}`,
          kind: 1,
          path: [i, j, k],
          parent: [i],
          from: to,
          to,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': tool.name,
            'gen_ai.tool.call.id': tool.id,
            'gen_ai.tool.call.arguments': typeof tool.arguments === 'string' ? tool.arguments : JSON.stringify(tool.arguments),
          },
        });
      now = to;
    }
    if (now === from) now += 1;
    inner.push(
      agentSpan(event, {
        name: event.edited === true ? 'human' : (start.cast[event.seat] ?? event.seat),
        path: [i],
        from,
        to: now,
        episode: record.id,
      }),
    );
  }
  const attributes = {
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.conversation.id': record.id,
    'ludus.episode.id': record.id,
    'ludus.environment': record.environment,
    'ludus.seed': record.seed,
    'ludus.status': record.status,
    'ludus.clock': 'synthetic',
    ...(record.run === null ? {} : { 'ludus.run.id': record.run }),
    ...Object.fromEntries(seats.map((seat) => [`ludus.return.${seat}`, end?.returns[seat] ?? null])),
  };
  const name = `invoke_workflow ${record.environment}`;
  return [{ name, kind: 1, path: [], parent: null, from: began, to: now, attributes, events: judgements(play, now) }, ...inner];
}

function agentSpan(event: ActionEvent, of: { name: string; path: readonly number[]; from: number; to: number; episode: string }): Span {
  return {
    name: `invoke_agent ${of.name}`,
    kind: 1,
    path: of.path,
    parent: [],
    from: of.from,
    to: of.to,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': of.name,
      'gen_ai.conversation.id': of.episode,
      'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: event.action.text }] }]),
      'ludus.seat': event.seat,
      ...(event.edited === true ? { 'ludus.edited': true } : {}),
    },
  };
}

function chatSpan(call: ModelCall, of: Pick<Span, 'path' | 'parent' | 'from' | 'to'> & { readonly conversation: string }): Span {
  const { conversation, ...placed } = of;
  const { model, prompt, text, toolCalls = [], usage, finish } = call;
  const observation = { role: 'assistant', content: text, toolCalls } as const;
  return {
    name: `chat ${model}`,
    kind: 3,
    ...placed,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerOf(model),
      'gen_ai.request.model': model,
      'gen_ai.conversation.id': conversation,
      'gen_ai.usage.input_tokens': usage.promptTokens,
      'gen_ai.usage.output_tokens': usage.completionTokens,
      'gen_ai.response.finish_reasons': [finish],
      'gen_ai.input.messages': JSON.stringify(prompt.messages.map(partsOf)),
      'gen_ai.output.messages': JSON.stringify([{ ...partsOf(observation), finish_reason: finish }]),
    },
  };
}

/** The provider is the first part of a model's name; an address is its own provider. */
function providerOf(model: string): string {
  const host = /^https?:\/\/([^/]+)/.exec(model)?.[1];
  return host ?? model.split(/[/:]/, 1)[0]!;
}

function partsOf({ role, content, toolCalls = [], toolCallId }: ChatMessage): JsonObject {
  if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id: toolCallId ?? '', response: content }] };
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({ type: 'tool_call', id, name, arguments: input }));
  return { role, parts: [...(content === '' ? [] : [{ type: 'text', content }]), ...calls] };
}

function judgements(play: ExportEpisode, at: number): readonly JsonObject[] {
  return play.seats.flatMap((seat) =>
    Object.entries(scoresOf(play, seat)).flatMap(([name, value]) =>
      value === null
        ? []
        : [
            {
              name: 'gen_ai.evaluation.result',
              timeUnixNano: nanoseconds(at),
              attributes: attributesOf({ 'gen_ai.evaluation.name': name, 'gen_ai.evaluation.score.value': value, 'ludus.seat': seat }),
            },
          ],
    ),
  );
}

function wireSpan({ name, kind, path, parent, from, to, attributes, events = [] }: Span, episode: string): JsonObject {
  const id = (place: readonly (string | number)[]) => hash([episode, ...place]).slice(0, 16);
  return {
    traceId: hash([episode]).slice(0, 32),
    spanId: id(path),
    ...(parent === null ? {} : { parentSpanId: id(parent) }),
    name,
    kind,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(to),
    attributes: attributesOf(attributes),
    events,
    status: {},
  };
}

function nanoseconds(milliseconds: number): string {
  return `${BigInt(Math.round(milliseconds * 1000)) * 1000n}`;
}

function attributesOf(values: Readonly<Record<string, Json>>): readonly JsonObject[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: wireValue(value) }]));
}

function wireValue(value: Json): JsonObject {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(wireValue) } };
  return { stringValue: typeof value === 'string' ? value : JSON.stringify(value) };
}
