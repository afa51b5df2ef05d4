/**
 * @file The form of a judge's answer as a JSON Schema, and how long an answer in that form can be.
 *
 * A schema depends on the rubric alone, never on the episode: servers translate each new one once and keep it. What a server does with it is
 * its own affair; every answer is read with the same patience.
 */

import type { Json } from '@ludus-agents/kernel/internal/core/index';

export type ReplyForm = {
  readonly schema: Json;
  /** The maximum number of tokens of an answer. */
  readonly tokens: number;
};

/** The longest quotation and the longest reason, in characters: a schema alone does not stop a model that repeats itself. */
const longest = { quote: 300, why: 200 } as const;
/** Tokens of one quotation with its place, and of one reason, both at their longest in a language of long words. */
const quoteTokens = 120;
const whyTokens = 70;
/** The maximum number of flaws on one axis; an axis reaches its worst value long before. */
const mostFlaws = 10;

/** An object that has all of these fields and no others. */
export function objectOf(properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export function listOf(items: Json, most: number): Json {
  return { type: 'array', items, maxItems: most };
}

const place = { event: { type: 'integer' }, quote: { type: 'string', maxLength: longest.quote } } as const;
const why = { type: 'string', maxLength: longest.why } as const;

export function penaltyReply(axes: readonly string[], severities: number): ReplyForm {
  const severity = { type: 'integer', enum: Array.from({ length: severities }, (_, i) => i + 1) };
  const flaw = objectOf({ ...place, severity, why });
  const axis = objectOf({ axis: { type: 'string', enum: axes }, flaws: listOf(flaw, mostFlaws), best: objectOf(place) });
  // A judge that finds this many flaws rarely gives each its longest quotation.
  const each = quoteTokens + (mostFlaws / 2) * (quoteTokens + whyTokens);
  return { schema: objectOf({ axes: listOf(axis, axes.length) }), tokens: 40 + axes.length * each };
}

export function checklistReply(items: readonly string[]): ReplyForm {
  const answer = { type: 'string', enum: ['yes', 'no', 'na'] };
  const item = objectOf({ item: { type: 'string', enum: items }, answer, ...place, why });
  return { schema: objectOf({ answers: listOf(item, items.length) }), tokens: 40 + items.length * (quoteTokens + whyTokens) };
}

export function pairwiseReply(axes: readonly string[]): ReplyForm {
  const preference = { type: 'integer', enum: [1, 2, 3, 4, 5] };
  const schema = objectOf({ axis: { type: 'string', enum: axes }, preference, a: objectOf(place), b: objectOf(place), why });
  return { schema, tokens: 40 + 2 * quoteTokens + whyTokens };
}
