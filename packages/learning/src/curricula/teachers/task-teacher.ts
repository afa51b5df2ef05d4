/**
 * @file Chooses which task comes next: a teacher weighs the tasks by how they went, and a fixed share stays uniform.
 *
 * Where tasks have no structure no teacher wins, and where some are mere noise most of them lose: so the noise guard is on, outcomes that
 * are not `ok` teach nothing, and uniform is a teacher like any other, to compare with.
 */

import { Fault, type Json, type JsonObject, type Rng } from '@ludus-agents/kernel/internal/core/index';
import { isNoise } from '../task-choice.ts';

/** How a task has gone so far. */
export type TaskHistory = {
  /** The latest outcomes, in order, at most as many as the noise guard looks at. */
  readonly outcomes: readonly number[];
  readonly visits: number;
  /** A moving mean of the outcomes. */
  readonly value: number;
  /** How far the latest outcome was from that mean; null before the first. */
  readonly surprise: number | null;
  /** A moving mean of how much one outcome differed from the one before. */
  readonly change: number;
  /** When it was last given, counted in tasks. */
  readonly last: number;
  /** Does it look like mere noise? */
  readonly noise: boolean;
};

/** Computes a weight for each task from its results. All zeros mean no preference. */
export interface Teacher {
  readonly name: string;
  weights(tasks: readonly TaskHistory[], now: number): readonly number[];
  /** Receives every outcome, where it keeps something of its own. */
  hear?(task: number, outcome: number, dice: Rng): void;
  write?(): Json;
  read?(from: Json): void;
}

export interface SyllabusOptions {
  /** The share of tasks that is drawn uniformly. */
  readonly uniform?: number;
  /** Give tasks that look like mere noise a twentieth of their weight. */
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

  /** How likely each task is to come next. */
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

  /** Records how a task went, from 0 to 1: best the mean of four episodes or more. Null (unknown) teaches nothing. */
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
