/**
 * @file Writes backgrounds of sampled people by a model: a few sentences about their attributes, checked against them. Contradictions are
 * sent back to the model; if they remain, the person keeps the rule-based sentences.
 */

import { termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { type ChatMessage, type Model, type ModelCall, printable } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { repeatedText } from '../../encoders/repeats.ts';
import type { RecallEncoder } from '../../mind/relevance.ts';
import { parsePersona } from '../parse.ts';
import type { Persona } from '../persona.ts';
import type { PersonaSample } from './sample.ts';

export interface Backgrounds {
  readonly personas: readonly Persona[];
  /** People without a background, and the error in their last draft. */
  readonly failed: readonly { readonly id: string; readonly problems: readonly string[] }[];
  readonly calls: readonly ModelCall[];
}

export interface BackgroundOptions {
  /** The most repairs of a background. */
  readonly repairs?: number;
  readonly atOnce?: number;
  /** Finds backgrounds that say the same in other words; without it, only the same words count. */
  readonly encoder?: RecallEncoder | undefined;
  readonly signal?: AbortSignal;
}

type Attributes = Readonly<Record<string, string>>;

/** Words that reveal a gender without naming it. */
const genderWords: Readonly<Record<string, RegExp>> = {
  female: /\b(she|her|woman|girl|female)\b/i,
  male: /\b(he|his|him|man|boy|male)\b/i,
};
const agesIn = /\b(\d{1,3})[- ]years?[- ]old|\baged (\d{1,3})\b|\bage of (\d{1,3})\b/gi;
const longest = 900;

/** Contradictions between a text and a person's attributes; `others` contains all values in the sample. */
export function backgroundProblems(
  text: string,
  { name, identity }: Persona,
  attributes: Attributes,
  others: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const problems: string[] = [];
  if (text.trim() === '' || text.length > longest)
    problems.push(`it must have 1 to ${longest} characters, but has ${text.trim() === '' ? 0 : text.length}`);
  if (!text.includes(name)) problems.push(`it must name ${name}`);
  const words = new Set(termsOf(text));
  const { age } = identity.social;
  const ownText = Object.values(attributes).join(' | ').toLowerCase();
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute === 'age' && typeof age === 'number') {
      const statements = [...text.matchAll(agesIn)].map((match) => Number(match[1] ?? match[2] ?? match[3]));
      if (statements.length === 0 || statements.some((value) => value !== age))
        problems.push(`it must say that ${name} is ${age} years old, and no other age`);
      continue;
    }
    const hint = genderWords[value.toLowerCase()];
    if (!(hint?.test(text) ?? termsOf(value).every((term) => words.has(term)))) problems.push(`it must say "${value}" (${attribute})`);
    for (const other of others[attribute] ?? []) {
      const strange = other !== value && !ownText.includes(other.toLowerCase());
      if (strange && phraseIn(other).test(text)) problems.push(`it says "${other}", but ${attribute} is "${value}"`);
    }
  }
  return problems;
}

function phraseIn(phrase: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'iu');
}

/** Has a model write a background for every person of a sample, a few at a time, with a limited number of repairs each. */
export async function writeBackgrounds(
  model: Model,
  { personas, attributes }: Pick<PersonaSample, 'personas' | 'attributes'>,
  { repairs = 2, atOnce = 8, encoder, signal = new AbortController().signal }: BackgroundOptions = {},
): Promise<Backgrounds> {
  const others: Record<string, readonly string[]> = {};
  for (const attribute of Object.keys(attributes[0] ?? {}))
    others[attribute] = [...new Set(attributes.map((otherAttribute) => otherAttribute[attribute] ?? ''))];
  const written = new Array<Persona>(personas.length);
  const failed: { id: string; problems: readonly string[] }[] = [];
  const calls: ModelCall[] = [];
  const stories: string[] = [];
  let checking: Promise<unknown> = Promise.resolve();
  /** The person whose background says the same, names and numbers aside; one check at a time, so that none of two equal ones passes unseen. */
  const repeated = (text: string, { name }: Persona) => {
    const story = withoutParticulars(text, name);
    const result = checking.then(async () => {
      const same = await repeatedText(story, stories, encoder);
      if (same < 0) stories.push(story);
      return same >= 0;
    });
    checking = result.catch(() => undefined);
    return result;
  };
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < personas.length; i = next++) {
      const persona = personas[i];
      const attribute = attributes[i] ?? {};
      const messages: ChatMessage[] = [
        {
          role: 'system',
          content:
            'You write the background of a person in three or four plain sentences, and nothing else. Invent no other facts of the kinds that are given.',
        },
        { role: 'user', content: requestFor(persona, attribute) },
      ];
      let problems: readonly string[] = [];
      for (let tries = 0; tries <= repairs; tries++) {
        const call = await model.complete({ messages: [...messages] }, {}, signal);
        calls.push(call);
        const text = printable(call.text.trim());
        problems = backgroundProblems(text, persona, attribute, others);
        if (problems.length === 0 && (await repeated(text, persona))) problems = ['it tells the same story as that of another person'];
        if (problems.length === 0) {
          written[i] = withBackground(persona, text);
          break;
        }
        messages.push(
          { role: 'assistant', content: call.text },
          { role: 'user', content: `That does not fit: ${problems.join('; ')}. Write it again.` },
        );
      }
      if (problems.length > 0) {
        written[i] = persona;
        failed.push({ id: persona.id, problems });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, personas.length) }, lane));
  return { personas: written, failed: failed.sort((a, b) => a.id.localeCompare(b.id)), calls };
}

/** A text without its person's names and without numbers. */
function withoutParticulars(text: string, name: string): string {
  return name
    .split(/\s+/)
    .reduce((story, part) => story.replace(phraseIn(part), ''), text.replaceAll(name, ''))
    .replace(/\d+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function requestFor({ name, identity }: Persona, attributes: Attributes): string {
  const { age } = identity.social;
  const facts = Object.entries(attributes).map(([attribute, value]) =>
    attribute === 'age' && typeof age === 'number' ? `age: ${age} years old` : `${attribute}: ${value}`,
  );
  return [`Name: ${name}`, ...facts, 'Use each of these words as it stands.'].join('\n');
}

/** Each sentence is its own statement, as far as sentence ends can be detected. */
function withBackground(persona: Persona, text: string): Persona {
  const sentences = text.split(linear(/(?<=[.!?])\s+/)).filter((sentence) => sentence !== '');
  const added = sentences.map((sentence, i) => ({ id: `background.${i + 1}`, text: sentence, kind: 'fact' as const }));
  return parsePersona({ ...persona, statements: [...persona.statements, ...added] });
}
