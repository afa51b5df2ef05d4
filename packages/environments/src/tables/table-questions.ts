/**
 * @file Questions over a user's table: an aggregate of a numeric column where one or two other columns have a given value. The table is not
 * shown, so an answer needs a tool that can query it, or memory.
 */

import type { Action, Ask, Environment, ParsedMove, Rng, Script, Step, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, Fault, forfeitText, hash, parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { taskSplit } from '../exercise.ts';
import { drawMap } from '../grid.ts';
import { query, type Row, type TableAggregate } from './query.ts';

const parameters = {
  conditions: parameter.integer({ min: 1, max: 2, default: 2, description: 'number of columns that must have a value' }),
  split: taskSplit,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Condition = { readonly column: string; readonly value: string };
type Question = { readonly aggregate: TableAggregate; readonly column: string; readonly conditions: readonly Condition[] };
type State = { readonly task: Task; readonly question: Question; readonly answer: number; readonly misses: number };

const seat = 'analyst';
const alone = [seat] as const;
/** The name of the table in queries. */
export const tableName = 'table';
const aggregates: readonly TableAggregate[] = ['count', 'sum', 'max'];
/** A column with more values than this identifies rows, and is not used in questions. */
const mostValues = 40;

/** Creates the environment of a table. Numeric columns are aggregated, and columns with few different texts become conditions. */
export function createTableQuestions(rows: readonly Row[], name: string): Environment<State, Task> {
  const columns = Object.keys(rows[0] ?? {});
  const numeric = columns.filter((column) => rows.some((row) => typeof row[column] === 'number'));
  const texts = columns.filter((column) => {
    const values = new Set(rows.map((row) => row[column]));
    return !numeric.includes(column) && values.size > 1 && values.size <= mostValues;
  });
  if (numeric.length === 0 || texts.length === 0)
    throw new Fault(
      'input',
      `${name} needs a column of numbers and a column with 2 to ${mostValues} different texts to ask about. Its columns are ${columns.join(', ') || 'none'}.`,
    );
  const answerOf = (question: Question): number => {
    const result = query({ [tableName]: rows }, queryOf(question));
    return result.ok && typeof result.value === 'number' ? result.value : 0;
  };
  const draw = (task: Task, dice: Rng): Question => {
    // Conditions taken from a row match at least that row.
    const row = dice.pick(rows);
    const choice = dice.shuffle(texts.filter((column) => typeof row[column] === 'string')).slice(0, task.conditions);
    const conditions = choice.sort().map((column) => ({ column, value: row[column] as string }));
    return { aggregate: dice.pick(aggregates), column: dice.pick(numeric), conditions };
  };
  return {
    id: `questions-${hash([name, rows]).slice(0, 8)}@1`,
    about: {
      summary: `One analyst answers questions over ${name} (${rows.length} rows: ${columns.join(', ')}), which it does not see: a right answer pays 1. A tool that queries the table is "table=FILE".`,
      tasks: [{}, { conditions: 1 }],
      turns: 11,
    },
    parameters,
    task: (input) => readTask('questions', parameters, input),
    seats: () => alone,
    start(task, dice) {
      const question = drawMap('questions', task.split, () => draw(task, dice), textOf);
      const text = `Answer with a number in brackets.\n${textOf(question)}`;
      return { state: { task, question, answer: answerOf(question), misses: 0 }, messages: [{ to: alone, text }], asks: [ask] };
    },
    step(state, actions) {
      const read = readNumber(actions[seat]);
      if (!read.ok) return askAgain(state, ask, read.problem, state.task.retries) ?? end(state, forfeitText(seat), 0);
      const isRight = read.move === state.answer;
      return end(state, isRight ? 'Right.' : `Wrong: it is ${state.answer}.`, isRight ? 1 : 0);
    },
    knows: ({ question, misses }) => ({ question, misses }),
    scripts: {
      /** Has access to the table. */
      oracle: (turn) => ({ text: `[${answerOf(questionIn(turn))}]` }),
      guesser: (turn) => ({ text: `[${turn.rng.int(1000)}]` }),
      /** Queries the table if its mind names a tool; otherwise guesses. */
      expert: (turn) => callAt(turn, true),
      /** Queries the table for half of the questions. */
      caller: (turn) => callAt(turn, turn.rng.next() < 0.5),
    },
  };
}

const ask: Ask = { seat };

function textOf({ aggregate, column, conditions }: Question): string {
  return `Question: ${aggregate} ${column} where ${conditions.map(({ column: name, value }) => `${name} = ${value}`).join(' and ')}`;
}

/** Returns the question as a query of the table. */
function queryOf({ aggregate, column, conditions }: Question): string {
  const stages = conditions.map(({ column: name, value }) => `where ${name} = ${value}`);
  return [tableName, ...stages, aggregate === 'count' ? 'count' : `${aggregate} ${column}`].join(' | ');
}

function questionIn({ view }: Turn): Question {
  const texts = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const text = texts.findLast((text) => text.includes('Question: ')) ?? '';
  const sentence = text.slice(text.indexOf('Question: ') + 'Question: '.length).split('\n', 1)[0];
  const [head = '', rest = ''] = sentence.split(' where ');
  const [aggregate = 'count', ...column] = head.split(' ');
  const conditions = rest.split(' and ').map((part) => {
    const [name = '', value = ''] = part.split(' = ');
    return { column: name, value };
  });
  return { aggregate: aggregate as TableAggregate, column: column.join(' '), conditions };
}

/** Answers with the tool's result if a tool was called. Otherwise calls a tool or guesses. */
function callAt(turn: Turn, isCalling: boolean): ReturnType<Script> {
  const result = turn.view.seen.findLast((item) => item.kind === 'message' && item.from === 'tool');
  if (result?.kind === 'message') return { text: `[${result.text.trim().split('\n').at(-1)}]` };
  const [tool] = (turn.mind as { readonly tools?: readonly string[] } | undefined)?.tools ?? [];
  if (!isCalling || tool === undefined) return { text: `[${turn.rng.int(1000)}]` };
  return { text: `Tool: ${tool} ${JSON.stringify({ query: queryOf(questionIn(turn)) })}` };
}

function readNumber(action: Action): ParsedMove<number> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  return /^-?\d{1,12}(?:\.\d{1,4})?$/.test(read.move)
    ? { ok: true, move: Number(read.move) }
    : { ok: false, problem: 'An answer is a number in brackets, like [12].' };
}

function end(state: State, text: string, reward: number): Step<State> {
  return { state, messages: [{ to: alone, text }], asks: [], rewards: { [seat]: reward } };
}
