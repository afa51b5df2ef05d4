/**
 * @file Selects the episodes of a dataset, their seats, and the side of the split.
 *
 * Episodes are read a few at a time, oldest first; only the ids of the others are in memory. The split is by task, so that no task is used
 * for both training and evaluation, whatever its seeds.
 */

import type {
  EndEvent,
  EpisodeEvent,
  EpisodeQuery,
  EpisodeRecord,
  Score,
  Seat,
  Seed,
  StartEvent,
  Store,
  StoredEpisode,
} from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/json';
import { rng } from '@ludus-agents/kernel/internal/core/rng';
import { readEpisodes } from '@ludus-agents/kernel/internal/core/store';
import { readMarks } from '../marks.ts';
import { type OnDamaged, portionsOf, readAround } from '../portions.ts';
import { type Bound, within } from './bounds.ts';
import { maskedQuotes, maskedTurns, type TextSpan } from './masks.ts';
import type { Wording } from './words.ts';

export interface Filter {
  readonly query?: EpisodeQuery;
  readonly statuses?: readonly EpisodeRecord['status'][];
  readonly seats?: readonly Seat[];
  readonly bounds?: readonly Bound[];
  /** Masks turns whose score matches: they stay in the later context but are not trained on. */
  readonly masks?: readonly Bound[];
  /** In turns whose score matches, masks only the quoted parts if the format supports it; otherwise the whole turn. */
  readonly quotes?: readonly Bound[];
  /** Episodes with this tag, which is set in the studio. */
  readonly tag?: string;
  /** Episodes to leave out, by ID. */
  readonly without?: ReadonlySet<string>;
}

/** The share of tasks reserved for evaluation, and the seed of the selection. */
export interface EvalSplit {
  readonly evalShare: number;
  readonly seed: Seed;
}

/** One episode with all inputs of the formats. */
export interface ExportEpisode {
  readonly record: EpisodeRecord;
  readonly start: StartEvent;
  readonly end: EndEvent | null;
  readonly events: readonly EpisodeEvent[];
  readonly scores: readonly Score[];
  /** The seats that pass the filter. */
  readonly seats: readonly Seat[];
  readonly split: 'train' | 'eval';
  /** Hash of the environment with its task, by which episodes are split. */
  readonly task: string;
  readonly wording?: Wording | undefined;
  /** Masked turns of a seat, by their index from 0; omitted if nothing is masked. */
  readonly masked?: Readonly<Record<Seat, ReadonlySet<number>>>;
  /** Of some of these turns, the parts that are meant: the rest of them may be learned where a format can say so. */
  readonly quoted?: Readonly<Record<Seat, ReadonlyMap<number, readonly TextSpan[]>>>;
}

/** An episode that was chosen, by name; `group` is the same for episodes that can be compared with each other. */
export interface Choice {
  readonly id: string;
  readonly task: string;
  readonly group: string;
  /** How long its log is. */
  readonly events: number;
}

/** Completed episodes: failed and canceled ones are excluded from training unless requested. */
const ended: readonly EpisodeRecord['status'][] = ['over', 'limit'];

/** The ids of the episodes that pass a filter, oldest first. `tell` receives the number so far. */
export async function choose(
  store: Store,
  { query = {}, statuses = ended, tag, without }: Filter,
  tell: (choices: readonly Choice[]) => void = () => {},
): Promise<readonly Choice[]> {
  const marks = tag === undefined ? null : await readMarks(store, 'episode');
  const choices: Choice[] = [];
  let from: Pick<EpisodeQuery, 'before'> = {};
  const most = query.limit ?? Number.POSITIVE_INFINITY;
  while (choices.length < most) {
    const page = await store.episodes({ ...query, ...from, limit: 500 });
    for (const { id, environment, task, seed, status, events } of page) {
      if (!statuses.includes(status) || choices.length >= most || without?.has(id) === true) continue;
      if (marks !== null && marks.get(id)?.tags?.includes(tag as string) !== true) continue;
      const named = taskHash({ environment, task });
      choices.push({ id, task: named, group: `${named} ${seed}`, events });
    }
    tell(choices);
    const last = page.at(-1);
    if (last === undefined) break;
    from = { before: last.order };
  }
  return choices.reverse();
}

export interface ExportFilter {
  readonly filter: Filter;
  readonly split: EvalSplit;
  readonly wording?: Wording | undefined;
}

/** Reads the chosen episodes one after the other. Skips episodes without a remaining seat, and damaged ones if a listener is given. */
export async function* plays(
  store: Store,
  choices: Iterable<Choice>,
  reading: ExportFilter,
  onDamaged?: OnDamaged,
): AsyncGenerator<ExportEpisode, void, undefined> {
  const parts = { record: true, events: true, scores: true };
  for (const portion of portionsOf(choices)) {
    const ids = portion.map(({ id }) => id);
    const stored = await readAround(ids, (episodes) => readEpisodes(store, episodes, parts), onDamaged);
    for (const choice of portion) {
      const play = playOf(choice, stored.get(choice.id), reading);
      if (play !== null) yield play;
    }
  }
}

function playOf({ task }: Choice, stored: StoredEpisode | undefined, { filter, split, wording }: ExportFilter): ExportEpisode | null {
  const { record, events, scores } = stored ?? { record: null, events: [], scores: [] };
  const [start, last] = [events[0], events.at(-1)];
  if (record === null || start?.kind !== 'start') return null;
  const end = last?.kind === 'end' ? last : null;
  const fits = (seat: Seat) => (filter.bounds ?? []).every((bound) => within(scoreOf({ scores, end }, bound.score, seat), bound));
  const wanted = filter.seats ?? start.seats.filter((seat) => !carries(start, seat));
  const seats = start.seats.filter((seat) => wanted.includes(seat) && fits(seat));
  if (seats.length === 0) return null;
  const { masks = [], quotes = [] } = filter;
  const [masked, quoted]: [Record<Seat, Set<number>>, Record<Seat, ReadonlyMap<number, readonly TextSpan[]>>] = [{}, {}];
  const isMasked = masks.length > 0 || quotes.length > 0;
  for (const seat of isMasked ? seats : []) {
    const { whole, parts } = maskedQuotes({ events, scores }, seat, quotes);
    const turns = new Set([...maskedTurns({ events, scores }, seat, masks), ...whole]);
    quoted[seat] = new Map([...parts].filter(([turn]) => !turns.has(turn)));
    masked[seat] = new Set([...turns, ...parts.keys()]);
  }
  return {
    ...{ record, start, end, events, scores, seats, split: sideOf(task, split), task, wording },
    ...(isMasked && { masked }),
    ...(quotes.length > 0 && { quoted }),
  };
}

/** A seat that only relays messages of others, in imported or recorded episodes: it has no messages of its own. */
function carries({ cast }: StartEvent, seat: Seat): boolean {
  return seat === 'world' && /^(?:import:|proxy$)/.test(cast[seat] ?? '');
}

/** The identity of a task. */
function taskHash({ environment, task }: Pick<EpisodeRecord, 'environment' | 'task'>): string {
  if (task === null || typeof task !== 'object') return hash({ environment, task });
  let knownHash = hashes.get(task);
  if (knownHash?.environment !== environment) {
    knownHash = { environment, hash: hash({ environment, task }) };
    hashes.set(task, knownHash);
  }
  return knownHash.hash;
}

/** Records of the same task share it. */
const hashes = new WeakMap<object, { readonly environment: string; readonly hash: string }>();

/** On which side of the split a task is: every episode of it, at any time, in any file. */
export function sideOf(task: string, { evalShare, seed }: EvalSplit): 'train' | 'eval' {
  // No random number is drawn if nothing is reserved.
  return evalShare > 0 && rng(seed, 'split', task).next() < evalShare ? 'eval' : 'train';
}

/** The score of a seat over a complete episode, or null. A score of this seat takes precedence over one without a seat. */
function scoreOf({ scores, end }: Pick<ExportEpisode, 'scores' | 'end'>, name: string, seat: Seat): number | null {
  const fitting = scores.filter((score) => score.name === name && score.turn === undefined && (score.seat ?? seat) === seat);
  const score = fitting.find((score) => score.seat === seat) ?? fitting[0];
  if (score !== undefined) return score.status === 'ok' ? score.value : null;
  return name === 'return' ? (end?.returns[seat] ?? null) : null;
}

/** Every score of a seat over the whole episode, by name. */
export function scoresOf(play: Pick<ExportEpisode, 'scores' | 'end'>, seat: Seat): Readonly<Record<string, number | null>> {
  const names = new Set(play.scores.filter((score) => score.turn === undefined && (score.seat ?? seat) === seat).map(({ name }) => name));
  return Object.fromEntries([...names].sort().map((name) => [name, scoreOf(play, name, seat)]));
}
