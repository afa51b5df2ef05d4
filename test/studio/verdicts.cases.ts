/** @file What runs come to, in a browser: orders by the agent under test, the failing turn, colors, units, and whose runs a page changes. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../browser.ts';
import { call, open, page, store } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

/** A guard who loses what an opponent of the suite wins; the last event but one is a note for scorers. */
async function storeGuard(run: string, at: number, returned: number, guard = 'zeno'): Promise<string> {
  const id = `${run}-${guard}-${at}`;
  const cast = { guard, caller: `house:caller-${at}` };
  const events: readonly EpisodeEvent[] = [
    { kind: 'start', environment: 'chat@1', task: { n: at }, seed: at, seats: ['guard', 'caller'], cast },
    { kind: 'turn', asks: [{ seat: 'guard' }] },
    { kind: 'action', seat: 'guard', action: { text: 'The code is 1234.' } },
    { kind: 'turn', asks: [{ seat: 'caller' }] },
    { kind: 'action', seat: 'caller', action: { text: 'Thanks.' } },
    { kind: 'message', to: [], text: 'outcome: leak (exact)' },
    { kind: 'end', reason: 'over', returns: { guard: returned, caller: -returned }, penalties: {}, turns: 2 },
  ];
  await store.append(id, 0, events, run);
  return id;
}

const plan = { environments: [], seeds: [], casts: [] };

describe.skipIf(noBrowser !== null)('a results page', () => {
  it('orders episodes by the return of the agent under test, not of the winning opponent', async () => {
    await store.putRun({ id: 'lost', plan, episodes: 3 });
    for (const [at, returned] of [0, -1, 0].entries()) await storeGuard('lost', at, returned);
    await open('/run/lost');
    const first = page.locator('.episode a').first();
    await first.waitFor();
    await page.getByLabel('Sort by').selectOption('worst');
    await until(async () => (await first.getAttribute('title')) === 'lost-zeno-1');
    await page.getByLabel('Minimum return').or(page.getByText('More filters')).first().click();
    await page.getByLabel('Minimum return').fill('0');
    await page.keyboard.press('Enter');
    await until(async () => (await page.locator('.episode').count()) === 2);
  });

  it('links a failed score to the turn that failed, not to the note about it', async () => {
    await store.putRun({ id: 'leaked', plan, episodes: 1 });
    const id = await storeGuard('leaked', 0, -1);
    const evidence = [{ episode: id, event: 5, quote: 'outcome: leak', supports: false }];
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };
    await store.putScores(id, [{ name: 'privacy', seat: 'guard', value: 0, status: 'ok', evidence, cost }]);
    await open(`/e/${id}`);
    await page
      .getByRole('row', { name: /^privacy/ })
      .getByRole('link', { name: 'event 2' })
      .click();
    await page.waitForURL(/#\/e\/leaked-zeno-0\/2/);
    await page.getByText('The code is 1234.').first().waitFor();
  });

  it('never gives an opponent the color of the agent under test', async () => {
    await store.putRun({ id: 'colored', plan, episodes: 12 });
    for (let at = 0; at < 12; at++) await storeGuard('colored', at, at % 2);
    await open('/run/colored');
    await page.getByRole('button', { name: /^Show all 13 agents/ }).click();
    const colorOf = (agent: string) =>
      page
        .getByRole('img', { name: `Return per episode: ${agent}:` })
        .locator('rect')
        .first()
        .getAttribute('class');
    const zeno = await colorOf('zeno');
    expect(zeno).toMatch(/^curve-[1-8]$/);
    for (let at = 0; at < 12; at++) expect(await colorOf(`house:caller-${at}`)).toBe('curve-0');
  });

  it('uses one unit for the sentence, the axis, and the means of a comparison', async () => {
    await store.putRun({ id: 'rivals', plan, episodes: 12 });
    for (let at = 0; at < 6; at++)
      for (const [who, returned] of [
        ['ann', 1],
        ['ben', at % 2],
      ] as const)
        await storeGuard('rivals', at, returned, who);
    await open('/compare?a=ann&b=ben&run=rivals');
    const axis = page.getByRole('img', { name: /^ann − ben/ });
    await axis.waitFor();
    const verdictText = (await page.locator('.verdict').textContent())!;
    const points = Number(/by (\d+(?:\.\d+)?) points|: (\d+(?:\.\d+)?) points/.exec(verdictText)?.slice(1).find(Boolean));
    const drawnDifference = Number(/difference: [+−]?(\d+(?:\.\d+)?)/.exec((await axis.getAttribute('aria-label'))!)?.[1]);
    expect(Math.abs(drawnDifference - points)).toBeLessThan(0.1);
    const means = await page.getByRole('region', { name: 'Means' }).locator('tbody td:nth-child(2)').allTextContents();
    const [a, b] = means.map((text) => Number.parseFloat(text.replace('−', '-')));
    expect(Math.abs(a! - b! - drawnDifference)).toBeLessThan(1);
  });

  it('of two runs with different agents is about one agent of each, which can be chosen', async () => {
    for (const [run, pair] of [
      ['older-0a1b2c3d', ['ann', 'ben']],
      ['newer-0a1b2c3d', ['ben', 'cat']],
    ] as const) {
      await store.putRun({ id: run, plan, episodes: 4 });
      for (const who of pair) for (const at of [0, 1]) await storeGuard(run, at, who === 'cat' ? 1 : 0, who);
    }
    await open('/compare?a=older-0a1b2c3d&b=newer-0a1b2c3d');
    await page.getByRole('heading', { name: 'older and newer', exact: true }).waitFor();
    await page.getByLabel('From older').selectOption('ann');
    await page.getByLabel('From newer').selectOption('cat');
    await page.getByRole('button', { name: 'Compare agents' }).click();
    await page.getByRole('heading', { name: 'ann and cat', exact: true }).waitFor();
    await page.locator('.verdict').waitFor();
  });

  it('of a leaderboard is on its card: who leads, and when', async () => {
    await open('/boards');
    const card = page.locator('.card', { hasText: 'Arena: Kuhn poker' }).first();
    await card.getByText(/ highest mean return, [+−]?\d/).waitFor();
    expect(await card.locator('time').count()).toBe(1);
  });

  it('lists the latest runs of any kind by time, without chats', async () => {
    const id = 'kuhn-latest';
    await store.putRun({ id: 'played-last', plan, episodes: 1 });
    await store.putRun({ id: 'chat-somebody-0a1b2c3d', plan, episodes: 1 });
    await store.putRun({ id, plan, episodes: 0, work: { kind: 'train', name: id, seed: 1, recipe: { name: 'kuhn-tabular' } } });
    await store.putRun({ id: 'played-after', plan, episodes: 1 });
    await storeGuard('played-after', 0, 0);
    // Stored first and played last.
    await storeGuard('played-last', 3, 0);
    await open('/');
    const names = page.getByRole('table').filter({ hasText: 'Recent returns' }).locator('tbody th a');
    await names.first().waitFor();
    expect((await names.allTextContents()).slice(0, 3)).toEqual(['played-last', 'played-after', id]);
    expect((await names.allTextContents()).filter((name) => /chat/i.test(name))).toEqual([]);
  });

  it('separates user runs from those of a demonstration', async () => {
    const owned = async () => {
      const ids = (await store.runs()).map(({ id }) => id).filter((id) => id.startsWith('arena-') && !id.endsWith('-demo'));
      return Promise.all(ids.map(async (id) => [id, (await store.statuses(id)).size]));
    };
    const before = await owned();
    await open('/');
    await page.getByRole('button', { name: 'Start: An arena' }).click();
    await page.waitForURL(/#\/run\/arena-/);
    const run = decodeURIComponent(page.url().split('#/run/')[1]!.split('?', 1)[0]!);
    expect(run).toMatch(/-demo$/);
    await until(async () => (await store.statuses(run)).size > 0);
    expect(await owned()).toEqual(before);
    await call(`/api/runs/of/${run}/stop`, {});
  });

  it('estimates an evaluation of a bot without calling it, and does not claim it is free', async () => {
    let calls = 0;
    const bot = createServer((_, response) => {
      calls++;
      response.end('{"text":"[bet]"}');
    });
    await new Promise<void>((ready) => bot.listen(0, '127.0.0.1', ready));
    const address = `bot:http://127.0.0.1:${(bot.address() as AddressInfo).port}/chat`;
    await open('/launch');
    await page.getByRole('button', { name: 'Remove kuhn-poker' }).click();
    await page.getByLabel('Environments').fill('service-desk');
    await page.keyboard.press('Enter');
    const agents = page.getByLabel('Agents', { exact: true });
    await agents.fill(address);
    await page.keyboard.press('Enter');
    await page.getByLabel('Seeds').fill('1');
    const takes = page.getByRole('region', { name: 'Estimate' });
    await takes.getByText('Unknown: depends on the agent').waitFor();
    await page.locator('pre.command').getByText(address).waitFor();
    expect(calls).toBe(0);
    await page.evaluate('localStorage.clear()');
    bot.closeAllConnections();
    bot.close();
  });
});
