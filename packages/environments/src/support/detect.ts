/** @file Detects the strategy of a supporter's words, and the stage of the talk that it belongs to, from the text alone. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { type Feeling, facts, feelings, plans, type SeekerFact, type SupportPlan } from './cards.ts';

/** The eight strategies of emotional support conversations (Liu et al., 2021). */
export type Strategy = 'question' | 'restate' | 'reflect' | 'disclose' | 'affirm' | 'suggest' | 'inform' | 'other';

export type SupportMove =
  | { readonly strategy: 'question'; readonly fact: SeekerFact }
  | { readonly strategy: 'reflect'; readonly feeling: Feeling }
  | { readonly strategy: 'suggest'; readonly plan: SupportPlan }
  | { readonly strategy: 'restate' | 'disclose' | 'affirm' | 'inform' | 'other' };

/** The stage of each strategy. A strategy without a stage fits everywhere. */
export const stageOf: Readonly<Record<Strategy, 0 | 1 | 2 | null>> = {
  ...{ question: 0, restate: null, reflect: 1, disclose: null, affirm: null, suggest: 2, inform: 2, other: null },
};

export const stageNames = {
  helping: ['exploration', 'insight', 'action'],
  esconv: ['exploration', 'comforting', 'action'],
} as const;

const feelingWords: Readonly<Record<Feeling, RegExp>> = {
  fear: linear(/\b(afraid|fear|scared|anxious|frightened|worr\w+)\b/i),
  sadness: linear(/\b(sad|sadness|down|grief|griev\w+|unhappy)\b/i),
  anger: /\b(angry|anger|furious|cross)\b/i,
  shame: linear(/\b(ashamed|shame|embarrass\w+)\b/i),
  loneliness: /\b(lonely|loneliness|alone)\b/i,
  guilt: linear(/\b(guilt\w*|blame yourself|your fault)\b/i),
};
const planSigns: Readonly<Record<SupportPlan, RegExp>> = {
  rest: /\b(rest|sleep|days off|break)\b/i,
  talk: linear(/\b(tell (?:some|one)\w*|talk to|confide|speak with)\b/i),
  step: /\b(small step|one thing at a time|first step)\b/i,
  boundary: linear(/\b(say no|boundar\w+|refuse)\b/i),
  help: /\b(professional|therapist|counsellor|for a living|doctor)\b/i,
  list: /\b(list|write (?:it|everything|them) down)\b/i,
};
const factSigns: Readonly<Record<SeekerFact, RegExp>> = {
  since: /\b(since when|how long|when did)\b/i,
  people: /\b(who|anybody|anyone|family|friends|people)\b/i,
  tried: /\b(tried|try|done about|so far)\b/i,
  event: linear(/\b(what|happen\w*|tell me|why)\b/i),
};

function firstSign<K extends string>(signs: Readonly<Record<K, RegExp>>, text: string): K | null {
  for (const name in signs) if (signs[name].test(text)) return name;
  return null;
}

/** Detects the move in free text. Checks for advice before feelings, and for both before questions. */
export function detectMove(text: string): SupportMove {
  const plan = firstSign(planSigns, text);
  const advises = /\b(could you|you could|you might|why not|try to|maybe|perhaps|i suggest|how about|what if)\b/i.test(text);
  if (plan !== null && advises) return { strategy: 'suggest', plan };
  const feeling = firstSign(feelingWords, text);
  if (feeling !== null && /\b(you|your)\b/i.test(text) && linear(/\b(feel\w*|sounds?|seems?|must be|are|be)\b/i).test(text))
    return { strategy: 'reflect', feeling };
  if (text.includes('?')) return { strategy: 'question', fact: firstSign(factSigns, text) ?? 'event' };
  if (/\b(i (?:too|also|once|myself)|me too|when i was)\b/i.test(text)) return { strategy: 'disclose' };
  if (/\b(so you|you say|you mean|in other words)\b/i.test(text)) return { strategy: 'restate' };
  if (/\b(brave|strong|proud|well done|you can|understandable|i believe)\b/i.test(text)) return { strategy: 'affirm' };
  if (/\b(studies|research|many people|usually|is known|in general)\b/i.test(text)) return { strategy: 'inform' };
  return { strategy: 'other' };
}

/** Every move by its text. */
export const written: ReadonlyMap<string, SupportMove> = new Map<string, SupportMove>([
  ...facts.map((fact) => [`[question ${fact}]`, { strategy: 'question', fact }] as const),
  ...Object.keys(feelings).map((feeling) => [`[reflect ${feeling}]`, { strategy: 'reflect', feeling: feeling as Feeling }] as const),
  ...Object.keys(plans).map((plan) => [`[suggest ${plan}]`, { strategy: 'suggest', plan: plan as SupportPlan }] as const),
  ...(['restate', 'disclose', 'affirm', 'inform', 'other'] as const).map((strategy) => [`[${strategy}]`, { strategy }] as const),
]);

/** Counts pairs in the wrong order: a strategy of a later stage before one of an earlier stage. */
export function inversions(stages: readonly (number | null)[]): number {
  const knownStages = stages.filter((stage) => stage !== null);
  let count = 0;
  for (let i = 0; i < knownStages.length; i++)
    for (let j = i + 1; j < knownStages.length; j++) if (knownStages[i] > knownStages[j]) count++;
  return count;
}

/** Returns the macro F1: the mean F1 over the classes that occur. */
export function macroF1(pairs: readonly (readonly [truth: number, told: number])[]): number | null {
  const kinds = [...new Set(pairs.flat())];
  if (pairs.length === 0) return null;
  const scores = kinds.map((kind) => {
    const hit = pairs.filter(([truth, reported]) => truth === kind && reported === kind).length;
    const all = pairs.filter(([truth]) => truth === kind).length + pairs.filter(([, reported]) => reported === kind).length;
    return (2 * hit) / all;
  });
  return scores.reduce((sum, value) => sum + value, 0) / scores.length;
}
