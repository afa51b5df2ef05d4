/** @file Compares the episodes of a run, one by one, with their like in another run or with the line of a source model, by a pairwise judge. */

import {
  type Episode,
  type EpisodeEvent,
  type EpisodeRecord,
  Fault,
  hash,
  type Json,
  rng,
  type Score,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { personasInRun } from './episode-personas.ts';
import { testedSeats } from './scoring/evaluation/index.ts';
import type { Judge } from './scoring/judges/index.ts';
import { type LengthControlled, lengthControlled } from './scoring/statistics/length-control.ts';
import type { Interval } from './scoring/statistics/mean.ts';
import { wilson } from './scoring/statistics/rates.ts';
import { recordsOf } from './stored-run.ts';

export interface PairwiseOptions {
  readonly store: Store;
  readonly run: string;
  /** Another run, or "source" for the line that a task of the environment "next-line" has from its source model. */
  readonly against: string;
  readonly judge: Judge;
  readonly signal: AbortSignal;
}

export interface PairwiseCount {
  readonly won: number;
  readonly tied: number;
  readonly lost: number;
}

export interface PairwiseReport extends PairwiseCount {
  readonly pairs: number;
  /** Pairs on which both orders did not agree, or that the judge could not read. */
  readonly undecided: number;
  /** Episodes without a like on the other side. */
  readonly unpaired: number;
  /** Ties are half a win; null where nothing was decided. */
  readonly winRate: number | null;
  readonly interval: Interval | null;
  readonly floor: 0.5;
  /** The win rate at equal length, with the regression behind it; null with the reason where none is possible. */
  readonly lengthControl: LengthControlled | null;
  readonly lengthProblem: string | null;
  /** Of the pairs that were won or lost and differ in length, the share that the longer answer won: 0.5 is no preference. */
  readonly longerWins: number | null;
  /** By the axis that the task names, else by the one that the judge named first. */
  readonly axes: Readonly<Record<string, PairwiseCount>>;
}

const likenessOf = ({ environment, task, seed }: EpisodeRecord) => hash([environment, task, seed]);

/** Each finished episode against its like; the verdicts are kept as scores of the first run. */
export async function compareRuns({ store, run, against, judge, signal }: PairwiseOptions): Promise<PairwiseReport> {
  const others = new Map<string, EpisodeRecord[]>();
  if (against !== 'source')
    for await (const record of recordsOf(store, { run: against }))
      if (record.status !== 'running') others.set(likenessOf(record), [...(others.get(likenessOf(record)) ?? []), record]);
  const personas = await personasInRun(store, run);
  const decided: DecidedPair[] = [];
  let [pairs, unpaired] = [0, 0];
  for await (const record of recordsOf(store, { run })) {
    if (record.status === 'running') continue;
    signal.throwIfAborted();
    const events = await store.events(record.id);
    for (const seat of testedSeats(record)) {
      const other = against === 'source' ? sourceEpisode(record.id, events, seat) : await partner(store, others, record, seat);
      if (other === null) {
        unpaired++;
        continue;
      }
      pairs++;
      const persona = personas(events)[seat];
      const known = persona === undefined ? {} : { persona };
      const input = { episodes: [{ id: record.id, events }, other], seat, ...known, rng: rng(0, 'pairwise', record.id) };
      const scores = await judge.score(input, signal);
      await store.putScores(
        record.id,
        scores.map((score) => withSides(score, record.id, other.id)),
      );
      const lengths = { length: charactersWritten(events, seat), otherLength: charactersWritten(other.events, seat) };
      for (const score of scores) if (score.value !== null) decided.push({ value: score.value, axis: axisIn(score), ...lengths });
    }
  }
  if (pairs === 0)
    throw new Fault(
      'input',
      against === 'source'
        ? `No episode of ${run} has a source line. "ludus persona suite" creates suites whose tasks have one.`
        : `No episode of ${run} has the environment, task and seed of one in ${against}. Run the same plan or suite with both agents.`,
    );
  const total = countOf(decided);
  const n = decided.length;
  const wins = total.won + total.tied / 2;
  return {
    ...total,
    pairs,
    undecided: pairs - n,
    unpaired,
    winRate: n === 0 ? null : wins / n,
    interval: n === 0 ? null : wilson(wins, n),
    floor: 0.5,
    ...controlOf(decided),
    axes: Object.fromEntries([...Map.groupBy(decided, ({ axis }) => axis)].map(([axis, decidedPairs]) => [axis, countOf(decidedPairs)])),
  };
}

interface DecidedPair {
  readonly value: number;
  readonly axis: string;
  /** Characters that the seat has written on either side. */
  readonly length: number;
  readonly otherLength: number;
}

/** How many characters a seat has written. */
function charactersWritten(events: readonly EpisodeEvent[], seat: string): number {
  return events.reduce((sum, event) => (event.kind === 'action' && event.seat === seat ? sum + event.action.text.length : sum), 0);
}

function controlOf(decided: readonly DecidedPair[]): Pick<PairwiseReport, 'lengthControl' | 'lengthProblem' | 'longerWins'> {
  const unequal = decided.filter(({ value, length, otherLength }) => value !== 0.5 && length !== otherLength);
  const longer = unequal.filter(({ value, length, otherLength }) => value > 0.5 === length > otherLength).length;
  const longerWins = unequal.length === 0 ? null : longer / unequal.length;
  try {
    const lengthControl = lengthControlled(decided.map(({ value: win, length, otherLength }) => ({ win, length, otherLength })));
    return { lengthControl, lengthProblem: null, longerWins };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { lengthControl: null, lengthProblem: thrown.message, longerWins };
  }
}

function countOf(decided: readonly { readonly value: number }[]): PairwiseCount {
  const count = (value: number) => decided.filter((item) => item.value === value).length;
  return { won: count(1), tied: count(0.5), lost: count(0) };
}

/** The judge names the axis before the colon of its notes. */
function axisIn({ evidence }: Score): string {
  return evidence[0]?.note?.split(':', 1)[0] ?? '';
}

/** Quotes from the other side are kept with it; a score may quote its own episode alone. */
function withSides(score: Score, ownText: string, other: string): Score {
  return {
    ...score,
    evidence: score.evidence.filter(({ episode }) => episode === ownText),
    provenance: { ...score.provenance, against: other },
  };
}

async function partner(
  store: Store,
  others: ReadonlyMap<string, readonly EpisodeRecord[]>,
  record: EpisodeRecord,
  seat: string,
): Promise<Episode | null> {
  const like = (others.get(likenessOf(record)) ?? []).find(
    (episodeRecord) => episodeRecord.id !== record.id && testedSeats(episodeRecord).includes(seat),
  );
  return like === undefined ? null : { id: like.id, events: await store.events(like.id) };
}

/** The same episode with the source's line in place of the seat's. */
function sourceEpisode(id: string, events: readonly EpisodeEvent[], seat: string): Episode | null {
  const [start] = events;
  const task: Json = start?.kind === 'start' ? start.task : null;
  const line = isObject(task) ? task['source'] : undefined;
  if (typeof line !== 'string' || line === '') return null;
  const changed = events.map(
    (event): EpisodeEvent => (event.kind === 'action' && event.seat === seat ? { kind: 'action', seat, action: { text: line } } : event),
  );
  return { id: `${id}:source`, events: changed };
}
