/** @file The pages next to the stage, looked at by an accessibility engine, in light and dark, and at the width of a phone. */

import { describe, expect, it } from 'vitest';
import { accessibility, fetchRouted, noBrowser, pageOrigin, widerThan } from '../browser.ts';
import { open, page, shown, studio } from '../fixtures/studio-page.ts';

describe.skipIf(noBrowser !== null)('every page next to the stage', () => {
  const places = [
    ['/personas', 'Marta Rook'],
    ['/population', 'Examples'],
    ['/chat', 'Choose a character'],
    ['/lesson/kuhn-tabular-1', 'Current policy'],
    ['/create', 'Templates'],
    ['/create?what=scene', 'A favour'],
    ['/models', 'Prices'],
    ['/run/baseline', 'Ranking'],
    ['/compare?a=random&b=scripted:honest&run=baseline', 'paired episodes'],
    ['/training/kuhn-tabular-1', '12 decisions'],
    ['/improving', 'New optimization run'],
    ['/boards', 'Judge reliability'],
    ['/board/arena-kuhn-poker-1234', 'Ranking'],
    ['/fleet', 'No workers and no queued jobs'],
    ['/run/nothing', 'Not found'],
  ] as const;

  it.each(places)('%s is accessible in light and dark mode, and fits a phone', async (place, word) => {
    await open(place);
    await shown(word);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 380)).toBeLessThanOrEqual(0);
  });

  it('leaves room for text on a phone, in comments and next to checkpoints', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/training/kuhn-tabular-1');
    const comment = page.getByRole('textbox', { name: 'Comment', exact: true });
    await comment.waitFor();
    expect((await comment.boundingBox())?.width).toBeGreaterThan(200);
    const update = page
      .getByRole('region', { name: 'Checkpoints' })
      .getByText(/^update/)
      .first();
    expect((await update.boundingBox())?.height).toBeLessThan(40);
    // The page that a page belongs to is marked in the menu, though it is not in the menu itself.
    await open('/trainings');
    await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]', { hasText: 'Training' }).waitFor();
  });

  it('shows what follows a list together with it, so that nothing moves when the list arrives', async () => {
    const released = Promise.withResolvers<void>();
    await page.route('**/api/runs', async (route) => {
      await released.promise;
      await route.fulfill({ response: await fetchRouted(route) });
    });
    await open('/runs');
    await page.getByText('Loading runs').waitFor();
    const episodes = page.locator('h2', { hasText: 'Episodes' });
    await episodes.waitFor({ state: 'attached' });
    expect(await episodes.isVisible()).toBe(false);
    released.resolve();
    await episodes.waitFor();
    await page.unroute('**/api/runs');
  });

  it('shows a loading message before its script arrives', async () => {
    const slow = await page.context().newPage();
    await slow.route('**/*.js', () => {});
    await slow.goto(`${pageOrigin(studio.url)}/#/play`, { waitUntil: 'commit' });
    await slow.getByRole('status').getByText('Loading the studio').waitFor();
    await slow.close();
  });
});
