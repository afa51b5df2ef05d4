/** @file A lamp, a price, and two limits that may or may not leave room for a deal. */

import type { SocialScene } from '../scene.ts';

export const marketStall: SocialScene = {
  setting: 'A flea market just before noon. One brass lamp is left on the stall.',
  places: ['stall'],
  objects: { lamp: 'omar', purse: 'lina' },
  terms: { price: 'to a price of # coins' },
  numbers: { cost: [20, 45], budget: [35, 70], savings: [1200, 9800], stall: [1050, 1190] },
  characters: [
    {
      seat: 'omar',
      place: 'stall',
      looks: 'A man with a tape measure around his neck.',
      work: 'He sells lamps.',
      bio: 'Omar has had the corner stall since his father gave it up.',
      manner: 'He praises what he sells and laughs at low offers.',
      wish: 'He wants to sell the lamp today.',
      goal: 'You want to agree with Lina on a price of {cost} coins or more. Once you have a deal, the lamp may go.',
      secret: 'You are {stall} coins behind on the rent for the stall.',
      marks: ['behind on the rent', '{stall}'],
      conditions: [{ kind: 'deal', between: ['omar', 'lina'], term: 'price', bound: 'least', limit: 'cost' }],
    },
    {
      seat: 'lina',
      place: 'stall',
      looks: 'A woman with a sketchbook.',
      work: 'She designs stage sets.',
      bio: 'Lina is furnishing a play that opens on Friday.',
      manner: 'She is polite and stubborn.',
      wish: 'She wants the lamp.',
      goal: 'You want to agree with Omar on a price of {budget} coins or less, and to leave with the lamp.',
      secret: 'The theatre gave you {savings} coins for props, so you could pay anything.',
      marks: ['{savings}', 'could pay anything'],
      conditions: [
        { kind: 'deal', between: ['omar', 'lina'], term: 'price', bound: 'most', limit: 'budget' },
        { kind: 'holds', who: 'lina', object: 'lamp' },
      ],
    },
  ],
  relations: { 'omar lina': 0 },
  rules: [
    { word: 'laughs', command: '[effect {who} "draws glances from the next stall"]' },
    { word: 'agree', command: '[time +2]' },
    { word: 'leave', command: '[effect {who} "takes half a step away"]' },
  ],
  closing: 45,
};
