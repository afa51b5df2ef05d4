/** @file The rules that every store shares: valid appends, and the summary of a log in lists. */

import type { EndEvent, EpisodeEvent, EpisodeRecord, Json, StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { canonical, Fault, hash } from '@ludus-agents/kernel/internal/core/index';
import { isLight } from './pack.ts';
import { TextMemo } from './text-memo.ts';

/** One append, parsed once: the changes in the summary of its log. */
export interface Portion {
  readonly index: number;
  readonly count: number;
  readonly start: StartEvent | null;
  readonly end: EndEvent | null;
  /** The number of turns that begin in it. */
  readonly turns: number;
}

/** The growing part of a log's summary. `begun` counts turn events. */
export interface LogLength {
  events: number;
  begun: number;
  status: EpisodeRecord['status'];
  end: Pick<EndEvent, 'turns' | 'returns'> | null;
}

/** Reads an append. Rejects events that cannot be at their index in any log. */
export function portionOf(episode: string, index: number, events: readonly EpisodeEvent[]): Portion {
  checkName('An episode', episode);
  if (!Number.isSafeInteger(index) || index < 0)
    throw new Fault('store', `Events are appended at a non-negative integer index, but episode "${episode}" got ${index}.`);
  let turns = 0;
  for (let i = 0; i < events.length; i++) {
    const kind: unknown = events[i]?.kind;
    if (typeof kind !== 'string' || !kinds.has(kind)) throw misplacedFault(episode, index + i, `is not one of ${[...kinds].join(', ')}`);
    if ((kind === 'start') !== (index + i === 0))
      throw misplacedFault(
        episode,
        index + i,
        kind === 'start' ? 'is a start event, which must be the first event' : `is "${kind}", but a log must start with its start event`,
      );
    if (kind === 'end' && i < events.length - 1) throw misplacedFault(episode, index + i, 'is the end event, but more events follow it');
    if (kind === 'turn') turns++;
  }
  const last = events.at(-1);
  const start = index === 0 && events.length > 0 ? (events[0] as StartEvent) : null;
  if (start !== null) checkStart(episode, start);
  return { index, count: events.length, start, end: last?.kind === 'end' ? last : null, turns };
}

/** Why a portion cannot follow a log as it is (null: nothing stored), or null if it can. */
export function refusal(episode: string, log: LogLength | null, portion: Portion): Fault | null {
  const length = log?.events ?? 0;
  if (portion.index !== length)
    return new Fault(
      'store',
      `Episode "${episode}" has ${length} events, so the next append must be at index ${length}, but it was at ${portion.index}. ${portion.index < length ? 'Another process has written to it in the meantime. Nothing is lost: let only one command play the run, or share the work with --workers' : 'Read the log and continue from its end'}.`,
    );
  if (log !== null && log.status !== 'running')
    return new Fault('store', `Episode "${episode}" has ended (${log.status}), and no events can be added to a finished log.`);
  return null;
}

/** Takes a portion into a log's summary. */
export function advance(log: LogLength, portion: Portion): void {
  log.events += portion.count;
  log.begun += portion.turns;
  if (portion.end === null) return;
  log.status = portion.end.reason;
  log.end = portion.end;
}

export function unbegun(): LogLength {
  return { events: 0, begun: 0, status: 'running', end: null };
}

/** Completed turns: the last turn of a running log is still waiting for its answers. */
export function turnsOf(log: Pick<LogLength, 'begun' | 'end'>): number {
  return log.end?.turns ?? Math.max(0, log.begun - 1);
}

/** Names that are looked up must come back unchanged: SQL text can hold neither half a character nor a zero byte. */
export function checkName(what: string, name: unknown): void {
  if (typeof name !== 'string' || name === '' || !name.isWellFormed() || name.includes('\0'))
    throw new Fault('store', `${what} needs a name that is a valid Unicode string, but got ${JSON.stringify(name)}.`);
}

/** A caller may look at its appends later: until then a failed one must not end the process. */
export function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** A page is an integer of rows; SQLite would read a negative one as "all". */
export function checkLimit(limit: number | undefined): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
    throw new Fault('store', `A limit must be a non-negative integer, but got ${limit}.`);
}

/** A document as text, with its hash. */
interface Addressed {
  readonly address: string;
  readonly text: string;
}

/** A small document as text with its address; only plain JSON gets an address. */
export function toAddressed(document: unknown): Addressed {
  if (typeof document !== 'object' || document === null || !Object.isFrozen(document)) return makeAddressed(document);
  const addressed = keptAddresses.get(document);
  if (addressed !== undefined) return addressed;
  const newAddressed = makeAddressed(document);
  if (isFrozenThroughout(document)) keptAddresses.set(document, newAddressed);
  return newAddressed;
}

/** For immutable documents, such as scores that many episodes share. */
const keptAddresses = new WeakMap<object, Addressed>();

function isFrozenThroughout(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout));
}

function makeAddressed(document: unknown): Addressed {
  // Only for plain JSON does the text determine the value: NaN would be written as null.
  if (!isLight(document)) return { address: hash(document as Json), text: JSON.stringify(document) };
  const text = JSON.stringify(document);
  return { address: addresses.get(text, () => hash(document as Json)), text };
}

const addresses = new TextMemo<string>();

/** A document as text; one that is not plain JSON is refused. The place of the problem is not computed, since that takes time. */
function plainText(document: Json): string {
  canonical(document);
  return JSON.stringify(document);
}

/** Parses stored text as JSON; invalid text is damage, not bad input. */
export function readBack(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Fault('store', 'The store is damaged: a stored value is no longer valid JSON. Restore a copy.', {
      cause: thrown,
    });
  }
}

/** Parses entries for a journal of this length; throws if they cannot follow it. */
export function entriesFor(
  run: string,
  journal: string,
  at: { readonly index: number; readonly length: number },
  entries: readonly Json[],
): string[] {
  if (at.index !== at.length)
    throw new Fault(
      'store',
      `The journal "${journal}" of run "${run}" has ${at.length} entries, so the next must be at index ${at.length}, but it was at ${at.index}. Read the journal and continue from its end.`,
    );
  return entries.map(plainText);
}

export function unknownEpisode(episode: string): Fault {
  return new Fault('store', `Episode "${episode}" not found. Append its events before its scores.`, { code: 'E_NOT_FOUND' });
}

export function closedFault(): Fault {
  return new Fault('store', 'The store is closed. Open it again to read or write.');
}

const kinds: ReadonlySet<string> = new Set(['start', 'message', 'reward', 'turn', 'action', 'end'] satisfies EpisodeEvent['kind'][]);

function checkStart(episode: string, start: StartEvent): void {
  checkName('An environment', start.environment);
  const { cast, seed, task } = start;
  if (!Number.isSafeInteger(seed)) throw misplacedFault(episode, 0, `has the seed ${JSON.stringify(seed)}, which is not an integer`);
  if (task === undefined) throw misplacedFault(episode, 0, 'has no task');
  if (typeof cast !== 'object' || cast === null || Object.values(cast).some((agent) => typeof agent !== 'string'))
    throw misplacedFault(episode, 0, `has the cast ${JSON.stringify(cast)}, which does not name an agent for each seat`);
}

function misplacedFault(episode: string, index: number, problem: string): Fault {
  return new Fault('store', `Event ${index} of episode "${episode}" ${problem}.`);
}
