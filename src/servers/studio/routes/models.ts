/** @file Routes of the models page: what can be reached, one question to test it, prices, the budget, and keys that go in and never out. */

import { Hono } from 'hono';
import { Fault, withBudget } from '../../../core/index.ts';
import { modelKinds, reachable } from '../../../models/index.ts';
import { priceDate, priceSource, prices } from '../../../models/prices.ts';
import { keyStates, saveKey } from '../../../workspace/keys.ts';
import type { ModelsShown } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { bodyOf, textIn } from '../request.ts';

export function models({ place }: StudioContext): Hono {
  const app = new Hono();
  const studioBudget = walletOf(place);
  const money = () => ({ spent: studioBudget.spent, budget: studioBudget.allowance });
  app.get('/', (call) => {
    const shown: ModelsShown = { kinds: modelKinds, keys: keyStates(place), prices, priceDate, priceSource, ...money() };
    return call.json(shown);
  });
  app.get('/reach', async (call) => call.json(await reachable(undefined, { env: place.env, signal: call.req.raw.signal })));
  app.post('/test', async (call) => {
    const name = textIn(await bodyOf(call), 'name');
    const [found] = await withBudget(studioBudget.purse, () => reachable([name], { env: place.env, signal: call.req.raw.signal }));
    return call.json(found ?? null);
  });
  app.put('/budget', async (call) => {
    studioBudget.allow(await bodyOf(call));
    return call.json(money());
  });
  app.put('/keys/:name', async (call) => {
    const { key } = await bodyOf(call);
    // What is wrong with a key is said without a piece of it.
    if (typeof key !== 'string') throw new Fault('input', 'A key is a text, but something else came.');
    saveKey(place, call.req.param('name'), key.trim());
    return call.json(keyStates(place));
  });
  app.delete('/keys/:name', (call) => {
    saveKey(place, call.req.param('name'), null);
    return call.json(keyStates(place));
  });
  return app;
}
