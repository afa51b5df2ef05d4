/** @file Routes of the leaderboards and trust cards: runs that rank agents, and the reliability of judges. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { judgeModel } from '@ludus-agents/evaluation/internal/judges';
import { judgeKind, rubricKind } from '@ludus-agents/evaluation/internal/kinds';
import { loadRubric } from '@ludus-agents/evaluation/internal/loaders';
import { examine } from '@ludus-agents/evaluation/internal/scoring/trust/index';
import { suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { readTrustCards, saveTrustCard } from '@ludus-agents/evaluation/internal/trust-cards';
import type { Kind, Store } from '@ludus-agents/kernel/internal/core/index';
import { Hono } from 'hono';
import { listKind } from '../../describe.ts';
import type { BoardLine, TrustRequest, TrustShown } from '../api.ts';
import { walletOf } from '../budget.ts';
import type { StudioContext } from '../context.ts';
import { countsOf } from '../episode-counts.ts';
import { reply } from '../request.ts';
import { trustBody } from '../requests.ts';

export function boards(studio: StudioContext) {
  const { store, place } = studio;
  return new Hono()
    .get('/', async (call) => reply(call, await lines(store, place.cwd)))
    .get('/trust', async (call) => reply(call, await trust(place.cwd)))
    .post('/trust', trustBody, async (call) => reply(call, await examineJudge(studio, call.req.valid('json'), call.req.raw.signal)));
}

/** Arenas and runs of suites: comparisons of agents. */
async function lines(store: Store, cwd: string): Promise<readonly BoardLine[]> {
  const boardLines: BoardLine[] = [];
  for (const { id, plan } of (await store.runs()).toReversed()) {
    const suite = await suiteBehind(id, undefined, { store, cwd, trust: Trust.request });
    if (suite === null && !id.startsWith('arena-')) continue;
    const tallies = await countsOf(store).of({ run: id });
    const episodes = tallies.reduce((sum, { count }) => sum + count, 0);
    const environment = plan.environments[0]?.environment ?? '';
    boardLines.push({
      run: id,
      kind: suite === null ? 'arena' : 'suite',
      title: suite?.name ?? environment,
      about: suite?.about ?? '',
      episodes,
    });
  }
  return boardLines;
}

async function trust(cwd: string): Promise<TrustShown> {
  const names = async (kind: Kind) => (await listKind(kind, cwd)).map(({ name }) => name);
  return { cards: readTrustCards(cwd), rubrics: await names(rubricKind), controls: await names(judgeKind) };
}

/** Tests a judge on planted cases and stores its card. Calls of a real judge are paid from the studio's budget. */
async function examineJudge({ place }: StudioContext, request: TrustRequest, gone: AbortSignal): Promise<TrustShown> {
  const { judge, second, twins } = request;
  const rubric = await loadRubric(request.rubric, place.cwd, Trust.request);
  const namedJudge = (name: string) => judgeModel(name, rubric, { cwd: place.cwd, trust: Trust.request, load: walletOf(place).modelOf });
  const card = await examine({
    rubric,
    judge: { model: await namedJudge(judge) },
    ...(twins === undefined ? {} : { twins }),
    signal: gone,
    ...(second === undefined ? {} : { second: await namedJudge(second) }),
  });
  saveTrustCard(place.cwd, card);
  return trust(place.cwd);
}
