/**
 * @file Checks whether a proposed task is sound: the environment's own reader accepts it, it is no repetition, and it can be solved. A
 * check that fails counts against the task, so no proposal passes because its check broke.
 */

import { type AnyEnvironment, canonical, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** Whether the task can be solved at all: by a solver that knows the answer, or by playing the proposer's own solution. */
export type Solvable = (task: Json) => boolean | Promise<boolean>;

export type Inspection = { readonly ok: true; readonly task: Json } | { readonly ok: false; readonly problem: string };

export interface InspectorParts {
  readonly environment: Pick<AnyEnvironment, 'task'>;
  readonly solvable?: Solvable | undefined;
  /** How many of the latest proposals are remembered. */
  readonly memory?: number;
  /** Tasks that were proposed before, the latest last. */
  readonly known?: readonly Json[];
  /** Refuse a task that was proposed before. */
  readonly fresh?: boolean;
}

/** Checks a proposed task: it can be read, is new, and can be solved. */
export class TaskChecker {
  readonly #parts: InspectorParts;
  #known: { readonly text: string; readonly marks: ReadonlySet<string> }[] = [];

  constructor(parts: InspectorParts) {
    this.#parts = parts;
    this.#known = (parts.known ?? []).map((task) => ({ text: canonical(task), marks: marksOf(task) }));
  }

  /** Reads a task, compares it with the latest ones, proves it solvable; what passes is remembered. */
  async inspect(input: Json): Promise<Inspection & { readonly diversity: number; readonly likeness: number }> {
    const read = readBy(this.#parts.environment, input);
    if (!read.ok) return { ...read, diversity: 0, likeness: 0 };
    const [text, marks] = [canonical(read.task), marksOf(read.task)];
    const alike = this.#known.map((one) => likenessOf(one.marks, marks));
    const share = (wanted: (likeness: number) => boolean) => (alike.length === 0 ? 0 : alike.filter(wanted).length / alike.length);
    const compared = { diversity: alike.length === 0 ? 1 : share((one) => one <= 0.8), likeness: share((one) => one > 0.8) };
    const repeated = this.#known.some((one) => one.text === text);
    this.#known = [...this.#known, { text, marks }].slice(-(this.#parts.memory ?? 100));
    if (repeated && this.#parts.fresh !== false) return { ok: false, problem: 'This task was proposed before.', ...compared };
    return { ...(await proveTask(read.task, this.#parts.solvable)), ...compared };
  }
}

function readBy(environment: Pick<AnyEnvironment, 'task'>, input: Json): Inspection {
  try {
    return { ok: true, task: environment.task(input) as Json };
  } catch (thrown) {
    return { ok: false, problem: sentenceOf(thrown) };
  }
}

async function proveTask(task: Json, solvable: Solvable | undefined): Promise<Inspection> {
  if (solvable === undefined) return { ok: true, task };
  try {
    return (await solvable(task)) ? { ok: true, task } : { ok: false, problem: 'This task cannot be solved.' };
  } catch (thrown) {
    return { ok: false, problem: `Whether this task can be solved could not be found out: ${sentenceOf(thrown)}` };
  }
}

/** What a task consists of: each knob with its value, and texts word by word. */
export function marksOf(task: Json, path = ''): ReadonlySet<string> {
  if (typeof task === 'string')
    return new Set(
      task
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu)
        ?.map((word) => `${path}:${word}`) ?? [path],
    );
  if (task === null || typeof task !== 'object') return new Set([`${path}=${task}`]);
  const parts = Array.isArray(task)
    ? task.map((item) => marksOf(item as Json, path))
    : Object.entries(task as JsonObject).map(([name, value]) => marksOf(value, `${path}/${name}`));
  return new Set(parts.flatMap((marks) => [...marks]));
}

/** Jaccard's index. */
export function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const mark of a) if (b.has(mark)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}
