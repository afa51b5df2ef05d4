/**
 * @file Beliefs about what someone wants, as a graph (Proactive Agents, arXiv 2412.06771): entities that may be there, attributes of them, and
 * relations between two, each with chances. The question that would settle most is named, and the one after it.
 *
 * Keys: `belief.dog = there 70, not there 30`, `belief.dog.color = red 60, blue 40`, `belief.dog>sofa = on 80, under 20`. What depends on an
 * entity that may not be there counts as much less as that is likely. A belief that a person edited holds.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { MemoryRecord } from './memory.ts';

export interface Belief {
  /** What it is about: an entity, "entity.attribute", or "entity>entity". */
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly chance: number }[];
  /** Bits that an answer would settle, with the chance that its entities are there at all. */
  readonly bits: number;
  readonly edited: boolean;
}

const prefix = 'belief.';

/** Is this the key of a belief? */
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

/** The entities that a belief depends on: none for one about an entity itself. */
function entitiesOf(name: string): readonly string[] {
  if (name.includes('>')) return name.split('>').map((entity) => entity.trim().toLowerCase());
  const dot = name.indexOf('.');
  return dot < 0 ? [] : [name.slice(0, dot).toLowerCase()];
}

/** How likely an entity is there: 1 where its belief is about something else. */
function thereIn(options: Belief['options']): number {
  const sum = options.reduce((total, { chance }) => total + chance, 0);
  const absent = options
    .filter(({ value }) => /^(?:no\b|not\b|none\b|absent\b)/i.test(value))
    .reduce((total, { chance }) => total + chance, 0);
  return sum === 0 ? 1 : 1 - absent / sum;
}

/** The beliefs as an agent reads them, with the question that would settle most; empty without any. */
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
  // An answer that was just given is not noted yet, so the next question is named too.
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

/** Bits of uncertainty in a text like "red 60, blue 40"; none in one that names no chances. */
export function entropyOf(text: string): number {
  const weights = [...text.matchAll(linear(/(\d+(?:\.\d+)?)\s*%?(?=\s{0,40}(?:,|;|$))/g))]
    .map(([, weight]) => Number(weight))
    .filter((value) => value > 0);
  const sum = weights.reduce((total, value) => total + value, 0);
  return weights.length < 2 ? 0 : weights.reduce((bits, value) => bits - (value / sum) * Math.log2(value / sum), 0);
}
