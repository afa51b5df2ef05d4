/** @file A person at the page: an answer finds its question, early or late. */

import type { Ask, EpisodeEvent, Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { turns } from '../../../../test/fixtures/until.ts';
import { answerProblem, Person } from './seat-agents.ts';

const ask: Ask = { seat: 'X', text: 'Your move.', choices: ['[a]', '[b]'] } as Ask;
const turn = { ask } as Turn;
const { signal } = new AbortController();

describe('a person at the studio', () => {
  it('can answer a stored turn before it is asked', async () => {
    const person = new Person();
    let taken = false;
    const early = person.answer(4, 'a').then(() => {
      taken = true;
    });
    await turns(3);
    expect(taken).toBe(false);
    person.latest = 4;
    await turns(3);
    expect(taken).toBe(false);
    expect(await person.act(turn, signal)).toEqual({ action: { text: '[a]' } });
    await early;
  });

  it('answers once: the second of two early answers is rejected', async () => {
    const person = new Person();
    const both = Promise.allSettled([person.answer(4, 'a'), person.answer(4, 'b')]);
    person.latest = 4;
    expect(await person.act(turn, signal)).toEqual({ action: { text: '[a]' } });
    const [, second] = await both;
    expect(String((second as PromiseRejectedResult).reason)).toContain('Fault: This turn has already been answered. Look');
    await expect(person.answer(4, 'b')).rejects.toThrow('This turn has already been answered. Look at the');
  });

  it('is told at once that text is not a move, and can answer again', async () => {
    const person = new Person();
    person.latest = 4;
    const reply = person.act(turn, signal);
    await expect(person.answer(4, 'nonsense')).rejects.toThrow('is not a move here');
    await person.answer(4, 'b');
    expect(await reply).toEqual({ action: { text: '[b]' } });
  });

  it('does not wait for a turn that will never come', async () => {
    const person = new Person();
    const early = person.answer(4, 'a');
    person.leave();
    await expect(early).rejects.toThrow('This episode is no longer being played here. Reload');
    await expect(person.answer(4, 'a')).rejects.toThrow('This episode is no longer being played here. Reload');
  });

  it('cannot answer an event without a question for the seat, or an already answered turn', () => {
    const episodeEvent = { kind: 'turn', asks: [ask] } as unknown as EpisodeEvent;
    const action = { kind: 'action', seat: 'X', action: { text: '[a]' } } as EpisodeEvent;
    expect(answerProblem([episodeEvent], 'X', 4)).toBeNull();
    expect(answerProblem([episodeEvent], 'O', 4)).toContain('asks the seat "O" nothing');
    expect(answerProblem([], 'X', 4)).toContain('Event 4 asks');
    expect(answerProblem([episodeEvent], 'X', -1)).toContain('Event -1 asks');
    expect(answerProblem([episodeEvent, action], 'X', 4)).toContain('This turn has already been answered. Look at the');
  });
});
