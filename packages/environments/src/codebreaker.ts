/** @file Guess a hidden code from exact feedback: colored pegs (Mastermind) or a number (higher, lower). Early guesses earn more. */

import type { Action, Ask, Message, ParsedMove, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { codesOf, feedback, scripts } from './codebreaker.scripts.ts';

const parameters = {
  mode: parameter.choice({ options: ['pegs', 'number'], default: 'pegs', description: 'a row of colored pegs, or a number' }),
  pegs: parameter.integer({ min: 1, max: 6, default: 4, description: 'number of pegs in a row' }),
  colours: parameter.integer({ min: 2, max: 9, default: 6, description: 'number of colors, numbered from 1' }),
  top: parameter.integer({ min: 2, max: 1000, default: 100, description: 'number: the highest possible one; the lowest is 1' }),
  turns: parameter.integer({ min: 1, max: 100, default: 10, description: 'maximum number of guesses' }),
  listed: parameter.boolean({
    default: true,
    description: 'list all guesses as choices if there are at most 1,296; without it, logs are much smaller',
  }),
  code: parameter.string({ default: '', description: 'the hidden code, instead of a drawn one' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** `past` contains every guess with its answer: exact and misplaced pegs as in "1 2", or "higher", "lower", "found". */
type State = {
  readonly code: string;
  readonly past: readonly (readonly [string, string])[];
};

const seat = 'breaker';
const alone = [seat] as const;
const mostListed = 1296;

export const codebreaker = defineEnvironment({
  id: 'codebreaker@1',
  about: {
    summary:
      'A player finds a hidden code with as few guesses as possible. A guess at a row of colored pegs is answered with the number of correct and of misplaced pegs; a guess at a number with higher or lower. The first guess pays 1, and each further one less, in equal steps (a tenth if there are ten guesses). A code that is not found pays 0.',
    tasks: [{}, { mode: 'number' }, { pegs: 2, colours: 3 }, { mode: 'number', top: 10, turns: 4 }],
    turns: 10 * 11,
    complete: true,
    words: ['guess', 'exact', 'misplaced', 'higher', 'lower'],
  },
  parameters,
  task(task) {
    if (task.code !== '' && readCode(task, task.code) !== task.code)
      throw new Fault('input', `codebreaker: "code" must be ${form(task)}, but got "${task.code}".`);
    return task;
  },
  seats: alone,

  start(task, rng) {
    const draw = () =>
      task.mode === 'number' ? `${1 + rng.int(task.top)}` : Array.from({ length: task.pegs }, () => 1 + rng.int(task.colours)).join('');
    const state: State = { code: task.code === '' ? draw() : task.code, past: [] };
    return { state, messages: [{ to: alone, text: rulesFor(task), data: { ...task, code: '' } }] };
  },

  turn: ({ task }) => askOf(task),
  read: (action, { task }) => readGuess(task, action),

  play(state, guess) {
    const { task, code } = state;
    const answer = answerTo(state, guess);
    const next = { ...state, past: [...state.past, [guess, answer] as const] };
    const turn = next.past.length;
    const reward = 1 - (turn - 1) / task.turns;
    if (guess === code) return { state: next, messages: `${guess}: found on turn ${turn}.`, rewards: { [seat]: reward }, over: true };
    const [exact, misplaced] = answer.split(' ');
    const text = `${turn}. ${guess}: ${task.mode === 'number' ? answer : `${exact} exact, ${misplaced} misplaced`}.`;
    const result: Message = { to: alone, text, data: { guess, answer } };
    if (turn < task.turns) return { state: next, messages: [result] };
    const last: Message = { to: alone, text: `No guess is left. It was ${code}.` };
    return { state: next, messages: [result, last], rewards: { [seat]: 0 }, over: true };
  },

  knows: ({ task, code, past }) => ({ past, ...(past.length === task.turns ? { code } : {}) }),
  scripts,
});

function answerTo({ task, code }: TaskState<State, Task>, guess: string): string {
  if (task.mode === 'number') return guess === code ? 'found' : Number(code) > Number(guess) ? 'higher' : 'lower';
  const { exact, misplaced } = feedback(guess, code);
  return `${exact} ${misplaced}`;
}

function rulesFor(task: Task): string {
  const what =
    task.mode === 'number'
      ? `Find a whole number from 1 to ${task.top}. Each guess is answered with higher (it is higher than your guess) or lower.`
      : `Find a hidden row of ${task.pegs} pegs, each of a colour from 1 to ${task.colours}; colours may repeat. Each guess is answered with how many pegs are exact (right colour, right place) and how many more are misplaced (right colour, wrong place).`;
  const pays =
    task.turns === 1
      ? 'You have one guess; if it is right, it pays 1.'
      : `You have ${task.turns} guesses. The right one pays 1 if it is the first, and 1/${task.turns} less with each that went before.`;
  return `${what}\n${pays} Answer with exactly one guess in square brackets, like [guess ${example(task)}].`;
}

const plain: Ask = { seat };
const menus = new Map<string, Ask>();

function askOf(task: Task): Ask {
  const size = task.mode === 'number' ? task.top : task.colours ** task.pegs;
  if (!task.listed || size > mostListed) return plain;
  const key = `${task.mode} ${task.mode === 'number' ? task.top : `${task.pegs} ${task.colours}`}`;
  let ask = menus.get(key);
  if (ask === undefined) {
    ask = { seat, choices: codesOf(task).map((code) => `[guess ${code}]`) };
    menus.set(key, ask);
  }
  return ask;
}

function readGuess(task: Task, action: Action): ParsedMove<string> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const guess = /^guess (.*)$/i.exec(read.move)?.[1];
  const code = guess === undefined ? null : readCode(task, guess);
  return code === null ? { ok: false, problem: `A guess is ${form(task)}, like [guess ${example(task)}].` } : { ok: true, move: code };
}

/** Parses a code to its stored form, or returns null if the text is not a code. */
function readCode(task: Task, text: string): string | null {
  if (task.mode === 'number') return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= task.top ? text : null;
  if (text.length !== task.pegs) return null;
  for (const peg of text) if (!(peg >= '1' && peg <= `${task.colours}`)) return null;
  return text;
}

function form(task: Task): string {
  return task.mode === 'number' ? `a whole number from 1 to ${task.top}` : `${task.pegs} digits from 1 to ${task.colours}`;
}

function example(task: Task): string {
  return task.mode === 'number' ? `${Math.ceil(task.top / 2)}` : '1'.repeat(task.pegs);
}
