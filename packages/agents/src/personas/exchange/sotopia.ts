/** @file Sotopia agent profiles: a public side, a private side and one secret. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { schwartzValues, traits } from '../form.ts';
import type { PersonaInput } from '../parse.ts';
import type { BigFive, Persona, SchwartzValue, Trait, TraitLevel } from '../persona.ts';
import { sentences } from '../prose.ts';
import { levelIn, levelText } from './levels.ts';
import { numberIn, present, textIn, textsIn } from './loose.ts';
import { pathOf } from './pointers.ts';

const format = 'sotopia';

/** "Like me" on the six-point scale of the value questionnaire: the meaning of a listed value in a profile. */
const listed = 5;

/** The lowest score at which a value is listed. */
const counts = 4.5;

export function isSotopia(json: JsonObject): boolean {
  const ownItems = ['public_info', 'secret', 'decision_making_style', 'moral_values', 'personality_and_values'];
  return typeof json['first_name'] === 'string' && ownItems.filter((key) => Object.hasOwn(json, key)).length >= 2;
}

export function readSotopia(profile: JsonObject): PersonaInput {
  const name = [textIn(profile['first_name']), textIn(profile['last_name'])].filter((part) => part !== undefined).join(' ');
  const { bigFive, rest } = bigFiveIn(textIn(profile['big_five']) ?? '');
  const occupation = textIn(profile['occupation']);
  const secret = textIn(profile['secret']);
  const observations = sentences(textIn(profile['public_info']) ?? '');
  const values = textsIn(profile['schwartz_personal_values'])
    .map(valueIn)
    .filter((value) => value !== null);
  return {
    name,
    ...present({ pronouns: textIn(profile['gender_pronoun']) }),
    tags: textsIn(profile['tag']),
    identity: {
      social: present({
        age: numberIn(profile['age']),
        gender: textIn(profile['gender']),
        occupation: occupation === undefined ? undefined : { title: occupation },
      }),
      personal: {
        ...present({
          bigFive: Object.keys(bigFive).length > 0 ? bigFive : undefined,
          values: values.length > 0 ? Object.fromEntries(values.map((value) => [value, listed])) : undefined,
          mbti: textIn(profile['mbti']),
          decisionStyle: textIn(profile['decision_making_style']),
          summary: textIn(profile['personality_and_values']),
        }),
        moral: { traits: textsIn(profile['moral_values']) },
      },
    },
    statements: [
      ...observations.map((text, i) => ({
        id: `public.${i + 1}`,
        text,
        visibility: { min: 'acquaintance' as const },
        source: `${format}#/public_info/${i}`,
      })),
      ...(rest === ''
        ? []
        : [{ id: 'big_five', text: rest, kind: 'trait' as const, visibility: { min: 'friend' as const }, source: `${format}#/big_five` }]),
    ],
    secrets: secret === undefined ? [] : [secret],
  };
}

export function writeSotopia(persona: Persona): JsonObject {
  const { social, personal } = persona.identity;
  const [first, ...others] = persona.name.split(' ');
  const big = traits.flatMap((trait) => {
    const level = personal.bigFive?.[trait];
    return level === undefined ? [] : [`${traitNames[trait]}: ${levelText(level)}`];
  });
  const stated = persona.statements.filter((statement) => statement.visibility !== 'self' && pathOf(statement, format)?.[0] !== 'big_five');
  const unlevelled = persona.statements.filter((statement) => pathOf(statement, format)?.[0] === 'big_five');
  return {
    first_name: first as string,
    last_name: others.join(' '),
    age: social.age ?? 0,
    occupation: social.occupation?.title ?? '',
    gender: social.gender ?? social.sex ?? '',
    gender_pronoun: persona.pronouns ?? '',
    public_info: stated.map((statement) => statement.text).join(' '),
    big_five: [...big, ...unlevelled.map((statement) => statement.text)].join(' '),
    moral_values: personal.moral.traits,
    schwartz_personal_values: schwartzValues
      .filter((value) => (personal.values?.[value] ?? 0) >= counts)
      .map((value) => value.replace('_', '-')),
    personality_and_values: personal.summary ?? '',
    decision_making_style: personal.decisionStyle ?? '',
    secret: persona.secrets.map((secret) => secret.text).join(' '),
    mbti: personal.mbti ?? '',
    tag: persona.tags[0] ?? '',
  };
}

const traitNames: Readonly<Record<Trait, string>> = {
  O: 'Openness to Experience',
  C: 'Conscientiousness',
  E: 'Extraversion',
  A: 'Agreeableness',
  N: 'Neuroticism',
};

const named = linear(/(openness(?: to experience)?|conscientiousness|extr[ao]version|agreeableness|neuroticism)\s*(?:[-–—:=]|is)?\s*/gi);

/** Five levels in one text: "Openness to Experience: High. …; Conscientiousness - Low". `rest` is the part without levels. */
function bigFiveIn(text: string): { readonly bigFive: BigFive; readonly rest: string } {
  const traitLevels: { [T in Trait]?: TraitLevel } = {};
  const starts = [...text.matchAll(named)];
  starts.forEach((match, i) => {
    const body = text.slice(match.index + match[0].length, starts[i + 1]?.index ?? text.length).replace(linear(/[\s,;]+$/), '');
    const level = levelIn(body);
    const trait = match[1]!.charAt(0).toUpperCase() as Trait;
    if (level !== null) traitLevels[trait] = level;
  });
  return { bigFive: traitLevels, rest: Object.keys(traitLevels).length === 0 ? text : '' };
}

function valueIn(text: string): SchwartzValue | null {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return schwartzValues.find((value) => value === plain) ?? null;
}
