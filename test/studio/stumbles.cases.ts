/** @file More that people stumbled over, in a browser: answers lost on reload, templates with old texts, keys and marks of runs, files that were not offered. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import type { EpisodeEvent, Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, visit, widerThan } from '../browser.ts';
import { delta, ending, scriptedServer } from '../fixtures/scripted-server.ts';
import { begin, call, ended, open, page, shown, store, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

const plan = { environments: [], seeds: [], casts: [] };

describe.skipIf(noBrowser !== null)('a person at the studio', () => {
  it('sees their message, the partial answer, and Stop after a reload and in a second tab', async () => {
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const model = await scriptedServer(async (response, { url }) => {
      if (!url.endsWith('/chat/completions')) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('SPEECH: The ferry is late '));
      await finished;
      response.end(`${delta('because of the **ice**.')}${ending}`);
    });
    await open('/chat');
    await page.getByLabel('Model').fill(`${model.url}#tiny`);
    const choice = page.getByRole('region', { name: 'New conversation' }).getByRole('button', { name: /Marta Rook/ });
    const stored = async () => (await call<readonly unknown[]>('/api/chats')).length;
    const before = await stored();
    // One in which the person says nothing is not listed once there is another one.
    await choice.click();
    await page.waitForURL(/#\/chat\/\w/);
    await open('/chat');
    await choice.click();
    await page.getByLabel('What you say').fill('When does the ferry leave?');
    await page.keyboard.press('Enter');
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('The ferry is late').waitFor();
    expect(await stored()).toBe(before + 1);
    await page.reload();
    await messages.getByText('When does the ferry leave?').waitFor();
    await messages.getByText('The ferry is late').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const second = await page.context().newPage();
    await visit(second, studio, new URL(page.url()).hash.slice(1));
    await second.getByText('The ferry is late').waitFor();
    await second.getByRole('button', { name: 'Stop' }).waitFor();
    finish();
    for (const tab of [page, second]) await tab.getByText('because of the ice.').first().waitFor();
    await second.close();
    // In the list, without the marks of its formatting.
    await open('/chat');
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByText(/The ferry is late because/).waitFor();
    expect(await list.innerText()).not.toMatch(/\*/);
    await list
      .getByRole('link', { name: /Marta Rook/ })
      .first()
      .click();
    await messages
      .getByRole('button', { name: 'Edit and send again' })
      .or(messages.getByRole('button', { name: /^Edit/ }))
      .first()
      .click();
    await messages.getByLabel('New text').fill('When does it arrive?');
    await page.keyboard.press('Enter');
    await messages.locator('li.user .markdown').getByText('When does it arrive?').waitFor();
    await messages.getByText('The ferry is late').waitFor();
    finish();
    await messages.getByText('because of the ice.').waitFor();
    await page.evaluate('localStorage.clear()');
    await model.close();
  });

  it('starts a character from a blank template, with nothing of another one', async () => {
    await open('/create');
    await page.getByRole('button', { name: 'Use template: Blank' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Pip Lantern');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Pip Lantern' }).waitFor();
    await page.getByText('unsaved changes').waitFor({ state: 'detached' });
    const key = new URL(page.url()).hash.split('/').at(-1);
    const { persona } = await call<{ persona: Json & { name: string; secrets: readonly Json[] } }>(`/api/personas/own/${key}`);
    expect([persona.name, persona.secrets, key]).toEqual(['Pip Lantern', [], 'new-character']);
    expect(JSON.stringify(persona)).not.toMatch(/Ann|landlady/);
    await page.getByRole('button', { name: 'Clear Openness' }).or(page.getByText('not set').first()).first().waitFor();
    // "not set" stays in one line, on a phone, too.
    await page.setViewportSize({ width: 390, height: 844 });
    const box = await page.locator('.temper output').first().boundingBox();
    expect(box!.height).toBeLessThan(30);
  });

  it('finds character files of the folder under Characters, edits them, and chats with them', async () => {
    const { hash: _, parent: __, ...bess } = { ...gallery['innkeeper']!, id: 'bess', name: 'Bess Carter' };
    const file = join(studio.cwd, 'bess.json');
    writeFileSync(file, JSON.stringify({ $schema: './node_modules/ludus-agents/schemas/persona.json', ...bess }));
    await open('/personas');
    await page.getByRole('region', { name: 'Your characters' }).getByRole('link', { name: 'Bess Carter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bess Carter' }).waitFor();
    await page.getByLabel('Greeting').fill('Mind the wet paint.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('unsaved changes').waitFor({ state: 'detached' });
    expect(readFileSync(file, 'utf8')).toContain('Mind the wet paint.');
    expect(await accessibility(page)).toEqual([]);
    await open('/chat');
    await page
      .getByRole('region', { name: 'New conversation' })
      .getByRole('button', { name: /Bess Carter/ })
      .click();
    await shown('Mind the wet paint.');
    // No other file of the folder is a character, and none is deleted as one.
    writeFileSync(join(studio.cwd, 'notes.json'), '{"name": 7}');
    expect(await call<{ error?: string }>('/api/personas/own/.%2Fnotes.json')).toHaveProperty('error');
  });

  it('sees only the settings that differ between four training runs, with the different value marked', async () => {
    for (const seed of [11, 12, 13, 14]) {
      const { run } = await call<{ run: string }>('/api/training', { recipe: 'kuhn-tabular', seed, games: seed === 14 ? 900 : 400 });
      await until(async () => (await call<{ going: boolean }>(`/api/training/of/${run}`)).going === false);
    }
    const runs = [11, 12, 13, 14].map((seed) => `kuhn-tabular-${seed}`);
    await open(`/trainings?runs=${encodeURIComponent(JSON.stringify(runs))}`);
    const table = page.getByRole('table').filter({ hasText: 'training.games' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').count()).toBeLessThanOrEqual(6);
    expect(await table.locator('td.differs').filter({ hasText: '900' }).count()).toBe(1);
    expect(await table.locator('td.differs').filter({ hasText: '400' }).count()).toBe(0);
    // A legend without a value ends in no colon.
    const marks = (await page.evaluate(
      `[...document.querySelectorAll('.u-legend .u-series > th')].map((name) => getComputedStyle(name, '::after').content)`,
    )) as readonly string[];
    expect(new Set(marks)).toEqual(new Set(['none']));
  });

  it('names, tags, and archives a run, and finds it by its tag', async () => {
    await store.putRun({ id: 'tagged', plan, episodes: 1 });
    const cast = { world: 'import:openai', assistant: 'assistant' };
    const task = { seats: ['assistant'], world: { source: { format: 'openai', file: 'chats.jsonl' }, task: { id: 0 }, rewarded: [] } };
    const events: readonly EpisodeEvent[] = [
      { kind: 'start', environment: 'relay@1', task, seed: 0, seats: ['world', 'assistant'], cast },
      { kind: 'end', reason: 'over', returns: { world: 0, assistant: 0 }, penalties: {}, turns: 2 },
    ];
    for (const at of [0, 1]) await store.append(`tagged-${at}`, 0, events, 'tagged');
    await open('/run/tagged');
    // Conversations have their numbers, and no scores of 0.
    await page.getByRole('link', { name: 'Conversation 1', exact: true }).first().waitFor();
    await page.getByText('These episodes have no scores yet.').waitFor();
    expect(await page.getByRole('heading', { name: /^Standings/ }).isVisible()).toBe(false);
    await page.getByText('Name, tags, note, archive').click();
    await page.getByLabel('Name', { exact: true }).fill('Chats of May');
    await page.getByLabel('Tags', { exact: true }).fill('shop, may');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Chats of May' }).waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await open('/runs');
    await page.getByLabel('Search runs').fill('may');
    const rows = page.getByRole('region', { name: 'All runs' }).locator('tbody tr');
    await until(async () => (await rows.count()) === 1);
    await rows.getByRole('link', { name: 'Chats of May' }).waitFor();
    await rows.getByText('shop', { exact: true }).waitFor();
    expect(await rows.locator('time').count()).toBeGreaterThan(0);
  });

  it('plays the cell that a key is labeled with', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 3, cast: { X: 'human', O: 'scripted:minimax' } });
    await open(`/seat/${id}/X`);
    await page.getByText('Your move.').waitFor();
    // As much as the server takes: a longer text is cut by the field, not refused in the words of the server.
    expect(await page.locator('textarea').getAttribute('maxlength')).toBe('20000');
    await page.keyboard.press('5');
    await until(async () => (await store.events(id)).some(({ kind }) => kind === 'action'));
    const action = (await store.events(id)).find(({ kind }) => kind === 'action') as Extract<EpisodeEvent, { kind: 'action' }>;
    expect(action.action.text).toBe('[5]');
  });

  it('finds text while typing, and reads what a fork starts with in its first field', async () => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 4, cast: { X: 'scripted:minimax', O: 'scripted:minimax' } });
    const at = (await ended(id)).findIndex((event) => event.kind === 'action');
    await open('/runs');
    await page.getByLabel('Text contains').click();
    await page.getByLabel('Text contains').pressSequentially('minimax');
    await page.waitForURL(/search=minimax/);
    await open(`/e/${id}/${at}`);
    await page.getByRole('button', { name: 'Fork here' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).not.toBe('Close');
    await page.keyboard.press('Escape');
    // What explains a move is where it can be seen.
    await page.evaluate('scrollTo(0, 0)');
    const box = await page.getByRole('button', { name: /^Explain/ }).boundingBox();
    expect(box!.y).toBeLessThan(860);
  });

  it('sees an error about a lost server only until the server is back', async () => {
    await open('/improving');
    await page.getByRole('heading', { name: 'New optimization run' }).waitFor();
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const lost = page.getByRole('alert').getByText(/not responding/);
    await lost.waitFor();
    await page.unroute('**/api/**');
    await lost.waitFor({ state: 'detached' });
  });

  it('is offered desks and bots of the folder in a new run, and may type any path', async () => {
    writeFileSync(join(studio.cwd, 'shop.json'), JSON.stringify({ name: 'shop', scenes: [] }));
    await open('/launch?what=eval&suite=service-core');
    const suite = page.getByLabel('Suite', { exact: true });
    const offered = await page.evaluate(
      `[...document.getElementById(${JSON.stringify(await suite.getAttribute('list'))}).children].map(({ value }) => value)`,
    );
    expect(offered).toContain('./shop.json');
    await suite.fill('../other/desk');
    expect(await suite.inputValue()).toBe('../other/desk');
    await shown(/bot:URL/);
    await page.evaluate('localStorage.clear()');
  });
});
