/** @file Shows, tests, and rewards programs: the text of a repository, the report of its tests, and the rewards of self-play. */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { runScript, runScriptTests, type ScriptTest } from '../interpreter/interpreter.ts';

export type Files = Readonly<Record<string, string>>;

/** Formats the files with line numbers. Scripts parse this text. */
export function filesText(files: Files): string {
  return Object.entries(files)
    .map(
      ([path, text]) =>
        `--- ${path}\n${text
          .trimEnd()
          .split('\n')
          .map((line, i) => `${i + 1}| ${line}`)
          .join('\n')}`,
    )
    .join('\n');
}

/** Parses the shown text into files. */
export function readFiles(text: string): Files {
  const files: Record<string, string> = {};
  for (const part of text.split(/^--- /m).slice(1)) {
    const [path, ...lines] = part.split('\n') as [string, ...string[]];
    const code = lines.filter((line) => /^\d+\| /.test(line) || /^\d+\|$/.test(line)).map((line) => line.replace(/^\d+\| ?/, ''));
    files[path.trim()] = `${code.join('\n')}\n`;
  }
  return files;
}

/** Default step limit of a test run. It detects infinite loops quickly. */
export const usualFuel = 10_000;

/** Runs the repository's original tests, even if the player wrote to the test files. */
export function runTests(files: Files, tests: Files, fuel = usualFuel): readonly ScriptTest[] {
  const key = JSON.stringify([files, tests, fuel]);
  const before = reports.get(key);
  if (before !== undefined) return before;
  const outcome = runScriptTests({ ...files, ...tests }, Object.keys(tests), { fuel, printed: 4000 });
  const report = outcome.tests.length > 0 ? outcome.tests : [{ name: 'loading', ok: false, why: outcome.problem }];
  if (reports.size > 5000) reports.clear();
  reports.set(key, report);
  return report;
}

/** Cached test reports, because the same programs occur repeatedly. */
const reports = new Map<string, readonly ScriptTest[]>();

export function passes(files: Files, tests: Files, named: readonly string[] = [], fuel = usualFuel): boolean {
  const report = runTests(files, tests, fuel);
  if (named.length === 0) return report.every(({ ok }) => ok);
  return named.every((name) => report.some((scriptTest) => scriptTest.name === name && scriptTest.ok));
}

export function reportText(report: readonly ScriptTest[]): string {
  return report.map(({ name, ok, why }) => (ok ? `pass ${name}` : `FAIL ${name}: ${why.slice(0, 160)}`)).join('\n');
}

/** Returns the number of steps that a benchmark takes, or null if it fails. */
export function fuelOf(files: Files, benchmark: string): number | null {
  const key = JSON.stringify([files, benchmark]);
  const before = speeds.get(key);
  if (before !== undefined) return before;
  const { ok, fuel } = runScript({ ...files, 'benchmark.js': benchmark }, 'benchmark.js');
  if (speeds.size > 500) speeds.clear();
  speeds.set(key, ok ? fuel : null);
  return ok ? fuel : null;
}

const speeds = new Map<string, number | null>();

const alpha = 0.8;

/**
 * Returns the injector's reward. It is highest for a bug that few solvers, but at least one, can repair. A bug that all or none repair
 * costs reward.
 */
export function injectorReward(solved: number, solvers: number): number {
  const share = solved / solvers;
  return share === 0 || share === 1 ? -alpha : 1 - (1 + alpha) * share;
}

/** A user's repository, with the field names of public repair tasks where possible. */
export type OwnRepository = { readonly files: Files; readonly tests: Files; readonly problem: string; readonly named: readonly string[] };

/** Returns the parts of a repository as supplied, without running its tests. */
export function repositoryParts(input: Json): OwnRepository {
  const jsonObject = (typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}) as JsonObject;
  const files = textsIn(jsonObject['files'], 'files');
  const tests = textsIn(jsonObject['tests'], 'tests');
  const shared = Object.keys(files).find((path) => Object.hasOwn(tests, path));
  if (shared !== undefined)
    throw new Fault('input', `programs: "${shared}" is listed both as a file and as a test of the repository. List it once.`);
  const named = [...namesIn(jsonObject['FAIL_TO_PASS']), ...namesIn(jsonObject['PASS_TO_PASS'])];
  const problem = typeof jsonObject['problem_statement'] === 'string' ? jsonObject['problem_statement'].slice(0, 20_000) : '';
  return { files, tests, problem, named };
}

export function readRepository(input: Json, fuel: number): OwnRepository {
  const { files, tests, problem, named } = repositoryParts(input);
  const report = runTests(files, tests, fuel);
  const missing = named.find((name) => !report.some((test) => test.name === name));
  if (missing !== undefined && !report.some(({ name }) => name === 'loading'))
    throw new Fault(
      'input',
      `programs: the tests of the repository have no "${missing}". Available: ${report
        .map(({ name }) => name)
        .join(', ')
        .slice(0, 300)}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  if (passes(files, tests, named))
    throw new Fault('input', 'programs: the repository passes its tests as it is, so there is nothing to repair.');
  return { files, tests, problem, named };
}

function textsIn(input: Json | undefined, what: string): Files {
  const entries = typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input as JsonObject) : [];
  const isFine =
    entries.length > 0 &&
    entries.every(([path, text]) => /^[\w./-]{1,60}$/.test(path) && typeof text === 'string' && text.length <= 50_000);
  if (!isFine)
    throw new Fault(
      'input',
      `programs: a repository needs "${what}", an object of texts by path such as {"add.js": "export function add …"}.`,
    );
  return Object.fromEntries(entries) as Files;
}

/** Lists of tests are lists in some files, and lists as JSON text in others. */
function namesIn(input: Json | undefined): readonly string[] {
  if (input === undefined || input === null) return [];
  let list: Json = input;
  try {
    if (typeof input === 'string') list = JSON.parse(input) as Json;
  } catch {
    list = null;
  }
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new Fault('input', 'programs: FAIL_TO_PASS and PASS_TO_PASS must be lists of test names, or such a list as JSON text.');
  return list as string[];
}
