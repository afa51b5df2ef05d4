/**
 * @file TinyTroupe agents: `{type: "TinyPerson", persona: {…}}`, in all common variants.
 *
 * Their schema is only a prompt, so style, health, education, skills, relationships, and the Big Five may each be a text, list, or object,
 * with unforeseen keys. Known keys become fields; everything else becomes statements with their location.
 */

import { Fault, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { traits } from '../form.ts';
import type { PersonaInput } from '../parse.ts';
import type { Persona, Relation, RelationKind, Statement } from '../persona.ts';
import { bigFiveIn, levelText, traitKeys } from './levels.ts';
import { firstText, numberIn, objectIn, present, secretIn, secretLine, textIn, textsIn } from './loose.ts';
import { secondPerson, thirdPerson } from './person.ts';
import { distinct, gather, joinJson, pathOf, scatter } from './pointers.ts';

const format = 'tinytroupe';

/** Keys of `persona` that have a separate field here. */
const placed = new Set(
  'name age gender nationality residence country_of_residence education long_term_goals occupation style personality preferences skills beliefs behaviors health relationships other_facts'.split(
    ' ',
  ),
);

/** Keys that TinyTroupe does not define but authors add; they are exported under these names. */
const added = [
  'birth',
  'sex',
  'orientation',
  'ethnicity',
  'race',
  'disability',
  'employment',
  'income',
  'class',
  'household',
  'politics',
  'religion',
] as const;

const isKnown = (key: string) => placed.has(key) || (added as readonly string[]).includes(key);

export function isTinyTroupe(json: JsonObject): boolean {
  return isObject(json['persona']) && (json['type'] === 'TinyPerson' || json['type'] === 'Fragment');
}

export function readTinyTroupe(agent: JsonObject): PersonaInput {
  const jsonObject = objectIn(agent['persona']);
  if (agent['type'] === 'Fragment')
    throw new Fault(
      'input',
      'This is a TinyTroupe fragment, not a person. Read the agent that it belongs to, then add the fragment with withFragment.',
    );
  const name = textIn(jsonObject['name']);
  if (name === undefined) throw new Fault('input', 'A TinyTroupe agent needs persona.name, but this one has none.');
  const spokenStatements = statementsIn(jsonObject);
  const personality = objectIn(jsonObject['personality']);
  const { bigFive } = bigFiveIn(objectIn(personality['big_five']));
  const preferences = objectIn(jsonObject['preferences']);
  const routines = objectIn(objectIn(jsonObject['behaviors'])['routines']);
  return {
    name,
    kind: 'demographic',
    provenance: { basis: 'sampled' },
    identity: {
      social: present({
        age: numberIn(jsonObject['age']),
        gender: textIn(jsonObject['gender']),
        nationality: textIn(jsonObject['nationality']),
        residence: firstText(jsonObject, 'residence', 'country_of_residence'),
        education: textIn(jsonObject['education']),
        occupation: occupationIn(jsonObject['occupation']),
        ...Object.fromEntries(added.map((key) => [key, textIn(jsonObject[key])])),
        extra: Object.fromEntries(Object.entries(jsonObject).filter(([key, value]) => !isKnown(key) && isScalar(value))),
      }),
      personal: Object.keys(bigFive).length > 0 ? { bigFive } : {},
      context: present({
        routines: Object.fromEntries(Object.entries(routines).map(([when, what]) => [when, textsIn(what)])),
        likes: textsIn(preferences['likes']),
        dislikes: textsIn(preferences['dislikes']),
        interests: textsIn(preferences['interests']),
        skills:
          Array.isArray(jsonObject['skills']) || typeof jsonObject['skills'] === 'string'
            ? textsIn(jsonObject['skills']).map(thirdPerson)
            : [],
        health: textIn(jsonObject['health']),
      }),
    },
    statements: spokenStatements.filter((statement) => secretIn(statement.text) === undefined),
    secrets: spokenStatements.flatMap((statement) => secretIn(statement.text) ?? []).map((text) => ({ text })),
    voice: present({ register: textIn(jsonObject['style']) }),
    goals: textsIn(jsonObject['long_term_goals']).map((text) => ({ text, horizon: 'long' as const })),
    relations: relationsIn(jsonObject['relationships'], ''),
  };
}

/** Everything without a field, as statements. */
function statementsIn(jsonObject: JsonObject): ReturnType<typeof gather> {
  const personality = objectIn(jsonObject['personality']);
  const { rest } = bigFiveIn(objectIn(personality['big_five']));
  const collect = (kind: Statement['kind'], value: Json | undefined, ...path: readonly string[]) =>
    gather(value, ['persona', ...path], { format, kind, say: thirdPerson });
  const unless = (value: Json | undefined) => (isObject(value) ? value : undefined);
  const without = (object: JsonObject, ...names: readonly string[]) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !names.includes(key)));
  return distinct([
    ...collect('trait', personality['traits'], 'personality', 'traits'),
    ...collect('trait', rest, 'personality', 'big_five'),
    ...collect('trait', without(personality, 'traits', 'big_five'), 'personality'),
    ...collect('belief', jsonObject['beliefs'], 'beliefs'),
    ...collect('rule', objectIn(jsonObject['behaviors'])['general'], 'behaviors', 'general'),
    ...collect('rule', without(objectIn(jsonObject['behaviors']), 'general', 'routines'), 'behaviors'),
    ...collect('style', unless(jsonObject['style']), 'style'),
    ...collect('fact', without(objectIn(jsonObject['preferences']), 'likes', 'dislikes', 'interests'), 'preferences'),
    ...collect('fact', without(objectIn(jsonObject['occupation']), 'title', 'organization', 'description'), 'occupation'),
    ...collect('fact', unless(jsonObject['education']), 'education'),
    ...collect('fact', unless(jsonObject['skills']), 'skills'),
    ...collect('fact', unless(jsonObject['health']), 'health'),
    ...collect('fact', jsonObject['other_facts'], 'other_facts'),
    ...Object.entries(jsonObject).flatMap(([key, value]) => (placed.has(key) || isScalar(value) ? [] : collect('fact', { [key]: value }))),
  ]);
}

export function writeTinyTroupe(persona: Persona): JsonObject {
  const { social, personal, context } = persona.identity;
  const homeless = persona.statements.filter((statement) => pathOf(statement, format) === null);
  const ofKind = (...kinds: readonly Statement['kind'][]) =>
    homeless.filter((statement) => kinds.includes(statement.kind)).map((statement) => secondPerson(statement.text));
  const big = traits.flatMap((trait) => {
    const level = personal.bigFive?.[trait];
    return level === undefined ? [] : [[traitKeys[trait], levelText(level)] as const];
  });
  const knownNames = {
    persona: present({
      ...social.extra,
      ...Object.fromEntries(added.map((key) => [key, social[key]])),
      name: persona.name,
      age: social.age,
      gender: social.gender,
      nationality: social.nationality,
      residence: social.residence,
      education: social.education,
      long_term_goals: persona.goals.map((goal) => goal.text),
      occupation: social.occupation && { ...social.occupation, ...toDescription(social.occupation.description) },
      style: persona.voice.register,
      personality: { traits: [], ...(big.length > 0 ? { big_five: Object.fromEntries(big) } : {}) },
      preferences: { interests: context.interests, likes: context.likes, dislikes: context.dislikes },
      skills: context.skills.map(secondPerson),
      beliefs: context.beliefs,
      behaviors: { general: context.habits, routines: context.routines },
      health: context.health,
      relationships: persona.relations.map((relation) =>
        present({ name: relation.to, relation: relation.role || undefined, description: relation.text && secondPerson(relation.text) }),
      ),
      other_facts: context.history,
    }),
  };
  const homed = {
    persona: {
      personality: { traits: ofKind('trait') },
      beliefs: ofKind('belief'),
      behaviors: { general: ofKind('rule', 'boundary') },
      other_facts: [...ofKind('fact', 'relation', 'style'), ...persona.secrets.map((secret) => secretLine(secret.text))],
    },
  };
  const jsonObject = scatter(persona, format, secondPerson);
  return { type: 'TinyPerson', ...(joinJson(joinJson(knownNames, jsonObject), homed) as JsonObject) };
}

/** A person merged with a fragment: objects are merged, lists are concatenated without repeats, and different types are rejected. */
export function fragmentJoined(a: Json | undefined, b: Json, path = 'persona'): Json {
  if (a === undefined || a === null) return b;
  if (Array.isArray(a) && Array.isArray(b)) {
    const visited = new Set(a.map((item: Json) => JSON.stringify(item)));
    return [...a, ...b.filter((item: Json) => !visited.has(JSON.stringify(item)))];
  }
  if (isObject(a) && isObject(b))
    return Object.fromEntries([
      ...Object.entries(a),
      ...Object.entries(b).map(
        ([key, value]) => [key, fragmentJoined(Object.hasOwn(a, key) ? a[key] : undefined, value, `${path}.${key}`)] as const,
      ),
    ]);
  if (typeof a !== typeof b || Array.isArray(a) !== Array.isArray(b))
    throw new Fault(
      'input',
      `A fragment must have the same kind of value as the agent at ${path}, but one is ${kindOf(a)} and the other ${kindOf(b)}.`,
    );
  return b;
}

function occupationIn(value: Json | undefined): { title: string; organization?: string; description?: string } | undefined {
  const simple = textIn(value);
  if (simple !== undefined) return { title: simple };
  if (!isObject(value)) return undefined;
  const description = textIn(value['description']);
  return {
    title: firstText(value, 'title', 'role', 'industry') ?? '',
    ...present({ organization: textIn(value['organization']), description: description && thirdPerson(description) }),
  };
}

function toDescription(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description: secondPerson(description) };
}

/** Words in the description of a relation, and the kind they indicate; the first match counts. */
const kinds: readonly (readonly [RegExp, RelationKind])[] = [
  [/\b(?:wife|husband|spouse|(?:life |long-term )?partner|girlfriend|boyfriend|fianc[eé]e?|romantic)\b/i, 'romantic'],
  [
    /\b(?:grand)?(?:mother|father|parents?|mom|mum|dad|son|daughter|child(?:ren)?|sister|brother|siblings?)\b|\b(?:aunt|uncle|cousins?|nephew|niece|family|in-laws?|grandparents?)\b/i,
    'family',
  ],
  [/\bfriends?(?:hip)?\b|\bbuddy\b|\broommates?\b/i, 'friend'],
  [/\b(?:boss|manager|supervisor|employer|mentor)\b/i, 'boss'],
  [/\b(?:colleagues?|co-?workers?|teammates?|professional|classmate|peers?)\b/i, 'colleague'],
  [/\brivals?\b|\bcompetitor\b/i, 'rival'],
];

function relationsIn(value: Json | undefined, group: string): readonly Partial<Relation>[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => relationsIn(item, group));
  const simple = textIn(value);
  if (simple !== undefined) return [relationOf({ to: group || simple, role: group, text: simple })];
  if (!isObject(value)) return [];
  const role = firstText(value, 'relation', 'relationship', 'role', 'type', 'roles') ?? group;
  const nested = ['entries', 'members', 'names_and_ages'].filter((key) => Array.isArray(value[key]));
  if (nested.length > 0) return nested.flatMap((key) => relationsIn(value[key], role));
  const text = firstText(value, 'description', 'details', 'notes', 'relationship');
  const to = textIn(value['name']) ?? (textsIn(value['names']).join(', ') || role);
  if (to !== '' && (text !== undefined || textIn(value['name']) !== undefined)) return [relationOf({ to, role, text })];
  // A dictionary of groups: {family: […], friends: […]}.
  return Object.entries(value).flatMap(([key, item]) => relationsIn(item, key.replaceAll('_', ' ')));
}

function relationOf({ to, role, text }: { to: string; role: string; text: string | undefined }): Partial<Relation> {
  const named = kinds.find(([pattern]) => pattern.test(role)) ?? kinds.find(([pattern]) => pattern.test(`${to} ${text ?? ''}`));
  return { to, role, kind: named?.[1] ?? 'acquaintance', ...present({ text: text && thirdPerson(text) }) };
}

function isScalar(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
