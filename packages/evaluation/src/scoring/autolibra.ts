/**
 * @file AutoLibra: metrics induced from what people say about episodes, and how well the metrics cover it.
 *
 * A model reads: it grounds feedback in aspects, gathers aspects into metrics, rates episodes, and matches aspects with ratings. Code does
 * the rest: quotes are checked, matches must agree in sign, and coverage and redundancy are counts. Unlike the released code, ratings of
 * "not applicable" are no traits and cannot be redundant.
 */

import type { ChatMessage, Episode, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { JudgeClient } from './judges/ask.ts';
import { type EscapedText, maskOf, toEscapedText } from './judges/inert.ts';
import { quoteSpan } from './judges/quote.ts';
import { objectWith, type ParsedReply, problem } from './judges/reply.ts';
import { linesOf, sceneOf } from './judges/scene.ts';
import { listOf, objectOf, type ReplyForm } from './judges/schema.ts';

/** A person's feedback about an episode. */
export interface Remark {
  readonly episode: Episode;
  readonly feedback: string;
}

/** One thing that was praised or criticised, in the words of the feedback. */
export interface Aspect {
  readonly id: string;
  readonly remark: number;
  readonly behaviour: string;
  readonly quote: string;
  readonly sign: 1 | -1;
}

export interface Metric {
  readonly name: string;
  readonly definition: string;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

/** 1 well done, −1 badly done, 0 not applicable. */
export type Rating = 1 | 0 | -1;

// ── arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Cover {
  /** The share of aspects that a trait of the same sign accounts for. */
  readonly coverage: number | null;
  /** The share of traits that match no aspect. */
  readonly redundancy: number | null;
  /** The same with ratings of "not applicable" among the traits, as the released code counts. */
  readonly redundancyWithUnrated: number | null;
  readonly aspects: number;
  readonly traits: number;
}

export interface Matching {
  readonly aspects: readonly { readonly id: string; readonly sign: 1 | -1 }[];
  readonly ratings: Readonly<Record<string, Rating>>;
  /** Aspect by aspect the metric it was matched with, or null. */
  readonly matches: Readonly<Record<string, string | null>>;
}

/** Coverage and redundancy over many episodes. A match with a rating of another sign, or with none, does not count. */
export function coverOf(matchings: readonly Matching[]): Cover {
  let [aspects, matched, traits, used, unrated] = [0, 0, 0, 0, 0];
  for (const { aspects: ownItems, ratings, matches } of matchings) {
    const hit = new Set<string>();
    for (const { id, sign } of ownItems) {
      const metric = matches[id] ?? null;
      if (metric === null || ratings[metric] !== sign) continue;
      matched++;
      hit.add(metric);
    }
    const rated = Object.values(ratings);
    aspects += ownItems.length;
    traits += rated.filter((rating) => rating !== 0).length;
    unrated += rated.filter((rating) => rating === 0).length;
    used += hit.size;
  }
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    coverage: share(matched, aspects),
    redundancy: share(traits - used, traits),
    redundancyWithUnrated: share(traits + unrated - used, traits + unrated),
    aspects,
    traits,
  };
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Aspects whose quote is in the feedback; white space may differ, words may not. */
export function readAspects(text: string, { feedback }: Pick<Remark, 'feedback'>, remark: number): ParsedReply<readonly Aspect[]> {
  const list = listUnder(text, 'aspects');
  if (!list.ok) return list;
  const escapedText = inert(feedback);
  const aspects: Aspect[] = [];
  for (const item of list.value) {
    const { behaviour, quote, sign } = item;
    if (typeof behaviour !== 'string' || typeof quote !== 'string' || (sign !== 1 && sign !== -1))
      return problem('each aspect needs "behaviour" and "quote" as texts and "sign" as 1 or -1');
    const span = quoteSpan(escapedText, quote);
    if (span === null) return problem(`"${quote.slice(0, 60)}" is not in the feedback; copy its words exactly`);
    aspects.push({ id: `${remark}.${aspects.length}`, remark, behaviour, quote: feedback.slice(...span), sign });
  }
  return { ok: true, value: aspects };
}

export function readMetrics(text: string, most: number): ParsedReply<readonly Metric[]> {
  const list = listUnder(text, 'metrics');
  if (!list.ok) return list;
  const texts = (json: Json | undefined) => (Array.isArray(json) ? json.filter((item) => typeof item === 'string') : []);
  const metrics: Metric[] = [];
  for (const { name, definition, good, bad } of list.value) {
    if (typeof name !== 'string' || name.trim() === '' || typeof definition !== 'string')
      return problem('each metric needs a "name" and a "definition"');
    if (metrics.some((metric) => metric.name === name)) return problem(`two metrics are called "${name}"`);
    metrics.push({ name, definition, good: texts(good), bad: texts(bad) });
  }
  if (metrics.length === 0 || metrics.length > most) return problem(`there must be 1 to ${most} metrics, but there are ${metrics.length}`);
  return { ok: true, value: metrics };
}

export function readRatings(text: string, metrics: readonly Metric[]): ParsedReply<Readonly<Record<string, Rating>>> {
  const read = objectWith(text, 'ratings');
  if (!read.ok) return read;
  const input = read.value['ratings'];
  const ratings: Record<string, Rating> = {};
  for (const { name } of metrics) {
    const rating = isObject(input) ? input[name] : undefined;
    if (rating !== 1 && rating !== 0 && rating !== -1) return problem(`the metric "${name}" needs a rating of 1, 0 or -1`);
    ratings[name] = rating;
  }
  return { ok: true, value: ratings };
}

/** Matches that name a metric rated with the aspect's own sign; others count as no match, because code can check that they are wrong. */
export function readMatches(text: string, { aspects, ratings }: Omit<Matching, 'matches'>): ParsedReply<Matching['matches']> {
  const read = objectWith(text, 'matches');
  if (!read.ok) return read;
  const input = read.value['matches'];
  if (!isObject(input)) return problem('"matches" must be an object from aspects to metrics or null');
  const matches: Record<string, string | null> = {};
  for (const { id, sign } of aspects) {
    const metric = input[id];
    if (metric === undefined) return problem(`the aspect ${id} is missing`);
    matches[id] = typeof metric === 'string' && ratings[metric] === sign ? metric : null;
  }
  return { ok: true, value: matches };
}

function listUnder(text: string, key: string): ParsedReply<readonly JsonObject[]> {
  const read = objectWith(text, key);
  if (!read.ok) return read;
  const list = read.value[key];
  if (!Array.isArray(list) || !list.every(isObject)) return problem(`"${key}" must be a list of objects`);
  return { ok: true, value: list };
}

// ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Induced {
  readonly metrics: readonly Metric[];
  readonly cover: Cover;
  /** Questions that stayed without a readable answer; what hung on them is left out. */
  readonly unread: number;
}

export interface InduceOptions {
  readonly desk: JudgeClient;
  /** Numbers of metrics to try; the one with the most coverage less redundancy on the remarks held out is kept. */
  readonly sizes: readonly number[];
  /** Remarks that take no part in making metrics and decide between them; without any, the same ones do both. */
  readonly heldOut?: readonly Remark[];
  readonly signal: AbortSignal;
  /** Called with what was wrong, for each question without a readable answer. */
  readonly onUnread?: (problem: string) => void;
}

/** Induces metrics from remarks; null where no aspect or no metric could be read. */
export async function induceMetrics(remarks: readonly Remark[], options: InduceOptions): Promise<Induced | null> {
  const result = await groundAll(remarks, options);
  if (result.aspects.length === 0) return null;
  const tested = options.heldOut === undefined ? result : await groundAll(options.heldOut, options);
  const judged = options.heldOut ?? remarks;
  let best: Induced | null = null;
  for (const size of options.sizes) {
    const metrics = await options.desk.ask(
      clusterChat(result.aspects, size),
      (text) => readMetrics(text, size),
      options.signal,
      metricsReply(size),
    );
    if (metrics.status !== 'ok') {
      options.onUnread?.(metrics.problem);
      continue;
    }
    const { cover, unread } = await examine(judged, tested.aspects, { ...options, metrics: metrics.value });
    const induced: Induced = { metrics: metrics.value, cover, unread: unread + result.unread + tested.unread };
    if (best === null || worth(cover) > worth(best.cover)) best = induced;
  }
  return best;
}

function worth({ coverage, redundancy }: Cover): number {
  return (coverage ?? 0) - (redundancy ?? 1);
}

type Asking = Pick<InduceOptions, 'desk' | 'signal' | 'onUnread'>;

async function groundAll(remarks: readonly Remark[], { desk, signal, onUnread }: Asking) {
  const aspects: Aspect[] = [];
  let unread = 0;
  for (const [i, remark] of remarks.entries()) {
    const answer = await desk.ask(groundChat(remark), (text) => readAspects(text, remark, i), signal, aspectsReply);
    if (answer.status === 'ok') aspects.push(...answer.value);
    else {
      onUnread?.(answer.problem);
      unread++;
    }
  }
  return { aspects, unread };
}

/** Rates each episode on the metrics, matches its aspects with the ratings, and counts. */
export async function examine(
  remarks: readonly Remark[],
  aspects: readonly Aspect[],
  { desk, signal, metrics }: Asking & { readonly metrics: readonly Metric[] },
): Promise<{ readonly cover: Cover; readonly unread: number }> {
  const matchings: Matching[] = [];
  let unread = 0;
  for (const [i, remark] of remarks.entries()) {
    const ownAspects = aspects.filter((aspect) => aspect.remark === i);
    const ratings = await desk.ask(rateChat(remark, metrics), (text) => readRatings(text, metrics), signal, ratingsReply(metrics));
    const input = ratings.status === 'ok' ? { aspects: ownAspects, ratings: ratings.value } : null;
    const matches =
      input === null ? null : await desk.ask(matchChat(ownAspects, input.ratings), (text) => readMatches(text, input), signal);
    if (input === null || matches?.status !== 'ok') unread++;
    else matchings.push({ ...input, matches: matches.value });
  }
  return { cover: coverOf(matchings), unread };
}

const textSchema = (maxLength: number) => ({ type: 'string', maxLength });

const aspectsReply: ReplyForm = {
  schema: objectOf({
    aspects: listOf(objectOf({ behaviour: textSchema(200), quote: textSchema(300), sign: { type: 'integer', enum: [1, -1] } }), 12),
  }),
  tokens: 1500,
};

function metricsReply(most: number): ReplyForm {
  const examples = listOf(textSchema(200), 4);
  const metric = objectOf({ name: textSchema(60), definition: textSchema(300), good: examples, bad: examples });
  return { schema: objectOf({ metrics: listOf(metric, most) }), tokens: 100 + 350 * most };
}

function ratingsReply(metrics: readonly Metric[]): ReplyForm {
  const rating = { type: 'integer', enum: [1, 0, -1] };
  const ratings = objectOf(Object.fromEntries(metrics.map(({ name }) => [name, rating])));
  return { schema: objectOf({ ratings }), tokens: 40 + 40 * metrics.length };
}

const system = 'You help to find out what people value in how agents behave. Answer with exactly one JSON object and nothing else.';

function chat(lines: readonly string[]): readonly ChatMessage[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: lines.join('\n') },
  ];
}

/** Feedback may be anything; in a chat it must not look like a turn of it. */
function inert(feedback: string): EscapedText {
  return toEscapedText(feedback, maskOf([]));
}

function transcript({ episode }: Remark): string {
  return linesOf(sceneOf(episode));
}

function groundChat(remark: Remark): readonly ChatMessage[] {
  return chat([
    'An episode, line by line, and what somebody said about it. List each behaviour that is praised or criticised, once.',
    'Form: {"aspects": [{"behaviour": "what was done", "quote": "the words of the feedback, copied", "sign": 1 or -1}]}',
    '',
    'Episode:',
    transcript(remark),
    '',
    'Feedback:',
    inert(remark.feedback).text,
  ]);
}

function clusterChat(aspects: readonly Aspect[], size: number): readonly ChatMessage[] {
  return chat([
    `Behaviours that people praised (+) or criticised (-). Gather them into at most ${size} metrics, each about one thing.`,
    'Form: {"metrics": [{"name": "…", "definition": "…", "good": ["behaviour", …], "bad": ["behaviour", …]}]}',
    '',
    ...aspects.map(({ sign, behaviour }) => `${sign > 0 ? '+' : '-'} ${behaviour}`),
  ]);
}

function rateChat(remark: Remark, metrics: readonly Metric[]): readonly ChatMessage[] {
  return chat([
    'Rate the episode on each metric: 1 where it does well, -1 where it does badly, 0 where the metric does not apply.',
    'Form: {"ratings": {"metric name": 1, …}}',
    '',
    ...metrics.map(({ name, definition }) => `${name}: ${definition}`),
    '',
    'Episode:',
    transcript(remark),
  ]);
}

function matchChat(aspects: readonly Aspect[], ratings: Matching['ratings']): readonly ChatMessage[] {
  const rated = Object.entries(ratings).filter(([, rating]) => rating !== 0);
  return chat([
    'For each behaviour that was praised (+) or criticised (-), name the one rated metric with the same sign that is about it, or null.',
    'Form: {"matches": {"id": "metric name" or null, …}}',
    '',
    'Rated metrics:',
    ...rated.map(([name, rating]) => `${rating > 0 ? '+' : '-'} ${name}`),
    '',
    'Behaviours:',
    ...aspects.map(({ id, sign, behaviour }) => `${id} ${sign > 0 ? '+' : '-'} ${behaviour}`),
  ]);
}
