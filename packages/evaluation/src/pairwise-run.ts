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
import { readNulls, testedAmong } from './comparison.ts';
import { personasInRun } from './episode-personas.ts';
import { testedSeats } from './scoring/evaluation/index.ts';
import type { Judge } from './scoring/judges/index.ts';
import { type LengthControlled, lengthControlled } from './scoring/statistics/length-control.ts';
import { type Interval, mean } from './scoring/statistics/mean.ts';
import { type Measured, summaryOf } from './scoring/statistics/summary.ts';
import { recordsOf } from './stored-run.ts';

export interface PairwiseOptions {
  readonly store: Store;
  readonly run: string;
  /** Another run, or "source" for the line that a task of the environment "next-line" has from its source model. */
  readonly against: string;
  readonly judge: Judge;
  /** Use stored verdicts of a judge that may have changed since. */
  readonly reuse?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface PairwiseCount {
  readonly won: number;
  readonly tied: number;
  readonly lost: number;
}

export interface PairwiseReport extends PairwiseCount {
  readonly pairs: number;
  /** Distinct tasks of the pairs: the interval is over these where there are ten or more. */
  readonly tasks: number;
  /** Pairs whose verdict was stored before. */
  readonly reused: number;
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

/** Seats of a run whose agent is meant: what agents that do not try came to says nothing of it. */
async function seatsIn(store: Store, run: string): Promise<(record: EpisodeRecord) => readonly string[]> {
  const names = new Set<string>();
  for await (const record of recordsOf(store, { run })) for (const seat of testedSeats(record)) names.add(record.cast[seat] ?? '');
  const tested = testedAmong([...names], undefined, await readNulls(store, run));
  return (record) => testedSeats(record).filter((seat) => tested.includes(record.cast[seat] ?? ''));
}

/** Each finished episode against its like; the verdicts are kept as scores of the first run. */
export async function compareRuns({ store, run, against, judge, reuse = false, signal }: PairwiseOptions): Promise<PairwiseReport> {
  const others = new Map<string, EpisodeRecord[]>();
  const seatsOf = await seatsIn(store, run);
  const otherSeats = against === 'source' ? () => [] : await seatsIn(store, against);
  if (against !== 'source')
    for await (const record of recordsOf(store, { run: against }))
      if (record.status !== 'running') others.set(likenessOf(record), [...(others.get(likenessOf(record)) ?? []), record]);
  const personas = await personasInRun(store, run);
  const decided: DecidedPair[] = [];
  let [pairs, unpaired, reused] = [0, 0, 0];
  for await (const record of recordsOf(store, { run })) {
    if (record.status === 'running') continue;
    signal.throwIfAborted();
    const events = await store.events(record.id);
    for (const seat of seatsOf(record)) {
      const like = (episode: EpisodeRecord) => episode.id !== record.id && otherSeats(episode).includes(seat);
      const other =
        against === 'source' ? sourceEpisode(record.id, events, seat) : await partner(store, others.get(likenessOf(record)), like);
      if (other === null) {
        unpaired++;
        continue;
      }
      pairs++;
      const stored = reuse || judge.unpinned === undefined ? await storedVerdicts(store, record.id, { judge, seat, other: other.id }) : [];
      if (stored.length > 0) reused++;
      const persona = personas(events)[seat];
      const personaInput = persona === undefined ? {} : { persona };
      const input = { episodes: [{ id: record.id, events }, other], seat, ...personaInput, rng: rng(0, 'pairwise', record.id) };
      const scores = stored.length > 0 ? stored : await judge.score(input, signal);
      if (stored.length === 0)
        await store.putScores(
          record.id,
          scores.map((score) => withSides(score, record.id, other.id)),
        );
      const place = {
        agent: record.cast[seat] ?? '',
        place: `${seat} ${castOf(other.events)[seat] ?? ''}`,
        scene: record.environment,
        task: hash(record.task),
        seed: record.seed,
        episode: record.id,
      };
      const lengths = { length: charactersWritten(events, seat), otherLength: charactersWritten(other.events, seat) };
      for (const score of scores) if (score.value !== null) decided.push({ value: score.value, axis: axisIn(score), ...place, ...lengths });
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
  const summary = summaryOf(decided);
  return {
    ...total,
    pairs,
    reused,
    undecided: pairs - decided.length,
    unpaired,
    tasks: summary?.tasks ?? 0,
    winRate: summary?.value ?? null,
    interval: summary?.interval ?? null,
    floor: 0.5,
    ...controlOf(decided),
    axes: Object.fromEntries([...Map.groupBy(decided, ({ axis }) => axis)].map(([axis, decidedPairs]) => [axis, countOf(decidedPairs)])),
  };
}

interface DecidedPair extends Required<Measured> {
  readonly agent: string;
  /** The seat and the agent that had it on the other side. */
  readonly place: string;
  readonly value: number;
  readonly axis: string;
  /** Characters that the seat has written on either side. */
  readonly length: number;
  readonly otherLength: number;
}

function castOf([start]: readonly EpisodeEvent[]): Readonly<Record<string, string>> {
  return start?.kind === 'start' ? start.cast : {};
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
    // Repeats of a task are one verdict: they say little of other tasks. What is a repeat is the same seen from either side.
    const tasks = [...Map.groupBy(decided, ({ agent, place, scene, task }) => JSON.stringify([agent, place, scene, task])).values()];
    const lengthControl = lengthControlled(
      tasks.map((repeats) => ({
        win: mean(repeats.map(({ value }) => value)),
        length: mean(repeats.map(({ length }) => length)),
        otherLength: mean(repeats.map(({ otherLength }) => otherLength)),
      })),
    );
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
  others: readonly EpisodeRecord[] = [],
  isLike: (record: EpisodeRecord) => boolean,
): Promise<Episode | null> {
  const like = others.find(isLike);
  return like === undefined ? null : { id: like.id, events: await store.events(like.id) };
}

/** What the same judge has said of the same pair. */
async function storedVerdicts(
  store: Store,
  episode: string,
  { judge, seat, other }: { readonly judge: Judge; readonly seat: string; readonly other: string },
): Promise<readonly Score[]> {
  return (await store.scores(episode)).filter(
    ({ name, seat: of, value, provenance }) =>
      name === judge.name && of === seat && value !== null && provenance?.['judgeHash'] === judge.hash && provenance['against'] === other,
  );
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
