/** @file `serve.sites`: the tasks of the environment `sites` for real browsers, as routes for `serve`. */

import { resolve } from 'node:path';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { HttpRoutes } from '@ludus-agents/servers/internal/app';
import { siteRoutes } from '@ludus-agents/servers/internal/sites/routes';
import { readTaskPages, type TaskPages } from '@ludus-agents/servers/internal/sites/task-pages';
import { type CallOptions, type CallPlace, placeOf } from './refs.ts';

/** What `serve.sites` takes. */
export interface SitesRequest extends CallOptions {
  /** The task of the first session. */
  readonly task?: Json | undefined;
  readonly seed?: number | undefined;
  /** A folder with your task pages. */
  readonly pages?: string | undefined;
  /** Sessions at once. */
  readonly sessions?: number | undefined;
  /** Seconds after which an idle session ends. */
  readonly idle?: number | undefined;
}

/** Routes for `serve`, the path at which a browser enters the first session, and which of your pages can be played. */
export interface ServedSites {
  readonly routes: HttpRoutes;
  readonly enter: string;
  readonly pages: TaskPages | null;
}

/** Opens a session of web tasks for a browser. The server is yours: `serve({ routes: [routes] })` of `ludus-agents/servers` starts one. */
export async function sites(request: SitesRequest = {}, place: CallPlace = placeOf(request)): Promise<ServedSites> {
  const { task = {}, seed = 1, sessions = 256, idle = 3600 } = request;
  const pages = request.pages === undefined ? null : readTaskPages(resolve(place.cwd, request.pages));
  const { door, open } = siteRoutes({ pages, most: sessions, idle: idle * 1000 });
  return { routes: door, enter: open({ task, seed }).enter, pages };
}
