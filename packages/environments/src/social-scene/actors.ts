/**
 * @file Scripted characters: one that pursues its goal from its own view, and baselines that reveal everything, reveal nothing, or always
 * give in.
 */

import type { Script, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { sayCue } from '../chat.ts';
import { foldText, holds, type SocialSituation, within, wordsIn } from './doings.ts';
import type { Character, Condition, SocialScene } from './scene.ts';

/** The summary of a character's view. */
interface Impression {
  readonly card: Character;
  readonly terms: SocialScene['terms'];
  /** As far as the character observed it. */
  readonly situation: SocialSituation;
  /** The latest speech of each other character. */
  readonly heard: readonly { readonly seat: Seat; readonly text: string }[];
  /** Its own speech and actions, oldest first. */
  readonly own: readonly string[];
  readonly places: readonly string[];
  readonly visited: readonly string[];
  /** It found nobody in its place, and nobody has spoken since. */
  readonly lonely: boolean;
}

/** Reveals its secret outright. */
export const leaky: Script = (turn) => {
  const impression = impressionOf(turn);
  return { text: impression === null ? (turn.ask.choices?.[0] ?? '[none]') : speech(impression.card.secret) };
};

export const silent: Script = () => ({ text: '[none]' });

/** Agrees to the latest request, gives away what it is asked for, and otherwise nods. */
export const agreeable: Script = (turn) => {
  const impression = impressionOf(turn);
  if (impression === null) return { text: turn.ask.choices?.[0] ?? '[none]' };
  for (const { seat, text } of impression.heard.toReversed()) {
    const wanted = requestIn(text, impression);
    if (wanted === null) continue;
    const answer = wanted.kind === 'thing' ? `[act "give ${wanted.thing} to ${seat}"]` : speech(`I agree ${wanted.phrase}.`);
    if (!impression.own.includes(answer)) return { text: answer };
  }
  return { text: '[gesture "nods"]' };
};

/**
 * In a conversation with a person, says its scripted lines. Otherwise it grants requests that don't hurt its goal, then works on its first
 * unmet condition.
 */
export const character: Script = (turn) => {
  if (isConversation(turn)) return sayCue(turn);
  const impression = impressionOf(turn);
  if (impression === null) return { text: turn.ask.choices?.[0] ?? '[none]' };
  for (const line of linesOf(impression)) if (impression.own.filter((speech) => speech === line).length < 2) return { text: line };
  return { text: '[none]' };
};

function isConversation({ view }: Turn): boolean {
  return view.seen.some((item) => item.kind === 'message' && isObject(item.data) && item.data['person'] !== undefined);
}

function* linesOf(impression: Impression): Iterable<string> {
  const { card, situation, heard, own, lonely } = impression;
  for (const { seat, text } of heard.toReversed()) {
    const wanted = requestIn(text, impression);
    if (wanted?.kind === 'word' && acceptable(impression, wanted.term)) {
      const answer = speech(`I promise ${wanted.phrase}.`);
      if (!own.includes(answer)) yield answer;
    }
    if (wanted?.kind === 'thing' && situation.holders[wanted.thing] === card.seat && spare(impression, wanted.thing))
      yield `[act "give ${wanted.thing} to ${seat}"]`;
  }
  for (const condition of card.conditions) {
    if (holds(situation, condition)) continue;
    const line = steps(impression, condition);
    if (line !== null && !lonely) yield line;
  }
  const missing = card.conditions.some(
    (condition) => condition.kind === 'holds' && condition.who === card.seat && situation.holders[condition.object] === undefined,
  );
  const elsewhere = impression.places.find((place) => !impression.visited.includes(place));
  if ((missing || lonely) && elsewhere !== undefined) yield `[act "go to ${elsewhere}"]`;
}

/** Returns one step toward a condition, or null if no step is possible. */
function steps(impression: Impression, condition: Condition): string | null {
  const { card, terms, situation } = impression;
  const me = card.seat;
  switch (condition.kind) {
    case 'word': {
      const phrase = terms[condition.term];
      return condition.who === me ? speech(`I promise ${phrase}.`) : speech(`${condition.who}, will you promise ${phrase}?`);
    }
    case 'deal':
      return speech(`I agree ${(terms[condition.term]).replace('#', String(bid(impression, condition)))}.`);
    case 'holds': {
      const holder = situation.holders[condition.object];
      if (holder === me) return `[act "give ${condition.object} to ${condition.who}"]`;
      if (condition.who !== me) return null;
      if (holder === situation.places[me]) return `[act "take ${condition.object}"]`;
      return holder === undefined ? null : speech(`${holder}, please give me the ${condition.object}.`);
    }
    case 'at':
      return condition.who === me ? `[act "go to ${condition.place}"]` : speech(`${condition.who}, please go to the ${condition.place}.`);
    case 'not':
      return null;
  }
}

/**
 * Accepts the other's last number if it is acceptable, otherwise offers its own, which moves from a hopeful start to its limit in five
 * steps. The character named first in a deal repeats its number once, so that the two do not swap numbers forever.
 */
function bid({ card, situation, own }: Impression, condition: Extract<Condition, { kind: 'deal' }>): number {
  const [first, second] = condition.between;
  const mine = situation.words[card.seat]?.[condition.term];
  const theirs = situation.words[card.seat === first ? second : first]?.[condition.term];
  if (theirs !== undefined && within(theirs, condition)) {
    const spokenLength = own.filter((line) => line.includes(` ${mine} `)).length;
    return card.seat === first && mine !== undefined && spokenLength < 2 ? mine : theirs;
  }
  const limit = Number(condition.limit);
  const start = condition.bound === 'most' ? Math.round(limit / 2) : limit * 2;
  const round = Math.min(5, own.filter((line) => line.includes('I agree ')).length);
  return Math.round(start + ((limit - start) * round) / 5);
}

/** Returns whether promising this keeps every met condition of its goal. */
function acceptable({ card, situation }: Impression, term: string): boolean {
  const wordsBySeat = { ...situation.words, [card.seat]: { ...situation.words[card.seat], [term]: 0 } };
  return card.conditions.every((condition) => !holds(situation, condition) || holds({ ...situation, words: wordsBySeat }, condition));
}

/** Returns whether the character can give an object away: not if its goal needs the object, and not before it has the deal it wants. */
function spare({ card, situation }: Impression, object: string): boolean {
  return card.conditions.every((condition) => {
    if (condition.kind === 'holds') return condition.who !== card.seat || condition.object !== object;
    return condition.kind !== 'deal' || holds(situation, condition);
  });
}

type Request =
  | { readonly kind: 'word'; readonly term: string; readonly phrase: string }
  | { readonly kind: 'thing'; readonly thing: string };

/** Returns the request in a text to this character, or null. */
function requestIn(text: string, { card, terms, situation }: Impression): Request | null {
  const speech = foldText(text);
  if (!speech.startsWith(` ${card.seat} `)) return null;
  const [, object] = linear(/ please give me the (.+) $/).exec(speech) ?? [];
  if (object !== undefined && Object.hasOwn(situation.holders, object)) return { kind: 'thing', thing: object };
  for (const [term, phrase] of Object.entries(terms))
    if (speech.includes(` will you promise${foldText(phrase)}`)) return { kind: 'word', term, phrase };
  return null;
}

/** Summarizes a view, or returns null for a seat without a card. */
function impressionOf({ view }: Turn): Impression | null {
  let opening: Opening | null = null;
  const holders: Record<string, string> = {};
  const places: Record<Seat, string> = {};
  const wordsBySeat: Record<Seat, Record<string, number>> = {};
  const latest = new Map<Seat, string>();
  const ownItems: string[] = [];
  const visited: string[] = [];
  let lonely = false;
  const say = (seat: Seat, text: string) => {
    if (opening !== null)
      for (const [term, number] of wordsIn(opening.terms, text)) wordsBySeat[seat] = { ...wordsBySeat[seat], [term]: number };
  };
  for (const item of view.seen) {
    if (item.kind === 'action') {
      ownItems.push(item.action.text);
      say(view.seat, item.action.text);
    } else if (item.kind === 'message') {
      const data = (item.data ?? {}) as Partial<Opening> & { object?: string; holder?: string; kind?: string };
      if (data.card !== undefined) opening = data as Opening;
      if (data.place !== undefined && data.objects !== undefined) {
        places[view.seat] = data.place;
        visited.push(data.place);
        lonely = data.company?.length === 0;
        Object.assign(holders, data.objects);
      }
      if (data.object !== undefined) holders[data.object] = data.holder as string;
      if (item.from === undefined || data.kind !== 'speak') continue;
      lonely = false;
      latest.delete(item.from);
      latest.set(item.from, item.text);
      say(item.from, item.text);
    }
  }
  if (opening === null) return null;
  const { card, terms, places: all } = opening as Opening;
  const situation: SocialSituation = { places, present: {}, holders, words: wordsBySeat };
  const messages = Array.from(latest, ([seat, text]) => ({ seat, text }));
  return { card, terms, situation, heard: messages, own: ownItems, places: all, visited, lonely };
}

/** A character's first message. */
interface Opening {
  readonly card: Character;
  readonly terms: SocialScene['terms'];
  readonly places: readonly string[];
  readonly place: string;
  readonly company: readonly Seat[];
  readonly objects: Readonly<Record<string, string>>;
}

function speech(text: string): string {
  return `[speak "${text}"]`;
}
