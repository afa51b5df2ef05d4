/** @file A persona as sentences: the lines of prompts and card descriptions, each from one part of the document. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { schwartzValues, traits } from './form.ts';
import type { Persona, Relation, SocialIdentity, Statement, Trait } from './persona.ts';

const traitNames: Readonly<Record<Trait, string>> = {
  O: 'openness',
  C: 'conscientiousness',
  E: 'extraversion',
  A: 'agreeableness',
  N: 'neuroticism',
};

/** The low and the high pole of each trait, in words a model can act on. */
const poles: Readonly<Record<Trait, readonly [string, string]>> = {
  O: ['conventional and down to earth', 'curious and imaginative'],
  C: ['careless and spontaneous', 'orderly and dutiful'],
  E: ['quiet and reserved', 'outgoing and lively'],
  A: ['critical and unyielding', 'warm and accommodating'],
  N: ['calm and even-tempered', 'tense and easily upset'],
};

const moralNames = ['', 'a moral paragon', 'flawed but good', 'an egoist who looks after themselves first', 'a villain'] as const;

/** Six bands without a middle, because "about average" is of no use to a model. */
export function traitWords(trait: Trait, score: number): string {
  const [low, high] = poles[trait];
  const distance = Math.abs(score - 50);
  const how = distance > 33 ? 'extremely' : distance > 16 ? 'very' : 'somewhat';
  return `${how} ${score >= 50 ? high : low}`;
}

const socialNames: readonly (readonly [Exclude<keyof SocialIdentity, 'occupation' | 'extra'>, string])[] = [
  ['age', 'Age'],
  ['birth', 'Born'],
  ['sex', 'Sex'],
  ['gender', 'Gender'],
  ['orientation', 'Orientation'],
  ['ethnicity', 'Ethnicity'],
  ['race', 'Race'],
  ['disability', 'Disability'],
  ['nationality', 'Nationality'],
  ['residence', 'Lives in'],
  ['education', 'Education'],
  ['employment', 'Employment'],
  ['income', 'Income'],
  ['class', 'Class'],
  ['household', 'Household'],
  ['politics', 'Politics'],
  ['religion', 'Religion'],
];

export function socialLines(social: SocialIdentity): readonly string[] {
  const lines: string[] = [];
  for (const [key, label] of socialNames) if (social[key] !== undefined) lines.push(`${label}: ${social[key]}`);
  const work = social.occupation;
  if (work !== undefined) {
    const where = work.organization ? `, ${work.organization}` : '';
    lines.push(`Occupation: ${work.title}${where}${work.description ? `. ${work.description}` : ''}`);
  }
  for (const [key, value] of Object.entries(social.extra)) if (isScalar(value)) lines.push(`${toSpokenKey(key)}: ${value}`);
  return lines;
}

export function personalLines({ personal }: Persona['identity']): readonly string[] {
  const lines: string[] = [];
  if (personal.summary) lines.push(personal.summary);
  for (const trait of traits) {
    const level = personal.bigFive?.[trait];
    if (level !== undefined)
      lines.push(`${toSpokenKey(traitNames[trait])}: ${traitWords(trait, level.score)}${level.note ? `. ${level.note}` : ''}`);
  }
  const current = schwartzValues.filter((value) => (personal.values?.[value] ?? 0) >= 4.5).map((value) => value.replace('_', '-'));
  if (current.length > 0) lines.push(`Values: ${current.join(', ')}`);
  if (personal.moral.level !== undefined) lines.push(`Morally: ${moralNames[personal.moral.level]}`);
  if (personal.moral.traits.length > 0) lines.push(`Moral traits: ${personal.moral.traits.join(', ')}`);
  if (personal.moral.note) lines.push(personal.moral.note);
  if (personal.mbti) lines.push(`Type: ${personal.mbti}`);
  if (personal.decisionStyle) lines.push(`Decides: ${personal.decisionStyle}`);
  return lines;
}

export function contextLines({ context }: Persona['identity']): readonly string[] {
  const lines: string[] = [];
  const add = (label: string, items: readonly string[]) => {
    if (items.length > 0) lines.push(`${label}: ${items.map(bare).join('; ')}`);
  };
  add('Past', context.history);
  add('Believes', context.beliefs);
  add('Skills', context.skills);
  add('Interests', context.interests);
  add('Likes', context.likes);
  add('Dislikes', context.dislikes);
  add('Habits', context.habits);
  for (const [when, what] of Object.entries(context.routines)) add(`Routine, ${toSpokenKey(when).toLowerCase()}`, what);
  if (context.health) lines.push(`Health: ${context.health}`);
  return lines;
}

/**
 * The source prefix of statements that only repeat a field of the identity: tests and scores read them, while prose already contains the
 * field.
 */
export const inIdentity = 'persona#/identity/';

/** The statements that add information to the prose. */
export function spokenStatements({ statements }: Pick<Persona, 'statements'>): readonly Statement[] {
  return statements.filter((statement) => !statement.source?.startsWith(inIdentity));
}

export function statementLine(statement: Statement): string {
  return statement.polarity === 'must_not' ? `It is never true that: ${statement.text}` : statement.text;
}

export function relationLine(relation: Relation): string {
  const role = relation.role && relation.role !== relation.to ? ` (${relation.role})` : '';
  return `${relation.to}${role}: ${relation.text ?? relation.kind}`;
}

/** "vacation_preferences" → "Vacation preferences". */
export function toSpokenKey(key: string): string {
  const plain = key.replace(/[_-]+/g, ' ').trim();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Splits a text into sentences, each with its end mark; abbreviations and initials do not end one. */
export function sentences(text: string): readonly string[] {
  const matchingMatch = text.match(
    linear(
      /(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|vs|etc|e\.g|i\.e|\p{Lu})\.|[^.!?。！？]|[.!?](?!["'”’)\]]{0,20}(?:\s|$)))+(?:[.!?。！？]+["'”’)\]]*)?\s*|[.!?。！？]+\s*/gu,
    ),
  );
  return (matchingMatch ?? []).map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

function bare(item: string): string {
  return item.replace(/[.;]\s*$/, '');
}

function isScalar(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
