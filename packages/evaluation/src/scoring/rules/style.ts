/** @file Whether a seat sounds like its persona: sentence length, words to use and to avoid, and likeness to the persona's own examples. */

import { expandMacros, type Persona, sentences } from '@ludus-agents/agents/internal/personas/index';
import { type Evidence, states } from '@ludus-agents/kernel/internal/core/index';
import { meanOrNull } from '@ludus-agents/kernel/internal/core/mean';
import { evidenceOf, type ScoringRule } from '../scorer.ts';
import { type Log, type Utterance, wordsBy } from './log.ts';
import { likeness, type Profile, profileOf, wordsOf } from './text.ts';

/** The text of the persona's examples, greetings, and posts, with names in place of the macros of a card. */
export function samplesOf({ name, nickname, voice }: Persona): readonly string[] {
  const names = { char: nickname || name, user: 'you' };
  const spoken = voice.examples.flatMap(({ turns }) => turns.filter(({ speaker }) => speaker === 'char').map(({ speech }) => speech));
  return [...spoken, ...voice.greetings, ...voice.groupGreetings, ...voice.posts]
    .map((text) => expandMacros(text, names))
    .filter((text) => text.trim() !== '');
}

const profiles = new WeakMap<Persona, Profile | null>();

/** The persona's style; null where it has no text. */
export function voiceOf(persona: Persona): Profile | null {
  const knownProfile = profiles.get(persona);
  if (knownProfile !== undefined) return knownProfile;
  const samples = samplesOf(persona);
  const profile = samples.length === 0 ? null : profileOf(samples);
  profiles.set(persona, profile);
  return profile;
}

/** Fewer words than this say nothing about a voice. */
const fewest = 8;

/** The value is the mean of the parts that the persona gives a measure for. */
export const style: ScoringRule = {
  name: 'style',
  version: 1,
  unit: 'seat',
  scale: [0, 1],
  settings: { fewest },
  find({ log, seat, persona }) {
    const lines = wordsBy(log, seat).filter(({ text }) => text.trim() !== '');
    if (persona === null || lines.reduce((sum, { text }) => sum + wordsOf(text).length, 0) < fewest) return null;
    const length = lengthPart(log, lines, persona);
    const avoid = avoidPart(log, lines, persona);
    const parts = { length: length.part, use: usePart(lines, persona), avoid: avoid.part, likeness: likenessPart(lines, persona) };
    const value = meanOrNull(Object.values(parts).filter((part) => part !== null));
    return value === null ? null : { value, parts, evidence: [...length.evidence, ...avoid.evidence] };
  },
};

interface Measured {
  readonly part: number | null;
  readonly evidence: readonly Evidence[];
}

const unmeasured: Measured = { part: null, evidence: [] };

/** The share of sentences no longer than the persona's longest. */
function lengthPart(log: Log, lines: readonly Utterance[], { voice }: Persona): Measured {
  const most = voice.sentenceLen?.max;
  if (most === undefined) return unmeasured;
  const evidence: Evidence[] = [];
  let [all, long] = [0, 0];
  for (const line of lines) {
    for (const sentence of sentences(line.text)) {
      all++;
      const count = wordsOf(sentence).length;
      if (count <= most) continue;
      if (++long <= 2 && line.text.includes(sentence))
        evidence.push(...evidenceOf(log, line, { quote: sentence, supports: false, note: `${count} words, ${most} at most` }));
    }
  }
  return all === 0 ? unmeasured : { part: 1 - long / all, evidence };
}

/** The share of the words to use that were used at all, each counted once: saying one over and over earns nothing. */
function usePart(lines: readonly Utterance[], { voice }: Persona): number | null {
  const { use } = voice.lexicon;
  if (use.length === 0) return null;
  const used = use.filter((word) => lines.some(({ text }) => says(text, word))).length;
  // A few lines never use all words of a speaker.
  return Math.min(1, used / Math.min(use.length, lines.length));
}

/** The share of lines free of words the persona never uses. */
function avoidPart(log: Log, lines: readonly Utterance[], { voice }: Persona): Measured {
  const { avoid } = voice.lexicon;
  if (avoid.length === 0) return unmeasured;
  const broken = lines.flatMap((line) => {
    const word = avoid.find((item) => says(line.text, item));
    return word === undefined ? [] : [{ line, word }];
  });
  const evidence = broken.slice(0, 2).flatMap(({ line, word }) => evidenceOf(log, line, { supports: false, note: `never says "${word}"` }));
  return { part: 1 - broken.length / lines.length, evidence };
}

function says(text: string, value: string): boolean {
  return states(text, { kind: 'words', value });
}

function likenessPart(lines: readonly Utterance[], persona: Persona): number | null {
  const voice = voiceOf(persona);
  return voice === null ? null : likeness(profileOf(lines.map(({ text }) => text)), voice);
}
