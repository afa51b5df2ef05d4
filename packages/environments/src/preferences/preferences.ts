/**
 * @file A user reveals tastes in passing over many sessions. A writer keeps a short profile and never sees the questions. At the end, a
 * reader answers the user's questions from the profile alone. Both earn the share of right answers, so the writer is rewarded for what it
 * records.
 *
 * After PersonaMem-v2 (Jiang et al., 2025): implicit preferences, and one readable memory of limited size, trained by the final answers.
 */

import type { Action, Ask, Environment, Message, Rng, Script, Step, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, choose, Fault, forfeitText, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { household } from './household.ts';
import { fold, readTastes, type Tastes } from './topics.ts';

function writer(write: (outlook: WriterOutlook) => string): Script {
  return ({ ask }: Turn) => {
    const outlook = ask.data as WriterOutlook | undefined;
    if (outlook?.sentence === undefined) throw elsewhere('keeps a profile', ask);
    return { text: write(outlook) };
  };
}

function reader(weigh: (line: number) => number): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as ReaderOutlook | undefined;
    if (outlook?.options === undefined) throw elsewhere('answers from a profile', ask);
    const lines = outlook.profile.split('\n').map(fold);
    const scores = outlook.options.map(({ text, shown }) =>
      lines.reduce((sum, line, i) => {
        const isShown = shown.some((sentence) => line.includes(fold(sentence)));
        return sum + (isShown || line.includes(` ${fold(text).trim()} `) ? weigh(i) : 0);
      }, 0),
    );
    const most = Math.max(...scores);
    const best = scores.flatMap((score, i) => (score === most ? [i] : []));
    return { text: (ask.choices ?? [])[rng.pick(best)] };
  };
}

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script.`);
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Notes sentences that reveal a taste. It is told which sentences are chatter, so it is an upper bound for writers that take notes. */
  selective: writer(({ isChatter }) => (isChatter ? '[skip]' : '[note]')),
  noter: writer(() => '[note]'),
  blank: writer(() => '[skip]'),
  /** Counts what the profile reveals. */
  reader: reader(() => 1),
  /** Gives later lines more weight, for tastes that change. */
  recent: reader((line) => 2 ** line),
};

const parameters = {
  tastes: parameter.json({
    default: null,
    description: 'topics with options and the sentences that reveal them (default: a household)',
  }),
  sessions: parameter.integer({
    min: 1,
    max: 100,
    default: 12,
    description: 'number of sessions before the questions, with one sentence each',
  }),
  shown: parameter.number({
    min: 0.5,
    max: 1,
    default: 0.8,
    description: 'probability that a sentence shows the true taste rather than another',
  }),
  chatter: parameter.number({ min: 0, max: 0.9, default: 0.4, description: 'the share of sessions that show nothing' }),
  change: parameter.number({ min: 0, max: 1, default: 0, description: 'share of tastes that change halfway' }),
  room: parameter.integer({ min: 10, max: 2000, default: 60, description: 'words that the profile may have' }),
  questions: parameter.integer({ min: 1, max: 40, default: 3, description: 'number of questions at the end' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Session = { readonly text: string; readonly topic: number | null; readonly option: number | null };
type State = {
  readonly task: Task;
  /** The final correct option of each topic. */
  readonly truth: readonly number[];
  readonly sessions: readonly Session[];
  /** The topics of the final questions. */
  readonly queries: readonly number[];
  readonly profile: string;
  readonly at: number;
  readonly answers: readonly boolean[];
  readonly misses: number;
};

export type WriterOutlook = { readonly profile: string; readonly sentence: string; readonly room: number; readonly isChatter: boolean };
export type ReaderOutlook = {
  readonly profile: string;
  readonly ask: string;
  readonly options: readonly { readonly text: string; readonly shown: readonly string[] }[];
};

const seats = ['writer', 'reader'] as const;
const notes = ['[note]', '[skip]'] as const;
const read = new WeakMap<object, Tastes>();

function tastesOf({ tastes }: Task): Tastes {
  if (typeof tastes !== 'object' || tastes === null) return household;
  let parsed = read.get(tastes);
  if (parsed === undefined) {
    parsed = readTastes(tastes);
    read.set(tastes, parsed);
  }
  return parsed;
}

export const preferences: Environment<State, Task> = {
  id: 'preferences@1',
  about: {
    summary:
      'A user reveals preferences in passing, one sentence per session, among small talk and occasional statements against the true preference. After each session, a writer rewrites a short profile, adds a note, or skips the sentence; it never sees the questions. At the end, a reader answers from the profile alone what the user would choose. Both earn the share of right answers. Content: topics with options and the sentences that reveal them, and small talk.',
    tasks: [{}, { sessions: 6, questions: 2, room: 20 }, { change: 1, sessions: 8, shown: 1, chatter: 0 }],
    turns: 60,
    words: ['note', 'skip'],
  },
  parameters,
  task(input) {
    const task = readTask('preferences', parameters, input);
    tastesOf(task);
    return task;
  },
  seats: () => seats,
  start(task, dice) {
    const { topics } = tastesOf(task);
    const first = topics.map(({ options }) => dice.int(options.length));
    const truth = topics.map(({ options }, i) =>
      dice.next() < task.change ? (first[i] + 1 + dice.int(options.length - 1)) % options.length : first[i],
    );
    const sessions = Array.from({ length: task.sessions }, (_, i) => drawSession(task, i < task.sessions / 2 ? first : truth, dice));
    // Questions use only topics that were revealed, if there are enough of them.
    const observations = [...new Set(sessions.flatMap(({ topic }) => (topic === null ? [] : [topic])))];
    const queries = dice.shuffle(observations.length > 0 ? observations : topics.map((_, i) => i)).slice(0, task.questions);
    const state: State = { task, truth, sessions, queries, profile: '', at: 0, answers: [], misses: 0 };
    return { state, messages: [...rules(task), ...promptFor(state)], asks: asksOf(state) };
  },
  step: (state, actions) => (state.at < state.sessions.length ? write(state, actions['writer']) : answer(state, actions['reader'])),
  knows({ task, sessions, queries, profile, at, answers }, seat) {
    const isWriting = at < sessions.length;
    if (seat === 'writer') return { task, profile, at: Math.min(at, sessions.length), sentence: sessions[at]?.text ?? null, answers };
    return {
      task,
      isWriting,
      profile: isWriting ? null : profile,
      query: isWriting ? null : (queries[at - sessions.length] ?? null),
      answers,
    };
  },
  scripts,
};

function drawSession(task: Task, truth: readonly number[], dice: Rng): Session {
  const { topics, chatter } = tastesOf(task);
  if (chatter.length > 0 && dice.next() < task.chatter) return { text: dice.pick(chatter), topic: null, option: null };
  const topic = dice.int(topics.length);
  const { options } = topics[topic];
  const option = dice.next() < task.shown ? truth[topic] : (truth[topic] + 1 + dice.int(options.length - 1)) % options.length;
  return { text: dice.pick(options[option].shown), topic, option };
}

function asksOf({ task, sessions, queries, profile, at }: State): readonly Ask[] {
  const session = sessions[at];
  if (session !== undefined) {
    const data: WriterOutlook = { profile, sentence: session.text, room: task.room, isChatter: session.topic === null };
    return [{ seat: 'writer', choices: notes, data }];
  }
  const topic = queries[at - sessions.length];
  if (topic === undefined) return [];
  const { ask, options } = tastesOf(task).topics[topic];
  const data: ReaderOutlook = { profile, ask, options };
  return [{ seat: 'reader', choices: options.map((_, i) => `[${letters[i]}]`), data: data }];
}

const letters = 'ABCDEF';
const countWords = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

/** Returns the latest lines of a profile that fit its limit. */
function cutProfile(profile: string, room: number): string {
  const lines = profile.split('\n').filter((line) => line.trim() !== '');
  while (lines.length > 0 && countWords(lines.join('\n')) > room) lines.shift();
  return lines.join('\n');
}

function write(state: State, action: Action): Step<State> {
  const { task, sessions, at } = state;
  const move = choose(action, notes);
  const text = action.text.replace(linear(/\[(note|skip)\]/gi), ' ').trim();
  if (!move.ok && text === '') return refuseMove(state, 'Write the new profile, or answer [note] or [skip].', 'writer');
  const profile = move.ok ? (move.move === '[note]' ? `${state.profile}\n${sessions[at].text}` : state.profile) : text;
  if (!move.ok && countWords(profile) > task.room)
    return refuseMove(state, `The profile has ${countWords(profile)} words, and may have ${task.room}.`, 'writer');
  const next: State = { ...state, profile: cutProfile(profile, task.room), at: at + 1, misses: 0 };
  return { state: next, messages: promptFor(next), asks: asksOf(next) };
}

function answer(state: State, action: Action): Step<State> {
  const { sessions, queries, truth, at } = state;
  const choices = asksOf(state)[0].choices!;
  const move = choose(action, choices);
  if (!move.ok) return refuseMove(state, move.problem, 'reader');
  const isRight = choices.indexOf(move.move) === truth[queries[at - sessions.length]];
  const next: State = { ...state, answers: [...state.answers, isRight], at: at + 1, misses: 0 };
  const reward = isRight ? 1 / queries.length : 0;
  const rewards = { writer: reward, reader: reward };
  if (next.answers.length < queries.length) return { state: next, messages: promptFor(next), asks: asksOf(next), rewards };
  return { ...finish(next), rewards };
}

function refuseMove(state: State, problem: string, seat: (typeof seats)[number]): Step<State> {
  const again = askAgain(state, asksOf(state)[0], problem, state.task.retries);
  return again ?? finish(state, [{ to: seats, text: `${forfeitText(seat)} Nothing more is asked.` }]);
}

function finish(state: State, messages: readonly Message[] = []): Step<State> {
  const { answers, queries, profile, sessions, task } = state;
  const right = answers.filter(Boolean).length;
  const measures = { accuracy: right / queries.length, words: countWords(profile), room: task.room, sessions: sessions.length };
  const end: Message = { to: seats, text: `${right} of ${queries.length} answers fit the user.` };
  const over: State = { ...state, at: sessions.length + queries.length, misses: 0 };
  return { state: over, messages: [...messages, end, { to: [], text: 'preferences', data: { measures } }], asks: [] };
}

function promptFor({ task, sessions, queries, profile, at }: State): readonly Message[] {
  const session = sessions[at];
  if (session !== undefined) return [{ to: ['writer'], text: `The user says: ${session.text}` }];
  const topic = queries[at - sessions.length];
  if (topic === undefined) return [];
  const { ask, options } = tastesOf(task).topics[topic];
  const list = options.map(({ text }, i) => `${letters[i]}. ${text}`).join('\n');
  return [{ to: ['reader'], text: `Profile of the user:\n${profile || '(empty)'}\n\nThe user asks: ${ask}\n${list}` }];
}

function rules(task: Task): readonly Message[] {
  return [
    {
      to: ['writer'],
      text: `You keep a profile of a user over ${task.sessions} sessions, in ${task.room} words at most. After each session write the whole new profile in your own words, or answer [note] to add the sentence as it is, or [skip] to leave the profile as it is. The oldest lines are dropped when it grows too long. Later somebody answers the user's questions from your profile alone; you earn the share of right answers. You do not see the questions.`,
    },
    {
      to: ['reader'],
      text: 'You are given a profile of a user and a question. Answer with the letter of what this user would choose, like [A].',
    },
  ];
}
