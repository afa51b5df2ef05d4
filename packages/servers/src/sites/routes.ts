/**
 * @file The sites over HTTP, for real browsers. A program with a token opens a session for a task and gets a one-time address that admits
 * one browser; the browser then has a cookie for this session only.
 */

import { randomInt, randomUUID } from 'node:crypto';
import { toHtml } from '@ludus-agents/environments/internal/sites/html';
import { field, form, heading, link, type PageNode, type SitePage, text } from '@ludus-agents/environments/internal/sites/page';
import { sites } from '@ludus-agents/environments/internal/sites/sites';
import { reasons } from '@ludus-agents/environments/internal/sites/template';
import { type AnyEnvironment, Fault, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { Hono, type Context as HonoCall } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { type AccessScope, anonymous, equalTexts } from '../access.ts';
import { type HttpRoutes, NotFound } from '../app.ts';
import { jsonOf } from '../body.ts';
import { Sessions, type SessionsOptions } from '../sessions.ts';
import { readEnding, SiteSession } from './site-session.ts';
import { findPageFile, pageScript, type TaskPages } from './task-pages.ts';

export interface SiteRoutesOptions extends SessionsOptions {
  /** The user's task pages, which end by themselves. */
  readonly pages?: TaskPages | null;
  /** The task parser: the environment, or one built from the user's pages. */
  readonly world?: AnyEnvironment;
}

const cookie = 'ludus-sites';

/** Built-in pages run no scripts and load nothing. */
const plainPolicy = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** A user's page runs its scripts, and can access only this server. */
const ownPolicy =
  "default-src 'self' data:; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/** Program requests need a token; a browser sends the cookie of its session instead. */
function needs(path: string, method: string): readonly AccessScope[] | null {
  if (path !== '/pages' && !/^\/sessions(?:\/|$)/.test(path)) return null;
  return method === 'GET' ? ['read', 'play'] : ['play'];
}

export interface SiteRoutes {
  readonly door: HttpRoutes;
  /** Opens a session and returns the path that admits a browser. */
  open(wanted: Json): { readonly id: string; readonly enter: string; readonly session: SiteSession };
}

export function siteRoutes({ pages = null, world = sites, ...options }: SiteRoutesOptions = {}): SiteRoutes {
  const sessions = new Sessions<SiteSession>(options);
  const app = new Hono();

  function open(wanted: Json): { readonly id: string; readonly enter: string; readonly session: SiteSession } {
    if (!isObject(wanted)) throw new Fault('input', 'Start a session with {"task": {…}, "seed": 1} or {"page": "…", "seed": 1}.');
    const { task = {}, seed = randomInt(2 ** 31), page } = wanted;
    if (!Number.isSafeInteger(seed) || (seed as number) < 0) throw new Fault('input', 'A seed must be a non-negative integer.');
    const id = randomUUID();
    const admission = sessions.admit(anonymous, () => createSession(task, page, seed as number), { id });
    if ('full' in admission) throw new Fault('server', admission.full);
    return { id, enter: `/enter/${id}.${admission.who.entry}`, session: admission.who };
  }

  function createSession(task: Json, page: Json | undefined, seed: number): SiteSession {
    if (page === undefined) return new SiteSession({ task: world.task(task), seed });
    const taskPage = pages?.fit.find(({ path }) => path === page);
    if (taskPage === undefined)
      throw new Fault('input', 'Page not found. GET /pages lists the usable pages, and why others are not.', { code: 'E_NOT_FOUND' });
    return new SiteSession({ page: taskPage, seed });
  }

  function requireSession(call: HonoCall): SiteSession {
    const siteSession = sessions.find(anonymous, call.req.param('id') ?? '');
    if (siteSession === null) throw new NotFound('Session not found, or idle for too long. Open one with POST /sessions.');
    return siteSession;
  }

  function ofBrowser(call: HonoCall): SiteSession | null {
    const [id = '', secret = ''] = (getCookie(call, cookie) ?? '').split('.', 2);
    const siteSession = sessions.find(anonymous, id);
    return siteSession !== null && equalTexts(secret, siteSession.secret) ? siteSession : null;
  }

  app.post('/sessions', async (call) => {
    const { id, enter, session } = open(await jsonOf(call));
    return call.json({ id, enter: new URL(enter, call.req.url).href, ...session.toJson() } as never, 201);
  });
  app.get('/sessions/:id', (call) => call.json(requireSession(call).toJson() as never));
  app.post('/sessions/:id/end', async (call) => {
    const session = requireSession(call);
    const input = await jsonOf(call);
    return call.json(session.end(readEnding(isObject(input) ? input : {})) as never);
  });
  app.get('/pages', (call) => call.json({ fit: pages?.fit.map(({ path }) => path) ?? [], unfit: pages?.unfit ?? [] } as never));

  app.get('/enter/:key', (call) => {
    const [id = '', key = ''] = (call.req.param('key') ?? '').split('.', 2);
    const session = sessions.find(anonymous, id);
    if (session === null || !session.enter(key))
      return page(call, message('This address was already used, or its session has ended.', 403));
    setCookie(call, cookie, `${id}.${session.secret}`, { httpOnly: true, sameSite: 'Strict', path: '/' });
    return call.redirect(session.page === null ? '/task' : session.start, 303);
  });

  app.get('/page-start.js', (call) => {
    const session = ofBrowser(call);
    if (session === null) return page(call, outside);
    return call.body(pageScript(session.seed), 200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' });
  });
  app.post('/page-report', async (call) => {
    const session = ofBrowser(call);
    const input = await jsonOf(call);
    if (session === null || session.page === null || !isObject(input)) return page(call, outside);
    const { utterance, raw } = input;
    if (typeof utterance === 'string') session.report = { ...session.report, utterance: utterance.slice(0, 2000) };
    // The first end counts: a page that continues is a different episode.
    if (typeof raw === 'number' && session.report.raw === null) session.report = { ...session.report, raw };
    return call.body(null, 204);
  });
  app.get('/pages/*', (call) => {
    const session = ofBrowser(call);
    if (session?.page === null) return page(call, session.show(placeIn(call)));
    const path = decodedPath(call.req.path.slice('/pages/'.length));
    const file = session?.page == null || pages === null || path === null ? null : findPageFile(pages, path);
    if (file === null) return page(call, outside);
    return call.body(file.bytes, 200, { ...headers(ownPolicy), 'content-type': file.type });
  });

  app.get('/task', (call) => {
    const session = ofBrowser(call);
    return page(call, session === null ? outside : taskPage(session));
  });
  app.post('/task', async (call) => {
    const session = ofBrowser(call);
    if (session === null) return page(call, outside);
    session.end(readEnding(await formOf(call)));
    return call.redirect('/task', 303);
  });
  app.get('*', (call) => {
    const session = ofBrowser(call);
    return page(call, session === null || session.page !== null ? outside : session.show(placeIn(call)));
  });
  app.post('*', async (call) => {
    const session = ofBrowser(call);
    if (session === null || session.page !== null) return page(call, outside);
    return call.redirect(session.post(new URL(call.req.url).pathname, await formOf(call)), 303);
  });

  return { open, door: { path: '/', app, needs, close: async () => sessions.shut() } };
}

/** With the policy "no-referrer", a browser would submit its forms with the origin "null", and they would be refused as cross-site. */
function headers(policy: string): Record<string, string> {
  return {
    ...{ 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' },
    ...{ 'cache-control': 'no-store', 'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin' },
  };
}

function page(call: HonoCall, sitePage: SitePage): Response {
  return call.html(toHtml(sitePage), sitePage.status, headers(plainPolicy));
}

function message(content: string, status: SitePage['status']): SitePage {
  return { status, title: 'Sites', nodes: [heading('Sites', 1), text(content)] };
}

const outside = message('This browser has no session here. Open the address that the server printed, or one from POST /sessions.', 403);

function taskPage(session: SiteSession): SitePage {
  const { outcome } = session;
  const nodes: PageNode[] = [heading('Task', 1), text(session.goal ?? ''), link('Begin', session.start)];
  if (outcome !== null) nodes.push(text(outcome.reward === 1 ? 'The task has ended: passed.' : 'The task has ended: not passed.'));
  else
    nodes.push(
      form('Answer', '/task', [field('Your answer', 'answer', { required: true })]),
      form('Done', '/task', [], { hidden: { done: '1' } }),
      form('Impossible', '/task', [field('Reason', 'impossible', { type: 'select', options: reasons })]),
    );
  return { status: 200, title: 'Task', nodes };
}

function placeIn(call: HonoCall): string {
  const { pathname, search } = new URL(call.req.url);
  return pathname + search;
}

/** Null if an address is malformed, such as "%zz". */
function decodedPath(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

async function formOf(call: HonoCall): Promise<Record<string, string>> {
  const body = await call.req.text();
  if (body.length > 100_000) throw new Fault('input', 'A form can have at most 100,000 characters.');
  return Object.fromEntries(new URLSearchParams(body));
}
