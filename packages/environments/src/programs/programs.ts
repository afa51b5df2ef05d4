/** @file Programs: small repositories with tests, to repair, to speed up, or to break and repair against each other. */

import type { Action, Ask, ParsedMove, Rng, Seat, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { parameter, parseBracketed, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { type Advance, exercise, fencedCode, taskSplit } from '../exercise.ts';
import type { Files } from './judging.ts';
import { filesText, fuelOf, injectorReward, passes, readRepository, reportText, repositoryParts, runTests, usualFuel } from './judging.ts';
import { applyChange, changesOf, changeText, operators, readChange } from './mutations.ts';
import { actPython, askPython, makePython, type PythonProgress, pythonSeats } from './python.ts';
import { repositories, slowPrograms } from './repositories.ts';
import { scripts } from './scripts.ts';

const parameters = {
  mode: parameter.choice({
    options: ['repair', 'optimise', 'self-play', 'python'],
    default: 'repair',
    description: 'fix a bug, make a program faster, inject bugs and repair them, or fix a bug in Python',
  }),
  bugs: parameter.integer({ min: 1, max: 3, default: 1, description: 'repair: bugs of one token each; each alone fails a test' }),
  operator: parameter.choice({ options: ['any', ...operators], default: 'any', description: 'repair: only bugs of this kind' }),
  solvers: parameter.integer({ min: 1, max: 8, default: 2, description: 'self-play: number of attempts to repair the injected bug' }),
  repository: parameter.json({
    default: null,
    description:
      'repair: a custom repository with "files" and "tests", and where it has them "problem_statement", "FAIL_TO_PASS" and "PASS_TO_PASS"',
  }),
  fuel: parameter.integer({ min: 1000, max: 5_000_000, default: usualFuel, description: 'maximum number of steps in a test run' }),
  turns: parameter.integer({ min: 1, max: 100, default: 8, description: 'maximum number of moves' }),
  split: taskSplit,
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
/**
 * The generated work. `fuel` says how fast the program can be and is hidden. The `named` tests decide the outcome; if empty, all tests do.
 */
type Made = {
  readonly name: string;
  readonly files: Files;
  readonly tests: Files;
  readonly problem: string;
  readonly named: readonly string[];
  readonly benchmark: string;
  readonly fuel: readonly [number, number];
};
type Progress = {
  readonly files: Files;
  readonly used: number;
  readonly last: string;
  readonly over: boolean;
  readonly injected: boolean;
  /** python: why the tester is asked. */
  readonly asked?: PythonProgress['asked'];
  readonly solved: readonly boolean[];
};

const seat = 'fixer';
const alone = [seat] as const;
const solversOf = ({ solvers }: Task): readonly Seat[] => Array.from({ length: solvers }, (_, i) => `solver ${i + 1}`);
const plain = { problem: '', named: [], benchmark: '', fuel: [0, 0] } as const;

export const programs = exercise<Task, Made, Progress>({
  id: 'programs@1',
  about: {
    summary:
      'Small JavaScript and TypeScript repositories whose tests are really executed, by an interpreter with a step limit instead of a clock. In "repair", a fixer gets a repository with a bug that fails a test, edits tokens or rewrites files, and earns 1 if all tests pass. In "optimise", it is paid for the steps that it saves. In self-play, an injector breaks a program by one token and earns most for a bug that some but not all solvers repair. In Python, a second seat runs the tests in a real interpreter, and its report is part of the log. The maximum is 1, which the script reaches except in self-play.',
    tasks: [{}, { bugs: 2 }, { mode: 'optimise' }, { mode: 'self-play' }],
    turns: 10 * 11,
  },
  parameters,
  task(input) {
    const task = readTask('programs', parameters, input);
    if (task.repository !== null && task.mode === 'python') repositoryParts(task.repository);
    else if (task.repository !== null) readRepository(task.repository, task.fuel);
    return task;
  },
  seats: (task) => (task.mode === 'python' ? pythonSeats : task.mode === 'self-play' ? ['injector', ...solversOf(task)] : alone),
  make,
  key: ({ name, files, benchmark }) => `${name} ${benchmark} ${Object.values(files).join('')}`,
  begin(task, result) {
    if (task.mode === 'python')
      return {
        progress: { files: result.files, used: 0, last: '', over: false, injected: true, solved: [], asked: 'brief' },
        messages: [],
      };
    const progress: Progress = { files: result.files, used: 0, last: '', over: false, injected: task.mode !== 'self-play', solved: [] };
    const to = task.mode === 'self-play' ? ['injector'] : alone;
    return { progress, messages: [{ to, text: `${rules(task)}\n${briefOf(task, result, result.files)}` }] };
  },
  ask,
  act(task, result, progress, action) {
    if (task.mode === 'python') return actPython(task.turns, result, pythonProgress(progress), action) as ParsedMove<Advance<Progress>>;
    if (task.mode === 'self-play')
      return progress.injected ? attempt(task, result, progress, action) : inject(task, result, progress, action);
    return act(task, result, progress, action);
  },
  forfeits: (task, result, progress, question) => {
    if (task.mode === 'python') return { fixer: 0 };
    if (task.mode !== 'self-play') return { [question]: judgeFiles(task, result, progress.files) };
    return { [question]: -1 };
  },
  knows(task, result, progress, question) {
    const { files, used, last, over, injected, solved } = progress;
    if (task.mode === 'python') return { last, files, used, over, testing: progress.asked ?? '' };
    if (task.mode !== 'self-play') return { shown: briefOf(task, result, result.files), files, used, last, over };
    if (question === 'injector') return { shown: briefOf(task, result, result.files), injected, over, solved: over ? solved : null };
    // Whose turn it is, is public.
    return { shown: injected ? briefOf(task, result, files) : null, tried: solved.length, over, solved: over ? solved : null };
  },
  scripts,
});

/** Returns the part of the progress that Python uses. */
function pythonProgress({ asked = '', ...rest }: Progress): PythonProgress {
  return { ...rest, asked };
}

function make(task: Task, rng: Rng): Made | null {
  if (task.mode === 'python') return { ...plain, name: 'python', ...makePython(task.repository, rng) };
  if (task.repository !== null) {
    const { files, tests, problem, named } = readRepository(task.repository, task.fuel);
    return { ...plain, name: 'own', files, tests, problem, named };
  }
  if (task.mode === 'optimise') {
    const { name, files, tests, benchmark, faster } = rng.pick(slowPrograms);
    return { ...plain, name, files, tests, benchmark, fuel: [fuelOf(files, benchmark)!, fuelOf({ ...files, ...faster }, benchmark)!] };
  }
  const { name, files, tests } = rng.pick(repositories);
  if (task.mode === 'self-play') return { ...plain, name, files, tests };
  let broken: Files = files;
  for (let i = 0; i < task.bugs; i++) {
    const bugs = changesOf(files).filter(({ operator }) => task.operator === 'any' || task.operator === operator);
    if (bugs.length === 0) return null;
    const bug = rng.pick(bugs);
    const single = applyChange(files, bug);
    const both = applyChange(broken, bug);
    // A change that no test detects is not a bug, and two changes at the same place do not count as two.
    if (single === null || both === null || passes(single, tests)) return null;
    broken = both;
  }
  return passes(broken, tests) ? null : { ...plain, name, files: broken, tests };
}

function ask(task: Task, result: Made, progress: Progress): Ask | null {
  const { files, over, injected, solved } = progress;
  if (over) return null;
  if (task.mode === 'python') return askPython(result, pythonProgress(progress));
  if (task.mode === 'self-play') {
    if (!injected) return { seat: 'injector', choices: changesOf(result.files).map((change) => `[inject ${changeText(change)}]`) };
    return { seat: solversOf(task)[solved.length], choices: changesOf(files).map((change) => `[change ${changeText(change)}]`) };
  }
  return {
    seat,
    choices: [
      '[test]',
      '[submit]',
      ...changesOf(files)
        .slice(0, 300)
        .map((change) => `[change ${changeText(change)}]`),
    ],
  };
}

function act(task: Task, result: Made, progress: Progress, action: Action): ParsedMove<Advance<Progress>> {
  const written = readFilesIn(progress.files, result, action.text);
  if (written !== null)
    return 'problem' in written
      ? { ok: false, problem: written.problem }
      : went(task, result, { ...progress, files: written.files }, 'The file is written.');
  const read = parseBracketed(action);
  if (!read.ok) return read;
  if (read.move === 'submit')
    return {
      ok: true,
      move: endTask(progress, judgeFiles(task, result, progress.files), reportText(runTests(progress.files, result.tests, task.fuel))),
    };
  if (read.move === 'test') return went(task, result, progress, reportText(runTests(progress.files, result.tests, task.fuel)));
  const change = /^change (.+)$/.exec(read.move)?.[1];
  const wanted = change === undefined ? null : readChange(change);
  const next = wanted === null ? null : tryChange(progress.files, wanted);
  if (next === null)
    return {
      ok: false,
      problem: 'A move is [test], [submit], a change like [change list.js:3:5 < to <=] that fits the file, or a file in a block of code.',
    };
  return went(task, result, { ...progress, files: next }, 'It is changed.');
}

/** Treats unparsable tokens as a change that does not apply. */
function tryChange(files: Files, wanted: Parameters<typeof applyChange>[1]): Files | null {
  try {
    return applyChange(files, wanted);
  } catch {
    return null;
  }
}

function readFilesIn(files: Files, { tests }: Made, text: string): { readonly files: Files } | { readonly problem: string } | null {
  const block = fencedCode(text);
  if (block === null) return null;
  const sources = Object.keys(files).filter((path) => /\.[jt]s$/.test(path));
  const path =
    block.head === '' || /^(js|ts|javascript|typescript)$/.test(block.head) ? (sources.length === 1 ? sources[0] : '') : block.head;
  if (Object.hasOwn(tests, path)) return { problem: 'Tests are not written.' };
  if (!sources.includes(path) || block.code.length > 50_000)
    return { problem: `The first line of a block names the file that it is: ${sources.join(', ')}.` };
  return { files: { ...files, [path]: `${block.code}\n` } };
}

function judgeFiles(task: Task, result: Made, files: Files): number {
  if (!passes(files, result.tests, result.named, task.fuel)) return 0;
  if (task.mode !== 'optimise') return 1;
  const [slow, fast] = result.fuel;
  const used = fuelOf(files, result.benchmark);
  return used === null ? 0 : Math.min(1, Math.max(0, (slow - used) / (slow - fast)));
}

function went(task: Task, result: Made, progress: Progress, last: string): ParsedMove<Advance<Progress>> {
  const used = progress.used + 1;
  if (used >= task.turns)
    return { ok: true, move: endTask({ ...progress, used }, judgeFiles(task, result, progress.files), `${last}\nNo move is left.`) };
  return { ok: true, move: { progress: { ...progress, used, last }, messages: [{ to: alone, text: last }] } };
}

function endTask(progress: Progress, reward: number, last: string): Advance<Progress> {
  return { progress: { ...progress, last, over: true }, messages: [{ to: alone, text: last }], rewards: { [seat]: reward } };
}

/**
 * Applies the injector's bug. A bug that fails no test, or breaks everything, is invalid: the injector loses 1, and the repair phase is
 * skipped.
 */
function inject(task: Task, result: Made, progress: Progress, action: Action): ParsedMove<Advance<Progress>> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const wanted = readChange(/^inject (.+)$/.exec(read.move)?.[1] ?? '');
  const knownNames = changesOf(result.files).map(changeText);
  if (wanted === null || !knownNames.includes(changeText(wanted)))
    return { ok: false, problem: `An injection is one of those listed, like [inject ${knownNames[0]}].` };
  const files = applyChange(result.files, wanted)!;
  const solvers = solversOf(task);
  if (passes(files, result.tests, [], task.fuel)) {
    const text = 'The bug fails no test, so there is nothing to repair.';
    return {
      ok: true,
      move: { progress: { ...progress, over: true }, messages: [{ to: ['injector', ...solvers], text }], rewards: { injector: -1 } },
    };
  }
  const text = `${rules(task)}\n${briefOf(task, result, files)}`;
  return { ok: true, move: { progress: { ...progress, files, injected: true }, messages: [{ to: solvers, text }] } };
}

function attempt(task: Task, result: Made, progress: Progress, action: Action): ParsedMove<Advance<Progress>> {
  const solvers = solversOf(task);
  const written = readFilesIn(progress.files, result, action.text);
  if (written !== null && 'problem' in written) return { ok: false, problem: written.problem };
  let files = written?.files ?? null;
  if (files === null) {
    const read = parseBracketed(action);
    if (!read.ok) return read;
    const wanted = readChange(/^change (.+)$/.exec(read.move)?.[1] ?? '');
    files = wanted === null ? null : tryChange(progress.files, wanted);
    if (files === null)
      return {
        ok: false,
        problem: 'A repair is a change like [change list.js:3:5 < to <=] that fits the file, or the file in a block of code.',
      };
  }
  const solved = [...progress.solved, passes(files, result.tests, [], task.fuel)];
  const over = solved.length === solvers.length;
  const count = solved.filter(Boolean).length;
  const messages = over ? [{ to: ['injector', ...solvers], text: `${count} of ${solvers.length} repaired it.` }] : [];
  const rewards = over
    ? { injector: injectorReward(count, solvers.length), ...Object.fromEntries(solvers.map((solver, i) => [solver, solved[i] ? 1 : -1])) }
    : undefined;
  return { ok: true, move: { progress: { ...progress, solved, over }, messages, ...(rewards === undefined ? {} : { rewards }) } };
}

function briefOf(task: Task, result: Made, files: Files): string {
  const problem = result.problem === '' ? '' : `Problem: ${result.problem}\n`;
  const broken = Object.keys(result.tests).length === 0 ? '' : `\n--- tests\n${reportText(runTests(files, result.tests, task.fuel))}`;
  const speed = task.mode === 'optimise' ? `\nThe benchmark takes ${result.fuel[0]} steps:\n${result.benchmark}` : '';
  return `${problem}${filesText({ ...files, ...result.tests })}${broken}${speed}`;
}

function rules({ mode, turns }: Task): string {
  const moves =
    '[change FILE:LINE:N OLD to NEW] changes the Nth token of a line, and a block of code between lines of three backquotes whose first line names a file writes it anew; tests are not written.';
  if (mode === 'self-play')
    return `An injector breaks a program by one token so that a test fails; solvers then repair it with one move each. ${moves} The injector's moves are like [inject FILE:LINE:N OLD to NEW]; it is paid most when few and not none repair it.`;
  const goal =
    mode === 'optimise' ? 'Make the program faster, its tests passing as before' : 'Repair the program so that all its tests pass';
  return `${goal}, ${turns} moves at most. ${moves} [test] runs the tests, [submit] ends the work. Make exactly one move.`;
}
