/**
 * @file Products: half of the questions need a calculation that is hard to do mentally, and half only need reading. Tools help with one
 * half and are useless for the other, so methods that learn when to call a tool can be tested.
 */

import type { Action, Ask, Environment, ParsedMove, Rng, Script, Step, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, forfeitText, parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';

const parameters = {
  hard: parameter.number({ min: 0, max: 1, default: 0.5, description: 'share of questions that need a product' }),
  from: parameter.integer({ min: 2, max: 999, default: 32, description: 'the smallest factor' }),
  to: parameter.integer({ min: 2, max: 999, default: 99, description: 'the largest factor' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = { readonly task: Task; readonly question: string; readonly answer: number; readonly misses: number };

const seat = 'solver';
const alone = [seat] as const;

export const products: Environment<State, Task> = {
  id: 'products@1',
  about: {
    summary:
      'A solver is asked for a number. Half of the questions need the product of two numbers, the other half just state it. A right answer pays 1. Laboratory testbed for tools: a calculator helps with one half only.',
    tasks: [{}, { hard: 1 }, { hard: 0 }, { from: 2, to: 9 }],
    turns: 11,
  },
  parameters,
  task: (input) => readTask('products', parameters, input),
  seats: () => alone,
  start(task, dice) {
    const { question, answer } = draw(task, dice);
    const state: State = { task, question, answer, misses: 0 };
    return { state, messages: [{ to: alone, text: `Answer with a number in brackets.\n${question}` }], asks: [ask] };
  },
  step(state, actions) {
    const read = readNumber(actions[seat]);
    if (!read.ok) return askAgain(state, ask, read.problem, state.task.retries) ?? end(state, forfeitText(seat), 0);
    const isRight = read.move === state.answer;
    return end(state, isRight ? 'Right.' : `Wrong: it is ${state.answer}.`, isRight ? 1 : 0);
  },
  knows: ({ question, misses }) => ({ question, misses }),
  scripts: {
    /** Knows every product. */
    oracle: (turn) => ({ text: `[${expressionOf(turn).reduce((product, factor) => product * factor, 1)}]` }),
    /** Reads single numbers, and guesses products. */
    guesser: (turn) => answerBy(turn, () => guess(turn)),
    /** If its mind names tools, calls one for half of the questions, regardless of need. Guesses the other products. */
    caller: (turn) => callAt(turn, turn.rng.next() < 0.5),
    /** Calls a tool when it is needed and its mind names one. */
    expert: (turn) => callAt(turn, expressionOf(turn).length > 1),
  },
};

const ask: Ask = { seat };

function draw({ hard, from, to }: Task, dice: Rng): { readonly question: string; readonly answer: number } {
  const factor = () => from + dice.int(Math.max(1, to - from + 1));
  const [a, b] = [factor(), factor()];
  return dice.next() < hard ? { question: `What is ${a} * ${b}?`, answer: a * b } : { question: `What is ${a * b}?`, answer: a * b };
}

function readNumber(action: Action): ParsedMove<number> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  return /^\d{1,9}$/.test(read.move)
    ? { ok: true, move: Number(read.move) }
    : { ok: false, problem: 'An answer is a number in brackets, like [12].' };
}

/** Returns the factors in the question, or a single one if the question only states a number. */
function expressionOf({ view }: Turn): readonly number[] {
  const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const question = texts.findLast((text) => text.includes('What is ')) ?? '';
  return question.slice(question.indexOf('What is ')).match(/\d+/g)?.map(Number) ?? [0];
}

function answerBy(turn: Turn, product: () => number): ReturnType<Script> {
  const factors = expressionOf(turn);
  return { text: `[${factors.length === 1 ? factors[0] : product()}]` };
}

function guess(turn: Turn): number {
  return 1000 + turn.rng.int(9000);
}

/** Answers with the tool's result if a tool was called. Otherwise calls a tool or answers without one. */
function callAt(turn: Turn, isCalling: boolean): ReturnType<Script> {
  const result = turn.view.seen.findLast((item) => item.kind === 'message' && item.from === 'tool');
  if (result?.kind === 'message') return { text: `[${result.text.trim().split('\n').at(-1)}]` };
  const [tool] = (turn.mind as { readonly tools?: readonly string[] } | undefined)?.tools ?? [];
  if (!isCalling || tool === undefined) return answerBy(turn, () => guess(turn));
  const sum = expressionOf(turn).join(' * ');
  return { text: `Tool: ${tool} ${tool === 'run_code' ? `{"code": "return ${sum}"}` : `{"sum": "${sum}"}`}` };
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
