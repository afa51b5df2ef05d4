import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { beforeAll, describe, expect, it } from 'vitest';
import { derive } from '../lineage.ts';
import { checkPersona } from '../parse.ts';
import type { Persona } from '../persona.ts';
import { exportPersona, importPersona, losses, withFragment } from './detect.ts';

const corpus = join(import.meta.dirname, '../../../../../../shared/data/personas/tinytroupe');

const agent = {
  type: 'TinyPerson',
  mental_faculties: [],
  persona: {
    name: 'Sofía Ríos',
    age: 28,
    gender: 'Female',
    nationality: 'Mexican',
    residence: 'Oaxaca',
    country_of_residence: null,
    education: { highest_level: 'Degree', details: ['UNAM', 'Exchange year'] },
    long_term_goals: ['To open a bakery.'],
    occupation: { title: 'Baker', organization: 'La Concha', description: 'You bake before dawn.', work_style: 'Alone, with music.' },
    style: { verbal: 'Warm.', 'mannerisms/habits': ['Hums.'] },
    personality: {
      traits: ['You are patient.', 'You love bread.'],
      big_five: { openness: 'High. Curious.', conscientiousness: 9, neuroticism: 'Worries at night' },
      notes: 'Grounded.',
    },
    preferences: { interests: ['Bread'], likes: ['Rain'], dislikes: ['Noise'], travel: { short: ['Coast'], long: 'None' } },
    skills: ['You can laminate dough.'],
    beliefs: ['Bread is time.'],
    behaviors: { general: ['Wakes at three.'], routines: { morning: ['Bakes'], 'workday / market': ['Sells'] } },
    health: { physical: 'Strong', mental: 'Calm' },
    relationships: [
      { name: 'Ana', description: 'Your sister, who helps you.' },
      { relation: 'Parents', names: ['Luz', 'Raúl'], description: 'Live next door.' },
      { type: 'Friends', members: [{ name: 'Teo', relation: 'Friend', description: 'From school.' }] },
    ],
    other_facts: ['You never learned to drive.', 'Secret: You sold your grandmother’s recipe.'],
    household_income: 'Low',
    projects: [{ title: 'Oven', year: 2020 }],
  },
} as const;

describe('TinyTroupe format', () => {
  const { persona, format } = importPersona(agent as unknown as Json);

  it('imports every shape into fields and statements', () => {
    expect(format).toBe('tinytroupe');
    const { social, personal, context } = persona.identity;
    expect(social).toMatchObject({
      age: 28,
      residence: 'Oaxaca',
      occupation: { title: 'Baker', description: 'They bake before dawn.' },
      extra: { household_income: 'Low' },
    });
    expect(personal.bigFive).toEqual({ O: { score: 80, note: 'Curious.' }, C: { score: 90 } });
    expect(context).toMatchObject({ likes: ['Rain'], skills: ['They can laminate dough.'], routines: { 'workday / market': ['Sells'] } });
    const texts = Object.fromEntries(persona.statements.map((statement) => [statement.id, statement.text]));
    expect(texts).toMatchObject({
      'personality.traits.1': 'They are patient.',
      'personality.big_five.neuroticism': 'Neuroticism: Worries at night',
      'personality.notes': 'Notes: Grounded.',
      'style.mannerisms/habits.1': 'Mannerisms/habits: Hums.',
      'preferences.travel.short.1': 'Travel, Short: Coast',
      'education.details.2': 'Details: Exchange year',
      'occupation.work_style': 'Work style: Alone, with music.',
      'health.physical': 'Physical: Strong',
      'projects.1.title': 'Projects, Title: Oven',
      'other_facts.1': 'They never learned to drive.',
    });
    expect(persona.secrets.map((secret) => secret.text)).toEqual(['They sold their grandmother’s recipe.']);
    expect(persona.relations.map(({ to, kind, text }) => [to, kind, text])).toEqual([
      ['Ana', 'family', 'Their sister, who helps them.'],
      ['Luz, Raúl', 'family', 'Live next door.'],
      ['Teo', 'friend', 'From school.'],
    ]);
  });

  it('exports an untouched agent deep-equal', () => {
    expect(exportPersona(persona, 'tinytroupe')).toEqual(agent);
  });

  it('exports edits in place and keeps the grammatical person of the original', () => {
    const edited = derive(persona, (old) => ({
      ...old,
      identity: {
        ...old.identity,
        social: { ...old.identity.social, age: 29 },
        personal: { ...old.identity.personal, bigFive: { ...old.identity.personal.bigFive, C: { score: 20 } } },
      },
      statements: [
        ...old.statements
          .filter((statement) => statement.id !== 'personality.traits.1')
          .map((statement) => (statement.id === 'preferences.travel.short.1' ? { ...statement, text: 'Travel, Short: Hills' } : statement)),
        { id: 'new', text: 'They fear dogs.', kind: 'trait' as const, weight: 1, polarity: 'must' as const, visibility: 'public' as const },
      ],
    }));
    const { persona: out } = exportPersona(edited, 'tinytroupe') as unknown as typeof agent;
    expect(out).toEqual({
      ...agent.persona,
      age: 29,
      personality: {
        ...agent.persona.personality,
        traits: ['You love bread.', 'You fear dogs.'],
        big_five: { ...agent.persona.personality.big_five, conscientiousness: 'Low.' },
      },
      preferences: { ...agent.persona.preferences, travel: { short: ['Hills'], long: 'None' } },
    });
  });

  it('imports relationships from dictionaries and plain texts', () => {
    const of = (relationships: Json) =>
      importPersona({ type: 'TinyPerson', persona: { name: 'A', relationships } }).persona.relations.map(({ to, role, kind }) => [
        to,
        role,
        kind,
      ]);
    expect(
      of({ immediate_family: [{ relation: 'Spouse', name: 'Bo', description: 'x' }], friends: [{ name: 'Cy', description: 'y' }] }),
    ).toEqual([
      ['Bo', 'Spouse', 'romantic'],
      ['Cy', 'friends', 'friend'],
    ]);
    expect(of({ friends: 'A few from school' })).toEqual([['friends', 'friends', 'friend']]);
    expect(of([{ name: 'Flatmates', relationship: 'Two roommates who share rent.' }])).toEqual([
      ['Flatmates', 'Two roommates who share rent.', 'friend'],
    ]);
  });

  it('merges fragments: lists are appended, objects are joined, and types must match', () => {
    const fragment = { type: 'Fragment', persona: { beliefs: ['Bread is time.', 'Sleep is bread.'], preferences: { likes: ['Snow'] } } };
    const joined = withFragment(persona, fragment);
    expect(joined.statements.filter((statement) => statement.kind === 'belief').map((statement) => statement.text)).toEqual([
      'Bread is time.',
      'Sleep is bread.',
    ]);
    expect(joined.identity.context.likes).toEqual(['Rain', 'Snow']);
    expect(joined.secrets).toEqual(persona.secrets);
    expect(joined.parent).toEqual({ id: persona.id, hash: persona.hash, op: 'merge' });
    const out = exportPersona(joined, 'tinytroupe') as unknown as typeof agent;
    expect(out.persona.beliefs).toEqual(['Bread is time.', 'Sleep is bread.']);
    expect(out).toMatchObject({ mental_faculties: [], persona: { skills: agent.persona.skills, projects: agent.persona.projects } });
    expect(() => withFragment(persona, { type: 'Fragment', persona: { skills: 'many' } })).toThrow(
      /persona\.skills, but one is a list and the other a string/,
    );
    expect(() => importPersona(fragment)).toThrow(/This is a TinyTroupe fragment, not a person\. Read/);
  });

  it('loses only unsupported fields', () => {
    expect(losses(persona, 'tinytroupe')).toEqual([]);
    expect(losses(persona, 'card-v3')).toEqual([]);
    expect(losses(persona, 'sotopia').length).toBeGreaterThan(0);
  });

  it('rejects an agent without a name', () => {
    expect(() => importPersona({ type: 'TinyPerson', persona: {} })).toThrow(
      'A TinyTroupe agent needs persona.name, but this one has none.',
    );
  });
});

describe.skipIf(!existsSync(corpus))('TinyTroupe corpus (skipped where ../shared/data/personas is absent)', () => {
  const imported: { readonly file: string; readonly json: JsonObject; readonly persona: Persona; readonly format: string }[] = [];

  beforeAll(() => {
    for (const file of readdirSync(corpus).filter((name) => name.endsWith('.json'))) {
      const json = JSON.parse(readFileSync(join(corpus, file), 'utf8')) as JsonObject;
      imported.push({ file, json, ...importPersona(json) });
    }
  });

  it('imports completely and exports deep-equal', () => {
    expect(imported.length).toBeGreaterThan(300);
    for (const { file, json, persona, format } of imported) {
      expect(format, file).toBe('tinytroupe');
      expect(checkPersona(persona), file).toEqual([]);
      expect(Object.keys(persona.identity.personal.bigFive ?? {}), file).toHaveLength(5);
      expect(persona.relations.length, file).toBeGreaterThan(0);
      expect(equal(exportPersona(persona, 'tinytroupe'), json), file).toBe(true);
    }
  });

  it('loses almost no text on import', () => {
    const texts = (value: Json): string[] =>
      typeof value === 'string'
        ? [value]
        : Array.isArray(value)
          ? value.flatMap(texts)
          : value !== null && typeof value === 'object'
            ? Object.values(value).flatMap(texts)
            : [];
    const plain = (text: string) =>
      text.toLowerCase().replace(/\b(?:you|your|yours|yourself|they|them|their|theirs|themself)\b|[^\p{L}]/gu, '');
    let missing = 0;
    let all = 0;
    for (const { json, persona } of imported) {
      const { raw: _, ...own } = persona;
      const saved = plain(texts(own as Json).join(' '));
      for (const text of texts(json['persona']!)) {
        all++;
        if (!saved.includes(plain(text))) missing++;
      }
    }
    // Level words of the Big Five become numbers; a few relations carry stray details.
    expect(missing / all).toBeLessThan(0.03);
  });

  it('survives a round trip through a card', () => {
    for (const { file, json, persona } of imported.filter((_, i) => i % 20 === 0)) {
      const again = importPersona(exportPersona(persona, 'png')).persona;
      expect(again, file).toEqual(persona);
      expect(exportPersona(again, 'tinytroupe'), file).toEqual(json);
    }
  });
});
