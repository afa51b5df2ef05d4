/** @file A run that was started in the studio is stopped there, keeps what has ended, resumes when it is started again, and says what is played again. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import type { RunNow } from '../api.ts';
import { type OpenStudio, openStudio } from '../request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

it('stops a run that goes on, and nothing else', async () => {
  const at = async (run: string) => (await studio.ask<RunNow>('GET', `/api/runs/of/${run}`)).body;
  const form = (count: number) => ({ what: 'run', environments: ['kuhn-poker'], agents: ['random'], seeds: count, from: 0, name: 'long' });
  const { body } = await studio.ask<{ page: string }>('POST', '/api/launch', form(100_000));
  expect(body.page).toBe('#/run/long');
  const ended = ({ ends }: RunNow) => ends.over ?? 0;
  await until(
    () => at('long'),
    (run) => run.going && ended(run) > 0,
  );
  expect((await studio.ask('POST', '/api/runs/of/none/stop')).status).toBe(404);
  expect((await at('long')).going).toBe(true);
  expect((await studio.ask('POST', '/api/runs/of/long/stop')).status).toBe(200);
  const stopped = await until(
    () => at('long'),
    ({ going }) => !going,
  );
  expect(ended(stopped)).toBeLessThan(100_000);
  // What is over cannot be stopped, and stopping it is no error.
  expect((await studio.ask('POST', '/api/runs/of/long/stop')).status).toBe(200);
});

it('says which stored episodes a changed agent is played again for, and keeps those of an unpinned agent where that is wanted', async () => {
  const at = async (run: string) => (await studio.ask<RunNow>('GET', `/api/runs/of/${run}`)).body;
  const put = (file: string, spec: object) => writeFileSync(join(studio.cwd, file), JSON.stringify(spec));
  const begin = async (name: string, form: object) => {
    const whole = { what: 'run', environments: ['kuhn-poker'], seeds: 3, from: 0, name, ...form };
    expect((await studio.ask('POST', '/api/launch', whole)).status).toBe(200);
    return until(
      () => at(name),
      ({ going }) => !going,
    );
  };
  put('a.json', { name: 'a', kind: 'scripted' });
  expect((await begin('edited', { agents: ['./a.json'] })).changes).toEqual([]);
  expect((await begin('edited', { agents: ['./a.json'] })).changes).toEqual([]);
  put('a.json', { name: 'a', kind: 'random' });
  expect((await begin('edited', { agents: ['./a.json'] })).changes).toEqual([
    'agent ./a.json changed since run edited: 3 episodes are played again.',
  ]);
  // What remembers across episodes is another agent each time.
  put('b.json', { name: 'b', kind: 'llm', model: 'fake', settings: { lasting: true } });
  await begin('unpinned', { agents: ['./b.json'] });
  const count = async () => (await studio.store.episodes({ run: 'unpinned' })).length;
  expect(await count()).toBe(3);
  await begin('unpinned', { agents: ['./b.json'], reuse: true });
  expect(await count()).toBe(3);
  const { changes } = await begin('unpinned', { agents: ['./b.json'] });
  expect(await count()).toBe(6);
  expect(changes).toEqual([expect.stringMatching(/^agent .*b.* may have changed .*3 episodes are played again; reusing/)]);
});
