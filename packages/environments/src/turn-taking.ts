/** @file Turn-taking: who speaks after something was said, by called names, by talkativeness, or in a fixed order. */

import type { Rng, Seat } from '@ludus-agents/kernel/internal/core/index';

export const speakingOrders = ['named', 'reply', 'one', 'talkative', 'everybody', 'listed'] as const;
export type SpeakingOrder = (typeof speakingOrders)[number];

export function isSpeakingOrder(order: string): order is SpeakingOrder {
  return (speakingOrders as readonly string[]).includes(order);
}

/** A speaker with its talkativeness: the probability of speaking without being asked, from 0 to 1. */
export interface Speaker {
  readonly name: Seat;
  readonly talkativeness: number;
}

export interface Floor {
  readonly order: SpeakingOrder;
  readonly speakers: readonly Speaker[];
  /** The latest speech. */
  readonly said: string;
  /** The turn number, so that each round starts with a different speaker. */
  readonly turn: number;
  /** Who has spoken, oldest first, for the order `reply`. */
  readonly recent?: readonly Seat[];
  readonly rng: Rng;
}

/** How many turns two speakers can alternate in the order `reply` before another one is next. */
export const longestExchange = 20;

/**
 * Returns who answers, in order. Speakers called by name come first. If none is called, all answer in turn (`named`), one does (`one`), the
 * one whom the last speaker answered (`reply`), or each with the probability of its talkativeness (`talkative`, which also lets others add
 * to a requested answer). At least one answers.
 */
export function nextSpeakers({ order, speakers, said, turn, recent = [], rng }: Floor): readonly Seat[] {
  const names = speakers.map(({ name }) => name);
  if (order === 'listed') return names;
  const called = order === 'everybody' ? [] : namesIn(said, names);
  if (order === 'talkative') return talkative(speakers, called, rng);
  if (called.length > 0) return called;
  const first = turn % names.length;
  const inTurn = [...names.slice(first), ...names.slice(0, first)];
  if (order === 'reply') return [previousSpeaker(inTurn, recent)];
  return order === 'one' ? inTurn.slice(0, 1) : inTurn;
}

/** The latest speaker, or the one who has been silent longest if the last two have alternated for too long. */
function previousSpeaker(names: readonly Seat[], recent: readonly Seat[]): Seat {
  const isAlternating = recent.length >= longestExchange && new Set(recent.slice(-longestExchange)).size <= 2;
  const ranked = [...names].sort((a, b) => recent.lastIndexOf(b) - recent.lastIndexOf(a));
  const [latest] = ranked;
  if (latest === undefined || recent.lastIndexOf(latest) < 0) return names[0] as Seat;
  const silent = ranked.at(-1) as Seat;
  // Of several who have not spoken, the first in turn.
  return isAlternating ? (names.find((name) => recent.lastIndexOf(name) === recent.lastIndexOf(silent)) ?? latest) : latest;
}

function talkative(speakers: readonly Speaker[], called: readonly Seat[], rng: Rng): readonly Seat[] {
  const others = rng.shuffle(speakers.filter(({ name }) => !called.includes(name)));
  const joining = others.filter(({ talkativeness }) => rng.next() < talkativeness).map(({ name }) => name);
  const choice = [...called, ...joining];
  if (choice.length > 0) return choice;
  const willing = others.filter(({ talkativeness }) => talkativeness > 0);
  return [rng.pick(willing.length > 0 ? willing : others).name];
}

const shortestPart = 3;

/** Returns the names that occur in a text, in full or by one of their words, in order of occurrence. */
function namesIn(text: string, names: readonly string[]): readonly string[] {
  const terms = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = names.map((name) => {
    const parts = (name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((part) => part.length >= shortestPart);
    return { name, at: terms.findIndex((term) => parts.includes(term)) };
  });
  return places
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}
