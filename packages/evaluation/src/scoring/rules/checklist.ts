/**
 * @file Checklists whose items code can decide, with the arithmetic of CM2: an item's weight is credited once, at the first answer that
 * satisfies it, and an answer that comes later cannot take it back.
 */

import { type Fact, Fault, type Json, type JsonObject, type Seat, states } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { callsOf } from './calls.ts';
import { factOf, sentenceWith } from './facts.ts';
import type { Log, Utterance } from './log.ts';

export interface Credit {
  /** The new points of each step. */
  readonly credited: readonly number[];
  readonly total: number;
  /** For each item the step that satisfied it first, or null. */
  readonly first: readonly (number | null)[];
}

/** Credits weights from verdicts, one row for each step and one column for each item. */
export function creditChecklist(weights: readonly number[], verdicts: readonly (readonly boolean[])[]): Credit {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (weights.some((weight) => !(weight >= 0)) || Math.abs(sum - 1) > 1e-9)
    throw new Fault('input', `The weights of a checklist must be 0 or more and add up to 1, but add up to ${sum}.`);
  const first = weights.map((_, item) => {
    const step = verdicts.findIndex((row) => row[item] === true);
    return step < 0 ? null : step;
  });
  const credited = verdicts.map((_, step) => weights.reduce((earned, weight, item) => earned + (first[item] === step ? weight : 0), 0));
  return { credited, total: credited.reduce((total, part) => total + part, 0), first };
}

interface Item {
  readonly id: string;
  readonly weight: number;
  readonly required: boolean;
  readonly says: Fact | null;
  readonly calls: string | null;
}

/** An item of `reference.checklist`: {"says": fact} or {"calls": tool}, with a weight; equal weights where none has one. */
function itemsOf(json: Json | undefined): readonly Item[] {
  const listed = (Array.isArray(json) ? json : []).filter(isObject);
  const weighted = listed.every(({ weight }) => typeof weight === 'number');
  return listed.map((item, i) => ({
    id: typeof item['id'] === 'string' ? item['id'] : `item ${i + 1}`,
    weight: weighted ? (item['weight'] as number) : 1 / listed.length,
    required: item['required'] === true,
    says: item['says'] === undefined ? null : factOf(item['says']),
    calls: typeof item['calls'] === 'string' ? item['calls'] : null,
  }));
}

/** Which answers of a seat first satisfy which items of `reference.checklist`; null where the reference has no items. */
function creditedItems(log: Log, seat: Seat, reference: JsonObject) {
  const items = itemsOf(reference['checklist']);
  const lines = log.answers.get(seat) ?? [];
  if (items.length === 0) return null;
  const calls = new Map(callsOf(log, seat).map((call) => [call.event, call]));
  const isSatisfied = ({ says, calls: tool }: Item, { event, text }: Utterance): boolean => {
    const call = calls.get(event);
    // A call is not something said, and a call that failed did nothing.
    if (tool !== null) return call?.tool === tool && call.ok !== false;
    return says !== null && call === undefined && states(text, says);
  };
  const verdicts = lines.map((line) => items.map((item) => isSatisfied(item, line)));
  return {
    items,
    lines,
    ...creditChecklist(
      items.map(({ weight }) => weight),
      verdicts,
    ),
  };
}

/** The new points of each answer of a seat, by the event of the answer; null if the reference has no checklist. */
export function creditByAnswer(log: Log, seat: Seat, reference: JsonObject): ReadonlyMap<number, number> | null {
  const credit = creditedItems(log, seat, reference);
  return credit === null ? null : new Map(credit.lines.map(({ event }, i) => [event, credit.credited[i]]));
}

export const checklist: ScoringRule = {
  name: 'checklist',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0,
  find({ log, seat, reference }) {
    const credit = creditedItems(log, seat, reference);
    if (credit === null) return null;
    const { items, lines, total, first } = credit;
    const parts: Record<string, number> = { required: items.every((item, i) => !item.required || first[i] !== null) ? 1 : 0 };
    for (const [i, { id }] of items.entries()) parts[id] = first[i] === null ? 0 : 1;
    const evidence = items.flatMap(({ id, says }, i) => {
      const line = lines[first[i] ?? -1];
      const quote = line === undefined || says === null ? {} : { quote: sentenceWith(line.text, says) };
      return line === undefined ? [] : evidenceOf(log, line, { ...quote, supports: true, note: id });
    });
    return { value: Math.min(1, total), parts, evidence };
  },
};
