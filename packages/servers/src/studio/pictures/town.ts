/** @file The map of a town: its places, and who is where. A seat sees who is with it, and nobody else. */

import { openPlaces, places } from '@ludus-agents/societies/internal/town/places';
import { clockOf, companyOf, type TownState, timeOf } from '@ludus-agents/societies/internal/town/state';
import type { Picture, PlacePicture } from '../api.ts';
import type { Eyes } from './index.ts';

/** The square is in the middle; everything else lies round it. */
const spots: Readonly<Record<string, readonly [number, number]>> = {
  ...{ home: [0, 0], cafe: [1, 0], market: [2, 0], workshop: [0, 1], square: [1, 1], library: [2, 1], park: [0, 2], tavern: [1, 2] },
};

export function drawTown(state: TownState, { seat, seats }: Eyes): Picture {
  const { at, day, knows } = state;
  const observations = seat === null ? seats : [seat, ...companyOf(at, seats, seat)];
  // Between two hours people are still where they went in the one that is over.
  const over = state.phase === 'react' ? state.hour + 1 : state.hour;
  const hour = clockOf({ task: state.task, hour: over - 1 });
  const time = over > 0 ? `${timeOf(hour)} to ${timeOf(hour + 1)}` : timeOf(hour);
  const open = openPlaces(hour).map(({ name }) => name);
  const placePictures = places.map(({ name }): PlacePicture => {
    const [x, y] = spots[name]!;
    const here = observations.filter((item) => at[item] === name);
    // Only who sees everything sees how far the news has come.
    const marked = seat === null ? here.filter((item) => knows[item] !== undefined) : [];
    return { name, x, y, here, current: here.length > 0, closed: !open.includes(name), marked };
  });
  const square = places.findIndex(({ name }) => name === 'square');
  const ways = places.flatMap((_, i) => (i === square ? [] : [[square, i] as const]));
  const news = seat === null ? `, ${Object.keys(knows).length} of ${seats.length} know the news (marked)` : '';
  return { kind: 'map', places: placePictures, ways, note: `Day ${day}, ${time}${news}` };
}
