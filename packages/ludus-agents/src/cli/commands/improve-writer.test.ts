/** @file The writer of a profile is improved like any other text: the better one reads hints, and ten sessions of them answer in the eleventh. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import { targetOf } from '@ludus-agents/learning/internal/improving/targets';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { json, type ScriptedServer, scriptedServer, whole } from '../../../../../test/fixtures/scripted-server.ts';
import { folder, ludus } from '../terminal.cases.ts';

/** A guest makes a remark, and may ask at the end for something it only hinted at. */
const visit = `
const cups = [['The milk gives me a headache.', 'black'], ['Two lumps, or I frown all day.', 'sweet'], ['I fell in love with lemons in Sicily.', 'lemon']];
const says = ({ hint, asks }) => [...(hint === null ? [] : [cups[hint][0]]), ...(asks ? ['Pour me one as I like it.'] : [])];
const say = (text) => [{ to: ['host'], from: 'guest', text }];
export const visit = {
  id: 'visit@1',
  about: { summary: 'A guest.', tasks: [0, 1, 2].map((hint) => ({ hint, asks: true })), turns: 2 },
  parameters: {},
  task: ({ hint = 0, asks = true, cup = hint ?? 0 }) => ({ hint, asks, cup }),
  seats: () => ['host', 'guest'],
  start: (task) => ({ state: { task, at: 0 }, messages: say(says(task)[0]), asks: [{ seat: 'host' }] }),
  step: ({ task, at }, { host }) => at + 1 < says(task).length
    ? { state: { task, at: at + 1 }, messages: say(says(task)[at + 1]), asks: [{ seat: 'host' }] }
    : { state: { task, at }, messages: [], asks: [], rewards: { host: task.asks && host.text.includes(cups[task.cup][1]) ? 1 : 0 } },
};
`;

/** A model by rules: it pours by the profile, writes a profile as its text says, and as a critic adds what was missing. */
function answer(prompt: readonly { readonly role: string; readonly content: string }[]): string {
  const [system = '', last = ''] = [prompt[0]?.content, prompt.at(-1)?.content];
  const all = prompt.map(({ content }) => content).join('\n');
  if (all.includes('You improve that text')) {
    const text = /<text>\n(.*?)\n<\/text>/s.exec(all)?.[1] ?? '';
    return `<text>\n${text.includes('outright') ? 'Keep the profile of a user. One line each: user.TOPIC = VALUE. Read hints too.' : text}\n</text>`;
  }
  if (last.includes('<records>')) {
    const index = [/milk/, /lumps/, /lemons/].findIndex((hint) => hint.test(last));
    return system.includes('hints') && index >= 0 ? `user.cup = ${['black', 'sweet', 'lemon'][index]}` : 'nothing';
  }
  return `Speech: ${/cup: (\w+)/.exec(last)?.[1] ?? 'As it comes.'}`;
}

const cwd = folder();
let server: ScriptedServer;
const ann = () => ({
  name: 'Ann',
  kind: `llm:${server.url}#m`,
  settings: { writer: true, lasting: true },
  texts: { writer: 'Keep the profile of a user. One line each: user.TOPIC = VALUE. Only what is said outright.' },
});

beforeAll(async () => {
  server = await scriptedServer((response, observation, socket) => {
    if (!observation.url.endsWith('/chat/completions')) return json(404, {})(response, observation, socket);
    return whole(answer(observation.body['messages'] as { role: string; content: string }[]))(response, observation, socket);
  });
  writeFileSync(join(cwd, 'visit.mjs'), visit);
  writeFileSync(join(cwd, 'ann.json'), JSON.stringify(ann()));
  const scenes = [{ environment: './visit.mjs', seats: ['host'], others: { guest: 'random' }, scale: [0, 1] }];
  writeFileSync(join(cwd, 'suite.json'), JSON.stringify({ name: 'cups', about: 'cups', nulls: ['random'], scenes }));
});
afterAll(() => server.close());

/** Ten sessions with a hint each, and a question in the eleventh: the drink that was poured. */
async function eleventh(agent: string, store: string): Promise<number> {
  const visitOf = (task: object, seed: number) =>
    ludus(cwd, [
      'play',
      './visit.mjs',
      '--agents',
      `${agent},random`,
      '--task',
      JSON.stringify(task),
      '--seed',
      String(seed),
      '--store',
      store,
      '--json',
    ]);
  for (let i = 0; i < 10; i++) await visitOf({ hint: i === 3 || i === 6 ? 0 : 1, asks: false }, i);
  const { out } = await visitOf({ hint: null, cup: 1 }, 11);
  return JSON.parse(out).returns.host;
}

describe('the writer of a profile', () => {
  it('is improved behind the gate, and then hints from ten sessions are used in the eleventh', async () => {
    const words = ['improve', './ann.json', '--on', './suite.json', '--proposer', `${server.url}#m`, '--lock', 'instruction'];
    // Plays of an improvement must not remember each other.
    vi.stubEnv('LUDUS_MEMORY', 'off');
    const { code, out, err } = await ludus(cwd, [
      ...words,
      '--budget',
      '12',
      '--tasks',
      '3,3,6',
      '--seed',
      '1',
      '-o',
      'better.json',
      '--json',
    ]);
    vi.unstubAllEnvs();
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
    const line = JSON.parse(out.trim().split('\n').at(-1) as string);
    expect(line).toMatchObject({ start: 0, best: 1, random: 0 });
    const better = JSON.parse(readFileSync(join(cwd, 'better.json'), 'utf8')) as AgentSpec;
    expect(better.texts?.['writer']).toContain('Read hints too.');
    expect(await eleventh('./better.json', 'better.sqlite')).toBe(1);
    // The one it was made from heard the same, and knows nothing.
    expect(await eleventh('./ann.json', 'ann.sqlite')).toBe(0);
    const { records } = JSON.parse((await ludus(cwd, ['store', 'memory', 'Ann', '--store', 'ann.sqlite', '--json'])).out);
    expect(records).toEqual([]);
  });

  it('starts with the default text if its agent has none, and is absent without a writer', () => {
    const scenes = [{ environment: 'kuhn-poker', tasks: [{}], seats: ['first'], scale: [-2, 2] as const }];
    const poker = suite({ name: 'mine', about: 'poker', nulls: ['random'], scenes });
    const startOf = (settings: AgentSpec['settings']) =>
      targetOf({ agent: { name: 'Ann', kind: 'llm', ...(settings && { settings }) }, suite: poker }).start;
    expect(startOf({ writer: true }).texts?.['writer']).toContain('hint');
    expect(startOf({ writer: false }).texts).toEqual({ instruction: '' });
  });
});
