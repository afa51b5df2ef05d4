/**
 * @file Chooses the next task: a teacher weights the tasks by their results, and a fixed share is uniform.
 *
 * Without structure among tasks no teacher wins, and with pure-noise tasks most of them lose: so the noise guard is on, outcomes that are
 * not `ok` are ignored, and uniform is a teacher like any other, for comparison.
 */

import { Fault, type Json, type JsonObject, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { isNoise } from '../task-choice.ts';

/** The results of a task so far. */
export type TaskHistory = {
  /** The latest outcomes, in order, limited to the window of the noise guard. */
  readonly outcomes: readonly number[];
  readonly visits: number;
  /** A moving mean of the outcomes. */
  readonly value: number;
  /** The distance of the latest outcome from that mean; null before the first. */
  readonly surprise: number | null;
  /** A moving mean of the change between consecutive outcomes. */
  readonly change: number;
  /** When it was last given, as a count of tasks. */
  readonly last: number;
  /** Whether it appears to be pure noise. */
  readonly noise: boolean;
};

/** Computes a weight for each task from its results. All zeros mean no preference. */
export interface Teacher {
  readonly name: string;
  weights(tasks: readonly TaskHistory[], now: number): readonly number[];
  /** Receives every outcome, if the teacher has its own state. */
  hear?(task: number, outcome: number, dice: Rng): void;
  write?(): Json;
  read?(from: Json): void;
}

export interface SyllabusOptions {
  /** The share of tasks that is drawn uniformly. */
  readonly uniform?: number;
  /** Whether tasks that appear to be pure noise get a twentieth of their weight. */
  readonly guard?: boolean;
}

const untried: TaskHistory = { outcomes: [], visits: 0, value: 0.5, surprise: null, change: 0, last: 0, noise: false };
const remembered = 40;
const rate = 0.2;
const noisy = 0.05;

/** Draws the next task by the weights of a teacher. */
export class TaskTeacher {
  readonly teacher: Teacher;
  readonly #uniform: number;
  readonly #guard: boolean;
  #tasks: TaskHistory[];
  #now = 0;

  constructor(count: number, teacher: Teacher, { uniform = 0.2, guard = true }: SyllabusOptions = {}) {
    if (!(count >= 1)) throw new Fault('input', `A syllabus needs at least one task, but got ${count}.`);
    this.teacher = teacher;
    this.#uniform = uniform;
    this.#guard = guard;
    this.#tasks = Array.from({ length: count }, () => untried);
  }

  get tasks(): readonly TaskHistory[] {
    return this.#tasks;
  }

  /** The probability of each task to be next. */
  chances(): readonly number[] {
    const wanted = this.teacher
      .weights(this.#tasks, this.#now)
      .map((weight, i) => (this.#guard && this.#tasks[i].noise ? weight * noisy : weight));
    const total = wanted.reduce((sum, weight) => sum + weight, 0);
    const even = 1 / this.#tasks.length;
    return wanted.map((weight) => (total > 0 ? (1 - this.#uniform) * (weight / total) + this.#uniform * even : even));
  }

  next(dice: Rng): number {
    return dice.weighted(this.chances());
  }

  /** Records the outcome of a task, from 0 to 1: ideally the mean of four or more episodes. Null (unknown) is ignored. */
  learn(task: number, outcome: number | null, dice: Rng): void {
    const before = this.#tasks[task];
    if (before === undefined) throw new Fault('input', `This syllabus has tasks 0 to ${this.#tasks.length - 1}, but got task ${task}.`);
    this.#now++;
    if (outcome === null) return;
    const first = before.visits === 0;
    const moved = Math.abs(outcome - (before.outcomes.at(-1) ?? outcome));
    const outcomes = [...before.outcomes, outcome].slice(-remembered);
    this.#tasks[task] = {
      outcomes,
      visits: before.visits + 1,
      value: first ? outcome : before.value + rate * (outcome - before.value),
      surprise: Math.abs(outcome - (first ? 0 : before.value)),
      change: before.change + rate * (moved - before.change),
      last: this.#now,
      noise: isNoise(outcomes),
    };
    this.teacher.hear?.(task, outcome, dice);
  }

  write(): JsonObject {
    return { now: this.#now, tasks: this.#tasks, teacher: this.teacher.write?.() ?? null };
  }

  read(from: JsonObject): void {
    this.#now = from['now'] as number;
    this.#tasks = [...(from['tasks'] as readonly TaskHistory[])];
    this.teacher.read?.(from['teacher'] as Json);
  }
}
