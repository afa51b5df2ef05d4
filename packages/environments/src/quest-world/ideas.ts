/** @file Twelve written ideas for one house: small errands of a household, some of them held out. */

/** The house that all ideas share, so that what is learned in one is of use in another. */
const house = `The kitchen is north of the hall. The study is west of the hall. The garden is east of the hall. The cellar is south of the hall.
You begin in the hall.
A cupboard stands in the kitchen. A drawer stands in the study. A chest stands in the cellar.
The kettle is in the kitchen. The bread is in the kitchen. The jam is in the cupboard.
The paper is in the study. The stamp is in the drawer.
The pot is in the garden. The seed is in the chest. The candle is in the cellar.`;

const goals = [
  ['Tea for the garden', 'The leaf is in the cupboard. The tea is made from the kettle and the leaf. Bring the tea to the garden.'],
  ['A letter', 'The letter is made from the paper and the stamp. Bring the letter to the hall.'],
  ['A plant', 'The plant is made from the pot and the seed. Make the plant.'],
  ['Breakfast in the study', 'The breakfast is made from the bread and the jam. Bring the breakfast to the study.'],
  ['Light for the study', 'Bring the candle to the study.'],
  ['Jam for the cellar', 'Bring the jam to the cellar.'],
  ['A card', 'The card is made from the paper and the candle. Make the card.'],
  ['Seeds for a neighbour', 'Mara is in the garden and gives the rose for the seed. Bring the rose to the hall.'],
  ['A picnic', 'The picnic is made from the bread and the kettle. Bring the picnic to the garden.'],
  ['A plant for the study', 'The plant is made from the pot and the seed. Bring the plant to the study.'],
  [
    'A letter that is paid for',
    'Mara is in the hall and gives the coin for the jam. The letter is made from the paper and the coin. Make the letter.',
  ],
  ['Breakfast in the garden', 'The breakfast is made from the bread and the jam. Bring the breakfast to the garden.'],
] as const;

/** Every fourth is held out. */
export const ideas: readonly { readonly text: string; readonly heldOut: boolean }[] = goals.map(([title, words], i) => ({
  text: `# ${title}\n${house}\n${words}`,
  heldOut: i % 4 === 3,
}));
