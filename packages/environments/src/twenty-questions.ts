/**
 * @file Twenty questions about a closed world. One seat guesses, and an oracle answers yes or no.
 *
 * The oracle is a seat like any other. Its script answers from the table. Any other player of the seat is audited against the table, but
 * its answers count as given. The rules decide whether a guess is right.
 */

import type { Action, Ask, Message, MoveOutcome, ParsedMove, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { audit, choose, defineEnvironment, Fault, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { talkOf } from './together.ts';
import { scripts } from './twenty-questions.scripts.ts';
import { fold, type TwentyAnswer, tables, truthOf } from './twenty-questions.table.ts';

/** Default parameters of a game of this kind. */
interface Defaults {
  readonly table: 'things' | 'cities';
  readonly cost: number;
}

const parametersOf = ({ table, cost }: Defaults) => ({
  table: parameter.choice({
    options: ['things', 'bits', 'cities'],
    default: table,
    description: '128 things with 40 attributes, the numbers 0 to 31 with their 5 bits, or about 90 cities with 21 attributes',
  }),
  turns: parameter.integer({ min: 1, max: 200, default: 20, description: 'maximum number of questions and guesses' }),
  cost: parameter.number({ min: 0, max: 1, default: cost, description: 'cost of each turn' }),
  wrong: parameter.choice({ options: ['continues', 'ends'], default: 'continues', description: 'whether a wrong guess ends the game' }),
  shaped: parameter.boolean({ default: false, description: 'also reward each turn by the bits of information it gains' }),
  shown: parameter.boolean({ default: true, description: 'show the guesser all things and attributes, and list them as choices' }),
  thing: parameter.string({ default: '', description: 'the hidden thing, instead of a drawn one' }),
  retries,
});

type Task = TaskOf<ReturnType<typeof parametersOf>>;

/** A question with its attribute (−1 if not in the table) and its answer, or a wrong guess. */
type Past = { readonly question: string; readonly attribute: number; readonly answer: TwentyAnswer } | { readonly guess: string };

type State = TaskState<Guessing, Task>;
type Guessing = {
  /** The row of the hidden thing. */
  readonly hidden: number;
  /** Rows that are consistent with all answers to the guesser. */
  readonly left: readonly number[];
  readonly past: readonly Past[];
  /** The open question to the oracle. */
  readonly open: { readonly question: string; readonly attribute: number } | null;
  readonly over: boolean;
};

type Move = { readonly question: string; readonly attribute: number } | { readonly guess: string };

const guesser = 'guesser';
const oracle = 'oracle';
const both = [guesser, oracle];
const answers = ['[yes]', '[no]', '[unknown]'] as const;
/** The oracle's ask contains the table's answer, so a program on its seat need not look back. */
const oracleAsks = Object.fromEntries(
  (['yes', 'no', 'unknown'] as const).map((truth) => [truth, [{ seat: oracle, choices: answers, data: { truth } }]]),
) as unknown as Readonly<Record<TwentyAnswer, readonly Ask[]>>;

/** Creates the game under a name, with a default table. */
function guessing(name: string, defaults: Defaults, summary: string) {
  return defineEnvironment({
    id: `${name}@1`,
    about: {
      summary,
      tasks: [{}, { table: 'bits', wrong: 'ends' }, { shown: false, shaped: true, turns: 12 }],
      turns: 20 * 22,
      words: ['ask', 'guess', 'yes', 'no', 'unknown'],
    },
    parameters: parametersOf(defaults),
    task(task) {
      if (task.thing !== '' && !tables[task.table].names.includes(task.thing))
        throw new Fault(
          'input',
          `${name}: "thing" must be one of the table "${task.table}", such as "${tables[task.table].names[0]}", but got "${task.thing}".`,
        );
      return task;
    },
    seats: both,

    start(task, rng) {
      const table = tables[task.table];
      const hidden = task.thing === '' ? rng.int(table.names.length) : table.names.indexOf(task.thing);
      const state: Guessing = { hidden, left: table.names.map((_, i) => i), past: [], open: null, over: false };
      return { state, messages: [guesserRules(task), oracleRules(task, hidden)] };
    },

    turn: asksOf,
    read: (action, { task, open }): ParsedMove<Move | { readonly answer: TwentyAnswer }> => {
      if (open === null) return readMove(task, action);
      const read = choose(action, answers);
      return read.ok ? { ok: true, move: { answer: read.move.slice(1, -1) as TwentyAnswer } } : read;
    },

    play(state, move) {
      if ('answer' in move) return takeAnswer(state, move.answer, []);
      if ('guess' in move) return guess(state, move.guess);
      return { state: { ...state, open: move }, messages: [{ to: [oracle], text: move.question, from: guesser }] };
    },

    forfeit(state, seat, text) {
      const messages = [{ to: both, text }];
      return seat === oracle ? takeAnswer(state, 'unknown', messages) : finish(state, messages, 0);
    },

    knows({ hidden, past, open, over }, seat) {
      return { past, open, ...(seat === oracle || over ? { hidden } : {}) };
    },

    scripts,
  });
}

export const twentyQuestions = guessing(
  'twenty-questions',
  { table: 'things', cost: 0.02 },
  'A guesser has twenty turns to find out which of 128 things is meant, by asking yes-or-no questions in its own words or from a list, and by guessing. An oracle on a separate seat answers; it is checked against the table, so that its errors are counted separately. The reward is 1 for the right guess, less 0.02 a turn.',
);

export const guessMyCity = guessing(
  'guess-my-city',
  { table: 'cities', cost: 1 },
  'A guesser has twenty turns to find out which of some 90 cities is meant, by yes-or-no questions and by guessing; an oracle on a separate seat answers from a table of facts. Each turn costs 1 and the right guess pays 1, so that the return is 0 for a right first guess and −1 for each turn before.',
);

function guess(state: State, name: string): MoveOutcome<State> {
  const { task, hidden } = state;
  const row = tables[task.table].names.indexOf(name);
  const next: State = { ...state, past: [...state.past, { guess: name }] };
  if (row === hidden) return finish(next, [{ to: both, text: `${name} is right.` }], 1);
  const message: Message = { to: [guesser], text: `${name} is not it. ${turnsLeft(next)}`, data: { guess: name } };
  const narrowed: State = { ...next, left: without(next.left, (value) => value === row) };
  return task.wrong === 'ends' ? finish(narrowed, [message], 0) : goOn(state, narrowed, [message]);
}

function takeAnswer(state: State, answer: TwentyAnswer, before: readonly Message[]): MoveOutcome<State> {
  const { task, hidden, open } = state;
  const { question, attribute } = open as NonNullable<State['open']>;
  const messages = [...before];
  const table = tables[task.table];
  const truth = truthOf(table, hidden, attribute);
  // Attributes outside the table cannot be audited.
  if (attribute >= 0) messages.push(audit(oracle, answer === truth, `${question} ${answer}; the table says ${truth}`));
  const past = [...state.past, { question, attribute, answer }];
  const isInformative = answer !== 'unknown' && attribute >= 0;
  const left = isInformative ? without(state.left, (row) => truthOf(table, row, attribute) !== answer) : state.left;
  const next: State = { ...state, past, left, open: null };
  const data = { attribute: table.attributes[attribute] ?? null, answer };
  messages.push({ to: [guesser], text: `${answer}. ${turnsLeft(next)}`, from: oracle, data });
  return goOn(state, next, messages);
}

/** Returns the rows that are not ruled out. If a wrong oracle rules out everything, nothing is learned and all rows are kept. */
function without(left: readonly number[], out: (row: number) => boolean): readonly number[] {
  const rest = left.filter((row) => !out(row));
  return rest.length === 0 ? left : rest;
}

/** Continues with the next turn, or ends after the last. With shaping, rewards the information gained. */
function goOn(before: State, after: State, messages: readonly Message[]): MoveOutcome<State> {
  const bits = before.task.shaped ? Math.log2(before.left.length / after.left.length) : 0;
  if (after.past.length >= after.task.turns) return finish(after, messages, bits);
  const step = { state: after, messages };
  return before.task.shaped ? { ...step, rewards: { [guesser]: bits } } : step;
}

function finish(state: State, messages: readonly Message[], reward: number): MoveOutcome<State> {
  const { task, hidden, past } = state;
  const message: Message = { to: both, text: `It was ${tables[task.table].names[hidden]}.` };
  return {
    state: { ...state, over: true },
    messages: [...messages, message],
    over: true,
    rewards: { [guesser]: reward - task.cost * past.length },
  };
}

function turnsLeft({ task, past }: State): string {
  const left = task.turns - past.length;
  return left === 1 ? '1 turn is left.' : `${left} turns are left.`;
}

/** Parses a guess, or a question by attribute or in words. Text without brackets is also a question. */
function readMove(task: Task, action: Action): ParsedMove<Move> {
  const bare = !action.text.includes('[') && action.text.trim() !== '';
  const read: ParsedMove<string> = bare ? { ok: true, move: `ask ${action.text}` } : parseBracketed(action);
  if (!read.ok) return read;
  const [, verb, rest] = /^(ask|guess) (.*\S)/is.exec(read.move) ?? [];
  if (verb === undefined || rest === undefined)
    return { ok: false, problem: 'Answer [ask …] with an attribute or a question, or [guess …] with a name.' };
  if (verb.toLowerCase() === 'ask')
    return { ok: true, move: { question: talkOf(rest), attribute: tables[task.table].phrases.get(fold(rest)) ?? -1 } };
  return {
    ok: true,
    move: {
      guess: talkOf(rest)
        .toLowerCase()
        .replace(/^(?:an?|the) /, ''),
    },
  };
}

const guesserAsks = Object.fromEntries(
  Object.entries(tables).map(([name, table]) => {
    const choices = [...table.attributes.map((id) => `[ask ${id}]`), ...table.names.map((object) => `[guess ${object}]`)];
    return [name, [{ seat: guesser, choices }]];
  }),
) as unknown as Readonly<Record<Task['table'], readonly Ask[]>>;
const unlisted: readonly Ask[] = [{ seat: guesser }];

function asksOf({ task, hidden, open }: State): readonly Ask[] {
  if (open !== null) return oracleAsks[truthOf(tables[task.table], hidden, open.attribute)];
  return task.shown ? guesserAsks[task.table] : unlisted;
}

const nouns = { things: 'thing', bits: 'thing', cities: 'city' } as const;

function guesserRules(task: Task): Message {
  const { names, attributes, questions } = tables[task.table];
  const lines = [
    `Find out which ${nouns[task.table]} is meant. You have ${task.turns} turns; each is a yes-or-no question or a guess, and each costs ${task.cost}.`,
    `A right guess wins 1. A wrong one ${task.wrong === 'ends' ? 'ends the game' : 'is only a turn lost'}.`,
    'Ask with [ask …], giving an attribute or a question in your own words; guess with [guess …]. One move an answer, in square brackets.',
    ...(task.shown
      ? [
          `${task.table === 'cities' ? 'Cities' : 'Things'}: ${names.join(', ')}.`,
          `Attributes: ${attributes.map((id, i) => `${id} (${questions[i]})`).join(' ')}`,
        ]
      : []),
  ];
  return { to: [guesser], text: lines.join('\n'), data: { table: task.table } };
}

function oracleRules(task: Task, hidden: number): Message {
  const { names, attributes, rows } = tables[task.table];
  const row = rows[hidden];
  const holds = attributes.filter((_, i) => row[i] === '1');
  const text = `The ${nouns[task.table]} is: ${names[hidden]}. True of it: ${holds.join(', ') || 'none of the attributes'}. Not true of it: ${attributes.filter((id) => !holds.includes(id)).join(', ') || 'none'}.\nAnswer each question truthfully with [yes], [no], or [unknown] where none of these attributes is asked for.`;
  return { to: [oracle], text };
}
