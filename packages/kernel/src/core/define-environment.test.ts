import { describe, expect, it } from 'vitest';
import { check } from '../engine/check.ts';
import { play } from '../engine/play.ts';
import { scripted } from './agent.ts';
import { defineEnvironment, type MoveOutcome } from './define-environment.ts';
import type { AnyEnvironment } from './environment.ts';
import type { EpisodeEvent } from './event.ts';
import { forfeitText } from './moves.ts';
import { sharedSteps } from './shared-step.ts';
import { parameter } from './task.ts';

const about = { summary: 'A test.', tasks: [{}], turns: 50 };

/** Two seats in turn name a number up to `highest`; a higher number than the last one wins. */
const rising = defineEnvironment({
  id: 'rising@1',
  about: { ...about, open: true, complete: true },
  parameters: { highest: parameter.integer({ min: 2, max: 9, default: 3, description: 'the highest number' }) },
  seats: ['first', 'second'],
  start: () => ({ state: { last: 0, moves: 0 }, messages: 'Name a number.' }),
  turn: ({ task, moves }) => ({
    seat: moves === 0 ? 'first' : 'second',
    choices: Array.from({ length: task.highest }, (_, i) => `[${i + 1}]`),
  }),
  play(state, move, { seat }) {
    const number = Number(move.slice(1, -1));
    const next = { ...state, last: number, moves: state.moves + 1 };
    if (state.moves === 0) return { state: next, messages: [`${seat} names ${number}.`, { to: ['first'], text: 'You began.' }] };
    const first = state.last > number ? 1 : -1;
    return { state: next, messages: `${seat} names ${number}.`, rewards: { first, second: -first }, over: true };
  },
  recurs: ({ last, moves }) => `${moves} ${last}`,
});

/** Both seats choose at the same time; equal words pay 1 each. */
const agreeing = defineEnvironment({
  id: 'agreeing@1',
  about: { ...about, complete: true },
  seats: ['left', 'right'],
  start: (): MoveOutcome<{ readonly past: readonly string[] }> => ({ state: { past: [] }, messages: 'Say [yes] or [no].' }),
  turn: () => ['left', 'right'].map((seat) => ({ seat, choices: ['[yes]', '[no]'] })),
  playTogether(_, moves) {
    const gone = Object.keys(moves).filter((seat) => moves[seat] === null);
    const pay = gone.length === 0 && moves['left'] === moves['right'] ? 1 : 0;
    const messages = gone.length > 0 ? gone.map((seat) => ({ to: ['left', 'right'], text: forfeitText(seat) })) : 'Both have spoken.';
    return { state: { past: Object.values(moves).map(String) }, messages, rewards: { left: pay, right: pay }, over: true };
  },
  knows: ({ past }) => ({ past }),
});

async function playWith(environment: AnyEnvironment, answers: Readonly<Record<string, readonly string[]>>, task = {}) {
  const events: EpisodeEvent[] = [];
  const agents = Object.fromEntries(
    Object.entries(answers).map(([seat, texts]) => {
      const rest = [...texts];
      return [seat, scripted(seat, () => ({ text: rest.shift() ?? '' }))];
    }),
  );
  for await (const event of play(environment, agents, { seed: 1, task })) events.push(event);
  const end = events.at(-1)!;
  if (end.kind !== 'end') throw new Error('it did not end');
  return { end, texts: events.flatMap((event) => (event.kind === 'message' ? [`${event.to.join()}: ${event.text}`] : [])) };
}

describe('defineEnvironment', () => {
  it.each([rising, agreeing] as readonly AnyEnvironment[])('creates an environment that passes the contract: $id', async (environment) => {
    expect(await check(environment, { episodes: 20, steps: 200 })).toEqual([]);
  });

  it('adds the number of retries to the parameters and reads tasks by name', () => {
    expect(rising.task({})).toEqual({ highest: 3, retries: 2 });
    expect(() => rising.task({ highest: 99 })).toThrow(/rising/);
  });

  it('asks again after an illegal answer, with a penalty that is not a reward', async () => {
    const { end, texts } = await playWith(rising, { first: ['three', '[9]', '[3]'], second: ['[2]'] });
    expect(end).toMatchObject({ reason: 'over', returns: { first: 1, second: -1 }, penalties: { first: 2, second: 0 } });
    expect(texts.filter((text) => text.startsWith('first:'))).toHaveLength(3);
    expect(texts).toEqual(expect.arrayContaining(['first,second: first names 3.', 'first: You began.']));
  });

  it('records a forfeit when the retries are used up, and never substitutes a move', async () => {
    const { end, texts } = await playWith(rising, { first: ['', '', ''], second: [] });
    expect(end).toMatchObject({ returns: { first: 0, second: 0 }, penalties: { first: 2 } });
    expect(texts.at(-1)).toBe(`first,second: ${forfeitText('first')}`);
    const strict = await playWith(rising, { first: [''], second: [] }, { retries: 0 });
    expect(strict.end.penalties['first']).toBe(0);
  });

  it('holds simultaneous moves until all are legal, without revealing the seats that are still missing', async () => {
    const { end, texts } = await playWith(agreeing, { left: ['[yes]'], right: ['maybe', '[yes]'] });
    expect(end).toMatchObject({ returns: { left: 1, right: 1 }, penalties: { left: 0, right: 1 } });
    expect(texts.filter((text) => text.startsWith('left:'))).toEqual([]);
  });

  it('passes null for a seat that forfeits in a simultaneous turn', async () => {
    const { end, texts } = await playWith(agreeing, { left: ['[yes]'], right: ['', '', ''] });
    expect(end.returns).toEqual({ left: 0, right: 0 });
    expect(texts.at(-1)).toBe(`left,right: ${forfeitText('right')}`);
  });

  it('caches a step between recurring positions, but no illegal answer', () => {
    const never = { int: () => 0 } as never;
    const task = rising.task({});
    const opening = rising.start(task, never);
    expect(rising.start(rising.task({}), never)).toBe(opening);
    const step = rising.step(opening.state, { first: { text: '[2]' } }, never);
    expect(rising.step(opening.state, { first: { text: '[2]' } }, never)).toBe(step);
    expect(sharedSteps.has(step)).toBe(true);
    const missed = rising.step(opening.state, { first: { text: 'two' } }, never);
    expect(rising.step(opening.state, { first: { text: 'two' } }, never)).not.toBe(missed);
    const other = rising.start(rising.task({ highest: 5 }), never);
    expect(other).not.toBe(opening);
  });

  it('shows every seat the full state of an open environment, except the count of retries', () => {
    const { state } = rising.start(rising.task({}), { int: () => 0 } as never);
    expect(rising.knows?.(state, 'second')).toEqual({ last: 0, moves: 0, task: { highest: 3, retries: 2 } });
  });

  it('rejects rules that do not say what a move does', () => {
    const rules = { id: 'bare@1', about, seats: ['first', 'second'], start: () => ({ state: {}, messages: '' }) };
    expect(() => defineEnvironment({ ...rules, turn: () => ({ seat: 'first' }) })).toThrow(/playTogether/);
    const both = defineEnvironment({
      ...rules,
      turn: () => [{ seat: 'first' }, { seat: 'second' }],
      play: (state) => ({ state, messages: '', over: true }),
    });
    const { state } = both.start(both.task({}), { int: () => 0 } as never);
    expect(() => both.step(state, { first: { text: 'a' }, second: { text: 'b' } }, { int: () => 0 } as never)).toThrow(/at the same time/);
  });
});
