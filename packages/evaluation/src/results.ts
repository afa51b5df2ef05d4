/** @file The results of a run: the standings of its agents and the mean of every seat, by the estimator behind every report. */

import type { NamingPlace } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import type { EpisodeTally, RunRecord, Seat, Store } from '@ludus-agents/kernel/internal/core/index';
import { readScoredRows, type ScoredRows } from './score-run.ts';
import type { SeatStanding, Standings, StandingsOptions } from './scoring/evaluation/index.ts';
import { playedScenes, seatStandings, standingsOf, testedSeats } from './scoring/evaluation/index.ts';
import { arePoints } from './scoring/report/index.ts';
import type { Over } from './scoring/statistics/estimator.ts';
import { type Suite, usualTries } from './scoring/suites/index.ts';
import type { KeptCard } from './scoring/trust/use.ts';
import { suiteBehind } from './suites.ts';

/** The store of a run, and the folder and trust of the names in it. */
type ResultsPlace = NamingPlace & { readonly store: Store };

export interface RunResultsOptions {
  /** The suite it was played for, where that is a file of one's own. */
  readonly suite?: string | undefined;
  readonly score?: string | undefined;
  readonly card?: KeptCard | undefined;
  /** The population that intervals cover: new tasks if there are ten or more, otherwise new seeds. */
  readonly over?: Over | undefined;
}

/** The basis of all statements about a run. */
export interface GatheredRun {
  readonly suite: Suite | null;
  readonly gathered: ScoredRows;
  readonly options: StandingsOptions;
}

export async function gatherRun(run: RunRecord, options: RunResultsOptions, { store, cwd, trust }: ResultsPlace): Promise<GatheredRun> {
  const suite = await suiteBehind(run.id, options.suite, { store, cwd, trust });
  const gathered = await readScoredRows(store, { run: run.id, score: options.score, card: options.card });
  const tables = suite === null ? { k: usualTries } : { nulls: suite.nulls, k: suite.k, scenes: suite.scenes.map(({ name }) => name) };
  return { suite, gathered, options: { ...tables, over: options.over } };
}

/** The results of a run. */
export interface RunResults {
  /** The name of the score that decides. */
  readonly score: string;
  /** Values lie from 0 to 1 and are shown as points of a hundred. */
  readonly points: boolean;
  readonly standings: Standings;
  readonly seats: readonly SeatStanding[];
  /** Episodes that have ended and of which no seat has a value. */
  readonly unscored: number;
  /** Stored episodes of earlier versions, which the figures exclude. */
  readonly earlier: number;
}

export async function resultsOf(run: RunRecord, place: ResultsPlace): Promise<RunResults> {
  const { gathered, options } = await gatherRun(run, {}, place);
  const { rows, score, earlier } = gathered;
  const standings = standingsOf(rows, { ...options, scenes: playedScenes(rows, options.scenes) });
  const scored = new Set(rows.filter(({ value }) => value !== null).map(({ episode }) => episode));
  const unscored = new Set(rows.filter(({ episode, end }) => end !== 'running' && !scored.has(episode)).map(({ episode }) => episode)).size;
  return { score, points: arePoints(rows), standings, seats: seatStandings(rows, standings.over), unscored, earlier };
}

/** Every seat; in a conversation from elsewhere, neither what ran the environment nor the user. */
export function playersIn({ environment, cast }: Pick<EpisodeTally, 'environment' | 'cast'>): readonly Seat[] {
  return environment.startsWith('relay@') ? testedSeats({ environment, cast }) : Object.keys(cast);
}
