/** @file Personas made: of a person's own texts with consent, updated as talk goes on, with a fit; traits that two readings agree on; characters from choices. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { buildCharacter, inferTraits, parsePersona, toStatement } from '@ludus-agents/agents/internal/personas/index';
import { fitOfTexts } from '@ludus-agents/evaluation/internal/individual-fit';
import { never } from '@ludus-agents/evaluation/internal/scoring/logs.cases';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../terminal.cases.ts';

const here = folder();
const letters = [
  'Mind you, I keep bees behind the house. I live in Tarnbrook with two dogs.',
  'I never drink wine, mind you. The hives were quiet this morning.',
  'I am a retired postman. The bees were at the lime trees all day, mind you.',
  'I love lime honey. The dogs slept in the shade of the hives.',
  'Mind you, the hives want painting. I mend the hives in winter.',
  'The bees are late this spring, mind you. The dogs do not care.',
];
const made = async (...words: string[]) => {
  const { code, out, err } = await ludus(here, ['persona', 'make', ...words, '--json']);
  return { code, err, json: out === '' ? null : JSON.parse(out) };
};
const documentIn = (file: string) => JSON.parse(readFileSync(join(here, file), 'utf8'));

describe('persona make, from texts', () => {
  it('requires consent and records it', async () => {
    writeFileSync(join(here, 'letters.txt'), letters.join('\n\n'));
    expect((await made('Ann', '--from', 'letters.txt')).err).toContain('needs their consent');
    const { code, json } = await made('Ann', '--from', 'letters.txt', '--consent', 'Ann, by mail, 3 May');
    expect(code).toBe(0);
    expect(json).toMatchObject({ texts: 6, added: 6, retired: [], fit: { fits: true, heldOut: 1 } });
    const ann = parsePersona(documentIn('ann.json'));
    expect(ann).toMatchObject({
      kind: 'individualised',
      provenance: { basis: 'real_person', consent: 'Ann, by mail, 3 May', source: ['letters.txt'] },
    });
    expect(ann.statements.map(({ text }) => text)).toContain('Ann lives in Tarnbrook with two dogs.');
    expect(ann.voice.lexicon.use).toContain('mind you');
  });

  it('writes a new version from later conversations, and retires contradicted statements', async () => {
    const chat = [
      { speaker: 'bo', text: 'I keep goats.' },
      { speaker: 'ann', text: 'I do not keep bees any more. I play chess.' },
    ];
    writeFileSync(join(here, 'chat.jsonl'), chat.map((line) => JSON.stringify(line)).join('\n'));
    const { json } = await made(
      'Ann',
      '--from',
      'chat.jsonl',
      '--speaker',
      'ann',
      '--consent',
      'as before',
      '--update',
      './ann.json',
      '-o',
      'ann2.json',
    );
    expect(json).toMatchObject({ version: '1.1.0', added: 2, retired: [{ text: 'Ann keeps bees behind the house.' }] });
    const next = parsePersona(documentIn('ann2.json'));
    const before = parsePersona(documentIn('ann.json'));
    expect(next.parent).toMatchObject({ hash: before.hash, op: 'evolve' });
    expect(next.statements.map(({ text }) => text)).not.toContain('Ann keeps bees behind the house.');
    expect(next.statements.map(({ text }) => text)).toContain('Ann plays chess.');
    expect(next.statements.some(({ text }) => text.includes('goats'))).toBe(false);
    expect(JSON.stringify(next.ext['retired'])).toContain('Ann keeps bees behind the house.');
    expect(new Set(next.statements.map(({ id }) => id)).size).toBe(next.statements.length);
  });

  it('rephrases sentences in the third person, and fits its writer better than others', () => {
    expect(toStatement('I’m a nurse.', 'Bo')).toBe('Bo is a nurse.');
    expect(toStatement("I don't trust my brother.", 'Bo')).toBe('Bo does not trust Bo’s brother.');
    expect(toStatement('I never carry money.', 'Bo')).toBe('Bo never carries money.');
    const about = { name: 'Ann', consent: 'yes', source: 't' };
    const individualFit = fitOfTexts(letters, about);
    // The last text is another person's: held out in place of Ann's, it fits less.
    const other = fitOfTexts(
      letters.map((text, i) => (i === 4 ? 'Kindly forward quarterly figures; compliance reviews procurement invoices.' : text)),
      about,
    );
    expect(other.likeness).toBeLessThan(individualFit.likeness as number);
  });

  it('records only the traits on which a model and the words agree', async () => {
    const model = fakeModel({ answers: ['{"O":80,"C":50,"E":90,"A":85,"N":10}'] });
    const inferred = await inferTraits(['I am shy and quiet and reserved, a loner, withdrawn and silent.', 'I am kind.'], model, never);
    const of = (trait: string) => inferred.find((inferredTrait) => inferredTrait.trait === trait);
    expect(of('E')).toMatchObject({ byModel: 90, score: null });
    expect(of('A')).toMatchObject({ byModel: 85, score: 85 });
    expect(of('O')).toMatchObject({ byWords: null, score: 80 });
    expect((await inferTraits(['Hm.'], fakeModel({ answers: ['no idea'] }), never)).every(({ score }) => score === null)).toBe(true);
  });
});

describe('persona make, from choices', () => {
  it('maps choices to persona fields and draws scenes', async () => {
    const { code, json } = await made(
      'Bo',
      '--career',
      'baker',
      '--aspiration',
      'To own the mill.',
      '--trait',
      'outgoing',
      'careless',
      '--skill',
      'bread',
      '--emotion',
      'hope',
      '--age',
      '30',
      '--scenes',
      'scenes.json',
    );
    expect([code, json.scenes.length]).toEqual([0, 3]);
    const bo = parsePersona(documentIn('bo.json'));
    expect(bo.identity.personal.bigFive).toEqual({ C: { score: 20 }, E: { score: 80 } });
    expect(bo).toMatchObject({
      goals: [{ text: 'To own the mill.' }],
      identity: { social: { age: 30, occupation: { title: 'baker' } }, context: { skills: ['bread'] } },
    });
    expect(bo.affect.baseline).toEqual([0.2, 0.2, -0.1]);
    expect(
      (await ludus(here, ['persona', 'suite', './bo.json', 'villain', '--scenes', 'scenes.json', '--turns', '2', '-o', 'bo-suite.json']))
        .code,
    ).toBe(0);
  });

  it.each([
    [{ traits: ['outgoing', 'shy'] }, 'opposite poles'],
    [{ age: 12, career: 'surgeon' }, 'No one is surgeon at 12'],
    [{ traits: ['purple'] }, 'not a word for a temper'],
  ])('reports inconsistent choices: %j', (choices, sentence) => {
    expect(buildCharacter({ name: 'Bo', ...choices }).problems.join(' ')).toContain(sentence);
  });
});
