import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedServer } from '../../../../test/fixtures/scripted-server.ts';
import { until } from '../../../../test/fixtures/until.ts';
import type { LaunchBegun, LaunchChoices, LaunchLook, RecipeSetting, RunNow } from './api.ts';
import { type OpenStudio, openStudio } from './request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
  mkdirSync(join(studio.cwd, 'shop'), { recursive: true });
  writeFileSync(join(studio.cwd, 'shop', 'policy.md'), 'Refunds take 30 days.');
  writeFileSync(join(studio.cwd, 'eve.json'), JSON.stringify({ name: 'Eve', kind: 'random' }));
  writeFileSync(join(studio.cwd, 'notes.json'), '{"just": "data"}');
});
afterAll(() => studio.close());

const look = async (body: object) => (await studio.ask<LaunchLook>('POST', '/api/launch/look', body)).body;

describe('the launcher', () => {
  it('offers objects in the folder by path, each with the version of its file', async () => {
    const { body } = await studio.ask<LaunchChoices>('GET', '/api/launch');
    expect(body.suites[0]).toEqual({ name: './shop', about: expect.stringMatching(/^your desk, version [0-9a-f]{6}$/) });
    expect(body.agents[0]).toEqual({ name: './eve.json', about: expect.stringMatching(/^your agent, version [0-9a-f]{6}$/) });
    expect(JSON.stringify(body)).not.toContain('notes.json');
    writeFileSync(join(studio.cwd, 'eve.json'), JSON.stringify({ name: 'Eve', kind: 'scripted' }));
    const { body: later } = await studio.ask<LaunchChoices>('GET', '/api/launch');
    expect(later.agents[0]?.about).not.toBe(body.agents[0]?.about);
  });

  it('starts an attack within its episode limit, with a page that reports the breaches', async () => {
    const form = { what: 'attack', agents: ['llm:fake'], attack: 'guard', games: 12, from: 3 };
    expect(await look(form)).toMatchObject({ episodes: 12, command: 'ludus attack llm:fake --with guard --budget 12 --seed 3' });
    const { body } = await studio.ask<LaunchBegun>('POST', '/api/launch', form);
    const run = decodeURIComponent(body.page.replace('#/run/', ''));
    const runNow = await until(
      async () => (await studio.ask<RunNow>('GET', `/api/runs/of/${run}`)).body,
      ({ attack }) => attack != null,
    );
    expect(runNow.attack?.of).toBeGreaterThan(0);
    expect((await studio.store.statuses(run)).size).toBeLessThanOrEqual(12);
    // The same attack is in the store: it is refused, not mixed with the first.
    expect((await studio.ask('POST', '/api/launch', form)).status).toBe(400);
    expect((await studio.ask('POST', '/api/launch/look', { ...form, attack: 'hypnosis' })).status).toBe(400);
  });

  it('starts a release test with its rules, and shows the verdict on the page of its run', async () => {
    const scene = { name: 'hand', environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
    writeFileSync(join(studio.cwd, 'gate.json'), JSON.stringify({ name: 'gate', nulls: ['random'], seeds: 3, scenes: [scene] }));
    const form = { what: 'test', suite: './gate.json', agents: ['scripted'], seeds: 4, failUnder: 1, mustPass: ['hand'] };
    expect(await look(form)).toMatchObject({
      episodes: 4,
      bots: false,
      command: 'ludus test ./gate.json --agents scripted --seeds 4 --fail-under 1 --must-pass hand',
    });
    for (const wrong of [{ mustPass: ['foot'] }, { allowFaults: ['greed'] }, { failUnder: 2 }])
      expect((await studio.ask('POST', '/api/launch', { ...form, ...wrong })).status).toBe(400);
    const { body } = await studio.ask<LaunchBegun>('POST', '/api/launch', form);
    const run = decodeURIComponent(body.page.replace('#/run/', ''));
    const { gate } = await until(
      async () => (await studio.ask<RunNow>('GET', `/api/runs/of/${run}`)).body,
      ({ gate }) => gate != null,
    );
    expect(gate?.map(({ agent, passed, rules }) => [agent, passed, rules.map(({ rule, ok }) => [rule, ok])])).toEqual([
      [
        'scripted',
        false,
        [
          ['--fail-under 1', false],
          ['--must-pass hand', false],
        ],
      ],
    ]);
    expect((await studio.store.statuses(run)).size).toBe(4);
    // One that cannot be reached has no verdict, and the page of its run says why.
    const absent = await studio.ask<LaunchBegun>('POST', '/api/launch', {
      ...form,
      ...{ suite: 'service-core', agents: ['bot:http://127.0.0.1:9/chat'], seeds: 1, mustPass: undefined },
    });
    const stopped = await until(
      async () => (await studio.ask<RunNow>('GET', `/api/runs/of/${decodeURIComponent(absent.body.page.replace('#/run/', ''))}`)).body,
      ({ failure }) => failure !== null,
    );
    expect([stopped.going, stopped.gate, stopped.failure]).toEqual([false, null, expect.stringContaining('127.0.0.1:9')]);
  });

  it('lets an episode of a started run be forked with a model at an address, and one of an imported run not', async () => {
    const message = { role: 'assistant', content: '[check]' };
    const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: { prompt_tokens: 9, completion_tokens: 2 } };
    const server = await scriptedServer(
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    );
    const form = { what: 'run', name: 'addressed', environments: ['kuhn-poker'], agents: [`llm:${server.url}#tiny`], seeds: 1 };
    expect((await studio.ask('POST', '/api/launch', form)).status).toBe(200);
    const status = async () => [...(await studio.store.statuses('addressed'))];
    const [[id] = ['']] = await until(status, ([first]) => first?.[1] === 'over');
    expect((await studio.ask('POST', `/api/episodes/${id}/fork`, { at: 2 })).status).toBe(200);
    const run = (await studio.store.run('addressed')) as RunRecord;
    await studio.store.putRun({ ...run, id: 'imported' });
    await studio.store.append('imported-1', 0, await studio.store.events(id), 'imported');
    expect((await studio.ask('POST', '/api/episodes/imported-1/fork', { at: 2 })).status).toBe(400);
    await server.close();
  });

  it('turns a scene into a plan, and several values into a sweep that is checked before the start', async () => {
    const { body } = await studio.ask<LaunchChoices>('GET', '/api/launch');
    const scene = await look({ what: 'scene', scene: body.scenes[0]?.name, seeds: 2 });
    expect([scene.episodes, scene.plan?.environments[0]?.environment]).toEqual([2, 'social-scene']);
    // The list of runs shows its name, and other seeds are another run.
    expect(scene.plan?.name).toMatch(/^scene-[a-z-]+-[0-9a-f]{8}$/);
    expect((await look({ what: 'scene', scene: body.scenes[0]?.name, seeds: 3 })).plan?.name).not.toBe(scene.plan?.name);
    const { body: settings } = await studio.ask<readonly RecipeSetting[]>('GET', '/api/launch/recipes/kuhn-tabular');
    expect(settings.find(({ name }) => name === 'training.games')?.otherwise).toMatch(/^\d+$/);
    const sweep = await look({ what: 'train', recipe: 'kuhn-tabular', settings: { 'training.games': '100, 200' } });
    expect(sweep.command.split('\n')).toEqual([
      'ludus train kuhn-tabular --seed 1 --set training.games=100',
      'ludus train kuhn-tabular --seed 1 --set training.games=200',
    ]);
    const wrong = { what: 'train', recipe: 'kuhn-tabular', settings: { 'training.gmaes': '1' } };
    expect((await studio.ask('POST', '/api/launch/look', wrong)).status).toBe(400);
    const many = { what: 'train', recipe: 'kuhn-tabular', seeds: 30 };
    expect((await studio.ask('POST', '/api/launch/look', many)).status).toBe(400);
  });
});
