/** @file Training and improving in the studio: begun on the page, followed as they grow, looked into, stopped, and taken back. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { cellsReport } from '@ludus-agents/learning/internal/prompts/weights-by-texts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/fixtures/until.ts';
import type { CandidateDetail, ImproveDetail, LaunchLook, PolicyTable, TrainingDetail, TrainingShown } from './api.ts';
import { type OpenStudio, openStudio } from './request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

describe('training', () => {
  const at = async (run: string, from = 0) => (await studio.ask<TrainingDetail>('GET', `/api/training/of/${run}?from=${from}`)).body;

  it('starts in a separate process, reports progress, and compares its policy with the equilibrium', async () => {
    const { body } = await studio.ask<{ run: string }>('POST', '/api/training', { recipe: 'kuhn-tabular', seed: 3, games: 100_000 });
    expect(body.run).toBe('kuhn-tabular-3');
    const done = await until(
      () => at(body.run),
      ({ going, metrics }) => !going && metrics.length > 0,
    );
    expect(done.failed).toBeNull();
    expect(done.metrics.at(-1)?.games).toBeGreaterThanOrEqual(100_000);
    expect(done.metrics.length).toBeGreaterThan(10);
    expect(done.checkpoints.map(({ name }) => name)).toEqual(expect.arrayContaining(['best', 'last']));
    const rest = await at(body.run, done.metrics.length - 2);
    expect(rest.metrics).toEqual(done.metrics.slice(-2));
    const { body: table } = await studio.ask<PolicyTable>('GET', `/api/training/of/${body.run}/policy?at=best`);
    expect(table.rows).toHaveLength(12);
    expect(table.value).toBeCloseTo(-1 / 18, 4);
    expect(table.exact).toBeLessThan(1e-5);
    expect(table.exploitability).toBeLessThan(0.3);
    for (const { policy, exact, choices } of table.rows) {
      expect(policy).toHaveLength(choices.length);
      for (const mix of [policy, exact ?? []]) expect(mix.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    }
    // The king never folds to a bet, in the solution as under any sense.
    const king = table.rows.find(({ known, choices }) => /\bK\b|king/i.test(known) && choices.some((choice) => /fold/i.test(choice)));
    const fold = king?.choices.findIndex((choice) => /fold/i.test(choice)) ?? -1;
    expect(king?.exact?.[fold]).toBeLessThan(1e-3);
  });

  it('stops on request and resumes where it stopped', async () => {
    const { body } = await studio.ask<{ run: string }>('POST', '/api/training', { recipe: 'kuhn-tabular', games: 3_000_000, name: 'long' });
    await until(
      () => at(body.run),
      ({ metrics }) => metrics.length > 0,
    );
    await studio.ask('POST', `/api/training/of/${body.run}/stop`);
    const stopped = await until(
      () => at(body.run),
      ({ going }) => !going,
    );
    const games = stopped.metrics.at(-1)?.games ?? 0;
    expect(games).toBeLessThan(3_000_000);
    await studio.ask('POST', `/api/training/of/${body.run}/resume`);
    const further = await until(
      () => at(body.run),
      ({ metrics }) => metrics.length > stopped.metrics.length,
    );
    expect(further.metrics[stopped.metrics.length]?.games).toBeGreaterThan(games);
    await studio.ask('POST', `/api/training/of/${body.run}/stop`);
    await until(
      () => at(body.run),
      ({ going }) => !going,
    );
  });

  it('lists runs and recipes, and explains invalid requests', async () => {
    const { body } = await studio.ask<TrainingShown>('GET', '/api/training');
    expect(body.runs.map(({ name }) => name)).toEqual(['long', 'kuhn-tabular-3']);
    expect(Object.keys(body.recipes)).toContain('kuhn-tabular');
    for (const wrong of [
      { recipe: 'none' },
      { recipe: 'kuhn-tabular', name: '../x' },
      { recipe: 'kuhn-tabular', seed: -1 },
      { recipe: 'kuhn-tabular', games: 'x' },
    ])
      expect([wrong, (await studio.ask('POST', '/api/training', wrong)).status]).toEqual([wrong, 400]);
    expect((await studio.ask('GET', '/api/training/of/none')).status).toBe(404);
    expect((await studio.ask('GET', '/api/training/of/long/policy?at=../../x')).status).toBe(400);
  });
});

describe('improving', () => {
  it('grows a lineage with diffs and verdicts, reports, and restores any candidate', async () => {
    const { body } = await studio.ask<{ run: string }>('POST', '/api/improving', {
      recipe: 'instruction-demo',
      engine: 'gepa',
      seed: 1,
      calls: 120,
    });
    const at = async () => (await studio.ask<ImproveDetail>('GET', `/api/improving/of/${body.run}`)).body;
    const done = await until(at, ({ going, report }) => !going && report !== null);
    expect(done.report?.words.length).toBeGreaterThan(0);
    const start = done.candidates.find(({ parents }) => parents.length === 0);
    expect(start).toBeDefined();
    const child = done.candidates.find(({ parents, verdict }) => parents.length > 0 && verdict !== null);
    expect(child?.verdict?.words).toMatch(/^(accepted|rejected)/);
    const { body: candidateDetail } = await studio.ask<CandidateDetail>('GET', `/api/improving/of/${body.run}/${child?.id}`);
    expect(candidateDetail.changes.length).toBeGreaterThan(0);
    expect(candidateDetail.changes.flatMap(({ lines }) => lines).some(({ sign }) => sign !== ' ')).toBe(true);
    await studio.ask('POST', `/api/improving/of/${body.run}/rollback`, { candidate: start?.id });
    expect((await at()).head).toEqual({ id: start?.id, words: 'rolled back' });
    expect(done.cells).toBeNull();
    const cells = cellsReport({ base: { old: [0, 1], new: [1, 1] }, trained: { old: [1, 1], new: [1, 1] } });
    await studio.store.note(body.run, 'cells', 0, [cells as unknown as Json]);
    expect((await at()).cells).toEqual(cells);
    expect((await studio.ask('POST', `/api/improving/of/${body.run}/rollback`, { candidate: 'zzzz' })).status).toBe(400);
    expect((await studio.ask('GET', '/api/improving/of/long')).status).toBe(404);
    expect((await studio.ask('POST', '/api/improving', { recipe: 'none', engine: 'gepa' })).status).toBe(400);
  });

  it('accepts a custom agent and suite from the form, estimates the cost, and improves the agent', async () => {
    const scenes = [{ environment: 'kuhn-poker', seats: ['first'], others: { '*': 'scripted' }, scale: [-2, 2] }];
    writeFileSync(join(studio.cwd, 'suite.json'), JSON.stringify({ name: 'mine', about: 'poker', nulls: ['random'], scenes }));
    writeFileSync(join(studio.cwd, 'agent.json'), JSON.stringify({ name: 'clerk', kind: 'llm:fake', texts: { instruction: 'Play.' } }));
    const form = { what: 'improve', agents: ['./agent.json'], suite: './suite.json', engine: 'gepa', proposer: 'fake', calls: 26 };
    const { body: look } = await studio.ask<LaunchLook>('POST', '/api/launch/look', form);
    expect(look.command).toBe('ludus improve ./agent.json --on ./suite.json --engine gepa --proposer fake --seed 1 --budget 26');
    expect(look.estimate?.calls.likely).toBeGreaterThan(100);
    const { body: begun } = await studio.ask<{ page: string }>('POST', '/api/launch', form);
    const run = decodeURIComponent(begun.page.replace('#/improving/', ''));
    const at = async () => (await studio.ask<ImproveDetail>('GET', `/api/improving/of/${run}`)).body;
    const done = await until(at, ({ going, report }) => !going && report !== null);
    expect(done.report).toMatchObject({ tasks: 0, episodes: 48, gain: { episodes: 48 } });
    const wrong = await studio.ask<{ error: string }>('POST', '/api/launch/look', { ...form, suite: './siute.json' });
    expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('siute.json')]);
  });
});
