import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { gallery } from './gallery/index.ts';
import { parsePersona } from './parse.ts';
import type { Persona, RelationKind, Visibility } from './persona.ts';
import { renderPersona } from './render.ts';
import { levelOf, privateTexts, type VisibilityLevel, visibleTo } from './visibility.ts';

const ann = parsePersona({
  name: 'Ann',
  identity: { social: { age: 40 } },
  statements: [
    { id: 'pub', text: 'Ann is tall.', visibility: 'public' },
    { id: 'name', text: 'Ann has a shop.', visibility: { min: 'by_name' } },
    { id: 'acq', text: 'Ann sells tea.', visibility: { min: 'acquaintance' } },
    { id: 'fri', text: 'Ann is lonely.', visibility: { min: 'friend' } },
    { id: 'bob', text: 'Ann owes Bob money.', visibility: { only: ['bob'] } },
    { id: 'own', text: 'Ann hates tea.', visibility: 'self' },
  ],
  goals: [
    { text: 'Sell the shop.', visibility: 'self' },
    { text: 'Meet people.', visibility: 'public' },
  ],
  secrets: [{ text: 'Ann burnt the old shop.', revealWhen: 'she is drunk' }],
  relations: [
    { to: 'bob', kind: 'stranger', text: 'A creditor.', knowsOf: 'self' },
    { to: 'Cem', kind: 'family', text: 'Her cousin.' },
    { to: 'Dee', kind: 'colleague' },
    { to: 'Dee', kind: 'by_name' },
  ],
});

const ids = (level: VisibilityLevel, id?: string) =>
  visibleTo(ann, { level, ...(id === undefined ? {} : { id }) }).statements.map((statement) => statement.id);

describe('visibleTo', () => {
  it('reveals more with each level of acquaintance', () => {
    expect(ids('stranger')).toEqual(['pub']);
    expect(ids('by_name')).toEqual(['pub', 'name']);
    expect(ids('acquaintance')).toEqual(['pub', 'name', 'acq']);
    expect(ids('friend')).toEqual(['pub', 'name', 'acq', 'fri']);
    expect(ids('stranger', 'bob')).toEqual(['pub', 'bob']);
  });

  it('hides the name from strangers, and the profile from those who know only the name', () => {
    expect(visibleTo(ann, { level: 'stranger' })).not.toHaveProperty('name');
    expect(visibleTo(ann, { level: 'by_name' })).toMatchObject({ name: 'Ann' });
    expect(visibleTo(ann, { level: 'by_name' })).not.toHaveProperty('social');
    expect(visibleTo(ann, { level: 'acquaintance' }).social?.age).toBe(40);
  });

  it("reads the closest level from the persona's relations", () => {
    expect(levelOf(ann, { id: 'bob' })).toBe('stranger');
    expect(levelOf(ann, { name: 'Cem' })).toBe('friend');
    expect(levelOf(ann, { id: 'x', aliases: ['Dee'] })).toBe('acquaintance');
    expect(levelOf(ann, { id: 'nobody' })).toBe('stranger');
    const kinds: readonly RelationKind[] = ['romantic', 'boss', 'rival', 'subordinate', 'other'];
    const levels = kinds.map((kind) => levelOf(parsePersona({ name: 'A', relations: [{ to: 'b', kind }] }), { id: 'b' }));
    expect(levels).toEqual(['friend', 'acquaintance', 'acquaintance', 'acquaintance', 'acquaintance']);
  });
});

describe('privateTexts', () => {
  it('collects the texts visible only to the persona', () => {
    expect(privateTexts(ann)).toEqual(['Ann burnt the old shop.', 'she is drunk', 'Sell the shop.', 'Ann hates tea.', 'A creditor.']);
  });

  it('collects everything hidden from the given viewer', () => {
    expect(privateTexts(ann, { level: 'friend' })).toEqual([
      ...privateTexts(ann).slice(0, 3),
      'Ann owes Bob money.',
      'Ann hates tea.',
      'A creditor.',
    ]);
    expect(privateTexts(ann, { level: 'stranger' })).toContain('Ann sells tea.');
  });
});

describe('prompts of a cast', () => {
  const people = Object.values(gallery);
  const promptOf = (persona: Persona, other: Persona, level: VisibilityLevel) =>
    renderPersona(persona, { others: [{ persona: other, level }] })
      .map((section) => section.text)
      .join('\n');
  // A stranger's name is not told, so a text may stand there without it.
  const says = (prompt: string, text: string, { name }: Persona) =>
    prompt.includes(text) || prompt.toLowerCase().includes(text.replaceAll(name, 'this person').toLowerCase());
  const pairs = people.flatMap((persona) => people.filter((other) => other !== persona).map((other) => [persona, other] as const));

  it('never reveal private texts of another seat, at any level of acquaintance', () => {
    const leaks: string[] = [];
    for (const [persona, other] of pairs)
      for (const level of ['stranger', 'by_name', 'acquaintance', 'friend'] as const) {
        const prompt = promptOf(persona, other, level);
        const { id, name, aliases } = persona;
        for (const text of privateTexts(other, { id, name, aliases, level }))
          if (says(prompt, text, other)) leaks.push(`${persona.id} ← ${other.id} (${level}): ${text}`);
      }
    expect(leaks).toEqual([]);
    expect(pairs.length).toBe(72);
  });

  it('are caught by the check when they leak', () => {
    const [persona, other] = pairs[0]!;
    const leaky = { ...other, statements: other.statements.map((statement) => ({ ...statement, visibility: 'public' as const })) };
    expect(privateTexts(other).some((text) => says(promptOf(persona, leaky, 'stranger'), text, other))).toBe(true);
  });

  it('contain exactly what each seat may know, over random casts', () => {
    const visibility = fc.constantFrom<Visibility>(
      'self',
      'public',
      { min: 'by_name' },
      { min: 'acquaintance' },
      { min: 'friend' },
      { only: ['p0'] },
      { only: ['p1', 'p2'] },
    );
    const kind = fc.constantFrom<RelationKind>('stranger', 'by_name', 'rival', 'family');
    const member = fc.record({
      statements: fc.array(visibility, { maxLength: 6 }),
      goals: fc.array(visibility, { maxLength: 3 }),
      relations: fc.tuple(kind, kind, kind),
    });
    fc.assert(
      fc.property(fc.tuple(member, member, member), (cast) => {
        const personas = cast.map(({ statements, goals, relations }, i) =>
          parsePersona({
            id: `p${i}`,
            name: `Person${i}`,
            statements: statements.map((gate, j) => ({ text: `statement ${i}/${j}/`, visibility: gate })),
            goals: goals.map((gate, j) => ({ text: `goal ${i}/${j}/`, visibility: gate })),
            secrets: [`secret ${i}/`],
            relations: relations.map((relation, j) => ({
              to: `p${j}`,
              kind: relation,
              text: `relation ${i}/${j}/`,
              knowsOf: statements[0] ?? 'self',
            })),
          }),
        );
        for (const viewer of personas) {
          const others = personas.filter((persona) => persona !== viewer);
          const prompt = renderPersona(viewer, { others: others.map((persona) => ({ persona })) })
            .map((section) => section.text)
            .join('\n');
          for (const other of others) {
            const hidden = new Set(privateTexts(other, viewer));
            const all = [...other.statements, ...other.goals, ...other.secrets, ...other.relations].map((item) => item.text as string);
            for (const text of all) expect(prompt.includes(text), `${viewer.id} reads ${text}`).toBe(!hidden.has(text));
          }
        }
      }),
      { numRuns: 150, seed: 9 },
    );
  });
});
