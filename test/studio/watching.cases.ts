/** @file The stage in a browser: watching, scrubbing, forking. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { begin, call, ended, open, page, poker, store } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

describe.skipIf(noBrowser !== null)('the stage', () => {
  it('shows a demonstration live from home, and home lists it', async () => {
    await open('/');
    await page.getByRole('button', { name: 'Start: Self-play poker' }).click();
    await page.waitForURL(/#\/e\//);
    // It goes on by the clock, however slow the page is: any hand will do.
    await page
      .locator('.felt')
      .getByText(/^Hand \d+ of 12$/)
      .waitFor();
    await call(`/api/episodes/${new URL(page.url()).hash.split('/')[2]}/stop`, {});
    // One that waits for a person is live for as long as it takes to look at it.
    const id = await begin({ ...poker, task: { rounds: 2 }, cast: { first: 'human', second: 'scripted:honest' } });
    await page.getByRole('link', { name: 'Ludus' }).click();
    await page.locator(`a[href="#/e/${id}"]`).getByText('Watch', { exact: true }).click();
    await page.getByText('● live').waitFor();
    await page.getByText('Hand 1 of 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Canceled', { exact: true }).waitFor();
  });

  it('shows only the view of one seat, and opens any event by its address', async () => {
    const id = await begin({ ...poker, task: { rounds: 2 } });
    await ended(id);
    await open(`/e/${id}`);
    await page.getByText('The episode is over').waitFor();
    const observedLocator = page.locator('.event').getByText(/^Your card is/);
    expect(await page.getByRole('img', { name: /^first: / }).count()).toBe(1);
    await page.getByLabel('View as').selectOption('second');
    await page.waitForURL(/seat=second/);
    await page.getByText('The episode is over').waitFor();
    await page.getByRole('button', { name: 'Event 0: inspect' }).click();
    await page.keyboard.press('End');
    const texts = await observedLocator.allTextContents();
    const log = await store.events(id);
    const ownItems = log.flatMap((event) =>
      event.kind === 'message' && event.to.includes('second') && event.text.startsWith('Your card') ? [event.text] : [],
    );
    expect(texts).toEqual(ownItems);
    const at = log.findIndex(({ kind }) => kind === 'action');
    await open(`/e/${id}/${at}`);
    await page.getByRole('heading', { name: `Event ${at}` }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(new RegExp(`/e/${id}/${at + 1}`));
  });

  it('replays by itself, hiding later events until their turn', async () => {
    const id = await begin({ ...poker, task: { rounds: 1 } });
    await ended(id);
    await open(`/e/${id}`);
    await page.getByText('The episode is over').waitFor();
    await page.getByLabel('Speed').selectOption('40');
    // Watched from within: at this speed the end may be back before someone outside has looked.
    await page.evaluate(`void (globalThis.vanished = new Promise((resolve) =>
      new MutationObserver(() => document.body.textContent.includes('The episode is over') || resolve(true))
        .observe(document.body, { childList: true, subtree: true, characterData: true })))`);
    await page.keyboard.press('Space');
    expect(await page.evaluate('globalThis.vanished')).toBe(true);
    await page.getByText('The episode is over').waitFor();
    await page.getByRole('button', { name: 'Score', exact: true }).click();
    await page.keyboard.press('End');
    await page
      .getByRole('rowheader', { name: /^return/ })
      .first()
      .waitFor();
  });

  it('draws a town with locations by hour, the spread of the news, and closed places', async () => {
    const cast = { ada: 'scripted:crier', ben: 'scripted:crier', cleo: 'scripted:hermit' };
    const id = await begin({ environment: 'town', seed: 1, task: { people: 3, hours: 2, plan: false }, cast });
    const log = await ended(id);
    await open(`/e/${id}/${log.findIndex(({ kind }) => kind === 'turn')}`);
    const map = page.locator('figure.map');
    await map.getByRole('img', { name: /^Map: home with ada, ben, cleo; cafe; .*tavern, closed\.$/ }).waitFor();
    await map.getByText('Day 1, 08:00, 1 of 3 know the news (marked)').waitFor();
    expect(await map.locator('.marked').allTextContents()).toEqual(['ada']);
    await page.getByRole('button', { name: 'after ›' }).click();
    await map.getByRole('img', { name: /^Map: home with cleo;.* square with ada, ben;/ }).waitFor();
    await map.getByText('Day 1, 08:00 to 09:00, 2 of 3 know the news (marked)').waitFor();
    expect(await map.locator('.marked').allTextContents()).toEqual(['ada', 'ben']);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    // One seat sees its own company, and no news of others.
    await page.getByLabel('View as').selectOption('cleo');
    await map.getByRole('img', { name: /^Map: home with cleo; cafe;.* square; tavern, closed\.$/ }).waitFor();
    expect(await map.locator('.marked').count()).toBe(0);
  });

  it('forks at the current event with another answer, and shows both branches', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: 'scripted:minimax', O: 'scripted:minimax' } });
    const log = await ended(id);
    const at = log.findIndex((event) => event.kind === 'action' && event.seat === 'O');
    const choices =
      (log.slice(0, at).findLast(({ kind }) => kind === 'turn') as Extract<EpisodeEvent, { kind: 'turn' }>).asks[0]?.choices ?? [];
    const observedText = (log[at] as Extract<EpisodeEvent, { kind: 'action' }>).action.text;
    const other = choices.find((choice) => choice !== observedText) as string;
    await open(`/e/${id}/${at}`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByLabel('O answers instead').fill(other);
    await page.getByRole('combobox', { name: 'X', exact: true }).selectOption('random');
    await page.getByRole('button', { name: 'Fork and continue' }).click();
    await page.waitForURL(/branches/);
    await page.getByText(`the first ${at} events are shared`).waitFor();
    const returns = page.getByRole('list', { name: 'Change of returns' });
    await returns.waitFor();
    // Aligned where they part: the other answer stands next to the one that was given, in one list, and is marked.
    const first = page.locator('.pair').first();
    expect(await first.getAttribute('class')).toContain('differs');
    expect(await first.getByRole('button', { name: `Event ${at}: inspect` }).count()).toBe(2);
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
    await tree.getByText('is itself a branch').waitFor();
  });

  it('scrolls two branches line by line, from either side', async () => {
    const id = await begin({ ...poker, task: { rounds: 12 } });
    await ended(id);
    const { episode: branch } = await call<{ episode: string }>(`/api/episodes/${id}/fork`, { at: 4, seed: 9 });
    await ended(branch);
    await open(`/branches/${id}/${branch}`);
    await page.getByRole('button', { name: 'Event 4: inspect' }).nth(1).waitFor();
    // The lines in sight on each side: how high each stands, and the number of the first.
    const inSight = async () =>
      (await page.evaluate(`(() => {
        const frame = document.querySelector('.transcript').getBoundingClientRect();
        const all = [...document.querySelectorAll('.transcript button.number')].map((one) => ({ box: one.getBoundingClientRect(), number: Number(one.textContent) }));
        const seen = all.filter(({ box }) => box.top >= frame.top && box.bottom <= frame.bottom).sort((a, b) => a.box.top - b.box.top);
        const [left, right] = [true, false].map((isLeft) => seen.filter(({ box }) => box.left < frame.left + frame.width / 2 === isLeft));
        return [left, right].map((side) => ({ first: side[0].number, heights: side.map(({ box }) => Math.round(box.top)) }));
      })()`)) as readonly { readonly first: number; readonly heights: readonly number[] }[];
    await page.locator('.transcript').scrollIntoViewIfNeeded();
    const frame = (await page.locator('.transcript').boundingBox())!;
    let before = await inSight();
    for (const share of [0.25, 0.75]) {
      await page.mouse.move(frame.x + frame.width * share, frame.y + frame.height / 2);
      await page.mouse.wheel(0, 500);
      const after = await until(inSight, (matches) => matches.every(({ first }, side) => first > before[side]!.first));
      expect(after[0]!.heights.length).toBeGreaterThan(2);
      expect(after[1]!.heights).toEqual(after[0]!.heights);
      before = after;
    }
  });
});
