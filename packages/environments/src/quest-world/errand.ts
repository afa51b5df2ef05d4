/**
 * @file What must be done in a quest world: traces the goal back to items that lie in rooms.
 *
 * Every item has one source and one use, and no passage bypasses a lock, so each need found here is part of every plan.
 */

import { type Deed, doorBetween, inContainer, type QuestWorld } from './generate.ts';

/** Something every plan must do once: `room` (any room if empty), after certain other needs (as bits), and not before turn `ready`. */
export interface Need {
  readonly command: string;
  readonly rooms: readonly number[];
  readonly after: number;
  readonly ready: number;
  readonly deed: Deed | null;
}

/** The tasks of one seat, and the room where it must end. */
export interface QuestErrand {
  readonly start: number;
  readonly needs: readonly Need[];
  /** The need that unlocks each door. Doors without one stay locked. */
  readonly unlocks: ReadonlyMap<number, number>;
  /** The room to end in, or −1. */
  readonly end: number;
}

/** An errand under construction. */
interface Draft {
  readonly world: QuestWorld;
  readonly seat: number;
  readonly ready: number;
  readonly locks: readonly number[];
  readonly needs: Need[];
  readonly unlocks: Map<number, number>;
  readonly sources: Map<number, number>;
}

/**
 * Returns the errand of a seat. The first seat must reach the goal; the second must send the part. The sent part is available from turn
 * `ready` on.
 */
export function errandOf(world: QuestWorld, seat: number, ready: number): QuestErrand {
  const start = world.starts[seat];
  const draft: Draft = { world, seat, ready, locks: locksFrom(world, start), needs: [], unlocks: new Map(), sources: new Map() };
  const { tube, goal } = world;
  const { needs, unlocks } = draft;
  if (seat === 1 && tube !== null) {
    reach(draft, tube.from);
    const command = `give ${world.items[tube.item]} to tube`;
    add(draft, { command, rooms: [tube.from], deed: { kind: 'send', index: tube.item } }, [obtain(draft, tube.item)]);
    return { start, needs, unlocks, end: -1 };
  }
  obtain(draft, goal.item);
  if (goal.room >= 0) reach(draft, goal.room);
  return { start, needs, unlocks, end: goal.room };
}

function add({ needs }: Draft, need: Pick<Need, 'command' | 'rooms'> & Partial<Need>, after: readonly number[] = []): number {
  let bits = 0;
  for (const other of after) bits |= 1 << other;
  return needs.push({ ready: 0, deed: null, ...need, after: bits }) - 1;
}

/** Requires the doors on the way to a room to be unlocked. */
function reach(draft: Draft, room: number): void {
  const { world, locks, unlocks } = draft;
  world.doors.forEach(({ name, key, sides }, door) => {
    if ((locks[room] & (1 << door)) === 0 || unlocks.has(door)) return;
    const has = obtain(draft, key);
    const command = `unlock ${name} with ${world.items[key]}`;
    unlocks.set(door, add(draft, { command, rooms: sides, deed: { kind: 'unlock', index: door } }, [has]));
  });
}

/** Requires an item to be in hand. Returns the need that obtains it. */
function obtain(draft: Draft, item: number): number {
  const source = draft.sources.get(item);
  if (source !== undefined) return source;
  const need = makeItem(draft, item) ?? tradeItem(draft, item) ?? findItem(draft, item);
  draft.sources.set(item, need);
  return need;
}

function makeItem(draft: Draft, item: number): number | null {
  const recipe = draft.world.recipes.find((recipe) => recipe.makes === item);
  if (recipe === undefined) return null;
  const parts = recipe.parts.map((part) => obtain(draft, part));
  return add(draft, { command: `craft ${draft.world.items[item]}`, rooms: [], deed: { kind: 'craft', index: item } }, parts);
}

function tradeItem(draft: Draft, item: number): number | null {
  const { traders, items } = draft.world;
  const index = traders.findIndex((trader) => trader.gives === item);
  const trader = traders[index];
  if (trader === undefined) return null;
  reach(draft, trader.room);
  const command = `give ${items[trader.wants]} to ${trader.name}`;
  return add(draft, { command, rooms: [trader.room], deed: { kind: 'trade', index } }, [obtain(draft, trader.wants)]);
}

function findItem(draft: Draft, item: number): number {
  const { world, seat, needs, ready } = draft;
  const command = `take ${world.items[item]}`;
  const deed = { kind: 'take', index: item } as const;
  if (seat === 0 && world.tube?.item === item) {
    reach(draft, world.tube.to);
    return add(draft, { command, rooms: [world.tube.to], ready, deed });
  }
  const place = world.places[item];
  if (place < inContainer) {
    reach(draft, place);
    return add(draft, { command, rooms: [place], deed });
  }
  const { name, room } = world.containers[place - inContainer];
  reach(draft, room);
  const open = `open ${name}`;
  const opened = needs.findIndex((need) => need.command === open);
  return add(draft, { command: `${command} from ${name}`, rooms: [room], deed }, [
    opened >= 0 ? opened : add(draft, { command: open, rooms: [room] }),
  ]);
}

/** Returns, for each room, the doors on every way to it, as bits. */
function locksFrom(world: QuestWorld, start: number): readonly number[] {
  const locks = world.rooms.map(() => 0);
  const visited = new Set([start]);
  for (const room of visited)
    for (const next of world.exits[room]) {
      if (next < 0 || visited.has(next)) continue;
      visited.add(next);
      const door = doorBetween(world, room, next);
      locks[next] = locks[room] | (door < 0 ? 0 : 1 << door);
    }
  return locks;
}
