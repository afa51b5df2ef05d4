/** @file Rules: discover a hidden rule by experiments, then say what follows from it. */

import { choose, parameter, readTask, retries, type Script, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { exercise, firstText, taskSplit, textsOf } from '../exercise.ts';
import { codeOf, escapeRoom, functionOperator, type Painting, type Puzzle, reactions, reactor, valueAt } from './puzzles.ts';

/** A hypothesis: the result of each experiment, and the answer. */
interface Hypothesis {
  readonly shows: (attempt: string) => string;
  readonly answer: string;
}

function abduce(brief: string): readonly Hypothesis[] {
  const reactor = linear(/one of ([\w, ]+)\. What does it make of (\w+) and (\w+)\?/).exec(brief);
  if (reactor !== null)
    return reactor[1].split(', ').map((name) => ({
      shows: (attempt) => {
        const [, a, b] = attempt.split(' ') as [string, string, string];
        return `It makes ${reactions[name](a, b)}.`;
      },
      answer: reactions[name](reactor[2], reactor[3]),
    }));
  const names = [
    ...linear(/f\(x\) = (.+) with hidden/)
      .exec(brief)![1]
      .matchAll(linear(/[abc] \* ([^+]+?)(?= \+|$)/g)),
  ].map((match) => match[1]);
  const all: Hypothesis[] = [];
  for (let n = 0; n < 10 ** names.length; n++) {
    const digits = names.map((_, i) => Math.floor(n / 10 ** i) % 10);
    all.push({
      shows: (attempt) => `f(${attempt.slice(4)}) = ${valueAt(names, digits, Number(attempt.slice(4)))}`,
      answer: digits.join(' '),
    });
  }
  return all;
}

/** Keeps the hypotheses that explain all results, and tries the experiment that would leave the fewest. */
const versionSpace: Script = ({ view, ask }) => {
  const brief = firstText(view, /Puzzle: /);
  const choices = ask.choices as readonly string[];
  const results = textsOf(view);
  const done = view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
  const tries = choices.filter((choice) => !choice.startsWith('[answer ') && !done.includes(choice));
  const colour = linear(/how many of the (\w+) paintings/).exec(brief)?.[1];
  if (colour !== undefined) {
    const paintings = results.flatMap((text) =>
      [...text.matchAll(linear(/Painting \d+ is (\w+), (\w+)\./g))].map((match): Painting => ({ technique: match[1], colour: match[2] })),
    );
    return { text: tries[0] ?? `[answer ${codeOf(paintings, colour)}]` };
  }
  const left = abduce(brief).filter(({ shows }) =>
    done.every((move) => results.some((text) => text.split('\n', 1)[0] === shows(move.slice(1, -1)))),
  );
  const answers = new Set(left.map(({ answer }) => answer));
  if (answers.size === 1 || tries.length === 0) return { text: `[answer ${left[0].answer}]` };
  const hypothesis = left.length > 200 ? left.filter((_, i) => i % Math.ceil(left.length / 200) === 0) : left;
  const worth = tries.map((item) => new Set(hypothesis.map(({ shows }) => shows(item.slice(1, -1)))).size);
  return { text: tries[worth.indexOf(Math.max(...worth))] };
};

/** Answers immediately. */
const guess: Script = ({ ask, rng }) => ({
  text: rng.pick((ask.choices as readonly string[]).filter((choice) => choice.startsWith('[answer '))),
});

export const scripts: Readonly<Record<string, Script>> = { 'version-space': versionSpace, guess };

const parameters = {
  kind: parameter.choice({
    options: ['any', 'reactor', 'escape', 'function'],
    default: 'any',
    description: 'a reactor that joins strings, a code that counts paintings, a function with hidden digits, or any of these',
  }),
  rules: parameter.integer({ min: 2, max: 6, default: 4, description: 'reactor: number of rules that it may follow' }),
  paintings: parameter.integer({ min: 3, max: 13, default: 6, description: 'escape: number of paintings in the room' }),
  terms: parameter.integer({ min: 1, max: 3, default: 2, description: 'function: number of terms with a hidden digit' }),
  steps: parameter.integer({ min: 1, max: 50, default: 15, description: 'maximum number of tries, including the answer' }),
  cost: parameter.number({ min: 0, max: 0.1, default: 0, description: 'cost of each try' }),
  split: taskSplit,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Progress = { readonly tried: readonly string[]; readonly last: string; readonly over: boolean };

const seat = 'finder';
const alone = [seat] as const;

export const rules = exercise<Task, Puzzle, Progress>({
  id: 'rules@1',
  about: {
    summary:
      'A player discovers a hidden rule by experiments: a reactor that joins strings, a door whose code counts paintings, or a function with hidden digits. It tries listed inputs, observes the results, then answers. The right answer pays 1, minus the cost of the experiments if they cost. The script reaches the best return: it keeps every hypothesis that fits and tries the input that splits them best. A guess is right one time in four to six.',
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
  parameters,
  task: (input) => readTask('rules', parameters, input),
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
