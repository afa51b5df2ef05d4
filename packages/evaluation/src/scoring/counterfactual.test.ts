/** @file Decisive errors by replay: on planted errors, compared with the last failed call and with time order. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Action, type Agent, type AnyEnvironment, type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { findDecisiveErrors } from './counterfactual.ts';

/** Plays a route without mistakes, but for one wrong tool at a planted move, after which it has too few moves. */
async function planted(seed: number): Promise<{ readonly log: readonly EpisodeEvent[]; readonly agent: Agent; readonly step: number }> {
  const environment = await builtInEnvironment('mission');
  const step = rng(seed, 'plant').int(5);
  const agent: Agent = {
    name: 'worker',
    act({ view }) {
      const turn = view.seen.filter((item) => item.kind === 'action').length;
      const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
      const order = /Order: ([a-z ]+)\./.exec(texts[0] ?? '')?.[1]?.split(' ') ?? [];
      const done = texts.filter((text) => text.includes('is done')).length;
      const right = `[hammer ${order[done]}]`;
      return { action: { text: turn === step ? `[rope ${order[done]}]` : right } };
    },
  };
  const log: EpisodeEvent[] = [];
  const task = { length: 6, blocked: 0, storms: 0, slack: 0, visible: 100 };
  for await (const event of play(environment, { team: agent }, { seed, task })) log.push(event);
  return { log, agent, step };
}

describe('a decisive error', () => {
  it('is found by replay where it was planted, unlike the last failed step', async () => {
    const environment = await builtInEnvironment('mission');
    let [byReplay, byLast] = [0, 0];
    const seeds = Array.from({ length: 12 }, (_, i) => 7001 + i);
    for (const seed of seeds) {
      const { log, agent, step } = await planted(seed);
      const options = { environment, events: log, agents: { team: agent }, changes: 11, steps: 60, signal: new AbortController().signal };
      const { errors, tried } = await findDecisiveErrors(options);
      if (errors[0]?.step === step) byReplay++;
      const actions = log.filter(({ kind }) => kind === 'action').length;
      if (actions - 1 === step) byLast++;
      expect(tried).toBe(actions);
    }
    expect([byReplay, byLast]).toEqual([seeds.length, 0]);
  });

  it('is found although the agent keeps its plan in its mind, which goes on after the changed step', async () => {
    const environment = await builtInEnvironment('mission');
    const walker: Agent = {
      name: 'walker',
      act({ view, mind }) {
        const [first] = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
        const order = /Order: ([a-z ]+)\./.exec(first ?? '')?.[1]?.split(' ') ?? [];
        const plan = Array.isArray(mind)
          ? mind.map(String)
          : order.map((station, i) => (i === 1 ? `[rope ${station}]` : `[hammer ${station}]`));
        return { action: { text: plan[0] ?? '[hammer a]' }, mind: plan.slice(1) };
      },
    };
    const log: EpisodeEvent[] = [];
    const task = { length: 4, blocked: 0, storms: 0, slack: 0, visible: 100 };
    for await (const event of play(environment, { team: walker }, { seed: 2, task })) log.push(event);
    const options = { environment, events: log, agents: { team: walker }, changes: 7, steps: 60, signal: new AbortController().signal };
    expect((await findDecisiveErrors(options)).errors[0]).toMatchObject({ step: 1, outcome: 1, before: 0.25 });
  });

  it('is not an earlier step at which the same move would have been a lucky guess', async () => {
    const choices = ['[ask]', '[left]', '[right]'];
    const ask = { seat: 'guest', choices };
    const fork: AnyEnvironment = {
      id: 'fork@1',
      about: { summary: 'A fork.', tasks: [{}], turns: 4 },
      parameters: {},
      task: () => ({}),
      seats: () => ['guest'],
      start: () => ({ state: 0, messages: [{ to: ['guest'], text: 'A fork.' }], asks: [ask] }),
      step: (turn: number, { guest }: Readonly<Record<string, Action>>) =>
        guest?.text === '[ask]' && turn < 3
          ? { state: turn + 1, messages: [{ to: ['guest'], text: turn === 1 ? 'Go left.' : 'Nobody answers.' }], asks: [ask] }
          : { state: 9, messages: [], asks: [], rewards: { guest: guest?.text === '[left]' ? 1 : 0 } },
    };
    // It is told where to go, and goes the other way.
    const guest: Agent = {
      name: 'guest',
      act: ({ view }) => ({ action: { text: JSON.stringify(view.seen).includes('Go left') ? '[right]' : '[ask]' } }),
    };
    const log: EpisodeEvent[] = [];
    for await (const event of play(fork, { guest }, { seed: 1 })) log.push(event);
    const options = { environment: fork, events: log, agents: { guest }, changes: 6, steps: 60, signal: new AbortController().signal };
    const { errors } = await findDecisiveErrors(options);
    expect(errors.map(({ step, did, better }) => [step, did, better])).toEqual([[2, '[right]', '[left]']]);
  });

  it('is not reported if no change helps', async () => {
    const environment = await builtInEnvironment('mission');
    const { log, agent } = await planted(7001);
    const task = { length: 2, blocked: 0, storms: 0, slack: 6, visible: 100 };
    const good: EpisodeEvent[] = [];
    for await (const event of play(environment, { team: agent }, { seed: 1, task })) good.push(event);
    expect(log.at(-1)).toMatchObject({ kind: 'end' });
    const options = { environment, events: good, agents: { team: agent }, changes: 3, steps: 60, signal: new AbortController().signal };
    expect((await findDecisiveErrors(options)).errors).toEqual([]);
  });
});
