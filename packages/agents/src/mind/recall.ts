/** @file Recall: ranks the valid memories that are out of view by their current relevance, and packs them into a token budget. */

import type { Seen } from '@ludus-agents/kernel/internal/core/index';
import { emotionVector, importanceOf } from './appraise.ts';
import { cutTo, packParcels, type Tokens } from './budget.ts';
import { type Memory, valid } from './memory.ts';
import type { Placed } from './mind.ts';
import { type EmotionalStrategy, emotionalRag, type GenerativeWeights, generativeAgents, normalise, type RankItem } from './rank.ts';
import { bm25, type Embed, relevances, termsOf } from './relevance.ts';

export type RankSettings =
  | { readonly by: 'generative'; readonly weights?: GenerativeWeights }
  | { readonly by: 'emotional'; readonly strategy: EmotionalStrategy };

export interface Recall {
  readonly query: string;
  readonly seat: string;
  readonly names: readonly string[];
  /** Events out of view. */
  readonly events: readonly Placed[];
  readonly memory: Memory;
  readonly recalled: Readonly<Record<string, number>>;
  readonly now: number;
  /** The current emotion, for the emotional rankers. */
  readonly emotion: readonly number[];
  readonly rank: RankSettings;
  readonly embed?: Embed | undefined;
  readonly most: number;
  readonly tokens: number;
  readonly count: Tokens;
}

export interface Recalled {
  readonly id: string;
  readonly text: string;
}

/** Older events are ignored, which limits the work of one turn. */
const mostEvents = 2000;

/** Tokens of a memory beyond its text. */
const overhead = 3;

/** A candidate for ranking. */
interface Trace extends Omit<RankItem, 'relevance'> {
  readonly text: string;
  readonly terms: readonly string[];
  relevance: number;
}

/** Constant properties of an event. */
interface Print {
  readonly text: string;
  readonly terms: readonly string[];
  readonly importance: number;
  readonly emotion: readonly number[];
}
/** By hearer, because a text matters more to the hearer it names. */
const prints = new WeakMap<readonly string[], WeakMap<Seen, Print>>();

export async function recall(wanted: Recall): Promise<readonly Recalled[]> {
  const traces = tracesOf(wanted);
  if (traces.length === 0 || wanted.most <= 0) return [];
  const close = await closeness(wanted, traces);
  const ranked = order(wanted, traces, close);
  const texts = new Map(traces.map(({ id, text }) => [id, text]));
  // A memory longer than the whole budget is cut; otherwise it could never be recalled.
  const distinct = firstOfEach(ranked, ({ id }) => texts.get(id) ?? '');
  const best = distinct.slice(0, wanted.most).map(({ id }, i) => {
    const text = cutTo(texts.get(id) ?? '', Math.max(0, wanted.tokens - overhead), wanted.count);
    return { id, score: -i, text, tokens: wanted.count(text) + overhead };
  });
  return packParcels(best, wanted.tokens).map(({ id, text }) => ({ id, text }));
}

/** Of items with the same text, only the first is returned. */
export function firstOfEach<T>(items: readonly T[], textOf: (item: T) => string): readonly T[] {
  const texts = new Set<string>();
  return items.filter((item) => {
    const text = textOf(item).toLowerCase().replace(/\s+/g, ' ').trim();
    return !texts.has(text) && texts.add(text);
  });
}

/** The similarity of each trace to the query: by meaning with an encoder, else by words. A mean of both was worse than meaning alone. */
async function closeness({ query, embed }: Recall, traces: readonly Trace[]): Promise<readonly number[]> {
  if (embed === undefined)
    return bm25(
      termsOf(query),
      traces.map(({ terms }) => terms),
    );
  const texts = traces.map(({ text }) => text);
  return relevances(query, texts, embed);
}

function order({ rank, emotion }: Recall, traces: readonly Trace[], close: readonly number[]) {
  // Distances must be on one scale: an embedding's cosine, or a fraction of the best match by words.
  const scaled = rank.by === 'emotional' ? normalise(close) : close;
  for (let i = 0; i < traces.length; i++) traces[i]!.relevance = scaled[i]!;
  return rank.by === 'emotional' ? emotionalRag(traces, rank.strategy, { emotion }) : generativeAgents(traces, rank.weights);
}

function tracesOf({ events, memory, recalled, now, seat, names }: Recall): readonly Trace[] {
  const out: Trace[] = [];
  for (const { index, turn, seen } of events.slice(-mostEvents)) {
    if (seen.kind !== 'message') continue;
    const id = `e${index}`;
    const { text, terms, importance, emotion } = printOf(seen, names);
    out.push({ id, age: now - (recalled[id] ?? turn), text, terms, importance, emotion, relevance: 0 });
  }
  for (const record of valid(memory, { at: now, viewer: seat }))
    if (record.kind !== 'plan')
      out.push({
        id: record.id,
        text: record.text,
        terms: termsOf(record.text),
        importance: record.importance,
        age: now - (record.lastRecall ?? record.recordedAt),
        relevance: 0,
        emotion: record.emotion ?? emotionVector(record.text),
      });
  return out;
}

/** A message as recalled, with its speaker. */
export function eventText({ from, text }: Seen & { readonly kind: 'message' }): string {
  return from === undefined ? text : `${from}: ${text}`;
}

function printOf(message: Seen & { readonly kind: 'message' }, names: readonly string[]): Print {
  const mine = prints.get(names) ?? new WeakMap<Seen, Print>();
  prints.set(names, mine);
  let print = mine.get(message);
  if (print === undefined) {
    const text = eventText(message);
    print = { text, terms: termsOf(text), importance: importanceOf(text, names), emotion: emotionVector(message.text) };
    mine.set(message, print);
  }
  return print;
}
