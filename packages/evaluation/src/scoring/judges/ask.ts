/**
 * @file Asks a judge: uses the cache where possible, asks again a bounded number of times where an answer cannot be read, and counts all
 * calls.
 */

import type { ChatMessage, Cost, Json, Model, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { BudgetFault, charged, hash, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { ParsedReply } from './reply.ts';
import type { ReplyForm } from './schema.ts';

/** Replies by the hash of everything they depend on. A Map fits; so does a table. */
export interface JudgeCache {
  get(key: string): Json | undefined | Promise<Json | undefined>;
  set(key: string, value: Json): unknown;
}

/** Hard stops for all that one judge spends. */
export interface JudgeBudget {
  readonly calls?: number;
  readonly money?: number;
}

/** The number of questions to a judge so far, and of unusable replies. */
export type Tally = {
  readonly replies: number;
  readonly unparsedReplies: number;
  /** Questions without a readable answer after all retries. */
  readonly unparsed: number;
  readonly failed: number;
  readonly cacheHits: number;
  readonly cost: Cost;
};

export const noCost: Cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

export function addCosts(costs: readonly Cost[]): Cost {
  return costs.reduce(
    (a, b) => ({
      calls: a.calls + b.calls,
      promptTokens: a.promptTokens + b.promptTokens,
      completionTokens: a.completionTokens + b.completionTokens,
      money: a.money === null || b.money === null ? null : a.money + b.money,
    }),
    noCost,
  );
}

/** The share of replies that could not be used; null before the first reply. */
export function parseFailureRate(tally: Tally): number | null {
  return tally.replies === 0 ? null : tally.unparsedReplies / tally.replies;
}

export interface DeskOptions {
  readonly model: Model;
  readonly cache?: JudgeCache | undefined;
  /** The number of times an unreadable reply is returned with its error. */
  readonly retries?: number | undefined;
  readonly sampling?: Sampling | undefined;
  /** The index of this answer among several independent ones to the same question: part of the cache key, and of the sampling seed. */
  readonly repeat?: number | undefined;
  readonly budget?: JudgeBudget | undefined;
}

export type JudgeAnswer<T> =
  | { readonly status: 'ok'; readonly value: T; readonly cost: Cost }
  | { readonly status: 'unparsed' | 'judge-failed' | 'over-budget'; readonly problem: string; readonly cost: Cost };

type Question = { readonly chat: readonly ChatMessage[]; readonly form: ReplyForm | undefined };
type Reply = { readonly text: string; readonly refused: boolean; readonly cost: Cost };

/** The default length of a verdict in tokens: a model without a limit may generate for minutes. */
function limitOf({ thinks }: Model, form: ReplyForm | undefined): number {
  return (form?.tokens ?? 1500) + (thinks === true ? 2048 : 0);
}

/** A limit that prompt and answer fit a small context with: servers refuse a call that asks for more, or cut it off in silence. */
async function withinContext(model: Model, chat: readonly ChatMessage[], limit: number): Promise<number> {
  const context = await model.context?.();
  if (context === undefined) return limit;
  // Without the model's tokenizer three characters a token is a count that real ones rarely pass.
  const used = chat.reduce((sum, { content }) => sum + 8 + (model.tokens?.(content) ?? Math.ceil(content.length / 3)), 16);
  return Math.max(64, Math.min(limit, context - used));
}

/** Does a server reject the request as it is? Then it may accept it without a schema. */
function isRefusal(thrown: unknown): boolean {
  const status = (thrown as { readonly status?: unknown } | null)?.status;
  return status === 400 || status === 422;
}

/** The interface to one judge: all questions pass through it and are counted. */
export class JudgeClient {
  readonly #options: DeskOptions;
  /** A server that rejected a schema is not sent another. */
  #takesSchemas = true;
  #tally: Tally = { replies: 0, unparsedReplies: 0, unparsed: 0, failed: 0, cacheHits: 0, cost: noCost };

  constructor(options: DeskOptions) {
    this.#options = { ...options, model: charged(options.model) };
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** Asks until an answer can be read. A `form` is sent along as a schema and as the limit of the answer. */
  async ask<T>(
    messages: readonly ChatMessage[],
    read: (text: string) => ParsedReply<T>,
    signal: AbortSignal,
    form?: ReplyForm,
  ): Promise<JudgeAnswer<T>> {
    const spent: Cost[] = [];
    let chat = messages;
    let wrong = '';
    for (let attempt = 0; attempt <= (this.#options.retries ?? 2); attempt++) {
      signal.throwIfAborted();
      let reply: Reply | null;
      try {
        reply = await this.#replyInForm({ chat, form }, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        // Nothing was asked, so the judge has not failed.
        if (thrown instanceof BudgetFault) return { status: 'over-budget', problem: thrown.message, cost: addCosts(spent) };
        this.#count({ failed: 1 });
        return { status: 'judge-failed', problem: sentenceOf(thrown), cost: addCosts(spent) };
      }
      if (reply === null) return { status: 'over-budget', problem: 'the budget of the judge is spent', cost: addCosts(spent) };
      spent.push(reply.cost);
      if (reply.refused) {
        this.#count({ failed: 1 });
        return { status: 'judge-failed', problem: 'the judge refused to answer', cost: addCosts(spent) };
      }
      const reading = read(reply.text);
      this.#count({ replies: 1, unparsedReplies: reading.ok ? 0 : 1 });
      if (reading.ok) return { status: 'ok', value: reading.value, cost: addCosts(spent) };
      wrong = reading.problem;
      chat = [
        ...messages,
        { role: 'assistant', content: reply.text.slice(0, 600) },
        { role: 'user', content: `That answer cannot be used: ${wrong}. Answer again, whole, in the form that was asked for.` },
      ];
    }
    this.#count({ unparsed: 1 });
    return { status: 'unparsed', problem: wrong, cost: addCosts(spent) };
  }

  /** A reply by the schema if the server supports it, otherwise by the task's text alone. */
  async #replyInForm(question: Question, signal: AbortSignal): Promise<Reply | null> {
    const isHeld = question.form !== undefined && this.#takesSchemas && this.#options.sampling?.schema === undefined;
    if (!isHeld) return this.#reply(question, { signal });
    try {
      return await this.#reply(question, { signal, schema: question.form.schema });
    } catch (thrown) {
      if (signal.aborted || !isRefusal(thrown)) throw thrown;
      const reply = await this.#reply(question, { signal });
      // The same request succeeded without it, so the schema was the cause.
      this.#takesSchemas = false;
      return reply;
    }
  }

  /** A reply from the cache or the model; null if the budget forbids a call. */
  async #reply({ chat: messages, form }: Question, { signal, schema }: { signal: AbortSignal; schema?: Json }): Promise<Reply | null> {
    const { model, cache, repeat = 0, budget } = this.#options;
    const selectedSampling = this.#options.sampling ?? {
      temperature: 0,
      ...(model.usual?.maxTokens === undefined ? { maxTokens: await withinContext(model, messages, limitOf(model, form)) } : {}),
    };
    const sampling: Sampling = schema === undefined ? selectedSampling : { ...selectedSampling, schema };
    const used: Sampling = repeat === 0 ? sampling : { ...sampling, seed: (sampling.seed ?? 0) + repeat };
    const key = cache === undefined ? '' : hash({ judge: model.id, messages, sampling: used, repeat });
    const saved = (await cache?.get(key)) as { readonly text: string; readonly refused: boolean } | undefined;
    if (saved !== undefined) {
      this.#count({ cacheHits: 1 });
      return { ...saved, cost: noCost };
    }
    const { calls, money } = this.#tally.cost;
    if (calls >= (budget?.calls ?? Infinity) || (budget?.money !== undefined && (money === null || money >= budget.money))) return null;
    // Counted before the answer arrives, so concurrent calls cannot exceed the limit together.
    this.#tally = { ...this.#tally, cost: addCosts([this.#tally.cost, { ...noCost, calls: 1 }]) };
    const call = await model.complete({ messages }, used, signal);
    const tokens = { promptTokens: call.usage.promptTokens, completionTokens: call.usage.completionTokens };
    this.#tally = { ...this.#tally, cost: addCosts([this.#tally.cost, { calls: 0, ...tokens, money: call.cost }]) };
    const reply = { text: call.text, refused: call.finish === 'refused' };
    await cache?.set(key, reply);
    return { ...reply, cost: { calls: 1, ...tokens, money: call.cost } };
  }

  #count(more: Partial<Record<'replies' | 'unparsedReplies' | 'unparsed' | 'failed' | 'cacheHits', number>>): void {
    const next = { ...this.#tally };
    for (const [name, by] of Object.entries(more) as [keyof typeof more, number][]) next[name] += by;
    this.#tally = next;
  }
}
