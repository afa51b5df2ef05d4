/** @file Reviews from the command line: the queue, labels, pairs, and how far people agree with each other and with scores. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peopleAgreement } from '@ludus-agents/evaluation/internal/people-agreement';
import type { Score } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

describe('ludus judge review', () => {
  it('shows the queue, saves labels, and measures agreement', async () => {
    const cwd = folder();
    const casts = ['random', 'scripted:equilibrium'].map((first) => ({ first, second: 'random' }));
    writeFileSync(
      join(cwd, 'plan.json'),
      JSON.stringify({ name: 'r', environments: ['kuhn-poker'], casts, seeds: [4], seedPerCast: false }),
    );
    expect((await ludus(cwd, ['run', 'plan.json', '--json'])).code).toBe(0);
    const asked = async (...words: readonly string[]) => {
      const { code, out, err } = await ludus(cwd, ['judge', 'review', ...words, '--json']);
      expect(err, words.join(' ')).toBe('');
      return [code, JSON.parse(out)] as const;
    };
    const [, { queue }] = await asked('r', '--by', 'ann');
    const ids = (queue as { episode: string }[]).map(({ episode }) => episode);
    expect(ids.length).toBe(2);
    for (const [by, labels] of Object.entries({ ann: ['good', 'bad'], ben: ['good', 'bad'] }))
      for (const [i, label] of labels.entries()) await asked(ids[i]!.slice(0, 10), '--label', label, '--by', by, '--reason', 'so');
    expect((await asked('r', '--by', 'ann'))[1]).toEqual({ queue: [] });
    expect((await asked('r', '--agreement'))[1].agreement[0]).toMatchObject({ with: 'people', episodes: 2, raw: 1, alpha: 1 });
    const [, { pairs }] = await asked('r', '--pairs', '--by', 'ann');
    expect(pairs).toMatchObject([{ words: { episode: expect.arrayContaining([expect.stringMatching(/^first: /)]) } }]);
    // Who played is in none of it.
    expect(JSON.stringify(pairs)).not.toMatch(/random|equilibrium/);
    await asked(ids[0]!, '--against', ids[1]!, '--label', 'tie', '--by', 'ann');
    expect((await asked('r', '--pairs', '--by', 'ann'))[1].pairs).toEqual([]);
    const wrong = await ludus(cwd, ['judge', 'review', 'zzz', '--label', 'good']);
    expect([wrong.code === 0, wrong.err]).toEqual([false, expect.stringContaining('Episode "zzz" not found')]);
  });
});

describe('the review queue', () => {
  it('lists failures of rules with their reason, without null agents', async () => {
    const cwd = folder();
    writeFileSync(
      join(cwd, 'desk.json'),
      JSON.stringify({
        name: 'kiosk',
        policy: '- The kiosk opens at 7.',
        tasks: [{ id: 'h', says: [{ ask: 'When do you open?', tell: [7] }] }],
      }),
    );
    writeFileSync(join(cwd, 'bot.ts'), "export default () => 'We open at 8, you idiot.';\n");
    expect((await ludus(cwd, ['eval', './desk.json', '--agents', './bot.ts', '--run', 'k', '--seeds', '1', '--json'])).code).toBe(0);
    const { out } = await ludus(cwd, ['judge', 'review', 'k', '--limit', '100', '--json']);
    const { queue } = JSON.parse(out) as { queue: { disagreement: number; failed: string }[] };
    const { length } = JSON.parse((await ludus(cwd, ['list', 'episodes', '--limit', '1000', '--json'])).out) as { length: number };
    // A third of the episodes is the bot's: the others are the floor.
    expect(queue.length * 3).toBe(length);
    for (const { failed } of queue) expect(failed).toMatch(/^fault-[\w-]+, /);
  });
});

describe('agreement', () => {
  const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: null };
  const score = (value: number): Score => ({ name: 'judge/x', value, status: 'ok', evidence: [], cost });
  const labels = (a: string, b: string) =>
    [...a].flatMap((label, i) => [
      { episode: `e${i}`, by: 'ann', label: label === '1' ? 'good' : 'bad' },
      { episode: `e${i}`, by: 'ben', label: b[i] === '1' ? 'good' : 'bad' },
    ]);

  it('matches the textbook, with its interval, and is 1 or undefined if all agree', () => {
    // Ten cases with two raters (Krippendorff's binary example): alpha is 0.095.
    const [people] = peopleAgreement(labels('0100000010', '1110010000'), new Map());
    expect(people?.alpha).toBeCloseTo(0.095, 3);
    expect(people!.interval![0]).toBeLessThan(0.095);
    expect(people!.interval![1]).toBeGreaterThan(0.095);
    expect(peopleAgreement(labels('1111', '1111'), new Map())[0]).toMatchObject({ raw: 1, alpha: null, interval: null });
  });

  it('of people with a score counts episodes on which people agree', () => {
    const scores = new Map([0, 1, 2, 3].map((i) => [`e${i}`, [score(i < 2 ? 0.9 : 0.1)]]));
    const matchingPeopleAgreement = peopleAgreement(labels('1100', '1100'), scores).find(
      (peopleAgreement) => peopleAgreement.with === 'judge/x',
    );
    expect(matchingPeopleAgreement).toMatchObject({ episodes: 4, raw: 1, alpha: 1 });
    expect(peopleAgreement(labels('10', '01'), scores).find((peopleAgreement) => peopleAgreement.with === 'judge/x')).toBeUndefined();
  });
});
