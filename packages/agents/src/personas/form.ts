/** @file The form of `persona/1` as data: what each field must be and its default when it is missing. */

import { isObject } from '@ludus-agents/kernel/internal/core/json';
import {
  anything,
  either,
  list,
  number,
  object,
  one,
  optional,
  or,
  pattern,
  record,
  required,
  type Shape,
  some,
  text,
  words,
  yesno,
} from '@ludus-agents/kernel/internal/core/shape';
import type {
  Affect,
  Asset,
  BigFive,
  Example,
  ExampleTurn,
  Goal,
  Identity,
  Knowledge,
  LifeContext,
  Lorebook,
  LoreEntry,
  Moral,
  Occupation,
  Parent,
  Persona,
  PersonalIdentity,
  PersonaSourceInfo,
  Relation,
  SchwartzValue,
  Secret,
  SocialIdentity,
  SpeechRules,
  Statement,
  Trait,
  TraitLevel,
  Visibility,
  Voice,
} from './persona.ts';
import { authoredRules } from './rules/rules.ts';
import { slug } from './slug.ts';

export const traits: readonly Trait[] = ['O', 'C', 'E', 'A', 'N'];

export const schwartzValues: readonly SchwartzValue[] = [
  'self_direction',
  'stimulation',
  'hedonism',
  'achievement',
  'power',
  'security',
  'conformity',
  'tradition',
  'benevolence',
  'universalism',
];

/** The 22 emotions of Ortony, Clore and Collins. */
export const emotions = [
  'joy',
  'distress',
  'happy_for',
  'pity',
  'gloating',
  'resentment',
  'hope',
  'fear',
  'satisfaction',
  'fears_confirmed',
  'relief',
  'disappointment',
  'pride',
  'shame',
  'admiration',
  'reproach',
  'gratification',
  'remorse',
  'gratitude',
  'anger',
  'love',
  'hate',
] as const;

export const relationKinds = [
  'stranger',
  'by_name',
  'acquaintance',
  'friend',
  'romantic',
  'family',
  'rival',
  'boss',
  'subordinate',
  'colleague',
  'other',
] as const;

const texts = list(text);

const visibility: Shape<Visibility> = either<Visibility>(
  '"self", "public", {"min": "by_name", "acquaintance" or "friend"} or {"only": [names]}',
  one('self', 'public'),
  object<{ min: 'by_name' | 'acquaintance' | 'friend' }>({ min: required(one('by_name', 'acquaintance', 'friend')) }),
  object<{ only: readonly string[] }>({ only: required(texts) }),
);

/** A list whose items get an id where the author gave none, with this letter before their number; a plain text stands for its item. */
function numberedList<T extends { readonly id: string }>(letter: string, of: Shape<T>, plain: 'text' | null = 'text'): Shape<readonly T[]> {
  const items = list(of);
  return {
    ...items,
    schema: plain === null ? items.schema : { type: 'array', items: { anyOf: [words.schema, of.schema] } },
    read: (value, problems) =>
      items.read(Array.isArray(value) ? value.map((item, i) => withId(item, `${letter}${i + 1}`, plain)) : value, problems),
  };
}

function withId(item: unknown, id: string, plain: 'text' | null): unknown {
  const full = typeof item === 'string' && plain !== null ? { [plain]: item } : item;
  return isObject(full) && full['id'] === undefined ? { id, ...full } : full;
}

/** An id that `numbered` fills in. */
const itemId = optional(words);

const parent = object<Parent>({
  id: required(words),
  hash: required(words),
  op: required(one('edit', 'merge', 'evolve', 'import', 'vary')),
  with: optional(object<{ id: string; hash: string }>({ id: required(words), hash: required(words) })),
});

const provenance = object<PersonaSourceInfo>({
  creator: optional(text),
  license: optional(text),
  source: or(texts, []),
  createdAt: optional(text),
  modifiedAt: optional(text),
  basis: or(one('fictional', 'composite', 'real_person', 'sampled'), 'fictional'),
  consent: optional(text),
});

const asset = object<Asset>({ type: required(text), uri: required(text), name: or(text, ''), ext: or(text, 'unknown') });

const social = object<SocialIdentity>({
  age: optional(number(0, 1_000_000)),
  birth: optional(text),
  sex: optional(text),
  gender: optional(text),
  orientation: optional(text),
  ethnicity: optional(text),
  race: optional(text),
  disability: optional(text),
  nationality: optional(text),
  residence: optional(text),
  education: optional(text),
  employment: optional(text),
  occupation: optional(object<Occupation>({ title: required(text), organization: optional(text), description: optional(text) })),
  income: optional(text),
  class: optional(text),
  household: optional(text),
  politics: optional(text),
  religion: optional(text),
  extra: or(record(anything), {}),
});

const percent = number(0, 100);
const traitLevel = object<TraitLevel>({ score: required(percent), facets: optional(record(percent)), note: optional(text) });

const personal = object<PersonalIdentity>({
  bigFive: optional(some(traits, traitLevel) as Shape<BigFive>),
  values: optional(some(schwartzValues, number(1, 6))),
  mbti: optional(text),
  moral: or(object<Moral>({ level: optional(one(1, 2, 3, 4)), traits: or(texts, []), note: optional(text) }), {}),
  decisionStyle: optional(text),
  summary: optional(text),
});

const context = object<LifeContext>({
  routines: or(record(texts), {}),
  likes: or(texts, []),
  dislikes: or(texts, []),
  interests: or(texts, []),
  skills: or(texts, []),
  beliefs: or(texts, []),
  habits: or(texts, []),
  health: optional(text),
  history: or(texts, []),
});

const statement = object<Statement>({
  id: itemId,
  text: required(words),
  kind: or(one('fact', 'trait', 'belief', 'style', 'rule', 'boundary', 'relation'), 'fact'),
  weight: or(number(0, 100), 1),
  polarity: or(one('must', 'must_not'), 'must'),
  visibility: or(visibility, { min: 'acquaintance' }),
  keys: optional(texts),
  source: optional(text),
});

const exampleTurn = object<ExampleTurn>({
  speaker: or(words, 'char'),
  speech: or(text, ''),
  action: optional(text),
  thought: optional(text),
});

const voice = object<Voice>({
  register: optional(text),
  sentenceLen: optional(object<{ max: number }>({ max: required(number(1, 1000)) })),
  lexicon: or(object<Voice['lexicon']>({ use: or(texts, []), avoid: or(texts, []) }), {}),
  quirks: or(texts, []),
  languages: or(texts, []),
  greetings: or(texts, []),
  groupGreetings: or(texts, []),
  examples: or(numberedList('e', object<Example>({ id: itemId, turns: required(list(exampleTurn)), tags: or(texts, []) }), null), []),
  posts: or(texts, []),
});

const goal = object<Goal>({
  id: itemId,
  text: required(words),
  horizon: or(one('short', 'medium', 'long', 'scene'), 'long'),
  priority: or(number(0, 100), 1),
  visibility: or(visibility, 'self'),
  success: optional(object<NonNullable<Goal['success']>>({ check: required(one('judge', 'predicate')), spec: required(words) })),
  conflictsWith: optional(texts),
});

const secret = object<Secret>({
  id: itemId,
  text: required(words),
  severity: or(one(1, 2, 3), 2),
  visibility: or(one('self'), 'self'),
  mayRevealTo: or(texts, []),
  revealWhen: optional(text),
});

const knowledge = object<Knowledge>({
  horizon: optional(object<NonNullable<Knowledge['horizon']>>({ date: optional(text), chapter: optional(text), event: optional(text) })),
  knows: or(list(object<Knowledge['knows'][number]>({ topic: required(words), depth: or(one('name', 'basic', 'expert'), 'basic') })), []),
  cannotKnow: or(list(object<Knowledge['cannotKnow'][number]>({ topic: required(words), reason: or(text, '') })), []),
  mustRefuse: or(list(object<Knowledge['mustRefuse'][number]>({ topic: required(words), manner: or(text, '') })), []),
  onUnknown: or(one('admit', 'deflect', 'guess_in_character'), 'admit'),
  canaries: or(
    numberedList('c', object<Knowledge['canaries'][number]>({ id: itemId, question: required(words), leakIf: required(words) }), null),
    [],
  ),
});

const anyNumber = number(-Number.MAX_VALUE, Number.MAX_VALUE);

const loreEntry: Shape<LoreEntry> = object<LoreEntry>({
  keys: or(texts, []),
  content: or(text, ''),
  extensions: or(record(anything), {}),
  enabled: or(yesno, true),
  insertion_order: or(anyNumber, 100),
  case_sensitive: optional(yesno),
  use_regex: optional(yesno),
  constant: optional(yesno),
  name: optional(text),
  priority: optional(anyNumber),
  id: optional(either<number | string>('a number or a string', anyNumber, text)),
  comment: optional(text),
  selective: optional(yesno),
  secondary_keys: optional(texts),
  position: optional(one('before_char', 'after_char')),
});

const lorebook = object<Lorebook>({
  name: optional(text),
  description: optional(text),
  scan_depth: optional(anyNumber),
  token_budget: optional(anyNumber),
  recursive_scanning: optional(yesno),
  extensions: or(record(anything), {}),
  entries: or(list(loreEntry), []),
});

const unit = number(-1, 1);

const relation = object<Relation>({
  to: required(words),
  role: or(text, ''),
  kind: or(one(...relationKinds), 'acquaintance'),
  affinity: or(unit, 0),
  trust: or(unit, 0),
  power: or(unit, 0),
  text: optional(text),
  knowsOf: or(visibility, { min: 'friend' }),
});

const turns = number(0.001, 1_000_000);

const affect = object<Affect>({
  baseline: or(list(unit, 3), [0, 0, 0]),
  reactivity: or(number(0, 1), 0.5),
  halfLifeTurns: or(object<Affect['halfLifeTurns']>({ emotion: or(turns, 15), mood: or(turns, 60) }), {}),
  thresholds: optional(some(emotions, number(0, 10)) as Shape<Readonly<Record<string, number>>>),
});

const policy = object<SpeechRules>({
  system: optional(text),
  postHistory: optional(text),
  scenario: optional(text),
  actions: optional(texts),
  talkativeness: or(number(0, 1), 0.5),
  safety: or(one('standard', 'fiction_villain_ok', 'strict'), 'standard'),
});

const formats = ['card-v1', 'card-v2', 'card-v3', 'tinytroupe', 'sotopia', 'eliza'] as const;

/** The parts of a persona, by name, so that a check can be made of one of them alone. */
export const form: Shape<Persona> = object<Persona>(
  {
    schema: or(one('persona/1'), 'persona/1'),
    id: or(words, ({ name }) => slug(typeof name === 'string' ? name : '')),
    kind: or(one('demographic', 'character', 'individualised'), 'character'),
    version: or(pattern('a version like "1.0.0"', /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/), '1.0.0'),
    hash: or(text, ''),
    parent: optional(parent),
    lang: or(words, 'en'),
    tags: or(texts, []),
    provenance: or(provenance, {}),
    name: required(words),
    nickname: optional(text),
    aliases: or(texts, []),
    pronouns: optional(text),
    assets: or(list(asset), []),
    identity: or(object<Identity>({ social: or(social, {}), personal: or(personal, {}), context: or(context, {}) }), {}),
    statements: or(numberedList('s', statement), []),
    voice: or(voice, {}),
    goals: or(numberedList('g', goal), []),
    secrets: or(numberedList('x', secret), []),
    knowledge: or(knowledge, {}),
    lore: or(lorebook, {}),
    relations: or(list(relation), []),
    affect: or(affect, {}),
    policy: or(policy, {}),
    rules: optional(authoredRules),
    raw: or(some(formats, anything) as Shape<Persona['raw']>, {}),
    ext: or(record(anything), {}),
  },
  { document: true },
);
