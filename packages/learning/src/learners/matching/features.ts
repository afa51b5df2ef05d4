/**
 * @file Describes listed moves by how they match what a seat has read: words that a move or the text around it shares with the task, where
 * it is mentioned, and what was done before. Two tasks with other words get the same features, so what is learned in one holds in the other.
 */

import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import type { Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

/** The number of weights. Features share a weight if their names have the same hash. */
export const size = 2 ** 14;

/** The number of tasks in which each term of the first messages occurs. Terms of all tasks, such as those of the rules, don't matter. */
export type TermCounts = { readonly tasks: number; readonly counts: Readonly<Record<string, number>> };

/** A feature's weight number and its value. */
export type Feature = readonly [number: number, value: number];

/** The text around a mention of a move, up to the mentions of other moves. */
type Mention = {
  readonly sentence: string;
  readonly first: string;
  readonly before: string;
  readonly after: string;
  readonly isLatest: boolean;
};

/** Values are small, so that a step of the usual learning rates changes a probability as much as in a table. */
const [plain, bag, exact] = [0.2, 0.1, 0.01];
const longest = 400;

/** With more moves than this, the words after which a move was good are not recalled, as that would be slow. */
const mostRecalled = 40;

/** Values are whole millionths, so that they can be tokens. */
export const unit = 1e6;

/** Returns the features of each listed move. */
export function featuresOf({ view, ask }: Turn, terms: TermCounts): readonly (readonly Feature[])[] {
  const messages = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const actions = view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
  const since = view.seen.slice(view.seen.findLastIndex(({ kind }) => kind === 'action') + 1);
  const latest = since.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).join('\n') || (messages.at(-1) ?? '');
  const termSets = new Map<string, ReadonlySet<string>>();
  const termsIn = (text: string) => {
    const terms = termSets.get(text) ?? new Set(termsOf(text));
    termSets.set(text, terms);
    return terms;
  };
  const goal = weightTerms(termsIn(messages[0] ?? ''), terms);
  const questionWord =
    linear(/(\p{L}+)[^.?!\n]*\?/u)
      .exec(messages[0] ?? '')?.[1]
      .toLowerCase() ?? '';
  const moves = (ask.choices ?? []).map(partsOf);
  const find = mentionsIn([...messages.slice(0, -1), latest]);
  const places = find(moves.map(({ rest }) => rest));
  const news = weightTerms(termsIn(latest), countTerms([]));
  const shares = moves.map(({ rest }, i) => {
    const { sentence = '', before = '', after = '', first = '' } = places[i] ?? {};
    const ofGoal = {
      move: goal(termsIn(rest)),
      sentence: goal(termsIn(sentence)),
      before: goal(termsIn(before)),
      after: goal(termsIn(after)),
    };
    return { ...ofGoal, news: news(termsIn(first)) };
  });
  const latestTerms = [...new Set(latest.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [])].slice(-60);
  return moves.map(({ text, verb, rest }, i) => {
    const features: Feature[] = [];
    const add = (name: string, value: number) => {
      const rounded = Math.round(value * unit) / unit;
      if (rounded !== 0) features.push([slotOf(name), rounded]);
    };
    const place = places[i];
    const peers = moves.flatMap((move, at) => (move.verb === verb ? [at] : []));
    add(verb, plain);
    add(`${verb} ${rest}`, exact);
    for (const name of ['move', 'sentence', 'before', 'after', 'news'] as const) {
      const most = Math.max(...peers.map((at) => shares[at][name]));
      add(`${verb} shares ${name}`, plain * shares[i][name]);
      if (most > 0) add(`${verb} shares most ${name}`, plain * (shares[i][name] / most) ** 4);
    }
    add(`${verb} is ${place === null ? 'absent' : place.isLatest ? 'shown' : 'earlier'}`, plain);
    add(`${verb} first`, peers[0] === i ? plain : 0);
    add(`${verb} last`, peers.at(-1) === i ? plain : 0);
    add(`${verb} again`, actions.includes(text) ? plain : 0);
    add(`${verb} turn ${Math.min(actions.length, 6)}`, plain);
    add(`${verb} times ${Math.min(actions.filter((action) => partsOf(action).verb === verb).length, 3)}`, plain);
    add(`${verb} ${questionWord} ${formOf(rest)}`, plain);
    const around = place === null ? [] : [...new Set(place.sentence.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [])];
    for (const word of around) add(`${verb} near ${word}`, bag / Math.sqrt(around.length));
    if (moves.length <= mostRecalled) for (const word of latestTerms) add(`${text} after ${word}`, exact / Math.sqrt(latestTerms.length));
    return features;
  });
}

/** Counts the tasks of which the first messages contain each term. */
export function countTerms(firstMessages: readonly string[]): TermCounts {
  const counts: Record<string, number> = Object.create(null);
  for (const text of firstMessages) for (const term of new Set(termsOf(text))) counts[term] = (counts[term] ?? 0) + 1;
  return { tasks: firstMessages.length, counts };
}

/** Weighs terms by their rarity in tasks. Returns what gives the weighted share of the terms that a text has. */
function weightTerms(goalTerms: ReadonlySet<string>, { tasks, counts }: TermCounts): (other: ReadonlySet<string>) => number {
  // Without any tasks, all terms weigh the same.
  const weights = new Map(
    [...goalTerms].map((term) => [term, tasks === 0 ? 1 : Math.log((tasks + 1) / (Math.min(tasks, counts[term] ?? 0) + 1))]),
  );
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return (other) => (total === 0 ? 0 : [...other].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / total);
}

function partsOf(text: string): { readonly text: string; readonly verb: string; readonly rest: string } {
  const inner = text.replace(/^\[|\]$/g, '');
  const space = inner.indexOf(' ');
  return space < 0 ? { text, verb: inner, rest: '' } : { text, verb: inner.slice(0, space), rest: inner.slice(space + 1) };
}

/** Finds the newest mention of each text. For a text that is not mentioned, such as "e3 Ann", its first word counts. */
function mentionsIn(messages: readonly string[]) {
  const folded = messages.map((message) => message.toLowerCase());
  const locate = (words: string): readonly [message: number, at: number] | null => {
    if (words === '') return null;
    for (let i = folded.length - 1; i >= 0; i--) {
      const at = indexOfWords(folded[i], words);
      if (at >= 0) return [i, at];
    }
    return null;
  };
  const firstSentence = (words: string): string => {
    const i = folded.findIndex((text) => indexOfWords(text, words) >= 0);
    const at = i < 0 ? 0 : indexOfWords(folded[i], words);
    return i < 0 ? '' : sentenceAt(messages[i], at, at + words.length);
  };
  return (texts: readonly string[]): readonly (Mention | null)[] => {
    const places = texts.map((text) => {
      const words = text.toLowerCase();
      const place = locate(words);
      if (place !== null) return { place, length: words.length };
      const first = words.split(' ', 1)[0];
      return { place: first === words ? null : locate(first), length: first.length };
    });
    return places.map(({ place, length }, i): Mention | null => {
      if (place === null) return null;
      const [message, at] = place;
      const text = messages[message];
      const near = places.flatMap((other) =>
        other.place?.[0] === message ? [{ from: other.place[1], to: other.place[1] + other.length }] : [],
      );
      const from = Math.max(0, at - longest, ...near.flatMap(({ to }) => (to <= at ? [to] : [])));
      const to = Math.min(text.length, at + length + longest, ...near.flatMap((other) => (other.from > at ? [other.from] : [])));
      return {
        sentence: sentenceAt(text, at, at + length),
        first: firstSentence(texts[i].toLowerCase().slice(0, length)),
        before: text.slice(from, at),
        after: text.slice(at + length, to),
        isLatest: message === messages.length - 1,
      };
    });
  };
}

function indexOfWords(text: string, words: string): number {
  const isInside = (from: string, to: string) => /[\p{L}\p{N}]/u.test(from) && /[\p{L}\p{N}]/u.test(to);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!(at > 0 && isInside(text[at - 1], words[0])) && !(end < text.length && isInside(text[end], words.at(-1)!))) return at;
  }
  return -1;
}

/** Returns the sentence around a place. */
function sentenceAt(text: string, from: number, to: number): string {
  const breaks = /\n|[.?!]\s/g;
  let start = 0;
  for (const match of text.matchAll(breaks)) {
    if (match.index >= to) return text.slice(start, match.index);
    if (match.index + match[0].length <= from) start = match.index + match[0].length;
  }
  return text.slice(start);
}

/** Returns the form of a text, such as "9:9" or "Aa Aa". */
function formOf(text: string): string {
  return text
    .slice(0, 40)
    .replace(/\d+/g, '9')
    .replace(/\p{Lu}\p{L}*/gu, 'A')
    .replace(/\p{Ll}+/gu, 'a')
    .replace(/a(?: a)+/g, 'a a');
}

/** Returns the weight number of a feature's name (FNV-1a). */
function slotOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & (size - 1);
}
