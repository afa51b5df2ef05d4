import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/fixtures/until.ts';
import type {
  EnvironmentShown,
  EnvironmentsShown,
  ImproveShown,
  JobsShown,
  ReportShown,
  TrainingDetail,
  TrainingShown,
  TrustShown,
} from './api.ts';
import type { LaunchChoices, LaunchLook } from './api-launch.ts';
import { type OpenStudio, openStudio } from './request.cases.ts';

let studio: OpenStudio;
const get = async <T>(path: string) => (await studio.ask<T>('GET', path)).body;

const write = (name: string, value: unknown) =>
  writeFileSync(join(studio.cwd, name), typeof value === 'string' ? value : JSON.stringify(value));

beforeAll(async () => {
  studio = await openStudio();
  mkdirSync(studio.cwd, { recursive: true });
  const poker = join(import.meta.dirname, '../../../environments/src/kuhn-poker.ts');
  write('stick-game.mjs', `import { kuhnPoker } from ${JSON.stringify(poker)};\nexport const game = { ...kuhnPoker, id: 'stick-game@1' };`);
  write('eve.json', { name: 'Eve', kind: 'random' });
  write('weaker.json', { name: 'weaker', base: 'kuhn-tabular' });
  write('sticks.json', { name: 'sticks', base: 'kuhn-tabular', training: { environment: './stick-game.mjs' } });
  write('town.json', { attributes: { pet: { cat: 1, dog: 1 } } });
  write('climber.mjs', "export const climber = { name: 'climber', method: 'climbs', parameters: {}, run() {} };");
  write('model.mjs', "export const model = { id: 'mine', async complete() { throw new Error('never'); } };");
  const axes = [{ id: 'kind', about: 'kindness' }];
  write('kind.json', { name: 'kind', form: 'pairwise', about: 'who is kinder', axes });
  write('ludus.config.json', {
    kinds: {
      environments: { sticks: './stick-game.mjs', gone: './gone.ts' },
      agents: { eve: './eve.json' },
      recipes: { weaker: './weaker.json', sticks: './sticks.json' },
      engines: { climber: './climber.mjs' },
      rubrics: { kind: './kind.json' },
      judges: { strict: './model.mjs' },
      populations: { town: './town.json' },
    },
  });
});
afterAll(() => studio.close());

describe('objects named in the configuration', () => {
  it('are offered before built-in ones throughout the studio', async () => {
    const { environments } = await get<EnvironmentsShown>('/api/environments');
    expect(environments.slice(0, 2)).toEqual([
      { name: 'sticks', summary: expect.any(String), group: 'Your environments', seats: 2, turns: expect.any(Number), isText: false },
      {
        name: 'gone',
        summary: expect.stringContaining('File not found'),
        group: 'Your environments',
        seats: 0,
        turns: null,
        isText: false,
      },
    ]);
    expect(environments.map(({ name }) => name)).toContain('kuhn-poker');
    expect((await get<EnvironmentShown>('/api/environments/kuhn-poker')).castable[0]).toBe('eve');
    expect(Object.keys((await get<TrainingShown>('/api/training')).recipes)[0]).toBe('weaker');
    expect((await get<ImproveShown>('/api/improving')).engines[0]).toBe('climber');
    const { rubrics, controls } = await get<TrustShown>('/api/boards/trust');
    expect([rubrics[0], controls[0]]).toEqual(['kind', 'strict']);
    expect(Object.keys(await get<object>('/api/personas/populations'))).toEqual(['town', 'customers']);
  });

  it('include files of the folder that nothing names, each as what it is, without running them', async () => {
    write(
      'tower.mts',
      "import { defineEnvironment } from 'ludus-agents';\nglobalThis.loadedByList = true;\nexport const tower = defineEnvironment({});",
    );
    write(
      'tidy.mts',
      "import { type Agent, scripted } from 'ludus-agents';\nexport const tidy: Agent = scripted('tidy', () => ({ text: '' }));",
    );
    write('bess.json', { $schema: './schemas/persona.json', schema: 'persona/1', name: 'Bess', kind: 'character' });
    write('curt.mjs', 'export default function reply(messages) { globalThis.loadedByList = true; return messages.length; }');
    write('answers.codebook.csv', 'variable,kind,question\ntrust,scale,Most people can be trusted.');
    const characters = ['beatrix', 'tomas'].map((persona) => ({ persona, goal: 'Dine.' }));
    write('dinner.json', { name: 'Supper', setting: 'A table.', topic: 'the roof', characters });
    const choices = await get<LaunchChoices>('/api/launch');
    const files = (part: 'environments' | 'agents' | 'suites' | 'recipes') =>
      choices[part].flatMap(({ name }) => (name.startsWith('./') ? [name] : []));
    expect(files('environments')).toEqual(['./tower.mts']);
    expect(files('agents')).toEqual(['./eve.json', './tidy.mts']);
    expect(choices.agents.map(({ name }) => name)).toContain('bot:./curt.mjs');
    expect(files('suites')).toEqual([]);
    expect(files('recipes')).toEqual(['./sticks.json', './weaker.json']);
    expect(choices.populations).toContain('./town.json');
    expect(choices.scenes.map(({ name }) => name)).toContain('./dinner.json');
    expect(choices.personas.map(({ name }) => name)).toContain('./bess.json');
    const look = (scene: string) => studio.ask<LaunchLook>('POST', '/api/launch/look', { what: 'scene', scene });
    expect((await look('./dinner.json')).body).toMatchObject({ title: 'The scene Supper', episodes: 1 });
    // No other file of this machine is read.
    expect((await look('./../dinner.json')).status).toBe(400);
    const { environments } = await get<EnvironmentsShown>('/api/environments');
    expect(environments.find(({ name }) => name === './tower.mts')?.group).toBe('Your environments');
    expect((await get<EnvironmentShown>('/api/environments/kuhn-poker')).castable).toContain('./tidy.mts');
    expect('loadedByList' in globalThis).toBe(false);
  });

  it('can be played by name, both the environment and the agent', async () => {
    const shown = await get<EnvironmentShown>('/api/environments/sticks');
    expect(shown.name).toBe('sticks');
    const cast = Object.fromEntries(shown.seats.map((seat) => [seat, 'eve']));
    const { status, body } = await studio.ask<{ episode: string }>('POST', '/api/play', { environment: shown.name, cast });
    expect([status, body]).toEqual([200, { episode: expect.any(String) }]);
    expect(await studio.store.episode(body.episode)).toMatchObject({ environment: 'stick-game@1' });
  });
  it('include a trained checkpoint to play against in an environment from a file', async () => {
    await studio.ask('POST', '/api/training', { recipe: 'sticks', games: 500, name: 'pupil' });
    const { environments, seats, failed } = await until(
      () => get<TrainingDetail>('/api/training/of/pupil'),
      ({ going, checkpoints }) => !going && checkpoints.length > 0,
    );
    expect([failed, environments, seats]).toEqual([null, ['./stick-game.mjs'], ['first', 'second']]);
    // Named by its file, it is the same recipe: its duration is known.
    const form = { what: 'train', recipe: './sticks.json', games: 500 };
    expect((await studio.ask<LaunchLook>('POST', '/api/launch/look', form)).body.basis).toBe('at the speed of pupil');
    const path = `/api/environments/${encodeURIComponent('./stick-game.mjs')}`;
    expect(await get<EnvironmentShown>(path)).toMatchObject({ name: './stick-game.mjs', seats });
    const cast = { first: 'human', second: 'local/pupil@last' };
    const { status, body } = await studio.ask<{ episode: string }>('POST', '/api/play', { environment: './stick-game.mjs', cast });
    expect([status, body]).toEqual([200, { episode: expect.any(String) }]);
    // A training that was imported, and is called by the name of that folder, has no checkpoint in it, and its file is not loaded.
    const { work, ...run } = (await studio.store.run('pupil'))!;
    write('evil.mjs', 'globalThis.loadedByImport = true;');
    const { recipe } = work as unknown as { recipe: { training: object } };
    const other = { ...recipe, training: { ...recipe.training, environment: './evil.mjs' } };
    await studio.store.putRun({ ...run, id: 'imported', work: { ...work, kind: 'train', recipe: other } as never });
    const { checkpoints, stranger, seats: none } = await get<TrainingDetail>('/api/training/of/imported');
    expect([checkpoints, none, 'loadedByImport' in globalThis]).toEqual([[], [], false]);
    expect(stranger).toContain('.ludus/training/pupil is another training run with the same name (sticks, seed 1)');
    expect((await studio.ask('GET', '/api/training/of/imported/policy?at=best')).status).toBe(400);
  });
});

describe('an agent whose import is edited', () => {
  it('is played again, and its report shows the new result as soon as the run has ended', async () => {
    const scene = { environment: 'kuhn-poker', seats: ['first'], others: { '*': 'random' }, scale: [-2, 2] };
    write('bets.json', { name: 'bets', nulls: ['random'], seeds: 12, scenes: [scene] });
    write(
      'better.mjs',
      "import { scripted } from 'ludus-agents';\nimport { at } from './rule.mjs';\nexport const better = scripted('better', ({ ask }) => ({ text: ask.choices.at(at) }));",
    );
    const played: (readonly [number, number | undefined])[] = [];
    for (const rule of [0, 0, -1]) {
      write('rule.mjs', `export const at = ${rule};`);
      await studio.ask('POST', '/api/launch', {
        what: 'eval',
        suite: './bets.json',
        agents: ['./better.mjs'],
      });
      const { ended } = await until(
        () => get<JobsShown>('/api/jobs'),
        ({ running }) => running.length === 0,
      );
      expect(ended.at(-1)?.error).toBeNull();
      const { standings } = await get<ReportShown>(`/api/runs/of/${ended.at(-1)?.run}/report`);
      const better = standings?.agents.find(({ agent }) => agent === 'better');
      played.push([better?.episodes ?? 0, better?.value ?? undefined]);
    }
    const [[episodes, before], again, [, after]] = played as [(typeof played)[0], (typeof played)[0], (typeof played)[0]];
    expect([episodes, again]).toEqual([12, played[0]]);
    expect(after).not.toBe(before);
  });
});
