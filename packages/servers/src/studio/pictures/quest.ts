/** @file The map of a quest: rooms, connections, people, and objects. A seat sees its own room. */

import type { Picture, PlacePicture } from '../api.ts';
import type { Eyes } from './index.ts';

interface Quest {
  readonly world: {
    readonly rooms: readonly string[];
    /** The room to the north, east, south, and west of each room, or −1. */
    readonly exits: readonly (readonly number[])[];
    readonly items: readonly string[];
  };
  readonly at: readonly number[];
  /** The room of each item, or a negative number for elsewhere. */
  readonly places: readonly number[];
  readonly steps: number;
}

type Known = {
  readonly sight: { readonly room: string; readonly exits: readonly (string | null)[]; readonly items: readonly string[] };
  readonly steps: number;
};

const directions = [
  [0, -1],
  [1, 0],
  [0, 1],
  [-1, 0],
] as const;

export function drawQuest(quest: Quest, { seat, seats, knows }: Eyes): Picture {
  return seat === null ? whole(quest, seats) : here(knows as Known, seat);
}

function whole({ world, at, places, steps }: Quest, seats: readonly string[]): Picture {
  const spots = layOut(world.exits);
  const rooms = world.rooms.map((name, room): PlacePicture => {
    const people = seats.filter((_, i) => at[i] === room);
    const items = world.items.filter((_, item) => places[item] === room);
    const [x, y] = spots[room]!;
    return { name, x, y, here: [...people, ...items], current: people.length > 0 };
  });
  const ways = world.exits.flatMap((exits, room) => exits.flatMap((next) => (next > room ? [[room, next] as const] : [])));
  return { kind: 'map', places: rooms, ways, note: `Step ${steps}` };
}

/** Rooms that do not fit the grid (a loop may be longer than the streets it cuts) move to the next free cell. */
function layOut(exits: readonly (readonly number[])[]): readonly (readonly [number, number])[] {
  const spots: (readonly [number, number])[] = [];
  const used = new Set<string>();
  const put = (room: number, x: number, y: number): void => {
    if (spots[room] !== undefined) return;
    let [column, row] = [x, y];
    while (used.has(`${column},${row}`)) [column, row] = row > y + 2 ? [column + 1, y] : [column, row + 1];
    used.add(`${column},${row}`);
    spots[room] = [column, row];
  };
  for (let from = 0; from < exits.length; from++) {
    if (spots[from] === undefined) put(from, 0, 0);
    const queue = [from];
    for (const room of queue) {
      const [x, y] = spots[room]!;
      for (const [direction, next] of exits[room]!.entries()) {
        if (next < 0 || spots[next] !== undefined) continue;
        const [dx, dy] = directions[direction]!;
        put(next, x + dx, y + dy);
        queue.push(next);
      }
    }
  }
  const left = Math.min(...spots.map(([x]) => x));
  const top = Math.min(...spots.map(([, y]) => y));
  return spots.map(([x, y]) => [x - left, y - top]);
}

function here({ sight: { room, exits, items }, steps }: Known, seat: string): Picture {
  const middle: PlacePicture = { name: room, x: 1, y: 1, here: [seat, ...items], current: true };
  const around = exits.flatMap((door, direction): readonly PlacePicture[] => {
    const [dx, dy] = directions[direction]!;
    return door === null ? [] : [{ name: door === '' ? '?' : door, x: 1 + dx, y: 1 + dy, here: [], current: false }];
  });
  return { kind: 'map', places: [middle, ...around], ways: around.map((_, i) => [0, i + 1] as const), note: `Step ${steps}` };
}
