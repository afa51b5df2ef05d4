/** @file Data that rules read from a log, collected in one pass, because many rules read the same. */

import type { EndEvent, Episode, Json, JsonObject, Seat, StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';

/** A seat's words, with their event. `to` is null if the log contains only the answer, not its readers. */
export interface Utterance {
  readonly event: number;
  readonly text: string;
  readonly to: readonly Seat[] | null;
}

/** An environment's data for scorers under one key of a note. */
export interface Note {
  readonly event: number;
  readonly text: string;
  readonly value: Json;
}

export interface Log {
  readonly episode: Episode;
  readonly start: StartEvent | null;
  readonly end: EndEvent | null;
  readonly seats: readonly Seat[];
  /** All answers of a seat, moves and talk alike. */
  readonly answers: ReadonlyMap<Seat, readonly Utterance[]>;
  /** Messages sent to others in a seat's name. */
  readonly told: ReadonlyMap<Seat, readonly Utterance[]>;
  /** The last note under each key. */
  readonly notes: ReadonlyMap<string, Note>;
  /** For each seat, the answers that were penalised, by their place in the log. */
  readonly fouls: ReadonlyMap<Seat, readonly number[]>;
}

/** Nothing is kept by episode: a map of what may go any time keeps logs in memory until all memory is looked through, and that takes longer. */
export function logOf(episode: Episode): Log {
  const answers = new Map<Seat, Utterance[]>();
  const observation = new Map<Seat, Utterance[]>();
  const notes = new Map<string, Note>();
  const fouls = new Map<Seat, number[]>();
  let start: StartEvent | null = null;
  let end: EndEvent | null = null;
  for (let event = 0; event < episode.events.length; event++) {
    const episodeEvent = episode.events[event];
    if (episodeEvent === undefined) continue;
    if (episodeEvent.kind === 'start') start = episodeEvent;
    else if (episodeEvent.kind === 'end') end = episodeEvent;
    else if (episodeEvent.kind === 'action') add(answers, episodeEvent.seat, { event, text: episodeEvent.action.text, to: null });
    else if (episodeEvent.kind === 'message') {
      if (episodeEvent.from !== undefined && episodeEvent.to.length > 0)
        add(observation, episodeEvent.from, { event, text: episodeEvent.text, to: episodeEvent.to });
      if (episodeEvent.to.length === 0 && isObject(episodeEvent.data))
        for (const key of Object.keys(episodeEvent.data)) notes.set(key, { event, text: episodeEvent.text, value: episodeEvent.data[key] });
    } else if (episodeEvent.kind === 'reward' && episodeEvent.penalties !== undefined) {
      for (const seat of Object.keys(episodeEvent.penalties)) {
        const last = answers.get(seat)?.at(-1);
        if (episodeEvent.penalties[seat] > 0 && last !== undefined) add(fouls, seat, last.event);
      }
    }
  }
  return { episode, start, end, seats: start?.seats ?? [], answers, told: observation, notes, fouls };
}

function add<T>(lists: Map<Seat, T[]>, seat: Seat, item: T): void {
  const list = lists.get(seat);
  if (list === undefined) lists.set(seat, [item]);
  else list.push(item);
}

/** The text of a seat that others could read: messages that were passed on or, if the environment passes none on, its answers. */
export function wordsBy(log: Log, seat: Seat): readonly Utterance[] {
  return log.told.get(seat) ?? log.answers.get(seat) ?? [];
}

/** A note's value if it is an object, as most are. */
export function noteOf(log: Log, key: string): (Note & { readonly value: JsonObject }) | null {
  const note = log.notes.get(key);
  return note !== undefined && isObject(note.value) ? { ...note, value: note.value } : null;
}

/** The environment of a log, without its version. */
export function environmentNameOf(log: Log): string {
  const id = log.start?.environment ?? '';
  const at = id.indexOf('@');
  return at < 0 ? id : id.slice(0, at);
}

/** A number under a key, or null. */
export function numberAt(value: JsonObject, key: string): number | null {
  const number = value[key];
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
