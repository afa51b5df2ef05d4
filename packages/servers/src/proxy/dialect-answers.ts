/** @file Answers of built-in models in other dialects, complete or streamed, and server responses in these dialects as calls to record. */

import { randomBytes } from 'node:crypto';
import { type Dialect, type Heard, nothingHeard, toolCallsIn } from '@ludus-agents/agents/internal/models/dialects/dialect';
import { promptTokens, tokensIn } from '@ludus-agents/agents/internal/models/tokens';
import type { ModelCall } from '@ludus-agents/kernel/internal/core/index';
import type { ProxyDialect, ProxyRequest } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

const id = (kind: string) => `${kind}_${randomBytes(12).toString('hex')}`;

const stops = { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use', refused: 'refusal' } as const;
const finishes = { stop: 'STOP', length: 'MAX_TOKENS', tool: 'STOP', refused: 'SAFETY' } as const;

/** A call of a built-in model as the complete response. */
export const wholeIn: Readonly<Record<ProxyDialect, (proxyRequest: ProxyRequest, call: ModelCall) => Fields>> = {
  messages: ({ model }, { text, finish, usage }) => ({
    ...{ id: id('msg'), type: 'message', role: 'assistant', model, content: [{ type: 'text', text }] },
    ...{ stop_reason: stops[finish], stop_sequence: null },
    usage: { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens },
  }),

  responses({ model }, { text, finish, usage }) {
    const part = finish === 'refused' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
    const message = { type: 'message', id: id('msg'), status: 'completed', role: 'assistant', content: [part] };
    return {
      ...{ id: id('resp'), object: 'response', created_at: Math.floor(Date.now() / 1000), model, output: [message] },
      ...(finish === 'length'
        ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
        : { status: 'completed', incomplete_details: null }),
      usage: {
        ...{ input_tokens: usage.promptTokens, input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 } },
        ...{ output_tokens: usage.completionTokens, output_tokens_details: { reasoning_tokens: usage.thinkingTokens ?? 0 } },
        total_tokens: usage.promptTokens + usage.completionTokens,
      },
    };
  },

  gemini: ({ model }, { text, finish, usage }) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: finishes[finish] }],
    usageMetadata: {
      ...{ promptTokenCount: usage.promptTokens, candidatesTokenCount: usage.completionTokens - (usage.thinkingTokens ?? 0) },
      ...{ thoughtsTokenCount: usage.thinkingTokens ?? 0, totalTokenCount: usage.promptTokens + usage.completionTokens },
    },
    modelVersion: model,
  }),
};

/** The same as the text of an event stream. */
export function streamIn(dialect: ProxyDialect, proxyRequest: ProxyRequest, call: ModelCall): string {
  const whole = wholeIn[dialect](proxyRequest, call);
  if (dialect === 'gemini') return `data: ${JSON.stringify(whole)}\n\n`;
  return (dialect === 'messages' ? messageEvents(whole, call) : responseEvents(whole, call)).map(event).join('');
}

/** Clients use the name of an event as well as its type. */
function event(data: Fields): string {
  return `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
}

function messageEvents(whole: Fields, { text, finish, usage }: ModelCall): Fields[] {
  return [
    {
      type: 'message_start',
      message: { ...whole, content: [], stop_reason: null, usage: { input_tokens: usage.promptTokens, output_tokens: 0 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stops[finish], stop_sequence: null }, usage: { output_tokens: usage.completionTokens } },
    { type: 'message_stop' },
  ];
}

/** The client builds the answer from these: an item and its part are announced before text is added to them. */
function responseEvents(whole: Fields, { text, finish }: ModelCall): Fields[] {
  const [item] = whole['output'] as readonly { readonly id: string; readonly content: readonly [Fields] }[];
  const [part] = item!.content;
  const [kind, word] = finish === 'refused' ? ['refusal', 'refusal'] : ['output_text', 'text'];
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const output = { output_index: 0 };
  const place = { item_id: item!.id, ...output, content_index: 0 };
  const events: Fields[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', ...output, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, [word]: '' } },
    { type: `response.${kind}.delta`, ...place, delta: text },
    { type: `response.${kind}.done`, ...place, [word]: text },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', ...output, item },
    { type: finish === 'length' ? 'response.incomplete' : 'response.completed', response: whole },
  ];
  return events.map((event, i) => ({ ...event, sequence_number: i }));
}

/** Parses a server's response, complete or streamed, like our own models: thoughts are separate, refusals are answers. */
export class DialectCollector {
  readonly #asked: ProxyRequest;
  readonly #model: string;
  readonly #dialect: Dialect;
  readonly #heard: Heard = nothingHeard();
  readonly #began = performance.now();

  constructor(proxyRequest: ProxyRequest, upstream: string, dialect: Dialect) {
    this.#asked = proxyRequest;
    this.#model = `${upstream}#${proxyRequest.model}`;
    this.#dialect = dialect;
  }

  get done(): boolean {
    return this.#heard.done;
  }

  take(piece: Fields): void {
    this.#dialect.event(piece, this.#heard);
  }

  takeWhole(answer: Fields): void {
    this.#dialect.whole(answer, this.#heard);
  }

  calls(): readonly ModelCall[] {
    const { text: content, refusal, thinking, finish, usage } = this.#heard;
    const { prompt, notes: before } = this.#asked;
    const text = content === '' ? refusal : content;
    const toolCalls = toolCallsIn(this.#heard);
    const notes = [...before, ...(usage === undefined ? ['The server counted no tokens, so the usage is an estimate.'] : [])];
    return [
      {
        ...{ model: this.#model, prompt, text, cost: null },
        finish: refusal !== '' ? 'refused' : (finish ?? (toolCalls.length > 0 ? 'tool' : 'stop')),
        ...(thinking === '' ? {} : { thinking }),
        usage: usage ?? { promptTokens: promptTokens(prompt), completionTokens: tokensIn(text), estimated: true },
        milliseconds: Math.round(performance.now() - this.#began),
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
        ...(notes.length === 0 ? {} : { notes }),
      },
    ];
  }
}
