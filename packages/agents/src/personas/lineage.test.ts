import { describe, expect, it } from 'vitest';
import { gallery } from './gallery/index.ts';
import { merge, vary } from './lineage.ts';
import { checkPersona, parsePersona } from './parse.ts';

const noor = gallery['noor']!;
const pell = gallery['pell']!;

describe('vary', () => {
  it('changes only the temperament, reproducibly by seed', () => {
    const twins = vary(noor, { count: 5, seed: 1 });
    expect(twins).toEqual(vary(noor, { count: 5, seed: 1 }));
    expect(new Set(twins.map((twin) => twin.hash)).size).toBe(5);
    for (const [i, twin] of twins.entries()) {
      expect(twin).toMatchObject({ id: `noor-v${i + 1}`, version: '1.1.0', parent: { id: 'noor', hash: noor.hash, op: 'vary' } });
      expect(twin.statements).toEqual(noor.statements);
      expect(checkPersona(twin)).toEqual([]);
    }
  });

  it('varies only the given traits by about the given spread', () => {
    const twins = vary(noor, { count: 400, seed: 2, spread: 8, traits: ['E'] });
    const scores = twins.map((twin) => (twin.identity.personal.bigFive?.E?.score ?? 0) - 49);
    const mean = scores.reduce((sum, score) => sum + score, 0) / 400;
    const sd = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / 399);
    expect(Math.abs(mean)).toBeLessThan(4 * (8 / 20));
    expect(Math.abs(sd - 8)).toBeLessThan(1.2);
    expect(new Set(twins.map((twin) => twin.identity.personal.bigFive?.O?.score))).toEqual(new Set([84]));
  });

  it('requires Big Five scores', () => {
    expect(() => vary(parsePersona({ name: 'Plain' }), { count: 1, seed: 1 })).toThrow(
      'Plain has no Big Five scores to vary. Set identity.personal.bigFive first.',
    );
  });
});

describe('merge', () => {
  const both = merge(noor, pell);

  it('keeps the fields of the first persona and fills gaps from the second', () => {
    expect(both).toMatchObject({
      id: 'noor',
      name: 'Noor Haddad',
      version: '1.1.0',
      aliases: ['Arthur Pell'],
      parent: { id: 'noor', hash: noor.hash, op: 'merge', with: { id: 'pell', hash: pell.hash } },
    });
    expect(both.identity.personal.bigFive).toEqual(noor.identity.personal.bigFive);
    expect(both.identity.context.likes).toEqual([...noor.identity.context.likes, ...pell.identity.context.likes]);
    expect(both.affect.baseline).toEqual(noor.affect.baseline);
  });

  it('keeps all statements with unique ids', () => {
    expect(both.statements.map((statement) => statement.text)).toEqual(
      [...noor.statements, ...pell.statements].map((statement) => statement.text),
    );
    expect(new Set(both.statements.map((statement) => statement.id)).size).toBe(12);
    expect(both.statements.slice(0, 6)).toEqual(noor.statements);
  });

  it('does not duplicate identical statements', () => {
    expect(merge(noor, noor).statements).toEqual(noor.statements);
    expect(merge(noor, noor).voice).toEqual(noor.voice);
  });
});
