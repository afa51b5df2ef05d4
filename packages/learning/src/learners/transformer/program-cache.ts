/**
 * @file Compiled graphs by their shape. Each retains the memory of its largest run, so their number and their estimated memory are limited.
 */

import type { Graph } from './graph.ts';
import type { Program, Runtime } from './runtime.ts';

export interface CacheBounds {
  readonly programs: number;
  /** The maximum total of numbers held between runs. */
  readonly numbers: number;
}

/** A quarter of a billion numbers take one gigabyte. */
const usualBounds: CacheBounds = { programs: 64, numbers: 2 ** 28 };

export class ProgramCache {
  readonly #runtime: Pick<Runtime, 'compile'>;
  readonly #bounds: CacheBounds;
  readonly #kept = new Map<string, KeptProgram>();
  #numbers = 0;

  constructor(runtime: Pick<Runtime, 'compile'>, bounds: CacheBounds = usualBounds) {
    this.#runtime = runtime;
    this.#bounds = bounds;
  }

  /** The program of a key, and the estimated number of values that a run of it holds. */
  get(key: string, numbers: number, graph: () => Graph): Pick<Program, 'run'> {
    const keptProgram = this.#kept.get(key);
    const program = keptProgram ?? new KeptProgram(numbers, () => this.#runtime.compile(graph()));
    if (keptProgram === undefined) this.#numbers += numbers;
    // Reinserting marks it as most recent; beyond the limits, the least recently used is removed.
    this.#kept.delete(key);
    this.#kept.set(key, program);
    while (this.#kept.size > 1 && (this.#kept.size > this.#bounds.programs || this.#numbers > this.#bounds.numbers)) {
      const [oldest, gone] = this.#kept.entries().next().value!;
      this.#kept.delete(oldest);
      this.#numbers -= gone.numbers;
      gone.retire();
    }
    return program;
  }
}

/** Released only when no thread runs it. A remaining user has it compiled again. */
class KeptProgram {
  readonly numbers: number;
  readonly #compile: () => Promise<Program>;
  #compiled: Promise<Program> | null = null;
  #running = 0;
  #retired = false;

  constructor(numbers: number, compile: () => Promise<Program>) {
    this.numbers = numbers;
    this.#compile = compile;
  }

  async run(...what: Parameters<Program['run']>): ReturnType<Program['run']> {
    this.#running++;
    try {
      this.#compiled ??= this.#compile();
      return await (await this.#compiled).run(...what);
    } finally {
      this.#running--;
      this.#release();
    }
  }

  retire(): void {
    this.#retired = true;
    this.#release();
  }

  #release(): void {
    if (!this.#retired || this.#running > 0 || this.#compiled === null) return;
    void this.#compiled.then(
      (program) => program.release(),
      () => undefined,
    );
    this.#compiled = null;
  }
}
