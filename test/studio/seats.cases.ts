/** @file A seat in a browser: played to the end, in two tabs, and through the death of the server. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { noBrowser, visit } from '../browser.ts';
import { answer, begin, call, ended, open, page, poker, startAgain, store, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

describe.skipIf(noBrowser !== null)('a seat', () => {
  it('is played to the end with buttons, board, and text, and survives a refresh', async () => {
    await open('/play?world=tic-tac-toe');
    await page.getByRole('combobox', { name: 'O', exact: true }).selectOption('random');
    await page.getByRole('button', { name: 'Start game' }).click();
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
    await page.getByLabel('Your answer').fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('is not a move here').waitFor();
    const over = page.getByText(/Game over. Your return:/);
    // Whatever can be pressed right now is pressed, in the page itself: between a look and a click from outside the turn may have passed.
    await until(async () => {
      await page.evaluate(`document.querySelector('.moves button:not(:disabled)')?.click()`);
      return (await over.count()) > 0;
    });
    await page.getByRole('link', { name: 'Show the full episode' }).click();
    await page.getByText('The episode is over').waitFor();
  });

  it('shows the same in a second tab, which rejects a move that was already made', async () => {
    const id = await begin({ environment: 'kuhn-poker', seed: 4, cast: { first: 'human', second: 'scripted:bold' } });
    const item = await open(`/seat/${id}/first`);
    const two = await page.context().newPage();
    await visit(two, studio, `/seat/${id}/first`);
    await item.getByText('Your move.').waitFor();
    await two.getByText('Your move.').waitFor();
    await two.route('**/stream*', (route) => route.abort());
    await item.getByRole('button', { name: 'bet', exact: true }).click();
    await item.getByText(/Game over/).waitFor();
    await two.unroute('**/stream*');
    await two.reload();
    await two.getByText(/Game over/).waitFor();
    await two.close();
    const { error } = await call<{ error: string }>(`/api/episodes/${id}/answer`, { seat: 'first', text: '[bet]', turn: 1 });
    expect(error).toMatch(/no longer being played here|already answered/);
  });

  it('resumes without a reload or gap after the server was killed', async () => {
    const id = await begin({ ...poker, cast: { first: 'human', second: 'scripted:honest' }, task: { rounds: 8 } });
    const [seat, unloaded, runs] = [await page.context().newPage(), await page.context().newPage(), await page.context().newPage()];
    await visit(seat, studio, `/seat/${id}/first`);
    await visit(unloaded, studio, '/play?world=tic-tac-toe');
    await unloaded.getByRole('button', { name: 'Start game' }).waitFor();
    await seat.getByText('Your move.').waitFor();
    await open(`/e/${id}`);
    await answer(id, 'first', 3);
    await page.locator('.event').nth(4).waitFor();
    // A table of episodes that is asked for only once the server is gone; the list above it has come before.
    let release = () => {};
    const gone = new Promise<void>((resolve) => {
      release = resolve;
    });
    await runs.route('**/api/runs/episodes?*', async (route) => {
      await gone;
      await route.continue();
    });
    await visit(runs, studio, '/runs');
    await runs.getByRole('link', { name: 'studio' }).waitFor();
    await studio.kill();
    release();
    await runs.getByRole('alert').filter({ hasText: 'The server is not responding' }).waitFor();
    await page.getByText('connection lost').waitFor();
    // A page whose files this tab has never read, and one that has its files and no data.
    await unloaded.evaluate(`location.hash = '#/fleet'`);
    await unloaded.getByRole('heading', { name: 'Not connected' }).waitFor();
    // The seat, viewed again while it waits for an answer.
    await seat.evaluate(`location.hash = '#/e/${id}'`);
    await seat.getByRole('heading', { name: 'Not connected' }).waitFor();
    await seat.evaluate(`location.hash = '#/seat/${id}/first'`);
    await seat.getByRole('heading', { name: 'Not connected' }).waitFor();
    const before = await store.events(id);
    expect(before.at(-1)?.kind).not.toBe('end');
    await startAgain();
    await until(async () => (await runs.getByText('The server is not responding').count()) === 0);
    await runs
      .getByText(/\d+ episodes? (?:loaded|found)/)
      .first()
      .waitFor();
    await unloaded.getByRole('heading', { name: 'Workers', exact: true }).waitFor();
    await seat.getByText('Your move.').waitFor();
    await seat.keyboard.press('1');
    await until(async () => (await store.events(id)).length > before.length);
    await answer(id, 'first');
    await page.getByText('The episode is over').waitFor();
    await seat.getByText(/Game over. Your return:/).waitFor();
    const log = await ended(id);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(replay(await builtInEnvironment('kuhn-poker'), log)).toBeNull();
    await page.getByText(/^\d+ \/ \d+$/).waitFor();
    const last = log.length - 1;
    expect(await page.getByText(/^\d+ \/ \d+$/).textContent()).toBe(`${last} / ${last}`);
    await Promise.all([seat, unloaded, runs].map((tab) => tab.close()));
  });
});
