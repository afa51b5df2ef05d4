/**
 * @file Which part of a long history a prompt shows, under a hard number of tokens: four ways, each a setting.
 *
 * window    the latest part, moved in large strides, because every move of its beginning breaks the prefix that servers cache
 * summary   the same, and what leaves it goes into a memo: written by the model in its usual answer, or picked out by rule
 * constant  after MEM1: only the turn before, and the memo that the model rewrites in every answer
 * routed    after RCR-Router: the turn before, and of the rest what matters most to this seat now, best first, until the budget is full
 */

import { cutTo, packParcels, type Tokens } from './budget.ts';

export type ContextMode = 'window' | 'summary' | 'constant' | 'routed';
export const contextModes: readonly ContextMode[] = ['window', 'summary', 'constant', 'routed'];

/** A line ready to be shown. `index` counts from the beginning of the episode. */
export interface ContextLine {
  readonly index: number;
  readonly text: string;
  readonly own: boolean;
  readonly tokens: number;
  /** From the persona and not from the environment: hidden from an answer without the role. */
  readonly ofPersona?: true;
}

export interface Room {
  readonly mode: ContextMode;
  /** Tokens for all lines after the opening. */
  readonly tokens: number;
  /** The start of the visible part in the last turn. */
  readonly start: number;
  /** The first line since the seat last acted. */
  readonly fresh: number;
  /** Empties the window now, even if it is not full. */
  readonly shrink?: boolean;
  /** The current value of a line; called only for routing. */
  readonly worth?: (line: ContextLine) => number;
}

export interface ContextSelection<L extends ContextLine = ContextLine> {
  readonly shown: readonly L[];
  /** The start of the visible part; earlier text must be recalled or is lost. */
  readonly start: number;
  /** Lines that were visible last time and no longer are. */
  readonly left: readonly L[];
  /** The window is nearly full: a memo should be written now. */
  readonly due: boolean;
}

/** Above this share of the space a memo is requested; a full window is emptied down to this share. */
const nearlyFull = 0.7;
const emptiedTo = 0.45;

export function select<L extends ContextLine>(lines: readonly L[], room: Room): ContextSelection<L> {
  if (room.mode === 'constant') return since(lines, room, lastOwn(lines, room.fresh));
  if (room.mode === 'routed') return selectLines(lines, room);
  const cost = total(lines, room.start);
  if (cost <= room.tokens && room.shrink !== true) return { ...since(lines, room, room.start), due: cost > nearlyFull * room.tokens };
  return since(lines, room, beginning(lines, emptiedTo * room.tokens, room));
}

/** The earliest start from which the lines fit; new lines stay as long as they fit into the whole space. */
function beginning(lines: readonly ContextLine[], target: number, { tokens, fresh }: Room): number {
  let sum = 0;
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i]!;
    sum += line.tokens;
    if (sum > (line.index >= fresh ? tokens : target)) return line.index + 1;
  }
  return lines[0]?.index ?? 0;
}

function since<L extends ContextLine>(lines: readonly L[], room: Room, start: number): ContextSelection<L> {
  // If even the newest lines are too long, the oldest of them are dropped.
  const from = total(lines, start) <= room.tokens ? start : beginning(lines, room.tokens, room);
  const visibleLines = lines.filter(({ index }) => index >= from);
  const left = lines.filter(({ index }) => index >= room.start && index < from);
  return { shown: visibleLines, start: from, left, due: false };
}

function selectLines<L extends ContextLine>(lines: readonly L[], room: Room): ContextSelection<L> {
  const recent = since(lines, room, lastOwn(lines, room.fresh));
  const used = recent.shown.reduce((sum, line) => sum + line.tokens, 0);
  const older = lines.filter(({ index }) => index < recent.start);
  const parcels = older.map((line) => ({ id: String(line.index), score: room.worth?.(line) ?? line.index, tokens: line.tokens }));
  const packedIds = new Set(packParcels(parcels, room.tokens - used).map(({ id }) => Number(id)));
  return { ...recent, shown: [...older.filter(({ index }) => packedIds.has(index)), ...recent.shown] };
}

/** The seat's last action before the new lines: the start of the previous turn. */
function lastOwn(lines: readonly ContextLine[], fresh: number): number {
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i]!;
    if (line.own && line.index < fresh) return line.index;
  }
  return fresh;
}

function total(lines: readonly ContextLine[], start: number): number {
  let sum = 0;
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i]!;
    if (line.index < start) break;
    sum += line.tokens;
  }
  return sum;
}

/** RCR-Router's value of a line: its relevance to the role, its stage, its age. Each part is from 0 to 1. */
export function routeWorth(parts: { readonly role: number; readonly stage: number; readonly distance: number }): number {
  return parts.role + 0.6 * parts.stage + 0.4 * Math.exp(-0.3 * parts.distance);
}

/** A rule-based memo: the previous memo plus the most important of the lines that left, in order, within a token limit. */
export function digest(
  before: string,
  left: readonly (ContextLine & { readonly importance: number })[],
  budget: number,
  tokens: Tokens,
): string {
  const saved = cutTo(before, Math.floor(budget / 2), tokens);
  const parcels = left.map((line) => ({ id: String(line.index), score: line.importance, tokens: tokens(line.text) + 1 }));
  const room = budget - (saved === '' ? 0 : tokens(saved) + 1);
  const used = new Set(packParcels(parcels, room).map(({ id }) => id));
  const picked = left.filter((line) => used.has(String(line.index))).map((line) => line.text);
  return cutTo([...(saved === '' ? [] : [saved]), ...picked].join('\n'), budget, tokens);
}
