/** @file `serve.sites`: the tasks of the environment `sites` for real browsers, as routes for `serve`. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadContentFolder } from '@ludus-agents/agents/internal/workspace/content-folder';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { ContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import type { HttpRoutes } from '@ludus-agents/servers/internal/app';
import { siteRoutes } from '@ludus-agents/servers/internal/sites/routes';
import { readTaskPages, type TaskPages } from '@ludus-agents/servers/internal/sites/task-pages';
import { type CallOptions, type CallPlace, placeOf } from './refs.ts';

/** The options of `serve.sites`. */
export interface SitesRequest extends CallOptions {
  /** The task of the first session. */
  readonly task?: Json | undefined;
  readonly seed?: number | undefined;
  /** A content folder with your pages, or a folder with task pages in MiniWoB format. */
  readonly pages?: string | undefined;
  /** The maximum number of sessions. */
  readonly sessions?: number | undefined;
  /** Seconds after which an idle session ends. */
  readonly idle?: number | undefined;
}

/** Routes for `serve`, the path at which a browser enters the first session, and your playable pages. */
export interface ServedSites {
  readonly routes: HttpRoutes;
  readonly enter: string;
  readonly pages: TaskPages | null;
}

/** Opens a session of web tasks for a browser. You start the server: `serve({ routes: [routes] })` of `ludus-agents/servers`. */
export async function sites(request: SitesRequest = {}, place: CallPlace = placeOf(request)): Promise<ServedSites> {
  const { task = {}, seed = 1, sessions = 256, idle = 3600 } = request;
  const folder = request.pages === undefined ? null : resolve(place.cwd, request.pages);
  const isContent = folder !== null && existsSync(join(folder, 'world.json'));
  const world = isContent ? { world: await loadWorld(folder, place.cwd) } : {};
  const pages = folder === null || isContent ? null : readTaskPages(folder);
  const { door, open } = siteRoutes({ pages, ...world, most: sessions, idle: idle * 1000 });
  return { routes: door, enter: open({ task, seed }).enter, pages };
}

/** A content folder whose pages are served. */
async function loadWorld(folder: string, cwd: string): Promise<ContentEnvironment> {
  const world = await loadContentFolder(folder, { cwd, trust: Trust.commandLine });
  if (!world.id.startsWith('sites@'))
    throw new Fault('input', `${folder} is content for ${world.id}, which has no pages. Serve it with "ludus serve openenv".`);
  return world;
}
