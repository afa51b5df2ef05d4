/** @file The form of `persona/1` as data: the type of each field, and its default. */

import {
  anything,
  boolean,
  either,
  list,
  number,
  object,
  one,
  optional,
  pattern,
  record,
  required,
  type Shape,
  some,
  text,
  withDefault,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { numberedList, orPlain } from './form-lists.ts';
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

/** An id that `numberedList` fills in. */
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
  source: withDefault(texts, []),
  createdAt: optional(text),
  modifiedAt: optional(text),
  basis: withDefault(one('fictional', 'composite', 'real_person', 'sampled'), 'fictional'),
  consent: optional(text),
});

const asset = object<Asset>({ type: required(text), uri: required(text), name: withDefault(text, ''), ext: withDefault(text, 'unknown') });

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
  occupation: optional(
    orPlain('title', text, object<Occupation>({ title: required(text), organization: optional(text), description: optional(text) })),
  ),
  income: optional(text),
  class: optional(text),
  household: optional(text),
  politics: optional(text),
  religion: optional(text),
  extra: withDefault(record(anything), {}),
});

const percent = number(0, 100);
const traitLevel = orPlain(
  'score',
  percent,
  object<TraitLevel>({ score: required(percent), facets: optional(record(percent)), note: optional(text) }),
);

const personal = object<PersonalIdentity>({
  bigFive: optional(some(traits, traitLevel) as Shape<BigFive>),
  values: optional(some(schwartzValues, number(1, 6))),
  mbti: optional(text),
  moral: withDefault(
    orPlain(
      'level',
      one(1, 2, 3, 4),
      object<Moral>({ level: optional(one(1, 2, 3, 4)), traits: withDefault(texts, []), note: optional(text) }),
    ),
    {},
  ),
  decisionStyle: optional(text),
  summary: optional(text),
});

const context = object<LifeContext>({
  routines: withDefault(record(texts), {}),
  likes: withDefault(texts, []),
  dislikes: withDefault(texts, []),
  interests: withDefault(texts, []),
  skills: withDefault(texts, []),
  beliefs: withDefault(texts, []),
  habits: withDefault(texts, []),
  health: optional(text),
  history: withDefault(texts, []),
});

const statement = object<Statement>({
  id: itemId,
  text: required(words),
  kind: withDefault(one('fact', 'trait', 'belief', 'style', 'rule', 'boundary', 'relation'), 'fact'),
  weight: withDefault(number(0, 100), 1),
  polarity: withDefault(one('must', 'must_not'), 'must'),
  visibility: withDefault(visibility, { min: 'acquaintance' }),
  keys: optional(texts),
  source: optional(text),
});

const exampleTurn = orPlain(
  'speech',
  text,
  object<ExampleTurn>({
    speaker: withDefault(words, 'char'),
    speech: withDefault(text, ''),
    action: optional(text),
    thought: optional(text),
  }),
);

const voice = object<Voice>({
  register: optional(text),
  sentenceLen: optional(object<{ max: number }>({ max: required(number(1, 1000)) })),
  lexicon: withDefault(object<Voice['lexicon']>({ use: withDefault(texts, []), avoid: withDefault(texts, []) }), {}),
  quirks: withDefault(texts, []),
  languages: withDefault(texts, []),
  greetings: withDefault(texts, []),
  groupGreetings: withDefault(texts, []),
  examples: withDefault(
    numberedList('e', object<Example>({ id: itemId, turns: required(list(exampleTurn)), tags: withDefault(texts, []) }), (speech) => ({
      turns: [speech],
    })),
    [],
  ),
  posts: withDefault(texts, []),
});

const goal = object<Goal>({
  id: itemId,
  text: required(words),
  horizon: withDefault(one('short', 'medium', 'long', 'scene'), 'long'),
  priority: withDefault(number(0, 100), 1),
  visibility: withDefault(visibility, 'self'),
  success: optional(object<NonNullable<Goal['success']>>({ check: required(one('judge', 'predicate')), spec: required(words) })),
  conflictsWith: optional(texts),
});

const secret = object<Secret>({
  id: itemId,
  text: required(words),
  severity: withDefault(one(1, 2, 3), 2),
  visibility: withDefault(one('self'), 'self'),
  mayRevealTo: withDefault(texts, []),
  revealWhen: optional(text),
});

const topic = <T>(of: Shape<T>) => orPlain('topic', words, of);

const knowledge = object<Knowledge>({
  horizon: optional(object<NonNullable<Knowledge['horizon']>>({ date: optional(text), chapter: optional(text), event: optional(text) })),
  knows: withDefault(
    list(
      topic(object<Knowledge['knows'][number]>({ topic: required(words), depth: withDefault(one('name', 'basic', 'expert'), 'basic') })),
    ),
    [],
  ),
  cannotKnow: withDefault(
    list(topic(object<Knowledge['cannotKnow'][number]>({ topic: required(words), reason: withDefault(text, '') }))),
    [],
  ),
  mustRefuse: withDefault(
    list(topic(object<Knowledge['mustRefuse'][number]>({ topic: required(words), manner: withDefault(text, '') }))),
    [],
  ),
  onUnknown: withDefault(one('admit', 'deflect', 'guess_in_character'), 'admit'),
  canaries: withDefault(
    numberedList('c', object<Knowledge['canaries'][number]>({ id: itemId, question: required(words), leakIf: required(words) }), null),
    [],
  ),
});

const anyNumber = number(-Number.MAX_VALUE, Number.MAX_VALUE);

const loreEntry: Shape<LoreEntry> = object<LoreEntry>({
  keys: withDefault(texts, []),
  content: withDefault(text, ''),
  extensions: withDefault(record(anything), {}),
  enabled: withDefault(boolean, true),
  insertion_order: withDefault(anyNumber, 100),
  case_sensitive: optional(boolean),
  use_regex: optional(boolean),
  constant: optional(boolean),
  name: optional(text),
  priority: optional(anyNumber),
  id: optional(either<number | string>('a number or a string', anyNumber, text)),
  comment: optional(text),
  selective: optional(boolean),
  secondary_keys: optional(texts),
  position: optional(one('before_char', 'after_char')),
});

const lorebook = object<Lorebook>({
  name: optional(text),
  description: optional(text),
  scan_depth: optional(anyNumber),
  token_budget: optional(anyNumber),
  recursive_scanning: optional(boolean),
  extensions: withDefault(record(anything), {}),
  entries: withDefault(list(loreEntry), []),
});

const unit = number(-1, 1);

const relation = object<Relation>({
  to: required(words),
  role: withDefault(text, ''),
  kind: withDefault(one(...relationKinds), 'acquaintance'),
  affinity: withDefault(unit, 0),
  trust: withDefault(unit, 0),
  power: withDefault(unit, 0),
  text: optional(text),
  knowsOf: withDefault(visibility, { min: 'friend' }),
});

const turns = number(0.001, 1_000_000);

const affect = object<Affect>({
  baseline: withDefault(list(unit, 3), [0, 0, 0]),
  reactivity: withDefault(number(0, 1), 0.5),
  halfLifeTurns: withDefault(object<Affect['halfLifeTurns']>({ emotion: withDefault(turns, 15), mood: withDefault(turns, 60) }), {}),
  thresholds: optional(some(emotions, number(0, 10)) as Shape<Readonly<Record<string, number>>>),
});

const policy = object<SpeechRules>({
  system: optional(text),
  postHistory: optional(text),
  scenario: optional(text),
  actions: optional(texts),
  talkativeness: withDefault(number(0, 1), 0.5),
  safety: withDefault(one('standard', 'fiction_villain_ok', 'strict'), 'standard'),
});

const formats = ['card-v1', 'card-v2', 'card-v3', 'tinytroupe', 'sotopia', 'eliza'] as const;

/** The shapes of a persona's parts, by name, so that each can be checked separately. */
export const form: Shape<Persona> = object<Persona>(
  {
    schema: withDefault(one('persona/1'), 'persona/1'),
    id: withDefault(words, ({ name }) => slug(typeof name === 'string' ? name : '')),
    kind: withDefault(one('demographic', 'character', 'individualised'), 'character'),
    version: withDefault(pattern('a version like "1.0.0"', /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/), '1.0.0'),
    hash: withDefault(text, ''),
    parent: optional(parent),
    lang: withDefault(words, 'en'),
    tags: withDefault(texts, []),
    provenance: withDefault(provenance, {}),
    name: required(words),
    nickname: optional(text),
    aliases: withDefault(texts, []),
    pronouns: optional(text),
    assets: withDefault(list(asset), []),
    identity: withDefault(
      object<Identity>({ social: withDefault(social, {}), personal: withDefault(personal, {}), context: withDefault(context, {}) }),
      {},
    ),
    statements: withDefault(numberedList('s', statement), []),
    voice: withDefault(voice, {}),
    goals: withDefault(numberedList('g', goal), []),
    secrets: withDefault(numberedList('x', secret), []),
    knowledge: withDefault(knowledge, {}),
    lore: withDefault(lorebook, {}),
    relations: withDefault(list(relation), []),
    affect: withDefault(affect, {}),
    policy: withDefault(policy, {}),
    rules: optional(authoredRules),
    raw: withDefault(some(formats, anything) as Shape<Persona['raw']>, {}),
    ext: withDefault(record(anything), {}),
  },
  { document: true },
);
