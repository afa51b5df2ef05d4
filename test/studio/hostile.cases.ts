/** @file What tries to break the page: words that pretend to be markup, strangers, other sites, ten thousand events. */

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { noBrowser, pageOrigin } from '../browser.ts';
import { answer, begin, browser, call, open, page, poker, store, studio } from '../fixtures/studio-page.ts';

const root = join(import.meta.dirname, '..', '..');

describe.skipIf(noBrowser !== null)('the studio', () => {
  it('displays any markup as plain text', async () => {
    const nasty = [
      '<script>window.pwned = 1</script>',
      '<img src=x onerror="window.pwned = 1">',
      '[click](javascript:window.pwned=1) https://evil.example/',
      '</div></article><iframe srcdoc="<script>parent.pwned=1</script>">',
      'data: {"index": 99, "event": {"kind": "end"}}\n\nid: 7\ndata: {}\n\n',
      '\u202Eright to left \u0000 \u2028 {{constructor.constructor("pwned=1")()}}',
    ];
    const start = {
      kind: 'start',
      environment: 'chat@1',
      task: {},
      seed: 0,
      seats: ['<b>a</b>', 'user'],
      cast: { '<b>a</b>': nasty[0]!, user: 'u' },
    } as const;
    const events: EpisodeEvent[] = [
      start,
      ...nasty.flatMap((text): EpisodeEvent[] => [
        { kind: 'message', to: ['user'], from: '<b>a</b>', text },
        { kind: 'message', to: ['user'], text, data: { text } },
      ]),
    ];
    events.push({
      kind: 'end',
      reason: 'error',
      returns: {},
      penalties: {},
      turns: 0,
      fault: { boundary: 'agent', message: nasty[1]! },
    });
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
    const evidence = [{ episode: 'hostile', event: 1, quote: nasty[0]!, supports: true, note: nasty[1]! }];
    await store.append('hostile', 0, events);
    await store.putScores('hostile', [{ name: 'privacy <b>leak</b>', value: 1, status: 'ok', evidence, cost }]);
    await open('/e/hostile/2');
    await page.getByText('Stopped by an error').waitFor();
    await page.getByText(nasty[0]!).first().waitFor();
    expect(await page.locator('.event mark').first().textContent()).toBe(nasty[0]);
    await page.getByRole('button', { name: 'Event 1: inspect' }).click();
    await page.getByRole('heading', { name: 'Scores that cite this event' }).waitFor();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('iframe, .event script, .event img[src="x"], .event a, .event b').count()).toBe(0);
    expect(await page.getByText(/^\d+ \/ \d+$/).textContent()).toBe(`1 / ${events.length - 1}`);
  });

  it('rejects a missing or wrong token, opens from the printed address, and loads at most 150 KB', async () => {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    expect((await stranger.goto(`${studio.url}/?token=wrong`))?.status()).toBe(401);
    await stranger.goto(studio.url);
    await stranger.getByText('Sign in').waitFor();
    await stranger.getByLabel('Address or token').fill(`${studio.url}/?token=${studio.token}`);
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('heading', { name: 'Get started' }).waitFor();
    expect(stranger.url()).not.toContain(studio.token);
    expect(await stranger.evaluate('document.cookie')).toBe('');
    // Home in a fresh browser is the first page: what it loads is little, and all of it from here.
    const loaded = (await stranger.evaluate(`performance.getEntriesByType('resource').map((entry) => entry.name)`)) as readonly string[];
    const files = loaded
      .filter((name) => name.includes('/assets/'))
      .map((name) => readFileSync(join(root, 'packages', 'servers', 'page', new URL(name).pathname)));
    expect(files.length).toBeGreaterThan(1);
    expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(150 * 1024);
    expect(loaded.every((name) => name.startsWith(new URL(stranger.url()).origin))).toBe(true);
    await context.close();
  });

  it('exposes its session to no other local server and its token to no server at all', async () => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(`${request.headers.host} ${request.url} ${request.headers.cookie ?? ''} ${request.headers.referer ?? ''}`);
      response.setHeader('content-type', 'text/html').end('<title>another server</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { host, hostname } = new URL(page.url());
    expect(hostname).toMatch(/^ludus-[0-9a-f]{32}\.localhost$/);
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, domain, httpOnly, sameSite }) => ({ name, domain, httpOnly, sameSite }))).toEqual([
      { name: 'ludus-session', domain: hostname, httpOnly: true, sameSite: 'Strict' },
    ]);
    expect(JSON.stringify(cookies)).not.toContain(studio.token);
    // Typed, and then followed from the other server's own page, which is the same site as far as cookies are concerned.
    const other = await page.context().newPage();
    for (const name of ['localhost', '127.0.0.1']) {
      await other.goto(`http://${name}:${port}/`);
      await other.evaluate(`void fetch('/again', { credentials: 'include' }).then(() => location.assign('/once-more'))`);
      await other.waitForURL('**/once-more');
    }
    expect(received.length).toBeGreaterThan(5);
    for (const text of received) for (const secret of ['ludus-session', studio.token, hostname]) expect(text).not.toContain(secret);
    // Without its token, the server doesn't reveal the host name, and the cookie is worthless at another name.
    const [{ value } = { value: '' }] = cookies;
    expect((await fetch(`${studio.url}/api/home`, { headers: { cookie: `ludus-session=${value}` } })).status).toBe(401);
    expect(await (await fetch(studio.url)).text()).not.toContain(host);
    await other.close();
    server.close();
  });

  it('rejects requests from pages of other sites, even with the cookie in the same browser', async () => {
    const evil = await page.context().newPage();
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>evil</title>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = (await call<{ episodes: unknown[] }>('/api/home')).episodes.length;
    await evil.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const tried = await evil.evaluate(
      `Promise.all([
        fetch('${pageOrigin(studio.url)}/api/demos/poker', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{}' }).then((r) => r.type, String),
        fetch('${pageOrigin(studio.url)}/api/home', { credentials: 'include' }).then((r) => r.text(), String),
      ])`,
    );
    expect(tried).toEqual(['opaque', expect.stringContaining('Failed to fetch')]);
    expect((await call<{ episodes: unknown[] }>('/api/home')).episodes.length).toBe(before);
    await evil.close();
    server.close();
  });

  it('shows ten thousand events with a handful of rows', async () => {
    const start = { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['a', 'user'], cast: { a: 'x', user: 'u' } } as const;
    const events: EpisodeEvent[] = [
      start,
      ...Array.from(
        { length: 10_000 },
        (_, i): EpisodeEvent => ({ kind: 'message', to: ['user'], from: 'a', text: `Line ${i} ${'word '.repeat(i % 40)}` }),
      ),
    ];
    events.push({ kind: 'end', reason: 'abort', returns: {}, penalties: {}, turns: 0 });
    await store.append('long', 0, events);
    await open('/e/long');
    await page.getByText('10,001 / 10,001').waitFor();
    await page.getByText('Canceled').first().waitFor();
    expect(await page.locator('.event').count()).toBeLessThan(80);
    const most = await page.evaluate(`new Promise((resolve) => {
      const frame = document.querySelector('.frame');
      let [step, most] = [0, 0];
      const next = () => {
        most = Math.max(most, document.querySelectorAll('.event').length);
        frame.scrollTop = frame.scrollHeight - step * 8000;
        if (++step < 30) requestAnimationFrame(next); else resolve(most);
      };
      requestAnimationFrame(next);
    })`);
    expect(most).toBeLessThan(80);
    expect(await page.locator('.event').count()).toBeLessThan(80);
    await open('/e/long/5000');
    await page.getByText('Line 4999', { exact: false }).waitFor();
  });

  it('shifts nothing on the page while events stream in', async () => {
    const id = await begin({ ...poker, cast: { first: 'human', second: 'scripted:honest' }, task: { rounds: 8 } });
    await open(`/e/${id}`);
    await page.getByText('● live').waitFor();
    await page.evaluate(
      `window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; }).observe({ type: 'layout-shift' })`,
    );
    await answer(id, 'first');
    await page.getByText('The episode is over').waitFor();
    expect(await page.evaluate('window.shift')).toBeLessThan(0.1);
  });
});

describe('the source of the studio', () => {
  it('never inserts raw HTML', () => {
    const files = readdirSync(join(root, 'packages/studio/src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.tsx?$/.test(file),
    );
    const raw = files.filter((file) =>
      /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(
        readFileSync(join(root, 'packages/studio/src', file), 'utf8'),
      ),
    );
    expect(raw).toEqual([]);
  });
});
