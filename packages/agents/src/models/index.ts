/**
 * @file Entry point of models: creates a model by its name, with the wrappers that every real model needs.
 *
 * From the server outward: priced, charged to the current budget (each request separately, retries included), limited (shared by all models
 * of one place), retried, cached if a folder is given, recorded if a sink is given. Folder and pace may come from the environment:
 * LUDUS_ANSWERS, LUDUS_CALLS_AT_ONCE, LUDUS_CALLS_PER_MINUTE, and LUDUS_TOKENS_PER_MINUTE.
 */

import type { Allowance, CallBudget, Model, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { asCharged, BudgetCounter, charged, currentBudget, Fault } from '@ludus-agents/kernel/internal/core/index';
import { cached } from './cached.ts';
import { kinds, type Making, parseModelName } from './kinds.ts';
import { limited, ModelRateLimit, type Pace } from './limited.ts';
import type { EnvVars } from './local.ts';
import { kindPrice, type Prices, priced, priceOf, readPrices } from './priced.ts';
import { prices } from './prices.ts';
import { recorded, type Sink } from './recorded.ts';
import { type RetryOptions, retried } from './retried.ts';
import { usualSampling } from './usual-settings.ts';

export { curatedModels, memoryOf } from './curated.ts';
export { pulledModel, pullModel } from './local.ts';
export { reachable } from './reachable.ts';
export { type ModelTest, testModel } from './test-model.ts';

export interface ModelsOptions extends Partial<Making> {
  /** Limits for all models together, or an existing budget. */
  readonly budget?: Allowance | CallBudget;
  /** For the models of each place; by default 16 concurrent calls. */
  readonly pace?: Pace;
  readonly retries?: RetryOptions;
  /** A folder for cached answers. */
  readonly cache?: string;
  /** Prices that take precedence over the built-in ones; LUDUS_PRICES can name a JSON file of them. */
  readonly prices?: Prices;
  readonly record?: Sink;
}

export type ModelOf = (name: string) => Promise<Model>;

/** Creates models by name that share their limits and their budget. The same name returns the same model. */
export function modelsWith(options: ModelsOptions = {}): ModelOf {
  const env = options.env ?? process.env;
  const purse = options.budget === undefined || 'reserve' in options.budget ? options.budget : new BudgetCounter(options.budget);
  const limits = new Map<string, ModelRateLimit>();
  const knownEntries = new Map<string, Promise<Model>>();

  async function make(name: string): Promise<Model> {
    const { place, kind, rest } = parseModelName(name);
    const bare = await kind.make(rest, { ...options, env });
    let model = bare;
    // The fake model has its own prices and failures, and needs no waiting.
    const text = kind.pricedAs === undefined ? name : `${kind.pricedAs}/${rest}`;
    if (place !== 'fake') model = priced(model, priceOf(text, await ownPrices()) ?? kindPrice(kind) ?? priceOf(text, prices));
    model = charged(model, purse);
    if (place !== 'fake') {
      const limit = limits.get(place) ?? new ModelRateLimit(options.pace ?? paceIn(env));
      limits.set(place, limit);
      model = limited(model, limit);
    }
    if (place !== 'fake' || options.retries !== undefined) model = retried(model, options.retries);
    const folder = options.cache ?? (place === 'fake' ? undefined : env['LUDUS_ANSWERS'] || undefined);
    if (folder !== undefined) model = cached(model, { folder, ...(options.warn ? { warn: options.warn } : {}) });
    // Applied outside the cache, so that cache keys include these settings.
    const usual = { ...(place === 'fake' ? {} : usualSampling(env)), ...kind.sampling };
    if (Object.keys(usual).length > 0) model = withSampling(model, usual);
    if (options.record !== undefined) model = recorded(model, options.record);
    const outer = model;
    return asCharged({
      ...outer,
      complete(prompt, sampling, signal, onText) {
        // A cached answer was paid for earlier, so it is not counted again.
        currentBudget()?.know(outer.id);
        return outer.complete(prompt, sampling, signal, onText);
      },
    });
  }

  const ownPrices = async (): Promise<Prices> => options.prices ?? (env['LUDUS_PRICES'] ? await readPrices(env['LUDUS_PRICES']) : {});

  return (name) => {
    const result = knownEntries.get(name) ?? make(name);
    knownEntries.set(name, result);
    // A failed creation may succeed later, e.g. after a server or package was missing.
    result.catch(() => knownEntries.delete(name));
    return result.then((model) => {
      currentBudget()?.admitModel?.(model);
      return model;
    });
  };
}

/** A model that applies these settings to calls without their own. */
function withSampling(model: Model, usual: Sampling): Model {
  return { ...model, usual, complete: (prompt, sampling, ...rest) => model.complete(prompt, { ...usual, ...sampling }, ...rest) };
}

/** The default if LUDUS_CALLS_AT_ONCE is not set. */
export const callsAtOnce = 16;

/** The pace from the environment variables. */
function paceIn(env: EnvVars): Pace {
  const read = (name: string) => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    if (!/^[1-9]\d*$/.test(text)) throw new Fault('input', `${name} must be a positive integer, but is "${text}".`);
    return Number(text);
  };
  const calls = read('LUDUS_CALLS_PER_MINUTE');
  const tokens = read('LUDUS_TOKENS_PER_MINUTE');
  return {
    concurrency: read('LUDUS_CALLS_AT_ONCE') ?? callsAtOnce,
    ...(calls !== undefined && { requestsPerMinute: calls }),
    ...(tokens !== undefined && { tokensPerMinute: tokens }),
  };
}

const common = modelsWith();

/** A model by name, e.g. "fake", "openai/gpt-5.4-mini", "http://localhost:8000/v1#policy" or "gguf:model.gguf". */
export function createModel(name: string, options?: ModelsOptions): Promise<Model> {
  return (options === undefined ? common : modelsWith(options))(name);
}

/** Every kind of model with its description, for lists and help. */
export const modelKinds: readonly { readonly kind: string; readonly about: string }[] = [
  ...Object.entries(kinds).map(([kind, { about }]) => ({ kind, about })),
  {
    kind: 'http://…/v1#MODEL',
    about:
      'any OpenAI-compatible server by its address; a key, if it needs one, by "ludus config keys set ORIGIN", or in LUDUS_API_KEY with LUDUS_API_URL',
  },
];
