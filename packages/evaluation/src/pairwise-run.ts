/** @file Compares the episodes of a run with matching ones of another run, or with the line of a source model, by a pairwise judge. */

import type { Episode, EpisodeEvent, EpisodeRecord, Json, Score, Store } from '@ludus-agents/kernel/internal/core/index';
import { Fault, hash, rng } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { readNulls, testedAmong } from './comparison.ts';
import { personasInRun } from './episode-personas.ts';
import { scoredRowsIn } from './score-run.ts';
import type { ScoreRow } from './scoring/evaluation/index.ts';
import type { Judge } from './scoring/judges/index.ts';
import { type LengthControlled, lengthControlled } from './scoring/statistics/length-control.ts';
import { type Interval, mean } from './scoring/statistics/mean.ts';
import { type Measured, summaryOf } from './scoring/statistics/summary.ts';
import { readStoredRun } from './stored-run.ts';

export interface PairwiseOptions {
  readonly store: Store;
  readonly run: string;
  /** Another run, or "source" for the source model's line in a task of the environment "next-line". */
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

/** One agent of the run against one agent of the other; results of several agents are never merged. */
export interface PairwiseMatch extends PairwiseCount {
  readonly agent: string;
  /** An agent of the other run, or "source". */
  readonly other: string;
  readonly pairs: number;
  /** Distinct tasks of the pairs: the interval generalizes to new tasks if there are ten or more. */
  readonly tasks: number;
  /** Pairs whose two orders disagree, or that the judge could not read. */
  readonly undecided: number;
  /** Ties are half a win; null if no comparison was decided. The mean over scenes and tasks, as in a report. */
  readonly winRate: number | null;
  readonly interval: Interval | null;
  readonly floor: 0.5;
  /** The win rate at equal length, with its regression; null with the reason if it can't be computed. */
  readonly lengthControl: LengthControlled | null;
  readonly lengthProblem: string | null;
  /** Among decided pairs of different length, the share that the longer answer won: 0.5 is no preference. */
  readonly longerWins: number | null;
  /** By the axis named by the task, or else by the judge. */
  readonly axes: Readonly<Record<string, PairwiseCount>>;
}

export interface PairwiseReport {
  readonly pairs: number;
  /** Pairs with a stored verdict. */
  readonly reused: number;
  /** Tested seats of episodes without a match on the other side. */
  readonly unpaired: number;
  readonly matches: readonly PairwiseMatch[];
}

const likenessOf = ({ environment, task, seed }: EpisodeRecord, seat: string) => hash([environment, task, seed, seat]);

/** The results of the selected agents of a run, seat by seat, without null agents. */
async function rowsIn(store: Store, run: string): Promise<readonly PlayedRow[]> {
  const { rows, records } = await scoredRowsIn(await readStoredRun(store, [{ run }]), { score: 'return' });
  const tested = testedAmong([...new Set(rows.map(({ agent }) => agent))], undefined, await readNulls(store, run));
  return rows.flatMap((row) => {
    const record = records.get(row.episode)!;
    return record.status !== 'running' && tested.includes(row.agent) ? [{ ...row, record }] : [];
  });
}

type PlayedRow = ScoreRow & { readonly record: EpisodeRecord };

/** Compares each finished episode with its match; the verdicts are stored as scores of the first run. */
export async function compareRuns({ store, run, against, judge, reuse = false, signal }: PairwiseOptions): Promise<PairwiseReport> {
  const others = Map.groupBy(against === 'source' ? [] : await rowsIn(store, against), ({ record, seat }) => likenessOf(record, seat));
  const personas = await personasInRun(store, run);
  const judged: JudgedPair[] = [];
  let [unpaired, reused] = [0, 0];
  for (const row of await rowsIn(store, run)) {
    signal.throwIfAborted();
    const { record, seat, agent, scene, task, seed } = row;
    const events = await store.events(record.id);
    const partners = against === 'source' ? sourceEpisode(record.id, events, seat) : await partnersOf(store, row, others);
    if (partners.length === 0) unpaired++;
    for (const other of partners) {
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
      const lengths = { length: charactersWritten(events, seat), otherLength: charactersWritten(other.events, seat) };
      const verdicts = scores.flatMap((score) => (score.value === null ? [] : [{ value: score.value, axis: axisIn(score) }]));
      judged.push({ agent, other: other.agent, seat, scene, task, seed, episode: record.id, ...lengths, verdicts });
    }
  }
  if (judged.length === 0)
    throw new Fault(
      'input',
      against === 'source'
        ? `No episode of ${run} has a source line. "ludus persona suite" creates suites whose tasks have one.`
        : `No episode of ${run} has the environment, task and seed of one in ${against}. Run the same plan or suite with both agents.`,
    );
  const matches = [...Map.groupBy(judged, ({ agent, other }) => JSON.stringify([agent, other])).values()].map(matchOf);
  return { pairs: judged.length, reused, unpaired, matches };
}

function matchOf(judged: readonly JudgedPair[]): PairwiseMatch {
  const { agent, other } = judged[0];
  const decided = judged.flatMap(({ verdicts, ...pair }) => verdicts.map((verdict): DecidedPair => ({ ...pair, ...verdict })));
  const summary = summaryOf(decided);
  return {
    ...{ agent, other, ...countOf(decided) },
    pairs: judged.length,
    undecided: judged.length - decided.length,
    tasks: summary?.tasks ?? 0,
    winRate: summary?.value ?? null,
    interval: summary?.interval ?? null,
    floor: 0.5,
    ...controlOf(decided),
    axes: Object.fromEntries([...Map.groupBy(decided, ({ axis }) => axis)].map(([axis, decidedPairs]) => [axis, countOf(decidedPairs)])),
  };
}

/** A seat in an episode, and its match on the other side. */
interface PlayedPair extends Required<Omit<Measured, 'value'>> {
  readonly agent: string;
  readonly other: string;
  readonly seat: string;
  /** The number of characters written by the seat on either side. */
  readonly length: number;
  readonly otherLength: number;
}

interface JudgedPair extends PlayedPair {
  readonly verdicts: readonly { readonly value: number; readonly axis: string }[];
}

interface DecidedPair extends PlayedPair {
  readonly value: number;
  readonly axis: string;
}

/** How many characters a seat has written. */
function charactersWritten(events: readonly EpisodeEvent[], seat: string): number {
  return events.reduce((sum, event) => (event.kind === 'action' && event.seat === seat ? sum + event.action.text.length : sum), 0);
}

function controlOf(decided: readonly DecidedPair[]): Pick<PairwiseMatch, 'lengthControl' | 'lengthProblem' | 'longerWins'> {
  const unequal = decided.filter(({ value, length, otherLength }) => value !== 0.5 && length !== otherLength);
  const longer = unequal.filter(({ value, length, otherLength }) => value > 0.5 === length > otherLength).length;
  const longerWins = unequal.length === 0 ? null : longer / unequal.length;
  try {
    // Repeats of a task count as one verdict: they say little about other tasks.
    const tasks = [...Map.groupBy(decided, ({ seat, scene, task }) => JSON.stringify([seat, scene, task])).values()];
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

/** Quotes from the other side are stored separately; a score may quote only its own episode. */
function withSides(score: Score, ownText: string, other: string): Score {
  return {
    ...score,
    evidence: score.evidence.filter(({ episode }) => episode === ownText),
    provenance: { ...score.provenance, against: other },
  };
}

interface Partner extends Episode {
  readonly agent: string;
}

/** The first matching episode of each agent on the other side. */
async function partnersOf(
  store: Store,
  { record, seat }: PlayedRow,
  others: ReadonlyMap<string, readonly PlayedRow[]>,
): Promise<readonly Partner[]> {
  const rows = (others.get(likenessOf(record, seat)) ?? []).filter(({ episode }) => episode !== record.id);
  const firsts = [...Map.groupBy(rows, ({ agent }) => agent).values()].map(([first]) => first);
  return Promise.all(firsts.map(async ({ agent, episode }) => ({ id: episode, agent, events: await store.events(episode) })));
}

/** The judge's stored verdict on the same pair. */
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
function sourceEpisode(id: string, events: readonly EpisodeEvent[], seat: string): readonly Partner[] {
  const [start] = events;
  const task: Json = start?.kind === 'start' ? start.task : null;
  const line = isObject(task) ? task['source'] : undefined;
  if (typeof line !== 'string' || line === '') return [];
  const changed = events.map(
    (event): EpisodeEvent => (event.kind === 'action' && event.seat === seat ? { kind: 'action', seat, action: { text: line } } : event),
  );
  return [{ id: `${id}:source`, agent: 'source', events: changed }];
}
