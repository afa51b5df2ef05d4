/** @file Tables: a question over generated tables, answered by queries in a small language or by code. */

import type { Action, ParsedMove, Script, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Advance, exercise, fencedCode, firstText, taskSplit, textsOf } from '../exercise.ts';
import { runScript } from '../interpreter/interpreter.ts';
import { query, type Result, type Row, type TableSet } from './query.ts';
import { makeQuestion, makeTables, programOf, queriesFor, queryOf, type TableQuestion } from './questions.ts';

const parameters = {
  level: parameter.integer({
    min: 1,
    max: 4,
    default: 2,
    description: 'one condition, two, the best group, or the best group over a join',
  }),
  rows: parameter.integer({ min: 4, max: 400, default: 40, description: 'number of orders in the table' }),
  missing: parameter.number({ min: 0, max: 0.5, default: 0.1, description: 'share of amounts that are missing' }),
  turns: parameter.integer({ min: 1, max: 50, default: 10, description: 'maximum number of queries, programs, and answers' }),
  listed: parameter.boolean({ default: true, description: 'list four answers, one of them right; otherwise accept any answer' }),
  workings: parameter.boolean({
    default: false,
    description: 'also list queries: the correct one, and some with common mistakes',
  }),
  split: taskSplit,
  retries,
} as const;

/** Without "workings" if they are not listed, so that tasks of old logs stay unchanged. */
type Task = Omit<TaskOf<typeof parameters>, 'workings'> & { readonly workings?: true };
type Made = { readonly tables: TableSet; readonly question: TableQuestion; readonly listed: readonly string[] };
type Progress = { readonly used: number; readonly last: string; readonly over: boolean };

const seat = 'analyst';
const alone = [seat] as const;

/** Queries first, then gives the answer from the last result. */
const analyst: Script = ({ view, ask }) => {
  const question = linear(/Question: (.+)$/m).exec(firstText(view, /Question: /))![1];
  const last = textsOf(view).findLast((text) => text.startsWith('Result: '));
  const program = programOf(question);
  if (last === undefined) return { text: `[query ${queryOf(program)}]` };
  const answer = program.by === null ? /^Result: (\S+)/.exec(last)![1] : new RegExp(`\\b${program.by}: (\\w+)`).exec(last)![1];
  return { text: ask.choices?.find((choice) => choice === `[answer ${answer}]`) ?? `[answer ${answer}]` };
};

/** Does the same with a program over the rows. */
const coder: Script = ({ view }) => {
  const question = linear(/Question: (.+)$/m).exec(firstText(view, /Question: /))![1];
  const last = textsOf(view).findLast((text) => text.startsWith('Result: '));
  const { aggregate, conditions, by } = programOf(question);
  if (last !== undefined)
    return {
      text: `[answer ${linear(/^Result: (.+)$/m)
        .exec(last)![1]
        .replaceAll('"', '')}]`,
    };
  const tests = conditions.map(({ column, sign, value }) => {
    const cell = ['city', 'tier'].includes(column) ? `of(row).${column}` : `row.${column}`;
    return sign === '=' ? `${cell} === '${value}'` : `${cell} !== null && ${cell} ${sign} ${value}`;
  });
  const code = `const of = (row) => tables.customers.find((one) => one.id === row.customer);
const rows = tables.orders.filter((row) => ${tests.length === 0 ? 'true' : tests.join(' && ')});
const total = (some) => {
  const values = some.map((row) => row.amount).filter((amount) => amount !== null);
  const sum = values.reduce((a, b) => a + b, 0);
  const value = { count: some.length, sum, mean: sum / values.length, max: Math.max(...values), min: Math.min(...values) }['${aggregate}'];
  return values.length === 0 && '${aggregate}' !== 'count' ? -1 : Math.round(value * 100) / 100;
};
const groups = {};
for (const row of rows) groups[${by === null ? "'all'" : `row.${by}`}] = (groups[${by === null ? "'all'" : `row.${by}`}] ?? []).concat([row]);
const best = Object.keys(groups).sort((a, b) => total(groups[b]) - total(groups[a]))[0];
${by === null ? 'total(rows)' : 'best'};`;
  return { text: `\`\`\`js\n${code}\n\`\`\`` };
};

export const tables = exercise<Task, Made, Progress>({
  id: 'tables@1',
  about: {
    summary:
      'An analyst answers a question about two generated tables, orders and customers, with missing values. It queries them in a small language or with a program. Questions are composed from a program, easy to hard, whose result is the answer. A right answer pays 1. The maximum is 1, which the scripts reach; guessing one of the four listed answers is worth 1/4.',
    tasks: [{}, { level: 1, rows: 12 }, { level: 3 }, { level: 4, rows: 80 }, { level: 2, listed: false }],
    turns: 10 * 11,
  },
  parameters,
  task(input) {
    const { workings, ...task } = readTask('tables', parameters, input);
    return workings ? { ...task, workings } : task;
  },
  seats: () => alone,
  make({ level, rows, missing }, rng) {
    const newTables = makeTables(rows, missing, rng);
    const question = makeQuestion(newTables, level, rng);
    return question === null ? null : { tables: newTables, question, listed: rng.shuffle([question.answer, ...question.others]) };
  },
  key: ({ question, tables: result }) => `${question.ask} ${JSON.stringify(result['orders'].slice(0, 3))}`,
  begin: (task, { tables: result, question }) => ({
    progress: { used: 0, last: '', over: false },
    messages: [{ to: alone, text: `${rules(task)}\n${heads(result)}\nQuestion: ${question.ask}` }],
  }),
  ask: (task, { question, listed }, { over }) =>
    over ? null : { seat, ...(task.listed || task.workings === true ? { choices: movesOf(task, question.ask, listed) } : {}) },
  act,
  knows: (_, { tables: result, question, listed }, progress) => ({ heads: heads(result), ask: question.ask, listed, ...progress }),
  scripts: { analyst, coder },
});

function movesOf(task: Task, ask: string, listed: readonly string[]): readonly string[] {
  const queries = task.workings === true ? queriesFor(ask).map((query) => `[query ${query}]`) : [];
  return [...queries, ...(task.listed ? listed.map((answer) => `[answer ${answer}]`) : [])];
}

function act(task: Task, result: Made, { used: before }: Progress, action: Action): ParsedMove<Advance<Progress>> {
  const block = fencedCode(action.text);
  const used = before + 1;
  if (block !== null) {
    const { ok, value, printed, problem } = runScript({ 'main.js': block.code }, 'main.js', { given: { tables: result.tables } });
    return tellResult(task, used, `${printed}${ok ? `Result: ${JSON.stringify(value)}` : `The program failed: ${problem}`}`);
  }
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const move = /^(query|answer) (.+)$/i.exec(read.move);
  if (move === null) return { ok: false, problem: 'A move is like [query orders | count], [answer 12], or a block of code.' };
  const [, verb, rest] = move as unknown as [string, string, string];
  if (verb.toLowerCase() === 'query') return tellResult(task, used, formatResult(query(result.tables, rest)));
  const right =
    rest.trim().toLowerCase() === result.question.answer.toLowerCase() ||
    (rest.trim() !== '' && Number(rest) === Number(result.question.answer));
  const text = right ? 'That is right.' : `That is wrong: it is ${result.question.answer}.`;
  return {
    ok: true,
    move: { progress: { used, last: '', over: true }, messages: [{ to: alone, text }], rewards: { [seat]: right ? 1 : 0 } },
  };
}

function tellResult(task: Task, used: number, result: string): ParsedMove<Advance<Progress>> {
  const over = used >= task.turns;
  const text = over ? `${result}\nNo turn is left.` : result;
  return { ok: true, move: { progress: { used, last: result, over }, messages: [{ to: alone, text }] } };
}

const most = 20;

function formatResult(result: Result): string {
  if (!result.ok) return result.problem;
  if (!Array.isArray(result.value)) return `Result: ${result.value ?? 'nothing'}`;
  const rows = result.value as readonly Row[];
  return `Result: ${rows.length} rows\n${rows.slice(0, most).map(line).join('\n')}${rows.length > most ? '\n…' : ''}`;
}

function line(row: Row): string {
  return Object.entries(row)
    .map(([column, cell]) => `${column}: ${cell ?? 'missing'}`)
    .join(', ');
}

function heads(result: TableSet): string {
  return Object.entries(result)
    .map(([name, rows]) => `Table ${name}, ${rows.length} rows, such as\n${rows.slice(0, 3).map(line).join('\n')}`)
    .join('\n');
}

function rules({ turns }: Task): string {
  return `Answer a question over tables in ${turns} moves at most. [query orders | where month = march | sum amount] asks for a result; stages are where COLUMN = VALUE (or > or <), join customers, count, sum, mean, max or min COLUMN, group COLUMN sum COLUMN, sort COLUMN desc, take N, show COLUMN. Or write a program in a block of code between lines of three backquotes: \`tables.orders\` is a list of objects, and the last expression is the result. Missing values count in no sum, mean, max or min; numbers are rounded to two places. [answer VALUE] ends the work. Make exactly one move.`;
}
