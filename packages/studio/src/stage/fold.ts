/** @file What a list of events comes to: rows to read, the picture at a place, who is asked, what it cost. Pure functions of what has arrived. */

import type { Ask, EndEvent, Score, Seat } from '@ludus-agents/kernel/internal/core/index';
import { type VoiceTag, voiceIn } from '@ludus-agents/kernel/internal/core/voice';
import type { ActionShown, EpisodeShown, EventShown, Picture } from '@ludus-agents/servers/internal/studio/api';
import { colourOf, colours } from '../colours.ts';

/** One thing to read. An answer that is spoken at once is one row with its words. */
export interface Row {
  /** The event that the row is named by. */
  readonly index: number;
  readonly item: EventShown;
  /** The answer behind a message, where the message says it. */
  readonly answer?: EventShown & { readonly event: ActionShown };
  readonly turn: number;
}

export interface RowOptions {
  /** Notes for scorers, which no seat sees. */
  readonly notes: boolean;
  /** An event that is shown whatever it is: the one that is looked at. */
  readonly also?: number | null;
}

export function rowsOf(items: readonly EventShown[], { notes, also = null }: RowOptions): readonly Row[] {
  const rows = allRows(items, { notes, also });
  return notes || !isRelayed(items) ? rows : withoutRelay(rows, also);
}

/** Whether an agent on the seat "world" passes everything on, as in a conversation that was read in. */
function isRelayed(items: readonly EventShown[]): boolean {
  const first = items[0]?.event;
  return first?.kind === 'start' && first.environment.startsWith('relay@');
}

/** Words that the world passes on are one row with those that were said to it; what only the world reads or does is left out. */
function withoutRelay(rows: readonly Row[], also: number | null): readonly Row[] {
  const retainedRows: Row[] = [];
  /** The last row of each seat that the world alone has heard. */
  const statement = new Map<Seat, number>();
  for (const row of rows) {
    const { index, item, answer } = row;
    const { event } = item;
    const isForWorld = event.kind === 'message' && event.to.length === 1 && event.to[0] === 'world';
    const receivedRow = event.kind === 'message' && event.from !== undefined ? retainedRows[statement.get(event.from) ?? -1] : undefined;
    if (isForWorld && event.from !== undefined) statement.set(event.from, retainedRows.push(row) - 1);
    else if (event.kind === 'message' && receivedRow?.item.event.kind === 'message' && receivedRow.item.event.text === event.text) {
      retainedRows[statement.get(event.from!)!] = { ...receivedRow, index, item };
      statement.delete(event.from!);
    } else if (index === also || answer?.index === also) retainedRows.push(row);
    else if (!isForWorld && !(event.kind === 'action' && event.seat === 'world' && event.action.text === '')) retainedRows.push(row);
  }
  return retainedRows;
}

function allRows(items: readonly EventShown[], { notes, also = null }: RowOptions): readonly Row[] {
  const rows: Row[] = [];
  let turn = 0;
  /** Answers of this turn that nothing has been said of yet, by seat, with the place of their row. */
  let answers = new Map<Seat, number>();
  for (const item of items) {
    const { index, event } = item;
    if (event.kind === 'turn') {
      turn++;
      answers = new Map();
    } else if (event.kind === 'action') answers.set(event.seat, rows.push({ index, item, turn }) - 1);
    else if (event.kind === 'message' && event.to.length === 0) {
      if (notes || index === also) rows.push({ index, item, turn });
    } else if (event.kind === 'message' && event.from !== undefined && answers.has(event.from)) {
      const place = answers.get(event.from) as number;
      const spoken = rows[place]!;
      answers.delete(event.from);
      rows[place] = { index, item, turn, answer: spoken.item as EventShown & { readonly event: ActionShown } };
    } else rows.push({ index, item, turn });
  }
  return rows;
}

/** The spoken text of a row, and its tone; null if there is none. An action in brackets is spoken without them. */
export function utteranceOf({ item: { event }, answer }: Row): { readonly text: string; readonly voice: VoiceTag | null } | null {
  const spokenText = event.kind === 'action' ? event.action.text : event.kind === 'message' && event.from !== undefined ? event.text : '';
  const text = spokenText.replace(/[[\]]/g, ' ').replace(/\s+/g, ' ').trim();
  const action = event.kind === 'action' ? event.action : answer?.event.action;
  return text === '' ? null : { text, voice: voiceIn(action?.data) };
}

/** The event that a row leads to, and the number that it carries: the answer, where its words say it. */
export function numberOf({ index, answer }: Row): number {
  return answer?.index ?? index;
}

/** The row that shows an event, or the last one before it. */
export function rowAt(rows: readonly Row[], event: number): number {
  const exact = rows.findIndex(({ index, answer }) => index === event || answer?.index === event);
  return exact >= 0 ? exact : rows.findLastIndex(({ index }) => index <= event);
}

export interface PictureAt {
  readonly now: Picture | null;
  readonly before: Picture | null;
  /** The events at which the world was drawn last before that, and next. */
  readonly back: number | null;
  readonly on: number | null;
}

/** The world as it was at an event. */
export function pictureAt(items: readonly EventShown[], event: number): PictureAt {
  const samples = items.filter(({ picture }) => picture !== undefined);
  const after = samples.findIndex(({ index }) => index > event);
  const place = (after < 0 ? samples.length : after) - 1;
  const [before, now, next] = [samples[place - 1], samples[place], samples[place + 1]];
  return { now: now?.picture ?? null, before: before?.picture ?? null, back: before?.index ?? null, on: next?.index ?? null };
}

/** Who sits somewhere: the character where there is one, else the seat. */
export function seatName({ faces }: Pick<EpisodeShown, 'faces'>, seat: Seat): string {
  const face = faces[seat];
  return face?.character === true ? face.name : seat;
}

/** The color of an agent on every page; if another agent has it in this episode, the next free color. */
export function hueIn({ seats, faces }: Pick<EpisodeShown, 'seats' | 'faces'>, seat: Seat): number {
  const used: number[] = [];
  for (const otherSeat of seats) {
    let hue = colourOf(faces[otherSeat]?.name ?? otherSeat);
    while (used.length < colours && used.includes(hue)) hue = (hue % colours) + 1;
    if (otherSeat === seat) return hue;
    used.push(hue);
  }
  return 1;
}

/** The latest event up to a place that a branch can be made before: neither the start nor the end. */
export function forkableAt(items: readonly EventShown[], event: number): EventShown | null {
  return items.findLast(({ index, event: item }) => index > 0 && index <= event && item.kind !== 'end') ?? null;
}

export interface Asked {
  readonly ask: Ask;
  /** The turn event. */
  readonly turn: number;
}

/** What a seat is asked and has not answered. */
export function openAsk(items: readonly EventShown[], seat: Seat): Asked | null {
  for (let i = items.length - 1; i >= 0; i--) {
    const { event, index } = items[i]!;
    if (event.kind === 'end' || (event.kind === 'action' && event.seat === seat)) return null;
    const ask = event.kind === 'turn' ? event.asks.find((item) => item.seat === seat) : undefined;
    if (ask !== undefined) return { ask, turn: index };
  }
  return null;
}

/** The moves that were offered for an answer. */
export function askAt(items: readonly EventShown[], event: number, seat: Seat): Ask | null {
  for (let i = items.findLastIndex(({ index }) => index < event); i >= 0; i--) {
    const { event: item } = items[i]!;
    if (item.kind === 'turn') return item.asks.find((ask) => ask.seat === seat) ?? null;
  }
  return null;
}

export function endOf(items: readonly EventShown[]): EndEvent | null {
  const last = items.at(-1)?.event;
  return last?.kind === 'end' ? last : null;
}

export interface Totals {
  readonly returns: Readonly<Record<Seat, number>>;
  readonly calls: number;
  readonly tokens: number;
  /** Null where some price is unknown. */
  readonly cost: number | null;
  readonly turns: number;
}

/** What has been paid and spent up to an event. */
export function totalsAt(items: readonly EventShown[], upTo: number): Totals {
  const returns: Record<Seat, number> = {};
  let [calls, tokens, turns] = [0, 0, 0];
  let cost: number | null = 0;
  for (const { index, event } of items) {
    if (index > upTo) break;
    if (event.kind === 'turn') turns++;
    else if (event.kind === 'reward')
      for (const [seat, payment] of Object.entries(event.rewards)) returns[seat] = (returns[seat] ?? 0) + payment;
    else if (event.kind === 'action')
      for (const call of event.calls ?? []) {
        calls++;
        tokens += call.usage.promptTokens + call.usage.completionTokens;
        cost = cost === null || call.cost === null ? null : cost + call.cost;
      }
  }
  return { returns, calls, tokens, cost, turns };
}

/** Scores that point to an event with a quote. */
export function scoresAt<S extends Score>(scores: readonly S[], event: number): readonly S[] {
  return scores.filter(({ evidence }) => evidence.some((evidence) => evidence.event === event));
}

/** Quotes of an event that scores point to, the longest first so that none hides another. */
export function quotesAt(scores: readonly Score[], event: number): readonly { readonly quote: string; readonly score: string }[] {
  const quotes = scores.flatMap(({ name, evidence }) =>
    evidence.flatMap((evidence) => (evidence.event === event && evidence.quote !== '' ? [{ quote: evidence.quote, score: name }] : [])),
  );
  return quotes.sort((a, b) => b.quote.length - a.quote.length);
}

/** A score that speaks of secrets and is not as good as it could be. */
export function isLeak({ name, value, scale = [0, 1], lowerIsBetter = false }: Score): boolean {
  if (value === null || !/leak|secret|privacy/.test(name)) return false;
  return lowerIsBetter ? value > scale[0] : value < scale[1];
}
