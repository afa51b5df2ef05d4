/** @file Rules: find a hidden rule by trying, then say what follows from it. */

import { choose, knob, readTask, retries, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { exercise, taskSplit } from '../exercise.ts';
import { escapeRoom, functionOperator, type Puzzle, reactor } from './puzzles.ts';
import { scripts } from './scripts.ts';

const knobs = {
  kind: knob.one({
    of: ['any', 'reactor', 'escape', 'function'],
    otherwise: 'any',
    about: 'a reactor that joins strings, a code that counts paintings, a function with hidden digits, or any of them',
  }),
  rules: knob.whole({ from: 2, to: 6, otherwise: 4, about: 'reactor: rules that it may follow' }),
  paintings: knob.whole({ from: 3, to: 13, otherwise: 6, about: 'escape: paintings in the room' }),
  terms: knob.whole({ from: 1, to: 3, otherwise: 2, about: 'function: terms with a hidden digit' }),
  steps: knob.whole({ from: 1, to: 50, otherwise: 15, about: 'tries and the answer in all' }),
  cost: knob.number({ from: 0, to: 0.1, otherwise: 0, about: 'what each try costs' }),
  split: taskSplit,
  retries,
} as const;

type Task = TaskOf<typeof knobs>;
type Progress = { readonly tried: readonly string[]; readonly last: string; readonly over: boolean };

const seat = 'finder';
const alone = [seat] as const;

export const rules = exercise<Task, Puzzle, Progress>({
  id: 'rules@1',
  about: {
    summary:
      'One finder faces a thing with a hidden rule: a reactor that joins strings, a door whose code counts paintings, or a function with hidden digits. It tries what is listed and sees what comes of it, then answers. The right answer pays 1, so the best is 1 less the tries where they cost, which the script reaches by keeping every hypothesis that explains what it saw and trying what splits them best; a guess is right one time in four to six.',
    tasks: [
      {},
      { kind: 'reactor' },
      { kind: 'escape', paintings: 4 },
      { kind: 'function' },
      { kind: 'reactor', rules: 6, cost: 0.05 },
      { kind: 'function', terms: 3, steps: 6 },
    ],
    turns: 16 * 11,
    complete: true,
  },
  knobs,
  task: (input) => readTask('rules', knobs, input),
  seats: () => alone,
  make({ kind, rules: count, paintings, terms }, dice) {
    const ruleKind = kind === 'any' ? dice.pick(['reactor', 'escape', 'function'] as const) : kind;
    const puzzle =
      ruleKind === 'reactor' ? reactor(count, dice) : ruleKind === 'escape' ? escapeRoom(paintings, dice) : functionOperator(terms, dice);
    return puzzle.answers.length < 2 ? null : puzzle;
  },
  key: ({ brief, results, answer }) => `${brief} ${results.join(' ')} ${answer}`,
  begin: ({ steps, cost }, { brief }) => ({
    progress: { tried: [], last: '', over: false },
    messages: [
      {
        to: alone,
        text: `Find out by trying, ${steps} moves in all with the answer.${cost === 0 ? '' : ` Each try costs ${cost}.`} Make exactly one of the moves that are listed, in square brackets.\nPuzzle: ${brief}`,
      },
    ],
  }),
  ask: (_, puzzle, { over }) => (over ? null : { seat, choices: movesOf(puzzle) }),
  act(task, puzzle, { tried }, action) {
    const read = choose(action, movesOf(puzzle));
    if (!read.ok) return read;
    const move = read.move.slice(1, -1);
    if (move.startsWith('answer ')) {
      const right = move.slice('answer '.length) === puzzle.answer;
      const text = right ? 'That is right.' : `That is wrong: it is ${puzzle.answer}.`;
      return {
        ok: true,
        move: { progress: { tried, last: text, over: true }, messages: [{ to: alone, text }], rewards: { [seat]: right ? 1 : 0 } },
      };
    }
    const result = puzzle.results[puzzle.tries.indexOf(move)];
    const over = tried.length + 1 >= task.steps;
    const progress: Progress = { tried: [...tried, move], last: result, over };
    return {
      ok: true,
      move: {
        progress,
        messages: [{ to: alone, text: over ? `${result}\nNo move is left.` : result }],
        ...(task.cost === 0 ? {} : { rewards: { [seat]: -task.cost } }),
      },
    };
  },
  knows: (_, puzzle, progress) => ({ brief: puzzle.brief, moves: movesOf(puzzle), ...progress }),
  scripts,
});

function movesOf({ tries, answers }: Puzzle): readonly string[] {
  return [...tries.map((item) => `[${item}]`), ...answers.map((answer) => `[answer ${answer}]`)];
}
