/** @file What people stumbled over, in a browser: a header that grew, an agent that was left out, words lost on reload, labels without a mouse. */

import type { EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { addReview, readReviews, readTurnLabels, withdrawReview } from '@ludus-agents/store/internal/reviews';
import { describe, expect, it } from 'vitest';
import { accessibility, fetchRouted, noBrowser, widerThan } from '../browser.ts';
import { begin, call, ended, open, page, store } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

/** A guard against one of many opponents that a suite brings. */
async function storeGuard(run: string, at: number, returned: number, text = `No, said ${at}.`): Promise<void> {
  const cast = { guard: 'zeno', caller: `house:caller-${at}` };
  const events: readonly EpisodeEvent[] = [
    { kind: 'start', environment: 'chat@1', task: { n: at }, seed: at, seats: ['guard', 'caller'], cast },
    { kind: 'turn', asks: [{ seat: 'guard' }] },
    { kind: 'action', seat: 'guard', action: { text } },
    { kind: 'message', to: [], text: 'outcome: leak (exact)' },
    { kind: 'end', reason: 'over', returns: { guard: returned, caller: -returned }, penalties: {}, turns: 1 },
  ];
  await store.append(`${run}-${at}`, 0, events, run);
}

async function guardedRun(run: string, count: number): Promise<void> {
  await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [], casts: [] }, episodes: count });
  for (let at = 0; at < count; at++) await storeGuard(run, at, at % 2);
}

describe.skipIf(noBrowser !== null)('a studio page', () => {
  it('keeps the layout of the character header during typing', async () => {
    const { persona } = await call<{ persona: Json }>('/api/personas/gallery/beatrix');
    const { key } = await call<{ key: string }>('/api/personas/own', { persona });
    await open(`/persona/own/${key}`);
    const heading = page.locator('header h1').first();
    await heading.waitFor();
    await page.getByLabel('Greeting').first().fill('Sit down, dear.');
    await page.getByRole('button', { name: 'Discard changes' }).waitFor();
    for (const width of [1280, 1024, 820]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await heading.boundingBox())!.width).toBeGreaterThan(200);
      expect((await page.locator('header.editor-head').boundingBox())!.height).toBeLessThan(200);
    }
    await page.getByRole('button', { name: 'Discard changes' }).click();
  });

  it('draws only the agent under test in a crowded suite, and all agents on request', async () => {
    await guardedRun('crowded', 30);
    await open('/run/crowded');
    await page.getByRole('img', { name: 'Return per episode: zeno' }).waitFor();
    await page.getByRole('img', { name: /^Mean return by agent.*zeno/ }).waitFor();
    await page.getByRole('button', { name: /^Show all 31 agents/ }).click();
    await page.getByRole('img', { name: 'Return per episode: house:caller-9' }).waitFor();
    // The way back to the list, and the section that it is in.
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Runs' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Sections' }).locator('[aria-current]').textContent()).toBe('Experiments');
  });

  it('searches, sorts, compares, and deletes runs', async () => {
    for (const run of ['alpha-run', 'beta-run']) await guardedRun(run, 2);
    await open('/runs');
    const rows = page.getByRole('region', { name: 'All runs' }).locator('tbody tr');
    await page.getByLabel('Search runs').fill('ta-run');
    await until(async () => (await rows.count()) === 1);
    expect(await rows.locator('time:visible').count()).toBe(1);
    await page.getByLabel('Search runs').fill('a-run');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await until(async () => (await rows.locator('th a').allTextContents()).join() === 'beta-run,alpha-run');
    await page.getByRole('button', { name: 'Run ↓' }).click();
    await until(async () => (await rows.locator('th a').allTextContents()).join() === 'alpha-run,beta-run');
    // A view keeps filters and order under a name.
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('View name').fill('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'All runs' }).click();
    await until(async () => (await rows.count()) > 2);
    await page.getByRole('link', { name: 'mine' }).click();
    await until(async () => (await rows.locator('th a').allTextContents()).join() === 'alpha-run,beta-run');
    await page.getByRole('button', { name: 'Delete view mine' }).click();
    await page.getByLabel('Select all 2 runs').check();
    await page.getByText('2 runs selected').waitFor();
    await page.getByLabel('Select all 2 runs').uncheck();
    await page.getByLabel('Select alpha-run').check();
    await page.getByLabel('Select beta-run').check();
    expect(await page.getByRole('link', { name: 'Compare', exact: true }).getAttribute('href')).toBe('#/compare?a=alpha-run&b=beta-run');
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByLabel('Select alpha-run').uncheck();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete 1 run and their episodes' }).click();
    await until(async () => (await rows.locator('th a').allTextContents()).join() === 'alpha-run');
    expect(await store.run('beta-run')).toBeNull();
  });

  it('labels episodes by keyboard, with skip and undo, and hides the verdict', async () => {
    await guardedRun('queue', 3);
    await open('/review?run=queue');
    const script = page.getByRole('list', { name: 'Transcript' });
    await script.getByText('No, said 2.').waitFor();
    expect(await script.getByText('leak').count()).toBe(0);
    await page.keyboard.press('j');
    await script.getByText('No, said 1.').waitFor();
    await page.keyboard.press('k');
    await script.getByText('No, said 2.').waitFor();
    await page.keyboard.press('s');
    await script.getByText('No, said 1.').waitFor();
    await page.keyboard.press('1');
    await script.getByText('No, said 0.').waitFor();
    const labels = async () => (await readReviews(store)).filter(({ episode }) => episode.startsWith('queue-')).map(({ label }) => label);
    await until(async () => (await labels()).join() === 'good');
    await page.keyboard.press('u');
    await script.getByText('No, said 1.').waitFor();
    expect(await labels()).toEqual([]);
    // Keys pressed while a label is being stored count, and another reviewer has the whole queue.
    const bothPressed = Promise.withResolvers<void>();
    await page.route('**/api/reviews', async (route) => {
      await bothPressed.promise;
      await route.fulfill({ response: await fetchRouted(route) });
    });
    for (const key of ['1', '2']) await page.keyboard.press(key);
    bothPressed.resolve();
    await until(async () => (await labels()).join() === 'good,bad');
    await page.getByText('Nothing to review').waitFor();
    await page.unroute('**/api/reviews');
    await page.getByLabel('Reviewer', { exact: true }).fill('dora');
    await page.getByText('0 episodes labeled, 3 to go.').waitFor();
    await page.getByLabel('Reviewer', { exact: true }).fill('me');
    for (const episode of ['queue-0', 'queue-1', 'queue-2']) await withdrawReview(store, { episode, by: 'me' }).catch(() => {});
    await page.reload();
    await script.getByText('No, said 2.').waitFor();
    await page.keyboard.press('s');
    await script.getByText('No, said 1.').waitFor();
    // One turn, with the rubric in view; then a second person, a share of the queue, and how far both agree.
    await page.getByLabel('Rubric').selectOption('sotopia');
    await page.getByRole('complementary', { name: 'Rubric' }).getByText('Believability').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await page.getByText('Labels apply to the selected turn.').waitFor();
    await page.keyboard.press('2');
    await script.locator('.badge', { hasText: 'bad' }).waitFor();
    expect((await readTurnLabels(store, 'queue-1')).map(({ event, label }) => [event, label])).toEqual([[2, 'bad']]);
    await page.keyboard.press('u');
    await until(async () => (await readTurnLabels(store, 'queue-1')).length === 0);
    await page.keyboard.press('Escape');
    for (const [by, label] of [
      ['ben', 'good'],
      ['cat', 'bad'],
    ] as const)
      await addReview(store, { episode: 'queue-0', label, by, at: 1 });
    await page.getByText('Assign to several people').click();
    await page.getByLabel('Reviewers').fill('me, ben');
    await page.getByLabel('Shared part (%)').fill('100');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Now: me, ben.').waitFor();
    await page.getByText('0% of the label pairs on 1 episode agree').waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.evaluate('localStorage.clear()');
  });

  it('displays right-to-left text from right to left', async () => {
    await storeGuard('hebrew', 0, 0, 'שלום עולם '.repeat(80));
    await open('/e/hebrew-0');
    await page.locator('.text', { hasText: 'שלום' }).first().waitFor();
    // The last line, which is not full, is on the right.
    const [left, right] = (await page.evaluate(
      `(() => { const element = [...document.querySelectorAll('.text')].find(({ textContent }) => textContent.includes('שלום')); const range = document.createRange(); range.selectNodeContents(element); const line = [...range.getClientRects()].at(-1); const box = element.getBoundingClientRect(); return [line.left - box.left, box.right - line.right]; })()`,
    )) as [number, number];
    expect(left).toBeGreaterThan(right);
  });

  it('seats the user as themselves after a fork', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: 'scripted:minimax', O: 'scripted:minimax' } });
    const at = (await ended(id)).findIndex((event) => event.kind === 'action' && event.seat === 'O');
    await open(`/e/${id}/${at}`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByRole('combobox', { name: 'O', exact: true }).selectOption('human');
    // The old answer is no suggestion for someone else.
    expect(await page.getByLabel('O answers instead').count()).toBe(0);
    await page.getByRole('button', { name: 'Fork and continue' }).click();
    await page.waitForURL(/#\/seat\/[^/]+\/O$/);
    await page.getByText('Your move.').waitFor();
  });
});
