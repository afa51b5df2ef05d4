/** @file Everything is called what it is, however long that is, and comes squeezed. */

import { gzipSync } from 'node:zlib';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { nextFrame, noBrowser } from '../browser.ts';
import { begin, call, ended, open, page, poker, store, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

describe.skipIf(noBrowser !== null)('a displayed name', () => {
  it('never makes a page wider than its window', async () => {
    const long = 'x'.repeat(300);
    const cards = await call<{ source: string; key: string }[]>('/api/personas');
    const from = cards.find(({ source }) => source === 'gallery')?.key;
    const { persona } = await call<{ persona: object }>(`/api/personas/gallery/${from}`);
    const { key } = await call<{ key: string }>('/api/personas/own', { persona: { ...persona, id: 'long', name: long } });
    const id = await begin({ environment: 'social-scene', cast: { ada: `persona:${key}` } });
    await ended(id);
    const places = {
      '/': 'Get started',
      '/personas': 'Characters',
      [`/persona/own/${key}`]: long,
      [`/play?world=social-scene&ada=persona:${key}`]: 'Players',
      [`/e/${id}`]: /Social scene/,
      [`/run/${long}`]: /./,
    };
    await open('/');
    await page.setViewportSize({ width: 390, height: 860 });
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    // The menu scrolls on its own; its words stand next to each other.
    const ends = (await page.evaluate(
      `[...document.querySelectorAll('.menu nav a')].map((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().left + one.scrollWidth])`,
    )) as readonly (readonly [number, number])[];
    expect(ends.length).toBeGreaterThan(3);
    expect(ends.every(([left], i) => i === 0 || left >= (ends[i - 1]?.[1] ?? 0))).toBe(true);
    for (const width of [1360, 390]) {
      await page.setViewportSize({ width, height: 860 });
      for (const [place, heading] of Object.entries(places)) {
        await open(place);
        await page.getByRole('heading', { name: heading }).first().waitFor();
        await nextFrame(page);
        expect(await page.evaluate('document.scrollingElement.scrollWidth'), `${place.slice(0, 40)} at ${width}`).toBeLessThanOrEqual(
          width,
        );
      }
    }
    // However far to the right it is in the menu, the page that is shown is in sight there.
    await open('/models');
    const shown = `[document.querySelector('.menu .inside'), document.querySelector('.menu .inside [aria-current=page]')].map((element) => element.getBoundingClientRect().toJSON())`;
    const [list, link] = (await page.evaluate(shown)) as readonly { readonly left: number; readonly right: number }[];
    expect(link!.left).toBeGreaterThanOrEqual(list!.left - 1);
    expect(link!.right).toBeLessThanOrEqual(list!.right + 1);
  });

  it('keeps the fields of a fork next to each other when a model is named', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: 'random', O: 'random' } });
    await ended(id);
    await open(`/e/${id}/3`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    const boxes = async (name: string) => await page.getByRole('combobox', { name, exact: true }).boundingBox();
    await page.getByRole('combobox', { name: 'X', exact: true }).selectOption('llm:');
    const [x, o] = [await boxes('X'), await boxes('O')];
    expect([o?.y, o?.height]).toEqual([x?.y, x?.height]);
    const crossing = await page.evaluate(`(() => {
      const all = [...document.querySelectorAll('dialog select, dialog input, dialog textarea, dialog small, dialog button')].map((one) => one.getBoundingClientRect());
      return all.some((a, i) => all.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
    })()`);
    expect(crossing).toBe(false);
  });

  it('numbers an event the same in the list, address, inspector, and scrubber', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: 'scripted:minimax', O: 'random' } });
    await ended(id);
    const last = (await store.events(id)).length - 1;
    await open(`/e/${id}`);
    await page.getByText('The episode is over').waitFor();
    await page.getByText(`${last} / ${last}`, { exact: true }).waitFor();
    for (const place of [1, 3, 5]) {
      await page.keyboard.press('Home');
      for (let i = 0; i < place; i++) await page.keyboard.press('ArrowRight');
      const number = await page.locator('.event.chosen button.number').textContent();
      await page.getByRole('heading', { name: `Event ${number}`, exact: true }).waitFor();
      await page.getByText(`${number} / ${last}`, { exact: true }).waitFor();
      expect(page.url()).toMatch(new RegExp(`/${number}$`));
    }
    await page.getByLabel('Scrub').press('End');
    await page.waitForURL(new RegExp(`/e/${id}/${last}$`));
  });

  it('is never a placeholder such as local/RUN', async () => {
    const written = /\b(?:RUN|URL|COMMAND|MODEL|HOST|NAME)\b/;
    const offered = async (names: Locator) => {
      await names.filter({ hasText: /^random$/ }).waitFor({ state: 'attached' });
      return (await names.allTextContents()).filter((name) => written.test(name));
    };
    const seat = page.getByRole('combobox', { name: 'second', exact: true }).locator('option');
    await open('/play?world=kuhn-poker');
    expect(await offered(seat)).toEqual([]);
    const id = await begin(poker);
    await ended(id);
    await open(`/e/${id}/3`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    expect(await offered(seat)).toEqual([]);
    await open('/launch');
    const knownLocator = page.locator('datalist option');
    await knownLocator.and(page.locator('[value="llm:fake"]')).waitFor({ state: 'attached' });
    const names = await knownLocator.evaluateAll((all) => all.map((item) => (item as unknown as { value: string }).value));
    expect(names.filter((name) => written.test(name))).toEqual([]);
  });

  it('is shown in the title of the browser tab', async () => {
    const id = await begin({ environment: 'kuhn-poker', seed: 1, cast: { first: 'random', second: 'human' } });
    await open(`/seat/${id}/second`);
    for (const [place, title] of [
      [`/seat/${id}/second`, 'Kuhn poker: second – Ludus'],
      [`/e/${id}`, 'Kuhn poker – Ludus'],
      ['/run/studio', 'studio – Ludus'],
      ['/runs', 'Runs – Ludus'],
      ['/run/studio', 'studio – Ludus'],
      ['/', 'Home – Ludus'],
    ] as const) {
      await open(place);
      await until(async () => (await page.title()) === title);
    }
  });

  it('is sent compressed only if the browser accepts it', async () => {
    const page = await (await fetch(`${studio.url}/`, { headers: { authorization: `Bearer ${studio.token}` } })).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] as string;
    const read = async (encoding: string) => fetch(`${studio.url}${script}`, { headers: { 'accept-encoding': encoding } });
    const [plain, squeezed] = [await read('identity'), await read('gzip')];
    expect([plain.headers.get('content-encoding'), squeezed.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    const text = await plain.text();
    expect(await squeezed.text()).toBe(text);
    expect(Number(squeezed.headers.get('content-length') ?? gzipSync(text).length)).toBeLessThan(text.length / 2);
    expect(squeezed.headers.get('vary')).toContain('accept-encoding');
  });
});
