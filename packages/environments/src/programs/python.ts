/**
 * @file Repair in Python. Rules are pure and cannot start an interpreter, so a second seat runs the tests. Its report is an action in the
 * log, so an episode replays on machines without Python.
 */

import type { Action, Ask, Json, JsonObject, ParsedMove, Rng, Script } from '@ludus-agents/kernel/internal/core/index';
import { Fault, parseBracketed } from '@ludus-agents/kernel/internal/core/index';
import { type Advance, fencedCode, firstText } from '../exercise.ts';
import type { ScriptTest } from '../interpreter/interpreter.ts';
import { type Files, filesText, reportText, repositoryParts } from './judging.ts';
import { pythonRepositories } from './python-repositories.ts';

export const pythonSeats = ['fixer', 'tester'] as const;
const fixer = ['fixer'] as const;

export interface PythonTask {
  readonly files: Files;
  readonly tests: Files;
  readonly problem: string;
  /** The tests that decide the outcome. If empty, all tests do. */
  readonly named: readonly string[];
}

export type PythonProgress = {
  readonly files: Files;
  readonly used: number;
  readonly last: string;
  readonly over: boolean;
  /** Why the tester is asked: for the brief, for a look, or to end the work. Empty on the fixer's turn. */
  readonly asked: '' | 'brief' | 'test' | 'submit';
};

/** Returns a user-supplied repository, or a built-in one with a bug. */
export function makePython(repository: Json, rng: Rng): PythonTask {
  if (repository !== null) return repositoryParts(repository);
  const { files, tests, bugs } = rng.pick(pythonRepositories);
  const [from, to] = rng.pick(bugs);
  return {
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(from, () => to)])),
    tests,
    problem: '',
    named: [],
  };
}

function pythonRules(turns: number): string {
  return `Repair the program in Python so that all its tests pass, ${turns} moves at most. A block of code between lines of three backquotes whose first line names a file writes it anew; tests are not written. [test] runs the tests, [submit] ends the work. Make exactly one move.`;
}

export function askPython(pythonTask: PythonTask, { files, over, asked }: PythonProgress): Ask | null {
  if (over) return null;
  // The files to run are for a program; a person or a model on this seat would only guess.
  if (asked !== '') return { seat: 'tester', data: { files: { ...files, ...pythonTask.tests }, tests: Object.keys(pythonTask.tests) } };
  return { seat: 'fixer', choices: ['[test]', '[submit]', ...changesIn(files).map((text) => `\`\`\`${text}\n\`\`\``)] };
}

/** Returns some one-character changes as rewritten files: moves for a player that doesn't read. */
function changesIn(files: Files): readonly string[] {
  const swaps: readonly (readonly [RegExp, string])[] = [
    [/ <= /g, ' < '],
    [/ < /g, ' <= '],
    [/ > /g, ' >= '],
    [/ == /g, ' != '],
    [/ \+ /g, ' - '],
    [/ - /g, ' + '],
  ];
  return Object.entries(files).flatMap(([path, text]) =>
    swaps.flatMap(([sign, other]) =>
      [...text.matchAll(sign)].map(({ index, 0: match }) =>
        `${path}\n${text.slice(0, index)}${other}${text.slice(index + match.length)}`.trimEnd(),
      ),
    ),
  );
}

export function actPython(
  turns: number,
  pythonTask: PythonTask,
  progress: PythonProgress,
  action: Action,
): ParsedMove<Advance<PythonProgress>> {
  if (progress.asked !== '') return readReport(turns, pythonTask, progress, action);
  const block = fencedCode(action.text);
  if (block !== null) {
    if (Object.hasOwn(pythonTask.tests, block.head)) return { ok: false, problem: 'Tests are not written.' };
    if (!Object.hasOwn(progress.files, block.head) || block.code.length > 50_000)
      return { ok: false, problem: `The first line of a block names the file that it is: ${Object.keys(progress.files).join(', ')}.` };
    return advance(turns, { ...progress, files: { ...progress.files, [block.head]: `${block.code}\n` } }, 'The file is written.');
  }
  const read = parseBracketed(action);
  if (!read.ok) return read;
  if (read.move !== 'test' && read.move !== 'submit')
    return { ok: false, problem: 'A move is [test], [submit], or a file in a block of code.' };
  return { ok: true, move: { progress: { ...progress, asked: read.move, used: progress.used + 1 }, messages: [] } };
}

/** Applies a move that runs nothing. After the last move, the tests run. */
function advance(turns: number, progress: PythonProgress, last: string): ParsedMove<Advance<PythonProgress>> {
  const used = progress.used + 1;
  const isLast = used >= turns;
  return {
    ok: true,
    move: {
      progress: { ...progress, used, last, asked: isLast ? 'submit' : '' },
      messages: [{ to: fixer, text: isLast ? `${last}\nNo move is left.` : last }],
    },
  };
}

function readReport(
  turns: number,
  pythonTask: PythonTask,
  progress: PythonProgress,
  { data }: Action,
): ParsedMove<Advance<PythonProgress>> {
  const report = testsIn(data);
  if (report === null) return { ok: false, problem: 'A report is data like {"tests": [{"name": "…", "ok": true, "why": ""}]}.' };
  const text = reportText(report);
  if (progress.asked === 'brief') {
    const problem = pythonTask.problem === '' ? '' : `Problem: ${pythonTask.problem}\n`;
    const brief = `${pythonRules(turns)}\n${problem}${filesText({ ...progress.files, ...pythonTask.tests })}\n--- tests\n${text}`;
    return { ok: true, move: { progress: { ...progress, asked: '', last: brief }, messages: [{ to: fixer, text: brief }] } };
  }
  if (progress.asked === 'test' && progress.used < turns)
    return { ok: true, move: { progress: { ...progress, asked: '', last: text }, messages: [{ to: fixer, text }] } };
  const reward = decides(report, pythonTask.named) ? 1 : 0;
  return {
    ok: true,
    move: { progress: { ...progress, last: text, over: true }, messages: [{ to: fixer, text }], rewards: { fixer: reward } },
  };
}

/** Returns whether the named tests pass. Names are matched by suffix, because pytest and unittest use different prefixes. */
export function decides(report: readonly ScriptTest[], named: readonly string[]): boolean {
  const end = (name: string) => name.split(/::|\./).at(-1);
  if (named.length === 0) return report.length > 0 && report.every(({ ok }) => ok);
  return named.every(
    (name) =>
      report.some((scriptTest) => end(scriptTest.name) === end(name)) &&
      report.every((scriptTest) => end(scriptTest.name) !== end(name) || scriptTest.ok),
  );
}

function testsIn(data: Json | undefined): readonly ScriptTest[] | null {
  const tests = (data as JsonObject | undefined)?.['tests'];
  const isTest = (item: Json) => {
    const { name, ok, why } = (item ?? {}) as JsonObject;
    return typeof name === 'string' && typeof ok === 'boolean' && typeof why === 'string';
  };
  return Array.isArray(tests) && tests.every(isTest) ? (tests as readonly ScriptTest[]) : null;
}

/** Knows the original programs, and writes back the file that differs. */
export const pythonFixer: Script = ({ view }) => {
  const brief = firstText(view, /^--- /m);
  const isDone = view.seen.some((item) => item.kind === 'action');
  if (isDone) return { text: '[submit]' };
  for (const { files } of pythonRepositories)
    for (const [path, text] of Object.entries(files))
      if (brief.includes(`--- ${path}\n`) && !brief.includes(filesText({ [path]: text })))
        return { text: `\`\`\`${path}\n${text.trimEnd()}\n\`\`\`` };
  throw new Fault('input', 'This script only knows the built-in programs.');
};
