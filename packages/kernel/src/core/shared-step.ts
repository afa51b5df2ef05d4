/**
 * @file Shared steps: rules that return the same step object whenever a position recurs mark it, and its events are created once for all
 * episodes.
 */

import type { Seat, Step } from './environment.ts';
import type { EndEvent, EpisodeEvent, Seen } from './event.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * The events that a step adds to the log; by index in `seats`, the observations and rewards of each seat; and the indexes of the asked
 * seats.
 */
export interface StepEvents {
  readonly seats: readonly Seat[];
  readonly events: readonly EpisodeEvent[];
  readonly seen: readonly (readonly Seen[])[];
  readonly rewards: readonly number[];
  readonly penalties: readonly number[];
  readonly asked: readonly number[];
  /** The end of the last episode that ended with this step; null if there is none. */
  end: SharedEnd | null;
}

/** The end of an episode and its totals by seat index, shared by episodes with the same totals. */
export interface SharedEnd {
  readonly event: EndEvent;
  readonly returned: readonly number[];
  readonly penalised: readonly number[];
}

/** The events of shared steps for the most recent seats; null until a step has been entered. */
export const sharedSteps = new WeakMap<Step, StepEvents | null>();

/** Marks a step as shared: the rules return the same object whenever a position recurs, so that its events are made once for all episodes. */
export function shareStep<S extends Json>(step: Step<S>): Step<S> {
  sharedSteps.set(step, null);
  return step;
}

type Recurring = JsonObject & { readonly task: JsonObject };

/** Positions of one task, by key: the step that opens an episode there, and the representative state of this key. */
interface PositionTable<S extends Recurring> {
  readonly openings: Map<string, Step<S>>;
  readonly states: Map<string, S>;
}

const mostTables = 64;
const mostPositions = 20_000;

/** Positions that many episodes reach, with the steps between them, so that each step is computed once. */
export class RecurringPositions<S extends Recurring> {
  readonly #keyOf: (state: S) => string | null;
  readonly #tables = new Map<string, PositionTable<S>>();
  readonly #byTask = new WeakMap<JsonObject, PositionTable<S>>();
  readonly #after = new WeakMap<S, Map<string, Step<S>>>();

  constructor(keyOf: (state: S) => string | null) {
    this.#keyOf = keyOf;
  }

  /** The shared step of an opening. */
  opening(step: Step<S>): Step<S> {
    const key = this.#keyOf(step.state);
    const table = key === null ? null : this.#tableOf(step.state.task);
    if (key === null || table === null) return step;
    const existing = table.openings.get(key);
    if (existing !== undefined) return existing;
    const shared = this.#share(step, key, table);
    table.openings.set(key, shared);
    return shared;
  }

  /** The known steps after a state, by answer; undefined for a state that does not recur. */
  after(state: S): Map<string, Step<S>> | undefined {
    return this.#after.get(state);
  }

  /** Adds a step to the known ones. */
  keep(knownEntries: Map<string, Step<S>>, answer: string, step: Step<S>): Step<S> {
    const key = this.#keyOf(step.state);
    const table = key === null ? null : this.#tableOf(step.state.task);
    if (key === null || table === null || table.states.size >= mostPositions) return step;
    const shared = this.#share(step, key, table);
    knownEntries.set(answer, shared);
    return shared;
  }

  #share(step: Step<S>, key: string, { states }: PositionTable<S>): Step<S> {
    const state = states.get(key) ?? step.state;
    if (state === step.state) {
      states.set(key, state);
      this.#after.set(state, new Map());
    }
    return shareStep(state === step.state ? step : { ...step, state });
  }

  #tableOf(task: JsonObject): PositionTable<S> | null {
    const direct = this.#byTask.get(task);
    if (direct !== undefined) return direct;
    const text = JSON.stringify(task);
    const table = this.#tables.get(text) ?? (this.#tables.size < mostTables ? { openings: new Map(), states: new Map() } : null);
    if (table === null) return null;
    this.#tables.set(text, table);
    this.#byTask.set(task, table);
    return table;
  }
}
