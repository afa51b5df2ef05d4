/**
 * @file Reproduce a study: a repository, a shell, and questions about its results. Rules are pure, so the shell is a seat: its output is in
 * the log, and an episode replays without a shell. It first runs the study several times; an answer must be within the range expected for
 * one more run.
 */

import type {
  Action,
  Ask,
  Json,
  JsonObject,
  Message,
  MoveOutcome,
  ParsedMove,
  Seat,
  TaskOf,
  TaskState,
} from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { fencedCode } from '../exercise.ts';
import { answersFrom, scripts } from './scripts.ts';
import { studies } from './studies.ts';
import { commandFor, type Expectation, expectationOf, filesAt, isRight, type Level, levels, type Study, studyShape } from './study.ts';

const parameters = {
  study: parameter.choice({
    options: ['any', ...studies.map(({ id }) => id)],
    default: 'any',
    description: 'which of the built-in studies',
  }),
  own: parameter.json({ default: null, description: 'your study, as a folder of content gives it' }),
  given: parameter.choice({
    options: levels,
    default: 'medium',
    description: 'the material: results of a run too, instructions and paper, only the code, or only the paper',
  }),
  runs: parameter.integer({ min: 2, max: 10, default: 5, description: 'number of study runs that determine the interval' }),
  commands: parameter.integer({ min: 1, max: 100, default: 12, description: 'maximum number of commands' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Work = {
  readonly study: Study;
  readonly seeds: readonly number[];
  readonly expected: readonly Expectation[];
  readonly files: { readonly [path: string]: string };
  readonly turn: 'check' | 'researcher' | 'command';
  readonly command: string;
  readonly used: number;
  readonly brief: string;
  readonly output: string;
};
type State = TaskState<Work, Task>;
type ShellRun = { readonly out: string; readonly code: number; readonly files: { readonly [path: string]: string } };
type StudyMove =
  | { readonly runs: readonly ShellRun[]; readonly limits: string }
  | { readonly command: string }
  | { readonly answers: Readonly<Record<string, string>> };

const seat = 'researcher';
const seats = [seat, 'shell'] as const;
const longestOutput = 6000;

export const reproduction = defineEnvironment({
  id: 'reproduction@1',
  about: {
    summary:
      'A researcher reproduces the results of a study in a shell: it reads files, runs commands, and answers questions. A second seat is the shell. It first runs the study several times; an answer is right if it lies within the 95% interval for one more run. Studies are built in or a repository of yours; the agent "shell" runs any language in a container or inside bubblewrap. Difficulty depends on what is given: results, instructions, only the code, or only the paper. It pays 1 if all answers are right.',
    tasks: [{}, { given: 'easy' }, { given: 'hard', study: 'tournament' }, { study: 'regression' }],
    turns: (12 * 2 + 3) * 4,
    words: ['run', 'answer'],
  },
  parameters,
  task(task) {
    if (task.own !== null) readAs(studyShape, task.own, { where: 'reproduction', called: 'own' });
    return task;
  },
  seats: () => seats,
  start(task, dice) {
    const study =
      task.own === null ? dice.pick(studies.filter(({ id }) => task.study === 'any' || id === task.study)) : (task.own as unknown as Study);
    const seeds = dice.shuffle(Array.from({ length: 90 }, (_, i) => i + 10)).slice(0, task.runs);
    const work: Work = { study, seeds, expected: [], files: {}, turn: 'check', command: '', used: 0, brief: '', output: '' };
    return { state: work, messages: [] };
  },
  turn: askFor,
  read(action, state): ParsedMove<StudyMove> {
    return state.turn === 'researcher' ? readMove(action, state) : readRuns(action, state);
  },
  play(state, move) {
    if ('answers' in move) return finish(state, move.answers);
    if ('command' in move) {
      const started: State = { ...state, turn: 'command', command: move.command, used: state.used + 1 };
      return { state: started, messages: [] };
    }
    return state.turn === 'check' ? begin(state, move.runs, move.limits) : report(state, move.runs[0]);
  },
  forfeit: (state, _, text) => finish(state, {}, `${text} `),
  knows(state, who) {
    const { turn, brief, output, used } = state;
    if (who === seat) return { brief, output, used, turn, choices: turn === 'researcher' ? choicesFor(state) : [] };
    return { turn, request: turn === 'researcher' ? null : (askFor(state).data ?? null) };
  },
  scripts,
});

function askFor(state: State): Ask {
  const { study, seeds, files, turn, command } = state;
  const image = study.image === undefined ? {} : { image: study.image };
  // The files to run are for a program; a person or a model on this seat would only guess.
  if (turn === 'check')
    return { seat: 'shell', data: { files: study.files, commands: seeds.map((seed) => commandFor(study, seed)), ...image } as JsonObject };
  if (turn === 'command') return { seat: 'shell', data: { files, commands: [command], ...image } as JsonObject };
  return { seat, choices: choicesFor(state) };
}

/** Returns plausible commands and answers for an agent that doesn't read. */
function choicesFor({ files, study, output }: State): readonly string[] {
  const paths = Object.keys(files).slice(0, 30);
  const programs = paths.flatMap((path) =>
    /\.js$/.test(path) ? [`[run node ${path} 1]`] : /\.py$/.test(path) ? [`[run python3 ${path} 1]`] : [],
  );
  const answer = answersFrom(output, study.questions);
  const blank = `[answer ${study.questions.map(({ id }) => `${id} = 0`).join('; ')}]`;
  return [...paths.map((path) => `[run cat ${path}]`), ...programs, answer ?? blank];
}

function readMove(action: Action, { study }: State): ParsedMove<StudyMove> {
  const text = action.text.trim().slice(-20_000);
  const block = fencedCode(text);
  if (block !== null && block.code.trim() !== '') return { ok: true, move: { command: block.code.slice(0, 20_000) } };
  const [, command] = linear(/\[run ([\s\S]+)\]$/).exec(text) ?? [];
  if (command !== undefined) return { ok: true, move: { command } };
  const [, written] = linear(/\[answer ([\s\S]+)\]$/).exec(text) ?? [];
  if (written === undefined)
    return { ok: false, problem: 'A move is [run COMMAND], a block of shell commands, or [answer ID = VALUE; ID = VALUE].' };
  const pairs = written.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()] as const];
  });
  const missing = study.questions.find(({ id }) => !pairs.some(([name]) => name === id));
  if (missing !== undefined)
    return {
      ok: false,
      problem: `The answer to "${missing.id}" is missing: [answer ${study.questions.map(({ id }) => `${id} = …`).join('; ')}].`,
    };
  return { ok: true, move: { answers: Object.fromEntries(pairs) } };
}

function readRuns({ data }: Action, { turn, seeds }: State): ParsedMove<StudyMove> {
  const { runs, limits } = (data ?? {}) as JsonObject;
  const isRun = (item: Json) => {
    const { out, code, files } = (item ?? {}) as JsonObject;
    return typeof out === 'string' && typeof code === 'number' && typeof files === 'object' && files !== null;
  };
  const wanted = turn === 'check' ? seeds.length : 1;
  if (!Array.isArray(runs) || runs.length !== wanted || !runs.every(isRun))
    return {
      ok: false,
      problem: `A report is data like {"runs": [{"out": "…", "code": 0, "files": {}}], "limits": "…"} with ${wanted} runs.`,
    };
  return { ok: true, move: { runs: runs as unknown as readonly ShellRun[], limits: typeof limits === 'string' ? limits : '' } };
}

/**
 * Starts the work once the checker has run the study: computes the intervals and briefs the researcher. A study that gives no answers ends
 * the episode.
 */
function begin(state: State, runs: readonly ShellRun[], limits: string): MoveOutcome<State> {
  const { study, task } = state;
  const expected = study.questions.map((question) =>
    expectationOf(
      runs.map(({ out }) => out),
      question,
    ),
  );
  const problem = expected.find((expectation) => 'problem' in expectation) as { readonly problem: string } | undefined;
  if (problem !== undefined) {
    const out = runs.find(({ code }) => code !== 0)?.out ?? '';
    const text = `The study cannot be checked: ${problem.problem}.${out === '' ? '' : ` The shell printed: ${out.trim().slice(-300)}`}`;
    const note: Message = { to: [], text, data: { measures: { checked: 0 } } };
    return { state: { ...state, output: text }, messages: [{ to: [seat], text }, note], over: true, rewards: { [seat]: 0 } };
  }
  const files = filesAt(study, task.given as Level, runs[0].out);
  const questions = study.questions.map(({ id, ask }) => `* ${id}: ${ask}`).join('\n');
  const brief = `Reproduce the results of a study, with ${task.commands} commands at most. [run COMMAND] runs a command in a shell, as does a block of shell commands between lines of three backquotes. End with [answer ID = VALUE; ID = VALUE].
An answer is right where one more run of the study would lie in 95 of 100 cases. The shell is ${limits || 'a shell without network'}.
Files: ${Object.keys(files).join(', ')}
Questions:\n${questions}`;
  return {
    state: { ...state, expected: expected as readonly Expectation[], files, turn: 'researcher', brief },
    messages: [{ to: [seat], text: brief }],
  };
}

function report(state: State, { out, code, files }: ShellRun): MoveOutcome<State> {
  const cut = out.length > longestOutput ? `${out.slice(0, longestOutput)}\n… (${out.length - longestOutput} more characters)` : out;
  const output = `${cut.trimEnd() || 'No output.'}${code === 0 ? '' : `\nExit code ${code}.`}`;
  const next: State = { ...state, files, output, turn: 'researcher' };
  if (state.used < state.task.commands) return { state: next, messages: [{ to: [seat], text: output }] };
  return finish(next, {}, `${output}\nNo command is left. `);
}

function finish(state: State, answers: Readonly<Record<string, string>>, before = ''): MoveOutcome<State> {
  const right = state.expected.map((expectation, i) => isRight(answers[state.study.questions[i].id] ?? '', expectation));
  const count = right.filter(Boolean).length;
  const all = right.length > 0 && count === right.length ? 1 : 0;
  const measures = { accuracy: all, answers: right.length === 0 ? 0 : count / right.length, commands: state.used, checked: 1 };
  const text = `${before}${count} of ${state.study.questions.length} answers are right.`;
  return {
    state,
    messages: [
      { to: [seat], text },
      { to: [], text: `accuracy: ${all}`, data: { measures, expected: state.expected } },
    ],
    over: true,
    rewards: { [seat satisfies Seat]: all },
  };
}
