/** @file Group chat: a person talks with several characters at once, who hear each other. The person speaks, some of them answer in turn, and so on. */

import {
  type Ask,
  type Environment,
  Fault,
  isObject,
  type Json,
  knob,
  type Message,
  readTask,
  type Seat,
  type Step,
  type TaskOf,
} from '@ludus-agents/kernel/internal/core/index';
import { type Cue, curious, goodbye, readLines, sayCue, wordsOf } from './chat.ts';

const knobs = {
  characters: knob.data({
    otherwise: [{ name: 'Ann Archer', greeting: 'Sit down, both of you.' }, { name: 'Ben Bower' }],
    about: 'two to eight characters, each a seat by its name: a list of {"name", "greeting", "lines"}; lines as in chat',
  }),
  user: knob.text({ otherwise: 'the user', about: 'what the person is called' }),
  scenario: knob.text({ otherwise: '', about: 'where they are; told to all' }),
  order: knob.one({
    of: ['named', 'one', 'everybody', 'listed'],
    otherwise: 'named',
    about:
      'who answers: those whose names are called, and where none is, all (named) or one of them (one); or always all, each time beginning with another (everybody), or as they are listed (listed)',
  }),
  turns: knob.whole({ from: 1, to: 1000, otherwise: 50, about: 'times that the person speaks before the conversation ends' }),
} as const;

type Member = { readonly name: Seat; readonly greeting: string; readonly lines: readonly Cue[] };

type Task = Omit<TaskOf<typeof knobs>, 'characters'> & { readonly characters: readonly Member[] };

type State = {
  readonly task: Task;
  /** How many times the person has spoken. */
  readonly turn: number;
  /** Characters who answer now, the next one first; nobody where the person is asked. */
  readonly queue: readonly Seat[];
  readonly said: string;
  readonly by: Seat;
  readonly over: boolean;
};

const person: Seat = 'user';

export const groupChat: Environment<State, Task> = {
  id: 'group-chat@1',
  about: {
    summary:
      'A conversation of a person with two to eight characters, in free words. Everybody hears everybody. When the person has spoken, the characters whose names were called answer, or all of them, one after the other; then it is the person’s turn again. It ends when the person writes /quit, or when its turns are used up. Nothing is paid.',
    tasks: [
      {},
      {
        characters: [
          { name: 'Ann Archer', lines: [{ id: 's1', cue: 'clock', says: 'I mend clocks.' }] },
          { name: 'Ben Bower', greeting: 'Mind the dog.' },
          { name: 'Cleo' },
        ],
        scenario: 'A workshop on the market square.',
        order: 'everybody',
        turns: 3,
      },
    ],
    // After each of 50 times that the person speaks, both may answer; then the person may write once more to leave.
    turns: 3 * 50 + 1,
  },
  knobs,

  task(input) {
    const task = readTask('group-chat', knobs, input);
    return { ...task, characters: readMembers(task.characters) };
  },

  seats: (task) => everyone(task),

  start(task) {
    const { characters, user, scenario } = task;
    const scene = scenario === '' ? '' : ` ${scenario}`;
    const names = characters.map(({ name }) => name);
    const messages: Message[] = characters.map(({ name, lines }) => ({
      to: [name],
      text: `You talk with ${[user, ...names.filter((one) => one !== name)].join(', ')}. All of you hear each other.${scene}`,
      ...(lines.length === 0 ? {} : { data: { lines } }),
    }));
    messages.push({ to: [person], text: `You talk with ${names.join(', ')}.${scene} ${goodbye} ends it.` });
    for (const { name, greeting } of characters) if (greeting !== '') messages.push({ to: everyone(task), from: name, text: greeting });
    return { state: { task, turn: 0, queue: [], said: '', by: person, over: false }, messages, asks: [{ seat: person }] };
  },

  step(state, actions) {
    const [speaker = person, ...rest] = state.queue;
    const said = wordsOf(actions[speaker]!);
    const spoken: State = { ...state, said, by: speaker };
    if (speaker === person && said === goodbye) return endChat(spoken, [], `${state.task.user} leaves.`);
    const queue = speaker === person ? answerers(spoken) : rest;
    const next: State = { ...spoken, queue, turn: state.turn + (speaker === person ? 1 : 0) };
    const messages = [messageOf(next)];
    if (queue.length === 0 && next.turn >= state.task.turns) return endChat(next, messages, 'The conversation has used up its turns.');
    return { state: next, messages, asks: askNext(next) };
  },

  knows({ task, turn, queue, said, by, over }, seat) {
    const characters = task.characters.map(({ lines, ...one }) => (one.name === seat ? { ...one, lines } : one));
    return { task: { ...task, characters }, turn, queue, said, by, over };
  },

  scripts: { character: sayCue, user: curious },
};

function everyone({ characters }: Task): readonly Seat[] {
  return [...characters.map(({ name }) => name), person];
}

function askNext({ queue: [next = person] }: State): readonly Ask[] {
  return [{ seat: next }];
}

function messageOf({ task, by, said }: State): Message {
  const to = everyone(task).filter((seat) => seat !== by);
  return said === '' ? { to, text: `${by === person ? task.user : by} says nothing.` } : { to, from: by, text: said };
}

/** Who answers: those whose names are called, in the order of the words; else one or all, each time beginning with another; or all as they are listed. */
function answerers({ task: { characters, order }, said, turn }: State): readonly Seat[] {
  const names = characters.map(({ name }) => name);
  if (order === 'listed') return names;
  const called = order === 'everybody' ? [] : namesIn(said, names);
  if (called.length > 0) return called;
  const first = turn % names.length;
  const inTurn = [...names.slice(first), ...names.slice(0, first)];
  return order === 'one' ? inTurn.slice(0, 1) : inTurn;
}

const smallest = 3;

/** Names that stand in a text, whole or by one of their words, in the order in which they are called. */
function namesIn(text: string, names: readonly string[]): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = names.map((name) => {
    const parts = (name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((part) => part.length >= smallest);
    return { name, at: words.findIndex((word) => parts.includes(word)) };
  });
  return places
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

function endChat(state: State, messages: readonly Message[], text: string): Step<State> {
  return { state: { ...state, queue: [], over: true }, messages: [...messages, { to: everyone(state.task), text }], asks: [] };
}

function readMembers(input: Json): readonly Member[] {
  const refuse = (problem: string) => new Fault('input', `group-chat: ${problem}`);
  if (!Array.isArray(input) || input.length < 2 || input.length > 8)
    throw refuse(`"characters" must be a list of two to eight, but came as ${JSON.stringify(input).slice(0, 80)}.`);
  const members = input.map((one: Json): Member => {
    const { name, greeting = '', lines = [] } = isObject(one) ? one : {};
    if (typeof name !== 'string' || name.trim() === '' || name === person || name.length > 80 || /[\r\n\u2028\u2029]/.test(name))
      throw refuse(
        `each character needs a "name" of one line that is not "${person}", but one has ${JSON.stringify(name ?? null).slice(0, 80)}.`,
      );
    if (typeof greeting !== 'string') throw refuse(`the "greeting" of ${name} must be words.`);
    return { name, greeting, lines: readLines(lines) };
  });
  const twice = members.find(({ name }, i) => members.findIndex((one) => one.name === name) < i);
  if (twice !== undefined) throw refuse(`two characters are called "${twice.name}"; give one of them another name.`);
  return members;
}
