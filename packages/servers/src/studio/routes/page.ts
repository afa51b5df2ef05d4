/**
 * @file The page's files, and the start of a browser session: the printed address contains the token once. The browser is redirected
 * to the server's own host name, with a code that it exchanges for a session cookie.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Hono, type Context as HonoCall, type Next } from 'hono';
import { setCookie } from 'hono/cookie';
import { equalTexts, hostnameOf, may, owner, type SharedPage } from '../../access.ts';
import { callerOf, NotFound } from '../../app.ts';
import { type BrowserSessions, ownAddress, secretIn, sessionCookie } from '../../browser-sessions.ts';

const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Only our own files; pictures of cards are embedded as data. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every studio response: a browser must use the declared content type. */
export async function addSecurityHeaders(call: HonoCall, next: Next): Promise<void> {
  await next();
  if (!call.res.headers.has('content-security-policy')) call.header('content-security-policy', policy);
  call.header('x-content-type-options', 'nosniff');
  call.header('referrer-policy', 'no-referrer');
  call.header('cross-origin-opener-policy', 'same-origin');
  call.header('cross-origin-resource-policy', 'same-origin');
}

/** The built page, next to the sources and next to the build output. */
function pageFolder(): string {
  return fileURLToPath(new URL('../../../page/', import.meta.url));
}

/** The folder of the site built by `npm run docs` in a checkout, relative to the sources and to the build output; null elsewhere. */
function docsFolder(): string | null {
  const places = ['../../../../../', '../../../../../../../'].map((up) =>
    fileURLToPath(new URL(`${up}docs/.vitepress/dist/`, import.meta.url)),
  );
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? null;
}

/** The policy of a documentation page: its own inline scripts, known by their hashes, and the inline styles of highlighted code. */
function docsPolicy(html: string): string {
  const scripts = html
    .split('<script')
    .slice(1)
    .filter((piece) => !piece.slice(0, piece.indexOf('>')).includes(' src='))
    .map((piece) => piece.slice(piece.indexOf('>') + 1, piece.indexOf('</script>')));
  const hashes = scripts.map((text) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return policy
    .replace("script-src 'self'", `script-src 'self'${hashes.join('')}`)
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'; font-src 'self'");
}

/** Where the same pages are without the site, which is not part of the package. */
const docsInRepository = 'https://github.com/ludus-agents/ludus/tree/main/docs';

/** The documentation site under /docs, or a redirect to its pages if it was not built. Addresses have no ".html". */
export function docsRoutes(folder: string | null = docsFolder()): Hono {
  const app = new Hono();
  app.get('/docs', (call) => call.redirect('/docs/'));
  app.get('/docs/*', (call) => {
    if (folder === null) return call.redirect(docsInRepository);
    const path = decodeURIComponent(call.req.path.slice('/docs/'.length));
    if (!/^[\w@./-]*$/.test(path) || path.split('/').includes('..')) throw new NotFound(`Page "${path.slice(0, 80)}" not found.`);
    const name = path === '' || path.endsWith('/') ? `${path}index.html` : extname(path) === '' ? `${path}.html` : path;
    if (name.endsWith('.html') && existsSync(join(folder, name)))
      call.header('content-security-policy', docsPolicy(readFileSync(join(folder, name), 'utf8')));
    return file(call, folder, name);
  });
  return app;
}

/** Rotates the secret of a session, together with any response. */
export function rotateSession(sessions: BrowserSessions) {
  return async (call: HonoCall, next: Next): Promise<void> => {
    await next();
    const secret = secretIn(call.req.header('cookie'));
    const renewed = secret === undefined ? null : sessions.rotate(secret, hostnameOf(call.req.header('host') ?? ''));
    if (renewed !== null) setSession(call, renewed);
  };
}

/** Without `maxAge`, the browser deletes it when it closes; without a domain, it is for this host name only. */
function setSession(call: HonoCall, secret: string): void {
  setCookie(call, sessionCookie, secret, { httpOnly: true, sameSite: 'Strict', path: '/' });
}

/**
 * Redirects a browser with a new session to the page. If another site had the link, such as a terminal in the browser, a redirect
 * would be requested without the strict cookie; navigation from this site includes it.
 */
function showPage(call: HonoCall): Response | Promise<Response> {
  if (call.req.header('sec-fetch-site') !== 'cross-site') return call.redirect('/');
  call.header('cache-control', 'no-store');
  return call.html('<!doctype html><title>Ludus</title><meta http-equiv="refresh" content="0; url=/">');
}

export function pageRoutes(token: string, sessions: BrowserSessions, folder: string = pageFolder()): Hono {
  const app = new Hono();
  app.get('/', (call) => {
    const { token: input, code, host: wantedHost } = call.req.query();
    const host = call.req.header('host') ?? '';
    if (code !== undefined) {
      // An owner who opens a link of their studio stays the owner.
      const before = secretIn(call.req.header('cookie'));
      if (before !== undefined && sessions.callerOf(before, hostnameOf(host))?.id === owner.id) return call.redirect('/');
      const secret = sessions.redeem(code, hostnameOf(host));
      if (secret === null)
        return call.json({ error: 'This address was already used, or has expired. Open the one that the server printed.' }, 401);
      setSession(call, secret);
      return showPage(call);
    }
    if (input === undefined) {
      const { shows } = callerOf(call);
      return shows === undefined ? file(call, folder, 'index.html') : sharedPage(call, folder, shows);
    }
    const isOwner = equalTexts(input, token);
    // A read-only link, or a token with all scopes: its session has the token's scopes. Other tokens are for programs.
    const caller = isOwner ? owner : callerOf(call);
    if (!isOwner && caller.id === owner.id) return call.redirect('/');
    if (!may(caller, 'link'))
      return call.json({ error: 'Wrong token. Use the one that the server printed when it started, or ask for another link.' }, 401);
    const holder = isOwner ? null : caller.id;
    // "host=plain" is for browsers that do not resolve names below localhost.
    const address = wantedHost === 'plain' ? null : ownAddress(sessions, host);
    if (address !== null) return call.redirect(`${address}/?code=${sessions.issueCode(holder)}`);
    setSession(call, sessions.open(hostnameOf(host), holder));
    return showPage(call);
  });
  app.get('/icon.svg', (call) => file(call, folder, 'icon.svg'));
  app.get('/assets/:name', (call) => {
    const name = call.req.param('name');
    if (!/^[\w-]+(\.[\w-]+)+$/.test(name)) throw new NotFound(`File "${name.slice(0, 80)}" not found.`);
    return file(call, folder, join('assets', name));
  });
  return app;
}

/** The page for read-only links. It shows the shared item; the API ensures that it shows nothing else. */
function sharedPage(call: HonoCall, folder: string, shows: SharedPage): Response {
  const path = join(folder, 'index.html');
  if (!existsSync(path)) return file(call, folder, 'index.html');
  const address =
    shows.of === 'comparison'
      ? `#/compare?${new URLSearchParams({ a: shows.a, b: shows.b, run: shows.run, score: shows.score })}`
      : `#/${shows.of === 'run' ? 'run' : 'e'}/${encodeURIComponent(shows.id)}`;
  const html = readFileSync(path, 'utf8').replace('<html ', `<html data-shows="${address.replaceAll('&', '&amp;')}" `);
  call.header('cache-control', 'no-store');
  return call.html(html);
}

function file(call: HonoCall, folder: string, name: string): Response {
  const path = join(folder, name);
  if (!existsSync(path)) {
    if (name === 'index.html') return call.text('The studio is not built yet. Run "npm run build", then reload.', 503);
    throw new NotFound(`File "${name}" not found.`);
  }
  call.header('content-type', kinds[extname(name)] ?? 'application/octet-stream');
  // Names of files in assets contain a hash of their contents.
  call.header('cache-control', name.startsWith('assets') ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (!squeezable.has(extname(name))) return call.body(readFileSync(path));
  call.header('vary', 'accept-encoding');
  if (!/\bgzip\b/.test(call.req.header('accept-encoding') ?? '')) return call.body(readFileSync(path));
  call.header('content-encoding', 'gzip');
  return call.body(compressFile(path));
}

const squeezable: ReadonlySet<string> = new Set(['.html', '.js', '.css', '.svg']);
const retained = new Map<string, { readonly time: number; readonly bytes: Uint8Array<ArrayBuffer> }>();

/** A compressed file: compressed once, and again after a rebuild. */
function compressFile(path: string): Uint8Array<ArrayBuffer> {
  const time = statSync(path).mtimeMs;
  const before = retained.get(path);
  if (before?.time === time) return before.bytes;
  const bytes = new Uint8Array(gzipSync(readFileSync(path), { level: 9 }));
  retained.set(path, { time, bytes });
  return bytes;
}
