/** @file The table of runs with 1,000 of them, in a browser: how long until it is there, sorted, filtered, and searched, and a run is selected. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import type { Browser } from 'playwright-core';
import { enter, nextFrame, removeFolder, startStudio, studioFolder, visit } from '../test/browser.ts';
import type { Figure } from './run.ts';

const environments = ['kuhn-poker@1', 'leduc@1', 'tic-tac-toe@1', 'desk@3'] as const;

/** Every step ends when the table shows what was asked for; the median of three tries is reported. */
export async function measureRuns(browser: Browser, amount: number): Promise<readonly Figure[]> {
  const cwd = studioFolder();
  await fill(cwd, amount);
  const studio = await startStudio(cwd);
  try {
    const page = await enter(await browser.newContext({ viewport: { width: 1360, height: 860 } }), studio);
    const rows = page.getByRole('region', { name: 'All runs' }).locator('tbody tr');
    const first = (name: string) => rows.first().getByText(name).first().waitFor();
    const filters = page.getByRole('form', { name: 'Filter runs' });
    const last = String(amount - 1).padStart(4, '0');
    const tries: Record<string, number[]> = {};
    const time = async (step: string, act: () => Promise<unknown>) => {
      const before = performance.now();
      await act();
      await nextFrame(page);
      tries[step] = [...(tries[step] ?? []), performance.now() - before];
    };
    for (let i = 0; i < 3; i++) {
      await visit(page, studio, '/');
      await time('open the page', async () => {
        await visit(page, studio, '/runs');
        await rows.nth(49).waitFor();
      });
      await time('sort by name, down', async () => {
        await page.getByRole('button', { name: /^Run/ }).click();
        await first(`nightly-${last}`);
      });
      await time('sort by name, up', async () => {
        await page.getByRole('button', { name: /^Run/ }).click();
        await first('nightly-0000');
      });
      await time('search for one run', async () => {
        await page.getByLabel('Search runs').fill(`nightly-${last}`);
        await first(`nightly-${last}`);
      });
      await time('end the search', async () => {
        await page.getByLabel('Search runs').fill('');
        await rows.nth(49).waitFor();
      });
      await time('filter by type', async () => {
        await filters.getByLabel('Type').selectOption('train');
        await page.getByText('No runs match these filters.').waitFor();
      });
      await filters.getByLabel('Type').selectOption('');
      await time('show 100 more', async () => {
        await page.getByRole('button', { name: /^Show .* more/ }).click();
        await rows.nth(Math.min(amount, 150) - 1).waitFor();
      });
      await time('select a run', async () => {
        await rows.first().getByRole('checkbox').click();
        await page.getByText('1 run selected').waitFor();
      });
    }
    // Once, at the end: what is deleted does not come back.
    const all = page.getByRole('checkbox', { name: /^Select all / });
    await visit(page, studio, '/runs');
    await all.check();
    await time('archive all', async () => {
      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await page.getByText('No runs match these filters.').waitFor();
    });
    await page.getByLabel(/Archived \(/).check();
    await all.check();
    await time('restore all', async () => {
      await page.getByRole('button', { name: 'Restore', exact: true }).click();
      await page.getByText('No runs match these filters.').waitFor();
    });
    await visit(page, studio, '/runs');
    await all.check();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await time('delete all', async () => {
      await page.getByRole('button', { name: /^Delete [\d,]+ runs and their episodes/ }).click();
      await page.getByText('No runs yet').waitFor();
    });
    return Object.entries(tries).map(([step, all]) => ({
      name: `${amount} runs: ${step}`,
      value: all.toSorted((a, b) => a - b)[all.length >> 1] ?? null,
      unit: 'ms',
      note: all.length === 1 ? 'once' : `three tries: ${all.map((milliseconds) => Math.round(milliseconds)).join(', ')}`,
    }));
  } finally {
    await studio.kill();
    removeFolder(cwd);
  }
}

/** Runs of two episodes each. */
async function fill(cwd: string, amount: number): Promise<void> {
  mkdirSync(join(cwd, '.ludus'));
  const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
  for (let i = 0; i < amount; i++) {
    const [id, environment] = [`nightly-${String(i).padStart(4, '0')}`, environments[i % environments.length]!];
    await store.putRun({ id, plan: { environments: [], seeds: [], casts: [] }, episodes: 2 });
    for (const seed of [1, 2]) {
      const events: readonly EpisodeEvent[] = [
        { kind: 'start', environment, task: {}, seed, seats: ['first', 'second'], cast: { first: `agent-${i % 7}`, second: 'random' } },
        { kind: 'turn', asks: [{ seat: 'first' }] },
        { kind: 'action', seat: 'first', action: { text: '[bet]' } },
        { kind: 'end', reason: 'over', returns: { first: (i % 5) - 2, second: 2 - (i % 5) }, penalties: {}, turns: 1 },
      ];
      await store.append(`${id}-${seed}`, 0, events, id);
    }
  }
  await store.close();
}
