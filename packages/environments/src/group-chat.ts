/** @file Group chat: a person talks with several characters at once, who hear each other. The person speaks, some of them answer in turn, and so on. */

import {
  type Action,
  choose,
  type Environment,
  Fault,
  isObject,
  type Json,
  knob,
  type Message,
  type Rng,
  readTask,
  type Seat,
  type Step,
  type TaskOf,
} from '@ludus-agents/kernel/internal/core/index';
import { type Cue, curious, goodbye, readLines, sayCue, wordsOf } from './chat.ts';
import { nextSpeakers, speakingOrders } from './turn-taking.ts';

const knobs = {
  characters: knob.data({
    otherwise: [{ name: 'Ann Archer', greeting: 'Sit down, both of you.' }, { name: 'Ben Bower' }],
    about:
      'two to eight characters, each a seat by its name: a list of {"name", "greeting", "lines", "talkativeness"}; lines as in chat, talkativeness from 0 to 1',
  }),
  user: knob.text({ otherwise: 'the user', about: 'what the person is called' }),
  scenario: knob.text({ otherwise: '', about: 'where they are; told to all' }),
  order: knob.one({
    of: [...speakingOrders, 'director'],
    otherwise: 'named',
    about:
      'who answers: those whose names are called, and otherwise all in turn (named), one of them (one), or each by its talkativeness (talkative); or always all, each time beginning with another (everybody) or as they are listed (listed); or the one whom the agent on the seat "director" calls (director)',
  }),
  turns: knob.whole({ from: 1, to: 1000, otherwise: 50, about: 'times that the person speaks before the conversation ends' }),
} as const;

type Member = { readonly name: Seat; readonly greeting: string; readonly lines: readonly Cue[]; readonly talkativeness: number };

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
  /** Answers of characters in a row, where a director calls them. */
  readonly streak: number;
};

const person: Seat = 'user';
const director: Seat = 'director';
/** Characters whom a director calls before the person speaks again. */
const longestStreak = 8;

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

  seats: (task) => (task.order === 'director' ? [...everyone(task), director] : everyone(task)),

  start(task) {
    const { characters, user, scenario } = task;
    const scene = scenario === '' ? '' : ` ${scenario}`;
    const names = characters.map(({ name }) => name);
    const messages: Message[] = characters.map(({ name, lines }) => ({
      to: [name],
      text: `You talk with ${[user, ...names.filter((otherName) => otherName !== name)].join(', ')}. All of you hear each other.${scene}`,
      ...(lines.length === 0 ? {} : { data: { lines } }),
    }));
    messages.push({ to: [person], text: `You talk with ${names.join(', ')}.${scene} ${goodbye} ends it.` });
    if (task.order === 'director') messages.push({ to: [director], text: directions(task) });
    for (const { name, greeting } of characters) if (greeting !== '') messages.push({ to: hearers(task), from: name, text: greeting });
    return { state: { task, turn: 0, queue: [], said: '', by: person, over: false, streak: 0 }, messages, asks: [{ seat: person }] };
  },

  step(state, actions, rng) {
    const [speaker = person, ...rest] = state.queue;
    if (speaker === director) return takeCall(state, actions[director]);
    const speech = wordsOf(actions[speaker]);
    const spoken: State = { ...state, said: speech, by: speaker };
    if (speaker === person && speech === goodbye) return endChat(spoken, [], `${state.task.user} leaves.`);
    const queue = speaker === person ? answerers(spoken, rng) : state.task.order === 'director' ? [director] : rest;
    const next: State = {
      ...spoken,
      queue,
      turn: state.turn + (speaker === person ? 1 : 0),
      streak: speaker === person ? 0 : state.streak + 1,
    };
    return passOn(next, [messageOf(next)]);
  },

  knows({ task, turn, queue, said, by, over, streak }, seat) {
    const characters = task.characters.map(({ lines, ...one }) => (one.name === seat ? { ...one, lines } : one));
    return { task: { ...task, characters }, turn, queue, said, by, over, streak };
  },

  scripts: { character: sayCue, user: curious },
};

function everyone({ characters }: Task): readonly Seat[] {
  return [...characters.map(({ name }) => name), person];
}

/** Everybody who hears what is said; a director hears it all. */
function hearers(task: Task): readonly Seat[] {
  return task.order === 'director' ? [...everyone(task), director] : everyone(task);
}

/** Asks the next speaker, or ends where the person has used up the turns. */
function passOn(state: State, messages: readonly Message[]): Step<State> {
  const [next = person] = state.queue;
  if (next === person && state.turn >= state.task.turns) return endChat(state, messages, 'The conversation has used up its turns.');
  return { state, messages, asks: [next === director ? { seat: director, choices: callsOf(state.task) } : { seat: next }] };
}

function messageOf({ task, by, said }: State): Message {
  const to = hearers(task).filter((seat) => seat !== by);
  return said === '' ? { to, text: `${by === person ? task.user : by} says nothing.` } : { to, from: by, text: said };
}

/** Who answers the person. */
function answerers({ task: { characters, order }, said, turn }: State, rng: Rng): readonly Seat[] {
  return order === 'director' ? [director] : nextSpeakers({ order, speakers: characters, said, turn, rng });
}

function directions({ characters, user }: Task): string {
  const names = characters.map(({ name }) => name).join(', ');
  return `You decide who speaks next in a conversation of ${user} with ${names}. Call a character whom the last words concern, or who would speak up; call [user] when it is time for ${user} to answer.`;
}

function callsOf({ characters }: Task): readonly string[] {
  return [...characters.map(({ name }) => `[${name}]`), `[${person}]`];
}

/** The director calls somebody. A call that is not understood, or the last of a long row, gives the word to the person. */
function takeCall(state: State, action: Action): Step<State> {
  const call = choose(action, callsOf(state.task));
  const name = call.ok ? call.move.slice(1, -1) : person;
  const messages: Message[] = call.ok ? [] : [{ to: [director], text: `${call.problem} ${state.task.user} speaks next.` }];
  const isCharacter = name !== person && state.streak < longestStreak;
  return passOn({ ...state, queue: isCharacter ? [name] : [] }, messages);
}

function endChat(state: State, messages: readonly Message[], text: string): Step<State> {
  return { state: { ...state, queue: [], over: true }, messages: [...messages, { to: everyone(state.task), text }], asks: [] };
}

function readMembers(input: Json): readonly Member[] {
  const refuse = (problem: string) => new Fault('input', `group-chat: ${problem}`);
  if (!Array.isArray(input) || input.length < 2 || input.length > 8)
    throw refuse(`"characters" must be a list of two to eight, but got ${JSON.stringify(input).slice(0, 80)}.`);
  const members = input.map((item: Json): Member => {
    const { name, greeting = '', lines = [], talkativeness = 0.5 } = isObject(item) ? item : {};
    if (
      typeof name !== 'string' ||
      name.trim() === '' ||
      name === person ||
      name === director ||
      name.length > 80 ||
      /[\r\n\u2028\u2029]/.test(name)
    )
      throw refuse(
        `each character needs a "name" of one line that is not "${person}" or "${director}", but one has ${JSON.stringify(name ?? null).slice(0, 80)}.`,
      );
    if (typeof greeting !== 'string') throw refuse(`the "greeting" of ${name} must be a string.`);
    if (typeof talkativeness !== 'number' || talkativeness < 0 || talkativeness > 1)
      throw refuse(`the "talkativeness" of ${name}: expected a number from 0 to 1, got ${JSON.stringify(talkativeness).slice(0, 40)}.`);
    return { name, greeting, lines: readLines(lines), talkativeness };
  });
  const twice = members.find(({ name }, i) => members.findIndex((member) => member.name === name) < i);
  if (twice !== undefined) throw refuse(`two characters are called "${twice.name}". Rename one of them.`);
  return members;
}
