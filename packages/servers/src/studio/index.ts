/** @file The studio's server: the page, and its API. One line per route file. */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from '@ludus-agents/kernel/internal/core/index';
import { makeDataFolder } from '@ludus-agents/store/internal/folder-trust';
import { homeFolder, OwnMarks } from '@ludus-agents/store/internal/own-mark';
import { inFolder, type WorkingFolder } from '@ludus-agents/store/internal/stores';
import { Hono } from 'hono';
import type { AccessScope } from '../access.ts';
import type { HttpRoutes } from '../app.ts';
import { BrowserSessions } from '../browser-sessions.ts';
import { tokenHolder, tokensFile, writePrivately } from '../tokens.ts';
import { BackgroundJobs } from './background-jobs.ts';
import { walletOf } from './budget.ts';
import type { StudioContext } from './context.ts';
import { Conversations } from './conversations.ts';
import { linkAccess } from './link-access.ts';
import { LiveEpisodes } from './live-episodes.ts';
import { findRegression } from './regression.ts';
import { ReportDesk } from './report-desk.ts';
import { chats } from './routes/chats.ts';
import { create } from './routes/create.ts';
import { stage } from './routes/episodes.ts';
import { fleet } from './routes/fleet.ts';
import { home } from './routes/home.ts';
import { improving } from './routes/improvements.ts';
import { launch } from './routes/launch.ts';
import { boards } from './routes/leaderboards.ts';
import { models } from './routes/models.ts';
import { comments, jobs, marks, reviews } from './routes/notes.ts';
import { addSecurityHeaders, docsRoutes, pageRoutes, rotateSession } from './routes/page.ts';
import { personas } from './routes/personas.ts';
import { runs } from './routes/runs.ts';
import { answers, seat } from './routes/seats.ts';
import { share } from './routes/share.ts';
import { training } from './routes/trainings.ts';

/** Chained, so the type includes every route with its request and response. */
function apiRoutes(studio: StudioContext) {
  return new Hono()
    .route('/api', home(studio))
    .route('/api', seat(studio))
    .route('/api/episodes', stage(studio))
    .route('/api/episodes', answers(studio))
    .route('/api/personas', personas(studio))
    .route('/api/chats', chats(studio))
    .route('/api/create', create(studio))
    .route('/api/models', models(studio))
    .route('/api/runs', runs(studio))
    .route('/api/boards', boards(studio))
    .route('/api/training', training(studio))
    .route('/api/improving', improving(studio))
    .route('/api/launch', launch(studio))
    .route('/api/marks', marks(studio))
    .route('/api/comments', comments(studio))
    .route('/api/jobs', jobs(studio))
    .route('/api/share', share(studio))
    .route('/api/reviews', reviews(studio))
    .route('/api/fleet', fleet(studio));
}

/** Every route with its request and response. The page's calls are checked against it (packages/studio/src/requests.ts). */
export type StudioApi = ReturnType<typeof apiRoutes>;

export interface StudioOptions extends Pick<StudioContext, 'store' | 'place'> {
  /** The token that the server asks for; a browser exchanges it for a session. */
  readonly token: string;
  /** The location of the store, if others may share it. */
  readonly where?: string;
}

/** Routes of the studio's API and page. Resumes episodes that an earlier server left open. */
export async function studioRoutes({ token, store, place, where }: StudioOptions): Promise<HttpRoutes> {
  inFolder(store, place.cwd);
  const reports = new ReportDesk({ store, where: where ?? null, cwd: place.cwd });
  const live = new LiveEpisodes(store, place);
  const studio: StudioContext = {
    store,
    place,
    live,
    jobs: new BackgroundJobs(
      (run) => findRegression({ store, reports }, run),
      () => walletOf(place).purse,
      () => reports.forget(),
    ),
    chats: new Conversations(store, place),
    reports,
    where: where ?? null,
  };
  await studio.live.takeUp();
  const app = new Hono();
  const sessions = new BrowserSessions({ file: sessionsFile(place), holderOf: (id) => tokenHolder(tokensFile(place.cwd), id) });
  app.use(addSecurityHeaders);
  app.use(rotateSession(sessions));
  app.route('/', linkAccess(store));
  app.route('/', apiRoutes(studio));
  app.route('/', pageRoutes(token, sessions));
  app.route('/', docsRoutes());
  const close = async () => {
    sessions.close();
    studio.chats.close();
    await Promise.all([studio.live.close(), studio.jobs.close(), reports.close()]);
  };
  // The page itself contains no data. Reading and changing data require the owner's rights. Rights of links are in link-access.ts.
  const needs = (path: string, method: string): readonly AccessScope[] | null => {
    const reads = method === 'GET' || method === 'HEAD';
    if (!path.startsWith('/api/')) return reads ? null : ['admin'];
    return reads && !/^\/api\/share(\/|$)/.test(path) ? ['read', 'link'] : ['admin'];
  };
  return { path: '/', app, guarded: true, needs, sessions, close };
}

/** Sessions of this folder's studio in browsers, kept in the user's settings so that an open page survives a crash of its server. */
function sessionsFile(place: WorkingFolder): string {
  return join(homeFolder(place), 'studio-sessions', `${hash(place.cwd)}.json`);
}

/** The token of this folder: created once and readable only by its owner, so the studio's address stays the same. */
export function tokenIn({ cwd, env }: WorkingFolder): string {
  const text = env['LUDUS_TOKEN'] ?? '';
  if (text !== '') return text;
  const file = join(cwd, '.ludus', 'studio.token');
  const retainedText = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const marks = new OwnMarks({ cwd, env });
  const markFor = (token: string) => ['studio-token', existsSync(cwd) ? realpathSync(cwd) : cwd, hash(token)];
  // The author of a copied folder knows its token.
  if (/^[\w-]{20,}$/.test(retainedText) && marks.has(markFor(retainedText))) return retainedText;
  const result = randomBytes(18).toString('base64url');
  try {
    makeDataFolder({ cwd, env });
    writePrivately(file, `${result}\n`);
    marks.add(markFor(result));
  } catch {
    // The folder is read-only: the token lives as long as this server.
  }
  return result;
}
