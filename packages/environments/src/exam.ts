/**
 * @file An exam: one question with one right answer, and a calculator. A written question comes with a program that computes its answer, so
 * running the program shows whether the answer is true. Used to test writers that may be wrong, or cheat.
 */

import type { Ask, Environment, Json, Step, TaskDraft, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, Fault, forfeitText, parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { runScript } from './interpreter/interpreter.ts';

const parameters = {
  question: parameter.string({ default: '', description: 'the question (default: a random sum)' }),
  answer: parameter.string({ default: '', description: 'the answer that earns the reward' }),
  program: parameter.string({ default: '', description: 'a JavaScript program whose last expression is the answer' }),
  others: parameter.json({ default: [], description: 'wrong answers that are listed next to the right one' }),
  calculator: parameter.boolean({ default: false, description: 'lets the pupil run the program once before the answer' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task; readonly result: string | null; readonly misses: number };

const seat = 'pupil';
const alone = [seat] as const;
const operators = ['+', '-', '*'] as const;
const digits = 10;

export const exam: Environment<State, Task> = {
  id: 'exam@1',
  about: {
    summary:
      'A pupil answers one question; the right answer, [answer TEXT], pays 1. With a calculator, [calc] first runs the program of the question. Questions are random sums of two-digit numbers, or written by an agent, each with its answer and a program that computes it. A testbed for agents that write questions.',
    tasks: [{}, { calculator: true }, { question: 'How many legs do 3 cats have?', answer: '12', program: '3 * 4' }],
    turns: 3 * 11,
  },
  parameters,
  task(input) {
    const task = readTask('exam', parameters, input);
    if ((task.question === '') !== (task.answer === ''))
      throw new Fault('input', 'exam: "question" and "answer" must be set together, or not at all.');
    if (!Array.isArray(task.others) || task.others.some((other) => typeof other !== 'string'))
      throw new Fault('input', 'exam: "others" must be a list of strings, such as ["11", "13"].');
    return task;
  },
  seats: () => alone,
  start(taskOf, rng) {
    const task = taskOf.question === '' ? { ...taskOf, ...sumOf(rng.int(digits), rng.pick(operators), rng.int(digits), 0) } : taskOf;
    const state: State = { task, result: null, misses: 0 };
    return { state, messages: [{ to: alone, text: questionText(state) }], asks: [askOf(state)] };
  },
  step(state, actions) {
    const { task, result } = state;
    const read = parseBracketed(actions[seat]);
    const again = (problem: string) => askAgain(state, askOf(state), problem, task.retries) ?? end(state, forfeitText(seat), 0);
    if (!read.ok) return again(read.problem);
    if (read.move.toLowerCase() === 'calc' && task.calculator && result === null) {
      const next: State = { ...state, result: runProgram(task.program) ?? 'error', misses: 0 };
      return { state: next, messages: [{ to: alone, text: questionText(next) }], asks: [askOf(next)] };
    }
    const [, answer] = /^answer (.+)$/i.exec(read.move) ?? [];
    if (answer === undefined) return again('A move is like [answer 12].');
    const isRight = answer.trim().toLowerCase() === task.answer.trim().toLowerCase();
    return end(state, isRight ? 'That is right.' : 'That is wrong.', isRight ? 1 : 0);
  },
  knows: ({ task: { question, answer, others }, result, misses }) => ({
    question,
    listed: [answer, ...(others as readonly string[])].sort(),
    result,
    misses,
  }),
  draft,
  scripts: {
    /** Calculates sums: a reference for checks. */
    calculator: ({ view, ask }) => {
      const last = view.seen.findLast((item) => item.kind === 'message');
      const [, sum] = /What is ([-\d]+ [-+*] [-\d]+)\?/.exec(last?.kind === 'message' ? last.text : '') ?? [];
      const answer = sum === undefined ? null : runProgram(sum);
      return { text: answer === null ? (ask.choices?.at(-1) ?? '[answer unknown]') : `[answer ${answer}]` };
    },
  },
};

/**
 * Returns the result of a program as text, or null if it fails. Programs run in an interpreter with fuel, without access to this machine.
 */
export function runProgram(program: string): string | null {
  const { ok, value } = runScript({ 'main.js': program }, 'main.js');
  return ok && value !== null ? String(value) : null;
}

function questionText({ task, result }: State): string {
  return result === null ? `Question: ${task.question}` : `Question: ${task.question}\nResult: ${result}`;
}

function askOf({ task, result }: State): Ask {
  const listed = [...new Set([task.answer, ...(task.others as readonly string[])])].sort();
  const answers = listed.length < 2 ? {} : { choices: listed.map((item) => `[answer ${item}]`) };
  if (answers.choices === undefined || !task.calculator || result !== null) return { seat, window: 1, ...answers };
  return { seat, window: 1, choices: ['[calc]', ...answers.choices] };
}

/** Returns a sum with its program. `off` is the error of the answer; 0 means it is right. */
function sumOf(a: number, operator: (typeof operators)[number], b: number, off: number) {
  const right = operator === '+' ? a + b : operator === '-' ? a - b : a * b;
  const listed = [right - 2, right - 1, right + 1, right + 2].map(String);
  const answer = String(right + off);
  return {
    question: `What is ${a} ${operator} ${b}?`,
    answer,
    program: `${a} ${operator} ${b}`,
    others: [String(right), ...listed].filter((item) => item !== answer),
  };
}

const claims = [0, 1, -1, 2] as const;

/** Drafts sum by sum. The writer also claims an answer, which may be wrong. */
function draft(base: Json, moves: readonly string[]): TaskDraft {
  const numbers = Array.from({ length: digits }, (_, i) => `[${i}]`);
  const [a, operator, b, claim] = moves.map((move) => move.slice(1, -1));
  const texts = ['First number?', 'Which operator?', 'Second number?', 'Which claim?'];
  const choices = [numbers, operators.map((operator) => `[${operator}]`), numbers, claims.map((off) => `[claim ${off}]`)];
  if (claim === undefined) return { text: texts[moves.length], choices: choices[moves.length] };
  const sum = sumOf(Number(a), operator as (typeof operators)[number], Number(b), Number(claim.replace('claim ', '')));
  return { task: { ...(base as object), ...sum } };
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
