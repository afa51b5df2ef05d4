/** @file A sampled row of attributes as a persona: known attributes become fields and statements; a name and a temperament are added. */

import { type Json, type Rng, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { traits } from '../form.ts';
import { parsePersona } from '../parse.ts';
import type { Persona } from '../persona.ts';
import { inIdentity, toSpokenKey } from '../prose.ts';
import { familyNames, firstNames } from './names.ts';
import { placeholder, type Specification } from './specification.ts';

type Row = Readonly<Record<string, string>>;

export interface DrawIndex {
  readonly index: number;
  readonly seed: Seed;
  /** Names used so far: no two people of a sample share one. */
  readonly taken: Set<string>;
}

/** The statement for each known attribute. */
const sentencesOf: Readonly<Record<string, string>> = {
  age: '{name} is {value} years old.',
  sex: '{name} is {value}.',
  gender: '{name} is {value}.',
  orientation: '{name} is {value}.',
  ethnicity: '{name} is of {value} ethnicity.',
  race: '{name} is {value}.',
  disability: '{name} lives with {value}.',
  nationality: '{name} is {value}.',
  residence: '{name} lives in {value}.',
  education: 'The education of {name} is {value}.',
  employment: 'In employment, {name} is {value}.',
  occupation: '{name} works as {value}.',
  income: 'The income of {name} is {value}.',
  class: 'By class, {name} is {value}.',
  household: 'The household of {name} is {value}.',
  politics: 'In politics, {name} is {value}.',
  religion: 'By religion, {name} is {value}.',
};

export function personFrom(specification: Specification, row: Row, place: DrawIndex): Persona {
  const dice = rng(place.seed, 'person', place.index);
  const name = drawName(specification, row, { dice, taken: place.taken });
  const age = ageFrom(row['age'], dice);
  const values: Row = age === undefined ? row : { ...row, age: String(age) };
  const { base } = specification;
  const social: Record<string, Json> = {};
  const extra: Record<string, Json> = {};
  for (const [attribute, value] of Object.entries(row)) {
    if (attribute === 'age') {
      if (age === undefined) extra['age'] = value;
      else social['age'] = age;
    } else if (attribute === 'occupation') social['occupation'] = { title: value };
    else if (Object.hasOwn(sentencesOf, attribute)) social[attribute] = value;
    else extra[attribute] = value;
  }
  const shared = isObject(base['identity']) ? base['identity'] : {};
  const ownItems = Array.isArray(base['statements']) ? base['statements'] : [];
  return parsePersona({
    kind: 'demographic',
    provenance: { basis: 'sampled' },
    ...base,
    id: `${specification.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}-${place.index + 1}`,
    name,
    identity: {
      ...shared,
      social: { ...(isObject(shared['social']) ? shared['social'] : {}), ...social, extra },
      personal: { ...(isObject(shared['personal']) ? shared['personal'] : {}), ...temperament(specification, dice) },
    },
    statements: [...attributeStatements(values, name), ...templateStatements(specification, values, name), ...ownItems],
  } as Json);
}

function attributeStatements(values: Row, name: string): readonly Json[] {
  return Object.entries(values).map(([attribute, value]) => {
    // An age in words, such as "old", is not a number of years.
    const isWordAge = attribute === 'age' && !/^\d/.test(value);
    const template =
      (isWordAge ? '{name} is {value}.' : sentencesOf[attribute]) ?? `For {name}, ${toSpokenKey(attribute).toLowerCase()} is {value}.`;
    const place = Object.hasOwn(sentencesOf, attribute) ? attribute : `extra/${attribute}`;
    return {
      id: `attribute.${attribute}`,
      text: fillTemplate(template, { name, value }),
      kind: 'fact',
      source: `${inIdentity}social/${place}`,
    };
  });
}

function templateStatements({ statements }: Specification, values: Row, name: string): readonly Json[] {
  return statements.map((template, i) => ({ id: `template.${i + 1}`, text: fillTemplate(template, { ...values, name }), kind: 'fact' }));
}

function fillTemplate(template: string, values: Row): string {
  return template.replace(placeholder, (whole, key: string) => (Object.hasOwn(values, key) ? values[key] : whole));
}

/** A random age within "30-44", from 65 to 90 for "65+", the number itself, or undefined for a word. */
function ageFrom(value: string | undefined, dice: Rng): number | undefined {
  const match = /^(\d{1,3})(?:\s*[-–]\s*(\d{1,3})|(\+))?$/.exec(value?.trim() ?? '');
  if (match === null) return undefined;
  const low = Number(match[1]);
  const high = match[3] === '+' ? Math.max(low, 90) : Number(match[2] ?? low);
  return high < low ? undefined : low + dice.int(high - low + 1);
}

function drawName({ names }: Specification, row: Row, { dice, taken }: { readonly dice: Rng; readonly taken: Set<string> }): string {
  const gender = (row['gender'] ?? row['sex'] ?? 'any').toLowerCase();
  const input = { ...firstNames, ...names };
  const first = input[gender] ?? input['any'];
  const family = names['family'] ?? familyNames;
  for (let tries = 0; ; tries++) {
    const plain = `${dice.pick(first)} ${dice.pick(family)}`;
    // If the name lists are exhausted, people are distinguished by a middle initial, then by a number.
    const initial = String.fromCharCode(65 + dice.int(26));
    const name = tries < 20 ? plain : tries < 60 ? plain.replace(' ', ` ${initial}. `) : `${plain} ${taken.size + 1}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

function temperament({ traits: wanted }: Specification, dice: Rng): { readonly bigFive?: Json } {
  const levels = traits.flatMap((trait) => {
    const moments = wanted[trait];
    return moments === undefined ? [] : [[trait, { score: Math.round(cutNormal(moments, dice)) }] as const];
  });
  return levels.length === 0 ? {} : { bigFive: Object.fromEntries(levels) };
}

/** A normal deviate within 0 and 100; values far outside become the nearer end. */
function cutNormal({ mean, sd }: { readonly mean: number; readonly sd: number }, dice: Rng): number {
  for (let tries = 0; tries < 100; tries++) {
    const deviate = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
    const value = mean + sd * deviate;
    if (value >= 0 && value <= 100) return value;
  }
  return Math.min(100, Math.max(0, mean));
}
