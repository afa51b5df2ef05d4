/**
 * @file Personality by questionnaire: trait means from keyed items, and the back-test of a persona against what it was written to be.
 *
 * Scoring follows the keyed scales of the field (BFI-2-S, IPIP): an item keyed downwards counts from the other end, a trait is the mean of
 * its items. Agreeing with everything gives exactly the middle of a balanced scale, so raw agreement is reported with every mean.
 */

import type { Trait } from '@ludus-agents/agents/internal/personas/index';
import type { EpisodeEvent, Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import type { Finding, ScoringRule } from '../scorer.ts';
import { type Log, noteOf, numberAt } from './log.ts';

/** An item and its answer from 1 to the most; null where there was none. */
export interface KeyedAnswer {
  readonly key: string;
  readonly facet?: string;
  readonly reversed: boolean;
  readonly answer: number | null;
}

/** The mean of each key's answered items, with reversed items counted from the other end; keys without an answer are left out. */
export function keyMeans(items: readonly KeyedAnswer[], most: number, of: 'key' | 'facet' = 'key'): Readonly<Record<string, number>> {
  const lists: Record<string, number[]> = {};
  for (const item of items) {
    const name = item[of];
    if (item.answer === null || name === undefined) continue;
    const list = lists[name] ?? [];
    list.push(item.reversed ? most + 1 - item.answer : item.answer);
    lists[name] = list;
  }
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, meanOrNull(list) as number]));
}

/** The messages that a seat read and sent before event `at`: the past of an interview on a branch (`lived`). */
export function livedText(events: readonly EpisodeEvent[], seat: Seat, at = events.length): string {
  return events
    .slice(0, at)
    .flatMap((event) => {
      if (event.kind === 'action' && event.seat === seat) return [`You: ${event.action.text}`];
      if (event.kind !== 'message' || event.from === seat || !event.to.includes(seat)) return [];
      return [event.from === undefined ? event.text : `${event.from}: ${event.text}`];
    })
    .join('\n');
}

interface Answered {
  readonly items: readonly KeyedAnswer[];
  readonly most: number;
}

function answersIn(log: Log): Answered | null {
  const note = noteOf(log, 'questionnaire');
  const most = note === null ? null : numberAt(note.value, 'most');
  const items = note?.value['items'];
  if (most === null || most < 2 || !Array.isArray(items)) return null;
  const read = items.flatMap((item: Json): readonly KeyedAnswer[] => {
    if (!isObject(item) || typeof item['key'] !== 'string') return [];
    const answer = numberAt(item, 'answer');
    const facet = typeof item['facet'] === 'string' ? { facet: item['facet'] } : {};
    return [{ key: item['key'], ...facet, reversed: item['reversed'] === true, answer }];
  });
  return { items: read, most };
}

/** The mean of all answers as they were given: near the top, the subject agrees with everything. */
function agreement({ items }: Answered): number | null {
  return meanOrNull(items.flatMap(({ answer }) => answer ?? []));
}

/** One score for each trait of the questionnaire, on the scale of its answers, with its facets as parts. */
export const fiveTraits: ScoringRule = {
  name: 'five-traits',
  version: 1,
  unit: 'seat',
  find({ log, seat }) {
    const answered = seat === 'subject' ? answersIn(log) : null;
    if (answered === null) return null;
    const { items, most } = answered;
    const means = keyMeans(items, most);
    return [...new Set(items.map(({ key }) => key))].map((key): Finding => {
      const keyedAnswers = items.filter((item) => item.key === key);
      const parts = {
        ...keyMeans(keyedAnswers, most, 'facet'),
        answered: keyedAnswers.filter(({ answer }) => answer !== null).length,
        agreement: agreement(answered),
      };
      const value = means[key];
      if (value === undefined) return { part: key, value: null, status: 'not-applicable', parts };
      return { part: key, value, parts, floor: (most + 1) / 2 };
    });
  },
};

/** The share of the persona's traits whose pole the answers show; `error` is the mean distance on the persona's scale of 0 to 100. */
export const personality: ScoringRule = {
  name: 'personality',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  floor: 0.5,
  find({ log, seat, persona }) {
    const answered = seat === 'subject' ? answersIn(log) : null;
    const assigned = persona?.identity.personal.bigFive;
    if (answered === null || assigned === undefined) return null;
    const means = keyMeans(answered.items, answered.most);
    const parts: Record<string, number | null> = {};
    const poles: number[] = [];
    const errors: number[] = [];
    for (const [trait, level] of Object.entries(assigned) as [Trait, { readonly score: number }][]) {
      const mean = means[trait];
      const percent = mean === undefined ? null : (100 * (mean - 1)) / (answered.most - 1);
      parts[trait] = percent;
      // A trait in the very middle has no pole to show.
      if (percent === null || level.score === 50) continue;
      poles.push(Math.sign(percent - 50) === Math.sign(level.score - 50) ? 1 : 0);
      errors.push(Math.abs(percent - level.score));
    }
    const value = meanOrNull(poles);
    if (value === null) return null;
    return { value, parts: { ...parts, error: meanOrNull(errors), traits: poles.length, agreement: agreement(answered) } };
  },
};
