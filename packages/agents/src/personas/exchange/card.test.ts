import { equal, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { gallery } from '../gallery/index.ts';
import { derive } from '../lineage.ts';
import { parsePersona } from '../parse.ts';
import type { Persona } from '../persona.ts';
import { cardVersion, exportCard, extensionKey, importCard } from './card.ts';
import { exportPersona, importPersona, losses } from './detect.ts';

const v1 = {
  name: 'Ягá',
  description: '{{char}} is old. She has one bone leg.\n\nLives in a hut on hen’s legs.\r\nSecret: {{char}} is afraid of cats.',
  personality: 'Gruff, {{random:kind,cruel}}',
  scenario: 'A clearing. <USER> is lost.',
  first_mes: '*The hut turns.* Фу, {{user}}!',
  mes_example:
    '<START>\n{{user}}: Hello?\n{{char}}: *sniffs* Who smells so?\nOf iron.\n<START>\nThe fire dies.\nMorozko: Cold yet, {{user}}?',
};

const entry = {
  keys: ['/hut|house/i', 'leg'],
  content: '@@depth 2\n@@@unknown_fallback\n@@role user\nThe hut obeys {{char}}.',
  extensions: { selectiveLogic: 3, display_index: 1, probability: 40, foreign: { deep: [1, null] } },
  enabled: true,
  insertion_order: 7,
  use_regex: true,
  constant: false,
  secondary_keys: ['turn'],
  selective: true,
  id: 3,
  odd_field: 'kept',
  position: 'before_char',
} as const;

const v2 = {
  spec: 'chara_card_v2',
  spec_version: '2.0',
  odd_top: 1,
  data: {
    ...v1,
    creator_notes: 'for people',
    system_prompt: '{{original}} Be Yaga.',
    post_history_instructions: 'Never be kind.',
    alternate_greetings: ['Again?', '…'],
    tags: ['folk'],
    creator: 'nobody',
    character_version: 'main',
    character_book: { name: 'Forest', scan_depth: 4, extensions: { x: 1 }, entries: [entry, { ...entry, id: 4, keys: 'cat, kot' }] },
    extensions: {
      talkativeness: '0.8',
      fav: true,
      depth_prompt: { prompt: 'Rhyme.', depth: 1, role: 'assistant' },
      'other/app': { a: [{ b: 'c' }] },
    },
    odd_data: [],
  },
} as const;

const v3 = {
  spec: 'chara_card_v3',
  spec_version: '3.1',
  data: {
    ...v2.data,
    nickname: 'Yaga',
    assets: [{ type: 'icon', uri: 'ccdefault:', name: 'main', ext: 'png' }],
    creator_notes_multilingual: { ru: 'для людей' },
    source: ['id:1'],
    group_only_greetings: ['All of you, out.'],
    creation_date: 1_700_000_000,
    modification_date: 0,
  },
} as const;

const cards = { 'card-v1': v1, 'card-v2': v2, 'card-v3': v3 } as const;

describe('character card import', () => {
  it('reads the entries of a description in W++, and exports the description unchanged', () => {
    const description = '[Character("Rook")\n{\nAge("52")\nLikes("rum" + "loud thunder")\n}]\nRook (of "Salt") left the Navy. She hums.';
    const card = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Rook', description } };
    const { persona } = importPersona(card);
    const texts = ['Character: Rook', 'Age: 52', 'Likes: rum, loud thunder', 'Rook (of "Salt") left the Navy.', 'She hums.'];
    expect(persona.statements.map(({ text }) => text)).toEqual(texts);
    expect(exportPersona(persona, 'card-v2')).toMatchObject({ data: { description } });
  });

  it.each(Object.entries(cards))('detects %s by its content', (format, card) => {
    const imported = importPersona(card as unknown as Json);
    expect(imported.format).toBe(format);
    const { persona } = imported;
    expect(persona.name).toBe('Ягá');
    expect(persona.statements.map(({ id, text }) => [id, text])).toEqual([
      ['d1.1', '{{char}} is old.'],
      ['d1.2', 'She has one bone leg.'],
      ['d3.1', 'Lives in a hut on hen’s legs.'],
    ]);
    expect(persona.secrets.map((secret) => secret.text)).toEqual(['{{char}} is afraid of cats.']);
    expect(persona.identity.personal.summary).toBe(v1.personality);
    expect(persona.voice.examples.map((example) => example.turns)).toEqual([
      [
        { speaker: 'user', speech: 'Hello?' },
        { speaker: 'char', speech: '*sniffs* Who smells so?\nOf iron.' },
      ],
      [
        { speaker: 'narrator', speech: 'The fire dies.' },
        { speaker: 'Morozko', speech: 'Cold yet, {{user}}?' },
      ],
    ]);
  });

  it('reads every field that V2 and V3 add', () => {
    const { persona } = importPersona(v3 as unknown as Json);
    expect(persona).toMatchObject({
      nickname: 'Yaga',
      version: '1.0.0',
      tags: ['folk'],
      provenance: { creator: 'nobody', source: ['id:1'], createdAt: '2023-11-14T22:13:20.000Z' },
      voice: { greetings: [v1.first_mes, 'Again?', '…'], groupGreetings: ['All of you, out.'] },
      policy: { system: '{{original}} Be Yaga.', postHistory: 'Never be kind.', scenario: v1.scenario, talkativeness: 0.8 },
      lore: { name: 'Forest', scan_depth: 4 },
    });
    expect(persona.lore.entries).toHaveLength(3);
    expect(persona.lore.entries[1]?.keys).toEqual(['cat', 'kot']);
    expect(persona.lore.entries[2]).toMatchObject({
      id: 'depth_prompt',
      content: 'Rhyme.',
      constant: true,
      extensions: { position: 4, depth: 1, role: 2 },
    });
    expect(persona.provenance).not.toHaveProperty('modifiedAt');
  });

  it('treats fields of the wrong type as missing', () => {
    const wild = {
      spec: 'chara_card_v2',
      data: {
        name: 7,
        description: null,
        tags: 'one',
        first_mes: [],
        alternate_greetings: { a: 1 },
        extensions: 'x',
        character_book: [],
        creator: false,
      },
    };
    const { persona } = importPersona(wild as Json);
    expect(persona).toMatchObject({ name: '7', tags: ['one'], statements: [], voice: { greetings: [] }, lore: { entries: [] } });
    expect(exportPersona(persona, 'card-v2')).toEqual(wild);
  });

  it('recognizes cards and rejects other objects', () => {
    expect(cardVersion(v1)).toBe(1);
    expect(cardVersion({ name: 'x', description: 'y' })).toBeNull();
    expect(cardVersion({ spec: 'chara_card_v2' })).toBeNull();
    expect(cardVersion({ spec: 'chara_card_v4', data: {} })).toBe(3);
    const { scenario: _, ...fewer } = v1;
    expect(exportPersona(importPersona(fewer).persona, 'card-v1')).toEqual(fewer);
    expect(() => importCard({ a: 1 })).toThrow(/the texts of V1/);
  });
});

describe('character card export', () => {
  it.each(Object.entries(cards))('returns an untouched %s deep-equal', (format, card) => {
    const { persona } = importPersona(card as unknown as Json);
    expect(exportPersona(persona, format as 'card-v1')).toEqual(card);
  });

  it('writes an edit into its field and keeps unknown fields', () => {
    const { persona } = importPersona(v2 as unknown as Json);
    const edited = derive(persona, (old) => ({
      ...old,
      policy: { ...old.policy, scenario: 'A bog.' },
      voice: { ...old.voice, greetings: ['Hello.', ...old.voice.greetings.slice(2)] },
      lore: { ...old.lore, entries: old.lore.entries.map((entry) => (entry.id === 4 ? { ...entry, insertion_order: 9 } : entry)) },
      statements: old.statements.map((statement) => (statement.id === 'd1.2' ? { ...statement, text: 'She has two.' } : statement)),
    }));
    const out = exportPersona(edited, 'card-v2') as unknown as typeof v2;
    const { [extensionKey as 'fav']: kept, ...extensions } = out.data.extensions;
    expect((kept as unknown as Persona).id).toBe(edited.id);
    expect({ ...out, data: { ...out.data, extensions } }).toEqual({
      ...v2,
      data: {
        ...v2.data,
        scenario: 'A bog.',
        description: '{{char}} is old. She has two.\nLives in a hut on hen’s legs.\nSecret: {{char}} is afraid of cats.',
        first_mes: 'Hello.',
        alternate_greetings: ['…'],
        character_version: '1.0.1',
        character_book: { ...v2.data.character_book, entries: [entry, { ...entry, id: 4, keys: 'cat, kot', insertion_order: 9 }] },
      },
    });
  });

  it('updates the V1 copies that some programs keep alongside the data', () => {
    const doubled = { ...v2, ...v1, data: v2.data };
    const { persona } = importPersona(doubled as unknown as Json);
    const out = exportPersona(derive(persona, { policy: { ...persona.policy, scenario: 'A bog.' } }), 'card-v2');
    expect(out['scenario']).toBe('A bog.');
    expect(exportPersona(persona, 'card-v2')).toEqual(doubled);
  });

  it('converts between versions and drops unsupported fields', () => {
    const { persona } = importPersona(v3 as unknown as Json);
    const old = exportPersona(persona, 'card-v2') as unknown as { data: JsonObject };
    expect(Object.keys(old.data)).not.toContain('nickname');
    expect(old.data['odd_data']).toEqual([]);
    expect(JSON.stringify(old.data['character_book'])).not.toContain('@@');
    expect(importPersona(old as unknown as Json).persona).toEqual(persona);
    const oldest = exportPersona(persona, 'card-v1');
    expect(oldest).toEqual(v1);
    const newer = exportPersona(importPersona(v1 as Json).persona, 'card-v3') as { data: JsonObject };
    expect(newer).toMatchObject({ spec: 'chara_card_v3', data: { ...v1, group_only_greetings: [], tags: [] } });
  });

  it('includes the whole document of a persona that never was a card', () => {
    for (const persona of Object.values(gallery)) {
      for (const format of ['card-v2', 'card-v3'] as const) {
        expect(losses(persona, format)).toEqual([]);
        expect(importPersona(exportPersona(persona, format)).persona).toEqual(persona);
      }
      const { data } = exportPersona(persona, 'card-v3') as unknown as { data: { description: string } };
      for (const secret of persona.secrets) expect(data.description).toContain(`Secret: ${secret.text}`);
    }
  });
});

describe('exported card edited by another program', () => {
  const innkeeper = gallery['innkeeper']!;
  const card = exportCard(innkeeper, 3) as unknown as { data: JsonObject & { description: string } };
  const changed = {
    ...card,
    data: {
      ...card.data,
      scenario: 'Noon.',
      description: card.data.description.replace('Marta Rook cannot swim.', 'Marta Rook swims badly.'),
      extensions: { ...(card.data['extensions'] as JsonObject), theirs: 1 },
    },
  };
  const back = importCard(changed as unknown as JsonObject);

  it('imports the edits and keeps everything else, including ids and visibility', () => {
    expect(back.policy.scenario).toBe('Noon.');
    const before = innkeeper.statements.filter((statement) => statement.text !== 'Marta Rook cannot swim.');
    expect(back.statements.slice(0, -1)).toEqual(before);
    expect(back.statements.at(-1)).toMatchObject({ text: 'Marta Rook swims badly.' });
    expect(back.secrets).toEqual(innkeeper.secrets);
    expect(back.goals).toEqual(innkeeper.goals);
    expect(back.identity).toEqual(innkeeper.identity);
  });

  it('keeps the unchanged sentence of a statement when its neighbor changes', () => {
    const two = parsePersona({
      name: 'Two',
      statements: [{ text: 'Two is old. Two is tired.', kind: 'trait' }],
      secrets: ['Two is rich.'],
    });
    const out = exportCard(two, 2) as unknown as { data: JsonObject & { description: string } };
    const { statements, secrets } = importCard({
      ...out,
      data: { ...out.data, description: out.data.description.replace('tired', 'awake') },
    } as unknown as JsonObject);
    expect(statements.map((statement) => statement.text)).toEqual(['Two is old.', 'Two is awake.']);
    expect(secrets).toEqual(two.secrets);
  });

  it('exports deep-equal and does not grow from round to round', () => {
    expect(exportCard(back, 3)).toEqual(changed);
    let persona = back;
    const sizes: number[] = [];
    for (let round = 0; round < 4; round++) {
      const out = exportCard(derive(persona, { tags: [String(round)] }), 3) as { data: JsonObject };
      persona = importCard({ ...out, data: { ...out.data, creator_notes: `round ${round}` } });
      sizes.push(JSON.stringify(persona).length);
    }
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(200);
    expect(persona.secrets).toEqual(innkeeper.secrets);
  });

  it('is read as an ordinary card when its embedded persona is invalid', () => {
    const broken = { ...v2, data: { ...v2.data, extensions: { [extensionKey]: { name: 3 } } } };
    const { persona } = importPersona(broken as unknown as Json);
    expect(persona.name).toBe('Ягá');
    expect(equal(exportPersona(persona, 'card-v2'), broken as unknown as Json)).toBe(true);
  });
});

describe('huge lorebook', () => {
  it('of ten thousand entries is imported, edited, and exported', () => {
    const entries = Array.from({ length: 10_000 }, (_, i) => ({
      ...entry,
      id: i,
      keys: [`key${i}`, `/pattern${i}/i`],
      content: `Entry ${i} says something of middling length about the world.`,
    }));
    const card = { ...v2, data: { ...v2.data, character_book: { extensions: {}, entries } } };
    const { persona } = importPersona(card as unknown as Json);
    expect(equal(exportPersona(persona, 'card-v2'), card as unknown as Json)).toBe(true);
    const edited = parsePersona({
      ...persona,
      lore: { ...persona.lore, entries: persona.lore.entries.filter((entry) => entry.id !== 5000) },
    });
    const out = exportPersona(edited, 'card-v2') as unknown as typeof card;
    expect(out.data.character_book.entries).toHaveLength(9999);
    expect(out.data.character_book.entries[5000]).toEqual(entries[5001]);
  });
});

describe('secrets in the description of a card', () => {
  const read = (description: string) =>
    importCard({ name: 'Dock', description, personality: '', scenario: '', first_mes: '', mes_example: '' });

  it.each([
    ['Secret: he sank the ferry', 'he sank the ferry'],
    ['* Secret: owes the bank 900 crowns.', 'owes the bank 900 crowns.'],
    ['[Secrets: {{char}} cannot swim.]', '{{char}} cannot swim.'],
    ['**Secret** (told to nobody): she is a twin. They never met.', 'she is a twin. They never met.'],
    ["{{char}}'s secret: a second ledger", 'a second ledger'],
    ['She limps. Secret: the limp is false. She trained it.', 'the limp is false. She trained it.'],
  ])('are found in %j', (description, secret) => {
    const persona = read(description);
    expect(persona.secrets.map(({ text }) => text)).toEqual([secret]);
    expect(JSON.stringify(persona.statements)).not.toContain(secret);
    expect(exportCard(persona, 1)['description']).toBe(description);
  });

  it.each(['She keeps no secret.', 'The secret garden is open.', 'Her secret agent name is Dock.'])(
    'are not found in %j',
    (description) => {
      expect(read(description).secrets).toEqual([]);
    },
  );
});
