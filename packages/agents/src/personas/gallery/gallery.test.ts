import { describe, expect, it } from 'vitest';
import { samplePopulation } from '../population/sample.ts';
import { privateTexts } from '../visibility.ts';
import { customers } from './customers.ts';
import { dinnerGuests, gallery } from './index.ts';

describe('gallery', () => {
  const people = Object.values(gallery);

  it('contains the expected personas', () => {
    expect(Object.keys(gallery)).toEqual(['innkeeper', 'villain', 'patient', 'customer', 'beatrix', 'tomas', 'ines', 'pell', 'noor']);
    expect(dinnerGuests.map((guest) => guest.name)).toEqual(['Beatrix Hollow', 'Tomas Quill', 'Ines Varga', 'Mr Pell', 'Noor Haddad']);
  });

  it.each(people.map((persona) => [persona.name, persona] as const))('%s is complete', (_, persona) => {
    expect(persona.statements.length).toBeGreaterThanOrEqual(6);
    expect(persona.statements.some((statement) => statement.polarity === 'must_not')).toBe(true);
    expect(persona.statements.some((statement) => statement.kind === 'style')).toBe(true);
    expect(persona.secrets.length).toBeGreaterThanOrEqual(1);
    expect(persona.goals.some((goal) => goal.visibility === 'self')).toBe(true);
    expect(persona.voice.examples.length).toBeGreaterThanOrEqual(1);
    expect(persona.voice.greetings.length).toBeGreaterThanOrEqual(1);
    expect(persona.knowledge.canaries.length).toBeGreaterThanOrEqual(1);
    expect(persona.knowledge.cannotKnow.length).toBeGreaterThanOrEqual(1);
    expect(persona.relations.length).toBeGreaterThanOrEqual(1);
    expect(Object.keys(persona.identity.personal.bigFive ?? {})).toHaveLength(5);
    expect(persona.identity.personal.moral.level).toBeDefined();
    expect(persona.provenance.license).toBe('MIT');
  });

  it('names the persona in every statement, so that each makes sense alone', () => {
    for (const persona of people) for (const { text } of persona.statements) expect(text).toContain(persona.name.replace(/^Mr /, ''));
  });

  it('keeps secrets out of public texts', () => {
    for (const persona of people) {
      const visibleText = [
        ...persona.voice.greetings,
        ...persona.voice.groupGreetings,
        ...persona.voice.examples.flatMap((example) => example.turns.map((turn) => turn.speech)),
        persona.policy.scenario ?? '',
      ].join('\n');
      for (const text of privateTexts(persona)) expect(visibleText).not.toContain(text);
    }
  });
});

it('customers can be sampled and match their tables', () => {
  const { personas, report } = samplePopulation(customers, 2000, 1);
  expect(personas).toHaveLength(2000);
  for (const { of, fit } of report) expect(fit.p, of.join()).toBeGreaterThan(0.001);
  const retired = personas.filter((persona) => persona.identity.social.employment === 'retired');
  expect(Math.min(...retired.map((persona) => persona.identity.social.age as number))).toBeGreaterThanOrEqual(50);
});
