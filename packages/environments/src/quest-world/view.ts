/** @file What a seat of a quest world can see and do from its room. */

import { doorBetween, heldBy, inContainer, type QuestWorld } from './generate.ts';
import { directions } from './names.ts';

/** The changing part of a world. `opened` and `unlocked` have a bit for each container and door. */
export type QuestSituation = {
  readonly at: readonly number[];
  readonly places: readonly number[];
  readonly opened: number;
  readonly unlocked: number;
};

/** What one seat can see from its room. */
export type Sight = {
  readonly room: string;
  /** For each direction: null for no passage, "" for an open one, or the name of the locked door. */
  readonly exits: readonly (string | null)[];
  readonly items: readonly string[];
  /** The content of each container here, or null while it is closed. */
  readonly containers: { readonly [name: string]: readonly string[] | null };
  readonly traders: readonly { readonly name: string; readonly wants: string; readonly gives: string }[];
  /** Items go into the mouth and come out at the end. */
  readonly tube: 'mouth' | 'end' | null;
  readonly holding: readonly string[];
};

/** What a seat knows besides what it sees. The maker and a single player know the goal; the finder knows only that there is one. */
export type GoalData = {
  readonly item: string;
  readonly room: string | null;
  readonly recipes: readonly { readonly makes: string; readonly parts: readonly string[] }[];
  readonly sent: string | null;
};

export interface Actor {
  readonly world: QuestWorld;
  readonly situation: QuestSituation;
  readonly seat: number;
}

/** Returns all commands that would change something now. */
export function sensible(actor: Actor): string[] {
  const { world, situation, seat } = actor;
  const { places } = situation;
  const here = situation.at[seat];
  const mine = heldBy + seat;
  const out: string[] = [];
  const exits = world.exits[here];
  for (let direction = 0; direction < 4; direction++) {
    const room = exits[direction];
    if (room < 0) continue;
    const door = lockBetween(actor, here, room);
    if (door < 0) out.push(goes[direction]);
    else {
      const { name, key } = world.doors[door];
      if (places[key] === mine) out.push(`unlock ${name} with ${world.items[key]}`);
    }
  }
  for (let i = 0; i < world.containers.length; i++) {
    const { name, room } = world.containers[i];
    if (room === here && !isOpen(actor, i)) out.push(`open ${name}`);
  }
  for (const { makes, parts } of world.recipes) if (parts.every((part) => places[part] === mine)) out.push(`craft ${world.items[makes]}`);
  for (const { name, room, wants } of world.traders)
    if (room === here && places[wants] === mine) out.push(`give ${world.items[wants]} to ${name}`);
  const tube = world.tube?.from === here;
  for (let item = 0; item < places.length; item++) {
    const place = places[item];
    if (place === mine) {
      out.push(`drop ${world.items[item]}`);
      if (tube) out.push(`give ${world.items[item]} to tube`);
    } else if (place === here) out.push(`take ${world.items[item]}`);
    else if (withinReach(actor, place)) out.push(`take ${world.items[item]} from ${world.containers[place - inContainer]?.name}`);
  }
  return out;
}

const goes = directions.map((direction) => `go ${direction}`);

export function sightOf(actor: Actor): Sight {
  const { world, situation, seat } = actor;
  const here = situation.at[seat];
  const containers: Record<string, readonly string[] | null> = {};
  for (let i = 0; i < world.containers.length; i++) {
    const { name, room } = world.containers[i];
    if (room === here) containers[name] = isOpen(actor, i) ? itemsAt(world, situation, inContainer + i) : null;
  }
  const traders: Sight['traders'][number][] = [];
  for (const { name, room, wants, gives } of world.traders)
    if (room === here) traders.push({ name, wants: world.items[wants], gives: world.items[gives] });
  const exits = world.exits[here].map((room) => {
    if (room < 0) return null;
    const door = lockBetween(actor, here, room);
    return door < 0 ? '' : world.doors[door].name;
  });
  const items = itemsAt(world, situation, here);
  const holds = itemsAt(world, situation, heldBy + seat);
  return {
    room: world.rooms[here],
    exits,
    items,
    containers,
    traders,
    tube: world.tube?.from === here ? 'mouth' : world.tube?.to === here ? 'end' : null,
    holding: holds,
  };
}

/** Returns the description of a seat's room, shown on entering or looking around. */
export function describe(actor: Actor): string {
  const visible = sightOf(actor);
  let exits = '';
  visible.exits.forEach((door, direction) => {
    if (door !== null) exits += `${exits === '' ? '' : ', '}${directions[direction]}${door === '' ? '' : ` (${door}, locked)`}`;
  });
  let text = `You are in the ${visible.room}. Exits: ${exits}.`;
  if (visible.items.length > 0) text += ` On the floor: ${visible.items.join(', ')}.`;
  for (const name in visible.containers) {
    const inside = visible.containers[name] as readonly string[] | null;
    text += ` A ${name}, ${inside === null ? 'closed' : inside.length === 0 ? 'open, empty' : `open, with: ${inside.join(', ')}`}.`;
  }
  for (const trader of actor.world.traders)
    if (trader.room === actor.situation.at[actor.seat]) text += ` ${traderText(actor.world, trader)}`;
  if (visible.tube === 'mouth') text += ' Here is the tube: what you give to it falls out in the other wing.';
  if (visible.tube === 'end') text += ' Here the tube from the other wing ends.';
  return text;
}

export function traderText(world: QuestWorld, { name, wants, gives }: QuestWorld['traders'][number]): string {
  return `${name} is here and trades: a ${world.items[wants]} for a ${world.items[gives]}.`;
}

export function itemsAt(world: QuestWorld, { places }: QuestSituation, place: number): string[] {
  const names: string[] = [];
  for (let i = 0; i < places.length; i++) if (places[i] === place) names.push(world.items[i]);
  return names;
}

export function lockBetween({ world, situation }: Actor, a: number, b: number): number {
  const door = doorBetween(world, a, b);
  return door >= 0 && (situation.unlocked & (1 << door)) === 0 ? door : -1;
}

export function isOpen({ situation }: Actor, container: number): boolean {
  return (situation.opened & (1 << container)) !== 0;
}

export function withinReach(actor: Actor, place: number): boolean {
  if (place < 0 || place >= heldBy) return false;
  const here = actor.situation.at[actor.seat];
  if (place < inContainer) return place === here;
  return actor.world.containers[place - inContainer]?.room === here && isOpen(actor, place - inContainer);
}

export function containerHere({ world, situation, seat }: Actor, name: string): number {
  return world.containers.findIndex((container) => container.name === plain(name) && container.room === situation.at[seat]);
}

/** Returns a name without its article. */
export function plain(name: string): string {
  return name.replace(/^(?:the|an?) /, '').slice(0, 60);
}
