import { Fault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../../test/fixtures/property.ts';
import { gallery } from '../gallery/index.ts';
import { derive } from '../lineage.ts';
import { randomPersona } from '../random.cases.ts';
import { exportLorebook, importLorebook } from './book.ts';
import { exportPersona, importPersona, losses } from './detect.ts';
import { exportFormats } from './export-formats.ts';

const sotopia = {
  pk: '01H5',
  first_name: 'Mia',
  last_name: 'de la Cruz',
  age: 31,
  occupation: 'Chemist',
  gender: 'Woman',
  gender_pronoun: 'She/her',
  public_info: 'Mia has two cats. She sings in a choir.',
  big_five:
    'Openness to Experience: High. Loves museums. Conscientiousness - Low, Extraversion: Medium; Agreeableness: Very high. Neuroticism: Low',
  moral_values: ['Care/harm'],
  schwartz_personal_values: ['Self-direction', 'hedonism', 'Harmony'],
  personality_and_values: 'Mia is warm and scattered.',
  decision_making_style: 'intuitive',
  secret: 'Mia never finished her degree.',
  model_id: 'x',
  mbti: 'ENFP',
  tag: 'test',
};

const eliza = {
  name: 'Ada',
  username: 'ada_bot',
  plugins: ['@x/y'],
  settings: { secrets: { KEY: 'value' }, voice: { model: 'en' } },
  system: 'Be Ada.',
  bio: ['Ada built an engine.', 'Ada likes numbers.'],
  lore: ['Once met a duke.'],
  knowledge: ['Looms.', { path: 'books/a.md' }],
  messageExamples: [
    [
      { user: '{{user1}}', content: { text: 'Hello?' } },
      { user: 'Ada', content: { text: 'Numbers!', action: 'NONE' } },
    ],
  ],
  postExamples: ['One, two.'],
  topics: ['engines'],
  adjectives: ['exact'],
  style: { all: ['Be brief.'], chat: ['Ask back.'], post: ['No tags.'] },
};

describe('Sotopia format', () => {
  const { persona, format } = importPersona(sotopia);
  it('imports public facts, private facts, and the secret', () => {
    expect(format).toBe('sotopia');
    expect(persona).toMatchObject({
      name: 'Mia de la Cruz',
      pronouns: 'She/her',
      identity: {
        social: { age: 31, occupation: { title: 'Chemist' } },
        personal: {
          mbti: 'ENFP',
          decisionStyle: 'intuitive',
          moral: { traits: ['Care/harm'] },
          values: { self_direction: 5, hedonism: 5 },
        },
      },
      secrets: [{ text: 'Mia never finished her degree.' }],
    });
    expect(persona.identity.personal.bigFive).toEqual({
      O: { score: 80, note: 'Loves museums.' },
      C: { score: 20 },
      E: { score: 50 },
      A: { score: 90 },
      N: { score: 20 },
    });
    expect(persona.statements.map(({ text, visibility }) => [text, visibility])).toEqual([
      ['Mia has two cats.', { min: 'acquaintance' }],
      ['She sings in a choir.', { min: 'acquaintance' }],
    ]);
  });

  it('exports deep-equal, with edits in place', () => {
    expect(exportPersona(persona, 'sotopia')).toEqual(sotopia);
    const edited = derive(persona, { secrets: ['Mia is rich.'] });
    expect(exportPersona(edited, 'sotopia')).toEqual({ ...sotopia, secret: 'Mia is rich.' });
  });

  it('keeps text without trait levels as a statement', () => {
    const { persona: other } = importPersona({ ...sotopia, big_five: 'Mostly cheerful' });
    expect(other.identity.personal).not.toHaveProperty('bigFive');
    expect(other.statements.at(-1)).toMatchObject({ id: 'big_five', text: 'Mostly cheerful', kind: 'trait' });
    expect(exportPersona(other, 'sotopia')['big_five']).toBe('Mostly cheerful');
  });
});

describe('eliza format', () => {
  const { persona, format } = importPersona(eliza);
  it('imports bio, lore, styles, and examples', () => {
    expect(format).toBe('eliza');
    expect(persona).toMatchObject({
      name: 'Ada',
      aliases: ['ada_bot'],
      policy: { system: 'Be Ada.' },
      identity: { context: { interests: ['engines'] } },
      knowledge: { knows: [{ topic: 'Looms.', depth: 'basic' }] },
      voice: {
        posts: ['One, two.'],
        examples: [
          {
            turns: [
              { speaker: 'user', speech: 'Hello?' },
              { speaker: 'char', speech: 'Numbers!', action: 'NONE' },
            ],
          },
        ],
      },
    });
    expect(persona.statements.map(({ id, kind }) => [id, kind])).toEqual([
      ['bio.1', 'fact'],
      ['bio.2', 'fact'],
      ['lore.1', 'fact'],
      ['adjectives.1', 'trait'],
      ['style.all.1', 'style'],
      ['style.chat.1', 'style'],
      ['style.post.1', 'style'],
    ]);
  });

  it('exports deep-equal, with edits in place', () => {
    expect(exportPersona(persona, 'eliza')).toEqual(eliza);
    const edited = derive(persona, (old) => ({
      ...old,
      statements: old.statements.filter((statement) => statement.id !== 'bio.1'),
      policy: { ...old.policy, system: 'Be.' },
    }));
    expect(exportPersona(edited, 'eliza')).toEqual({ ...eliza, bio: ['Ada likes numbers.'], system: 'Be.' });
  });

  it('imports newer files with a single bio and names instead of users', () => {
    const newer = {
      name: 'Bo',
      bio: 'One line.',
      system: 'x',
      messageExamples: [
        [
          { name: '{{name1}}', content: { text: 'a' } },
          { name: 'Bo', content: { text: 'b', actions: ['WAVE'] } },
        ],
      ],
    };
    const { persona: bo } = importPersona(newer);
    expect(bo.statements[0]?.text).toBe('One line.');
    expect(bo.voice.examples[0]?.turns).toEqual([
      { speaker: 'user', speech: 'a' },
      { speaker: 'char', speech: 'b', action: 'WAVE' },
    ]);
    expect(exportPersona(bo, 'eliza')).toEqual(newer);
  });
});

describe('importLorebook', () => {
  const world = {
    entries: {
      '0': {
        uid: 0,
        key: ['elf'],
        keysecondary: ['wood'],
        content: 'Elves.',
        order: 5,
        disable: false,
        position: 4,
        depth: 3,
        role: 1,
        selective: true,
        selectiveLogic: 2,
        probability: 50,
        useProbability: true,
        excludeRecursion: true,
      },
      '1': { uid: 1, key: [], keysecondary: [], content: 'Off.', disable: true, position: 0, constant: true },
    },
  };
  it('reads world files, stand-alone books, and bare books', () => {
    const book = importLorebook(world as unknown as Json);
    expect(book.entries).toMatchObject([
      {
        id: 0,
        keys: ['elf'],
        secondary_keys: ['wood'],
        insertion_order: 5,
        enabled: true,
        extensions: { position: 4, depth: 3, role: 1, selectiveLogic: 2, probability: 50, exclude_recursion: true },
      },
      { id: 1, enabled: false, constant: true, position: 'before_char' },
    ]);
    expect(importLorebook(exportLorebook(book))).toEqual(book);
    expect(importLorebook(book)).toEqual(book);
    expect(() => importLorebook([])).toThrow(/lorebook_v3/);
  });
});

describe('importPersona', () => {
  it('detects the format by content, from bytes or JSON', () => {
    const persona = gallery['noor']!;
    for (const format of exportFormats) {
      const written = exportPersona(persona, format);
      const bytes = written instanceof Uint8Array ? written : new TextEncoder().encode(JSON.stringify(written));
      expect(importPersona(bytes).format).toBe(format);
    }
    expect(importPersona({ name: 'Only a name' }).format).toBe('persona');
  });

  it.each([
    ['Tilda Marsh is a ferry pilot of 22.\nShe counts everything.\nSecret: Tilda lets refugees cross for free.\n', 2],
    ['Tilda Marsh repairs tiles in Lund.\nSecret: Tilda lets refugees cross for free.\n', 1],
    ['# Tilda Marsh\nTilda counts everything.\nSecret: Tilda lets refugees cross for free.\n', 1],
    ['Name: Tilda Marsh\nShe counts everything.\nSecret: Tilda lets refugees cross for free.\n', 1],
  ])('reads a description in plain text that begins with the name: %j', (text, statements) => {
    const { persona, format } = importPersona(new TextEncoder().encode(text));
    expect(format).toBe('text');
    expect(persona.name).toBe('Tilda Marsh');
    expect(persona.statements).toHaveLength(statements);
    expect(persona.secrets.map((secret) => secret.text)).toEqual(['Tilda lets refugees cross for free.']);
  });

  it.each(['The lamp is on.', 'name: Ann: age', '# Notes\n\nAnn is here.', 'ann is a baker'])(
    'takes no other text for a persona: %j',
    (text) => {
      expect(() => importPersona(new TextEncoder().encode(text))).toThrow(/begins with the name/);
    },
  );

  it.each<[string, Uint8Array | Json, RegExp]>([
    ['arbitrary bytes', Uint8Array.of(1, 2, 3), /Expected a persona file: JSON in UTF-8, a PNG/],
    ['an empty file', new Uint8Array(0), /Expected a persona file: JSON in UTF-8, a PNG,/],
    ['a truncated file', new TextEncoder().encode('{"name": "Ann"'), /must be JSON, but this one is not: .*position 14/],
    ['an array', [], /is a JSON object, but got \[\]/],
    ['a persona with a mistake', { name: 'Ann', statements: ['Ann mends clocks.'], voice: { examples: [3] } }, /voice\.examples\[0\]/],
    ['an unknown object', { foo: 1, bar: 2 }, /Unknown format\. .* the keys foo, bar\./],
    ['a broken persona', { schema: 'persona/1', name: 'A', goals: 1 }, /goals must be a list/],
  ])('rejects %s', (_, input, why) => {
    expect(() => importPersona(input)).toThrow(Fault);
    expect(() => importPersona(input)).toThrow(why);
  });

  it('rejects an unknown export format', () => {
    expect(() => exportPersona(gallery['noor']!, 'word' as 'persona')).toThrow(/can be exported to persona, card-v1/);
  });

  it('rejects a document nested too deeply', () => {
    let deep: Json = 1;
    for (let i = 0; i < 50_000; i++) deep = { a: deep };
    expect(() => importPersona({ spec: 'chara_card_v2', data: { name: 'A', extensions: deep } })).toThrow(/nested deeper/);
  });
});

describe('random persona', () => {
  const runs = { numRuns: 60, seed: 6 };
  it('is unchanged after export to PNG and import', () => {
    fc.assert(
      fc.property(randomPersona, (persona) => {
        expect(importPersona(exportPersona(persona, 'png')).persona).toEqual(persona);
      }),
      runs,
    );
  });

  it('is unchanged after export to CHARX and card V2 and import', () => {
    fc.assert(
      fc.property(randomPersona, (persona) => {
        expect(importPersona(exportPersona(persona, 'charx')).persona).toEqual(persona);
        expect(importPersona(exportPersona(persona, 'card-v2')).persona).toEqual(persona);
      }),
      runs,
    );
  });

  it('can be exported to every format and imported again, with every loss reported', () => {
    fc.assert(
      fc.property(randomPersona, (persona) => {
        for (const format of ['card-v1', 'tinytroupe', 'sotopia', 'eliza'] as const) {
          const again = importPersona(exportPersona(persona, format));
          expect(again.format).toBe(format);
          expect(exportPersona(again.persona, format)).toEqual(exportPersona(persona, format));
          const lost = losses(persona, format);
          if (again.persona.goals.length < persona.goals.length) expect(lost).toContain('goals');
        }
      }),
      { numRuns: 40, seed: 7 },
    );
  });
});
