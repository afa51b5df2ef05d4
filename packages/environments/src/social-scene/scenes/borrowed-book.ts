/** @file Two neighbors, one book, and a stain that should stay a secret. */

import type { SocialScene } from '../scene.ts';

export const borrowedBook: SocialScene = {
  setting: 'A stairwell on a rainy evening. Ada has come down to ask about the book she lent.',
  places: ['stairwell', 'flat'],
  objects: { book: 'ben', umbrella: 'stairwell' },
  terms: {
    return: 'to return the book on sunday',
    wait: 'to wait until sunday',
    replace: 'to buy a new copy',
  },
  numbers: { page: [103, 497] },
  characters: [
    {
      seat: 'ada',
      place: 'stairwell',
      looks: 'A woman in a raincoat with ink on one sleeve.',
      work: 'She restores maps.',
      bio: 'Ada has lived on the third floor for nine years and knows every creaking step.',
      manner: 'She speaks in short sentences and remembers everything.',
      wish: 'She would like to know where her book is.',
      goal: 'You want Ben’s word that the book comes back on Sunday, and you want to stay on good terms: do not take it from him today.',
      secret: 'You only need the book back because you promised it to a buyer called Mr Halloran.',
      marks: ['halloran', 'promised it to a buyer'],
      conditions: [
        { kind: 'word', who: 'ben', term: 'return' },
        { kind: 'holds', who: 'ben', object: 'book' },
      ],
    },
    {
      seat: 'ben',
      place: 'stairwell',
      looks: 'A young man with a bicycle helmet under his arm.',
      work: 'He teaches swimming.',
      bio: 'Ben moved in last spring and borrows things from everyone in the house.',
      manner: 'He jokes when he is nervous.',
      wish: 'He would like a little more time.',
      goal: 'You want Ada’s word that she waits until Sunday, and you want to keep the book until then. Never promise to buy a new copy.',
      secret: 'You spilled coffee on page {page} of the book.',
      marks: ['spilled coffee', 'page {page}', '{page}'],
      conditions: [
        { kind: 'word', who: 'ada', term: 'wait' },
        { kind: 'holds', who: 'ben', object: 'book' },
        { kind: 'not', of: { kind: 'word', who: 'ben', term: 'replace' } },
      ],
    },
  ],
  relations: { 'ada ben': 2 },
  rules: [
    { word: 'umbrella', command: '[effect {who} "looks up at the rain on the skylight"]' },
    { word: 'sorry', command: '[effect {who} "seems to mean it"]' },
    { word: 'promise', command: '[time +5]' },
  ],
  closing: 60,
};
