import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InduceReport } from '@ludus-agents/evaluation/internal/induce';
import { beforeAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();
const plan = { name: 'base', environments: ['tic-tac-toe'], seeds: 7, casts: [{ '*': 'random' }] };
let ids: readonly string[] = [];

/** Remarks about the first this many episodes; odd ones are critical. */
const feedback = (n: number) =>
  ids.slice(0, n).map((episode, i) => ({
    episode: episode.slice(0, 12),
    feedback: i % 2 === 0 ? 'The betting was bold. Patient opening.' : 'The betting was wrong.\nNot patient.',
  }));
const write = (name: string, entries: readonly unknown[]) =>
  writeFileSync(join(here, name), entries.map((entry) => JSON.stringify(entry)).join('\n'));
const induced = async (...words: string[]) => {
  const { code, out } = await ludus(here, ['judge', 'induce', 'base', '--feedback', 'remarks.jsonl', '--json', ...words]);
  return { code, report: JSON.parse(out) as InduceReport & { readonly file: string | null } };
};

beforeAll(async () => {
  await ludus(here, ['run', '-'], { typed: JSON.stringify(plan) });
  ids = (JSON.parse((await ludus(here, ['list', 'episodes', '--json'])).out) as { id: string }[]).map(({ id }) => id);
  write('remarks.jsonl', feedback(7));
});

describe('ludus judge induce', () => {
  it('writes metrics from feedback as a rubric, which then scores the run', async () => {
    const { code, report } = await induced('--judge', 'fake:honest', '-o', 'mine.json');
    expect(code).toBe(0);
    expect(report.metrics.map(({ name }) => name)).toEqual(['betting', 'patient']);
    expect(report).toMatchObject({ remarks: 5, heldOut: 2, unread: 0, cover: { coverage: 1, redundancy: 0, aspects: 4 } });
    const rubric = JSON.parse(readFileSync(join(here, 'mine.json'), 'utf8'));
    expect(rubric).toMatchObject({ name: 'mine', form: 'checklist', axes: [{ id: 'betting' }, { id: 'patient' }] });
    expect(rubric.axes[0].questions[0].ask).toContain('The betting was bold');
    const scored = JSON.parse((await ludus(here, ['score', 'base', '--rubric', './mine.json', '--judge', 'fake:honest', '--json'])).out);
    expect(scored).toMatchObject({ scored: 7, judges: [{ rubric: 'mine', unreadable: 0 }] });
    expect(scored.judges[0].replies).toBeGreaterThan(0);
  });

  it('accepts a JSON list, holds out nothing of a few remarks, and prints a summary', async () => {
    writeFileSync(join(here, 'few.json'), JSON.stringify(feedback(4)));
    const { code, out } = await ludus(here, [
      'judge',
      'induce',
      'base',
      '--feedback',
      'few.json',
      '--judge',
      'fake:honest',
      '--metrics',
      '1,2',
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('2 metrics from 4 remarks')]);
    expect(out).toContain('Over 4 remarks they were made from: coverage 100%, redundancy 0%.');
    expect(out).toContain('Nothing was written');
  });

  it('uses the reasons of labels without a file, and explains how to add one', async () => {
    const none = await ludus(here, ['judge', 'induce', 'base', '--judge', 'fake:honest']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--reason TEXT')]);
    for (const { episode, feedback: reason } of feedback(4))
      await ludus(here, ['judge', 'review', episode, '--label', 'good', '--reason', reason]);
    const { code, out } = await ludus(here, ['judge', 'induce', 'base', '--judge', 'fake:honest', '--metrics', '1,2']);
    expect([code, out]).toEqual([0, expect.stringContaining('2 metrics from 4 remarks')]);
  });

  it('shows that a reader that rates everything alike covers only praise', async () => {
    const { report } = await induced('--judge', 'fake:constant');
    expect(report.cover).toMatchObject({ coverage: 0.5, redundancy: 0.5 });
  });

  it('stays within --max-calls, and fails if that is too few for any metric', async () => {
    const { code, report } = await induced('--judge', 'fake:honest', '--max-calls', '3', '-o', 'none.json');
    expect([code, report.rubric, report.file, report.tally.cost.calls]).toEqual([1, null, null, 3]);
    expect(existsSync(join(here, 'none.json'))).toBe(false);
  });

  it("fails with the cause if the model's answers are unreadable", async () => {
    const { code, err } = await ludus(here, ['judge', 'induce', 'base', '--feedback', 'remarks.jsonl', '--judge', 'fake/no']);
    expect([code, err]).toEqual([1, expect.stringContaining('found no metrics: ')]);
  });

  it.each([
    [[{ episode: 'zzzz', feedback: 'x' }], 'Episode "zzzz" not found'],
    [[{ episode: '1', feedback: '' }], '[0].feedback must be a non-empty string'],
    [[{ episode: '1', fedback: 'x' }], 'did you mean "feedback"?'],
    [[], 'must be a list of 1 or more'],
  ])('rejects the feedback %j with an explanation', async (entries, sentence) => {
    write('wrong.jsonl', entries);
    const { code, err } = await ludus(here, ['judge', 'induce', 'base', '--feedback', 'wrong.jsonl', '--judge', 'fake:honest']);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it.each([
    [['--feedback', 'gone.jsonl', '--judge', 'fake:honest'], 'gone.jsonl cannot be read'],
    [['--feedback', 'remarks.jsonl', '--judge', 'fake:random'], 'Available: fake:honest, fake:constant'],
    [['--feedback', 'remarks.jsonl', '--judge', 'fake:honest', '-o', 'a b.json'], 'Invalid file name "'],
    [['--feedback', 'remarks.jsonl', '--judge', 'fake:honest', '--metrics', '0'], '--metrics: expected an integer from 1 to 50'],
  ])('rejects %j with an explanation', async (words, sentence) => {
    const { code, err } = await ludus(here, ['judge', 'induce', 'base', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it('rejects feedback about an episode of another run', async () => {
    await ludus(here, ['run', '-'], { typed: JSON.stringify({ ...plan, name: 'other', seeds: 1 }) });
    const { code, err } = await ludus(here, ['judge', 'induce', 'other', '--feedback', 'remarks.jsonl', '--judge', 'fake:honest']);
    expect([code, err]).toEqual([2, expect.stringContaining('is not in run other')]);
  });
});
