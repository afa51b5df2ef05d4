/** @file A run that was begun on the page is stopped there, keeps what has ended, and goes on when it is begun again. */

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
