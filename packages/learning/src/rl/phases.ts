/**
 * @file Stages of a run, each with its own rewards, tasks and horizon, until its number of updates or its stop rule is reached (Mobile-R1).
 */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import type { LessonFigures } from './lessons.ts';
import type { Phase, Recipe } from './recipe.ts';

export class Phases {
  readonly #recipe: Recipe;
  readonly #phases: readonly Phase[];
  #index = 0;
  #made = 0;
  #recent: readonly number[] = [];
  #current: Recipe;

  constructor(recipe: Recipe) {
    this.#recipe = recipe;
    this.#phases = recipe.phases ?? [];
    this.#current = this.#with(this.#phases[0]);
  }

  /** The name of the current stage; null if the recipe has none. */
  get name(): string | null {
    return this.#phases[this.#index]?.name ?? null;
  }

  /** The number of completed stages. */
  get ended(): number {
    return this.#index;
  }

  /** The recipe for this stage: the same object until the next stage begins. */
  get recipe(): Recipe {
    return this.#current;
  }

  /** Whether all stages are complete; always false without stages. */
  get over(): boolean {
    return this.#phases.length > 0 && this.#index >= this.#phases.length;
  }

  /** Records the figures of an update; returns why a stage ended with it, or null. */
  heard(figures: LessonFigures): string | null {
    const phase = this.#phases[this.#index];
    if (phase === undefined) return null;
    const { name, updates, until } = phase;
    this.#made++;
    if (until !== undefined) this.#recent = [...this.#recent, figures[until.figure] ?? 0].slice(-until.over);
    const mean = meanOrZero(this.#recent);
    const met = until !== undefined && this.#recent.length === until.over && mean >= until.least;
    if (!met && this.#made < updates) return null;
    const why = met ? `${until.figure} was ${mean.toFixed(3)} over ${until.over} updates` : 'it has had its updates';
    const ended = `Stage ${name} ends after ${this.#made} updates: ${why}.`;
    this.#index++;
    [this.#made, this.#recent] = [0, []];
    this.#current = this.#with(this.#phases[this.#index]);
    return ended;
  }

  write(): JsonObject {
    return { index: this.#index, made: this.#made, recent: this.#recent };
  }

  read(from: JsonObject): void {
    const { index, made, recent } = from as { index: number; made: number; recent: readonly number[] };
    [this.#index, this.#made, this.#recent] = [index, made, recent];
    this.#current = this.#with(this.#phases[index]);
  }

  #with(phase: Phase | undefined): Recipe {
    if (phase === undefined) return this.#recipe;
    const { rewards, tasks, turns } = phase;
    const training = { ...this.#recipe.training, ...(tasks !== undefined && { tasks }), ...(turns !== undefined && { turns }) };
    return { ...this.#recipe, ...(rewards !== undefined && { rewards }), training };
  }
}
