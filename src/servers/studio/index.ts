/** @file The studio's door: the page, and what it asks for. One line for each file of routes. */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import type { Place } from '../../company/stores.ts';
import type { Store } from '../../core/index.ts';
import type { Door } from '../app.ts';
import type { Scope } from '../guard.ts';
import { writePrivately } from '../tokens.ts';
import { boards } from './boards.ts';
import { create } from './create.ts';
import { fleet } from './fleet.ts';
import { home } from './home.ts';
import { improving } from './improving.ts';
import { Jobs } from './jobs.ts';
import { Live } from './live.ts';
import { models } from './models.ts';
import { dressed, pageRoutes } from './page.ts';
import { personas } from './personas.ts';
import { runs } from './runs.ts';
import { answers, seat } from './seat.ts';
import { stage } from './stage.ts';
import { training } from './training.ts';

/** What every file of routes is given. */
export interface Studio {
  readonly store: Store;
  /** The folder and the variables of whoever started the server. */
  readonly place: Place;
  /** Episodes that are played here, and work of many episodes. */
  readonly live: Live;
  readonly jobs: Jobs;
  /** Where the store is, for whoever works on it too; null for one that nobody else can open. */
  readonly where: string | null;
}

const routes: readonly (readonly [path: string, make: (studio: Studio) => Hono])[] = [
  ['/api', home],
  ['/api', seat],
  ['/api/episodes', stage],
  ['/api/episodes', answers],
  ['/api/personas', personas],
  ['/api/create', create],
  ['/api/models', models],
  ['/api/runs', runs],
  ['/api/boards', boards],
  ['/api/training', training],
  ['/api/improving', improving],
  ['/api/fleet', fleet],
];

export interface StudioOptions extends Pick<Studio, 'store' | 'place'> {
  /** The token that the server asks for; the page gets it as a cookie. */
  readonly token: string;
  /** Where the store is, if others may share it. */
  readonly where?: string;
}

/** Opens the door, and goes on with the episodes that an earlier server had to leave open. */
export async function studioDoor({ token, store, place, where }: StudioOptions): Promise<Door> {
  const studio: Studio = { store, place, live: new Live(store, place), jobs: new Jobs(), where: where ?? null };
  await studio.live.takeUp();
  const app = new Hono();
  app.use(dressed);
  for (const [path, make] of routes) app.route(path, make(studio));
  app.route('/', pageRoutes(token));
  const close = async () => {
    await Promise.all([studio.live.close(), studio.jobs.close()]);
  };
  // The page itself holds nothing. What it shows is read, and whatever it does is the owner's to do.
  const needs = (path: string, method: string): readonly Scope[] | null => {
    const reads = method === 'GET' || method === 'HEAD';
    if (!path.startsWith('/api/')) return reads ? null : ['admin'];
    return reads ? ['read'] : ['admin'];
  };
  return { path: '/', app, guarded: true, needs, close };
}

/** The token of this folder: made once and kept for its owner's eyes, so that a page that is open survives a restart of its server. */
export function tokenIn({ cwd, env }: Place): string {
  const given = env['LUDUS_TOKEN'] ?? '';
  if (given !== '') return given;
  const file = join(cwd, '.ludus', 'studio.token');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (/^[\w-]{20,}$/.test(kept)) return kept;
  const made = randomBytes(18).toString('base64url');
  try {
    writePrivately(file, `${made}\n`);
  } catch {
    // A folder that can only be read: the token lives as long as this server.
  }
  return made;
}
