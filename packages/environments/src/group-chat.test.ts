/** @file The group chat: who answers, who hears what, and how it ends. */

import { type EpisodeEvent, type Json, scripted, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { groupChat } from './group-chat.ts';

const characters = [{ name: 'Ann Archer' }, { name: 'Ben Bower', greeting: 'Mind the dog.' }, { name: 'Cleo' }];

async function talk(words: readonly string[], task: Json = { characters }): Promise<readonly EpisodeEvent[]> {
  const counting = (text: (turn: number) => string) =>
    scripted('counting', ({ view }) => ({ text: text(view.seen.filter(({ kind }) => kind === 'action').length) }));
  const seats = groupChat.seats(groupChat.task(task));
  const agents = Object.fromEntries(
    seats.map((seat) => [seat, counting((turn) => (seat === 'user' ? (words[turn] ?? '/quit') : `Yes ${turn}.`))]),
  );
  return Array.fromAsync(play(groupChat, agents, { task, seed: 1 }));
}

const speakers = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'action' ? [event.seat] : [])).join(' ');

describe('group chat', () => {
  it('has all answer, each time beginning with another, or only those who are called, in that order', async () => {
    const log = await talk(['Good evening.', 'And you?', 'Cleo, and you, Mr Bower?', 'ANN!']);
    expect(speakers(log)).toBe('user Ann Archer Ben Bower Cleo user Ben Bower Cleo Ann Archer user Cleo Ben Bower user Ann Archer user');
    expect(replay(groupChat, log)).toBeNull();
    const all = await talk(['Cleo?'], { characters, order: 'everybody' });
    expect(speakers(all)).toBe('user Ann Archer Ben Bower Cleo user');
  });

  it('has one answer in turn where nobody is called, or all as they are listed', async () => {
    const words = ['Good evening.', 'And you?', 'Ann!', 'Well?'];
    const episodeEvents = await talk(words, { characters, order: 'one' });
    expect(speakers(episodeEvents)).toBe('user Ann Archer user Ben Bower user Ann Archer user Ann Archer user');
    const listed = await talk(words.slice(1, 3), { characters, order: 'listed' });
    expect(speakers(listed)).toBe('user Ann Archer Ben Bower Cleo user Ann Archer Ben Bower Cleo user');
    expect([replay(groupChat, episodeEvents), replay(groupChat, listed)]).toEqual([null, null]);
  });

  it('has each answer by talkativeness, and those who are called first', async () => {
    const group = [
      { name: 'Ann', talkativeness: 1 },
      { name: 'Ben', talkativeness: 0 },
      { name: 'Cleo', talkativeness: 0.5 },
    ];
    const log = await talk(
      Array.from({ length: 200 }, (_, i) => (i < 199 ? 'Well?' : 'Ben?')),
      { characters: group, order: 'talkative', turns: 200 },
    );
    expect(replay(groupChat, log)).toBeNull();
    const spoken = speakers(log).split(' ');
    const count = (name: string) => spoken.filter((item) => item === name).length;
    expect([count('Ann'), count('Ben')]).toEqual([200, 1]);
    expect(Math.abs(count('Cleo') - 100)).toBeLessThan(30);
    const silent = group.map(({ name }) => ({ name, talkativeness: 0 }));
    expect(speakers(await talk(['Well?'], { characters: silent, order: 'talkative' }))).toMatch(/^user \w+ user$/);
  });

  it('lets an agent on the seat of the director call who speaks, until it gives the word to the person', async () => {
    const calls = ['[Cleo]', '[ann archer]', '[user]', 'whoever', '[Cleo]'];
    const task = { characters, order: 'director', turns: 3 };
    const agents = Object.fromEntries(
      groupChat.seats(groupChat.task(task)).map((seat) => [
        seat,
        scripted(seat, ({ view }) => {
          const turn = view.seen.filter(({ kind }) => kind === 'action').length;
          return { text: seat === 'user' ? ['Hm.', 'Well?', '/quit'][turn]! : seat === 'director' ? (calls[turn] ?? '[Cleo]') : 'Yes.' };
        }),
      ]),
    );
    const log = await Array.fromAsync(play(groupChat, agents, { task, seed: 1 }));
    expect(speakers(log)).toBe('user director Cleo director Ann Archer director user director user');
    expect(replay(groupChat, log)).toBeNull();
  });

  it('lets everybody hear everybody, greetings included, and tells a silence', async () => {
    const log = await talk(['Cleo?', '']);
    const messages = viewOf(log, 'Ann Archer').seen.flatMap((item) =>
      item.kind === 'message' ? [`${item.from ?? ''}: ${item.text}`] : [],
    );
    expect(messages).toContain('Ben Bower: Mind the dog.');
    expect(messages).toContain('user: Cleo?');
    expect(messages).toContain('Cleo: Yes 0.');
    expect(messages).toContain(': the user says nothing.');
  });

  it('ends when the person leaves, or when its turns are used up after the last answer', async () => {
    expect((await talk([])).at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
    const log = await talk(['One.', 'Two.', 'Three.'], { characters: characters.slice(0, 2), turns: 2 });
    expect(speakers(log)).toBe('user Ann Archer Ben Bower user Ben Bower Ann Archer');
  });

  it.each([
    [[{ name: 'Ann' }], 'two to eight'],
    [[{ name: 'Ann' }, { name: 'Ann' }], 'called "Ann"'],
    [[{ name: 'Ann' }, { name: 'user' }], 'not "user"'],
    [[{ name: 'Ann' }, { name: 'B\nuser: hi' }], 'one line'],
    [[{ name: 'Ann' }, { name: 'Ben', lines: [4] }], '"lines" must be'],
  ])('refuses %j in a sentence', (input, words) => {
    expect(() => groupChat.task({ characters: input })).toThrow(words);
  });
});
