/**
 * @file Beliefs about a user's wishes, as a graph (Proactive Agents, arXiv 2412.06771): entities that may exist, their attributes, and
 * relations between two, each with probabilities. It names the question with the highest information gain, and the next one.
 *
 * Keys: `belief.dog = there 70, not there 30`, `belief.dog.color = red 60, blue 40`, `belief.dog>sofa = on 80, under 20`. A belief about an
 * uncertain entity is weighted by the probability that the entity exists. A belief edited by a person is fixed.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { MemoryRecord } from './memory.ts';

export interface Belief {
  /** The subject: an entity, "entity.attribute", or "entity>entity". */
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly chance: number }[];
  /** The expected information gain in bits, weighted by the probability that its entities exist. */
  readonly bits: number;
  readonly edited: boolean;
}

const prefix = 'belief.';

/** Whether this is the key of a belief. */
export function isBeliefKey(key: string | undefined): boolean {
  return key?.toLowerCase().startsWith(prefix) === true;
}

/** The beliefs in memories, with the information gain of each question. */
export function beliefGraph(facts: readonly MemoryRecord[], contentOf: (fact: MemoryRecord) => string): readonly Belief[] {
  const stated = facts
    .filter(({ key }) => isBeliefKey(key))
    .map((fact) => {
      const text = contentOf(fact);
      return { name: (fact.key ?? '').slice(prefix.length), text, options: optionsIn(text), edited: fact.edited === true };
    });
  const presence = new Map(
    stated.filter(({ name }) => entitiesOf(name).length === 0).map(({ name, options }) => [name.toLowerCase(), thereIn(options)]),
  );
  return stated.map(({ name, text, options, edited }) => {
    const there = entitiesOf(name).reduce((chance, entity) => chance * (presence.get(entity) ?? 1), 1);
    return { name, options, edited, bits: there * entropyOf(text) };
  });
}

/** The entities that a belief depends on: none for a belief about an entity itself. */
function entitiesOf(name: string): readonly string[] {
  if (name.includes('>')) return name.split('>').map((entity) => entity.trim().toLowerCase());
  const dot = name.indexOf('.');
  return dot < 0 ? [] : [name.slice(0, dot).toLowerCase()];
}

/** The probability that an entity exists; 1 if its belief is about something else. */
function thereIn(options: Belief['options']): number {
  const sum = options.reduce((total, { chance }) => total + chance, 0);
  const absent = options
    .filter(({ value }) => /^(?:no\b|not\b|none\b|absent\b)/i.test(value))
    .reduce((total, { chance }) => total + chance, 0);
  return sum === 0 ? 1 : 1 - absent / sum;
}

/** The beliefs as prompt text, with the question that has the highest information gain; empty if there are none. */
export function beliefWords(beliefs: readonly Belief[]): string {
  const [first] = beliefs;
  if (first === undefined) return '';
  const groups = new Map<string, string[]>();
  for (const belief of beliefs) {
    const [entity = belief.name] = belief.name.includes('>') ? [belief.name] : belief.name.split('.');
    groups.set(entity, [...(groups.get(entity) ?? []), textOf(belief)]);
  }
  const open = beliefs.filter(({ bits, edited }) => bits > 0 && !edited).sort((a, b) => b.bits - a.bits);
  const [most, next] = open.map(({ name }) => name);
  // The latest answer may not be recorded yet, so the next question is named too.
  const then = next === undefined ? '' : `, or ${next} where that was just answered`;
  const ask = most === undefined ? '' : ` What would settle most is ${most}${then}: ask about it before anything else.`;
  return `What you believe: ${[...groups.values()].map((rows) => rows.join('; ')).join('; ')}.${ask}`;
}

function textOf({ name, options, edited }: Belief): string {
  const chances = options.map(({ value, chance }) => (Number.isNaN(chance) ? value : `${value} ${chance}`)).join(', ');
  return `${name}: ${chances}${edited ? ' (stated by the user, do not change)' : ''}`;
}

function optionsIn(text: string): Belief['options'] {
  return text
    .split(linear(/\s*[,;]\s*/))
    .filter((part) => part !== '')
    .map((part) => {
      const match = linear(/^(.*\S)\s+(\d+(?:\.\d+)?)\s*%?$/).exec(part.trim());
      return match === null ? { value: part.trim(), chance: Number.NaN } : { value: match[1]!, chance: Number(match[2]) };
    });
}

/** The entropy in bits of a text like "red 60, blue 40"; 0 without probabilities. */
export function entropyOf(text: string): number {
  const weights = [...text.matchAll(linear(/(\d+(?:\.\d+)?)\s*%?(?=\s{0,40}(?:,|;|$))/g))]
    .map(([, weight]) => Number(weight))
    .filter((value) => value > 0);
  const sum = weights.reduce((total, value) => total + value, 0);
  return weights.length < 2 ? 0 : weights.reduce((bits, value) => bits - (value / sum) * Math.log2(value / sum), 0);
}
