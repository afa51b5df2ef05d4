/** @file Runs and boards in a browser. */

import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fetchRouted, noBrowser } from '../browser.ts';
import { call, open, page, shown, store, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

/** A run in which ann wins every hand from ben. */
async function winEveryHand(run: string): Promise<void> {
  const [played] = await store.episodes({ run: 'baseline', limit: 1 });
  const log = await store.events(played!.id);
  await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [], casts: [] }, episodes: 6 });
  for (let seed = 0; seed < 6; seed++) {
    const hand = log.map((event) => {
      if (event.kind === 'start') return { ...event, seed, cast: { first: 'ann', second: 'ben' } };
      return event.kind === 'end' ? { ...event, returns: { first: 1, second: -1 } } : event;
    });
    await store.append(`${run}-${seed}`, 0, hand, run);
  }
}

describe.skipIf(noBrowser !== null)('the runs pages', () => {
  it('render few of hundreds of episodes, load more on scrolling, and filter by address', async () => {
    await open('/runs');
    await page.getByRole('link', { name: 'baseline' }).waitFor();
    await shown('200 episodes loaded');
    expect(await page.locator('.episode').count()).toBeLessThan(60);
    await until(async () => {
      await page.locator('.episodes .frame').evaluate((list) => list.scrollTo(0, list.scrollHeight));
      return (await page.getByText(/[4-9]\d\d episodes loaded/).count()) > 0;
    });
    await page.getByLabel('Agent').fill('scripted:honest');
    await page.waitForURL(/agent=scripted/);
    await page.getByLabel('Status').selectOption('error');
    await shown('No episodes match these filters.');
  });

  it('break no agent name in the scrollable list on a phone', async () => {
    await open('/runs');
    await page.setViewportSize({ width: 390, height: 844 });
    const names = page.getByRole('region', { name: 'All runs' }).locator('td.text').filter({ hasText: 'random' }).first();
    await names.waitFor();
    // The word is in one line, so that it has one rectangle.
    const rectangles = `((text) => {
      const range = document.createRange();
      const at = text.data.indexOf('random');
      range.setStart(text, at);
      range.setEnd(text, at + 6);
      return range.getClientRects().length;
    })([...document.querySelectorAll('td.text')].find((one) => one.textContent.includes('random')).firstChild)`;
    expect(await page.evaluate(rectangles)).toBe(1);
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(390);
    // Nor is it cut off in the list of episodes.
    await page.locator('.episode .grow').first().waitFor();
    expect(
      await page.evaluate(`[...document.querySelectorAll('.episode .grow')].filter((one) => one.scrollWidth > one.clientWidth).length`),
    ).toBe(0);
    await page.setViewportSize({ width: 1360, height: 860 });
  });

  it('report that all episodes of a run failed, and plot equal returns on a proper axis', async () => {
    // Means come with the report, which needs two episodes.
    const played = await store.episodes({ run: 'baseline', limit: 2 });
    const logs = await Promise.all(played.map(({ id }) => store.events(id)));
    const fault = { boundary: 'agent', seat: 'first', message: 'The bot answered 500.' } as const;
    for (const run of ['all-failed', 'all-even']) {
      await store.putRun({ id: run, plan: { name: run, environments: [], seeds: [], casts: [] }, episodes: 0 });
      for (const [i, log] of logs.entries()) {
        const hand = log.map((event) => {
          if (event.kind !== 'end') return event;
          return run === 'all-failed' ? { ...event, reason: 'error' as const, fault } : { ...event, returns: { first: 0, second: 0 } };
        });
        await store.append(`${run}-${i}`, 0, hand, run);
      }
    }
    await open('/run/all-failed');
    await shown('No finished episodes: 2 episodes failed. Open one to see the reason.');
    expect(await page.getByText(/planned/).count()).toBe(0);
    await open('/run/all-even');
    const ticks = page.getByRole('img', { name: /^Mean return by agent/ }).locator('.tick');
    await ticks.first().waitFor();
    expect(await ticks.allTextContents()).toEqual(['0', '50', '100']);
  });

  it('show a run with plots, standings, and text, and compare two agents', async () => {
    await open('/run/baseline');
    await page.getByRole('img', { name: /^Mean return by agent/ }).waitFor();
    await page.getByRole('img', { name: /^Return per episode: random/ }).waitFor();
    await shown('Ranking');
    // What intervals speak about is chosen by a control, and is in the address.
    const over = page.getByRole('combobox', { name: 'Confidence intervals for' });
    await over.selectOption('tasks');
    await page.waitForURL(/over=tasks/);
    // One task cannot speak about others: the sentence says so, and the choice stays available.
    await shown(/An interval over tasks needs at least two tasks/);
    await over.selectOption('seeds');
    await page.waitForURL(/over=seeds/);
    await shown(/Intervals are about new seeds/);
    // However small a p is, it is never said to be 0.
    await page.route('**/api/runs/compare*', async (route) => {
      const response = await fetchRouted(route);
      await route.fulfill({ response, json: { ...((await response.json()) as object), p: 1e-9 } });
    });
    await page.getByRole('link', { name: 'Compare agents' }).click();
    await shown(/paired episodes/);
    await page.locator('.facts').getByText('< 0.0001').waitFor();
    await page.unroute('**/api/runs/compare*');
    await page.getByRole('img', { name: /^Paired differences/ }).waitFor();
    await page.getByLabel('B', { exact: true }).fill('nobody');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('alert').filter({ hasText: 'nobody' }).waitFor();
  });

  it('create a report in the background without blocking other pages', async () => {
    await winEveryHand('held');
    // A report reads the cards of judges. This one cannot be read to its end for as long as it is held open here, which stops whoever reads it.
    const folder = join(studio.cwd, '.ludus', 'trust');
    mkdirSync(folder, { recursive: true });
    const card = join(folder, 'held.json');
    execFileSync('mkfifo', [card]);
    let descriptor: number | undefined;
    try {
      await open('/run/held');
      // It can be opened so once someone reads it.
      descriptor = await until(() => openSync(card, constants.O_WRONLY | constants.O_NONBLOCK));
      await page.getByText('Loading report').waitFor();
      for (const [place, heading] of Object.entries({
        '/personas': 'Characters',
        '/models': 'Models',
        '/runs': 'Runs',
        '/': 'Get started',
      })) {
        await open(place);
        await page.getByRole('heading', { name: heading, exact: true }).waitFor();
        await page.locator('.spinner').first().waitFor({ state: 'detached' });
      }
      await open('/run/held');
      await page.getByText('Loading report').waitFor();
      expect(await page.getByRole('heading', { name: /^Standings by/ }).count()).toBe(0);
    } finally {
      unlinkSync(card);
      if (descriptor !== undefined) closeSync(descriptor);
    }
    await page.getByRole('heading', { name: /^Standings by/ }).waitFor();
  });

  it('never call a perfect episode the worst', async () => {
    await winEveryHand('perfect');
    await open('/run/perfect');
    const moments = page.getByRole('region', { name: 'Highlights' }).getByRole('listitem');
    await moments.first().waitFor();
    const kinds = (await moments.locator('p').allTextContents()).map((moment) => /^(worst|best) (ann|ben)/.exec(moment)?.[0]);
    expect(new Set(kinds)).toEqual(new Set(['best ann', 'worst ben']));
  });

  it('give an agent the same color in plots and at a table', async () => {
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await open('/run/baseline');
    const marks = page.getByRole('img', { name: /^Mean return by agent/ }).locator('g[class^=curve-]');
    const agents = ['random', 'scripted:honest'];
    const inPlot = await Promise.all(agents.map((agent) => marks.filter({ hasText: agent }).first().getAttribute('class')));
    const { rows } = await call<{ rows: readonly { id: string; cast: Readonly<Record<string, string>> }[] }>(
      '/api/runs/episodes?run=baseline',
    );
    await open(`/e/${rows.find(({ cast }) => cast['first'] === 'scripted:honest')!.id}`);
    const seats = page.locator('.standing li');
    const atTable = await Promise.all(agents.map((agent) => seats.filter({ hasText: agent }).locator('.avatar').getAttribute('class')));
    expect(atTable.map((look) => /face-(\d)/.exec(look ?? '')?.[1])).toEqual(inPlot.map((look) => /curve-(\d)/.exec(look ?? '')?.[1]));
    expect(new Set(inPlot).size).toBe(2);
  });
});

describe.skipIf(noBrowser !== null)('the boards', () => {
  it('rank the agents of an arena and grade a judge', async () => {
    await open('/boards');
    await page.getByLabel('Rubric').selectOption('coser');
    await page.getByLabel('Judge', { exact: true }).fill('fake:constant');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('grade C').waitFor();
    await page.getByRole('link', { name: 'Kuhn poker' }).click();
    await shown('Ranking');
    await page.getByRole('img', { name: /^Rating/ }).waitFor();
  });
});
