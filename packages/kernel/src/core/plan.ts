/**
 * @file A plan is JSON that lists what to play: environments × tasks × seeds × casts. Everything about an episode follows from its cell.
 */

import type { AgentSpec } from './agent.ts';
import type { Seat } from './environment.ts';
import type { Json } from './json.ts';
import type { Seed } from './rng.ts';
import type { EpisodeVersions } from './store.ts';

/** Which spec, or which kind of agent by name, is on which seat. "*" means every seat not named. */
export type Cast = Readonly<Record<Seat, AgentSpec | string>>;

/** What a run plays: environments × tasks × seeds × casts. */
export type Plan = {
  /** Runs of the same name add to each other; without one, the name is the hash of the plan. */
  readonly name?: string;
  readonly environments: readonly { readonly environment: string; readonly tasks: readonly Json[] }[];
  readonly seeds: readonly Seed[] | { readonly from: Seed; readonly count: number };
  readonly casts: readonly Cast[];
  /** Play each cast in every rotation of the seats, on the same seeds. */
  readonly swap?: boolean;
  /** Every cast plays on its own seeds, as many as there are: people of a population then differ in more than who they are. */
  readonly seedPerCast?: boolean;
  readonly limits?: Limits;
  readonly budget?: Budget;
};

/** Limits of one episode; reaching one ends it with reason "limit". */
export type Limits = {
  readonly turns?: number;
  readonly calls?: number;
  readonly tokens?: number;
  /** US dollars. */
  readonly money?: number;
  readonly seconds?: number;
};

/** Hard limits of a run: no call starts that could exceed one. */
export type Budget = {
  readonly calls?: number;
  readonly tokens?: number;
  readonly money?: number;
  readonly seconds?: number;
  readonly episodes?: number;
  /** Calls of one model that may fail in a row. */
  readonly failures?: number;
};

/** One episode to be played. */
export interface Cell {
  readonly environment: string;
  readonly task: Json;
  readonly seed: Seed;
  readonly cast: Cast;
  /** Fingerprints of everything that plays it; omitted if they were not computed. */
  readonly versions?: EpisodeVersions;
}
