/** @file A run that was started in the studio is stopped there, keeps what has ended, resumes when it is started again, and says what is played again. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { suiteOfDesk } from '@ludus-agents/desk/internal/desks';
import { readDesk } from '@ludus-agents/desk/internal/environment/document';
import { evaluateRun } from '@ludus-agents/evaluation/internal/evaluate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import type { CaseChangesShown, RunNow } from '../api.ts';
import { type OpenStudio, openStudio } from '../request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

it('stops a running run and nothing else', async () => {
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
  // What is over cannot be stopped, and stopping it is not an error.
  expect((await studio.ask('POST', '/api/runs/of/long/stop')).status).toBe(200);
});

it('reports which episodes a changed agent replays, and keeps those of an unpinned agent on request', async () => {
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

it('compares changed desk cases of two versions of a bot, and shows none for other runs', async () => {
  const source = `export const old = (m) => (/open/.test(m) ? 'We open at 9.' : 'A day pass is 15.');
export const recent = (m) => (/open/.test(m) ? 'We open at 10.' : 'A day pass is 12.');`;
  writeFileSync(join(studio.cwd, 'club-bots.mjs'), source);
  const tasks = [
    { id: 'open', says: [{ ask: 'When do you open?', tell: [9] }] },
    { id: 'pass', says: [{ ask: 'What does a day pass cost?', tell: [12] }] },
  ];
  const suite = suiteOfDesk(readDesk({ name: 'club', policy: '- The club opens at 9.\n- A day pass is 12.', tasks }));
  for (const run of ['old', 'recent']) {
    const agents = [{ name: run, kind: `bot:${studio.cwd}/club-bots.mjs#${run}` }];
    await evaluateRun({ trust: Trust.commandLine, suite, agents, store: studio.store, seeds: 1, run });
  }
  const ask = async (query: string) => (await studio.ask<CaseChangesShown>('GET', `/api/runs/cases?${query}`)).body;
  const { summary, changes } = await ask('before=old&after=recent');
  const open = changes.find(({ name }) => name === 'open');
  expect(summary).toContain('broken');
  expect(open).toMatchObject({ change: 'broken', before: { passed: true }, after: { passed: false } });
  expect(open?.pairs.find(([was, is]) => was?.text !== is?.text)).toEqual([
    { by: 'agent', text: 'We open at 9.' },
    { by: 'agent', text: 'We open at 10.' },
  ]);
  expect(await ask('before=edited&after=recent')).toEqual({ summary: null, changes: [], more: 0 });
});
