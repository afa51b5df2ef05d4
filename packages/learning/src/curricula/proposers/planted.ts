/**
 * @file Measures the reliability of task checks: plants bad tasks among good ones, and runs each check on all of them. Questions are
 * spoiled in known ways; other tasks are labeled by the environment's rules, or by the user.
 */

import { type AnyEnvironment, Fault, type Json, type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { safeProblem, type TaskCheck } from './checks.ts';
import { draftForm, sampleTasks } from './drafts.ts';
import { documentsOf, questionIn } from './question.ts';

/** A task with a known label; `flaw` describes its defect. */
export interface PlantedTask {
  readonly task: Json;
  readonly flaw: string | null;
}

/** A check's errors on planted tasks: bad tasks that passed, and good ones that were refused. */
export interface CheckFigures {
  readonly check: string;
  readonly good: number;
  readonly bad: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  /** Bad tasks that passed, by flaw. */
  readonly passed: Readonly<Record<string, number>>;
}

/** Good and bad tasks of an environment, as many as possible up to a count. */
export function plantTasks(
  environment: AnyEnvironment,
  { base = {}, count, seed }: { readonly base?: Json; readonly count: number; readonly seed: number },
): readonly PlantedTask[] {
  const tasks = rng(seed, 'planted').shuffle(sampleTasks(environment, draftForm(environment, { task: base }), 8 * count));
  if (tasks.some((task) => questionIn(task) !== null)) return plantQuestions(environment, tasks, { count, seed });
  const { winnable } = environment;
  if (winnable === undefined)
    throw new Fault(
      'input',
      `${environment.id} has neither questions nor "winnable", so bad tasks cannot be planted. Pass labeled tasks with --tasks.`,
    );
  const isGood = (task: Json) => winnable.call(environment, task);
  const good = tasks.filter(isGood).slice(0, count);
  const bad = tasks.filter((task) => !isGood(task)).slice(0, count);
  return [...good.map((task) => ({ task, flaw: null })), ...bad.map((task) => ({ task, flaw: 'cannot be solved' }))];
}

type Spoil = (task: JsonObject, other: JsonObject) => JsonObject | null;

/** Ways to spoil a good question with parts of another one; null if a way does not apply. */
const spoils: Readonly<Record<string, Spoil>> = {
  'wrong answer': (task, other) => (other['answer'] === task['answer'] ? null : { ...task, answer: other['answer'] }),
  'answer in the question': (task) => ({ ...task, question: `${task['question']} Is it ${task['answer']}?` }),
  'evidence of another question': (task, { evidence }) =>
    !Array.isArray(evidence) || evidence.includes((task['evidence'] as readonly string[]).at(-1)) ? null : { ...task, evidence },
  'program of another question': (task, other) =>
    typeof task['program'] !== 'string' || other['program'] === task['program'] ? null : { ...task, program: other['program'] },
  'program that fails': (task) =>
    typeof task['program'] === 'string' && task['program'] !== '' ? { ...task, program: `${task['program']} +` } : null,
};

function plantQuestions(
  environment: AnyEnvironment,
  tasks: readonly Json[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly PlantedTask[] {
  const dice = rng(seed, 'spoiled');
  // The truth of a question is determined independently of the checks: by its program if it has one, else by its drafted fact.
  const good = tasks.filter((task) => isTrue(environment, task as JsonObject)).slice(0, count);
  const bad: PlantedTask[] = tasks
    .filter((task) => !good.includes(task) && !isTrue(environment, task as JsonObject))
    .map((task) => ({ task, flaw: 'false claim' }));
  const names = Object.keys(spoils);
  for (let i = 0; bad.length < 2 * count && i < 8 * count && good.length > 1; i++) {
    const name = names[i % names.length];
    const spoiled = spoils[name](dice.pick(good) as JsonObject, dice.pick(good) as JsonObject);
    if (spoiled !== null) bad.push({ task: spoiled, flaw: name });
  }
  return [...good.map((task) => ({ task, flaw: null })), ...dice.shuffle(bad).slice(0, count)];
}

/** Sums are computed here; a drafted fact is true if its last page contains it. */
function isTrue(environment: AnyEnvironment, task: JsonObject): boolean {
  const written = questionIn(task);
  if (written === null) return false;
  const [, a, operator, b] = /^What is (-?\d+) ([-+*]) (-?\d+)\?$/.exec(written.question) ?? [];
  if (operator !== undefined) {
    const [x, y] = [Number(a), Number(b)];
    return written.answer === String(operator === '+' ? x + y : operator === '-' ? x - y : x * y);
  }
  const last = written.evidence.at(-1);
  return documentsOf(environment, task).some(({ id, text }) => id === last && text.includes(written.answer));
}

/** Runs every check on every planted task. */
export async function measureChecks(checks: readonly TaskCheck[], planted: readonly PlantedTask[]): Promise<readonly CheckFigures[]> {
  const figures: CheckFigures[] = [];
  for (const check of checks) {
    const passed: Record<string, number> = {};
    let [good, bad, falsePositives, falseNegatives] = [0, 0, 0, 0];
    for (const { task, flaw } of planted) {
      const isRefused = (await safeProblem(check, task)) !== null;
      if (flaw === null) {
        good++;
        if (isRefused) falseNegatives++;
        continue;
      }
      bad++;
      if (isRefused) continue;
      falsePositives++;
      passed[flaw] = (passed[flaw] ?? 0) + 1;
    }
    figures.push({ check: check.name, good, bad, falsePositives, falseNegatives, passed });
  }
  return figures;
}
