/** @file What people use on every page, in a browser: search, the way back, the trace, comments, sharing, and galleries. */

import { readFileSync } from 'node:fs';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { begin, browser, call, ended, open, page, readAgain, shown, studio } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

describe.skipIf(noBrowser !== null)('the studio tools', () => {
  it('search pages, runs, characters, and recipes with Ctrl+K, and Back restores the previous place', async () => {
    await open('/run/baseline');
    await page.getByRole('heading', { name: /^Standings by/ }).waitFor();
    // The page grows while it loads: before that it cannot be scrolled so far.
    await until(async () => {
      await page.evaluate('scrollTo(0, 400)');
      return (await page.evaluate('scrollY')) === 400;
    });
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /^Search pages/ });
    await field.fill('marta rook');
    await page.getByRole('option', { name: /Character.*Marta Rook/ }).waitFor();
    await field.fill('recipe kuhn-tabular');
    await page
      .getByRole('option', { name: /Recipe.*kuhn-tabular/ })
      .first()
      .waitFor();
    await field.fill('agent scripted');
    await page
      .getByRole('option', { name: /Agent.*scripted/ })
      .first()
      .waitFor();
    expect(await accessibility(page)).toEqual([]);
    await field.fill('leaderboards');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#\/boards/);
    await page.goBack();
    await page.waitForURL(/#\/run\/baseline/);
    await until(async () => (await page.evaluate('scrollY')) === 400);
    // A text filter applies when the user stops typing.
    await page.getByLabel('Text contains').fill('check');
    await page.waitForURL(/search=check/);
  });

  it('close the search with one Escape, even after typing', async () => {
    await open('/runs');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('base');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor({ state: 'detached' });
  });

  it('show a model trace with messages, changes, and figures, and rerun an edited prompt', async () => {
    const id = await begin({ environment: 'kuhn-poker', seed: 1, task: { rounds: 2 }, cast: { first: 'llm:fake', second: 'llm:fake' } });
    const log = await ended(id);
    const actions = log.filter((event): event is Extract<EpisodeEvent, { kind: 'action' }> => event.kind === 'action');
    expect(actions.length).toBeGreaterThan(2);
    await open(`/e/${id}`);
    await page.getByRole('link', { name: 'Trace', exact: true }).click();
    const calls = page.getByRole('region', { name: 'Model calls', exact: true }).getByRole('row');
    await until(async () => (await calls.count()) === actions.length + 1);
    const prompt = page.locator('.messages');
    await prompt.getByText('system', { exact: true }).waitFor();
    // The next call of the same seat shows what is new in its prompt.
    await calls.nth(3).getByRole('button').click();
    await page.getByLabel('Only changes since its last call').waitFor();
    await page.getByText(/unchanged message/).waitFor();
    await page.getByRole('button', { name: 'Edit and rerun' }).click();
    await page
      .getByLabel(/^user message/)
      .last()
      .fill('Answer with [check].');
    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await page.getByRole('region', { name: 'Rerun' }).locator('.answer').waitFor();
    await page.getByRole('region', { name: 'Original' }).locator('.answer').waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'Continue the episode with this answer' }).click();
    await page.waitForURL(/#\/branches\//);
  });

  const saveAsHtml = async () => {
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Save as HTML' }).click();
  };

  it('save comments, and export a page as one file without scripts', async () => {
    await open('/run/baseline');
    await page.getByRole('heading', { name: /^Standings by/ }).waitFor();
    const comments = page.getByRole('region', { name: 'Comments' });
    await comments.getByLabel('Your name').fill('Ann');
    await comments.getByLabel('Comment', { exact: true }).fill('Random is better than I thought.');
    await comments.getByLabel('Comment', { exact: true }).press('Enter');
    await comments.getByRole('listitem').getByText('Random is better').waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), saveAsHtml()]);
    const html = readFileSync(await saved.path(), 'utf8');
    expect(saved.suggestedFilename()).toBe('baseline.html');
    expect(html).toContain('Random is better than I thought.');
    expect(html).toContain('Standings by');
    expect(html).not.toMatch(/<(?:script|button|form|input)\b|href=/);
    // A link lets others read this run, and nothing else, until it is revoked.
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = new URL(await page.getByLabel(/^Link/).inputValue());
    expect(await accessibility(page)).toEqual([]);
    const context = await browser.newContext();
    const guest = await context.newPage();
    await guest.goto(`${studio.url}/${link.search}${link.hash}`);
    await guest.getByText('Random is better than I thought.').waitFor();
    await guest.getByText('Read-only link').waitFor();
    expect(guest.url()).not.toContain('token');
    for (const name of ['Remove the comment of Ann', 'Comment', 'Compare agents', 'Share', 'Search'])
      expect(
        await guest
          .getByRole('button', { name, exact: true })
          .or(guest.getByRole('link', { name, exact: true }))
          .count(),
      ).toBe(0);
    expect(await guest.getByRole('navigation', { name: 'Sections' }).count()).toBe(0);
    // An episode of the run is part of it, another page is not; without an address it opens what was shared.
    await guest.locator('.episode a').first().click();
    await guest.getByRole('region', { name: 'The whole episode' }).waitFor();
    expect(await guest.getByRole('button', { name: /^Score|^Fork/ }).count()).toBe(0);
    const at = (place: string) => guest.goto(`${new URL(guest.url()).origin}/#${place}`);
    await at('/runs');
    await guest.getByRole('heading', { name: 'Not part of this link' }).waitFor();
    await at('/run/another');
    await guest.getByText('This link shows one page only').waitFor();
    await at('/');
    await guest.getByText('Random is better than I thought.').waitFor();
    await page.getByRole('list', { name: 'Valid links' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('list', { name: 'Valid links' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await guest.reload();
    await guest.getByText('Random is better').waitFor({ state: 'detached' });
    await context.close();
    await comments.getByRole('button', { name: 'Remove the comment of Ann' }).click();
    await comments.getByText('No comments yet.').waitFor();
    await open('/compare?a=random&b=scripted:honest&run=baseline');
    await comments.getByLabel('Comment', { exact: true }).fill('Within noise.');
    await comments.getByLabel('Comment', { exact: true }).press('Enter');
    await comments.getByRole('listitem').getByText('Within noise.').waitFor();
    // A comment is about these two sides in this order.
    await open('/compare?a=scripted:honest&b=random&run=baseline');
    await comments.getByText('No comments yet.').waitFor();
  });

  it('report a better earlier run when a job ends, and link to a comparison', async () => {
    // Later than every job that ended before.
    const { ended: earlier } = await call<{ ended: readonly { readonly at: number }[] }>('/api/jobs');
    const at = Math.max(0, ...earlier.map((job) => job.at)) + 1;
    const job = { run: 'tuesday', title: 'Nightly', done: 12, planned: 12, error: null, at };
    const regression = { than: 'monday', words: 'monday is better than tuesday by 90 points.' };
    let ended: readonly object[] = [];
    await page.route('**/api/jobs', (route) => route.fulfill({ json: { running: [], ended } }));
    // What had ended by the first answer is no news.
    const [answer] = await Promise.all([page.waitForResponse('**/api/jobs'), page.reload()]);
    await answer.finished();
    await open('/runs');
    ended = [{ ...job, regression }];
    await readAgain();
    const notice = page.getByRole('region', { name: 'Notifications' }).getByText('It scored lower than monday');
    await notice.waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await accessibility(page)).toEqual([]);
    // On a phone it stands above the page, and covers nothing of it.
    await page.setViewportSize({ width: 390, height: 844 });
    const boxes = await Promise.all(
      [page.getByRole('region', { name: 'Notifications' }), page.locator('main')].map((region) => region.boundingBox()),
    );
    expect(boxes[0]!.y + boxes[0]!.height).toBeLessThanOrEqual(boxes[1]!.y);
    await page.getByRole('region', { name: 'Notifications' }).getByRole('link', { name: 'Compare' }).click();
    await page.waitForURL(/compare\?a=tuesday&b=monday/);
    await page.unroute('**/api/jobs');
  });

  it('offer galleries, attacks, and scenes in forms, and notify when a job ends', async () => {
    await open('/play');
    await page.getByRole('searchbox', { name: 'Search environments' }).fill('poker three cards');
    // With a picture of a game that has begun.
    await page.locator('.tile', { hasText: 'Kuhn poker' }).locator('.thumbnail .felt').first().waitFor();
    expect(await accessibility(page)).toEqual([]);
    await page.getByRole('button', { name: /^Kuhn poker/ }).click();
    await page.waitForURL(/world=kuhn-poker/);
    await open('/launch?what=attack&agent=llm:fake');
    await page.getByLabel('Episodes').fill('4');
    await page.getByText('ludus attack llm:fake --with guard --budget 4 --seed 1').waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByLabel('Type', { exact: true }).selectOption('probe');
    await page.getByLabel('Character').selectOption('villain');
    await page.getByLabel('Questions').fill('2');
    await page.getByText('ludus persona probe villain --agent scripted --items 2 --seed 0').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const card = page.getByRole('region', { name: 'Report card' });
    await card.getByText(/^Cassian Vole, played by scripted, scores \d/).waitFor();
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await open('/launch?what=attack&agent=llm:fake');
    await page.getByLabel('Type', { exact: true }).selectOption('scene');
    await page.getByText('social-scene').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/#\/run\//);
    await until(async () => (await call<{ ended: readonly unknown[] }>('/api/jobs')).ended.length > 0);
    await page.evaluate('localStorage.clear()');
    await open('/launch?what=train&recipe=kuhn-tabular');
    await page.getByText('Hyperparameters').click();
    await page.getByLabel('Find a hyperparameter').fill('games');
    await page.getByLabel('training.games', { exact: true }).fill('600, 900');
    await shown(/--set training.games=900/);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/#\/trainings\?/);
    await page.getByRole('columnheader', { name: 'training.games' }).waitFor();
    await page.getByRole('img', { name: /^Parallel coordinates/ }).waitFor();
    expect(await accessibility(page)).toEqual([]);
    await page.evaluate('localStorage.clear()');
  });

  it('list one chat for all its versions, rename it, and undo a deletion', async () => {
    await open('/chat');
    await page
      .getByRole('button', { name: /Marta Rook/ })
      .first()
      .click();
    await page.waitForURL(/#\/chat\/\w/);
    await page.getByLabel('What you say').fill('Good evening to you.');
    await page.keyboard.press('Enter');
    const spokenLocator = page.locator('.said');
    await spokenLocator.locator('li.character').nth(1).waitFor();
    await page.getByRole('button', { name: 'Rename chat' }).click();
    await page.getByLabel('Name of this chat').fill('The inn at dusk');
    await page.keyboard.press('Enter');
    const list = page.getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('link', { name: /The inn at dusk/ }).waitFor();
    await spokenLocator.getByRole('button', { name: 'Regenerate', exact: true }).last().click();
    await spokenLocator.getByText('2 / 2').waitFor();
    const entry = list.getByRole('link', { name: /The inn at dusk/ });
    await entry.getByText('2 versions').waitFor();
    expect(await entry.count()).toBe(1);
    await list.getByRole('button', { name: 'Delete chat: The inn at dusk' }).click();
    await list.getByRole('link', { name: /The inn at dusk/ }).waitFor({ state: 'detached' });
    await list.getByRole('button', { name: 'Undo' }).click();
    await list.getByRole('link', { name: /The inn at dusk/ }).waitFor();
  });

  it('keep an answer that arrives while the chat is being renamed', async () => {
    await open('/chat');
    await page
      .getByRole('button', { name: /Marta Rook/ })
      .first()
      .click();
    await page.waitForURL(/#\/chat\/\w/);
    // The reply to the renaming is written before the answer and arrives after it.
    await page.evaluate(`{
      const send = window.fetch;
      const answered = new Promise((resolve) => { window.letThrough = resolve; });
      window.fetch = async (...request) => {
        const reply = await send(...request);
        if (request[1]?.method === 'PUT') await answered;
        return reply;
      };
    }`);
    await page.getByRole('button', { name: 'Rename chat' }).click();
    await page.getByLabel('Name of this chat').fill('The inn at dawn');
    await page.keyboard.press('Enter');
    await page.getByLabel('What you say').fill('Good morning to you.');
    await page.keyboard.press('Enter');
    const regenerate = page.locator('.said').getByRole('button', { name: 'Regenerate', exact: true });
    await regenerate.waitFor();
    await page.evaluate('letThrough()');
    await page.getByRole('heading', { name: /The inn at dawn/ }).waitFor();
    expect(await regenerate.count()).toBe(1);
    await page.reload();
  });
});
