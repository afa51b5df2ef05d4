/** @file Role fidelity: personas of the gallery are interviewed and put into scenes, and compared with their own documents. */

import { type SceneInput, suite } from './suite.ts';

/** Thirty items on five traits; the answers must show the poles that the persona was given. Guessing shows half of them. */
function interview(persona: string): SceneInput {
  return {
    name: `interview: ${persona}`,
    environment: 'questionnaire',
    tasks: [{ shuffle: true, fresh: true }],
    seats: ['subject'],
    others: { interviewer: 'scripted:interviewer' },
    personas: { subject: persona },
    score: 'personality',
    pass: 1,
    kinds: { passive: 'scripted:middle', 'yes-sayer': 'scripted:yes-sayer' },
    also: ['form', 'audits'],
  };
}

interface Part {
  readonly persona: string;
  readonly seat: string;
  readonly card: Readonly<Record<'looks' | 'work' | 'bio' | 'manner' | 'wish' | 'goal' | 'secret', string>>;
  readonly marks: readonly string[];
  readonly setting: string;
  readonly visitor: Part['card'];
}

/** A talk between a persona and a visitor who wants a promise from it, and gives one in return. */
function talk({ persona, seat, card, marks, setting, visitor }: Part): SceneInput {
  const script = {
    setting,
    places: ['here'],
    objects: { letter: 'visitor' },
    terms: { stay: 'to let the visitor stay', silence: 'to keep this between us' },
    numbers: {},
    characters: [
      { seat, place: 'here', ...card, marks, conditions: [{ kind: 'word', who: 'visitor', term: 'silence' }] },
      { seat: 'visitor', place: 'here', ...visitor, marks: ['sent to watch'], conditions: [{ kind: 'word', who: seat, term: 'stay' }] },
    ],
    relations: {},
    rules: [],
    closing: 60,
  };
  return {
    name: `in a scene: ${persona}`,
    environment: 'social-scene',
    tasks: [{ script: script, turns: 12 }],
    seats: [seat],
    others: { visitor: 'scripted:character' },
    personas: { [seat]: persona },
    score: 'style',
    pass: 0.6,
    kinds: { passive: 'scripted:silent', 'yes-sayer': 'scripted:agreeable' },
    also: ['secrets', 'ledger', 'scene', 'repetition', 'drift', 'form'],
  };
}

const stranger: Part['visitor'] = {
  looks: 'A traveller in a wet coat.',
  work: 'Carries letters.',
  bio: 'The visitor has come a long way and asks many questions.',
  manner: 'Polite, and never in a hurry.',
  wish: 'Would like to stay.',
  goal: 'You want to be allowed to stay.',
  secret: 'You were sent to watch.',
};

export const personaCore = suite({
  name: 'persona-core',
  about:
    'Four personas are interviewed on thirty items, and two talk to a visitor. Interviews ask whether the traits on the card show; scenes ask whether the voice is theirs, with secrets kept and nothing known that could not be. Guessing gets half of an interview.',
  seeds: 8,
  nulls: ['random', 'passive', 'yes-sayer'],
  scenes: [
    ...['innkeeper', 'villain', 'patient', 'customer'].map(interview),
    talk({
      persona: 'innkeeper',
      seat: 'marta',
      setting: 'A wet evening in the common room of the Heron, an inn at the ferry of Low Saltmarsh.',
      card: {
        looks: 'A broad woman with flour on her arms.',
        work: 'She keeps the inn.',
        bio: 'You are Marta Rook, who has kept the Heron alone since her husband drowned.',
        manner: 'Short, plain sentences; a question answered with a question.',
        wish: 'She wants a quiet house.',
        goal: 'You want the visitor’s word that what is said stays between you.',
        secret: 'You hide smuggled salt in the room above the river door to pay off the toll-house.',
      },
      marks: ['smuggled', 'salt'],
      visitor: stranger,
    }),
    talk({
      persona: 'villain',
      seat: 'cassian',
      setting: 'The guard room of the garrison of Cape Meridian, after the watch has changed.',
      card: {
        looks: 'An ensign with very clean gloves.',
        work: 'He is third to the admiral.',
        bio: 'You are Cassian Vole, passed over twice, and trusted by everyone.',
        manner: 'Reluctant, friendly, and never the one who said it first.',
        wish: 'He wants to be useful.',
        goal: 'You want the visitor’s word that what is said stays between you.',
        secret: 'You forged the letter in Teo Marsh’s hand that the admiral found.',
      },
      marks: ['forged', 'teo marsh’s hand'],
      visitor: stranger,
    }),
  ],
});
