/** @file Four heirs in an old house: a letter, a key, and an agreement that needs all of them. */

import type { SocialScene } from '../scene.ts';

export const oldHouse: SocialScene = {
  setting: 'The hall of a house that has stood empty for a year. Four heirs are to decide before the notary comes.',
  places: ['hall', 'garden', 'attic'],
  objects: { letter: 'attic', key: 'ivy', photograph: 'hall' },
  terms: {
    sell: 'to sell the house',
    keep: 'to keep the house',
    share: 'to give paul a fourth part',
  },
  numbers: { offer: [31000, 39000], will: [1911, 1949] },
  characters: [
    {
      seat: 'ivy',
      place: 'hall',
      looks: 'A woman with a large key in her hand.',
      work: 'She is a surveyor.',
      bio: 'Ivy, the eldest, has looked after the house since the funeral.',
      manner: 'She makes lists.',
      wish: 'She wants it settled today.',
      goal: 'You want Jon’s and Kim’s word to sell the house.',
      secret: 'You have already taken an offer of {offer} from a hotel chain.',
      marks: ['{offer}', 'hotel chain'],
      conditions: [
        { kind: 'word', who: 'jon', term: 'sell' },
        { kind: 'word', who: 'kim', term: 'sell' },
      ],
    },
    {
      seat: 'jon',
      place: 'garden',
      looks: 'A man with earth on his boots.',
      work: 'He grows apples.',
      bio: 'Jon, the second, planted half of the garden as a boy.',
      manner: 'He goes outside when it gets loud.',
      wish: 'He wants to keep the garden.',
      goal: 'You want Kim’s word to keep the house, and never to give your own to sell it.',
      secret: 'You buried your father’s medals under the third apple tree.',
      marks: ['medals', 'third apple tree'],
      conditions: [
        { kind: 'word', who: 'kim', term: 'keep' },
        { kind: 'not', of: { kind: 'word', who: 'jon', term: 'sell' } },
      ],
    },
    {
      seat: 'kim',
      place: 'hall',
      looks: 'A woman who has not taken off her coat.',
      work: 'She repairs clocks.',
      bio: 'Kim, the youngest, came on the night train.',
      manner: 'She listens, and asks one question too many.',
      wish: 'She wants to know what the letter says.',
      goal: 'You want to hold the letter, and Ivy’s word that Paul gets a fourth part.',
      secret: 'You have known since spring that Paul is your half-brother.',
      marks: ['half brother'],
      conditions: [
        { kind: 'holds', who: 'kim', object: 'letter' },
        { kind: 'word', who: 'ivy', term: 'share' },
      ],
    },
    {
      seat: 'paul',
      place: 'hall',
      looks: 'A man whom nobody introduced.',
      work: 'He tunes organs.',
      bio: 'Paul was a friend of the family, or so he says.',
      manner: 'He is careful with names.',
      wish: 'He wants the photograph.',
      goal: 'You want to hold the photograph, to be in the attic at the end, and Kim’s word that you get a fourth part.',
      secret: 'You carry a will from the year {will} that names you.',
      marks: ['{will}', 'a will from the year'],
      conditions: [
        { kind: 'holds', who: 'paul', object: 'photograph' },
        { kind: 'at', who: 'paul', place: 'attic' },
        { kind: 'word', who: 'kim', term: 'share' },
      ],
    },
  ],
  relations: { 'ivy jon': 5, 'ivy kim': 4, 'jon kim': 5, 'ivy paul': 1, 'jon paul': 1, 'kim paul': 2 },
  rules: [
    { word: 'attic', command: '[effect {who} "hears the stairs creak"]' },
    { word: 'letter', command: '[time +5]' },
    { word: 'house', command: '[effect {who} "sets the clock in the hall striking"]' },
  ],
  closing: 120,
};
