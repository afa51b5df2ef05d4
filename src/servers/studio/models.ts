/** @file Routes of the models page: what can be reached, one question to test it, prices, the budget, and keys that go in and never out. */

import { Hono } from 'hono';
import { keepKey, keyStates } from '../../company/keys.ts';
import { Fault, withBudget } from '../../core/index.ts';
import { modelKinds, reachable } from '../../models/index.ts';
import { priceDate, priceSource, prices } from '../../models/prices.ts';
import { bodyOf, textIn } from './asked.ts';
import type { Studio } from './index.ts';
import { walletOf } from './wallet.ts';
import type { ModelsShown } from './wire.ts';

export function models({ place }: Studio): Hono {
  const app = new Hono();
  const wallet = walletOf(place);
  const money = () => ({ spent: wallet.spent, budget: wallet.allowance });
  app.get('/', (call) => {
    const shown: ModelsShown = { kinds: modelKinds, keys: keyStates(place), prices, priceDate, priceSource, ...money() };
    return call.json(shown);
  });
  app.get('/reach', async (call) => call.json(await reachable(undefined, { env: place.env, signal: call.req.raw.signal })));
  app.post('/test', async (call) => {
    const name = textIn(await bodyOf(call), 'name');
    const [found] = await withBudget(wallet.purse, () => reachable([name], { env: place.env, signal: call.req.raw.signal }));
    return call.json(found ?? null);
  });
  app.put('/budget', async (call) => {
    wallet.allow(await bodyOf(call));
    return call.json(money());
  });
  app.put('/keys/:name', async (call) => {
    const { key } = await bodyOf(call);
    // What is wrong with a key is said without a piece of it.
    if (typeof key !== 'string') throw new Fault('input', 'A key is a text, but something else came.');
    keepKey(place, call.req.param('name'), key.trim());
    return call.json(keyStates(place));
  });
  app.delete('/keys/:name', (call) => {
    keepKey(place, call.req.param('name'), null);
    return call.json(keyStates(place));
  });
  return app;
}
