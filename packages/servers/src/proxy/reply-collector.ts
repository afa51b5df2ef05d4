/** @file Collects a server's responses, complete or streamed, into calls: one for each requested choice. */

import { fieldsOf, listOf, StreamedReply } from '@ludus-agents/agents/internal/models/openai.wire';
import { promptTokens, tokensIn } from '@ludus-agents/agents/internal/models/tokens';
import type { ModelCall } from '@ludus-agents/kernel/internal/core/index';
import type { ProxyRequest } from './wire.ts';

type Fields = Readonly<Record<string, unknown>>;

export class ReplyCollector {
  readonly #asked: ProxyRequest;
  readonly #model: string;
  readonly #replies = new Map<number, StreamedReply>();
  readonly #began = performance.now();

  constructor(proxyRequest: ProxyRequest, upstream: string) {
    this.#asked = proxyRequest;
    this.#model = `${upstream}#${proxyRequest.model}`;
  }

  /** Whether every choice has a finish reason. */
  get done(): boolean {
    return this.#replies.size > 0 && [...this.#replies.values()].every(({ done }) => done);
  }

  /** Adds a complete response, or one piece of a stream. */
  take(answer: Fields): void {
    const choices = listOf(answer['choices']).map(fieldsOf);
    for (const choice of choices) {
      const index = choice['index'] ?? 0;
      if (!Number.isSafeInteger(index) || (index as number) < 0 || (index as number) >= mostChoices)
        throw new Error(`the server numbered a choice ${JSON.stringify(index)}; choices are numbered from 0 to ${mostChoices - 1}`);
      checkTools(choice);
      const reply = this.#replies.get(index as number) ?? new StreamedReply();
      this.#replies.set(index as number, reply);
      const chat = this.#asked.kind === 'chat' ? choice : asChat(choice);
      reply.take({ ...answer, choices: [{ ...chat, index: 0 }] });
    }
    // The usage of a stream arrives in a separate piece, for all choices together.
    if (choices.length === 0) for (const reply of this.#replies.values()) reply.take(answer);
  }

  calls(): readonly ModelCall[] {
    const milliseconds = Math.round(performance.now() - this.#began);
    const replies = [...this.#replies].sort(([a], [b]) => a - b);
    return replies.map(([, reply], i) => ({ ...this.#call(reply, i > 0), milliseconds }));
  }

  #call(reply: StreamedReply, counted: boolean): ModelCall {
    const { prompt, notes: before } = this.#asked;
    const { toolCalls, tokens } = reply;
    const notes = [...before];
    if (typeof tokens === 'string') notes.push('The server returned no token ids with log-probabilities.');
    if (counted) notes.push('Its tokens are counted with the first choice.');
    else if (reply.usage === undefined) notes.push('The server counted no tokens, so the usage is an estimate.');
    const usage = reply.usage ?? { promptTokens: promptTokens(prompt), completionTokens: tokensIn(reply.words), estimated: true };
    return {
      model: this.#model,
      prompt,
      text: reply.words,
      ...(reply.thinking === '' ? {} : { thinking: reply.thinking }),
      finish: reply.finish,
      // A server counts all choices together.
      usage: counted ? { promptTokens: 0, completionTokens: 0 } : usage,
      cost: null,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(typeof tokens === 'string' ? {} : tokens),
      ...(notes.length === 0 ? {} : { notes }),
    };
  }
}

/** The maximum number of choices and tool calls per answer: they are stored by index, which the server chooses. */
const mostChoices = 128;
const mostTools = 1024;

function checkTools(choice: Fields): void {
  const message = fieldsOf(choice['delta'] ?? choice['message']);
  for (const call of listOf(message['tool_calls'])) {
    const index = fieldsOf(call)['index'] ?? 0;
    if (!Number.isSafeInteger(index) || (index as number) < 0 || (index as number) >= mostTools)
      throw new Error(`the server numbered a tool call ${JSON.stringify(index)}; they are numbered from 0 to ${mostTools - 1}`);
  }
}

/** A choice of a plain completion as one of a chat. */
function asChat(choice: Fields): Fields {
  const { tokens, token_logprobs: logprobs } = fieldsOf(choice['logprobs']);
  const content = listOf(tokens).map((token, i) => ({ token, logprob: listOf(logprobs)[i] }));
  return { ...choice, message: { content: choice['text'] }, logprobs: { content } };
}
