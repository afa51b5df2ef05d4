import { Fault, freeze, hash, type Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { derive } from './lineage.ts';
import { checkPersona, parsePersona, personaSchema } from './parse.ts';
import { randomPersona } from './random.cases.ts';
import { slug } from './slug.ts';

const minimal = { name: 'Åsa Öl', statements: ['Åsa Öl likes tea.'] };

describe('parsePersona', () => {
  it('fills in every optional part', () => {
    const persona = parsePersona(minimal);
    expect(persona.id).toBe('åsa-öl');
    expect(persona.version).toBe('1.0.0');
    expect(persona.statements).toEqual([
      { id: 's1', text: 'Åsa Öl likes tea.', kind: 'fact', weight: 1, polarity: 'must', visibility: { min: 'acquaintance' } },
    ]);
    expect(persona.affect).toEqual({ baseline: [0, 0, 0], reactivity: 0.5, halfLifeTurns: { emotion: 15, mood: 60 } });
    expect(persona.identity.personal.moral).toEqual({ traits: [] });
    expect(persona.knowledge.onUnknown).toBe('admit');
    expect(persona.lore).toEqual({ extensions: {}, entries: [] });
  });

  it('takes a plain value for an object with one main field', () => {
    const { identity, voice, knowledge } = parsePersona({
      name: 'Bram',
      identity: { social: { occupation: 'smuggler' }, personal: { bigFive: { E: 92 }, moral: 4 } },
      voice: { examples: ['Aye, she is quick.', { turns: ['Buying?'] }] },
      knowledge: { knows: ['tides'], mustRefuse: ['the crown'] },
    } as Json);
    expect(identity.social.occupation).toEqual({ title: 'smuggler' });
    expect(identity.personal).toEqual({ bigFive: { E: { score: 92 } }, moral: { level: 4, traits: [] } });
    expect(voice.examples.map(({ turns }) => turns)).toEqual([
      [{ speaker: 'char', speech: 'Aye, she is quick.' }],
      [{ speaker: 'char', speech: 'Buying?' }],
    ]);
    expect(knowledge.knows).toEqual([{ topic: 'tides', depth: 'basic' }]);
    expect(knowledge.mustRefuse).toEqual([{ topic: 'the crown', manner: '' }]);
  });

  it.each<[Json, string]>([
    [{ name: '' }, 'name must be a non-empty string, but got ""'],
    [{ name: 'A', identity: { social: { age: 'old' } } }, 'identity.social.age must be a number from 0 to 1,000,000, but got "old"'],
    [{ name: 'A', identity: { personal: { moral: { level: 5 } } } }, 'identity.personal.moral.level must be one of 1, 2, 3, 4, but got 5'],
    [
      { name: 'A', identity: { personal: { bigFive: { O: { score: 101 } } } } },
      'identity.personal.bigFive.O.score must be a number from 0 to 100, but got 101',
    ],
    [
      { name: 'A', identity: { personal: { bigFive: { X: { score: 1 } } } } },
      'unknown field "identity.personal.bigFive.X"; identity.personal.bigFive has O, C, E, A, N',
    ],
    [{ name: 'A', statements: [{ kind: 'fact' }] }, 'statements[0].text must be a non-empty string, but is missing'],
    [{ name: 'A', statements: ['x', { text: 'y', visibility: 'friends' }] }, 'statements[1].visibility must be "self", "public"'],
    [{ name: 'A', goals: 'win' }, 'goals must be a list, but got "win"'],
    [{ name: 'A', affect: { baseline: [0, 0] } }, 'affect.baseline must be a list of 3, but got [0,0]'],
    [{ name: 'A', affect: { thresholds: { glee: 1 } } }, 'unknown field "affect.thresholds.glee"'],
    [{ name: 'A', relations: [{ to: 'B', trust: 2 }] }, 'relations[0].trust must be a number from -1 to 1, but got 2'],
    [{ name: 'A', version: 'new' }, 'version must be a version like "1.0.0", but got "new"'],
    [{ name: 'A', colour: 'red' }, 'unknown field "colour"; a persona has schema, id'],
    [
      {
        name: 'A',
        statements: [
          { id: 'a', text: 'x' },
          { id: 'a', text: 'y' },
        ],
      },
      'statements must have unique ids, but "a" is used twice',
    ],
    [[], 'a persona must be an object, but got []'],
  ])('names the invalid field: %j', (json, problem) => {
    expect(() => parsePersona(json)).toThrow(Fault);
    expect(checkPersona(json).some((match) => match.startsWith(problem))).toBe(true);
    expect(() => parsePersona(json)).toThrow(problem.slice(0, 30));
  });

  it('lists all problems in checkPersona and the first three in the error', () => {
    const bad = { name: 3, lang: 3, tags: 3, voice: 3, goals: 3 } as unknown as Json;
    expect(checkPersona(bad)).toHaveLength(5);
    expect(() => parsePersona(bad)).toThrow(/; and 2 more\.$/);
  });

  it('rejects deep nesting and keeps __proto__ as an ordinary key', () => {
    let deep: Json = 0;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => parsePersona({ name: 'A', ext: { deep } })).toThrow(/nested deeper than 100/);
    const sneaky = JSON.parse('{"name": "A", "ext": {"__proto__": {"polluted": true}}}') as Json;
    const persona = parsePersona(sneaky);
    expect(Object.keys(persona.ext)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('does not modify its input', () => {
    const input = freeze({ name: 'A', statements: ['x', { text: 'y' }], voice: { examples: [{ turns: [] }] } });
    expect(() => parsePersona(input)).not.toThrow();
  });

  it('has a JSON Schema', () => {
    expect(personaSchema).toMatchObject({ type: 'object', additionalProperties: false, required: ['name'] });
    expect(JSON.stringify(personaSchema)).toContain('"fiction_villain_ok"');
  });
});

describe('persona hash', () => {
  it('covers everything except itself, in any key order', () => {
    const persona = parsePersona(minimal);
    const { hash: ownText, ...rest } = persona;
    expect(ownText).toBe(hash(rest));
    const turned = Object.fromEntries(Object.entries(persona).reverse()) as Json;
    expect(parsePersona(turned).hash).toBe(ownText);
  });

  it('changes with every field and is never taken from input', () => {
    const persona = parsePersona(minimal);
    expect(parsePersona({ ...minimal, lang: 'sv' }).hash).not.toBe(persona.hash);
    expect(parsePersona({ ...minimal, hash: 'mine' }).hash).toBe(persona.hash);
  });

  it('stays the same when a random persona is parsed again', () => {
    fc.assert(
      fc.property(randomPersona, (persona) => {
        expect(parsePersona(JSON.parse(JSON.stringify(persona)) as Json)).toEqual(persona);
      }),
      { numRuns: 100, seed: 1 },
    );
  });
});

describe('derive', () => {
  it('records the parent and increments the version', () => {
    const parent = parsePersona({ ...minimal, version: '1.2.3' });
    const child = derive(parent, { lang: 'sv' });
    expect(child.parent).toEqual({ id: parent.id, hash: parent.hash, op: 'edit' });
    expect(child.version).toBe('1.2.4');
    expect(derive(child, (persona) => ({ ...persona, tags: ['x'] }), 'evolve')).toMatchObject({
      version: '1.3.0',
      parent: { hash: child.hash, op: 'evolve' },
    });
    expect(() => derive(parent, { name: '' })).toThrow(/name must be/);
  });
});

describe('slug', () => {
  it.each([
    ['Ann O’Brien', 'ann-o-brien'],
    ['  李 小龙 ', '李-小龙'],
    ['!!!', 'unnamed'],
  ])('%s', (name, expected) => {
    expect(slug(name)).toBe(expected);
  });
});
