/** @file The studio in a real browser: watching, scrubbing, forking, sitting down, and everything that tries to break it. */

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { EpisodeEvent, Store } from '../src/core/index.ts';
import { replay } from '../src/engine/replay.ts';
import { builtInEnvironment } from '../src/environments/index.ts';
import { openStore } from '../src/store/index.ts';
import {
  accessibility,
  callStudio,
  enter,
  noBrowser,
  openBrowser,
  type RunningStudio,
  removeFolder,
  startStudio,
  studioFolder,
  visit,
  widerThan,
} from './browser.ts';
import { until } from './fixtures/until.ts';

const root = join(import.meta.dirname, '..');
if (noBrowser !== null) console.log(`The studio is not tested in a browser: ${noBrowser}.`);

let browser: Browser;
let studio: RunningStudio;
/** One tab for all tests; who needs another opens it. */
let page: Page & { readonly problems: string[] };
let store: Store;

const call = <T>(path: string, body?: unknown) => callStudio<T>(studio, path, body);

async function begin(body: unknown): Promise<string> {
  return (await call<{ episode: string }>('/api/play', body)).episode;
}

/** Waits until an episode has ended, and gives its log. */
async function ended(id: string): Promise<readonly EpisodeEvent[]> {
  await until(async () => (await store.episode(id))?.status !== 'running');
  return store.events(id);
}

/** Answers for a seat with the first move that is offered, so often or until the episode is over. */
async function answer(id: string, seat: string, times = Number.POSITIVE_INFINITY): Promise<void> {
  for (let given = 0; given < times; ) {
    const log = await store.events(id);
    if (log.at(-1)?.kind === 'end') return;
    const turn = log.findLastIndex(({ kind }) => kind === 'turn');
    const asks = log[turn]?.kind === 'turn' ? log[turn]!.asks : [];
    const waits = asks[0]?.seat === seat && !log.slice(turn).some(({ kind }) => kind === 'action');
    const { error } = waits
      ? await call<{ error?: string }>(`/api/episodes/${id}/answer`, { seat, text: asks[0]?.choices?.[0], turn })
      : { error: 'not yet' };
    if (error === undefined) given++;
    // Whoever waits for others lets them go on.
    await until(async () => (await store.events(id)).length > log.length);
  }
}

async function open(place: string): Promise<Page & { readonly problems: string[] }> {
  await visit(page, studio, place);
  return page;
}

const poker = { environment: 'kuhn-poker', seed: 5, cast: { first: 'scripted:bold', second: 'scripted:honest' } };

describe.skipIf(noBrowser !== null)('the studio', () => {
  beforeAll(async () => {
    [browser, studio] = await Promise.all([openBrowser(), startStudio(studioFolder())]);
    store = await openStore(join(studio.cwd, '.ludus', 'ludus.sqlite'));
    page = await enter(await browser.newContext({ viewport: { width: 1360, height: 860 } }), studio);
  });

  afterEach(() => {
    expect(page.problems.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await store?.close();
    await studio?.kill();
    removeFolder(studio?.cwd ?? '');
  });

  it('starts a demonstration from home, shows it live, and home says so', async () => {
    await open('/');
    await page.getByRole('button', { name: 'Start: Self-play poker' }).click();
    await page.getByText('● live').waitFor();
    await page.getByText('Hand 1 of 12', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: 'Watch' }).first().click();
    await page.getByRole('button', { name: 'Call off' }).click();
    await page.getByText('It was called off').waitFor();
  });

  it('shows what one seat sees and no more, and leads to any event by its address', async () => {
    const id = await begin({ ...poker, task: { rounds: 2 } });
    await ended(id);
    await open(`/e/${id}`);
    await page.getByText('The episode is over').waitFor();
    const told = page.locator('.event').getByText(/^Your card is/);
    expect(await page.getByRole('img', { name: /^first: / }).count()).toBe(1);
    await page.getByLabel('See as').selectOption('second');
    await page.waitForURL(/seat=second/);
    await page.getByText('The episode is over').waitFor();
    await page.getByRole('button', { name: 'Event 0: look closer' }).click();
    await page.keyboard.press('End');
    const texts = await told.allTextContents();
    const log = await store.events(id);
    const own = log.flatMap((event) =>
      event.kind === 'message' && event.to.includes('second') && event.text.startsWith('Your card') ? [event.text] : [],
    );
    expect(texts).toEqual(own);
    const at = log.findIndex(({ kind }) => kind === 'action');
    await visit(page, studio, `/e/${id}/${at}`);
    await page.getByRole('heading', { name: `Event ${at}` }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(new RegExp(`/e/${id}/${at + 1}`));
  });

  it('replays by itself: what comes later is hidden until it is its turn', async () => {
    const id = await begin({ ...poker, task: { rounds: 1 } });
    await ended(id);
    await open(`/e/${id}`);
    await page.getByText('The episode is over').waitFor();
    await page.getByLabel('Speed').selectOption('40');
    // Watched from within: at this speed the end may be back before somebody outside has looked.
    await page.evaluate(`void (globalThis.vanished = new Promise((resolve) =>
      new MutationObserver(() => document.body.textContent.includes('The episode is over') || resolve(true))
        .observe(document.body, { childList: true, subtree: true, characterData: true })))`);
    await page.keyboard.press('Space');
    expect(await page.evaluate('globalThis.vanished')).toBe(true);
    await page.getByText('The episode is over').waitFor();
    await page.getByRole('button', { name: 'Score it' }).click();
    await page.keyboard.press('End');
    await page
      .getByRole('rowheader', { name: /^return/ })
      .first()
      .waitFor();
  });

  it('forks where one looks, with another answer, and shows both branches', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: 'scripted:minimax', O: 'scripted:minimax' } });
    const log = await ended(id);
    const at = log.findIndex((event) => event.kind === 'action' && event.seat === 'O');
    const choices =
      (log.slice(0, at).findLast(({ kind }) => kind === 'turn') as Extract<EpisodeEvent, { kind: 'turn' }>).asks[0]?.choices ?? [];
    const told = (log[at] as Extract<EpisodeEvent, { kind: 'action' }>).action.text;
    const other = choices.find((choice) => choice !== told) as string;
    await open(`/e/${id}/${at}`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByLabel('O answers instead').fill(other);
    await page.getByRole('combobox', { name: 'X', exact: true }).selectOption('random');
    await page.getByRole('button', { name: 'Fork and play on' }).click();
    await page.waitForURL(/branches/);
    await page.getByText(`the first ${at} events are shared`).waitFor();
    const returns = page.getByRole('list', { name: 'Change of returns' });
    await returns.waitFor();
    // Aligned where they part: the other answer stands beside the one that was given, in one list, and is marked.
    const first = page.locator('.pair').first();
    expect(await first.getAttribute('class')).toContain('differs');
    expect(await first.getByRole('button', { name: `Event ${at}: look closer` }).count()).toBe(2);
    const [was, is] = await first.locator('.side').allTextContents();
    expect(was).not.toBe(is);
    expect(await returns.getByRole('listitem').count()).toBe(2);
    const branch = new URL(page.url()).hash.split('/').at(-1) as string;
    const events = await ended(branch);
    expect(events.slice(1, at)).toEqual(log.slice(1, at));
    expect(events[at]).toMatchObject({ seat: 'O', action: { text: other } });
    expect(replay(await builtInEnvironment('tic-tac-toe'), events)).toBeNull();
    const { episode: twig } = await call<{ episode: string }>(`/api/episodes/${branch}/fork`, { at: at + 1, seed: 9 });
    await ended(twig);
    await open(`/branches/${branch}/${twig}`);
    const tree = page.getByRole('navigation', { name: 'Tree of branches' });
    await tree.getByText('is itself a branch of').waitFor();
  });

  it('lets a person play to the end with buttons, board and words, and a refresh loses nothing', async () => {
    await open('/play?world=tic-tac-toe');
    await page.getByRole('combobox', { name: 'O', exact: true }).selectOption('random');
    await page.getByRole('button', { name: 'Sit down' }).click();
    await page.waitForURL(/seat/);
    await page.getByText('Your move.').waitFor();
    const middle = page.getByRole('button', { name: 'Play row 2, column 2' });
    const corner = page.getByRole('button', { name: /^Play row/ }).first();
    await middle.click();
    await middle.waitFor({ state: 'detached' });
    await corner.waitFor();
    await page.reload();
    await corner.waitFor();
    expect(await middle.count()).toBe(0);
    await page.getByLabel('Your answer in your own words').fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('is no move here').waitFor();
    const over = page.getByText(/It is over: you get/);
    while ((await over.count()) === 0) {
      const move = page.locator('.moves button').first();
      if (await move.isEnabled({ timeout: 500 }).catch(() => false)) await move.click({ timeout: 500 }).catch(() => undefined);
    }
    await page.getByRole('link', { name: 'See it all, with what was hidden' }).click();
    await page.getByText('The episode is over').waitFor();
  });

  it('shows the same in a second tab, where an answer that was given already is refused', async () => {
    const id = await begin({ environment: 'kuhn-poker', seed: 4, cast: { first: 'human', second: 'scripted:bold' } });
    const one = await open(`/seat/${id}/first`);
    const two = await page.context().newPage();
    await visit(two, studio, `/seat/${id}/first`);
    await one.getByText('Your move.').waitFor();
    await two.getByText('Your move.').waitFor();
    await two.route('**/stream*', (route) => route.abort());
    await one.getByRole('button', { name: 'bet', exact: true }).click();
    await one.getByText(/It is over/).waitFor();
    await two.unroute('**/stream*');
    await two.reload();
    await two.getByText(/It is over/).waitFor();
    await two.close();
    const { error } = await call<{ error: string }>(`/api/episodes/${id}/answer`, { seat: 'first', text: '[bet]', turn: 1 });
    expect(error).toMatch(/not being played here|answered already/);
  });

  it('goes on after the server was killed in the middle: without a reload, without a gap, in pages that were never loaded, and at a seat', async () => {
    const id = await begin({ ...poker, cast: { first: 'human', second: 'scripted:honest' }, task: { rounds: 8 } });
    const [seat, unloaded] = [await page.context().newPage(), await page.context().newPage()];
    await visit(seat, studio, `/seat/${id}/first`);
    await visit(unloaded, studio, '/play');
    await unloaded.getByRole('button', { name: 'Sit down' }).waitFor();
    await seat.getByText('Your move.').waitFor();
    await open(`/e/${id}`);
    await answer(id, 'first', 3);
    await page.locator('.event').nth(4).waitFor();
    const port = Number(new URL(studio.url).port);
    await studio.kill();
    await page.getByText('connection lost').waitFor();
    // A page whose files this tab has never read, and one that has its files and no data.
    await unloaded.evaluate(`location.hash = '#/fleet'`);
    await unloaded.getByRole('heading', { name: 'Not connected' }).waitFor();
    // The seat, looked at anew while nobody answers.
    await seat.evaluate(`location.hash = '#/e/${id}'`);
    await seat.getByRole('heading', { name: 'Not connected' }).waitFor();
    await seat.evaluate(`location.hash = '#/seat/${id}/first'`);
    await seat.getByRole('heading', { name: 'Not connected' }).waitFor();
    const before = await store.events(id);
    expect(before.at(-1)?.kind).not.toBe('end');
    studio = await startStudio(studio.cwd, port);
    await unloaded.getByRole('heading', { name: 'Fleet', exact: true }).waitFor();
    await seat.getByText('Your move.').waitFor();
    await seat.keyboard.press('1');
    await until(async () => (await store.events(id)).length > before.length);
    await answer(id, 'first');
    await page.getByText('The episode is over').waitFor();
    await seat.getByText(/It is over: you get/).waitFor();
    const log = await ended(id);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(replay(await builtInEnvironment('kuhn-poker'), log)).toBeNull();
    await page.getByText(/^\d+ \/ \d+$/).waitFor();
    const last = log.length - 1;
    expect(await page.getByText(/^\d+ \/ \d+$/).textContent()).toBe(`${last} / ${last}`);
    await Promise.all([seat.close(), unloaded.close()]);
  });

  it('takes words for words, whatever they pretend to be', async () => {
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
    await page.getByText('A failure ended it').waitFor();
    await page.getByText(nasty[0]!).first().waitFor();
    expect(await page.locator('.event mark').first().textContent()).toBe(nasty[0]);
    await page.getByRole('button', { name: 'Event 1: look closer' }).click();
    await page.getByRole('heading', { name: 'Scores that point here' }).waitFor();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('iframe, .event script, .event img[src="x"], .event a, .event b').count()).toBe(0);
    expect(await page.getByText(/^\d+ \/ \d+$/).textContent()).toBe(`1 / ${events.length - 1}`);
  });

  it('is closed to who has no token, or a wrong one, opens by the printed address, and loads at most 150 KB', async () => {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    expect((await stranger.goto(`${studio.url}/?token=wrong`))?.status()).toBe(401);
    await stranger.goto(studio.url);
    await stranger.getByText('This browser has no token').waitFor();
    await stranger.getByLabel('Address or token').fill(`${studio.url}/?token=${studio.token}`);
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('heading', { name: 'Start something' }).waitFor();
    expect(stranger.url()).not.toContain(studio.token);
    expect(await stranger.evaluate('document.cookie')).toBe('');
    // Home in a fresh browser is the first page: what it loads is little, and all of it from here.
    const loaded = (await stranger.evaluate(`performance.getEntriesByType('resource').map((entry) => entry.name)`)) as readonly string[];
    const files = loaded
      .filter((name) => name.includes('/assets/'))
      .map((name) => readFileSync(join(root, 'dist', 'studio', new URL(name).pathname)));
    expect(files.length).toBeGreaterThan(1);
    expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(150 * 1024);
    expect(loaded.every((name) => name.startsWith(studio.url))).toBe(true);
    await context.close();
  });

  it('hears nothing from pages of other sites, not even with the cookie in the same browser', async () => {
    const evil = await page.context().newPage();
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>evil</title>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = (await call<{ episodes: unknown[] }>('/api/home')).episodes.length;
    await evil.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const tried = await evil.evaluate(
      `Promise.all([
        fetch('${studio.url}/api/demos/poker', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{}' }).then((r) => r.type, String),
        fetch('${studio.url}/api/home', { credentials: 'include' }).then((r) => r.text(), String),
      ])`,
    );
    expect(tried).toEqual(['opaque', expect.stringContaining('Failed to fetch')]);
    expect((await call<{ episodes: unknown[] }>('/api/home')).episodes.length).toBe(before);
    await evil.close();
    server.close();
  });

  it('follows ten thousand events with a handful of rows', async () => {
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
    await page.getByText('It was called off').waitFor();
    expect(await page.locator('.event').count()).toBeLessThan(80);
    const most = await page.evaluate(`new Promise((resolve) => {
      const frame = document.querySelector('.frame');
      let [step, most] = [0, 0];
      const next = () => {
        most = Math.max(most, document.querySelectorAll('.event').length);
        frame.scrollTop = frame.scrollHeight - step * 4000;
        if (++step < 60) requestAnimationFrame(next); else resolve(most);
      };
      requestAnimationFrame(next);
    })`);
    expect(most).toBeLessThan(80);
    expect(await page.locator('.event').count()).toBeLessThan(80);
    await visit(page, studio, '/e/long/5000');
    await page.getByText('Line 4999', { exact: false }).waitFor();
  });

  it('moves nothing on the page while events stream in', async () => {
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

  describe('for everybody', () => {
    /** Every page of this half of the studio, with what it is made ready by. */
    const places: Readonly<Record<string, () => Promise<string>>> = {
      home: async () => '/',
      play: async () => '/play?world=commons',
      stage: async () => {
        const id = await begin({ environment: 'connect-four', seed: 1, cast: { X: 'random', O: 'random' } });
        await ended(id);
        return `/e/${id}/9`;
      },
      branches: async () => {
        const id = await begin({ environment: 'leduc', seed: 1, cast: { first: 'random', second: 'random' } });
        await ended(id);
        return `/branches/${id}/${(await call<{ episode: string }>(`/api/episodes/${id}/fork`, { at: 4, seed: 8 })).episode}`;
      },
      seat: async () => `/seat/${await begin({ environment: 'dilemma', cast: { first: 'human' } })}/first`,
      scene: async () => `/e/${(await call<{ episode: string }>('/api/demos/scene', {})).episode}`,
      nowhere: async () => '/nothing/here',
    };

    it.each(Object.keys(places))('%s is accessible in light and dark, and fits a phone', async (name) => {
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await open(await places[name]!());
      await page.locator('h1').waitFor();
      await page.locator('.spinner').waitFor({ state: 'detached' });
      expect(await accessibility(page), name).toEqual([]);
      expect(await widerThan(page, 360), `${name} is wider than a phone`).toBeLessThanOrEqual(0);
    });
  });
});

describe('the page', () => {
  it('never writes HTML by hand', () => {
    const files = readdirSync(join(root, 'studio', 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const raw = files.filter((file) =>
      /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(
        readFileSync(join(root, 'studio', 'src', file), 'utf8'),
      ),
    );
    expect(raw).toEqual([]);
  });
});
