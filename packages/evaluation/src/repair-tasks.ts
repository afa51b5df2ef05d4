/**
 * @file Repair tasks in the public format of SWE-style benchmarks, as tasks of `programs`: one JSON object a line, and for each a folder with the
 * repository before the repair. Instances that do not fit are left out, with the reason.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { usualPython } from '@ludus-agents/agents/internal/sandbox/backends';
import { openSandbox } from '@ludus-agents/agents/internal/sandbox/sandbox';
import { passes, readRepository, repositoryParts } from '@ludus-agents/environments/internal/programs/judging';
import { decides } from '@ludus-agents/environments/internal/programs/python';
import { Fault, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { withSlashes } from '@ludus-agents/store/internal/files/portable-path';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { applyDiff, pathsOfDiff, type Texts } from '@ludus-agents/store/internal/files/unified-diff';

export interface RepairTasks {
  readonly tasks: readonly { readonly id: string; readonly task: JsonObject; readonly proved: boolean }[];
  readonly down: readonly { readonly id: string; readonly why: string }[];
}

const fuel = 1_000_000;
const isTest = (path: string) =>
  linear(/(?:^|\/)(?:tests?|__tests__)\/|\.(?:test|spec)\.[jt]s$|(?:^|\/)test_[^/]*\.py$|_test\.py$/).test(path);

/** Test frameworks whose `test` and `expect` can be replaced by ours. */
const frameworks = /from\s+['"](?:vitest|node:test|@jest\/globals|bun:test)['"]/g;

/** Reads the lines of a file, and next to the file the folder of each instance, named by its `instance_id`. */
export async function readRepairTasks(file: string, folder: string): Promise<RepairTasks> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  const tasks: RepairTasks['tasks'][number][] = [];
  const down: RepairTasks['down'][number][] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    let id = `line ${i + 1}`;
    try {
      const instance = jsonFrom(line, id);
      if (!isObject(instance) || typeof instance['instance_id'] !== 'string' || !/^[\w.-]{1,120}$/.test(instance['instance_id']))
        throw new Fault('input', 'It must be an object with an "instance_id" of letters, digits, dots and dashes.');
      id = instance['instance_id'];
      tasks.push({ id, ...(await taskOf(instance, join(folder, id))) });
    } catch (thrown) {
      down.push({ id, why: sentenceOf(thrown) });
    }
  }
  return { tasks, down };
}

async function taskOf(instance: JsonObject, checkout: string): Promise<{ readonly task: JsonObject; readonly proved: boolean }> {
  const patchOf = (name: string) => (typeof instance[name] === 'string' ? (instance[name] as string) : '');
  const [patch, testPatch] = [patchOf('patch'), patchOf('test_patch')];
  const isPython = pathsOfDiff(patch).some((path) => path.endsWith('.py'));
  const patched = applyDiff(textsBelow(checkout, isPython ? /\.py$/ : /\.[jt]s$/), testPatch);
  const input = new Set(pathsOfDiff(testPatch));
  const part = (wanted: boolean): Texts =>
    Object.fromEntries(Object.entries(patched).filter(([path]) => (input.has(path) || isTest(path)) === wanted));
  const files = part(false);
  const tests = Object.fromEntries(Object.entries(part(true)).map(([path, code]) => [path, code.replaceAll(frameworks, "from 'test'")]));
  const named = ['problem_statement', 'FAIL_TO_PASS', 'PASS_TO_PASS'].flatMap((name) =>
    instance[name] === undefined ? [] : [[name, instance[name] as Json]],
  );
  const repository: JsonObject = { files, tests, ...Object.fromEntries(named) };
  if (isPython) return pythonTask(repository, applyDiff(files, patch));
  const read = readRepository(repository, fuel);
  if (patch !== '' && !passes(applyDiff(files, patch), read.tests, read.named, fuel))
    throw new Fault('input', 'Its own patch does not make the tests pass here, so it may not be solvable.');
  return { task: { repository, fuel }, proved: patch !== '' };
}

/** A Python task, verified with the installed interpreter: its tests fail without the instance's patch and pass with it. */
async function pythonTask(repository: JsonObject, mended: Texts): Promise<{ readonly task: JsonObject; readonly proved: boolean }> {
  const { files, tests, named } = repositoryParts(repository);
  if (await passesPython({ files, tests, named })) throw new Fault('input', 'Its tests already pass, so there is nothing to repair.');
  if (!(await passesPython({ files: mended, tests, named })))
    throw new Fault('input', 'Its own patch does not make the tests pass here, so it may not be solvable.');
  return { task: { mode: 'python', repository }, proved: true };
}

async function passesPython({ files, tests, named }: { readonly files: Texts; readonly tests: Texts; readonly named: readonly string[] }) {
  const box = await openSandbox({ backend: await usualPython(), files: { ...files, ...tests }, limits: { milliseconds: 30_000 } });
  try {
    const reports = await Promise.all(Object.keys(tests).map((path) => box.test(path)));
    return decides(
      reports.flatMap((report) => report.tests),
      named,
    );
  } finally {
    box.close();
  }
}

/** Sources below a folder, by path. */
function textsBelow(folder: string, wantedNames: RegExp): Texts {
  if (!existsSync(folder)) throw new Fault('input', `Its repository folder ${folder} does not exist.`);
  const paths = (readdirSync(folder, { recursive: true }) as string[]).sort();
  const wanted = paths.filter((path) => wantedNames.test(path) && !/(?:^|[/\\])(?:node_modules|\.[^/\\]+)[/\\]/.test(path));
  const isFile = (path: string) => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true;
  return Object.fromEntries(wanted.filter(isFile).map((path) => [withSlashes(path), readFileSync(join(folder, path), 'utf8')]));
}
