/** @file Routes of the models page: available models, a test question, prices, the budget, and keys, which are never sent back. */

import { modelKinds, reachable } from '@ludus-agents/agents/internal/models/index';
import { priceDate, priceSource, prices } from '@ludus-agents/agents/internal/models/prices';
import { runtimeStates } from '@ludus-agents/agents/internal/runtimes/runtime-states';
import { setupRuntime } from '@ludus-agents/agents/internal/runtimes/setup-runtime';
import { keyStates, saveKey } from '@ludus-agents/agents/internal/workspace/keys';
import { withBudget } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import type { ModelsShown } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { forgetEndpoint, reachFrom, saveEndpoint, useEndpoints } from '../endpoints.ts';
import { reply } from '../request.ts';
import { budgetBody, endpointBody, keyBody, modelBody } from '../requests.ts';

export function models({ place, store }: StudioContext) {
  const studioBudget = walletOf(place);
  const money = () => ({ spent: studioBudget.spent, budget: studioBudget.allowance });
  return new Hono()
    .get('/', (call) =>
      reply<ModelsShown>(call, {
        kinds: modelKinds,
        keys: keyStates(place),
        runtimes: runtimeStates(place.env),
        prices,
        priceDate,
        priceSource,
        ...money(),
      }),
    )
    .get('/reach', async (call) => reply(call, await reachFrom(place, store, call.req.raw.signal)))
    .post('/test', modelBody, async (call) => {
      const { name } = call.req.valid('json');
      useEndpoints(place);
      const [reach] = await withBudget(studioBudget.purse, () => reachable([name], { env: place.env, signal: call.req.raw.signal }));
      return reply(call, reach ?? null);
    })
    .post('/runtimes/:name', async (call) => {
      await setupRuntime(call.req.param('name'), { env: place.env, signal: call.req.raw.signal });
      return reply(call, runtimeStates(place.env));
    })
    .put('/endpoints/:name', endpointBody, (call) => {
      saveEndpoint(place, call.req.param('name'), call.req.valid('json'));
      return reply(call, {});
    })
    .delete('/endpoints/:name', (call) => {
      forgetEndpoint(place, call.req.param('name'));
      return reply(call, {});
    })
    .put('/budget', budgetBody, async (call) => {
      studioBudget.allow(call.req.valid('json'));
      return reply(call, money());
    })
    .put('/keys/:name', keyBody, async (call) => {
      saveKey(place, call.req.param('name'), call.req.valid('json').key.trim());
      return reply(call, keyStates(place));
    })
    .delete('/keys/:name', (call) => {
      saveKey(place, call.req.param('name'), null);
      return reply(call, keyStates(place));
    });
}
