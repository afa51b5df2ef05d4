/**
 * @file Sources of a new scene (after ArK): passages of lore, earlier scenes, and outside facts, and the recall of those that match the
 * request. Played scenes are part of the memory for the next one.
 */

import type { EpisodeEvent, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { fittingTexts, type RecallEncoder } from '../mind/relevance.ts';
import { expandMacros } from './lore/macros.ts';
import type { Persona } from './persona.ts';
import { mayKnow } from './visibility.ts';

export interface KnownPassage {
  readonly text: string;
  readonly kind: 'lore' | 'played' | 'fact';
  /** The card, episode, or file that contains it. */
  readonly source: string;
}

/** A character's facts that an acquaintance may know: statements and lorebook entries, never secrets. */
export function lorePassages({ id, name, nickname, statements, lore }: Persona): readonly KnownPassage[] {
  const shared = statements.filter(
    ({ visibility, kind, polarity }) => mayKnow(visibility, {}, 'acquaintance') && kind !== 'style' && polarity === 'must',
  );
  const entries = lore.entries.filter(({ enabled }) => enabled).map(({ content }) => content);
  const names = { char: nickname || name, user: 'everyone' };
  return [...shared.map(({ text }) => text), ...entries].flatMap((text) => {
    const plain = expandMacros(text, names).replace(/\s+/g, ' ').trim();
    return plain === '' ? [] : [{ text: plain, kind: 'lore' as const, source: id }];
  });
}

/** Messages and actions in a scene that all characters perceived. Private ones are left out. */
export function playedPassages(
  episode: string,
  events: readonly EpisodeEvent[],
  names: Readonly<Record<string, string>>,
): readonly KnownPassage[] {
  const seats = Object.keys(names);
  return events.flatMap((event): readonly KnownPassage[] => {
    if (event.kind !== 'message' || event.from === undefined || names[event.from] === undefined) return [];
    const isPublic = seats.every((seat) => seat === event.from || event.to.includes(seat));
    const kind = ((event.data ?? {}) as JsonObject)['kind'] ?? 'speak';
    if (!isPublic || event.text.trim() === '') return [];
    const text = kind === 'speak' ? `${names[event.from]} said: ${event.text}` : event.text;
    return [{ text: text.replace(/\s+/g, ' ').trim(), kind: 'played', source: episode }];
  });
}

/** The facts of a text: one per line, without list and heading marks. */
export function factPassages(file: string, text: string): readonly KnownPassage[] {
  return text.split('\n').flatMap((line) => {
    const plain = line.replace(/^\s*(?:[-*+#>]+|\d+[.)])\s*/, '').trim();
    return plain === '' ? [] : [{ text: plain, kind: 'fact' as const, source: file }];
  });
}

/** The passages that match the request, closest first; ties go to the later one. A repeated text counts once, at its last position. */
export async function recallPassages(
  wanted: string,
  passages: readonly KnownPassage[],
  most: number,
  encoder?: RecallEncoder,
): Promise<readonly KnownPassage[]> {
  const latest = [...new Map(passages.map((passage) => [passage.text.toLowerCase(), passage])).values()].reverse();
  const texts = latest.map(({ text }) => text);
  return (await fittingTexts(wanted, texts, { encoder, most })).map((i) => latest[i]!);
}

/** A scene without a model: the request is its topic, and the recalled facts are common knowledge. */
export function sceneByRule(wanted: string, cast: readonly string[], recalled: readonly KnownPassage[]): JsonObject {
  const topic = wanted.trim().replace(linear(/[.!?]+$/), '');
  const knownNames = recalled.map(({ text }) => (/[.!?…"”]$/.test(text) ? text : `${text}.`));
  return {
    name: topic.slice(0, 40).trim(),
    setting: ['They meet again.', ...(knownNames.length === 0 ? [] : ['All of them know this:', ...knownNames])].join(' '),
    topic,
    characters: cast.map((persona) => ({ persona })),
  };
}

/** The model's prompt: the request, the required characters, and the known facts with numbers. */
export function sceneRequest(wanted: string, cast: readonly string[], recalled: readonly KnownPassage[]): string {
  return [
    wanted,
    `These are there, and "persona" of each character is exactly one of these names: ${cast.map((name) => JSON.stringify(name)).join(', ')}.`,
    ...(recalled.length === 0
      ? []
      : ['Build on what is known, and contradict none of it:', ...recalled.map(({ text }, i) => `${i + 1}. ${text}`)]),
  ].join('\n');
}
