/** @file Structures over notes: two hops take two rounds, unmentioned facts are absent, revisions undo, and certain facts are not asked about. */

import { type AgentSpec, type AnyEnvironment, type EpisodeEvent, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { fakeModel } from '../models/fake.ts';
import { entropyOf } from './beliefs.ts';
import { type KnowledgeName, knowledgeOf, searchGraph } from './knowledge.ts';
import { broughtMemory, lastingRecords } from './lasting.ts';
import { emptyMemory, type Memory, type MemoryRecord, remember, valid } from './memory.ts';
import type { Mind } from './mind.ts';

const count = (text: string) => Math.ceil(text.length / 4);

/** Facts written down one turn after the other. */
function written(facts: readonly (readonly [key: string, text: string])[]): readonly MemoryRecord[] {
  let memory: Memory = emptyMemory;
  for (const [turn, [key, text]] of facts.entries())
    memory = remember(memory, { kind: 'fact', key, text: `${key}: ${text}`, owner: 'me' }, turn);
  return valid(memory, { at: facts.length, viewer: 'me' });
}

const texts = (name: KnowledgeName, records: readonly MemoryRecord[], words = '') =>
  knowledgeOf({ names: [name], records, words, count }).map(({ text }) => text);

describe('entity graph', () => {
  const facts = written([
    ['Ann.boss', 'Ben'],
    ['Ben.home', 'Oslo'],
    ['Cleo.home', 'Rome'],
    ['Oslo.weather', 'cold'],
  ]);

  it('answers a two-hop question in two rounds and returns only linked facts', () => {
    const two = written([
      ['Ann.boss', 'Ben'],
      ['Ben.home', 'a house by the sea'],
      ['Cleo.home', 'Rome'],
    ]);
    const { facts: memoryRecords, rounds } = searchGraph(two, 'Where does the boss of Ann live?');
    expect([memoryRecords.map(({ key }) => key), rounds]).toEqual([['Ann.boss', 'Ben.home'], 2]);
    expect(searchGraph(facts, 'Where does the boss of Ann live?').facts.map(({ key }) => key)).toEqual([
      'Ann.boss',
      'Ben.home',
      'Oslo.weather',
    ]);
    expect(searchGraph(facts, 'Nobody is named.').rounds).toBe(0);
  });

  it('finds a name that follows a longer word containing it', () => {
    expect(searchGraph(facts, 'The annual review with Ann').facts.map(({ key }) => key)).toContain('Ann.boss');
    expect(searchGraph(facts, 'The annual review').facts).toEqual([]);
  });

  it('finds names with titles and with either apostrophe', () => {
    const people = written([
      ['dr. meyer.office', 'room 12'],
      ['dr. weber.office', 'room 7'],
      ['o’brien.car', 'red'],
    ]);
    expect(searchGraph(people, 'Where does Dr. Meyer sit?').facts.map(({ key }) => key)).toEqual(['dr. meyer.office']);
    expect(searchGraph(people, "What does O'Brien drive?").facts.map(({ key }) => key)).toEqual(['o’brien.car']);
  });

  it('links events to the people they mention and continues the search from there', () => {
    const events = [
      { id: 'e1', text: 'Ann met Dora at the harbor.', from: 'Cleo' },
      { id: 'e2', text: 'Dora sails on Friday.' },
      { id: 'e3', text: 'It rained all day.' },
      { id: 'e4', text: 'The annual fair was loud.' },
    ];
    const graph = searchGraph(facts, 'What do you know about Ann?', events);
    expect(graph.events.map(({ id }) => id)).toEqual(['e1', 'e2']);
    expect(graph.facts.map(({ key }) => key)).toContain('Ann.boss');
    expect(searchGraph([], 'Whom did Dora meet?', events).events.map(({ id }) => id)).toEqual(['e1', 'e2']);
    expect(searchGraph(facts, 'Nobody is named.', events)).toMatchObject({ events: [], rounds: 0 });
  });

  it('terminates for any set of links', () => {
    for (let seed = 0; seed < 30; seed++) {
      const dice = rng(seed, 'graph');
      const names = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gil'];
      const random = written(Array.from({ length: 20 }, (_, i) => [`${dice.pick(names)}.r${i}`, dice.pick(names)] as const));
      const { facts: memoryRecords, rounds } = searchGraph(random, 'Ann and Ben');
      expect(rounds).toBeLessThanOrEqual(5);
      expect(new Set(memoryRecords).size).toBe(memoryRecords.length);
      expect(memoryRecords.length).toBeLessThanOrEqual(12);
    }
  });
});

describe('subject register', () => {
  const facts = written([
    ['fox.coat', 'red'],
    ['fox.alias', 'Reynard'],
    ['owl.eyes', 'yellow'],
  ]);

  it('shows every fact about mentioned subjects by any of their names, and no others', () => {
    expect(texts('register', facts, 'Reynard runs.')).toEqual(['fox.coat: red', 'fox.alias: Reynard']);
    expect(texts('register', facts, 'The foxtrot is a dance.')).toEqual([]);
    expect(texts('register', facts, 'The foxtrot, said the fox.')).toContain('fox.coat: red');
  });
});

describe('user profile', () => {
  it('covers only the user in readable lines within 2,000 tokens', () => {
    expect(
      texts(
        'profile',
        written([
          ['user.tea', 'green'],
          ['Ann.tea', 'black'],
        ]),
      ),
    ).toEqual(['The user: tea: green']);
    const many = written(Array.from({ length: 400 }, (_, i) => [`user.k${i}`, 'x'.repeat(40)] as const));
    const [profile] = texts('profile', many);
    expect(count(profile!)).toBeLessThanOrEqual(2000);
    expect(profile).toContain('k399');
    expect(profile).not.toContain('k0:');
  });
});

describe('task list', () => {
  it('reopens tasks when a task they depend on changes, directly or indirectly', () => {
    const facts: [string, string][] = [
      ['task.walls', 'done'],
      ['task.paint', 'done after walls'],
      ['task.hang', 'done after paint'],
      ['task.floor', 'done'],
    ];
    expect(texts('tasks', written(facts))[0]).not.toContain('again');
    const changed = texts('tasks', written([...facts, ['task.walls', 'done']]))[0]!;
    expect(changed).toContain('paint: to be done again (after walls)');
    expect(changed).toContain('hang: to be done again (after paint)');
    // What is done and leads to nothing open is only counted.
    expect(changed).not.toContain('floor');
    expect(changed).toContain('1 other is done');
    expect(changed).toContain('walls: done');
  });

  it('matches task names case-insensitively', () => {
    const facts: [string, string][] = [
      ['task.walls', 'done'],
      ['task.paint', 'done after Walls'],
      ['task.walls', 'done'],
    ];
    expect(texts('tasks', written(facts))[0]).toContain('paint: to be done again (after Walls)');
    const inProse = written([
      ['task.paint', 'done after Walls and Floor.'],
      ['task.floor', 'done'],
      ['task.walls', 'done'],
    ]);
    expect(texts('tasks', inProse)[0]).toContain('paint: to be done again (after Walls, Floor)');
  });
});

describe('belief notes', () => {
  it('suggest the question with the highest entropy and never one that is certain', () => {
    expect([entropyOf('red 50, blue 50'), entropyOf('red 100'), entropyOf('yes')]).toEqual([1, 0, 0]);
    const unsure: [string, string][] = [
      ['belief.size', 'big 90, small 10'],
      ['belief.colour', 'red 50, blue 30, green 20'],
    ];
    expect(texts('beliefs', written(unsure))[0]).toContain('What would settle most is colour, or size where that was just answered:');
    // The user says what it is: the next question is another one, and then none.
    expect(texts('beliefs', written([...unsure, ['belief.colour', 'red 100']]))[0]).toContain('settle most is size');
    expect(texts('beliefs', written([['belief.colour', 'red 100']]))[0]).not.toContain('settle');
  });

  it('weight attributes and relations by the probability that their entities exist', () => {
    const unsure: [string, string][] = [
      ['belief.dog', 'there 10, not there 90'],
      ['belief.dog.color', 'red 50, blue 50'],
      ['belief.cat>sofa', 'on 80, under 20'],
    ];
    // The color of a dog that is hardly there settles .1 bits, the relation .72.
    expect(texts('beliefs', written(unsure))[0]).toContain('settle most is cat>sofa');
    expect(texts('beliefs', written([...unsure, ['belief.dog', 'there 100']]))[0]).toContain('settle most is dog.color');
  });

  it("edited by a person override the agent's notes, now and in later episodes", () => {
    const edited = lastingRecords(
      [{ id: 'one', mind: null }],
      [
        { op: 'add', text: 'belief.color: red 50, blue 50', key: 'belief.color' },
        { op: 'edit', id: 'added/1', text: 'belief.color: red 100' },
      ],
    );
    const memory = broughtMemory(edited, 'host');
    const later = remember(memory, { kind: 'fact', text: 'belief.color: red 50, blue 50', key: 'belief.color', owner: 'host' }, 3);
    expect(later.records.filter(({ validTo }) => validTo === undefined).map(({ text }) => text)).toEqual(['belief.color: red 100']);
    // Other facts may change: a person who moved has moved.
    const moved = lastingRecords(
      [],
      [
        { op: 'add', text: 'user.home: Oslo', key: 'user.home' },
        { op: 'edit', id: 'added/1', text: 'user.home: Bergen' },
      ],
    );
    const home = remember(broughtMemory(moved, 'host'), { kind: 'fact', text: 'user.home: Rome', key: 'user.home', owner: 'host' }, 3);
    expect(home.records.find(({ validTo }) => validTo === undefined)?.text).toBe('user.home: Rome');
    // An agent's later observations in other episodes do not outweigh the edit either.
    const observed = [
      ...edited,
      ...[1, 2, 3].map((i) => ({ ...edited[0]!, id: `e${i}/m1`, text: 'belief.color: blue 100', edited: undefined })),
    ];
    expect(broughtMemory(observed as never, 'host').records.map(({ text }) => text)).toEqual(['belief.color: red 100']);
  });
});

it('language agent shows recalled knowledge in its prompt and logs it, and the log replays', async () => {
  const talk: AnyEnvironment = {
    id: 'talk@1',
    about: { summary: 'Talk.', tasks: [{}], turns: 3 },
    parameters: {},
    task: () => ({}),
    seats: () => ['host'],
    start: () => ({ state: 0, messages: [{ to: ['host'], text: 'Ann works for Ben.' }], asks: [{ seat: 'host' }] }),
    step: (n: number) =>
      n === 2
        ? { state: n, messages: [], asks: [] }
        : {
            state: n + 1,
            messages: [{ to: ['host'], text: ['Ben lives in Oslo.', 'Where does the boss of Ann live?'][n]! }],
            asks: [{ seat: 'host' }],
          },
  };
  const prompts: string[] = [];
  const answers = ['Speech: Ah.\nRemember: Ann.boss = Ben', 'Speech: Ah.\nRemember: Ben.home = Oslo', 'Speech: In Oslo.'];
  const model = fakeModel({
    answers(prompt) {
      prompts.push(prompt.messages.map(({ content }) => String(content)).join('\n'));
      return answers[prompts.length - 1]!;
    },
  });
  const spec: AgentSpec = { name: 'h', kind: 'llm', model: 'fake', settings: { knowledge: ['graph', 'profile'], memories: 0 } };
  const host = await createAgentLoader({ model: async () => model })(spec, 'host', talk);
  const log: EpisodeEvent[] = [];
  for await (const event of play(talk, { host }, { seed: 1 })) log.push(event);
  expect(log.at(-1)).toMatchObject({ reason: 'over' });
  expect(prompts[0]).toContain('before a dot');
  expect(prompts[2]).toContain('- ann.boss: Ben\n- ben.home: Oslo');
  const minds = log.flatMap((event) => (event.kind === 'action' ? [event.mind as unknown as Mind] : []));
  expect(minds[2]?.why?.memories).toEqual(['m1', 'm2']);
  expect(replay(talk, log)).toBeNull();
});
