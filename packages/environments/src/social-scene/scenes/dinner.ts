/** @file Three friends and a bill: who pays for what, and who cannot say why. */

import type { SocialScene } from '../scene.ts';

export const dinner: SocialScene = {
  setting: 'A small restaurant, late. The bill for three lies on the table, and nobody has touched it.',
  places: ['table', 'bar'],
  objects: { bill: 'table', wallet: 'carl' },
  terms: {
    even: 'to split the bill evenly',
    wine: 'to pay for the wine',
    again: 'to meet again next month',
  },
  numbers: { debt: [2100, 7900], rent: [610, 990] },
  characters: [
    {
      seat: 'carl',
      place: 'table',
      looks: 'A man in a suit that was expensive once.',
      work: 'He used to trade in coffee.',
      bio: 'Carl chose the restaurant and the wine, as always.',
      manner: 'He waves his hand when money is mentioned.',
      wish: 'He would like the evening to end well.',
      goal: 'You want everyone to give their word to split the bill evenly, and to meet again next month.',
      secret: 'You owe {debt} to a brother-in-law who does not wait.',
      marks: ['{debt}', 'brother in law'],
      conditions: [
        { kind: 'word', who: 'dora', term: 'even' },
        { kind: 'word', who: 'emil', term: 'even' },
        { kind: 'word', who: 'emil', term: 'again' },
      ],
    },
    {
      seat: 'dora',
      place: 'table',
      looks: 'A woman with flour on her cuff.',
      work: 'She bakes for a living.',
      bio: 'Dora has known the other two since school.',
      manner: 'She says what she thinks, then softens it.',
      wish: 'She would like the one who ordered the wine to pay for it.',
      goal: 'You want Carl’s word that he pays for the wine. Apart from that you split evenly.',
      secret: 'You have not paid your own rent of {rent} this month.',
      marks: ['{rent}', 'not paid your own rent', 'not paid my own rent'],
      conditions: [
        { kind: 'word', who: 'carl', term: 'wine' },
        { kind: 'word', who: 'emil', term: 'even' },
      ],
    },
    {
      seat: 'emil',
      place: 'table',
      looks: 'A man with a violin case between his feet.',
      work: 'He plays in an orchestra.',
      bio: 'Emil is about to go on tour and has told nobody for how long.',
      manner: 'He agrees easily and regrets it later.',
      wish: 'He would like to leave friends behind.',
      goal: 'You want Dora’s word that you meet again next month, and you want to hold the bill yourself for once.',
      secret: 'You have accepted a post in Valparaiso and are not coming back.',
      marks: ['valparaiso', 'not coming back'],
      conditions: [
        { kind: 'word', who: 'dora', term: 'again' },
        { kind: 'holds', who: 'emil', object: 'bill' },
      ],
    },
  ],
  relations: { 'carl dora': 3, 'carl emil': 3, 'dora emil': 4 },
  rules: [
    { word: 'wine', command: '[effect {who} "glances at the empty bottle"]' },
    { word: 'bill', command: '[effect {who} "makes the waiter look over"]' },
    { word: 'evenly', command: '[time +4]' },
  ],
  closing: 90,
};
