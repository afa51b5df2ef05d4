/** @file Names for the contents of quest worlds. They are distinct, and none contains a word of the grammar (from, with, to). */

const list = (text: string): readonly string[] => text.split(', ');

export const directions = ['north', 'east', 'south', 'west'] as const;

export const roomNames = list(
  'cellar, kitchen, attic, library, courtyard, greenhouse, workshop, chapel, stable, pantry, gallery, armoury, observatory, laundry, crypt, orchard, dovecote, boathouse, nursery, study, tower, scullery, icehouse, theatre, vestry, forge, smokehouse, archive, parlour, cistern, mill, belfry, cloister, granary, brewery, kennel, larder, lighthouse, quarry, tannery',
);

/** Items that are found. */
export const foundNames = list(
  'lens, rope, plank, candle, gear, spring, mirror, feather, magnet, bottle, ribbon, hook, nail, needle, whistle, compass, coin, pebble, sponge, teapot, thimble, funnel, bellows, pulley, saddle, anchor, acorn, dice, quill, inkpot, button, tile',
);

/** Items that are crafted. */
export const madeNames = list('telescope, lantern, kite, clock, windmill, music box, canoe, sundial, sled, periscope, puppet, catapult');

export const containerNames = list('chest, barrel, cupboard, basket, trunk, drawer, crate, urn, satchel, locker, hamper, casket');

/** A door and its key share a color. */
export const colours = list('red, blue, green, white, black, yellow, violet, amber');

export const traderNames = list('mara, tobias, ines, piet, yusuf, greta, anouk, bram');
