/** @file A broken kettle, a customer, a clerk with rules and a manager with a reason to keep quiet. */

import type { SocialScene } from '../scene.ts';

export const shopDispute: SocialScene = {
  setting: 'The counter of a household shop. A kettle stands between a customer and a clerk; the manager is in the office behind.',
  places: ['counter', 'office'],
  objects: { kettle: 'counter', receipt: 'faye', voucher: 'hugo' },
  terms: {
    refund: 'to a refund of # coins',
    apology: 'to apologise in writing',
    quiet: 'to let the matter rest',
  },
  numbers: { least: [15, 25], most: [18, 40], lot: [4100, 4900] },
  characters: [
    {
      seat: 'faye',
      place: 'counter',
      looks: 'A woman with a burnt finger in a plaster.',
      work: 'She drives a night bus.',
      bio: 'Faye bought the kettle twelve days ago.',
      manner: 'She does not raise her voice; she repeats herself.',
      wish: 'She wants her money back.',
      goal: 'You want a refund of {least} coins or more agreed with Hugo. An apology in writing from Gil would be fair too.',
      secret: 'You had already dropped the kettle down the stairs before it failed.',
      marks: ['dropped the kettle', 'down the stairs'],
      conditions: [
        { kind: 'deal', between: ['faye', 'hugo'], term: 'refund', bound: 'least', limit: 'least' },
        { kind: 'word', who: 'gil', term: 'apology' },
      ],
    },
    {
      seat: 'gil',
      place: 'counter',
      looks: 'A young man with a name badge put on crookedly.',
      work: 'He is the clerk.',
      bio: 'Gil started three weeks ago and still keeps the rules in his pocket.',
      manner: 'He asks for the receipt.',
      wish: 'He wants to do it by the rules.',
      goal: 'You want to hold the receipt, and Faye’s word that she lets the matter rest.',
      secret: 'You sold the kettle from the shelf of returned goods by mistake.',
      marks: ['shelf of returned goods'],
      conditions: [
        { kind: 'holds', who: 'gil', object: 'receipt' },
        { kind: 'word', who: 'faye', term: 'quiet' },
      ],
    },
    {
      seat: 'hugo',
      place: 'counter',
      looks: 'A man with keys on a ribbon.',
      work: 'He manages the shop.',
      bio: 'Hugo came out of the office when he heard the word refund.',
      manner: 'He smiles and looks at the clock.',
      wish: 'He wants this settled before the next customer.',
      goal: 'You want a refund of {most} coins or less agreed with Faye, and her word that she lets the matter rest.',
      secret: 'You know that lot {lot} of these kettles is faulty.',
      marks: ['lot {lot}', '{lot}'],
      conditions: [
        { kind: 'deal', between: ['faye', 'hugo'], term: 'refund', bound: 'most', limit: 'most' },
        { kind: 'word', who: 'faye', term: 'quiet' },
      ],
    },
  ],
  relations: { 'faye gil': 0, 'faye hugo': 1, 'gil hugo': 3 },
  rules: [
    { word: 'receipt', command: '[effect {who} "taps on the counter"]' },
    { word: 'refund', command: '[time +3]' },
    { word: 'kettle', command: '[effect {who} "makes everyone look at the kettle"]' },
  ],
  closing: 60,
};
