/** @file Training and improving in a browser. */

import type { HomeShown, PolicyShown, RunShown, TrainingDetail } from '@ludus-agents/servers/internal/studio/api';
import { describe, expect, it } from 'vitest';
import { accessibility, fetchRouted, nextFrame, noBrowser, widerThan } from '../browser.ts';
import { call, countClicks, open, page, readAgain, shown } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

/** A canvas as it is in the page, whose types are not known here. */
interface Drawn {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): { getImageData(...box: readonly number[]): { readonly data: Uint8ClampedArray } };
}

/** How light what is drawn on a canvas is, from 0 to 255. */
function meanInk(canvas: unknown): number {
  const { width, height } = canvas as Drawn;
  const { data } = (canvas as Drawn).getContext('2d').getImageData(0, 0, width, height);
  let [light, draw] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    light += (data[at + 3]! * (data[at]! + data[at + 1]! + data[at + 2]!)) / 3;
    draw += data[at + 3]!;
  }
  return light / draw;
}

describe.skipIf(noBrowser !== null)('the learning pages', () => {
  it('train with live, plain-language progress, and deal the first hand with one click', async () => {
    await open('/training');
    await page.getByRole('link', { name: 'New training run' }).click();
    await page.getByRole('searchbox', { name: 'Search recipes' }).fill('kuhn-tabular');
    await page
      .getByRole('button', { name: /^kuhn-tabular\b/ })
      .first()
      .click();
    await page.getByLabel('Games', { exact: true }).fill('40000');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/training\/kuhn-tabular-1/);
    await page.locator('figure.plot canvas').first().waitFor();
    await page.getByText('12 decisions.').waitFor();
    expect(await page.locator('table.policy tbody tr').count()).toBe(12);
    // The table says which checkpoint it is, and of when; it is the one that was written last.
    await page.getByText('training', { exact: true }).waitFor({ state: 'detached' });
    const { checkpoints } = await call<TrainingDetail>('/api/training/of/kuhn-tabular-1');
    const best = checkpoints.find(({ name }) => name === 'best')?.update ?? 0;
    await page.getByText(`The checkpoint best, as it was after update ${best.toLocaleString('en')}.`).waitFor();
    await page.getByRole('link', { name: 'Summary' }).click();
    await page.getByText(/Random play loses 0\.458; 0 cannot be beaten/).waitFor();
    expect(await page.locator('.plots.wide canvas').count()).toBe(1);
    // The terms of the field are one click away.
    const terms = page.getByText(/is trained by .* in self-play, .* Its exploitability is/);
    expect(await terms.isVisible()).toBe(false);
    await page.getByText('Technical details').click();
    await terms.waitFor();
    // From the address that "npm start" opens, and from Home, one click deals the first hand.
    for (const place of ['/lesson', '/']) {
      await open(place);
      const clicks = await countClicks();
      await page.getByRole('button', { name: 'Play against your agent' }).click();
      await page.waitForURL(/#\/seat\//);
      await page.getByText('You play against local/kuhn-tabular-1@last on second.').waitFor();
      await shown(/Your card/);
      expect(await clicks()).toBe(1);
    }
    // A training is no run of episodes: Home leads to its own page, where it is one of the latest runs.
    await page.route('**/api/home', async (route) => {
      const response = await fetchRouted(route);
      const home = (await response.json()) as HomeShown;
      const training: RunShown = { ...home.runs[0]!, id: 'kuhn-tabular-1', title: 'kuhn-poker', kind: 'train' };
      await route.fulfill({ response, json: { ...home, runs: [training] } });
    });
    await open('/');
    await page.getByRole('link', { name: 'kuhn-tabular-1', exact: true }).click();
    await page.waitForURL(/#\/training\/kuhn-tabular-1/);
    await page.unroute('**/api/home');
    // Trained ones are offered by their names, and no word that only says how a name is written.
    await open('/play?world=kuhn-poker');
    const options = page.getByRole('combobox', { name: 'second', exact: true }).locator('option');
    await options.filter({ hasText: 'trained: kuhn-tabular-1 (best)' }).waitFor({ state: 'attached' });
    const offered = await options.allTextContents();
    expect(offered.filter((item) => /RUN|URL|COMMAND|MODEL/.test(item))).toEqual([]);
  });

  it('plot training runs with bands, smoothing, log axes, and setting differences, and keep notes', async () => {
    // The lesson is opened when it has only just begun: what is said and how it plays follow by themselves.
    await call('/api/training', { recipe: 'kuhn-tabular', seed: 2, games: 8000 });
    await open('/lesson/kuhn-tabular-2');
    await page.getByRole('heading', { name: 'Your agent has learned Kuhn poker' }).waitFor();
    const { rows, update } = await call<PolicyShown>('/api/training/of/kuhn-tabular-2/policy?at=last');
    expect(update).toBeGreaterThan(0);
    const chances = rows.flatMap(({ policy }) => policy.map((chance) => `${(chance * 100).toFixed(0)}%`)).sort();
    const sampledLocator = page.locator('table.policy .number:not(.muted)');
    await until(async () => (await sampledLocator.allTextContents()).sort().join() === chances.join());
    await open('/training/kuhn-tabular-2');
    await page.getByText('Name, tags, note, archive').click();
    await page.getByLabel('Name', { exact: true }).fill('the second');
    await page.getByLabel('Note').fill('With other dice.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'the second' }).waitFor();
    await until(async () => (await call<TrainingDetail>('/api/training/of/kuhn-tabular-2')).going === false);
    await open('/training');
    await page.getByRole('heading', { name: 'kuhn-tabular', exact: true }).waitFor();
    for (const run of ['kuhn-tabular-1', 'kuhn-tabular-2']) await page.getByLabel(`Compare ${run}`).check();
    // The words of a main button are as pale as other buttons turn under the pointer: it keeps its ground.
    const ground = () =>
      page.getByRole('button', { name: 'Compare 2' }).evaluate((item) => {
        const { getComputedStyle } = globalThis as unknown as { getComputedStyle(one: unknown): { backgroundColor: string } };
        return getComputedStyle(item).backgroundColor;
      });
    const before = await ground();
    await page.getByRole('button', { name: 'Compare 2' }).hover();
    expect(await ground()).toBe(before);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Compare 2' }).click();
    const plot = page.locator('figure.plot').filter({ hasText: 'Exploitability' });
    const legend = plot.locator('.u-legend');
    await legend.getByText('the second').waitFor();
    await legend.getByText('random play').waitFor();
    await page.getByRole('columnheader', { name: 'training.games' }).waitFor();
    // Each has its own color, here and in the list.
    const colours = await legend
      .locator('.u-marker')
      .evaluateAll((all) => all.map((item) => (item as unknown as { style: { borderColor: string } }).style.borderColor));
    expect(new Set(colours.slice(1, 3)).size).toBe(2);
    await page.getByLabel('Group by').selectOption('recipe');
    await legend.getByText('kuhn-tabular, 2 seeds').waitFor();
    await page.getByLabel('Logarithmic y-axis').check();
    await page.getByLabel(/^Smoothing/).fill('0.7');
    await page.waitForURL(/by=recipe.*(logy=1.*smooth=0.7|smooth=0.7.*logy=1)/);
    // Values where the pointer is.
    await plot.locator('.u-over').hover();
    await until(async () => /kuhn-tabular, 2 seeds.*0\.\d/.test((await legend.textContent()) ?? ''));
    // A zoom stays when numbers come in again.
    const box = (await plot.locator('.u-over').boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
    await page.mouse.up();
    const axis = () => plot.locator('canvas').evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL());
    await nextFrame(page);
    const zoomed = await axis();
    await Promise.all([page.waitForResponse(/api\/training\/compare/), readAgain()]);
    await page.mouse.move(0, 0);
    await nextFrame(page);
    expect(await axis()).toBe(zoomed);
    // In other colors a plot is drawn again: lines that are pale on white are dark on black.
    const ink = () => plot.locator('canvas').evaluate(meanInk);
    const inLight = await ink();
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await ink()) < inLight - 20);
    await page.emulateMedia({ colorScheme: 'light' });
    await until(async () => (await ink()) > inLight - 10);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await open('/training/kuhn-tabular-2');
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Restore from the archive' }).waitFor();
    await open('/training');
    await page.getByRole('button', { name: 'Show archived (1)' }).click();
    await page.getByText('With other dice.').waitFor();
  });

  it('show an improvement live and restore a candidate', async () => {
    await open('/improving');
    await page.getByLabel('Engine').selectOption('gepa');
    await page.getByLabel('Calls').fill('80');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/improving\/instruction-demo/);
    await page.getByRole('heading', { name: 'Report', exact: true }).waitFor();
    const start = page.getByRole('link', { name: /^Start, not judged/ }).first();
    await start.press('Enter');
    await shown('Initial candidate');
    await page.getByRole('button', { name: 'Restore this candidate' }).click();
    await shown('Current: rolled back');
    await page
      .getByRole('link', { name: /^Candidate .*(accepted|rejected)/ })
      .first()
      .press('Enter');
    await page.locator('.diff li').first().waitFor();
    // Its episodes name candidates by the same numbers; the hash is in the tooltip.
    const run = decodeURIComponent(new URL(page.url()).hash.split('/')[2]!.split('?', 1)[0]!);
    await open(`/run/${run}`);
    await page
      .locator('.episode .clip')
      .getByText(/\((candidate \d+|start)\)/)
      .first()
      .waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/@[0-9a-f]{8}/);
    await open('/improving');
    await page.getByRole('link', { name: 'instruction-demo: gepa, seed 1' }).first().waitFor();
  });
});
