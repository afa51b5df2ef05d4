/** @file The functions behind the commands return data, and take objects in memory where a name is allowed. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import type { Agent, AnyEnvironment, Model, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { commands } from '../commands.ts';

const second: Agent = { name: 'second choice', act: async ({ ask }) => ({ action: { text: ask.choices?.[1] ?? 'Hello.' } }) };
const first: Agent = { name: 'first choice', act: async ({ ask }) => ({ action: { text: ask.choices?.[0] ?? 'Hello.' } }) };

/** One player, two moves, of which the second pays. */
const pick = {
  id: 'pick@1',
  about: { summary: 'Take the second. It pays.', tasks: [{}], turns: 1 },
  parameters: {},
  task: () => ({}),
  seats: () => ['player'],
  start: () => ({
    state: {},
    messages: [{ to: ['player'], text: 'Pick [one] or [two].' }],
    asks: [{ seat: 'player', choices: ['[one]', '[two]'] }],
  }),
  step: (state, actions) => ({ state, messages: [], asks: [], rewards: { player: actions['player']?.text === '[two]' ? 1 : 0 } }),
  knows: () => ({}),
} as AnyEnvironment;

const folder = () => mkdtempSync(join(tmpdir(), 'ludus-library-'));

/** A store with a run of both agents. */
async function playPicks(): Promise<{ readonly store: Store; readonly run: string }> {
  const store = memoryStore();
  const plan = { name: 'picks', environments: [pick], seeds: 4, casts: [{ player: first }, { player: second }] };
  const outcome = await commands.run({ plan, store });
  if (outcome?.kind !== 'played') throw new Error('The plan was not played.');
  return { store, run: outcome.run };
}

describe('run', () => {
  it('plays a plan of objects, with an estimate and a confirmation', async () => {
    const store = memoryStore();
    const plan = { environments: [pick], seeds: 3, casts: [{ player: second }] };
    expect(await commands.run({ plan, store, confirm: async ({ planned, estimate }) => planned !== 3 || estimate !== null })).toBeNull();
    expect(await store.runs()).toEqual([]);
    expect(await commands.run({ plan, store, dryRun: true })).toMatchObject({ kind: 'estimate', episodes: 3, calls: { high: 0 } });
    const outcome = await commands.run({ plan, store });
    expect(outcome).toMatchObject({ kind: 'played', played: 3, results: { seats: [{ agent: 'second choice', value: 1 }] } });
    expect(outcome).toMatchObject({ unpinned: { 'second choice': expect.any(String) } });
  });

  it('reads a plan from a file and rejects human seats', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'plan.json'), '{"environments":["kuhn-poker"],"seeds":1,"casts":[{"*":"human"}]}');
    await expect(commands.run({ plan: 'plan.json', cwd, store: memoryStore() })).rejects.toMatchObject({ boundary: 'input' });
  });
});

describe('stored runs', () => {
  it('are scored by rules and by a judge in memory', async () => {
    const { store, run } = await playPicks();
    expect(await commands.score({ run, store, scorers: ['return'] })).toMatchObject({ kind: 'episodes', run, scored: 8, judges: [] });
    const judge: Model = {
      id: 'mute',
      complete: async () => ({ text: 'I cannot say.', stop: 'end', usage: { input: 1, output: 1 } }) as never,
    };
    expect(await commands.score({ run, store, rubric: 'sotopia', judge, again: true })).toMatchObject({
      kind: 'episodes',
      judges: [{ judge: 'mute', rubric: 'sotopia' }],
    });
    await expect(commands.score({ run, store, workers: 1 })).rejects.toMatchObject({ boundary: 'input' });
  });

  it('are compared by agents in memory and on a suite', async () => {
    const { store } = await playPicks();
    expect(await commands.compare({ a: first, b: second, store })).toMatchObject({ kind: 'results', score: 'return', pairs: 4 });
    await expect(commands.compare({ a: first, b: second, by: 'cases', store })).rejects.toMatchObject({ boundary: 'input' });
    const plays = { plays: 2, store: memoryStore() };
    expect(await commands.compare({ a: first, b: 'random', on: 'games-core', ...plays })).toMatchObject({
      kind: 'suite',
      suite: 'games-core',
    });
  });

  it('are listed and shown', async () => {
    const { store, run } = await playPicks();
    expect(await commands.list({ store })).toMatchObject({ kind: 'counts', counts: { runs: 1, episodes: 8 }, damaged: 0 });
    expect(await commands.list({ what: 'run', store })).toMatchObject({ kind: 'runs', entries: [{ id: run, planned: 8, ended: 8 }] });
    const listed = await commands.list({ what: 'episodes', agent: 'second choice', limit: 1, store });
    if (listed.kind !== 'episodes') throw new Error('No episodes were listed.');
    expect(await commands.show({ name: run, store })).toMatchObject({ kind: 'run', ended: 8, earlier: 0 });
    const [episode] = listed.entries;
    expect(await commands.show({ name: episode?.id ?? '', seat: 'PLAYER', store })).toMatchObject({ kind: 'episode', seat: 'player' });
    await expect(commands.show({ name: episode?.id ?? '', seat: 'judge', store })).rejects.toMatchObject({ code: 'E_UNKNOWN_SEAT' });
  });

  it('are exported to a stream and to a file', async () => {
    const { store } = await playPicks();
    let text = '';
    const output = new Writable({
      write(chunk, _, done) {
        text += chunk;
        done();
      },
    });
    expect(await commands.data.export({ store, output, format: 'csv', where: ['return>=1'] })).toEqual({
      kind: 'stream',
      left: expect.any(Object),
    });
    expect(text.trim().split('\n')).toHaveLength(5);
    const cwd = folder();
    const whole = await commands.data.export({ store, output: 'all.jsonl', cwd });
    expect(whole).toMatchObject({ kind: 'episodes', damaged: [] });
    expect(readFileSync(join(cwd, 'all.jsonl'), 'utf8').trim().split('\n')).toHaveLength('lines' in whole ? whole.lines : 0);
    await expect(commands.data.export({ store, output, format: 'jsonl', tag: 'x' })).rejects.toMatchObject({ boundary: 'input' });
  });
});

describe('show', () => {
  it('describes an environment in memory, an entry, and a persona', async () => {
    expect(await commands.show({ name: pick })).toMatchObject({ kind: 'environment', seats: ['player'], environment: { id: 'pick@1' } });
    expect(await commands.show({ kind: 'scorer', name: 'return' })).toMatchObject({
      kind: 'entry',
      entry: { kind: 'scorer', name: 'return' },
    });
    const [persona, other] = Object.values(gallery);
    expect(await commands.show.persona()).toMatchObject({ kind: 'gallery' });
    expect(await commands.show.persona({ persona })).toEqual({ kind: 'persona', persona });
    const view = await commands.show.persona({ persona, diff: other });
    expect(view).toMatchObject({ kind: 'prompt', tokens: expect.any(Number) });
    expect('changes' in view && view.changes?.some(({ sign }) => sign === '+')).toBe(true);
  });
});

describe('persona.probe', () => {
  it('probes a persona played by an agent in memory', async () => {
    const [persona] = Object.values(gallery);
    if (persona === undefined) throw new Error('The gallery is empty.');
    const request = { persona, store: memoryStore(), items: 1, only: ['knowledge'] as const };
    expect(await commands.persona.probe({ ...request, agent: first })).toMatchObject({
      ...{ kind: 'card', agent: 'first choice', persona: { id: persona.id }, parts: [{ section: 'knowledge' }] },
    });
    await expect(commands.persona.probe({ ...request, agent: 'control:dances' })).rejects.toMatchObject({ boundary: 'input' });
  });
});

describe('survey', () => {
  it('checks facts with an agent in memory and extracts fields of its run', async () => {
    const store = memoryStore();
    const { run, people, facts } = await commands.survey.facts({ population: 'customers', number: 4, agent: first, store });
    expect(people).toBe(4);
    expect(facts.length).toBeGreaterThan(0);
    const schema = { fields: [{ name: 'answer', about: 'What they said.', pattern: '\\w+' }] };
    const extracted = await commands.survey.extract({ run, schema, store });
    expect(extracted).toMatchObject({ run, stopped: false });
    expect(extracted.rows).toHaveLength(4);
  });

  it('compares answers in memory with those of people', async () => {
    const row = { name: 'Ann', attributes: {}, weight: 1, ballot: '', wave: '', item: 'move', kind: 'choice' as const };
    const answers = {
      rows: ['a', 'b'].map((person) => ({ ...row, person, status: 'given', codes: [1], answer: 'yes', place: null }) as never),
      variables: [],
      attributes: [],
    };
    const human = [{ person: 'p', weight: 1, attributes: {}, codes: new Map() }];
    expect(await commands.survey.compare({ answers: answers as never, human })).toMatchObject({ synthetic: 2, people: 1 });
  });

  it('runs an experiment with people after confirmation', async () => {
    const questionnaire = { name: 'move', items: [{ id: 'move', text: 'Will you move away?', options: ['yes', 'no'] }] };
    const design = { name: 'letters', outcome: 'move', option: 'yes', number: 8, arms: { none: '', letter: 'Rents fall.' } };
    const request = { experiment: design, questionnaire, population: 'customers', agent: first, store: memoryStore() };
    expect(await commands.survey.experiment({ ...request, confirm: async () => false })).toBeNull();
    expect(await commands.survey.experiment(request)).toMatchObject({ kind: 'people', planned: 8, arms: 2, missing: 0, deviations: null });
  });

  it('plays a town', async () => {
    const small = { people: 3, days: 1, hours: 1, number: 2, store: memoryStore() };
    expect(await commands.survey.town({ ...small, confirm: async () => false })).toBeNull();
    expect(await commands.survey.town(small)).toMatchObject({ kind: 'town', outcomes: { believable: expect.any(Object) } });
  });
});

describe('new', () => {
  it('writes only new files, and a document by a model in memory', async () => {
    const cwd = folder();
    const created = await commands.new({ kind: 'agent', name: 'steady', cwd });
    expect(created.files).toEqual(['steady.mts', 'steady.test.mts']);
    await expect(commands.new({ kind: 'agent', name: 'steady', cwd })).rejects.toMatchObject({ boundary: 'input' });
    const spec = '{"name": "calm", "kind": "random"}';
    const model = { id: 'author', complete: async () => ({ text: spec, stop: 'end', usage: { input: 1, output: 1 } }) } as never as Model;
    const { written } = await commands.new({ kind: 'agent', name: 'calm', from: 'somebody calm', model, cwd });
    expect(written?.document).toMatchObject({ kind: 'random' });
  });
});

describe('serve.sites', () => {
  it('returns routes and the path of the first session', async () => {
    const { enter, pages } = await commands.serve.sites({ seed: 7 });
    expect(enter).toMatch(/^\//);
    expect(pages).toBeNull();
  });
});
