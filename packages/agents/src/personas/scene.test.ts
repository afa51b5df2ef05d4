/** @file Scenes as authors write them. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { parsePersona } from './parse.ts';
import { readScene } from './scene.ts';

const find = async (file: string) => parsePersona({ name: file === './tam.json' ? 'Old Tam' : 'Tomas Reed' });

describe('a scene file', () => {
  it('seats a character by its first name, not by a title', async () => {
    const names = ['Sister Agathe Renaud', 'Dr. Ivo Karel', 'Old Benno', 'Senior Clerk'];
    const { personas } = await readScene({ characters: names }, async (name) => parsePersona({ name }));
    expect(Object.keys(personas)).toEqual(['agathe', 'ivo', 'benno', 'senior']);
  });

  it('can name characters in conditions as it names them under "persona"', async () => {
    const promise = { kind: 'word', who: './tam.json', term: 'boat' };
    const deal = { kind: 'deal', between: ['tomas', './tam.json'], term: 'fare', bound: 'most', limit: 2 };
    const conditions: Json = [promise, { kind: 'not', of: promise }, deal, { kind: 'word', who: 'nobody', term: 'boat' }];
    const { task } = await readScene({ characters: ['./tam.json', { persona: 'tomas', conditions }] }, find);
    expect(task['script']).toMatchObject({
      characters: [
        { seat: 'tam' },
        {
          seat: 'tomas',
          conditions: [{ ...promise, who: 'tam' }, { kind: 'not', of: { who: 'tam' } }, { between: ['tomas', 'tam'] }, { who: 'nobody' }],
        },
      ],
    });
  });
});
