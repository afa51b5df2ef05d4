/**
 * @file The cost of calls through the proxy, and their budget: each call is reserved before it is sent and settled with the tokens that the
 * server counted, like calls of built-in models.
 */

import { fieldsOf } from '@ludus-agents/agents/internal/models/openai.wire';
import { costOf, type Prices, priceOf } from '@ludus-agents/agents/internal/models/priced';
import { prices as known } from '@ludus-agents/agents/internal/models/prices';
import type { CallBudget, ModelCall, ModelPrice, Reservation } from '@ludus-agents/kernel/internal/core/index';
import { BudgetFault, reserveCall, usualAnswer } from '@ludus-agents/kernel/internal/core/index';
import { type ProxyRequest, Refused } from './wire.ts';

export interface ProxyChargesOptions {
  /** The upstream server. */
  readonly url: string;
  /** Prices that override the known ones: by ADDRESS#MODEL, PROVIDER/MODEL, or MODEL. */
  readonly prices?: Prices | undefined;
  readonly budget?: CallBudget | undefined;
}

/** Providers by the host of their address, for the price list. */
const providers: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
  'api.x.ai': 'xai',
};

/** An admitted call, possibly with a limit imposed by the budget. */
export interface Admitted {
  readonly asked: ProxyRequest;
  readonly charge: Reservation;
}

const nothing: Reservation = { settle: () => {}, fail: () => {}, release: () => {} };

export class ProxyCharges {
  readonly #options: ProxyChargesOptions;

  constructor(options: ProxyChargesOptions) {
    this.#options = options;
  }

  /** Admits a call, or refuses it in the protocol's format. */
  async admit(proxyRequest: ProxyRequest, signal: AbortSignal): Promise<Admitted> {
    const { url, budget } = this.#options;
    if (budget === undefined) return { asked: proxyRequest, charge: nothing };
    const requestedProxyRequest =
      proxyRequest.sampling.maxTokens === undefined && (await budget.isBounded()) ? withLimit(proxyRequest, url) : proxyRequest;
    const written = answersWanted(requestedProxyRequest) * (requestedProxyRequest.sampling.maxTokens ?? usualAnswer);
    const most = { read: Buffer.byteLength(JSON.stringify(requestedProxyRequest.body)), written };
    const model = { id: `${url}#${requestedProxyRequest.model}`, price: this.#price(requestedProxyRequest.model) };
    try {
      return { asked: requestedProxyRequest, charge: once(await reserveCall(budget, model, most, signal)) };
    } catch (thrown) {
      throw thrown instanceof BudgetFault ? overBudget(thrown) : thrown;
    }
  }

  /** Calls with their cost. */
  priced(calls: readonly ModelCall[], { model }: ProxyRequest): readonly ModelCall[] {
    const price = this.#price(model);
    if (price === null) return calls;
    return calls.map((call) => ({ ...call, cost: costOf(call.usage, price) }));
  }

  #price(model: string): ModelPrice | null {
    const { url, prices = {} } = this.#options;
    const provider = providers[URL.parse(url)?.hostname ?? ''];
    const names = [`${url}#${model}`, ...(provider === undefined ? [] : [`${provider}/${model}`])];
    for (const name of [...names, model]) {
      const modelPrice = priceOf(name, prices);
      if (modelPrice !== null) return modelPrice;
    }
    // The known prices apply to the provider's own server: the same name elsewhere may cost something else.
    return provider === undefined ? null : priceOf(`${provider}/${model}`, known);
  }
}

/** A reservation whose first outcome counts: a counted answer may still fail to be written. */
function once(charge: Reservation): Reservation {
  let open = true;
  const first = (use: () => void) => {
    if (open) use();
    open = false;
  };
  return {
    settle: (call) => first(() => charge.settle(call)),
    fail: (thrown, cancelled) => first(() => charge.fail(thrown, cancelled)),
    release: () => first(() => charge.release()),
  };
}

/** An immediately refused call was not paid for, but is still a call. */
export function refusedCall({ model, prompt }: ProxyRequest): ModelCall {
  return { model, prompt, text: '', finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
}

export function overBudget(fault: BudgetFault): Refused {
  return new Refused(429, fault.message, { code: 'insufficient_quota', cause: fault });
}

/** A request with the limit in its dialect's field. */
function withLimit(proxyRequest: ProxyRequest, url: string): ProxyRequest {
  const { body, dialect, sampling, notes } = proxyRequest;
  const note = `The budget needs a limit, but the request has none, so the answer was limited to ${usualAnswer} tokens.`;
  const limited = { ...proxyRequest, sampling: { ...sampling, maxTokens: usualAnswer }, notes: [...notes, note] };
  if (dialect === 'gemini')
    return { ...limited, body: { ...body, generationConfig: { ...fieldsOf(body['generationConfig']), maxOutputTokens: usualAnswer } } };
  const isOpenai = URL.parse(url)?.hostname === 'api.openai.com' && proxyRequest.kind === 'chat';
  const field = dialect === 'responses' ? 'max_output_tokens' : isOpenai && dialect === undefined ? 'max_completion_tokens' : 'max_tokens';
  return { ...limited, body: { ...body, [field]: usualAnswer } };
}

/** The number of answers that a call requests. */
export function answersWanted({ body }: ProxyRequest): number {
  const { n, best_of: best, generationConfig } = body;
  return Math.max(1, ...[n, best, fieldsOf(generationConfig)['candidateCount']].map((item) => Number(item ?? 1) || 1));
}
