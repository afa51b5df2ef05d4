/**
 * @file Chooses episodes worth playing: a pool of seeds, selected by their results so far. Uniform is the control, and uses a fresh seed
 * each time.
 */

import { Fault, type Json, type JsonObject, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { Curriculum } from '../rl/recipe.ts';
import type { EpisodeSample } from '../rl/samples.ts';
import { learnable, levelWeights, type TaskLevel, unsolvedTasks } from './task-choice.ts';
import type { TaskTeacher } from './teachers/task-teacher.ts';

/** Large enough for variety, and small enough for each to recur. */
const pool = 256;
/** The number of remembered outcomes per task. */
const remembered = 40;

type TaskHistory = {
  readonly plays: number;
  readonly wins: number;
  readonly last: number;
  readonly mean: number;
  readonly surprise: number | null;
  readonly outcomes: readonly number[];
  /** Turns of its longest success, if lengths are known. */
  readonly turns?: number;
};

const fresh: TaskHistory = { plays: 0, wins: 0, last: 0, mean: 0, surprise: null, outcomes: [] };

export interface DrawnTask {
  readonly seed: Seed;
  /** Its number in the pool; absent for fresh seeds. */
  readonly task?: number;
  /** The environment's task, if a teacher chooses it. */
  readonly given?: Json;
}

/** A teacher and the tasks it chooses from. */
export interface TaughtTasks {
  readonly tasks: readonly Json[];
  readonly teacher: Pick<TaskTeacher, 'next' | 'learn' | 'write' | 'read'>;
}

export class Tasks {
  readonly #curriculum: Curriculum;
  readonly #seed: Seed;
  readonly #taught: TaughtTasks | null;
  #records: readonly TaskHistory[];
  /** The tasks admitted by a first pass; null before it is complete, and without one. */
  #admitted: readonly number[] | null = null;

  constructor(curriculum: Curriculum, seed: Seed, taught: TaughtTasks | null = null) {
    this.#taught = taught;
    this.#curriculum = curriculum;
    this.#seed = seed;
    this.#records = Array.from({ length: pool }, () => fresh);
  }

  /** Draws the given number of openings for an update. */
  draw(count: number, update: number, dice: Rng): readonly DrawnTask[] {
    const taught = this.#taught;
    if (taught !== null)
      return Array.from({ length: count }, () => {
        const task = taught.teacher.next(dice);
        return { seed: dice.int(2 ** 32), task, given: taught.tasks[task] };
      });
    const pick = this.#picker(update, dice);
    return Array.from({ length: count }, () => {
      if (pick === null) return { seed: dice.int(2 ** 32) };
      const task = pick();
      return { seed: rng(this.#seed, 'pool', task).int(2 ** 32), task };
    });
  }

  /** The number of pool tasks that are no longer played, because they are solved. */
  get pruned(): number {
    if (this.#curriculum.kind !== 'unsolved') return 0;
    const open = unsolvedTasks(this.#records, this.#curriculum.share).length;
    return open === 0 ? 0 : this.#records.length - open;
  }

  /** The number of tasks rejected by a first pass. */
  get rejected(): number {
    return this.#curriculum.kind === 'first-pass' && this.#admitted !== null ? this.#curriculum.tasks - this.#admitted.length : 0;
  }

  /** The share of won episodes among a task's remembered ones; null if it was never played. */
  successOf(task: number | undefined): number | null {
    const { outcomes } = task === undefined ? fresh : this.#records[task];
    return outcomes.length === 0 ? null : outcomes.reduce((sum, value) => sum + value, 0) / outcomes.length;
  }

  /** Turns of the longest success at a task; null if it was never won. */
  longestSuccess(task: number | undefined): number | null {
    return (task === undefined ? fresh : this.#records[task]).turns ?? null;
  }

  /** Whether the first pass is still in progress, without training. */
  get passing(): boolean {
    return this.#curriculum.kind === 'first-pass' && this.#admitted === null;
  }

  /** The result of a first pass as a sentence; null if none is complete. */
  get passed(): string | null {
    if (this.#curriculum.kind !== 'first-pass' || this.#admitted === null) return null;
    return `First pass: ${this.#admitted.length} of ${this.#curriculum.tasks} tasks are trained on.`;
  }

  /** Records results: won means a return above 0. */
  learn(episodes: readonly EpisodeSample[], update: number): void {
    if (this.#taught !== null) {
      const groups = Map.groupBy(episodes, ({ prompt }) => prompt);
      // A group is one outcome: its share of episodes with a return above 0.
      for (const [prompt, episodeSamples] of groups)
        this.#taught.teacher.learn(
          episodeSamples[0].task!,
          meanOrZero(episodeSamples.map(({ returned }) => (returned > 0 ? 1 : 0))),
          rng(this.#seed, 'taught', update, prompt),
        );
      return;
    }
    const records = [...this.#records];
    for (const { task, returned, length } of episodes) {
      if (task === undefined) continue;
      const { plays, wins, mean, outcomes, turns } = records[task];
      const won = returned > 0 ? 1 : 0;
      const longest = won === 1 && length !== undefined ? Math.max(turns ?? 0, length) : turns;
      records[task] = {
        plays: plays + 1,
        wins: wins + won,
        last: update,
        mean: mean + (returned - mean) / (plays + 1),
        surprise: Math.abs(returned - mean),
        outcomes: [...outcomes, won].slice(-remembered),
        ...(longest !== undefined && { turns: longest }),
      };
    }
    this.#records = records;
    if (this.passing) this.#admit();
  }

  write(): JsonObject {
    if (this.#taught !== null) return { records: [], teacher: this.#taught.teacher.write() };
    return {
      records: this.#records.some(({ plays }) => plays > 0) ? this.#records : [],
      ...(this.#admitted !== null && { admitted: this.#admitted }),
    };
  }

  read(from: JsonObject): void {
    if (this.#taught !== null) this.#taught.teacher.read(from['teacher'] as JsonObject);
    const records = from['records'] as readonly TaskHistory[];
    this.#records = records.length === 0 ? Array.from({ length: pool }, () => fresh) : records;
    this.#admitted = (from['admitted'] as readonly number[] | undefined) ?? null;
  }

  /** Once every task was tried often enough, admits those that are neither hopeless nor solved. */
  #admit(): void {
    if (this.#curriculum.kind !== 'first-pass') return;
    const { tasks, tries, above, below } = this.#curriculum;
    const tried = this.#records.slice(0, tasks);
    if (tried.some(({ plays }) => plays < tries)) return;
    const admitted = tried.flatMap(({ plays, wins }, i) => (wins / plays > above && wins / plays < below ? [i] : []));
    if (admitted.length === 0)
      throw new Fault(
        'input',
        `None of the ${tasks} tasks of the first pass was won in more than ${above} and less than ${below} of its episodes, so there is nothing to train on. Change curriculum.above and curriculum.below, or start with imitation (training.warmUp).`,
      );
    this.#admitted = admitted;
  }

  #picker(update: number, dice: Rng): (() => number) | null {
    const { kind } = this.#curriculum;
    if (kind === 'learnable') return () => learnable(this.#records, dice);
    if (kind === 'first-pass') {
      const admitted = this.#admitted;
      if (admitted !== null) return () => dice.pick(admitted);
      // Least tried tasks first, in order.
      const order = this.#records
        .slice(0, this.#curriculum.tasks)
        .map(({ plays }, task) => ({ plays, task }))
        .toSorted((a, b) => a.plays - b.plays || a.task - b.task);
      let next = 0;
      return () => order[next++ % order.length].task;
    }
    if (kind === 'unsolved') {
      const open = unsolvedTasks(this.#records, this.#curriculum.share);
      // If all are solved, none is left out.
      const left = open.length === 0 ? this.#records.map((_, i) => i) : open;
      return () => dice.pick(left);
    }
    if (kind === 'replayed-levels') {
      const shares = levelWeights(this.#records as readonly TaskLevel[], { update, beta: this.#curriculum.temperature });
      const met = shares.some((share) => share > 0);
      // A new task half of the time, as long as there are any.
      const unmet = this.#records.flatMap(({ plays }, i) => (plays === 0 ? [i] : []));
      return () => (unmet.length > 0 && (!met || dice.next() < 0.5) ? dice.pick(unmet) : dice.weighted(shares));
    }
    return null;
  }
}
