/** @file A persona from a plain description, written by a model: asked for JSON, checked against the form, and told by name what is wrong. */

import { type ChatMessage, Fault, type Json, type JsonObject, type Model, type ModelCall, type Sampling } from '../core/index.ts';
import { checkPersona, parsePersona, personaSchema } from './parse.ts';
import type { Persona } from './persona.ts';
import { isObject } from './shape.ts';

export interface DraftOptions {
  /** How often the model may repair its answer; 3 unless given. */
  readonly repairs?: number;
  readonly sampling?: Sampling;
  readonly signal?: AbortSignal;
}

export interface Draft {
  readonly persona: Persona;
  readonly calls: readonly ModelCall[];
}

/** What a model is asked to write. Lineage, originals and lore are not its business. */
const asked = [
  'name',
  'nickname',
  'pronouns',
  'lang',
  'tags',
  'identity',
  'statements',
  'voice',
  'goals',
  'secrets',
  'knowledge',
  'relations',
  'affect',
];

const properties = Object.fromEntries(Object.entries(personaSchema['properties'] as JsonObject).filter(([name]) => asked.includes(name)));

/** JSON Schema of a draft. */
export const draftSchema: JsonObject = { type: 'object', properties, required: ['name', 'statements'], additionalProperties: false };

const task = [
  'You write a persona as one JSON object and nothing else.',
  'Each statement is one sentence with one fact, trait, belief, habit or rule, in the third person, with the name instead of a pronoun.',
  'Keep to what the description says or plainly implies; invent details only where a person would be incomplete without them.',
  'Big Five scores run from 0 to 100, moral.level from 1 (paragon) to 4 (villain).',
  `The object must fit this JSON Schema: ${JSON.stringify(draftSchema)}`,
].join('\n');

/** Asks a model for a persona, up to 1 + repairs times. What it never gets right is a fault that says what is still wrong. */
export async function draftPersona(model: Model, description: string, options: DraftOptions = {}): Promise<Draft> {
  if (description.trim() === '') throw new Fault('input', 'A persona is drafted from a description, but the description is empty.');
  const { repairs = 3, signal = new AbortController().signal } = options;
  const calls: ModelCall[] = [];
  const messages: ChatMessage[] = [
    { role: 'system', content: task },
    { role: 'user', content: description },
  ];
  let problems: readonly string[] = [];
  for (let tries = 0; tries <= repairs; tries++) {
    const call = await model.complete({ messages }, { ...options.sampling, schema: draftSchema }, signal);
    calls.push(call);
    const json = jsonIn(call.text);
    problems = json === null ? ['the answer must be one JSON object, but none was found in it'] : problemsOf(json);
    if (json !== null && problems.length === 0) return { persona: parsePersona(json), calls };
    messages.push(
      { role: 'assistant', content: call.text },
      {
        role: 'user',
        content: `That is not valid yet:\n${problems
          .slice(0, 12)
          .map((problem) => `- ${problem}`)
          .join('\n')}\nAnswer with the whole corrected JSON object.`,
      },
    );
  }
  throw new Fault('model', `${model.id} wrote no valid persona in ${repairs + 1} tries; at the last, ${problems.slice(0, 2).join('; ')}.`);
}

function problemsOf(json: JsonObject): readonly string[] {
  const problems = [...checkPersona(json)];
  if (!Array.isArray(json['statements']) || json['statements'].length === 0) problems.push('statements must hold at least one statement');
  return problems;
}

/** The JSON object in an answer, with or without talk or a fence around it: from its first brace to its last. */
function jsonIn(answer: string): JsonObject | null {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/.exec(answer)?.[1] ?? answer;
  try {
    const json = JSON.parse(fenced.slice(fenced.indexOf('{'), fenced.lastIndexOf('}') + 1)) as Json;
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}
