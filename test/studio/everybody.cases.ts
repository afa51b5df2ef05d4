/** @file Every page looked at by an accessibility engine, in light and dark, and at the width of a phone. */

import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { begin, call, ended, open, page } from '../fixtures/studio-page.ts';

describe.skipIf(noBrowser !== null)('the accessibility of the studio', () => {
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

  it('fails for text with low contrast in light or dark mode, even if only faded', async () => {
    await open('/nothing/here');
    const pale = async (style: string) => {
      await page.evaluate(`document.querySelector('h1').style = ${JSON.stringify(style)}`);
      return (await accessibility(page)).map((item) => item.split(', ', 1)[0]);
    };
    expect(await pale('color: #bbb; font-size: 16px')).toEqual(['in light']);
    expect(await pale('color: #444; font-size: 16px')).toEqual(['in dark']);
    expect(await pale('opacity: 0.3')).toEqual(['in dark', 'in light']);
    expect(await pale('')).toEqual([]);
  });

  it.each(Object.keys(places))('%s is accessible in light and dark mode, and fits a phone', async (name) => {
    await open(await places[name]!());
    await page.locator('h1').waitFor();
    await page.locator('.spinner').first().waitFor({ state: 'detached' });
    expect(await accessibility(page), name).toEqual([]);
    expect(await widerThan(page, 360), `${name} is wider than a phone`).toBeLessThanOrEqual(0);
  });
});
