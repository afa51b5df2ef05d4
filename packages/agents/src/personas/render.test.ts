import { sha256 } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { importPersona } from './exchange/detect.ts';
import { gallery } from './gallery/index.ts';
import { parsePersona } from './parse.ts';
import type { Persona } from './persona.ts';
import { renderPersona, textOfBuckets } from './render.ts';

const innkeeper = gallery['innkeeper']!;

describe('renderPersona', () => {
  it('keeps the order of buckets and hashes each section', () => {
    const sections = renderPersona(innkeeper, { others: [{ persona: gallery['villain']! }] });
    const order = sections.map(({ bucket }) => bucket).join('');
    expect(order).toMatch(/^A*B+C*D*G*$/);
    for (const { text, hash } of sections) expect(hash).toBe(sha256(text));
    expect(sections.map(({ name }) => name)).toEqual([
      'scenario',
      'identity',
      'statements',
      'relations',
      'knowledge',
      'goals',
      'secrets',
      'voice',
      'examples',
      'lore',
      'others',
    ]);
  });

  it('changes only the section whose part changed', () => {
    const hashes = (persona: Persona) => Object.fromEntries(renderPersona(persona).map(({ name, hash }) => [name, hash]));
    const before = hashes(innkeeper);
    const after = hashes(parsePersona({ ...innkeeper, goals: [{ text: 'Sleep.' }] }));
    const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
    expect(changed).toEqual(['goals']);
  });

  it('never shows creator notes and other card metadata', () => {
    const card = {
      spec: 'chara_card_v3',
      spec_version: '3.0',
      data: {
        name: 'Zed',
        description: 'Zed is grey.',
        creator_notes: 'CANARY-notes',
        tags: ['CANARY-tag'],
        creator: 'CANARY-creator',
        character_version: '9.9.9',
        extensions: { other: 'CANARY-extension' },
        creator_notes_multilingual: { de: 'CANARY-notes-de' },
        source: ['CANARY-source'],
        group_only_greetings: [],
      },
    };
    const imported = importPersona(card).persona;
    const persona = parsePersona({
      ...imported,
      provenance: { ...imported.provenance, license: 'CANARY-license' },
      knowledge: { canaries: [{ question: 'CANARY-question', leakIf: 'CANARY-leak' }] },
      ext: { x: 'CANARY-ext' },
    });
    const text = renderPersona(persona)
      .map((section) => section.text)
      .join('\n');
    expect(text).toContain('Zed is grey.');
    expect(text).not.toContain('CANARY');
    expect(text).not.toContain('9.9.9');
  });

  it('expands macros with the names of the scene, but not inside a name', () => {
    const persona = parsePersona({
      name: 'Robin {{user}} Hood',
      nickname: 'Rob',
      policy: { system: '{{original}} Also: {{char}} knows {{user}}.', postHistory: 'Stay {{char}}.' },
      statements: ['<BOT> likes {{USER}}.'],
    });
    const sections = renderPersona(persona, { user: 'Ann {{char}}', original: 'Be brief.' });
    expect(sections.find(({ name }) => name === 'system')?.text).toBe('Be brief. Also: Rob knows Ann {{char}}.');
    expect(sections.find(({ name }) => name === 'statements')?.text).toContain('- Rob likes Ann {{char}}.');
    expect(sections.at(-1)).toMatchObject({ bucket: 'G', name: 'reminder', text: 'Stay Rob.' });
  });

  it('writes ids before statements when asked', () => {
    const text = renderPersona(innkeeper, { ids: true }).find(({ name }) => name === 'statements')?.text;
    expect(text).toContain('- [s1] Marta Rook has kept the Heron alone');
  });

  it('shows other people only as their relations allow', () => {
    const villain = parsePersona({
      name: 'Vil',
      statements: [
        { text: 'Vil is loud.', visibility: 'public' },
        { text: 'Vil is sad.', visibility: { min: 'friend' } },
      ],
      relations: [
        { to: 'Pal', kind: 'friend' },
        { to: 'Foe', role: 'enemy', kind: 'by_name', text: 'Vil fears Foe.', knowsOf: { only: ['Foe'] } },
      ],
    });
    const seen = (name: string) => textOfBuckets(renderPersona(parsePersona({ name }), { others: [{ persona: villain }] }), 'D');
    expect(seen('Pal')).toBe('What you know of Vil:\n- Vil is loud.\n- Vil is sad.');
    expect(seen('Foe')).toBe('What you know of Vil:\n- Vil is loud.\n- You (enemy): Vil fears Foe.');
    expect(seen('Nobody')).toBe('Somebody you do not know:\n- This person is loud.');
  });

  it('omits empty sections', () => {
    expect(renderPersona(parsePersona({ name: 'Bare' }))).toMatchObject([{ bucket: 'B', name: 'identity', text: 'You are Bare.' }]);
  });
});
