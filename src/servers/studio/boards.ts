/** @file Routes of the leaderboards and trust cards: which runs rank agents, and how far each judge can be relied on. */

import { Hono } from 'hono';
import { keepCard, keptCards } from '../../company/cards.ts';
import { controlWords, judgeModel } from '../../company/judges.ts';
import { suiteBehind } from '../../company/suites.ts';
import type { JsonObject, Store } from '../../core/index.ts';
import { rubricNames } from '../../scoring/rubrics/index.ts';
import { examine } from '../../scoring/trust/index.ts';
import { loadRubric } from '../../workspace/loaders.ts';
import { bodyOf, textIn, textOr, wholeIn } from './asked.ts';
import { countsOf } from './counts.ts';
import type { Studio } from './index.ts';
import { walletOf } from './wallet.ts';
import type { BoardLine, TrustShown } from './wire.ts';

export function boards(studio: Studio): Hono {
  const { store, place } = studio;
  const app = new Hono();
  app.get('/', async (call) => call.json(await lines(store, place.cwd)));
  app.get('/trust', (call) => call.json(trust(place.cwd)));
  app.post('/trust', async (call) => call.json(await examined(studio, await bodyOf(call), call.req.raw.signal)));
  return app;
}

/** Arenas, and runs of suites: what was played to say who is better. */
async function lines(store: Store, cwd: string): Promise<readonly BoardLine[]> {
  const found: BoardLine[] = [];
  for (const { id, plan } of (await store.runs()).toReversed()) {
    const suite = await suiteBehind(id, undefined, cwd);
    if (suite === null && !id.startsWith('arena-')) continue;
    const tallies = await countsOf(store).of({ run: id });
    const episodes = tallies.reduce((sum, { count }) => sum + count, 0);
    const world = plan.environments[0]?.environment ?? '';
    found.push({ run: id, kind: suite === null ? 'arena' : 'suite', title: suite?.name ?? world, about: suite?.about ?? '', episodes });
  }
  return found;
}

function trust(cwd: string): TrustShown {
  return { cards: keptCards(cwd), rubrics: rubricNames, controls: controlWords };
}

/** Examines a judge on planted cases and keeps its card. A real judge is paid from the wallet. */
async function examined({ place }: Studio, body: JsonObject, gone: AbortSignal): Promise<TrustShown> {
  const rubric = await loadRubric(textIn(body, 'rubric'), place.cwd, 'folder');
  const named = (name: string) => (name.startsWith('fake:') ? judgeModel(name, rubric) : walletOf(place).modelOf(name));
  const second = textOr(body, 'second');
  const card = await examine({
    rubric,
    judge: { model: await named(textIn(body, 'judge')) },
    twins: wholeIn(body['twins'], 'twins', { from: 1, to: 500, otherwise: 60 }),
    signal: gone,
    ...(second === undefined ? {} : { second: await named(second) }),
  });
  keepCard(place.cwd, card);
  return trust(place.cwd);
}
