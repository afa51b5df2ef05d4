/** @file What one set up, wrote or chose stays. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import type { EpisodeShown } from '@ludus-agents/servers/internal/studio/api';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../browser.ts';
import { begin, call, ended, open, page, readAgain, store } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

const queryOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?', 2)[1]);

describe.skipIf(noBrowser !== null)('user choices', () => {
  it('persist to the next game: opponent, parameters, alternating seats, running score, and move keys', async () => {
    const id = await begin({ environment: 'kuhn-poker', seed: 5, task: { rounds: 1 }, cast: { first: 'scripted:bold', second: 'human' } });
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`/seat/${id}/second`);
    await page.getByText('You play against scripted:bold on first.').waitFor();
    const move = await page.locator('.moves button').first().boundingBox();
    expect((move?.y ?? 9999) + (move?.height ?? 0)).toBeLessThanOrEqual(844);
    await page.setViewportSize({ width: 1360, height: 860 });
    // Cards are dealt before one's eyes, but not before those of someone who wants nothing to move.
    const dealt = () =>
      page
        .locator('.playing-card')
        .first()
        .evaluate((card) => {
          const { getComputedStyle } = globalThis as unknown as { getComputedStyle(item: unknown): { animationName: string } };
          return getComputedStyle(card).animationName;
        });
    expect(await dealt()).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await dealt()).toBe('dealt');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.keyboard.press('1');
    await page.getByText(/Game over. Your return:/).waitFor();
    await page.locator('.bubble.you').getByText('You', { exact: true }).first().waitFor();
    const table = await page.getByRole('link', { name: 'Change players' }).getAttribute('href');
    const mine = (await store.episode(id))?.returns?.['second'] ?? 0;
    await page.locator('main').focus();
    await page.keyboard.press('n');
    await page.waitForURL((url) => url.hash.startsWith('#/seat/') && !url.hash.includes(id));
    expect(page.url()).toMatch(/\/first$/);
    await page.getByText(`1 game: ${mine > 0 ? '1 won, 0 drawn, 0 lost' : '0 won, 0 drawn, 1 lost'}`).waitFor();
    const next = new URL(page.url()).hash.split('/')[2]!;
    const [before, after] = [await call<EpisodeShown>(`/api/episodes/${id}`), await call<EpisodeShown>(`/api/episodes/${next}`)];
    expect(after).toMatchObject({ task: before.task, people: ['first'], table: { first: 'human', second: 'scripted:bold' } });
    await until(async () => {
      await page.keyboard.press('1');
      return (await page.getByText(/Game over. Your return:/).count()) > 0;
    });
    await page.getByText(/^2 games: /).waitFor();
    await page.getByRole('button', { name: 'Same seat again' }).click();
    await page.waitForURL((url) => url.hash.endsWith('/first') && !url.hash.includes(next));
    // The other way leads to the form as it was.
    await open((table as string).slice(1));
    await page.getByRole('combobox', { name: 'first', exact: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'first', exact: true }).inputValue()).toBe('scripted:bold');
    expect(await page.getByRole('combobox', { name: 'second', exact: true }).inputValue()).toBe('human');
    expect(await page.getByLabel('rounds').inputValue()).toBe('1');
  });

  it('show one consistent state of a run on the page while it is running', async () => {
    const played = await begin({ environment: 'kuhn-poker', seed: 7, cast: { first: 'random', second: 'scripted:honest' } });
    await ended(played);
    const log = await store.events(played);
    let madeCount = 0;
    const add = async (count: number) => {
      for (let i = 0; i < count; i++) await store.append(`growing-${madeCount++}`, 0, log, 'growing');
    };
    await store.putRun({ id: 'growing', plan: { name: 'growing', environments: [], seeds: [], casts: [] }, episodes: 20 });
    await add(6);
    await open('/run/growing');
    const agree = async (count: number) => {
      await page.getByText(`${count} finished`, { exact: true }).waitFor();
      await page.getByText(`${count} episodes loaded.`).waitFor();
      await page.getByText('Show as table').first().click();
      expect(await page.getByRole('cell', { name: String(count), exact: true }).count()).toBeGreaterThan(0);
      await page.getByText('Show as table').first().click();
    };
    await agree(6);
    await page.getByRole('heading', { name: /Standings by/ }).waitFor();
    await add(5);
    await readAgain();
    await agree(11);
  });

  it('are stored in the address of the form, and an address sets the form', async () => {
    await open('/play?world=tic-tac-toe');
    const world = page.getByRole('combobox', { name: 'Environment' });
    await world.waitFor();
    await page.evaluate(`location.hash = '#/play?world=kuhn-poker&second=scripted:honest'`);
    const second = page.getByRole('combobox', { name: 'second', exact: true });
    await second.waitFor();
    expect([await world.inputValue(), await second.inputValue()]).toEqual(['kuhn-poker', 'scripted:honest']);
    await second.selectOption('scripted:bold');
    await page.getByText('Environment settings and seed').click();
    await page.getByLabel('rounds').fill('7');
    await page.waitForURL(/task=/);
    expect(Object.fromEntries(queryOf(page))).toEqual({ world: 'kuhn-poker', second: 'scripted:bold', task: '{"rounds":7}' });
    await page.reload();
    await second.waitFor();
    expect([await second.inputValue(), await page.getByLabel('rounds').inputValue()]).toEqual(['scripted:bold', '7']);
    await world.selectOption('tic-tac-toe');
    await page.waitForURL(/world=tic-tac-toe/);
    await page.getByRole('combobox', { name: 'X', exact: true }).waitFor();
    await open('/play?world=tic-tac-toe&task=nonsense');
    await page.getByRole('combobox', { name: 'X', exact: true }).waitFor();
  });

  it('are marked in the log and on the stage when a person edits a move, and a replay agrees', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 2, cast: { X: 'scripted:minimax', O: 'scripted:minimax' } });
    await ended(id);
    const log = await store.events(id);
    const at = log.findIndex(({ kind }) => kind === 'action');
    const observedText = (log[at] as Extract<EpisodeEvent, { kind: 'action' }>).action.text;
    await open(`/e/${id}/${at}`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByLabel('X answers instead').fill(observedText === '[5]' ? '[1]' : '[5]');
    await page.getByRole('button', { name: 'Fork and continue' }).click();
    await page.waitForURL(/branches/);
    const branch = new URL(page.url()).hash.split('/').at(-1) as string;
    await ended(branch);
    const events = await store.events(branch);
    expect(events.flatMap((event, i) => (event.kind === 'action' && event.edited === true ? [i] : []))).toEqual([at]);
    expect(log.some((event) => event.kind === 'action' && 'edited' in event)).toBe(false);
    expect(replay(await builtInEnvironment('tic-tac-toe'), events)).toBeNull();
    await open(`/e/${branch}/${at}`);
    await page.getByText('Written by you instead of X').waitFor();
    expect(await page.locator('.event').getByText('edited by you').count()).toBe(1);
  });

  it('are kept on leaving: edits and a chat remain until they are saved or discarded', async () => {
    const [{ key: from }] = (await call<{ key: string }[]>('/api/personas')) as [{ key: string }];
    const { persona } = await call<{ persona: object }>(`/api/personas/gallery/${from}`);
    const { key } = await call<{ key: string }>('/api/personas/own', { persona: { ...persona, id: 'edith', name: 'Edith' } });
    await open(`/persona/own/${key}`);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Edith Gray');
    const chat = page.getByRole('region', { name: 'Test chat' });
    await chat.getByLabel('What you say').fill('Good evening.');
    await chat.getByLabel('What you say').press('Enter');
    await chat.locator('li.character').last().waitFor();
    await chat.locator('li.user').getByText('Good evening.').waitFor();
    await chat.getByLabel('What you say').fill('And');
    await page.getByRole('link', { name: 'Experiments' }).click();
    await page.waitForURL((url) => !url.hash.includes('persona'));
    await page.reload();
    await open(`/persona/own/${key}`);
    await name.waitFor();
    expect([await name.inputValue(), await chat.getByLabel('What you say').inputValue()]).toEqual(['Edith Gray', 'And']);
    await chat.locator('li.user').getByText('Good evening.').waitFor();
    await name.press('Control+s');
    await page.getByText('not saved yet').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Edith Gray', exact: true }).waitFor();
    // The page shows the new name before the server has saved it.
    await expect.poll(async () => (await call<{ persona: { name: string } }>(`/api/personas/own/${key}`)).persona.name).toBe('Edith Gray');
    await name.fill('Nobody');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Edith Gray', exact: true }).waitFor();
    expect(await name.inputValue()).toBe('Edith Gray');
  });
});
