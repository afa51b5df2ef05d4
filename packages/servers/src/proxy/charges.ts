/**
 * @file What calls through the proxy cost, and the budget they are made under: each is reserved before it goes on and settled with what the
 * server counted, as calls of our own models are.
 */

import { fieldsOf } from '@ludus-agents/agents/internal/models/openai.wire';
import { costOf, type Prices, priceOf } from '@ludus-agents/agents/internal/models/priced';
import { prices as known } from '@ludus-agents/agents/internal/models/prices';
import {
  BudgetFault,
  type CallBudget,
  type ModelCall,
  type ModelPrice,
  type Reservation,
  reserveCall,
  usualAnswer,
} from '@ludus-agents/kernel/internal/core/index';
import { type ProxyRequest, Refused } from './wire.ts';

export interface ProxyChargesOptions {
  /** The server behind the proxy. */
  readonly url: string;
  /** Prices that come before the ones known here: by ADDRESS#MODEL, PROVIDER/MODEL or MODEL. */
  readonly prices?: Prices | undefined;
  readonly budget?: CallBudget | undefined;
}

/** Providers by the host of their address, as prices are listed. */
const providers: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  'api.anthropic.com': 'anthropic',
  'generativelanguage.googleapis.com': 'google',
  'api.x.ai': 'xai',
};

/** A call that may go on, perhaps with a limit that the budget needs. */
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

  /** Lets a call begin, or refuses it in the words of the protocol. */
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
    // Prices known here are of their provider's own server: the same name elsewhere costs something else.
    return provider === undefined ? null : priceOf(`${provider}/${model}`, known);
  }
}

/** A reservation whose first outcome is the one that counts: an answer that was counted may still fail to be written. */
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

/** What a server refused at once was not paid for; it still was a call. */
export function refusedCall({ model, prompt }: ProxyRequest): ModelCall {
  return { model, prompt, text: '', finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
}

export function overBudget(fault: BudgetFault): Refused {
  return new Refused(429, fault.message, { code: 'insufficient_quota', cause: fault });
}

/** A request with the limit that its dialect has a field for. */
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

/** How many answers a call asks for at once. */
export function answersWanted({ body }: ProxyRequest): number {
  const { n, best_of: best, generationConfig } = body;
  return Math.max(1, ...[n, best, fieldsOf(generationConfig)['candidateCount']].map((item) => Number(item ?? 1) || 1));
}
