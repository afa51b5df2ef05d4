/**
 * @file Implements the commands of a quest world: pure functions from a situation and a command line to the next situation and a sentence.
 */

import { type Deed, heldBy, inContainer, nowhere } from './generate.ts';
import { directions } from './names.ts';
import type { Actor, QuestSituation } from './view.ts';
import { containerHere, describe, isOpen, itemsAt, lockBetween, plain, traderText, withinReach } from './view.ts';

export interface CommandResult {
  readonly situation: QuestSituation;
  readonly text: string;
  readonly deed?: Deed;
  /** The line is not a known command. */
  readonly unknown?: boolean;
}

const grammar =
  'go DIRECTION, look, inventory, take THING, take THING from CONTAINER, drop THING, open CONTAINER, unlock DOOR with KEY, craft THING, give THING to SOMEONE, examine THING';

export const commandHelp = `Commands: ${grammar}.`;

/** Runs one command. A valid but impossible command changes nothing and explains why. */
export function obey(actor: Actor, line: string): CommandResult {
  const space = line.indexOf(' ');
  const verb = space < 0 ? line : line.slice(0, space);
  const rest = space < 0 ? '' : line.slice(space + 1);
  const deed = Object.hasOwn(verbs, verb) ? verbs[verb as keyof typeof verbs] : undefined;
  if (deed === undefined) return { ...nothing(actor, `I do not know how to "${verb.slice(0, 40)}". ${commandHelp}`), unknown: true };
  return deed(actor, rest);
}

const verbs: Readonly<Record<string, (actor: Actor, rest: string) => CommandResult>> = {
  go,
  look: (actor) => nothing(actor, describe(actor)),
  inventory: (actor) => nothing(actor, carrying(actor)),
  take,
  drop,
  open,
  unlock,
  craft,
  give,
  examine,
};

function go(actor: Actor, rest: string): CommandResult {
  const { world, situation, seat } = actor;
  const direction = directions.indexOf(rest as (typeof directions)[number]);
  if (direction < 0) return nothing(actor, `There is no way "${rest.slice(0, 40)}"; ways are ${directions.join(', ')}.`);
  const here = situation.at[seat];
  const room = world.exits[here]?.[direction] as number;
  if (room < 0) return nothing(actor, `There is no way ${rest} from here.`);
  const door = lockBetween(actor, here, room);
  if (door >= 0) return nothing(actor, `The ${world.doors[door]?.name} is locked.`);
  const at = situation.at.slice();
  at[seat] = room;
  const next = { ...situation, at };
  return { situation: next, text: describe({ world, situation: next, seat }) };
}

function take(actor: Actor, rest: string): CommandResult {
  const { world, situation, seat } = actor;
  const [name, from] = split(rest, ' from ');
  const item = find(world.items, name);
  const place = item < 0 ? nowhere : situation.places[item];
  if (from !== undefined) {
    const container = containerHere(actor, from);
    if (container < 0) return nothing(actor, `There is no ${plain(from)} here.`);
    if (!isOpen(actor, container)) return nothing(actor, `The ${world.containers[container]?.name} is closed.`);
    if (item < 0 || place !== inContainer + container)
      return nothing(actor, `There is no ${plain(name)} in the ${world.containers[container]?.name}.`);
  } else if (item < 0 || !withinReach(actor, place)) {
    return nothing(actor, place === heldBy + seat ? `You already have the ${name}.` : `There is no ${plain(name)} here to take.`);
  }
  return {
    situation: moveItem(situation, item, heldBy + seat),
    text: `You take the ${world.items[item]}.`,
    deed: { kind: 'take', index: item },
  };
}

function drop(actor: Actor, rest: string): CommandResult {
  const item = holding(actor, rest);
  if (item < 0) return nothing(actor, `You have no ${plain(rest)}.`);
  const { world, situation, seat } = actor;
  return { situation: moveItem(situation, item, situation.at[seat]), text: `You drop the ${world.items[item]}.` };
}

function open(actor: Actor, rest: string): CommandResult {
  const { world, situation } = actor;
  const container = containerHere(actor, rest);
  if (container < 0) return nothing(actor, `There is no ${plain(rest)} here to open.`);
  const name = world.containers[container]?.name;
  if (isOpen(actor, container)) return nothing(actor, `The ${name} is open already.`);
  const next = { ...situation, opened: situation.opened | (1 << container) };
  const inside = itemsAt(world, next, inContainer + container);
  return { situation: next, text: `You open the ${name}. ${inside.length === 0 ? 'It is empty.' : `Inside: ${inside.join(', ')}.`}` };
}

function unlock(actor: Actor, rest: string): CommandResult {
  const { world, situation, seat } = actor;
  const [name, withKey] = split(rest, ' with ');
  const door = world.doors.findIndex((door) => door.name === plain(name) && door.sides.includes(situation.at[seat]));
  if (door < 0) return nothing(actor, `There is no ${plain(name)} here.`);
  if ((situation.unlocked & (1 << door)) !== 0) return nothing(actor, `The ${plain(name)} is unlocked already.`);
  if (withKey === undefined) return nothing(actor, `Say what to unlock the ${plain(name)} with.`);
  const key = holding(actor, withKey);
  if (key < 0) return nothing(actor, `You have no ${plain(withKey)}.`);
  if (key !== world.doors[door]?.key) return nothing(actor, `The ${plain(withKey)} does not fit.`);
  const next = { ...situation, unlocked: situation.unlocked | (1 << door) };
  return { situation: next, text: `You unlock the ${plain(name)}.`, deed: { kind: 'unlock', index: door } };
}

function craft(actor: Actor, rest: string): CommandResult {
  const { world, situation, seat } = actor;
  const item = find(world.items, rest);
  // In cooperative play, only the maker has the recipes.
  const recipe = seat === 0 ? world.recipes.find((recipe) => recipe.makes === item) : undefined;
  if (recipe === undefined) return nothing(actor, `You do not know how to craft ${plain(rest)}.`);
  const missing = recipe.parts.filter((part) => situation.places[part] !== heldBy + seat);
  if (missing.length > 0) return nothing(actor, `For that you still need: ${missing.map((part) => world.items[part]).join(', ')}.`);
  const places = situation.places.slice();
  for (const part of recipe.parts) places[part] = nowhere;
  places[item] = heldBy + seat;
  return { situation: { ...situation, places }, text: `You craft the ${world.items[item]}.`, deed: { kind: 'craft', index: item } };
}

function give(actor: Actor, rest: string): CommandResult {
  const { world, situation, seat } = actor;
  const [name, to] = split(rest, ' to ');
  const item = holding(actor, name);
  if (item < 0) return nothing(actor, `You have no ${plain(name)}.`);
  const here = situation.at[seat];
  const who = plain(to ?? '');
  if (who === 'tube' && world.tube?.from === here) {
    const deed = { kind: 'send', index: item } as const;
    return { situation: moveItem(situation, item, world.tube.to), text: `The tube swallows the ${world.items[item]} with a hiss.`, deed };
  }
  const index = world.traders.findIndex((trader) => trader.name === who && trader.room === here);
  const trader = world.traders[index];
  if (trader === undefined) return nothing(actor, `There is nobody called "${who.slice(0, 40)}" here.`);
  if (trader.wants !== item) return nothing(actor, `${trader.name} does not want the ${world.items[item]}.`);
  const places = situation.places.slice();
  places[item] = nowhere;
  places[trader.gives] = heldBy + seat;
  const text = `${trader.name} takes the ${world.items[item]} and gives you the ${world.items[trader.gives]}.`;
  return { situation: { ...situation, places }, text, deed: { kind: 'trade', index } };
}

function examine(actor: Actor, rest: string): CommandResult {
  const { world, situation, seat } = actor;
  const name = plain(rest);
  const container = containerHere(actor, name);
  if (container >= 0) {
    const inside = isOpen(actor, container) ? itemsAt(world, situation, inContainer + container) : null;
    const state = inside === null ? 'closed' : inside.length === 0 ? 'open and empty' : `open and holds: ${inside.join(', ')}`;
    return nothing(actor, `The ${name} is ${state}.`);
  }
  const trader = world.traders.find((trader) => trader.name === name && trader.room === situation.at[seat]);
  if (trader !== undefined) return nothing(actor, traderText(world, trader));
  const item = find(world.items, name);
  const place = item < 0 ? nowhere : situation.places[item];
  if (place !== heldBy + seat && !withinReach(actor, place)) return nothing(actor, `There is no ${name} here.`);
  return nothing(actor, name.endsWith(' key') ? `The ${name} fits the ${name.slice(0, -4)} door.` : `An ordinary ${name}.`);
}

function carrying({ world, situation, seat }: Actor): string {
  const items = itemsAt(world, situation, heldBy + seat);
  return items.length === 0 ? 'You carry nothing.' : `You carry: ${items.join(', ')}.`;
}

function holding({ world, situation, seat }: Actor, name: string): number {
  const item = find(world.items, name);
  return item >= 0 && situation.places[item] === heldBy + seat ? item : -1;
}

function find(names: readonly string[], name: string): number {
  const exact = names.indexOf(name);
  return exact >= 0 ? exact : names.indexOf(plain(name));
}

function split(rest: string, word: string): [string, string?] {
  const at = rest.indexOf(word);
  return at < 0 ? [rest] : [rest.slice(0, at), rest.slice(at + word.length)];
}

function moveItem(situation: QuestSituation, item: number, place: number): QuestSituation {
  const places = situation.places.slice();
  places[item] = place;
  return { ...situation, places };
}

function nothing({ situation }: Actor, text: string): CommandResult {
  return { situation, text };
}
