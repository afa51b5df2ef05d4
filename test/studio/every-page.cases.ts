/** @file The pages beside the stage, looked at by an accessibility engine, in light and dark, and at the width of a phone. */

import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, pageOrigin, widerThan } from '../browser.ts';
import { open, page, shown, studio } from '../fixtures/studio-page.ts';

describe.skipIf(noBrowser !== null)('every page', () => {
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

  it.each(places)('%s is fit for everybody, in light and dark, and for a phone', async (place, word) => {
    await open(place);
    await shown(word);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 380)).toBeLessThanOrEqual(0);
  });

  it('says that it loads before its program has come', async () => {
    const slow = await page.context().newPage();
    await slow.route('**/*.js', () => {});
    await slow.goto(`${pageOrigin(studio.url)}/#/play`, { waitUntil: 'commit' });
    await slow.getByRole('status').getByText('Loading the studio').waitFor();
    await slow.close();
  });
});
