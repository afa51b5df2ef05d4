/** @file Personas in the studio: gallery and own, cards from outside and people drawn from a population. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportPersona, gallery, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PersonaCard, PersonaShown, SampleShown } from '../api.ts';
import { type OpenStudio, openStudio } from '../request.cases.ts';

let studio: OpenStudio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const innkeeper = gallery['innkeeper']!;

describe('custom personas', () => {
  it('are saved as versioned files and never replace the gallery', async () => {
    const { body: result } = await studio.ask<PersonaShown>('POST', '/api/personas/own', { persona: innkeeper });
    expect(result.key).toBe('innkeeper-2');
    expect(existsSync(join(studio.cwd, '.ludus/personas/innkeeper-2.json'))).toBe(true);
    const edited = { ...result.persona, nickname: 'Old Oak' };
    const put = await studio.ask<PersonaShown>('PUT', '/api/personas/own/innkeeper-2', { persona: edited, base: result.persona.hash });
    expect(put.body.persona.nickname).toBe('Old Oak');
    expect(put.body.persona.parent?.hash).toBe(result.persona.hash);
    expect(put.body.persona.version).not.toBe(result.persona.version);
    const late = await studio.ask('PUT', '/api/personas/own/innkeeper-2', { persona: edited, base: result.persona.hash });
    expect([late.status, JSON.stringify(late.body)]).toEqual([400, expect.stringContaining('changed elsewhere')]);
    const same = await studio.ask<PersonaShown>('PUT', '/api/personas/own/innkeeper-2', {
      persona: put.body.persona,
      base: put.body.persona.hash,
    });
    expect(same.body.persona.hash).toBe(put.body.persona.hash);
    expect((await studio.ask<PersonaShown>('GET', '/api/personas/gallery/innkeeper')).body.persona).toEqual(innkeeper);
    expect((await studio.ask('DELETE', '/api/personas/own/innkeeper-2')).status).toBe(200);
    expect((await studio.ask('GET', '/api/personas/own/innkeeper-2')).status).toBe(404);
  });

  it('are listed with the reason if broken, along with the others', async () => {
    await studio.ask('POST', '/api/personas/own', { persona: { name: 'Whole' } });
    writeFileSync(join(studio.cwd, '.ludus/personas/broken.json'), '{"name": 7}');
    writeFileSync(join(studio.cwd, '.ludus/personas/cut.json'), '{"name"');
    const { body } = await studio.ask<PersonaCard[]>('GET', '/api/personas');
    expect(body.find(({ key }) => key === 'broken')?.problem).toContain('name must be');
    expect(body.find(({ key }) => key === 'cut')?.problem).toContain('must be JSON');
    expect(body.find(({ key }) => key === 'whole')?.name).toBe('Whole');
    expect(body.filter(({ source }) => source === 'gallery')).toHaveLength(Object.keys(gallery).length);
  });

  it('are checked for every problem in a document', async () => {
    const { body } = await studio.ask<{ problems: string[] }>('POST', '/api/personas/check', {
      persona: { name: '', statements: 7, extra: 1 },
    });
    expect(body.problems).toHaveLength(3);
    expect((await studio.ask('POST', '/api/personas/own', { persona: { name: '' } })).status).toBe(400);
  });
});

describe('character cards', () => {
  const hostile = parsePersona({
    id: '../../../etc/passwd',
    name: '<img src=x onerror=alert(1)>',
    statements: ['</script><script>alert(2)</script>', 'javascript:alert(3)'],
    tags: ['"><svg onload=alert(4)>'],
  });

  it('are imported as PNG with their picture, under a safe key', async () => {
    const png = exportPersona(hostile, 'png');
    const { status, body } = await studio.ask<PersonaShown>('POST', '/api/personas/import', png);
    expect(status).toBe(200);
    expect(body.format).toBe('png');
    expect(body.key).toBe('img-src-x-onerror-alert-1');
    expect(body.persona.name).toBe(hostile.name);
    const picture = await studio.ask('GET', `/api/personas/own/${body.key}/portrait`);
    expect([picture.headers.get('content-type'), picture.headers.get('x-content-type-options')]).toEqual(['image/png', 'nosniff']);
    // The same card again is the character that came of it; another of the name has its own key.
    const twice = await studio.ask<PersonaShown>('POST', '/api/personas/import', png);
    expect([twice.body.key, twice.body.isKnown]).toEqual([body.key, true]);
    const other = exportPersona(parsePersona({ ...hostile, statements: ['Somebody else.'] }), 'png');
    const namesake = await studio.ask<PersonaShown>('POST', '/api/personas/import', other);
    expect([namesake.body.key, namesake.body.isKnown]).toEqual([`${body.key}-2`, undefined]);
    expect(readdirSync(join(studio.cwd, '.ludus/personas')).every((file) => /^[\w-]+\.(json|png)$/.test(file))).toBe(true);
  });

  it('are exported as a file in every format, listing what would be lost', async () => {
    for (const to of ['persona', 'card-v1', 'card-v2', 'card-v3', 'png', 'charx', 'tinytroupe', 'sotopia', 'eliza']) {
      const { status, headers } = await studio.ask('GET', `/api/personas/gallery/innkeeper/export?to=${to}`);
      expect([to, status, headers.get('content-disposition')]).toEqual([
        to,
        200,
        expect.stringMatching(/^attachment; filename\*=UTF-8''innkeeper\./),
      ]);
    }
    const { body } = await studio.ask<{ lost: string[] }>('GET', '/api/personas/gallery/innkeeper/losses?to=tinytroupe');
    expect(body.lost.length).toBeGreaterThan(0);
    expect((await studio.ask('GET', '/api/personas/gallery/innkeeper/export?to=exe')).status).toBe(400);
  });

  it('are rejected in one sentence if invalid', async () => {
    const cases = [
      new Uint8Array(0),
      new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]),
      '{}',
      '[]',
      'GIF89a',
      '{"spec":"chara_card_v2"}',
      new Uint8Array(5000).fill(80),
    ];
    for (const bytes of cases) {
      const { status, body } = await studio.ask<{ error: string }>('POST', '/api/personas/import', bytes);
      expect(status).toBe(400);
      expect(body.error).toMatch(/^[^\n]+\."?$/);
    }
  });
});

describe('a population', () => {
  it('is sampled with actual and target shares, the same for the same seed', async () => {
    const ask = (seed: number) => studio.ask<SampleShown>('POST', '/api/personas/sample', { count: 300, seed });
    const { body } = await ask(3);
    expect(body.count).toBe(300);
    expect(body.people).toHaveLength(200);
    for (const { cells } of body.report) expect(cells.reduce((sum, { count }) => sum + count, 0)).toBe(300);
    expect(body.traits.map(({ bins }) => bins.reduce((sum, n) => sum + n, 0))).toEqual([300, 300, 300, 300, 300]);
    expect((await ask(3)).body).toEqual(body);
    expect((await ask(4)).body.people).not.toEqual(body.people);
    const answered = await studio.ask<SampleShown>('POST', '/api/personas/sample', {
      count: 10,
      specification: { attributes: { pet: { cat: 1, dog: 0 } } },
    });
    expect(answered.body.report[0]?.cells).toContainEqual({ values: ['cat'], target: 1, count: 10, share: 1 });
    for (const wrong of [
      { count: 0 },
      { count: 1e9 },
      { count: 'x' },
      { seed: -1 },
      { specification: [] },
      { specification: { attributes: { a: {} } } },
    ])
      expect((await studio.ask('POST', '/api/personas/sample', wrong)).status).toBe(400);
  });
});
