/** @file Learned simulators: complete data reproduces a small environment, missing steps are taken from the most similar one, and a simulator passes all checks. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import type { SearchMind } from '@ludus-agents/agents/internal/search/agent';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { createDream, readDream } from '@ludus-agents/environments/internal/dream/dream';
import { measureError } from '@ludus-agents/environments/internal/dream/error';
import { indexSteps, stepsOf } from '@ludus-agents/environments/internal/dream/steps';
import { makeDream } from '@ludus-agents/evaluation/internal/dreams';
import { type AnyEnvironment, type EpisodeEvent, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../../src/cli/terminal.cases.ts';

const lock = await builtInEnvironment('lock');
const task = { dials: 3, letters: 2, combination: 1 };

async function logOf(environment: AnyEnvironment, seed: number, input: Json, mover?: (choices: readonly string[], n: number) => string) {
  const opener = scripted('opener', ({ ask, rng: dice, view }) => {
    const n = view.seen.filter((item) => item.kind === 'action').length;
    return { text: mover?.(ask.choices ?? [], n) ?? dice.pick(ask.choices ?? ['']) };
  });
  const log: EpisodeEvent[] = [];
  for await (const event of play(environment, { [environment.seats(environment.task(input))[0]!]: opener }, { seed, task: input }))
    log.push(event);
  return log;
}

/** Seven rooms in a row: the right end pays 1, the left end nothing. */
const rooms = (room: number) => ({ to: ['walker'], text: `You are in room ${room} of 7.` });
const ring: AnyEnvironment = {
  id: 'rooms@1',
  about: { summary: 'Rooms.', tasks: [{}], turns: 1000, open: true },
  parameters: {},
  task: () => ({}),
  seats: () => ['walker'],
  start: () => ({ state: { room: 4 }, messages: [rooms(4)], asks: [{ seat: 'walker', choices: ['[left]', '[right]'] }] }),
  step({ room }: { room: number }, actions) {
    const next = room + (actions['walker']?.text === '[right]' ? 1 : -1);
    if (next > 1 && next < 7)
      return { state: { room: next }, messages: [rooms(next)], asks: [{ seat: 'walker', choices: ['[left]', '[right]'] }] };
    return { state: { room: next }, messages: [rooms(next)], asks: [], rewards: { walker: next === 7 ? 1 : 0 } };
  },
  knows: (state: Json) => state,
};
const walks = () => Promise.all(Array.from({ length: 40 }, (_, seed) => logOf(ring, seed, {})));

const logs = await Promise.all(Array.from({ length: 60 }, (_, seed) => logOf(lock, seed, task)));
const options = { of: lock.id, seat: 'opener', hold: 0.2 };
const document = await makeDream(logs, options);

describe('a learned environment', () => {
  it('passes the contract and states its error', async () => {
    const dream = createDream(document);
    expect(await check(dream)).toEqual([]);
    expect(dream.id).toMatch(/^dream-of-lock-wrong-\d+-in-100@/);
    expect(dream.about.summary).toMatch(/real steps of \d+ episodes that it was not made from, \d.* \(95% \d/);
    const log = await logOf(dream, 1, {});
    expect(replay(dream, log)).toBeNull();
    expect(log.find((event) => event.kind === 'message' && event.to.length === 0)).toMatchObject({ data: { of: 'lock@1' } });
  });

  it('equals the original if every step was seen and the text identifies the state', async () => {
    const { error } = await makeDream(await walks(), { of: ring.id, seat: 'walker', hold: 0.2 });
    expect(error).toMatchObject({ told: 0, words: 0, reward: 0, paying: 0, over: 0, choices: 0, unseen: 0 });
    // Its policy is then the real one's too: what pays in the dream pays in the rules.
    const dream = createDream(await makeDream(await walks(), { of: ring.id, seat: 'walker', hold: 0.2 }));
    const right = await logOf(dream, 1, {}, () => '[right]');
    expect(right.at(-1)).toMatchObject({ returns: { walker: 1 } });
  });

  it('reports the share of unseen moves', async () => {
    const episodes = logs.map((log) => stepsOf(log, 'opener')!);
    const stepIndex = indexSteps(episodes.flatMap(({ steps }) => steps).filter(({ move }) => move !== '[b]'));
    const error = await measureError(episodes, async ({ at, move }, dice) => stepIndex.outcome(at, move, dice), {
      isSeen: ({ at, move }) => stepIndex.has(at, move),
    });
    const share = episodes.flatMap(({ steps }) => steps).filter(({ move }) => move === '[b]').length / error.steps;
    expect(error.unseen).toBeCloseTo(share, 3);
    expect(error.told).toBeGreaterThan(document.error.told);
  });

  it('played by a model gets real steps as examples, and exposes false rewards by its error', async () => {
    const liar = fakeModel({ answers: ['Told: "The lock opens."\nMoves: null\nReward: 1\nOver: yes'] });
    const { error } = await makeDream(logs, { ...options, model: liar });
    expect(error.reward).toBeGreaterThan(0.5);
    const copier = fakeModel({ answers: (prompt) => /^Told: [\s\S]*?^Over: \w+/m.exec(String(prompt.messages[0]!.content))![0] });
    expect((await makeDream(logs, { ...options, model: copier })).error.reward).toBeLessThan(error.reward);
    const log: EpisodeEvent[] = [];
    const dream = createDream(document);
    const first = scripted('first', ({ ask }) => ({ text: ask.choices?.[0] ?? '' }));
    const dreamer = scripted('dreamer', dream.scripts!['dreamer']!);
    for await (const event of play(dream, { opener: first, dreamer }, { seed: 1, task: { by: 'model' } })) log.push(event);
    expect(log.at(-1)).toMatchObject({ reason: 'over' });
    expect(log.some((event) => event.kind === 'message' && event.to.includes('dreamer') && event.text.includes('really happened'))).toBe(
      true,
    );
  });

  it('is rejected if invalid', async () => {
    expect(readDream({ name: 'x' }, 'x.json')).toBeUndefined();
    expect(() => readDream({ kind: 'dream', of: 'lock@1' }, 'x.json')).toThrow(/is not a valid learned environment: it needs "of"/);
    await expect(makeDream(logs.slice(0, 2), options)).rejects.toThrow(/at least 5 finished episodes/);
  });
});

describe('looking ahead in a learned environment', () => {
  it('finds real rewards in a good model and false ones in a bad one, with the error in the log', async () => {
    const walk = async (logsOf: readonly (readonly EpisodeEvent[])[], lie: boolean) => {
      const dreamDocument = await makeDream(logsOf, { of: ring.id, seat: 'walker', hold: 0.2 });
      const steps = dreamDocument.steps.map((step) => (lie ? { ...step, reward: step.over ? 1 - step.reward : 0 } : step));
      const load = createAgentLoader({ environment: async () => createDream({ ...dreamDocument, steps }) });
      const settings = { strategy: 'mcts', simulations: 300, dream: { from: './dream.json' } };
      const log: EpisodeEvent[] = [];
      const walker = await load({ name: 's', kind: 'search', settings }, 'walker', ring);
      for await (const event of play(ring, { walker }, { seed: 3 })) log.push(event);
      return { end: log.at(-1), mind: (log.find((event) => event.kind === 'action') as unknown as { mind: SearchMind }).mind };
    };
    const [right, wrong] = [await walk(await walks(), false), await walk(await walks(), true)];
    expect([right.end, wrong.end]).toMatchObject([{ returns: { walker: 1 } }, { returns: { walker: 0 } }]);
    expect(right.mind).toMatchObject({ exact: false, dream: { step: 0, reward: 0 }, sheet: { told: 0 } });
  });
});

it('ludus env dream learns an environment from stored episodes, which is played from its file', async () => {
  const here = folder();
  const plan = { name: 'p', environments: [{ environment: 'lock', tasks: [task] }], seeds: 12, casts: [{ '*': 'random' }] };
  writeFileSync(join(here, 'plan.json'), JSON.stringify(plan));
  expect((await ludus(here, ['run', 'plan.json'])).code).toBe(0);
  const outcome = await ludus(here, ['env', 'dream', 'lock', '-o', 'dream.json']);
  expect(outcome.out, outcome.err).toMatch(/real steps of \d+ episodes that it was not made from, \d.* \(95% \d/);
  const { out, code } = await ludus(here, ['play', './dream.json', '--agents', 'random', '--seed', '1']);
  expect(code, out).toBe(0);
  expect((await ludus(here, ['list', 'episodes'])).out).toContain('dream-of-lock-wrong-');
  expect((await ludus(here, ['env', 'dream', 'maze', '-o', 'x.json'])).err).toContain('at least 5 finished episodes');
});

it('a policy learned only in a learned environment earns rewards in the real one', async () => {
  const here = folder();
  const short = { dials: 2, letters: 3 };
  const observations = await Promise.all(Array.from({ length: 120 }, (_, seed) => logOf(lock, seed, short)));
  writeFileSync(join(here, 'dream.json'), JSON.stringify(await makeDream(observations, options)));
  const training = { environment: './dream.json', games: 2000 };
  writeFileSync(
    join(here, 'dreamed.json'),
    JSON.stringify({ name: 'dreamed', base: 'teacher-tabular', curriculum: { kind: 'uniform' }, training }),
  );
  const trained = await ludus(here, ['train', './dreamed.json', '--name', 'dreamed', '--seed', '1']);
  expect(trained.code, trained.err).toBe(0);
  const words = ['play', 'lock', '--agents', 'local/dreamed@best', '--task', JSON.stringify(short), '--seed', '1'];
  const { out, err } = await ludus(here, words);
  expect(out, err).toContain('The lock opens.');
});
