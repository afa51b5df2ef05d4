/**
 * @file Drafts a persona or a scene from a plain description by a model: the answer is checked against the form, and each error is sent
 * back with its field.
 */

import type { ChatMessage, Json, JsonObject, Model, ModelCall, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { Fault, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { checkPersona, parsePersona, personaSchema } from './parse.ts';
import type { Persona } from './persona.ts';
import { readScene } from './scene.ts';

export interface DraftOptions {
  /** The most repairs of the answer; 3 by default. */
  readonly repairs?: number;
  readonly sampling?: Sampling;
  readonly signal?: AbortSignal;
}

export interface Draft {
  readonly persona: Persona;
  readonly calls: readonly ModelCall[];
}

/** Instructions for the model. It does not write lineage, originals, and lore. */
const instructions = [
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

const properties = Object.fromEntries(
  Object.entries(personaSchema['properties'] as JsonObject).filter(([name]) => instructions.includes(name)),
);

/** JSON Schema of a draft. */
export const draftSchema: JsonObject = { type: 'object', properties, required: ['name', 'statements'], additionalProperties: false };

const task = [
  'You write a persona as one JSON object and nothing else.',
  'Each statement is one sentence with one fact, trait, belief, habit or rule, in the third person, with the name instead of a pronoun.',
  'Keep to what the description says or plainly implies; invent details only where a person would be incomplete without them.',
  'Big Five scores run from 0 to 100, moral.level from 1 (paragon) to 4 (villain).',
  `The object must fit this JSON Schema: ${JSON.stringify(draftSchema)}`,
].join('\n');

/** Asks a model for a persona, up to 1 + repairs times. If it never succeeds, the fault lists the remaining errors. */
export async function draftPersona(model: Model, description: string, options: DraftOptions = {}): Promise<Draft> {
  const read = async (json: JsonObject) => {
    const problems = [...checkPersona(json)];
    if (!Array.isArray(json['statements']) || json['statements'].length === 0) problems.push('statements must hold at least one statement');
    return problems.length > 0 ? { problems } : { value: parsePersona(json) };
  };
  const { value, calls } = await askForDraft(model, description, { what: 'persona', task, schema: draftSchema, read }, options);
  return { persona: value, calls };
}

/** A scene that a model drafted, with the model calls. */
export interface SceneDraft {
  /** The scene as an author would write it into a file. */
  readonly scene: JsonObject;
  readonly calls: readonly ModelCall[];
}

const person = { anyOf: [{ type: 'string' }, draftSchema] };

/** JSON Schema of a drafted scene: the parts of a scene file that a model can write. */
export const sceneDraftSchema: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    setting: { type: 'string' },
    topic: { type: 'string' },
    turns: { type: 'integer', minimum: 2, maximum: 60 },
    narrator: { type: 'boolean' },
    characters: {
      type: 'array',
      minItems: 2,
      maxItems: 8,
      items: {
        type: 'object',
        properties: { persona: person, goal: { type: 'string' }, secret: { type: 'string' } },
        required: ['persona'],
        additionalProperties: false,
      },
    },
  },
  required: ['name', 'setting', 'topic', 'characters'],
  additionalProperties: false,
};

export interface SceneDraftOptions extends DraftOptions {
  /** Names of the personas that must be its characters, with no others. */
  readonly cast?: readonly string[];
}

/** Asks a model for a scene of two to eight characters; `find` returns a persona by name. */
export async function draftScene(
  model: Model,
  description: string,
  find: (name: string) => Promise<Persona>,
  options: SceneDraftOptions = {},
): Promise<SceneDraft> {
  const sceneTask = [
    'You write a scene for a stage as one JSON object and nothing else: where it is, what the talk is of, and who is there.',
    'Each character is {"persona": …, "goal": …, "secret": …}; a persona is a document with a name and statements of one fact each.',
    'Goals pull against each other; a secret is one sentence that its owner would not like to hear from another.',
    `The object must fit this JSON Schema: ${JSON.stringify(sceneDraftSchema)}`,
  ].join('\n');
  const read = async (json: JsonObject) => {
    try {
      await readScene(json, find);
      const problems = options.cast === undefined ? [] : castProblems(json, options.cast);
      return problems.length > 0 ? { problems } : { value: json };
    } catch (thrown) {
      return { problems: [sentenceOf(thrown)] };
    }
  };
  const { value, calls } = await askForDraft(
    model,
    description,
    { what: 'scene', task: sceneTask, schema: sceneDraftSchema, read },
    options,
  );
  return { scene: value, calls };
}

/** Characters that are missing from a scene, and characters that must not be in it. */
function castProblems({ characters }: JsonObject, cast: readonly string[]): readonly string[] {
  const named = (characters as readonly Json[]).map((character) => (isObject(character) ? character['persona'] : character));
  const missing = cast.filter((name) => !named.includes(name)).map((name) => `characters must have the persona ${JSON.stringify(name)}`);
  const strange = named.filter((item) => typeof item !== 'string' || !cast.includes(item)).length;
  return strange === 0 ? missing : [...missing, `characters must be ${cast.join(', ')} and no others, but ${strange} are others`];
}

/** The requested document and its parser. */
interface Wanted<T> {
  readonly what: string;
  readonly task: string;
  readonly schema: JsonObject;
  read(json: JsonObject): Promise<{ readonly problems: readonly string[] } | { readonly value: T }>;
}

async function askForDraft<T>(
  model: Model,
  description: string,
  { what, task: asking, schema, read }: Wanted<T>,
  options: DraftOptions,
): Promise<{ readonly value: T; readonly calls: readonly ModelCall[] }> {
  if (description.trim() === '') throw new Fault('input', `The description is empty. Describe the ${what} to draft.`);
  const { repairs = 3, signal = new AbortController().signal } = options;
  const calls: ModelCall[] = [];
  const messages: ChatMessage[] = [
    { role: 'system', content: asking },
    { role: 'user', content: description },
  ];
  let problems: readonly string[] = [];
  for (let tries = 0; tries <= repairs; tries++) {
    const call = await model.complete({ messages }, { ...options.sampling, schema }, signal);
    calls.push(call);
    const json = jsonIn(call.text);
    const draftResult = json === null ? { problems: ['the answer must be one JSON object, but none was found in it'] } : await read(json);
    if ('value' in draftResult) return { value: draftResult.value, calls };
    problems = draftResult.problems;
    const observations = problems.slice(0, 12).map((problem) => `- ${problem}`);
    messages.push(
      { role: 'assistant', content: call.text },
      { role: 'user', content: `That is not valid yet:\n${observations.join('\n')}\nAnswer with the whole corrected JSON object.` },
    );
  }
  throw new Fault(
    'model',
    `${model.id} wrote no valid ${what} in ${repairs + 1} tries. In the last one, ${problems.slice(0, 2).join('; ')}.`,
  );
}

/** The JSON object in an answer, with or without surrounding text or a code fence: from its first brace to its last. */
function jsonIn(answer: string): JsonObject | null {
  const fenced = linear(/```(?:json)?\s*\n([\s\S]*?)```/).exec(answer)?.[1] ?? answer;
  try {
    const json = parseJson(fenced.slice(fenced.indexOf('{'), fenced.lastIndexOf('}') + 1));
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}
