/** @file A plan is JSON that lists what to play: environments × tasks × seeds × casts. Every episode is determined by its cell. */

import type { AgentSpec } from './agent.ts';
import type { Seat } from './environment.ts';
import type { Json } from './json.ts';
import type { Seed } from './rng.ts';
import type { EpisodeVersions } from './store.ts';

/** The spec, or the name of the agent kind, on each seat. "*" means every seat not named. */
export type Cast = Readonly<Record<Seat, AgentSpec | string>>;

/** What a run plays: environments × tasks × seeds × casts. */
export type Plan = {
  /** Runs of the same name extend each other; the default name is the hash of the plan. */
  readonly name?: string;
  readonly environments: readonly { readonly environment: string; readonly tasks: readonly Json[] }[];
  readonly seeds: readonly Seed[] | { readonly from: Seed; readonly count: number };
  readonly casts: readonly Cast[];
  /** Plays each cast in every rotation of the seats, on the same seeds. */
  readonly swap?: boolean;
  /** Each cast plays on its own seeds, so that people of a population differ by more than their persona. */
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
  /** The most consecutive failed calls of one model. */
  readonly failures?: number;
};

/** One episode to play. */
export interface Cell {
  readonly environment: string;
  readonly task: Json;
  readonly seed: Seed;
  readonly cast: Cast;
  /** Fingerprints of everything that plays it; omitted if they were not computed. */
  readonly versions?: EpisodeVersions;
}
