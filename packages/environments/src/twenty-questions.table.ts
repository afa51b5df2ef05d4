/**
 * @file The oracle's knowledge: 128 things and 40 attributes. Each thing is a line of the attributes that are true of it; all others are
 * false.
 *
 * A word of a line is an attribute or one of the bundles below. No two things have the same attributes.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { cities, cityBundles, cityQuestions } from './guess-my-city.table.ts';

/** Attributes by id: the question, then other wordings of it, without the opening words ("is it a", "does it"). */
const questions: Readonly<Record<string, readonly [string, ...string[]]>> = {
  living: ['Is it a living thing?', 'alive', 'living', 'organism', 'being', 'creature'],
  animal: ['Is it an animal?', 'kind of animal', 'beast', 'in the animal kingdom'],
  mammal: ['Is it a mammal?', 'give milk to its young', 'kind of mammal'],
  bird: ['Is it a bird?', 'have feathers', 'kind of bird', 'lay eggs and have feathers', 'have a beak'],
  water: ['Does it live or move in water?', 'live in water', 'swim', 'aquatic', 'live in the sea', 'found in water'],
  'four-legs': ['Does it have four legs?', 'four legged', 'walk on four legs', 'stand on four legs', 'have 4 legs'],
  flies: ['Can it fly?', 'able to fly', 'fly', 'have wings', 'flying'],
  fur: ['Does it have fur or hair?', 'have fur', 'furry', 'hairy', 'have hair', 'covered in fur', 'have wool'],
  dangerous: ['Can it easily hurt a person?', 'dangerous', 'hurt me', 'kill a person', 'dangerous to people', 'harmful'],
  pet: ['Is it often kept as a pet?', 'pet', 'kept as a pet', 'common pet', 'have it as a pet'],
  farm: ['Is it often found on a farm?', 'farm animal', 'found on a farm', 'grown on a farm', 'live on a farm', 'come from a farm'],
  'meat-eater': ['Does it eat other animals?', 'carnivore', 'eat meat', 'predator', 'hunt', 'carnivorous'],
  patterned: ['Does it have stripes or spots?', 'have stripes', 'striped', 'have spots', 'spotted', 'patterned'],
  tail: ['Does it have a tail?', 'have tail', 'with a tail'],
  horns: ['Does it have horns, antlers or tusks?', 'have horns', 'have antlers', 'have tusks', 'horned'],
  plant: ['Is it a plant or part of one?', 'plant', 'part of a plant', 'vegetable or fruit', 'grow from a seed', 'grow in the ground'],
  edible: ['Do people eat or drink it?', 'edible', 'food', 'eat it', 'something you eat', 'people eat it', 'you can eat'],
  sweet: ['Does it taste sweet?', 'sweet', 'taste like sugar', 'sugary'],
  tree: ['Is it a tree, or does it grow on one?', 'tree', 'grow on a tree', 'grow on trees', 'come from a tree'],
  green: ['Is it usually green?', 'green', 'green in colour', 'green in color'],
  red: ['Is it usually red?', 'red', 'red in colour', 'red in color', 'reddish'],
  white: ['Is it usually white?', 'white', 'white in colour', 'white in color'],
  yellow: ['Is it usually yellow or orange?', 'yellow', 'orange in colour', 'golden', 'yellow or orange', 'orange in color'],
  round: ['Is it round?', 'round', 'circular', 'spherical', 'shaped like a ball', 'shaped like a circle'],
  made: ['Is it made by people?', 'man made', 'manmade', 'artificial', 'made by humans', 'human made', 'manufactured', 'man made object'],
  metal: ['Is it made mostly of metal?', 'metal', 'made of metal', 'metallic', 'made from metal'],
  wood: ['Is it made mostly of wood?', 'wooden', 'made of wood', 'wood', 'made from wood'],
  cloth: ['Is it made mostly of cloth or leather?', 'made of cloth', 'made of fabric', 'cloth', 'made of leather', 'made from fabric'],
  electric: ['Does it need electricity?', 'electric', 'electronic', 'use electricity', 'electrical', 'need power', 'plugged in'],
  wheels: ['Does it have wheels?', 'have wheel', 'roll on wheels', 'wheeled'],
  travel: [
    'Do people travel in it or on it?',
    'vehicle',
    'ride it',
    'used for transport',
    'transportation',
    'means of transport',
    'people ride it',
  ],
  house: [
    'Is it usually found in a house?',
    'found in a house',
    'household object',
    'in the home',
    'found indoors',
    'indoors',
    'found at home',
  ],
  kitchen: [
    'Is it usually found in a kitchen?',
    'found in a kitchen',
    'in the kitchen',
    'kitchen item',
    'used in the kitchen',
    'used for eating',
  ],
  tool: ['Is it held in the hand to work with?', 'tool', 'hand tool', 'utensil', 'used as a tool', 'hold it in your hand to use it'],
  worn: ['Is it worn on the body?', 'clothing', 'worn', 'wear it', 'something you wear', 'piece of clothing', 'wearable'],
  sound: ['Is it known for the sound it makes?', 'make a sound', 'make noise', 'noisy', 'make a noise', 'loud', 'musical instrument'],
  large: ['Is it larger than a grown person?', 'bigger than a person', 'larger than a person', 'big', 'large', 'bigger than a human'],
  small: ['Does it fit in a hand?', 'small', 'fit in your hand', 'fit in a pocket', 'smaller than a hand', 'tiny', 'hold it in one hand'],
  play: ['Is it used for play or sport?', 'toy', 'used for play', 'used in sport', 'play with it', 'used for fun', 'game'],
  sky: ['Is it often seen in the sky?', 'in the sky', 'seen in the sky', 'in space', 'up in the sky'],
};

/** Attributes that many things share. */
const bundles: Readonly<Record<string, string>> = {
  beast: 'living animal mammal four-legs fur tail',
  fowl: 'living animal bird',
  fish: 'living animal water tail',
  creature: 'living animal',
  crop: 'plant edible kitchen',
  meal: 'edible kitchen made',
};

const objects = `
dog: beast pet meat-eater sound farm
cat: beast pet meat-eater patterned house
horse: beast farm travel large
donkey: beast farm travel sound
cow: beast farm edible horns patterned large sound
pig: creature mammal four-legs tail farm edible sound
sheep: beast farm edible white sound
goat: beast farm edible white sound horns
rabbit: beast farm edible pet
mouse: beast small house
hamster: beast small house pet yellow
squirrel: beast red
fox: beast red meat-eater
wolf: beast meat-eater dangerous sound
bear: creature mammal four-legs fur meat-eater dangerous large
polar bear: creature mammal four-legs fur meat-eater dangerous large white water
lion: beast meat-eater dangerous large yellow sound
tiger: beast meat-eater dangerous large yellow patterned
leopard: beast meat-eater dangerous yellow patterned
zebra: beast patterned large white
giraffe: beast patterned large yellow horns
elephant: creature mammal four-legs tail horns large dangerous travel sound
camel: beast travel large yellow
hippopotamus: creature mammal four-legs tail water large dangerous
rhinoceros: creature mammal four-legs tail horns large dangerous
deer: beast horns edible
kangaroo: creature mammal fur tail large
monkey: creature mammal fur tail sound
bat: creature mammal fur flies small
whale: creature mammal water tail large meat-eater sound
otter: beast water meat-eater
seal: creature mammal water fur meat-eater
chicken: fowl farm edible white sound
duck: fowl flies farm edible water sound
goose: fowl flies farm edible water white sound dangerous
eagle: fowl flies meat-eater sky dangerous
owl: fowl flies meat-eater sound
parrot: fowl flies pet green red sound
penguin: fowl water white meat-eater
ostrich: fowl large dangerous
swan: fowl flies water white
peacock: fowl flies tail patterned green sound
snake: creature tail patterned meat-eater dangerous
crocodile: creature four-legs tail water green meat-eater dangerous large
turtle: creature four-legs tail water green pet
frog: creature four-legs water green small sound meat-eater
shark: fish meat-eater dangerous large
goldfish: fish pet small yellow house
salmon: fish edible meat-eater
octopus: creature water edible meat-eater
crab: creature water edible red small
bee: creature flies small patterned yellow dangerous sound farm
butterfly: creature flies small patterned
ant: creature small
spider: creature small meat-eater house
snail: creature small edible round
apple: crop sweet tree red round small
banana: crop sweet tree yellow small
orange: crop sweet tree yellow round small
lemon: crop tree yellow round small
pear: crop sweet tree green small
strawberry: crop sweet red small farm
grape: crop sweet green round small farm
watermelon: crop sweet green round patterned farm
coconut: crop tree round white
tomato: crop red round small farm
potato: crop small farm yellow
carrot: crop small farm yellow sweet
corn: crop farm yellow sweet
pumpkin: crop farm yellow round
onion: crop farm white round small
lettuce: crop farm green
rice: crop farm white small
mushroom: living edible kitchen white small
coffee: crop made
bread: meal
cheese: meal yellow farm
egg: edible kitchen farm white round small
milk: edible kitchen farm white
honey: edible kitchen farm yellow sweet
chocolate: meal sweet small
ice cream: meal sweet white
cake: meal sweet round
pizza: meal round red
rose: living plant red small
sunflower: living plant yellow round farm
oak: living plant tree wood green large
cactus: living plant green dangerous house
grass: living plant green farm
chair: made wood house four-legs
table: made wood house four-legs kitchen
bed: made wood cloth house four-legs large
door: made wood house large
lamp: made electric house metal
clock: made house round sound
television: made electric house sound play
refrigerator: made electric house kitchen metal large white
telephone: made electric house small sound
computer: made electric house metal play
book: made house small
pencil: made wood house small tool
knife: made metal house kitchen small tool dangerous
spoon: made metal house kitchen small tool
cup: made house kitchen small round
bottle: made house kitchen
plate: made house kitchen round white
hammer: made metal wood house tool sound
saw: made metal house tool dangerous sound
scissors: made metal house tool small dangerous
key: made metal house tool small
umbrella: made cloth house tool round
broom: made wood house tool
candle: made house white small dangerous
shoe: made cloth house worn
hat: made cloth house worn round
ring: made metal house worn round small yellow
car: made metal wheels travel large dangerous sound
bicycle: made metal wheels travel play
train: made metal wheels travel large electric sound
airplane: made metal wheels travel large flies sky sound
boat: made wood travel large water
kite: made cloth flies sky play
guitar: made wood house sound play
drum: made house round sound play
piano: made wood house sound large
ball: made house round play small
sun: round yellow sky large dangerous
moon: round white sky large
`;

/** Things as rows of bits over attributes, with the questions for the attributes. */
export interface TwentyTable {
  readonly names: readonly string[];
  readonly attributes: readonly string[];
  readonly questions: readonly string[];
  /** One text of 0 and 1 per thing, with one character per attribute. */
  readonly rows: readonly string[];
  /** Normalized wordings, with the attribute that each asks for. */
  readonly phrases: ReadonlyMap<string, number>;
}

/** Normalizes a question: removes case, punctuation, and opening words. */
export function fold(text: string): string {
  const normalized = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  return normalized.replace(
    linear(
      /^(?:(?:is|does|do|can|could|has|are|was|would|will|people|you|i|it|this|that|thing|something|a|an|the|usually|often|mostly|really|ever|kind of|type of) )+/,
    ),
    '',
  );
}

function tableOf(
  attributes: Readonly<Record<string, readonly string[]>>,
  rows: readonly (readonly [string, ReadonlySet<string>])[],
): TwentyTable {
  const ids = Object.keys(attributes);
  const phrases = new Map<string, number>();
  for (const [i, id] of ids.entries())
    for (const way of [id, ...attributes[id]]) {
      if ((phrases.get(fold(way)) ?? i) !== i) throw new Error(`"${way}" asks about two attributes. Give it one.`);
      phrases.set(fold(way), i);
    }
  for (const [name, has] of rows)
    for (const id of has) if (!ids.includes(id)) throw new Error(`"${id}" of ${name} is not an attribute. Available: ${ids.join(', ')}.`);
  return {
    names: rows.map(([name]) => name),
    attributes: ids,
    questions: ids.map((id) => attributes[id]?.[0] as string),
    rows: rows.map(([, has]) => ids.map((id) => (has.has(id) ? '1' : '0')).join('')),
    phrases,
  };
}

/** Builds a table from lines with a name and its attributes or bundles. */
function tableFrom(
  lines: string,
  attributes: Readonly<Record<string, readonly string[]>>,
  bundled: Readonly<Record<string, string>>,
): TwentyTable {
  const rows = lines
    .trim()
    .split('\n')
    .map((line) => {
      const [name, words] = line.split(': ') as [string, string];
      return [name, new Set(words.split(' ').flatMap((word) => bundled[word]?.split(' ') ?? [word]))] as const;
    });
  return tableOf(attributes, rows);
}

/** Numbers from 0 to 31 by their five bits: a table with known optimal play. */
const bits = Object.fromEntries([16, 8, 4, 2, 1].map((bit) => [`bit-${bit}`, [`Does its number contain ${bit} as a power of two?`]]));
const numbers = Array.from(
  { length: 32 },
  (_, n) => [`number ${n}`, new Set([16, 8, 4, 2, 1].filter((bit) => n & bit).map((bit) => `bit-${bit}`))] as const,
);

export const tables = {
  things: tableFrom(objects, questions, bundles),
  bits: tableOf(bits, numbers),
  cities: tableFrom(cities, cityQuestions, cityBundles),
} as const;

export type TwentyAnswer = 'yes' | 'no' | 'unknown';

/** Returns the table's answer for an attribute of a thing; −1 is not an attribute. */
export function truthOf(table: TwentyTable, row: number, attribute: number): TwentyAnswer {
  if (attribute < 0) return 'unknown';
  return table.rows[row][attribute] === '1' ? 'yes' : 'no';
}
