/** @file Adds the cost to each call. An unknown price makes the cost null and adds a note: unknown is not free. */

import { readFile } from 'node:fs/promises';
import { Fault, type Model, type ModelPrice, modelFacts, type Usage } from '@ludus-agents/kernel/internal/core/index';

export type Price = ModelPrice;

export type Prices = Readonly<Record<string, Price>>;

export const free: Price = { prompt: 0, completion: 0 };

export function priced(model: Model, price: Price | null): Model {
  return {
    ...modelFacts(model),
    price,
    async complete(prompt, sampling, signal, onText) {
      const call = await model.complete(prompt, sampling, signal, onText);
      const cost = costOf(call.usage, price);
      if (cost !== null) return { ...call, cost };
      return {
        ...call,
        cost,
        notes: [...(call.notes ?? []), `The price of ${model.id} is not known, so neither is the cost of this call.`],
      };
    },
  };
}

/** The cost of this usage in US dollars, or null. */
export function costOf({ promptTokens, completionTokens, cachedTokens = 0 }: Usage, price: Price | null): number | null {
  if (price === null || promptTokens > (price.upTo ?? Infinity)) return null;
  const cachedCount = Math.min(cachedTokens, promptTokens);
  const fresh = promptTokens - cachedCount;
  return (fresh * price.prompt + cachedCount * (price.cached ?? price.prompt) + completionTokens * price.completion) / 1e6;
}

/** The price of a model by name; a date at the end of the name is ignored. */
export function priceOf(name: string, prices: Prices): Price | null {
  const plain = name.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '');
  for (const key of [name, plain]) if (Object.hasOwn(prices, key)) return prices[key]!;
  return null;
}

/** The price of a kind of model that no list contains: an endpoint's own price, or zero for models on this machine. */
export function kindPrice({ price, free: isFree }: { readonly price?: Price; readonly free?: boolean }): Price | null {
  return price ?? (isFree === true ? free : null);
}

/** Reads a user's own prices: a JSON object from model names to prices. */
export async function readPrices(path: string): Promise<Prices> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Fault('input', `The price file ${path} cannot be read.`, { code: 'E_UNREADABLE_FILE' });
  });
  let table: unknown;
  try {
    table = JSON.parse(text);
  } catch {
    throw new Fault('input', `The price file ${path} is not JSON.`);
  }
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new Fault('input', `The price file ${path} must contain an object such as {"openai/my-model":{"prompt":1,"completion":2}}.`);
  for (const [name, price] of Object.entries(table)) checkPrice(name, price, path);
  return table as Prices;
}

function checkPrice(name: string, price: unknown, path: string): void {
  const input = (typeof price === 'object' && price !== null ? price : {}) as Record<string, unknown>;
  for (const part of ['prompt', 'completion', 'cached', 'upTo']) {
    const value = input[part];
    if (value === undefined && (part === 'cached' || part === 'upTo')) continue;
    if (typeof value !== 'number' || !(value >= 0))
      throw new Fault(
        'input',
        `In ${path}, "${name}" needs "${part}" as dollars per million tokens (0 or more), but it is ${JSON.stringify(value)}.`,
      );
  }
}
