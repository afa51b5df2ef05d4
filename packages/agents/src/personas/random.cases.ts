/** @file Random personas for property tests: every part of the document, with texts in many scripts, macros and marks that formats use. */

import { fc } from '../../../../test/fixtures/property.ts';
import { emotions, relationKinds, schwartzValues, traits } from './form.ts';
import { type PersonaInput, parsePersona } from './parse.ts';
import type { Persona } from './persona.ts';

const awkward = [
  '{{char}} & {{user}}',
  '<START>\n{{char}}: hi',
  'Secret: no',
  '@@depth 3\nx',
  '中文。句子。',
  '🦉',
  'a\u0000b',
  '__proto__',
  'They said: "no." You?',
  '/re(/i',
  '\\u0041',
  'ß İ ı',
];

const randomText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.constantFrom(...awkward) },
);
const words = randomText.filter((text) => text.trim() !== '');
const texts = fc.array(randomText, { maxLength: 3 });
const percent = fc.integer({ min: 0, max: 100 });
const unit = fc.integer({ min: -100, max: 100 }).map((n) => n / 100);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const visibility = fc.oneof(
  fc.constantFrom('self' as const, 'public' as const),
  fc.constantFrom('by_name' as const, 'acquaintance' as const, 'friend' as const).map((min) => ({ min })),
  texts.map((only) => ({ only })),
);

const loreEntry = fc.record({
  keys: texts,
  content: randomText,
  extensions: fc.dictionary(randomText, fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<never>, { maxKeys: 2 }),
  enabled: fc.boolean(),
  insertion_order: fc.integer({ min: -5, max: 200 }),
  id: fc.nat(1000),
});

const input = fc.record(
  {
    name: words,
    kind: fc.constantFrom('demographic' as const, 'character' as const, 'individualised' as const),
    lang: fc.constantFrom('en', 'de', 'ja'),
    tags: texts,
    nickname: randomText,
    aliases: texts,
    assets: fc.array(fc.record({ type: randomText, uri: randomText, name: randomText, ext: randomText }), { maxLength: 2 }),
    identity: fc.record({
      social: fc.record({
        age: fc.nat(120),
        gender: randomText,
        occupation: fc.record({ title: randomText }),
        extra: fc.dictionary(randomText, randomText, { maxKeys: 2 }),
      }),
      personal: fc.record({
        bigFive: fc.record(Object.fromEntries(traits.map((trait) => [trait, fc.record({ score: percent, note: randomText })]))),
        values: fc.dictionary(fc.constantFrom(...schwartzValues), fc.integer({ min: 1, max: 6 })),
        moral: fc.record({ level: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const), traits: texts }),
        summary: randomText,
      }),
      context: fc.record({ likes: texts, skills: texts, routines: fc.dictionary(randomText, texts, { maxKeys: 2 }), health: randomText }),
    }),
    statements: fc.array(
      fc.record({
        text: words,
        kind: fc.constantFrom('fact' as const, 'trait' as const, 'style' as const),
        polarity: fc.constantFrom('must' as const, 'must_not' as const),
        visibility,
      }),
      { maxLength: 4 },
    ),
    voice: fc.record({
      register: randomText,
      greetings: texts,
      groupGreetings: texts,
      examples: fc.array(
        fc.record({
          turns: fc.array(
            fc.record({ speaker: fc.oneof(fc.constantFrom('char', 'user'), words), speech: randomText, action: randomText }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 2 },
      ),
    }),
    goals: fc.array(fc.record({ text: words, visibility, priority: percent }), { maxLength: 3 }),
    secrets: fc.array(fc.record({ text: words, severity: fc.constantFrom(1 as const, 2 as const, 3 as const) }), { maxLength: 2 }),
    lore: fc.record({ entries: fc.array(loreEntry, { maxLength: 3 }), recursive_scanning: fc.boolean() }),
    relations: fc.array(
      fc.record({ to: words, kind: fc.constantFrom(...relationKinds), trust: unit, text: randomText, knowsOf: visibility }),
      { maxLength: 3 },
    ),
    affect: fc.record({
      baseline: fc.tuple(unit, unit, unit),
      thresholds: fc.dictionary(fc.constantFrom(...emotions), fc.integer({ min: 0, max: 10 }), { maxKeys: 3 }),
    }),
    policy: fc.record({ system: randomText, scenario: randomText }),
    ext: fc.dictionary(randomText, fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>, { maxKeys: 2 }),
  },
  { requiredKeys: ['name'] },
);

export const randomPersona: fc.Arbitrary<Persona> = fc
  .tuple(input, maybe(fc.constantFrom('1.0.1', '2.3.4')))
  .map(([fields, version]) =>
    parsePersona(JSON.parse(JSON.stringify({ ...fields, ...(version === undefined ? {} : { version }) })) as PersonaInput),
  );
