/** @file What went on inside, as pictures in a browser: a team's discussion, a search, memories and what they rest on. */

import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { accessibility, noBrowser, widerThan } from '../browser.ts';
import { begin, ended, open, page, store } from '../fixtures/studio-page.ts';

describe.skipIf(noBrowser !== null)('the inside view', () => {
  const firstMove = async (cast: object) => {
    const id = await begin({ environment: 'tic-tac-toe', seed: 3, cast });
    const log = await ended(id);
    const at = log.findIndex(({ kind }) => kind === 'action');
    return { at, id, text: (log[at] as Extract<EpisodeEvent, { kind: 'action' }>).action.text };
  };

  it('shows the discussion of a team as a scene with its result', async () => {
    const members = ['random', 'scripted:minimax'];
    const { id, at, text } = await firstMove({
      X: { name: 'council', kind: 'team', settings: { members, protocol: 'in-order' } },
      O: 'random',
    });
    await open(`/e/${id}/${at}`);
    const scene = page.getByRole('region', { name: 'Team discussion' });
    await scene.getByText('random, scripted minimax talk under “in-order”').waitFor();
    expect(await scene.getByRole('listitem').count()).toBeGreaterThanOrEqual(2);
    await scene.getByText(`Team answer: ${text}`).waitFor();
  });

  it('shows a search as a tree with the chosen move marked, and as a table', async () => {
    const { id, at, text } = await firstMove({ X: { name: 'thinker', kind: 'search', settings: { simulations: 200 } }, O: 'random' });
    await open(`/e/${id}/${at}`);
    const tree = page.locator('figure.search-tree');
    await tree.getByRole('img', { name: `What mcts tried before ${text}` }).waitFor();
    expect(await tree.locator('g.made text').textContent()).toContain(text);
    expect(await tree.locator('g').count()).toBeGreaterThan(9);
    await tree.getByText('Show as table').click();
    const tried = await tree.locator('tbody td:nth-child(2)').allTextContents();
    expect(tried.reduce((sum, item) => sum + Number(item), 0)).toBe(200);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
  });

  it('explains a move by asking again with changes and by playing alternatives', async () => {
    const cast = { first: 'scripted:honest', second: 'scripted:bold' };
    const id = await begin({ environment: 'kuhn-poker', seed: 5, task: { rounds: 1 }, cast });
    const log = await ended(id);
    const at = log.findIndex(({ kind }) => kind === 'action');
    const why = page.getByRole('region', { name: 'Why it did that' });
    await open(`/e/${id}/${at - 1}`);
    await page.getByRole('heading', { name: `Event ${at - 1}` }).waitFor();
    // Only an answer has a reason.
    expect(await why.count()).toBe(0);
    await open(`/e/${id}/${at}`);
    await why.getByRole('button', { name: 'Explain (up to 128 model calls)' }).click();
    await why.getByText(/When asked again, it repeats its choice in 100 of 100 cases.*Its later rewards were −1\.00/).waitFor();
    const rows = await why.getByRole('listitem').allTextContents();
    expect(rows).toContain('Your card is Q. share 0.00 · changes 0.00 without it, 1.00 with that of another deal');
    expect(rows.slice(-2)).toEqual([
      expect.stringMatching(/^\[check\] \(made\) −1\.00 .*in 10 episodes$/),
      expect.stringMatching(/^\[bet\] 2\.00 .*in 10 episodes$/),
    ]);
    expect(await accessibility(page)).toEqual([]);
    expect(await widerThan(page, 390)).toBeLessThanOrEqual(0);
  });

  it('shows memories as a graph of what they are based on', async () => {
    const record = { validFrom: 0, recordedAt: 0, importance: 5, owner: 'guest' };
    const records = [
      { ...record, id: 'm1', kind: 'fact', text: 'The quince is ripe.', evidence: ['e4'] },
      { ...record, id: 'm2', kind: 'reflection', text: 'Autumn has come.', evidence: ['m1'] },
    ];
    const mind = {
      kind: 'mind/1',
      count: 1,
      turn: 1,
      opening: 0,
      start: 0,
      why: { memories: ['m2'], lore: [] },
      memory: { next: 3, records },
    };
    await store.append('remembering', 0, [
      { kind: 'start', environment: 'chat@1', task: {}, seed: 3, seats: ['guest'], cast: { guest: 'ann' } },
      { kind: 'turn', asks: [{ seat: 'guest' }] },
      { kind: 'action', seat: 'guest', action: { text: 'So.' }, mind },
      { kind: 'end', reason: 'over', returns: { guest: 0 }, penalties: {}, turns: 1 },
    ]);
    await open('/e/remembering/2');
    await page.getByText('Memories (2, 1 in this prompt)').click();
    const graph = page.locator('figure.memory-graph');
    await graph.getByRole('img', { name: 'Memories and their sources: m1 is based on e4; m2 is based on m1.' }).waitFor();
    expect(await graph.locator('g.used').textContent()).toContain('Autumn has come.');
    expect(await graph.locator('path').count()).toBe(2);
    expect(await accessibility(page)).toEqual([]);
  });
});
