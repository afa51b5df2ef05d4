/** @file Finding and judging episodes in a browser: what was said, order, filters, stars, tags, scores by seat, where the time went, labels and blind pairs. */

import type { EpisodeEvent, ModelCall } from '@ludus-agents/kernel/internal/core/index';
import { readMarks } from '@ludus-agents/store/internal/marks';
import { readReviews } from '@ludus-agents/store/internal/reviews';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { call, open, page, shown, store } from '../fixtures/studio-page.ts';
import { until } from '../fixtures/until.ts';

const free = { calls: 1, promptTokens: 1, completionTokens: 1, money: 0 };

/** A short talk in which someone says this, paid so. */
async function talk(id: string, agent: string, speech: string, payment: number): Promise<void> {
  const called: ModelCall = {
    model: 'tiny',
    prompt: { messages: [{ role: 'user', content: 'Speak.' }] },
    text: speech,
    usage: { promptTokens: 3, completionTokens: 4 },
    cost: 0,
    finish: 'stop',
    milliseconds: 120,
  };
  const events: readonly EpisodeEvent[] = [
    {
      kind: 'start',
      environment: 'chat@1',
      task: { topic: 'fruit' },
      seed: 3,
      seats: ['guest', 'host'],
      cast: { guest: agent, host: 'random' },
    },
    { kind: 'turn', asks: [{ seat: 'guest' }] },
    { kind: 'action', seat: 'guest', action: { text: speech }, calls: [called, { ...called, milliseconds: 480 }] },
    { kind: 'end', reason: 'over', returns: { guest: payment, host: -payment }, penalties: {}, turns: 1 },
  ];
  await store.append(id, 0, events, 'talks');
  const item = { status: 'ok', evidence: [], cost: free } as const;
  await store.putScores(id, [
    { ...item, name: 'wit', seat: 'guest', value: payment / 10, reason: `orders should have become ${'{"customer":"c2"},'.repeat(12)}` },
    { ...item, name: 'wit', seat: 'host', value: 0.25 },
  ]);
}

/** The episodes of a list: what is read is their names, their ids are behind them. */
async function idsIn(list: Locator): Promise<string> {
  const links = await list.locator('.episode a').all();
  return (await Promise.all(links.map((link) => link.getAttribute('title')))).join(' ');
}

describe.skipIf(noBrowser !== null)('the explorer', () => {
  it('searches, sorts, and filters by return, score, star, and tag, and keeps all of it in the address', async () => {
    await talk('talk-one', 'ann', 'The quince is <b>ripe</b>.', 4);
    await talk('talk-two', 'ben', 'A quince again, and pears.', 9);
    await open('/runs?run=talks');
    const list = page.locator('.episodes');
    const ids = () => idsIn(list);
    await until(async () => (await ids()) === 'talk-two talk-one');
    await page.getByLabel('Text contains').fill('quince ripe');
    await page.keyboard.press('Enter');
    await page.waitForURL(/search=quince/);
    await list.getByText('The quince is <b>ripe').waitFor();
    expect(await ids()).toBe('talk-one');
    await page.getByLabel('Text contains').fill('');
    // By the return of the agent that is asked for: what ann and ben win, random loses.
    await page.getByLabel('Agent').fill('random');
    await page.getByLabel('Sort by').selectOption('best');
    await until(async () => (await ids()) === 'talk-one talk-two');
    await page.getByLabel('Agent').fill('');
    await page.getByText('More filters').click();
    await page.getByLabel('Minimum return').fill('5');
    await page.keyboard.press('Enter');
    await until(async () => (await ids()) === 'talk-two');
    await open('/runs?run=talks&score=wit%3C0.5&since=1');
    await until(async () => (await ids()) === 'talk-two talk-one');
    await open('/runs?run=talks&score=wit%3E0.5');
    await until(async () => (await ids()) === 'talk-two');
    await open('/runs?run=talks&until=1');
    await shown('No episodes match these filters.');
    await open('/runs?run=talks');
    await page.getByRole('button', { name: 'Star talk-one' }).click();
    await until(async () => (await readMarks(store, 'episode')).get('talk-one')?.star === true);
    await open('/runs?run=talks&star=1');
    await until(async () => (await ids()) === 'talk-one');
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
  });

  it('shows a table of scores by seat and calls by time, and adds episodes to a dataset', async () => {
    await open('/e/talk-two');
    const scores = page.getByRole('row', { name: /^wit/ });
    await scores.waitFor();
    expect(await scores.getByRole('cell').allTextContents()).toEqual(['0.9', '0.25']);
    // A reason without spaces leaves the values in view.
    const last = (await scores.getByRole('cell').last().boundingBox())!;
    const region = (await page.getByRole('region', { name: 'Scores by seat' }).boundingBox())!;
    expect(last.x + last.width).toBeLessThanOrEqual(region.x + region.width + 1);
    const bars = page.getByRole('region', { name: 'Calls by time' });
    await bars.getByText('2 calls, 0.6 s of waiting for models').waitFor();
    await bars.getByRole('img', { name: 'tiny: 480 ms, after 120 ms' }).waitFor();
    await page.getByText('Tags and dataset').click();
    await page.getByRole('button', { name: 'Add to the dataset' }).click();
    await until(async () => (await readMarks(store, 'episode')).get('talk-two')?.tags?.includes('dataset') === true);
    await open('/runs?tag=dataset');
    await until(async () => (await idsIn(page.locator('.episodes'))) === 'talk-two');
  });

  it('takes labels with reasons one by one and blind comparisons of two episodes', async () => {
    await open('/review?run=talks');
    await page.getByLabel('Reviewer', { exact: true }).fill('ann');
    await page.getByText('0 episodes labeled, 2 to go.').waitFor();
    await page.getByLabel('Reason').fill('It answers.');
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
    await page.getByRole('button', { name: 'good', exact: true }).click();
    await page.getByText('1 episode labeled, 1 to go.').waitFor();
    await page.getByLabel('Mode').selectOption('pairs');
    const pair = page.getByRole('region', { name: 'Choose the better one' });
    await pair.getByText('The quince is <b>ripe</b>.').waitFor();
    const pairText = (await pair.textContent()) ?? '';
    expect([pairText.includes('ann'), pairText.includes('ben'), pairText.includes('random')]).toEqual([false, false, false]);
    await pair.getByRole('button', { name: 'A is better' }).click();
    await page.getByText('No pairs to review').waitFor();
    expect((await readReviews(store)).map(({ by, label, reason }) => [by, label, reason])).toEqual([
      ['ann', 'good', 'It answers.'],
      ['ann', 'episode', undefined],
    ]);
    expect((await call<{ error: string }>('/api/reviews', { episode: 'nothing', label: 'good', by: 'ann' })).error).toContain('not found');
    await page.evaluate('localStorage.clear()');
  });
});
