/** @file From the command line: a benchmark is built from characters and scenes, played, compared pairwise; and lines are rewritten under a judge. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { axisOf } from '@ludus-agents/evaluation/internal/dialogue-suite';
import { act } from '@ludus-agents/evaluation/internal/scoring/logs.cases';
import type { EpisodeEvent } from '@ludus-agents/kernel/internal/core/index';
import { unfitness } from '@ludus-agents/learning/internal/rewrite-run';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();

describe('build and compare', () => {
  it('writes a suite with an axis and a source line per turn, which is played and compared', async () => {
    const built = await ludus(here, ['persona', 'suite', 'villain', 'innkeeper', '-o', 'roles.json', '--turns', '2', '--json']);
    expect([built.code, built.err]).toEqual([0, '']);
    const { tasks, axes } = JSON.parse(built.out);
    expect(tasks).toBe(6);
    expect(axes).toMatchObject({ recall: expect.any(Number), preference: expect.any(Number) });
    const suite = JSON.parse(readFileSync(join(here, 'roles.json'), 'utf8'));
    for (const { tasks: own, name } of suite.scenes)
      for (const task of own) {
        expect(name).toContain(task.axis);
        expect(task.source).not.toBe('');
      }
    const mixed =
      "let n = 0; export default { name: 'mixed', async act() { return { action: { text: 'road '.repeat(3 + 8 * (n++ % 6)) } }; } };";
    writeFileSync(join(here, 'mixed.mjs'), mixed);
    const played = JSON.parse((await ludus(here, ['eval', './roles.json', '--agents', './mixed.mjs', '--json'])).out);
    const run = played.run as string;
    const judged = await ludus(here, ['score', run, '--rubric', 'furina', '--judge', 'fake:length', '--against', 'source', '--json']);
    expect([judged.code, judged.err]).toEqual([0, '']);
    const report = JSON.parse(judged.out);
    // Six tasks of the agent, and none of the null agents; long answers win before a judge that loves length.
    expect(report).toMatchObject({ pairs: 6, matches: [{ agent: 'mixed', other: 'source', tasks: 6 }] });
    const [match] = report.matches;
    expect(match.won + match.tied + match.lost + match.undecided).toBe(report.pairs);
    expect(match.winRate).toBeGreaterThan(0.5);
    // At equal length it has no preference: the regression finds that length is all it looks at.
    expect(match.longerWins).toBe(1);
    expect(match.lengthControl.lengthWeight).toBeGreaterThan(1);
    expect(match.lengthControl).toMatchObject({ strength: expect.any(Number), lengthError: expect.any(Number), raw: match.winRate });
    expect(Math.abs(match.lengthControl.controlled - 0.5)).toBeLessThan(Math.abs(match.winRate - 0.5));
    const outcome = await ludus(here, ['score', run, '--rubric', 'furina', '--judge', 'fake:length', '--against', 'source']);
    // The same judge has said it before.
    expect(outcome.out).toContain(`(${report.pairs - match.undecided} judged earlier)`);
    expect(outcome.out).toMatch(/At equal length it wins 0\.\d\d \(.*\)\. The longer answer won 100%\./);
    expect(outcome.out).toMatch(/logit P\(win\) = .* tanh\(Δlength/);
    // Each pair is compared by the axis of its task.
    expect(Object.keys(match.axes).every((axis) => axes[axis] > 0)).toBe(true);
    expect(Object.keys(match.axes).length).toBeGreaterThan(1);
    const biased = JSON.parse(
      (await ludus(here, ['score', run, '--rubric', 'furina', '--judge', 'fake:position', '--against', 'source', '--json'])).out,
    );
    expect(biased.matches).toMatchObject([{ won: 0, lost: 0, winRate: null, undecided: biased.pairs }]);
  });

  it.each([
    [
      ['score', 'roles', '--rubric', 'coser', '--judge', 'fake:honest', '--against', 'source'],
      /" scores single episodes, but --against needs a pairwise/,
    ],
    [['score', 'roles', '--rubric', 'furina', '--judge', 'fake:honest'], /Add --against/],
    [['persona', 'suite', 'villain', '-o', 'x.json'], /A dialogue needs at least two characters, but got/],
    [['persona', 'rewrite', 'roles', '--by', 'fake', '--judge', 'fake'], /The model that rewrites cannot be the judge: it/],
  ])('rejects %j with an explanation', async (words, sentence) => {
    expect((await ludus(here, words)).err).toMatch(sentence);
  });

  it('derives the axis from the last message', () => {
    const of = (...texts: string[]) => axisOf(texts.map((text) => ({ speaker: 'a', text })));
    expect(of('Where do you live?')).toBe('recall');
    expect(of('Why did you leave?')).toBe('reasoning');
    expect(of('Do you like rain?')).toBe('preference');
    expect(of('I keep bees by the river.', 'Hm.', 'So you keep bees by the river.')).toBe('setting');
    expect(of('It is late.')).toBe('conversation');
  });
});

describe('rewrite', () => {
  const bob = parsePersona({ name: 'Bob', statements: ['Bob is 40 years old.'] });
  const flat = 'As an AI language model, I do not have personal experiences.';
  const events = [act('bob', 'As a large language model I have no age.'), act('ann', 'Oh?')];

  it('rejects changes to other turns, lengths, or facts', () => {
    const verdict = (lines: readonly (readonly [number, string])[]) => unfitness(events, 'bob', bob, new Map(lines));
    expect(verdict([[0, 'I am 40, as anybody here can tell you.']])).toBeNull();
    expect(verdict([[1, 'Oh dear?']])).toBe('other turns');
    expect(verdict([[0, 'Forty.']])).toBe('length');
    expect(verdict([[0, 'I am 57, as anybody in Grendale here knows.']])).toBe('facts');
    expect(verdict([[0, 'As a large language model I have no age.']])).toBe('unchanged');
  });

  it('keeps only lines that a judge prefers, as pairs', async () => {
    const character = { name: 'Bob', kind: 'llm', model: `fake/${flat}`, persona: bob };
    const plan = {
      name: 'flat',
      environments: [{ environment: 'chat', tasks: [{ turns: 1 }] }],
      casts: [{ character, user: 'scripted:user' }],
    };
    writeFileSync(join(here, 'plan.json'), JSON.stringify(plan));
    expect((await ludus(here, ['run', 'plan.json', '--yes'])).code).toBe(0);
    const [{ id }] = JSON.parse((await ludus(here, ['list', 'episodes', '--run', 'flat', '--json'])).out);
    const { log } = JSON.parse((await ludus(here, ['show', id, '--json'])).out) as { log: readonly EpisodeEvent[] };
    const at = log.findIndex((event) => event.kind === 'action' && event.seat === 'character');
    const rewritten = (text: string) =>
      ludus(here, [
        'persona',
        'rewrite',
        'flat',
        '--by',
        `fake/${JSON.stringify({ lines: [{ event: at, text }] })}`,
        '--judge',
        'fake:honest',
        '-o',
        'pairs.jsonl',
        '--json',
      ]);
    const better = await rewritten('I am 40, and what I have seen is my own affair.');
    expect([better.code, better.err]).toEqual([0, '']);
    expect(JSON.parse(better.out)).toMatchObject({ trajectories: 1, pairs: 1, refused: {}, kept: [{ before: 1, after: 5 }] });
    const [pair] = readFileSync(join(here, 'pairs.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(pair).toMatchObject({ chosen: [{ content: expect.stringContaining('my own affair') }], rejected: [{ content: flat }] });
    expect(pair.prompt.at(-1).content).toContain('Who are you?');
    // A rewrite with another planted flaw is no better, and nothing is written for it.
    const worse = await rewritten('I am just a language model, so I cannot really answer that.');
    expect(worse.code).toBe(1);
    expect(JSON.parse(worse.out)).toMatchObject({ pairs: 0, refused: { 'not better': 1 } });
    expect(readFileSync(join(here, 'pairs.jsonl'), 'utf8')).toBe('');
  });
});
