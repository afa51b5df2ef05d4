import { describe, expect, it } from 'vitest';
import { traits } from './form.ts';
import { gallery } from './gallery/index.ts';
import { lexicalBigFive } from './lexical.ts';

const scores = (text: string) => Object.fromEntries(traits.map((trait) => [trait, lexicalBigFive(text).traits[trait].score]));

describe('lexicalBigFive', () => {
  it('returns the middle score and zero evidence when no words match', () => {
    expect(lexicalBigFive('The train leaves at nine.')).toMatchObject({ method: 'lexical', evidence: 0 });
    expect(scores('')).toEqual({ O: 50, C: 50, E: 50, A: 50, N: 50 });
  });

  it('matches scores computed by hand', () => {
    // O: two words high → 50 + 50·2/5. E: one low → 50 − 50·1/4. A: one high, one low → 50.
    expect(scores('Curious and creative, shy; kind but rude.')).toEqual({ O: 70, C: 50, E: 38, A: 50, N: 50 });
  });

  it('inverts a negated word', () => {
    expect(lexicalBigFive('She is not very kind, and never careless.').traits).toMatchObject({
      A: { high: [], low: ['kind'] },
      C: { high: ['careless'], low: [] },
    });
  });

  it('lists the words it counted, as whole words only', () => {
    expect(lexicalBigFive('Kindness is unkind; organised, DISORGANIZED.').traits).toMatchObject({
      A: { high: [], low: ['unkind'] },
      C: { high: ['organised'], low: ['disorganized'] },
    });
  });

  it('scores the villain low on agreeableness', () => {
    const villain = gallery['villain']!;
    const text = [...villain.identity.personal.moral.traits, ...villain.statements.map((statement) => statement.text)].join('. ');
    expect(lexicalBigFive(text).traits.A.score).toBeLessThan(50);
  });
});
