/** @file Maths: problems with exact answers, and turns with an exact calculator or a program before the answer. */

import type { Action, ParsedMove, Script, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { type Advance, exercise, fencedCode, firstText, taskSplit, textsOf } from '../exercise.ts';
import { runScript } from '../interpreter/interpreter.ts';
import { kinds, type MathsProblem, makeProblem, solutionOf, workingsOf } from './problems.ts';
import { calculate, rationalText, readRational } from './rational.ts';

const parameters = {
  level: parameter.integer({ min: 1, max: 3, default: 2, description: 'the highest level of problems' }),
  kind: parameter.choice({ options: ['any', ...Object.keys(kinds)], default: 'any', description: 'only problems of this kind' }),
  turns: parameter.integer({ min: 1, max: 50, default: 6, description: 'maximum number of calculations, programs, and answers' }),
  tools: parameter.number({
    min: 0,
    max: 0.5,
    default: 0,
    description: 'weight of the share of calculations and programs that did not fail in the reward',
  }),
  listed: parameter.boolean({ default: true, description: 'list four answers, one of them right; otherwise accept any answer' }),
  workings: parameter.boolean({
    default: false,
    description: 'also list calculations: the correct one, and some with one sign changed',
  }),
  split: taskSplit,
  retries,
} as const;

/** Without "workings" if they are not listed, so that tasks of old logs stay unchanged. */
type Task = Omit<TaskOf<typeof parameters>, 'workings'> & { readonly workings?: true };
type Made = MathsProblem & { readonly listed: readonly string[] };
type Progress = { readonly used: number; readonly calls: number; readonly good: number; readonly last: string; readonly over: boolean };

const seat = 'solver';
const alone = [seat] as const;

/** Calculates the solution, then answers with the result. */
const solver: Script = ({ view }) => {
  const ask = /^Problem: (.+)$/m.exec(firstText(view, /^Problem: /m))![1];
  const last = textsOf(view).findLast((text) => text.startsWith('Result: '));
  return { text: last === undefined ? `[calc ${solutionOf(ask)}]` : `[answer ${/^Result: (\S+)/.exec(last)![1]}]` };
};

export const maths = exercise<Task, Made, Progress>({
  id: 'maths@1',
  about: {
    summary:
      'A solver works on a math problem with an exact answer. It can calculate with fractions of any size, run a program, and answers with a number or a fraction. A right answer pays 1; tool calls that worked can pay a share. The maximum is 1, which the script reaches. Guessing one of the four listed answers is worth 1/4.',
    tasks: [{}, { level: 1 }, { level: 3, tools: 0.2 }, { kind: 'rates', listed: false }],
    turns: 6 * 11,
  },
  parameters,
  task(input) {
    const { workings, ...task } = readTask('maths', parameters, input);
    return workings ? { ...task, workings } : task;
  },
  seats: () => alone,
  make({ level, kind }, rng) {
    const problem = makeProblem(level, kind, rng);
    return problem === null ? null : { ...problem, listed: rng.shuffle([problem.answer, ...problem.others]) };
  },
  key: ({ ask }) => ask,
  begin: ({ turns }, { ask }) => ({
    progress: { used: 0, calls: 0, good: 0, last: '', over: false },
    messages: [
      {
        to: alone,
        text: `Solve the problem in ${turns} moves at most. [calc 3 * (4 + 5) / 2] calculates exactly with + - * / ^ mod and brackets; a program in a block of code between lines of three backquotes is run, and its last expression is the result. [answer NUMBER] ends the work; fractions are like 3/4. Make exactly one move.\nProblem: ${ask}`,
      },
    ],
  }),
  ask: (task, { ask, listed }, { over }) =>
    over ? null : { seat, ...(task.listed || task.workings === true ? { choices: movesOf(task, ask, listed) } : {}) },
  act,
  knows: (_, { ask, listed }, progress) => ({ ask, listed, ...progress }),
  scripts: { solver },
});

function movesOf(task: Task, ask: string, listed: readonly string[]): readonly string[] {
  const workings = task.workings === true ? workingsOf(ask).map((working) => `[calc ${working}]`) : [];
  return [...workings, ...(task.listed ? listed.map((answer) => `[answer ${answer}]`) : [])];
}

function act(task: Task, problem: Made, progress: Progress, action: Action): ParsedMove<Advance<Progress>> {
  const block = fencedCode(action.text);
  if (block !== null) {
    const { ok, value, printed, problem } = runScript({ 'main.js': block.code }, 'main.js');
    return tellResult(task, progress, ok, `${printed}${ok ? `Result: ${JSON.stringify(value)}` : `The program failed: ${problem}`}`);
  }
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const move = /^(calc|answer) (.+)$/i.exec(read.move);
  if (move === null) return { ok: false, problem: 'A move is like [calc 2 + 3], [answer 5], or a block of code.' };
  const [, verb, rest] = move as unknown as [string, string, string];
  if (verb.toLowerCase() === 'calc') {
    const result = calculate(rest);
    return tellResult(
      task,
      progress,
      result.ok,
      result.ok ? `Result: ${rationalText(result.value)}` : `That cannot be calculated: ${result.problem}`,
    );
  }
  const rational = readRational(rest);
  if (rational === null) return { ok: false, problem: 'An answer is a number or a fraction, like [answer 3/4].' };
  const right = rationalText(rational) === problem.answer;
  const share = progress.calls === 0 ? 0 : progress.good / progress.calls;
  const reward = (1 - task.tools) * (right ? 1 : 0) + (right ? task.tools * share : 0);
  const text = right ? 'That is right.' : `That is wrong: it is ${problem.answer}.`;
  return {
    ok: true,
    move: {
      progress: { ...progress, used: progress.used + 1, over: true },
      messages: [
        { to: alone, text },
        { to: [], text: 'parts', data: { right, calls: progress.calls, good: progress.good } },
      ],
      rewards: { [seat]: reward },
    },
  };
}

function tellResult(task: Task, progress: Progress, good: boolean, result: string): ParsedMove<Advance<Progress>> {
  const used = progress.used + 1;
  const over = used >= task.turns;
  const next = { used, calls: progress.calls + 1, good: progress.good + (good ? 1 : 0), last: result, over };
  return { ok: true, move: { progress: next, messages: [{ to: alone, text: over ? `${result}\nNo turn is left.` : result }] } };
}
