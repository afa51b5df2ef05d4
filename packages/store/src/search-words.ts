/** @file The words of a search and of an episode, normalized equally for every store, ignoring case and accents. */

import { type EpisodeEvent, Fault } from '@ludus-agents/kernel/internal/core/index';

/** All phrases must occur; with `open`, the last word may be a prefix, because it is still being typed. */
export interface SearchWords {
  readonly phrases: readonly (readonly string[])[];
  readonly open: boolean;
}

/** Only the beginning of longer episodes is searched: PostgreSQL stores at most a megabyte of words for each. */
const mostText = 300_000;

const word = /[\p{L}\p{N}\p{M}]+/gu;

function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

export function foldedWords(text: string): readonly string[] {
  return (text.match(word) ?? []).map(foldText).filter((item) => item !== '');
}

/** "two words" in quotes must be adjacent; other words may be anywhere. */
export function readSearch(typed: string): SearchWords {
  const parts = typed.slice(0, 400).match(/"[^"]*"?|[^\s"]+/g) ?? [];
  const phrases = parts.flatMap((part) => {
    const words = foldedWords(part);
    return words.length === 0 ? [] : [words];
  });
  if (phrases.length === 0) throw new Fault('input', 'A search needs at least one word with letters or digits.');
  return { phrases, open: /[\p{L}\p{N}\p{M}]$/u.test(typed) };
}

/** The public text of an episode: messages and answers, without minds and prompts. */
export function wordsIn(events: readonly EpisodeEvent[]): string {
  const texts = events.flatMap((event) => (event.kind === 'message' ? [event.text] : event.kind === 'action' ? [event.action.text] : []));
  return texts.join('\n').slice(0, mostText);
}

export function matches(speech: string, { phrases, open }: SearchWords): boolean {
  const words = foldedWords(speech);
  return phrases.every((phrase, which) => {
    const goesOn = open && which === phrases.length - 1;
    const fits = (at: number) =>
      phrase.every((item, i) => (goesOn && i === phrase.length - 1 ? words[at + i]?.startsWith(item) === true : words[at + i] === item));
    return words.some((_, at) => fits(at));
  });
}

/** An excerpt around the first occurrence of a word. */
export function excerptOf(speech: string, { phrases }: SearchWords): string {
  const firsts = phrases.map(([first]) => first as string);
  const all = [...speech.matchAll(word)];
  const at = all.findIndex(([item]) => firsts.some((first) => foldText(item).startsWith(first)));
  if (at === -1) return '';
  const [from, to] = [all[Math.max(0, at - 6)]!, all[Math.min(all.length - 1, at + 10)]!];
  const text = speech
    .slice(from.index, to.index + to[0].length)
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300);
  return `${at > 6 ? '… ' : ''}${text}${at + 10 < all.length - 1 ? ' …' : ''}`;
}
