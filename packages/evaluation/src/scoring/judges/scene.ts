/**
 * @file An episode as a judge reads it: numbered lines of what was said, without anything that reveals the players, and without thoughts or
 * notes.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import type { ActionEvent, Episode, EpisodeEvent, Evidence, MessageEvent, Seat } from '@ludus-agents/kernel/internal/core/index';
import { type EscapedText, maskOf, toEscapedText } from './inert.ts';
import { quoteSpan } from './quote.ts';

export interface SceneLine {
  readonly event: number;
  readonly speaker: string;
  readonly shown: EscapedText;
  readonly original: string;
}

export interface JudgedScene {
  readonly episode: string;
  readonly lines: readonly SceneLine[];
  /** Actions of the judged seat, or of all seats if none is named. */
  readonly turns: number;
}

export interface JudgedSceneOptions {
  readonly seat?: Seat;
  /** Further names to hide. */
  readonly hide?: readonly string[];
  /** Names that must stay: the names of the persona. */
  readonly keep?: readonly string[];
}

export function sceneOf(episode: Episode, options: JudgedSceneOptions = {}, mask: RegExp = maskFor(episode.events, options)): JudgedScene {
  const { events, id } = episode;
  const lines: SceneLine[] = [];
  const lastSaid = new Map<Seat, string>();
  let turns = 0;
  let before: EpisodeEvent | undefined;
  for (const [event, item] of events.entries()) {
    if (item.kind === 'action') {
      if (options.seat === undefined || item.seat === options.seat) turns++;
      lastSaid.set(item.seat, item.action.text);
      lines.push(lineOf(event, item, mask));
    } else if (item.kind === 'message') {
      // An environment repeats a seat's words, often to each seat in turn: they are shown once.
      const echo = item.from !== undefined && lastSaid.get(item.from)?.trim() === item.text.trim();
      const again = before?.kind === 'message' && before.text === item.text && before.from === item.from;
      if (item.to.length > 0 && !echo && !again) lines.push(lineOf(event, item, mask));
      before = item;
      continue;
    } else if (item.kind === 'turn' || item.kind === 'reward') continue;
    before = item;
  }
  return { episode: id, lines: lines.filter(({ shown }) => shown.text.trim() !== ''), turns };
}

function lineOf(event: number, item: ActionEvent | MessageEvent, mask: RegExp): SceneLine {
  const original = item.kind === 'action' ? item.action.text : item.text;
  const speaker = item.kind === 'action' ? item.seat : (item.from ?? `told to ${item.to.join(', ')}`);
  return { event, speaker: toEscapedText(speaker, mask).text, shown: toEscapedText(original, mask), original };
}

/** The scene as text, one line per event: its number, the speaker, the text. */
export function linesOf(scene: JudgedScene): string {
  return scene.lines.map(({ event, speaker, shown }) => `${event} | ${speaker} | ${shown.text}`).join('\n');
}

/** The evidence of a quote, quoted from the log; null if the quote is not in that event. */
export function evidenceAt(scene: JudgedScene, event: number, quote: string): Pick<Evidence, 'episode' | 'event' | 'quote'> | null {
  const line = scene.lines.find((line) => line.event === event);
  const span = line === undefined ? null : quoteSpan(line.shown, quote);
  return line === undefined || span === null ? null : { episode: scene.episode, event, quote: line.original.slice(...span) };
}

/** Agents are cast under names and models have ids; both are hidden, unless they are what a seat or the persona is called. */
export function maskFor(events: readonly EpisodeEvent[], { hide = [], keep = [] }: JudgedSceneOptions): RegExp {
  const names = new Set(hide);
  const retained = new Set(keep.map((name) => name.toLowerCase()));
  for (const item of events) {
    if (item.kind === 'start') {
      for (const seat of item.seats) retained.add(seat.toLowerCase());
      // A cast of plain words ("random", "human") would hide those words everywhere; they say nothing about a model either.
      for (const name of Object.values(item.cast)) if (!/^\p{Ll}+$/u.test(name)) names.add(name);
    } else if (item.kind === 'action')
      for (const { model } of item.calls ?? []) {
        names.add(model);
        for (const part of model.split(/[/@:]/)) if (/\d/.test(part)) names.add(part);
      }
  }
  return maskOf([...names].filter((name) => !retained.has(name.toLowerCase())));
}

/** Who the judged seat is meant to be, as lines for a judge: with secrets, because a judge must know what may not be said. */
export function personaLines(persona: Persona, mask: RegExp): readonly string[] {
  const line = (label: string, text: string) => `${label} | ${toEscapedText(text, mask).text}`;
  const { age } = persona.identity.social;
  const { register, lexicon } = persona.voice;
  return [
    line('name', persona.name),
    ...(age === undefined ? [] : [line('age', String(age))]),
    ...persona.statements.map(({ text, polarity }) => line(polarity === 'must_not' ? 'never' : 'statement', text)),
    ...persona.goals.map(({ text }) => line('goal', text)),
    ...persona.secrets.map(({ text }) => line('secret', text)),
    ...(register === undefined ? [] : [line('voice', register)]),
    ...lexicon.avoid.map((word) => line('never says', word)),
  ];
}
