/**
 * @file What a reader makes of answers that are known: planted lines of each trait, each moral level, and each relation of a sentence to a profile.
 * It is the trust card of a reader, and is shown next to what it read. Planted lines are plain, so it is an upper limit.
 */

import { type Persona, type Trait, traits, withNames } from '@ludus-agents/agents/internal/personas/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { Nli } from '../scoring/small/small.ts';
import type { Interval } from '../scoring/statistics/mean.ts';
import { wilson } from '../scoring/statistics/rates.ts';
import { plantedLines } from './dialogue-controls.ts';
import { dialogueTopics } from './dialogue-topics.ts';
import type { MoralScene } from './moral-play.ts';
import { type MoralReader, moralLevels } from './moral-readers.ts';
import { opposite } from './persona-facts.ts';
import type { TraitReader } from './portrayal.ts';

export interface ReaderCheck {
  /** What was planted, in the plural. */
  readonly about: string;
  readonly right: number;
  readonly n: number;
  readonly interval: Interval;
  /** The share that a reader gets right by guessing. */
  readonly chance: number;
}

function checkOf(about: string, verdicts: readonly boolean[], chance: number): ReaderCheck {
  const right = verdicts.filter((verdict) => verdict).length;
  return { about, right, n: verdicts.length, interval: wilson(right, verdicts.length), chance };
}

/** Every trait at both poles, in a dialogue of three lines; a reader must name the pole of that trait. */
export async function checkTraitReader(read: TraitReader): Promise<ReaderCheck> {
  const verdicts: boolean[] = [];
  for (const [i, trait] of traits.entries())
    for (const pole of [1, -1] as const) {
      const topic = dialogueTopics[(2 * i) % dialogueTopics.length];
      const reading = await read(topic?.turns ?? [], plantedLines(trait as Trait, pole === 1 ? 'high' : 'low'));
      verdicts.push(reading !== null && Math.sign(reading[trait]) === pole);
    }
  return checkOf('planted poles', verdicts, 1 / 3);
}

/** Each level of the first scenes, in the words of its description and in the first person. */
export async function checkMoralReader(reader: MoralReader, scenes: readonly MoralScene[]): Promise<ReaderCheck> {
  const verdicts: boolean[] = [];
  for (const [i, { ways }] of scenes.slice(0, 3).entries())
    for (const level of moralLevels) verdicts.push((await reader.read(`I ${ways[level - 1]}.`, ways, rng(0, 'check', i, level))) === level);
  return checkOf('planted levels', verdicts, 1 / 4);
}

/** Statements of a card against themselves, their opposites, and a statement about something else. */
export async function checkNli(nli: Nli, persona: Persona): Promise<ReaderCheck> {
  const statements = withNames(persona).statements.filter(({ polarity, kind }) => polarity === 'must' && kind !== 'style');
  const pairs = statements.slice(0, 4).flatMap(({ text }) => {
    const against = opposite(text, persona.name);
    return [
      { premise: text, hypothesis: text, label: 'entails' as const },
      ...(against === null ? [] : [{ premise: text, hypothesis: against, label: 'contradicts' as const }]),
      { premise: text, hypothesis: 'The kettle in the corner has begun to boil.', label: 'neutral' as const },
    ];
  });
  const verdicts = await nli.classify(pairs.map(({ premise, hypothesis }) => ({ premise, hypothesis })));
  return checkOf(
    'planted sentences',
    pairs.map(({ label }, i) => (verdicts[i]?.[label] ?? 0) > 0.5),
    1 / 3,
  );
}
