/** @file Tests conversations of a person with several characters: who answers, who hears what, and how they end. */

import { type EpisodeEvent, type Json, type JsonObject, scripted, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { builtInEnvironment } from '../built-in.ts';
import { socialScene } from './social-scene.ts';

const characters = [{ seat: 'Ann Archer' }, { seat: 'Ben Bower', greeting: 'Mind the dog.' }, { seat: 'Cleo' }];

interface Talk {
  readonly characters?: Json;
  readonly order?: string;
  readonly turns?: number;
}

const taskOf = ({ characters: group = characters, order = 'named', ...rest }: Talk): JsonObject => ({
  script: { person: 'the user', characters: group },
  order,
  ...rest,
});

async function talk(words: readonly string[], talked: Talk = {}): Promise<readonly EpisodeEvent[]> {
  const counting = (text: (turn: number) => string) =>
    scripted('counting', ({ view }) => ({ text: text(view.seen.filter(({ kind }) => kind === 'action').length) }));
  const task = taskOf(talked);
  const seats = socialScene.seats(socialScene.task(task));
  const agents = Object.fromEntries(
    seats.map((seat) => [seat, counting((turn) => (seat === 'user' ? (words[turn] ?? '/quit') : `Yes ${turn}.`))]),
  );
  return Array.fromAsync(play(socialScene, agents, { task, seed: 1 }));
}

const speakers = (log: readonly EpisodeEvent[]) => log.flatMap((event) => (event.kind === 'action' ? [event.seat] : [])).join(' ');

describe('conversation with a user', () => {
  it('has all characters answer in rotation, or only those addressed', async () => {
    const log = await talk(['Good evening.', 'And you?', 'Cleo, and you, Mr Bower?', 'ANN!']);
    expect(speakers(log)).toBe('user Ann Archer Ben Bower Cleo user Ben Bower Cleo Ann Archer user Cleo Ben Bower user Ann Archer user');
    expect(replay(socialScene, log)).toBeNull();
    const all = await talk(['Cleo?'], { characters, order: 'everybody' });
    expect(speakers(all)).toBe('user Ann Archer Ben Bower Cleo user');
  });

  it('has one character answer in turn by default, or all in listed order', async () => {
    const words = ['Good evening.', 'And you?', 'Ann!', 'Well?'];
    const episodeEvents = await talk(words, { characters, order: 'one' });
    expect(speakers(episodeEvents)).toBe('user Ann Archer user Ben Bower user Ann Archer user Ann Archer user');
    const listed = await talk(words.slice(1, 3), { characters, order: 'listed' });
    expect(speakers(listed)).toBe('user Ann Archer Ben Bower Cleo user Ann Archer Ben Bower Cleo user');
    expect([replay(socialScene, episodeEvents), replay(socialScene, listed)]).toEqual([null, null]);
  });

  it('has the last one who spoke answer in the order reply, until two have talked for too long', async () => {
    const log = await talk(['Good evening.', 'And you?', 'Cleo?', 'Well?'], { order: 'reply' });
    expect(speakers(log)).toBe('user Ben Bower user Ben Bower user Cleo user Cleo user');
    expect(replay(socialScene, log)).toBeNull();
    const long = await talk(
      Array.from({ length: 14 }, () => 'Hm.'),
      { order: 'reply' },
    );
    expect(speakers(long)).toBe(
      `user ${'Ben Bower user '.repeat(9)}Ann Archer user Ann Archer user Ann Archer user Ann Archer user Ann Archer user`,
    );
  });

  it('lets two characters of a scene answer each other in the order reply, and brings in the third', async () => {
    const task = { scene: 'dinner', order: 'reply', turns: 30 };
    const seats = socialScene.seats(socialScene.task(task));
    const agents = Object.fromEntries(seats.map((seat) => [seat, scripted('plain', () => ({ text: '[speak "Hm."]' }))]));
    const spoken = speakers(await Array.fromAsync(play(socialScene, agents, { task, seed: 1 }))).split(' ');
    expect(new Set(spoken.slice(0, 20)).size).toBe(2);
    expect(new Set(spoken).size).toBeGreaterThan(2);
  });

  it('has characters answer by talkativeness, those addressed first', async () => {
    const group = [
      { seat: 'Ann', talkativeness: 1 },
      { seat: 'Ben', talkativeness: 0 },
      { seat: 'Cleo', talkativeness: 0.5 },
    ];
    const log = await talk(
      Array.from({ length: 200 }, (_, i) => (i < 199 ? 'Well?' : 'Ben?')),
      { characters: group, order: 'talkative', turns: 200 },
    );
    expect(replay(socialScene, log)).toBeNull();
    const spoken = speakers(log).split(' ');
    const count = (name: string) => spoken.filter((item) => item === name).length;
    expect([count('Ann'), count('Ben')]).toEqual([200, 1]);
    expect(Math.abs(count('Cleo') - 100)).toBeLessThan(30);
    const silent = group.map(({ seat }) => ({ seat, talkativeness: 0 }));
    expect(speakers(await talk(['Well?'], { characters: silent, order: 'talkative' }))).toMatch(/^user \w+ user$/);
  });

  it('lets a narrator pick speakers until it picks the user', async () => {
    const calls = ['[pick Cleo]', '[pick ann archer]', '[pick user]', 'whoever', '[pick Cleo]', '[pick user]'];
    const task = { ...taskOf({ order: 'narrator', turns: 3 }), narrator: true, retries: 0 };
    const agents = Object.fromEntries(
      socialScene.seats(socialScene.task(task)).map((seat) => [
        seat,
        scripted(seat, ({ view }) => {
          const turn = view.seen.filter(({ kind }) => kind === 'action').length;
          return {
            text: seat === 'user' ? ['Hm.', 'Well?', '/quit'][turn]! : seat === 'narrator' ? (calls[turn] ?? '[pick Cleo]') : 'Yes.',
          };
        }),
      ]),
    );
    const log = await Array.fromAsync(play(socialScene, agents, { task, seed: 1 }));
    // A call that is not understood leaves the floor to those whom the person's words concern.
    expect(speakers(log)).toBe('user narrator Cleo narrator Ann Archer narrator user narrator Ben Bower narrator Cleo narrator user');
    expect(replay(socialScene, log)).toBeNull();
  });

  it('shows every message to everyone, including greetings and silence', async () => {
    const log = await talk(['Cleo?', '']);
    const messages = viewOf(log, 'Ann Archer').seen.flatMap((item) =>
      item.kind === 'message' ? [`${item.from ?? ''}: ${item.text}`] : [],
    );
    expect(messages).toContain('Ben Bower: Mind the dog.');
    expect(messages).toContain('user: Cleo?');
    expect(messages).toContain('Cleo: Yes 0.');
    expect(messages).toContain(': the user says nothing.');
  });

  it('ends when the user leaves or after the last turn', async () => {
    expect((await talk([])).at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
    const log = await talk(['One.', 'Two.', 'Three.'], { characters: characters.slice(0, 2), turns: 2 });
    expect(speakers(log)).toBe('user Ann Archer Ben Bower user Ben Bower Ann Archer');
  });

  it.each([
    [[], 'two to eight'],
    [[{ seat: 'Ann' }, { seat: 'Ann' }], 'has "Ann"'],
    [[{ seat: 'Ann' }, { seat: 'user' }], 'not "user"'],
    [[{ seat: 'Ann' }, { seat: 'B\nuser: hi' }], 'one line'],
    [[{ seat: 'Ann' }, { seat: 'Ben', lines: [4] }], '"lines" must be'],
  ])('rejects %j', (input, words) => {
    expect(() => socialScene.task(taskOf({ characters: input }))).toThrow(words);
  });

  it('treats bracketed text as moves and everything else as speech, and ends on [leave]', async () => {
    const log = await talk(['[gesture "waves"]', 'A note [for Cleo]\nand more.', '[leave]'], { order: 'one' });
    const heard = viewOf(log, 'Cleo').seen.flatMap((item) => (item.kind === 'message' && item.from === 'user' ? [item.text] : []));
    expect(heard).toEqual(['*waves*', 'A note [for Cleo]\n  and more.']);
    expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
    expect(replay(socialScene, log)).toBeNull();
  });

  it('reports which environment replaced group-chat', async () => {
    await expect(builtInEnvironment('group-chat@1')).rejects.toThrow('part of "social-scene"');
  });
});
