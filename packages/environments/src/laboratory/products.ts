/**
 * @file Products: half of the questions need a calculation that nobody does by heart, and half only have to be read. Tools are worth having for
 * one half and useless for the other, so methods that teach when to call a tool have something to work on.
 */

import {
  type Action,
  type Ask,
  askAgain,
  type Environment,
  forfeitText,
  type ParsedMove,
  parameter,
  parseBracketed,
  type Rng,
  readTask,
  retries,
  type Script,
  type Step,
  type TaskOf,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';

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
    /** Reads numbers, and guesses products. */
    guesser: (turn) => answerBy(turn, () => guess(turn)),
    /** Calls a tool for half of the questions, whether they need it or not, where its mind names tools; guesses the other products. */
    caller: (turn) => callAt(turn, turn.rng.next() < 0.5),
    /** Calls a tool where it is needed and its mind names one. */
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

/** The factors that the question names; a single one where it only says a number. */
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

/** What the tool said where it has been called; else a call of it, or an answer without. */
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
