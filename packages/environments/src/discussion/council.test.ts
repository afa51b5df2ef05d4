/** @file A council: seats of another environment agree on a plan over a side channel, revise it after reports, and move as before. */

import { type AnyEnvironment, type EpisodeEvent, type Json, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { builtInEnvironment } from '../built-in.ts';
import { createCouncil } from './council.ts';

/** Two workers, only one of whom is told the door. Both must go through it at the same time, within four turns. */
const doors: AnyEnvironment = {
  id: 'doors@1',
  about: { summary: 'Doors.', tasks: [{}], turns: 4 },
  parameters: {},
  task: () => ({}),
  seats: () => ['one', 'two'],
  start: (_: object, rng) => {
    const door = rng.pick(['left', 'right']);
    return { state: { door, turn: 0 }, messages: [{ to: ['one'], text: `The door is ${door}.` }], asks: asks() };
  },
  step(state: { door: string; turn: number }, actions: Readonly<Record<string, { text: string }>>) {
    const isOpen = ['one', 'two'].every((seat) => actions[seat]?.text === state.door);
    const turn = state.turn + 1;
    const isOver = isOpen || turn === 4;
    return {
      state: { ...state, turn },
      messages: [{ to: ['one', 'two'], text: isOpen ? 'Open.' : 'Shut.' }],
      asks: isOver ? [] : asks(),
      ...(isOver ? { rewards: { one: isOpen ? 1 : 0, two: isOpen ? 1 : 0 } } : {}),
    };
  },
};
const asks = () => ['one', 'two'].map((seat) => ({ seat, choices: ['left', 'right', 'wait'] }));

const textsOf = ({ view }: Turn) => view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));

/** Plans what it knows, and walks according to the latest plan. The first time, it reports progress. */
const worker = (reports: boolean) =>
  scripted('worker', (turn) => {
    const part = (turn.ask.data as { readonly part?: string } | undefined)?.part;
    const texts = textsOf(turn);
    const door = texts.flatMap((text) => /The door is (\w+)/.exec(text)?.[1] ?? [])[0];
    if (part === 'draft') return { text: `Plan: all take the ${texts.some((text) => text.includes('Shut')) ? door : 'wait'} door.` };
    if (part === 'judge') return { text: 'Agree: yes' };
    const plan = texts.flatMap((text) => /The plan of all: .* the (\w+) door/.exec(text)?.[1] ?? []).at(-1) ?? 'wait';
    const isFirst = !texts.includes('Shut.');
    return { text: reports && isFirst && turn.view.seat === 'one' ? `${plan}\nProgress: I know the door.` : plan };
  });

async function episode(environment: AnyEnvironment, task: Json, reports = true) {
  const log: EpisodeEvent[] = [];
  for await (const event of play(environment, { one: worker(reports), two: worker(reports) }, { seed: 3, task })) log.push(event);
  expect(replay(environment, log)).toBeNull();
  const end = log.at(-1);
  const notes = log.flatMap((event) => (event.kind === 'message' && event.to.length === 0 ? [event.data as { acted: Json }] : []));
  return { returns: end?.kind === 'end' ? end.returns : {}, acted: notes.at(-1)?.acted, log };
}

describe('council', () => {
  const council = createCouncil(doors);

  it("lets a seat act on another seat's information after a report and a revised plan", async () => {
    const { returns, acted, log } = await episode(council, {});
    expect(returns).toEqual({ one: 1, two: 1 });
    expect(acted).toEqual({ talks: 2, plans: 2, revisions: 1, objections: 0, reports: 1 });
    // The report is no part of the move.
    expect(log.some((event) => event.kind === 'message' && event.text === 'Open.')).toBe(true);
  });

  it('keeps the first plan with revision off, and skips talk with planning off', async () => {
    const fixed = await episode(council, { council: { off: ['revision'] } });
    expect([fixed.returns, fixed.acted]).toEqual([
      { one: 0, two: 0 },
      { talks: 1, plans: 1, revisions: 0, objections: 0, reports: 0 },
    ]);
    const silent = await episode(council, { council: { off: ['plan'] } });
    expect([silent.returns, silent.acted]).toEqual([{ one: 0, two: 0 }, undefined]);
  });

  it('rejects unknown switches', () => {
    expect(() => council.task({ council: { off: ['talk'] } })).toThrow(/off/);
  });

  it('passes the environment checks on top of a built-in environment', async () => {
    const kitchen = { ...createCouncil(await builtInEnvironment('kitchen')), id: 'council-kitchen@1' };
    expect(await check(kitchen, { episodes: 1, steps: 400 })).toEqual([]);
  });
});
