/** @file Checks whether a proposed task is sound: the environment's own reader accepts it, it is not a repetition, and it passes the checks. */

import { type AnyEnvironment, canonical, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { firstProblem, type TaskCheck } from './checks.ts';

/** A task that passed, or the reason and the check that refused it. */
export type Inspection =
  | { readonly ok: true; readonly task: Json }
  | { readonly ok: false; readonly problem: string; readonly check: string };

export interface InspectorParts {
  readonly environment: Pick<AnyEnvironment, 'task'>;
  readonly checks?: readonly TaskCheck[];
  /** The number of latest proposals to remember. */
  readonly memory?: number;
  /** Earlier proposals, the latest last. */
  readonly known?: readonly Json[];
  /** Whether to refuse a task that was proposed before. */
  readonly fresh?: boolean;
}

/** Checks a proposed task: it can be read, is new, and passes the checks. */
export class TaskChecker {
  readonly #parts: InspectorParts;
  #known: { readonly text: string; readonly marks: ReadonlySet<string> }[] = [];

  constructor(parts: InspectorParts) {
    this.#parts = parts;
    this.#known = (parts.known ?? []).map((task) => ({ text: canonical(task), marks: marksOf(task) }));
  }

  /** Parses a task, compares it with the latest ones, and checks it; remembers every task that could be parsed. */
  async inspect(input: Json): Promise<Inspection & { readonly diversity: number; readonly likeness: number }> {
    const read = readBy(this.#parts.environment, input);
    if (!read.ok) return { ...read, diversity: 0, likeness: 0 };
    const [text, marks] = [canonical(read.task), marksOf(read.task)];
    const alike = this.#known.map((item) => likenessOf(item.marks, marks));
    const share = (wanted: (likeness: number) => boolean) => (alike.length === 0 ? 0 : alike.filter(wanted).length / alike.length);
    const compared = { diversity: alike.length === 0 ? 1 : share((value) => value <= 0.8), likeness: share((value) => value > 0.8) };
    const repeated = this.#known.some((item) => item.text === text);
    this.#known = [...this.#known, { text, marks }].slice(-(this.#parts.memory ?? 100));
    if (repeated && this.#parts.fresh !== false)
      return { ok: false, problem: 'This task was proposed before.', check: 'repetition', ...compared };
    const failed = await firstProblem(this.#parts.checks ?? [], read.task);
    return failed === null ? { ok: true, task: read.task, ...compared } : { ok: false, ...failed, ...compared };
  }
}

function readBy(environment: Pick<AnyEnvironment, 'task'>, input: Json): Inspection {
  try {
    return { ok: true, task: environment.task(input) as Json };
  } catch (thrown) {
    return { ok: false, problem: sentenceOf(thrown), check: 'schema' };
  }
}

/** The components of a task: each parameter with its value, and texts word by word. */
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
