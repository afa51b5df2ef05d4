/** @file A report as data: everything that a page, a Markdown file or a program needs about a run, folded from its rows. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { EpisodeRecord, Score } from '@ludus-agents/kernel/internal/core/index';
import type { Intent } from '../../intent.ts';
import type { FoundExploit, Ranking } from '../arena/index.ts';
import type { ScoreRow, SeatStanding, Standing, Standings } from '../evaluation/index.ts';
import { contest, latest, playedScenes, resultName, seatStandings, standingsOf } from '../evaluation/index.ts';
import { arePoints } from '../evaluation/row.ts';
import { failuresIn, type ScoreFailure } from '../failures.ts';
import type { Comparison } from '../statistics/compare.ts';
import type { Over } from '../statistics/estimator.ts';
import { holm } from '../statistics/multiple.ts';
import { type Moment, momentsOf } from './moments.ts';
import { type RiskAxes, riskAxesOf } from './risk-axes.ts';
import { unscoredText } from './wording.ts';

export interface ReportInput {
  readonly run: string;
  /** A description of what was played; empty if there is none. */
  readonly about: string;
  /** The name of the score that decides. */
  readonly score: string;
  readonly rows: readonly ScoreRow[];
  readonly records: ReadonlyMap<string, EpisodeRecord>;
  readonly scores: ReadonlyMap<string, readonly Score[]>;
  readonly nulls?: readonly string[];
  readonly k?: readonly number[];
  /** In the order they are to be shown. */
  readonly scenes?: readonly string[];
  readonly ranking?: Ranking | null;
  /** The winnings of players that were trained against these agents. */
  readonly exploits?: readonly FoundExploit[];
  /** The population that intervals cover: new tasks if there are ten or more, otherwise new seeds. */
  readonly over?: Over | undefined;
  /** The intent of the user by episode, if the task states it. */
  readonly intents?: ReadonlyMap<string, Intent> | undefined;
  /** Stored episodes of earlier versions that are not among these. */
  readonly earlier?: number | undefined;
  /** Further notices for the top of the report, one sentence each. */
  readonly notices?: readonly string[] | undefined;
}

/** The mean of one score for each agent, computed as its standings would be; null where it has none of that name. */
export interface ScoreLine {
  readonly name: string;
  readonly lowerIsBetter: boolean;
  readonly scale: readonly [number, number] | null;
  readonly agents: Readonly<Record<string, ScoreMean | null>>;
}

export type ScoreMean = Pick<Standing, 'value' | 'interval' | 'tasks' | 'episodes' | 'values' | 'missing'>;

/** A report of a run as data. */
export interface Report {
  readonly run: string;
  readonly about: string;
  readonly score: string;
  /** Values lie from 0 to 1 and are shown as points of a hundred. */
  readonly points: boolean;
  readonly episodes: number;
  /** Stored episodes of earlier versions, which the report leaves out. */
  readonly earlier: number;
  /** Notices for the top of the report: omitted, unfinished, and changed episodes. One sentence each. */
  readonly notices: readonly string[];
  readonly ends: Readonly<Record<string, number>>;
  readonly standings: Standings;
  /** The mean of every agent on every seat. */
  readonly seats: readonly SeatStanding[];
  readonly scenes: readonly string[];
  readonly k: readonly number[];
  /** Pairs of agents of which at least one tries; `p` is adjusted by Holm for all of them. */
  readonly comparisons: readonly Comparison[];
  readonly lines: readonly ScoreLine[];
  /** Rubrics whose axes must not be averaged: each axis and the verdict, by the intent of the user. They are not among `lines`. */
  readonly risks: readonly RiskAxes[];
  /** Scores that failed, by the sentence in which they did. */
  readonly failures: readonly ScoreFailure[];
  readonly moments: readonly Moment[];
  readonly ranking: Ranking | null;
  /** The winnings of players that were trained against these agents, which a rank does not show. */
  readonly exploits: readonly FoundExploit[];
  readonly rows: readonly ScoreRow[];
}

/** More agents than this make more pairs than a reader wants. */
const mostCompared = 6;

/** Makes a report from rows and scores. */
export function reportOf(input: ReportInput): Report {
  const { run, about, score, rows, records, scores, nulls = [], k = [], ranking = null, exploits = [] } = input;
  const scenes = playedScenes(rows, input.scenes);
  const standings = standingsOf(rows, { nulls, k, scenes, over: input.over });
  const risks = riskAxesOf({ rows, scores, intents: input.intents ?? new Map() });
  const ends: Record<string, number> = {};
  for (const { status } of records.values()) ends[status] = (ends[status] ?? 0) + 1;
  return {
    ...{ run, about, score, standings, scenes, k, ranking, exploits, rows, ends },
    seats: seatStandings(rows, standings.over),
    points: arePoints(rows),
    episodes: records.size,
    earlier: input.earlier ?? 0,
    notices: noticesOf(input, ends),
    comparisons: comparisonsOf(rows, standings),
    lines: linesOf(rows, scores, { deciding: score, over: standings.over }).filter(
      ({ name }) => !risks.some((rubric) => name === rubric.name || name.startsWith(`${rubric.name}/`)),
    ),
    risks,
    failures: failuresIn([...scores.values()].flat().filter(({ name }) => name !== resultName)),
    moments: momentsOf(rows, scores, { agents: standings.agents.filter(({ isNull }) => !isNull).map(({ agent }) => agent) }),
  };
}

function noticesOf(
  { rows, score, records, earlier = 0, notices = [] }: ReportInput,
  { running = 0 }: Readonly<Record<string, number>>,
): readonly string[] {
  return [
    ...(earlier === 0 ? [] : [`${count(earlier, 'stored episode')} of other versions ${earlier === 1 ? 'is' : 'are'} left out.`]),
    ...(running === 0
      ? []
      : [`${count(running, 'episode')} ${running === 1 ? 'has' : 'have'} not ended, and ${running === 1 ? 'has' : 'have'} no score.`]),
    ...(records.size > running && rows.every(({ value }) => value === null) ? [unscoredText(records.size - running, score)] : []),
    ...notices,
  ];
}

function comparisonsOf(rows: readonly ScoreRow[], { agents, over }: Standings): readonly Comparison[] {
  const byAgent = Map.groupBy(rows, (row) => row.agent);
  const valued = agents.filter(({ values }) => values >= 2);
  const standings = valued.slice(0, mostCompared);
  const names = standings.map(({ agent }) => agent);
  const idle = (name: string) =>
    standings.length > 0 && valued.some(({ isNull }) => !isNull) && valued.some(({ agent, isNull }) => isNull && agent === name);
  const side = (name: string) => ({ name, rows: byAgent.get(name) ?? [] });
  const comparisons = names.flatMap((a, i) =>
    names
      .slice(i + 1)
      .flatMap((b) => ((idle(a) && idle(b)) || !areComparable(side(a).rows, side(b).rows) ? [] : [contest(side(a), side(b), { over })])),
  );
  const adjusted = holm(comparisons.map(({ p }) => p));
  return comparisons.map((comparison, i) => ({ ...comparison, p: adjusted[i] }));
}

/** Whether both have two values or more where both have sat on one seat: a customer is not compared with the clerk, nor poker with tic-tac-toe. */
function areComparable(a: readonly ScoreRow[], b: readonly ScoreRow[]): boolean {
  const seatOf = ({ scene, seat }: ScoreRow) => JSON.stringify([scene, seat]);
  const seats = new Set(a.map(seatOf));
  const scenes = new Set(b.filter((row) => seats.has(seatOf(row))).map(({ scene }) => scene));
  return [a, b].every((rows) => rows.filter(({ scene, value }) => value !== null && scenes.has(scene)).length >= 2);
}

/** Every score but the deciding one, in alphabetical order. Values without a scale mean different things in different scenes. */
function linesOf(
  rows: readonly ScoreRow[],
  scores: ReadonlyMap<string, readonly Score[]>,
  { deciding, over }: { readonly deciding: string; readonly over: Over },
): readonly ScoreLine[] {
  const scenes = new Set(rows.map((row) => row.scene)).size;
  const knownEntries = new Map<string, Score>();
  for (const list of scores.values())
    for (const score of list) if (score.name !== deciding && !knownEntries.has(score.name)) knownEntries.set(score.name, score);
  return [...knownEntries.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ scale }) => scale !== undefined || scenes < 2)
    .flatMap(({ name, lowerIsBetter = false, scale = null }) => {
      const agents = meansOf(rows, scores, { name, over });
      return Object.values(agents).some((agent) => agent !== null) ? [{ name, lowerIsBetter, scale, agents }] : [];
    });
}

/** The means of a score that does not decide: the standings that it would make if it did. */
function meansOf(
  rows: readonly ScoreRow[],
  scores: ReadonlyMap<string, readonly Score[]>,
  { name, over }: { readonly name: string; readonly over: Over },
): ScoreLine['agents'] {
  // A score that does not apply is not missing: none was expected.
  const isExpected = ({ status }: ScoreRow) => status !== 'not-applicable';
  const scoreRows = rows.map((row): ScoreRow => {
    const score = latest(scores.get(row.episode) ?? [], name, row.seat);
    return { ...row, value: score?.value ?? null, status: score?.status ?? 'not-applicable', passed: null };
  });
  const expected = scoreRows.filter(isExpected);
  const { agents } = standingsOf(scoreRows, { over, scenes: playedScenes(expected) });
  return Object.fromEntries(
    agents.map(({ agent, value, interval, tasks, episodes, values }) => {
      const ofAgent = expected.filter((row) => row.agent === agent);
      const missing = ofAgent.filter((row) => row.value === null).length;
      return [agent, values === 0 ? null : { value, interval, tasks, episodes, values, missing }];
    }),
  );
}
