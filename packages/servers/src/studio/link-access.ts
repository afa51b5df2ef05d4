/**
 * @file The access of a read-only link: the few routes of the shared page, with exactly its parameters. All other routes,
 * including future ones, refuse links. Responses are stripped of data about other things in the studio.
 */

import type { Json, JsonObject, Store } from '@ludus-agents/kernel/internal/core/index';
import { comparisonId } from '@ludus-agents/store/internal/comments';
import { Hono, type Context as HonoCall, type Next } from 'hono';
import type { SharedPage } from '../access.ts';
import { callerOf } from '../app.ts';

type Redaction = (answer: JsonObject) => Json;
type Check = (shows: SharedPage, call: HonoCall) => boolean | Promise<boolean>;

/** Set on a call by routes that accept links; a unique key. */
const redaction = 'redaction of a link' as never;

/** Runs before all API routes. It has no effect on callers without a link. */
export function linkAccess(store: Store): Hono {
  const app = new Hono();
  const open = (path: string, check: Check, redact: Redaction = (answer) => answer) => {
    app.get(path, async (call, next) => {
      const { shows } = callerOf(call);
      if (shows !== undefined && call.req.method === 'GET' && hasPlainQuery(call) && (await check(shows, call)))
        call.set(redaction, redact as never);
      await next();
    });
  };
  const isRun: Check = (shows, call) => shows.of === 'run' && call.req.param('run') === shows.id;
  /** The shared episode, or one of the shared run, by its full id. */
  const isEpisode = async (shows: SharedPage, id: string | undefined) => {
    if (shows.of === 'comparison' || id === undefined) return false;
    return shows.of === 'episode' ? id === shows.id : (await store.episode(id))?.run === shows.id;
  };
  const hasEpisode: Check = (shows, call) => isEpisode(shows, call.req.param('id'));
  open('/api/runs/of/:run', isRun, withoutPlan);
  open('/api/runs/of/:run/report', isRun, (report) => ({ ...report, of: withoutPlan(report['of'] as JsonObject) }));
  open('/api/runs/episodes', isListOfRun, withoutMarks);
  open('/api/training/of/:run', isRun, (training) => ({ ...training, marks: {} }));
  open('/api/training/of/:run/policy', isRun);
  open('/api/runs/compare', isComparison(['a', 'b', 'run', 'score']));
  open('/api/runs/cases', isComparison(['before', 'after']));
  open('/api/comments/run/:run', isRun);
  open('/api/comments/episode/:id', hasEpisode);
  open('/api/comments/comparison/:id', (shows, call) => shows.of === 'comparison' && call.req.param('id') === comparisonId(shows));
  open('/api/episodes/:id', hasEpisode, aloneEpisode);
  open('/api/episodes/:id/stream', hasEpisode);
  open('/api/episodes/:id/events/:index{[0-9]+}', hasEpisode);
  app.use('/api/*', refuseOthers);
  return app;
}

async function refuseOthers(call: HonoCall, next: Next): Promise<Response | undefined> {
  if (callerOf(call).shows === undefined) {
    await next();
    return undefined;
  }
  const redact = call.get(redaction) as Redaction | undefined;
  if (redact === undefined) return call.json({ error: 'This link shows one page only, and this is not part of it.' }, 403);
  await next();
  if (call.res.status !== 200 || call.res.headers.get('content-type')?.startsWith('application/json') !== true) return undefined;
  const answer = redact((await call.res.json()) as JsonObject);
  call.res = new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
  return undefined;
}

/** A parameter that occurs twice could be checked in one place and read in another. */
function hasPlainQuery(call: HonoCall): boolean {
  return Object.values(call.req.queries()).every((values) => values.length === 1);
}

/** Numeric list filters; a search would read texts, and tags and stars are the owner's notes. */
const listParameters: ReadonlySet<string> = new Set([
  ...['run', 'environment', 'agent', 'status', 'sort', 'least', 'most', 'score', 'since', 'until'],
  ...['before', 'limit', 'token'],
]);

const isListOfRun: Check = (shows, call) => {
  const query = call.req.query();
  const isPlain = Object.entries(query).every(([name, value]) => listParameters.has(name) || value === '');
  return shows.of === 'run' && query['run'] === shows.id && isPlain;
};

/** The same sides, run, and metric as on the shared page. */
function isComparison(names: readonly string[]): Check {
  const fields = { a: 'a', b: 'b', run: 'run', score: 'score', before: 'a', after: 'b' } as const;
  return (shows, call) =>
    shows.of === 'comparison' && names.every((name) => (call.req.query(name) ?? '') === shows[fields[name as keyof typeof fields]]);
}

/** A plan names the owner's files, models and addresses. */
function withoutPlan(run: JsonObject): JsonObject {
  return { ...run, plan: { name: '', environments: [], seeds: [], casts: [] }, work: null, journals: {} };
}

function withoutMarks(page: JsonObject): JsonObject {
  const rows = page['rows'] as readonly JsonObject[];
  return { ...page, rows: rows.map((row) => ({ ...row, marks: {} })) };
}

/** Without its branches and origin, which are other episodes, without other data of the owner, and without pictures from files. */
function aloneEpisode(episode: JsonObject): JsonObject {
  const faces = Object.entries((episode['faces'] ?? {}) as Record<string, JsonObject>).map(([seat, { picture, ...face }]) => [
    seat,
    typeof picture === 'string' && picture.startsWith('data:image/') ? { ...face, picture } : face,
  ]);
  const alone = { fork: null, branches: [], castable: [], table: null, people: [], live: false, series: null, marks: {} };
  return { ...episode, ...alone, faces: Object.fromEntries(faces) as JsonObject };
}
