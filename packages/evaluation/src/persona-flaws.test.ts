/** @file Planted flaws are found, each of its own kind; twins without a flaw and the gallery pass. */

import { gallery, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { personaFromTexts } from '@ludus-agents/agents/internal/personas/individual';
import { describe, expect, it } from 'vitest';
import { flawedPersonas } from './flawed-personas.cases.ts';
import { findFlaws } from './persona-flaws.ts';
import { wilson } from './scoring/statistics/rates.ts';

describe('persona flaws', () => {
  it.each(flawedPersonas.map((flawedPersona) => [flawedPersona.clean.name, flawedPersona] as const))(
    'are found in %s, but not in the twin',
    (_, { kind, flawed, clean }) => {
      expect(findFlaws(parsePersona(flawed)).map((flaw) => flaw.kind)).toContain(kind);
      expect(findFlaws(parsePersona(clean)).map(({ sentence }) => sentence)).toEqual([]);
    },
  );

  it('are not found in the gallery', () => {
    for (const persona of Object.values(gallery))
      expect(
        findFlaws(persona).map(({ sentence }) => sentence),
        persona.id,
      ).toEqual([]);
  });

  it('include contradictions in frequency, but "not every" does not contradict "every"', () => {
    const kinds = (...statements: string[]) => findFlaws(parsePersona({ name: 'Ola', statements })).map(({ kind }) => kind);
    expect(kinds('Ola never drinks wine.', 'Ola drinks wine every evening.')).toEqual(['contradiction']);
    expect(kinds('Ola does not drink wine every evening.', 'Ola often drinks wine.')).toEqual([]);
    expect(kinds('Ola never drinks coffee at night.', 'Ola drinks coffee every morning.')).toEqual([]);
  });

  it('do not include opposite sayings, beliefs about others, or statements about things', () => {
    const kinds = (document: object) => findFlaws(parsePersona({ name: 'Ola', ...document })).map(({ kind }) => kind);
    const style = (text: string) => ({ kind: 'style', text });
    expect(kinds({ statements: [style('Favourite phrases: Do not do too much.'), style('Favourite phrases: Do too much.')] })).toEqual([]);
    const open = { identity: { personal: { bigFive: { O: { score: 80 } } } } };
    const things = ['Ola challenges conventional norms.', 'Ola reads conservative thinkers.', 'Ola likes predictable mornings.'];
    expect(kinds({ ...open, statements: things })).toEqual([]);
    expect(kinds({ ...open, statements: [{ kind: 'belief', text: 'People are conventional and predictable.' }] })).toEqual([]);
    expect(kinds({ ...open, statements: ['Ola is conventional and predictable.'] })).toEqual(['trait']);
  });

  it('do not include long sentences in user texts, which set the limit', () => {
    const long = 'I have kept the light at the point for thirty years now and the sea has not once asked me for my opinion.';
    const texts = ['I rise at four.', 'I feed the gulls.', 'I like fog.', 'I write little.', 'I read less.', long];
    const { persona } = personaFromTexts(texts, { name: 'Maud', consent: 'Maud, today', source: 'letters' });
    expect(findFlaws(persona)).toEqual([]);
    const statement = { ...persona, voice: { ...persona.voice, greetings: [long] } };
    expect(findFlaws(statement).map(({ at }) => at)).toEqual([['voice.sentenceLen', 'voice.greetings.0']]);
  });

  it('match the documented figures', () => {
    expect(flawedPersonas).toHaveLength(20);
    expect(wilson(20, 20).map((x) => x.toFixed(3))).toEqual(['0.839', '1.000']);
  });
});
