/**
 * @file A user with a hidden brief: three entities that may be in it, two attributes of each, and three relations. Five questions may
 * be asked, and the rest is guessed. The belief graph names the question that would settle most.
 *
 * Options: ask ("beliefs", "flat", "random", or "none"), seed. "flat" ignores that attributes of absent entities do not matter. Prints
 * the share of the brief that is met after five turns, and after each turn.
 */

import { beliefGraph, beliefWords, entropyOf } from '@ludus-agents/agents/internal/mind/beliefs';
import type { MemoryRecord } from '@ludus-agents/agents/internal/mind/memory';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { found } from './_values.ts';

const entities = ['dog', 'lamp', 'boat'];
const pairs = ['dog>lamp', 'lamp>boat', 'boat>dog'];
export const names = [...entities, ...entities.flatMap((entity) => [`${entity}.color`, `${entity}.size`]), ...pairs];
const values = ['first', 'second', 'third', 'fourth'];
const [briefs, questions] = [100, 5];

export interface Hidden {
  readonly options: readonly string[];
  readonly chances: readonly number[];
  readonly truth: number;
}

export function drawn(name: string, random: Rng): Hidden {
  const options = entities.includes(name) ? ['there', 'not there'] : values;
  const sharpness = 1 + 5 * random.next();
  const weights = options.map(() => random.next() ** sharpness);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const chances = weights.map((weight) => Math.max(1, Math.round((100 * weight) / sum)));
  return { options, chances, truth: random.weighted(chances) };
}

export default function run({ ask = 'beliefs', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'briefs');
  const byTurn = Array.from({ length: questions + 1 }, () => 0);
  let named = 0;
  for (let brief = 0; brief < briefs; brief++) {
    const hidden = new Map(names.map((name) => [name, drawn(name, random)]));
    const settled = new Set<string>();
    for (let turn = 0; turn <= questions; turn++) {
      byTurn[turn] += metBy(hidden, settled) / briefs;
      const question = turn === questions || ask === 'none' ? undefined : nextQuestion(hidden, settled, String(ask), random);
      if (question !== undefined) settled.add(question);
      if (ask === 'beliefs' && question !== undefined) named++;
    }
  }
  return { met: byTurn[byTurn.length - 1], byTurn, named };
}

/** What is believed of a part of the brief, or what it is once that is known. */
export function beliefText({ options, chances, truth }: Hidden, isSettled: boolean): string {
  return isSettled ? `${options[truth]} 100` : options.map((option, i) => `${option} ${chances[i]}`).join(', ');
}

function nextQuestion(hidden: ReadonlyMap<string, Hidden>, settled: ReadonlySet<string>, ask: string, random: Rng): string | undefined {
  const left = names.filter((name) => !settled.has(name));
  if (ask === 'random') return random.pick(left);
  const textOf = (name: string) => beliefText(found(hidden.get(name)), settled.has(name));
  if (ask === 'flat') return left.reduce((best, name) => (entropyOf(textOf(name)) > entropyOf(textOf(best)) ? name : best));
  const records = names.map((name) => ({ id: name, key: `belief.${name}`, text: textOf(name) }) as MemoryRecord);
  return /settle most is ([\w.>]+)/.exec(beliefWords(beliefGraph(records, ({ text }) => text)))?.[1];
}

/** Of what is in the brief, the share that is known or guessed; of an entity that is not in it only that it is not. */
export function metBy(hidden: ReadonlyMap<string, Hidden>, settled: ReadonlySet<string>): number {
  const isThere = (entity: string) => hidden.get(entity)?.truth === 0;
  const counted = names.filter((name) => name.split(/[.>]/).every((part) => !entities.includes(part) || part === name || isThere(part)));
  const isMet = (name: string) => {
    const { chances, truth } = found(hidden.get(name));
    return settled.has(name) || chances.indexOf(Math.max(...chances)) === truth;
  };
  return counted.filter(isMet).length / counted.length;
}
