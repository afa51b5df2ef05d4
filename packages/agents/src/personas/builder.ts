/**
 * @file Builds a character from a few choices: career, aspiration, traits, skills, and emotion are written into the fields of the document,
 * checked for contradictions, and used to draw scenes for the character (after SimsChat).
 */

import { Fault, type Json, type JsonObject, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { emotions } from './form.ts';
import { lexicalBigFive } from './lexical.ts';
import { parsePersona } from './parse.ts';
import type { Persona, Trait } from './persona.ts';

export interface CharacterChoices {
  readonly name: string;
  readonly age?: number | undefined;
  readonly career?: string | undefined;
  readonly aspiration?: string | undefined;
  /** Words for temperament: "outgoing", "careless". */
  readonly traits?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  /** One of the emotions of a persona document, e.g. "joy". */
  readonly emotion?: string | undefined;
  readonly scenes?: number | undefined;
  readonly seed?: Seed | undefined;
}

export interface BuiltCharacter {
  readonly persona: Persona;
  /** Contradictions between the choices, one sentence each; an incoherent character is not written. */
  readonly problems: readonly string[];
  readonly scenes: readonly JsonObject[];
}

/** The minimum age of each career. */
const careers: readonly (readonly [pattern: RegExp, from: number])[] = [
  [/\b(?:surgeon|professor|judge|bishop|admiral|general|ambassador)\b/i, 32],
  [/\b(?:doctor|physician|lawyer|captain|architect|pilot|engineer|dentist)\b/i, 25],
  [/\b(?:nurse|teacher|officer|soldier|driver|baker|smith|clerk|cook|sailor|farmer)\b/i, 18],
  [/\b(?:pensioner|retired)\b/i, 55],
];

const moods: Readonly<Record<string, readonly [number, number, number]>> = {
  joy: [0.4, 0.2, 0.1],
  distress: [-0.4, -0.2, -0.5],
  hope: [0.2, 0.2, -0.1],
  fear: [-0.6, 0.6, -0.4],
  pride: [0.4, 0.3, 0.3],
  shame: [-0.3, 0.1, -0.6],
  anger: [-0.5, 0.6, 0.3],
  love: [0.3, 0.1, 0.2],
  hate: [-0.6, 0.6, 0.3],
  relief: [0.2, -0.3, 0.4],
  gratitude: [0.4, 0.2, -0.3],
  resentment: [-0.2, -0.3, -0.2],
  disappointment: [-0.3, 0.1, -0.4],
  satisfaction: [0.3, -0.2, 0.4],
};

const places = [
  'the market',
  'a station',
  'the kitchen',
  'a waiting room',
  'the harbour',
  'a garden',
  'the workshop',
  'an office',
] as const;
const states = ['is in a hurry', 'has time', 'has just heard good news', 'is tired', 'waits for somebody', 'has lost something'] as const;

/** The character, its problems, and initial scenes. */
export function buildCharacter(choices: CharacterChoices): BuiltCharacter {
  const { name, age, career, aspiration, traits = [], skills = [], emotion, scenes = 3, seed = 0 } = choices;
  if (emotion !== undefined && !(emotions as readonly string[]).includes(emotion))
    throw new Fault('input', `"${emotion}" is not a known emotion. Available: ${emotions.join(', ')}.${didYouMean(emotion, emotions)}`, {
      code: 'E_UNKNOWN_NAME',
    });
  const temper = lexicalBigFive(traits.join('. '));
  const problems: string[] = [];
  const bigFive: Record<string, { score: number }> = {};
  for (const [trait, { high, low }] of Object.entries(temper.traits) as [Trait, { high: readonly string[]; low: readonly string[] }][]) {
    if (high.length > 0 && low.length > 0) problems.push(`"${high[0]}" and "${low[0]}" are opposite poles of ${trait}.`);
    else if (high.length + low.length > 0) bigFive[trait] = { score: high.length > 0 ? 80 : 20 };
  }
  const counted = new Set(Object.values(temper.traits).flatMap(({ high, low }) => [...high, ...low]));
  for (const word of traits)
    if (![...counted].some((item) => word.toLowerCase().includes(item)))
      problems.push(`"${word}" is not a word for a temper that is known here.`);
  const least = careers.find(([pattern]) => career !== undefined && pattern.test(career))?.[1];
  if (age !== undefined && least !== undefined && age < least)
    problems.push(`No one is ${career} at ${age}; the minimum is about ${least}.`);
  const baseline = emotion === undefined ? undefined : moods[emotion];
  const document = {
    name,
    identity: {
      social: { ...(age === undefined ? {} : { age }), ...(career === undefined ? {} : { occupation: { title: career } }) },
      personal: Object.keys(bigFive).length === 0 ? {} : { bigFive },
      context: { skills },
    },
    statements: [
      ...(career === undefined
        ? []
        : [{ text: `${name} works as ${/^[aeiou]/i.test(career) ? 'an' : 'a'} ${career}.`, kind: 'fact', visibility: 'public' }]),
      ...traits.map((word) => ({ text: `${name} is ${word}.`, kind: 'trait', visibility: 'public' })),
      ...skills.map((skill) => ({ text: `${name} is good at ${skill}.`, kind: 'fact', visibility: 'public' })),
    ],
    goals: aspiration === undefined ? [] : [{ text: aspiration, horizon: 'long', visibility: { min: 'friend' } }],
    ...(baseline === undefined ? {} : { affect: { baseline } }),
  } as Json;
  return { persona: parsePersona(document), problems, scenes: drawScenes(choices, scenes, seed) };
}

/** The place, state, feelings, and topics of the character, as files for `ludus persona suite --scenes`. */
function drawScenes(
  { name, career, aspiration, skills = [], emotion }: CharacterChoices,
  number: number,
  seed: Seed,
): readonly JsonObject[] {
  const dice = rng(seed, 'builder', name);
  const topics = [career === undefined ? null : `the work of a ${career}`, aspiration ?? null, ...skills].filter((item) => item !== null);
  return Array.from({ length: number }, (_, i) => {
    const topic = topics[i % Math.max(1, topics.length)] ?? 'the weather';
    const feeling = emotion === undefined ? '' : ` ${name} feels ${emotion.replaceAll('_', ' ')}.`;
    return {
      name: `scene ${i + 1}`,
      background: `At ${dice.pick(places)}. ${name} ${dice.pick(states)}.${feeling} The talk is of this: ${topic.replace(/[.]$/, '')}.`,
      opening: `What do you say about ${topic.replace(/[.]$/, '').replace(/^./, (letter) => letter.toLowerCase())}?`,
    };
  });
}
