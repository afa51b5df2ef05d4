/**
 * @file A quest world as plain data, and its generator.
 *
 * The generator works backward: first the goal, then the parts of the goal, then the traders of those parts, then the place of each item,
 * and last the keys, each in a place that only earlier doors block. So every generated world can be won.
 */

import { parameter, type Rng, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { colours, containerNames, foundNames, madeNames, roomNames, traderNames } from './names.ts';

export const parameters = {
  rooms: parameter.integer({ min: 2, max: 20, default: 6, description: 'number of rooms to explore, per seat' }),
  loops: parameter.integer({ min: 0, max: 8, default: 1, description: 'number of passages beyond those needed to connect all rooms' }),
  doors: parameter.integer({ min: 0, max: 4, default: 1, description: 'number of locked doors, each with a key somewhere before it' }),
  containers: parameter.integer({ min: 0, max: 6, default: 2, description: 'number of closed containers that may contain things' }),
  depth: parameter.integer({ min: 0, max: 8, default: 1, description: 'how many crafting steps lead to the goal' }),
  traders: parameter.integer({ min: 0, max: 2, default: 1, description: 'characters who trade one thing for another' }),
  clutter: parameter.integer({ min: 0, max: 8, default: 2, description: 'number of items without a use' }),
  goal: parameter.choice({
    options: ['any', 'carry', 'craft'],
    default: 'any',
    description: 'carry a thing to a room, or craft it (needs a depth of 1 or more)',
  }),
  coop: parameter.boolean({
    default: false,
    description: 'two seats in two wings with a radio; a part from one wing is needed in the other',
  }),
} as const;

export type QuestTask = TaskOf<typeof parameters>;

/** The location of an item: in a room (its number), in a container, held by a seat, or not in the world. */
export const inContainer = 100;
export const heldBy = 200;
export const nowhere = -1;

export type QuestDoor = { readonly name: string; readonly key: number; readonly sides: readonly number[] };
export type QuestRecipe = { readonly makes: number; readonly parts: readonly number[] };
export type Trader = { readonly name: string; readonly room: number; readonly wants: number; readonly gives: number };

/** Rooms, items, doors, and so on are referred to by their index in these lists. `exits[room][direction]` is a room or −1. */
export type QuestWorld = {
  readonly rooms: readonly string[];
  readonly exits: readonly (readonly number[])[];
  readonly doors: readonly QuestDoor[];
  readonly items: readonly string[];
  readonly places: readonly number[];
  readonly containers: readonly { readonly name: string; readonly room: number }[];
  readonly recipes: readonly QuestRecipe[];
  readonly traders: readonly Trader[];
  /** Items put into the tube in one room come out in the other. `item` is the one that must be sent this way. */
  readonly tube: { readonly from: number; readonly to: number; readonly item: number } | null;
  /** The start room of each seat. */
  readonly starts: readonly number[];
  /** Bring the item to the room, or craft it if the room is −1. */
  readonly goal: { readonly item: number; readonly room: number };
};

/** A first-time deed that can be a subgoal: unlocking a door, or crafting, trading, sending, or taking an item. */
export type Deed = { readonly kind: 'unlock' | 'craft' | 'trade' | 'send' | 'take'; readonly index: number };

/** Returns the door between two neighboring rooms, or −1. */
export function doorBetween(world: QuestWorld, a: number, b: number): number {
  for (let i = 0; i < world.doors.length; i++) {
    const [left, right] = world.doors[i].sides as [number, number];
    if ((left === a && right === b) || (left === b && right === a)) return i;
  }
  return -1;
}

/** A world under construction. */
interface Draft {
  readonly rng: Rng;
  readonly rooms: string[];
  readonly exits: number[][];
  readonly doors: QuestDoor[];
  readonly items: string[];
  readonly places: number[];
  readonly containers: { name: string; room: number }[];
  readonly recipes: QuestRecipe[];
  readonly traders: Trader[];
  readonly names: Readonly<Record<'room' | 'found' | 'made' | 'container' | 'colour' | 'trader', string[]>>;
}

/** The rooms that one seat can reach. `locks[i]` has a bit for every door between the first room and the i-th. */
interface Wing {
  readonly first: number;
  readonly locks: readonly number[];
  readonly doors: readonly number[];
}

export function generate(task: QuestTask, rng: Rng): QuestWorld {
  const names = {
    room: rng.shuffle(roomNames),
    found: rng.shuffle(foundNames),
    made: rng.shuffle(madeNames),
    container: rng.shuffle(containerNames),
    colour: rng.shuffle(colours),
    trader: rng.shuffle(traderNames),
  };
  const draft: Draft = { rng, rooms: [], exits: [], doors: [], items: [], places: [], containers: [], recipes: [], traders: [], names };
  const home = addWing(draft, task);
  const leaves: number[] = [];
  const item = sprout(draft, task.depth, leaves);
  const craft = task.depth > 0 && (task.goal === 'craft' || (task.goal === 'any' && rng.int(2) === 0));
  const room = craft ? -1 : home.first + 1 + rng.int(task.rooms - 1);
  for (let i = 0; i < task.traders; i++) addTrader(draft, home, leaves);
  let tube: QuestWorld['tube'] = null;
  const starts = [home.first];
  if (task.coop) {
    const sentCount = leaves.splice(rng.int(leaves.length), 1)[0];
    const away = addWing(draft, task);
    hide(draft, away, [sentCount]);
    tube = { from: anyRoom(draft, away), to: anyRoom(draft, home), item: sentCount };
    starts.push(away.first);
    litter(draft, away, task.clutter);
  }
  hide(draft, home, leaves);
  litter(draft, home, task.clutter);
  const { rooms, exits, doors, items, places, containers, recipes, traders } = draft;
  return { rooms, exits, doors, items, places, containers, recipes, traders, tube, starts, goal: { item, room } };
}

/** Lays out rooms on a grid: a random spanning tree with some locked passages, and loops that never bypass a lock. */
function addWing(draft: Draft, task: QuestTask): Wing {
  const { rng, exits } = draft;
  const first = draft.rooms.length;
  const cells = new Map<number, number>();
  const spots: number[] = [];
  const locks: number[] = [];
  const children = Array.from({ length: task.rooms - 1 }, (_, i) => i + 1);
  const locked = new Set(rng.shuffle(children).slice(0, task.doors));
  const doors: number[] = [];
  for (let i = 0; i < task.rooms; i++) {
    draft.rooms.push(draft.names.room.pop() as string);
    exits.push([-1, -1, -1, -1]);
    let spot = 0;
    let lock = 0;
    if (i > 0) {
      let parent = 0;
      let direction = 0;
      do {
        parent = rng.int(i);
        direction = rng.int(4);
        spot = spots[parent] + moves[direction];
      } while (cells.has(spot));
      join(draft, [first + parent, first + i], direction);
      lock = locks[parent];
      if (locked.has(i)) {
        lock |= 1 << doors.length;
        doors.push(addDoor(draft, first + parent, first + i));
      }
    }
    cells.set(spot, i);
    spots.push(spot);
    locks.push(lock);
  }
  const wing: Wing = { first, locks, doors };
  addLoops(draft, wing, { cells, spots, count: task.loops });
  for (let i = 0; i < task.containers && draft.names.container.length > 0; i++)
    draft.containers.push({ name: draft.names.container.pop() as string, room: anyRoom(draft, wing) });
  return wing;
}

/** Grid steps: north, east, south, west. Rows are so wide that no wing wraps around. */
const moves = [-64, 1, 64, -1] as const;

function join(draft: Draft, [a, b]: readonly [number, number], direction: number): void {
  draft.exits[a][direction] = b;
  draft.exits[b][(direction + 2) % 4] = a;
}

function addDoor(draft: Draft, a: number, b: number): number {
  const colour = draft.names.colour.pop() as string;
  const key = addItem(draft, `${colour} key`);
  return draft.doors.push({ name: `${colour} door`, key, sides: [a, b] }) - 1;
}

interface Grid {
  readonly cells: ReadonlyMap<number, number>;
  readonly spots: readonly number[];
  readonly count: number;
}

function addLoops(draft: Draft, { first, locks }: Wing, { cells, spots, count }: Grid): void {
  const open: (readonly [number, number, number])[] = [];
  for (let a = 0; a < spots.length; a++)
    for (let direction = 0; direction < 2; direction++) {
      const b = cells.get(spots[a] + moves[direction]);
      if (b !== undefined && locks[a] === locks[b] && draft.exits[first + a]?.[direction] === -1) open.push([a, b, direction]);
    }
  for (const [a, b, direction] of draft.rng.shuffle(open).slice(0, count)) join(draft, [first + a, first + b], direction);
}

function addItem(draft: Draft, name: string): number {
  draft.places.push(nowhere);
  return draft.items.push(name) - 1;
}

/** Creates an item that takes `depth` crafting steps, and adds the items that must be found for it to `leaves`. */
function sprout(draft: Draft, depth: number, leaves: number[]): number {
  if (depth === 0) {
    const leaf = addItem(draft, draft.names.found.pop() as string);
    leaves.push(leaf);
    return leaf;
  }
  const makes = addItem(draft, draft.names.made.pop() as string);
  const parts = [sprout(draft, depth - 1, leaves), sprout(draft, 0, leaves)];
  draft.recipes.push({ makes, parts: draft.rng.shuffle(parts) });
  return makes;
}

/** Adds a trader who owns a leaf and wants another item for it. That item becomes the new leaf. */
function addTrader(draft: Draft, wing: Wing, leaves: number[]): void {
  const at = draft.rng.int(leaves.length);
  const gives = leaves[at];
  const wants = addItem(draft, draft.names.found.pop() as string);
  draft.traders.push({ name: draft.names.trader.pop() as string, room: anyRoom(draft, wing), wants, gives });
  leaves[at] = wants;
}

/** Places the leaves, the first of them behind the last doors; then the keys from the last door to the first, each before its own door. */
function hide(draft: Draft, wing: Wing, leaves: readonly number[]): void {
  leaves.forEach((leaf, i) => {
    const door = wing.doors.length - 1 - i;
    place(
      draft,
      leaf,
      roomsOf(wing, (lock) => door < 0 || lock >> door === 1),
    );
  });
  for (let door = wing.doors.length - 1; door >= 0; door--) {
    const { key } = draft.doors[wing.doors[door]];
    place(
      draft,
      key,
      roomsOf(wing, (lock) => lock >> door === 0),
    );
  }
}

function litter(draft: Draft, wing: Wing, count: number): void {
  for (let i = 0; i < count && draft.names.found.length > 0; i++)
    place(
      draft,
      addItem(draft, draft.names.found.pop() as string),
      roomsOf(wing, () => true),
    );
}

function roomsOf({ first, locks }: Wing, fits: (lock: number) => boolean): number[] {
  return locks.flatMap((lock, i) => (fits(lock) ? [first + i] : []));
}

/** Places an item in one of the rooms, possibly in a container there. */
function place(draft: Draft, item: number, rooms: readonly number[]): void {
  const room = draft.rng.pick(rooms);
  const container = draft.containers.findIndex((container) => container.room === room);
  draft.places[item] = container >= 0 && draft.rng.int(2) === 0 ? inContainer + container : room;
}

function anyRoom(draft: Draft, wing: Wing): number {
  return wing.first + draft.rng.int(wing.locks.length);
}
