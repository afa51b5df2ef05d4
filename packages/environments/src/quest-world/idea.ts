/**
 * @file A quest from a written idea: parses plain sentences into a world, and accepts it only if a search finds a way to win.
 *
 * The search runs the game's own commands, so its proof applies to players. It never drops items and takes only items that may lead to the
 * goal. Carrying is unlimited, so extra items never help.
 */

import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { obey } from './commands.ts';
import { type Deed, heldBy, inContainer, nowhere, type QuestDoor, type QuestRecipe, type QuestWorld, type Trader } from './generate.ts';
import { directions } from './names.ts';
import { type QuestSituation, sensible } from './view.ts';

/** The forms of sentences that an idea may contain. */
export const ideaForms = [
  'The KITCHEN is NORTH of the HALL. (or east, south, west)',
  'A RED door is between the HALL and the KITCHEN. (it is locked; the RED key opens it)',
  'A CUPBOARD stands in the KITCHEN.',
  'The KETTLE is in the CUPBOARD. (a thing, in a container or a room)',
  'The TEA is made from the KETTLE and the LEAVES.',
  'MARA is in the HALL and gives the LEAVES for the COIN.',
  'You begin in the HALL.',
  'Bring the TEA to the HALL. (the goal; or: Make the TEA.)',
] as const;

const most = { rooms: 20, things: 24, doors: 8, containers: 8 } as const;

/** The definitions parsed so far, by name. */
interface Draft {
  readonly rooms: string[];
  readonly exits: number[][];
  readonly doors: { readonly name: string; readonly sides: readonly [string, string] }[];
  readonly containers: { readonly name: string; readonly room: string }[];
  readonly things: Map<string, string>;
  readonly recipes: { readonly makes: string; readonly parts: readonly string[] }[];
  readonly traders: { readonly name: string; readonly room: string; readonly wants: string; readonly gives: string }[];
  start: string | null;
  goal: { readonly item: string; readonly room: string | null } | null;
}

const bare = (name: string) => name.trim().replace(/^(?:the|an?) /, '');

function roomIn({ rooms, exits }: Draft, name: string): number {
  const index = rooms.indexOf(name);
  if (index >= 0) return index;
  exits.push([-1, -1, -1, -1]);
  return rooms.push(name) - 1;
}

type Reader = (draft: Draft, ...words: readonly string[]) => string | null;

/** Sentence forms with their readers. A reader returns an error message if the sentence is wrong. */
const readers: readonly (readonly [RegExp, Reader])[] = [
  [
    linear(/^(.+) is (north|east|south|west) of (.+)$/),
    (draft, room, direction, from) => {
      const [a, b] = [roomIn(draft, bare(from)), roomIn(draft, bare(room))];
      const way = directions.indexOf(direction as 'north');
      const [there, back] = [draft.exits[a], draft.exits[b]];
      if (a === b || there[way] !== -1 || back[(way + 2) % 4] !== -1) return 'another room is there already';
      there[way] = b;
      back[(way + 2) % 4] = a;
      return null;
    },
  ],
  [
    linear(/^an? (.+) door is between (.+) and (.+)$/),
    (draft, colour, a, b) => {
      draft.doors.push({ name: colour, sides: [bare(a), bare(b)] });
      return null;
    },
  ],
  [
    linear(/^(.+) stands in (.+)$/),
    (draft, name, room) => {
      draft.containers.push({ name: bare(name), room: bare(room) });
      return null;
    },
  ],
  [
    linear(/^(.+) is in (.+) and gives (.+) for (.+)$/),
    (draft, name, room, gives, wants) => {
      draft.traders.push({ name: bare(name), room: bare(room), gives: bare(gives), wants: bare(wants) });
      return null;
    },
  ],
  [
    linear(/^(.+) is made from (.+)$/),
    (draft, makes, parts) => {
      draft.recipes.push({ makes: bare(makes), parts: parts.split(/,? and |, /).map(bare) });
      return null;
    },
  ],
  [
    linear(/^(.+) is in (.+)$/),
    (draft, object, place) => {
      if (draft.things.has(bare(object))) return 'it is somewhere else already';
      draft.things.set(bare(object), bare(place));
      return null;
    },
  ],
  [
    /^you begin in (.+)$/,
    (draft, room) => {
      draft.start = bare(room);
      return null;
    },
  ],
  [linear(/^bring (.+) to (.+)$/), (draft, item, room) => setGoal(draft, bare(item), bare(room))],
  [/^make (.+)$/, (draft, item) => setGoal(draft, bare(item), null)],
];

function setGoal(draft: Draft, item: string, room: string | null): string | null {
  if (draft.goal !== null) return 'there is a goal already';
  draft.goal = { item, room };
  return null;
}

/** Parses an idea into a world. Throws a fault that names the sentence that does not fit. */
export function readIdea(text: string): QuestWorld {
  const draft: Draft = {
    ...{ rooms: [], exits: [], doors: [], containers: [], recipes: [], traders: [] },
    ...{ things: new Map(), start: null, goal: null },
  };
  const sentences = text
    .replaceAll(/^#.*$/gm, '')
    .split(/[.\n]/)
    .map((item) => item.trim().toLowerCase().replaceAll(/\s+/g, ' '))
    .filter((item) => item !== '');
  for (const sentence of sentences) {
    const reader = readers.find(([form]) => form.test(sentence));
    if (reader === undefined || /[^\p{L}\p{N} ,'’-]/u.test(sentence))
      throw new Fault(
        'input',
        `"${sentence.slice(0, 120)}" is not a sentence of a quest idea. Use sentences such as: ${ideaForms.join(' ')}`,
      );
    const problem = reader[1](draft, ...reader[0].exec(sentence)!.slice(1));
    if (problem !== null) throw new Fault('input', `"${sentence.slice(0, 120)}" does not fit: ${problem}.`);
  }
  return furnish(draft);
}

function refuse(what: string): never {
  throw new Fault('input', `An idea must ${what}.`);
}

/** Resolves names to indexes. Every name must be defined. */
function furnish(draft: Draft): QuestWorld {
  const { rooms, exits, doors, containers, things, recipes, traders, goal } = draft;
  if (goal === null) refuse('name a goal, such as "Bring the tea to the hall." or "Make the tea."');
  if (rooms.length === 0) refuse('have at least two rooms, such as "The kitchen is north of the hall."');
  const room = (name: string) =>
    rooms.includes(name) ? rooms.indexOf(name) : refuse(`say where the ${name} is, before using it as a room`);
  const results = [...recipes.map(({ makes }) => makes), ...traders.map(({ gives }) => gives)];
  const items = [...new Set([...things.keys(), ...results])];
  const item = (name: string) => (items.includes(name) ? items.indexOf(name) : refuse(`say where the ${name} is, or what it is made from`));
  const names = [...items, ...containers.map(({ name }) => name), ...traders.map(({ name }) => name)];
  const twice =
    names.find((name, i) => names.indexOf(name) !== i) ?? results.find((name, i) => results.indexOf(name) !== i || things.has(name));
  if (twice !== undefined) refuse(`have one ${twice}, from one place`);
  for (const name of names) if (/\b(?:from|with|to)\b/.test(name)) refuse(`call "${name}" something without the words from, with and to`);
  const counts = { rooms: rooms.length, things: items.length, doors: doors.length, containers: containers.length };
  for (const [what, limit] of Object.entries(most))
    if (counts[what as keyof typeof most] > limit) refuse(`have at most ${limit} ${what}, but it has ${counts[what as keyof typeof most]}`);
  const placeOf = (name: string) => {
    const where = things.get(name);
    if (where === undefined) return nowhere;
    const container = containers.findIndex((container) => container.name === where);
    return container >= 0 ? inContainer + container : room(where);
  };
  const locked: readonly QuestDoor[] = doors.map(({ name, sides: [a, b] }) => {
    if (!exits[room(a)].includes(room(b))) refuse(`connect the ${a} and the ${b} before putting a door between them`);
    return { name: `${name} door`, key: item(`${name} key`), sides: [room(a), room(b)] };
  });
  const crafted: readonly QuestRecipe[] = recipes.map(({ makes, parts }) => ({ makes: item(makes), parts: parts.map(item) }));
  const trading: readonly Trader[] = traders.map(({ name, room: at, wants, gives }) => ({
    ...{ name, room: room(at), wants: item(wants), gives: item(gives) },
  }));
  return {
    ...{ rooms, exits, doors: locked, items, places: items.map(placeOf), recipes: crafted, traders: trading, tube: null },
    containers: containers.map(({ name, room: at }) => ({ name, room: room(at) })),
    starts: [draft.start === null ? 0 : room(draft.start)],
    goal: { item: item(goal.item), room: goal.room === null ? -1 : room(goal.room) },
  };
}

export interface Walkthrough {
  /** The commands of a shortest winning plan. */
  readonly commands: readonly string[];
  /** Rewarded steps on the way: unlocking doors, trading, crafting, and holding the goal's item. The goal itself is not included. */
  readonly subgoals: readonly Deed[];
}

interface Reached {
  readonly situation: QuestSituation;
  readonly from: Reached | null;
  readonly command: string;
  readonly deed: Deed | null;
}

const mostSituations = 200_000;

/**
 * Returns a test for commands that no winning plan needs: dropping an item, or obtaining an item that leads neither to the goal nor through
 * a door.
 */
function uselessCommands({ items, goal, doors, recipes, traders }: QuestWorld): (command: string) => boolean {
  const needed = new Set([goal.item, ...doors.map(({ key }) => key)]);
  for (const item of needed) {
    for (const { makes, parts } of recipes) if (makes === item) for (const part of parts) needed.add(part);
    for (const { gives, wants } of traders) if (gives === item) needed.add(wants);
  }
  const names = new Set([...needed].map((item) => items[item]));
  const gifts = new Set(traders.filter(({ gives }) => needed.has(gives)).map(({ name, wants }) => `give ${items[wants]} to ${name}`));
  return (command) => {
    if (command.startsWith('drop ')) return true;
    if (command.startsWith('give ')) return !gifts.has(command);
    const [, object] = linear(/^(?:take|craft) (.+?)(?: from .+)?$/).exec(command) ?? [];
    return object !== undefined && !names.has(object);
  };
}

/** Proves that a world can be won by finding a shortest plan. Throws a fault if there is none or the search takes too long. */
export function findWalkthrough(world: QuestWorld): Walkthrough {
  const { goal } = world;
  const start: QuestSituation = { at: world.starts, places: world.places, opened: 0, unlocked: 0 };
  const keyOf = ({ at, places, opened, unlocked }: QuestSituation) => `${at}|${places}|${opened}|${unlocked}`;
  const useless = uselessCommands(world);
  const visited = new Set([keyOf(start)]);
  const queue: Reached[] = [{ situation: start, from: null, command: '', deed: null }];
  for (const reached of queue) {
    const { situation } = reached;
    if (situation.places[goal.item] === heldBy && (goal.room < 0 || situation.at[0] === goal.room)) return walkOf(reached, world);
    const actor = { world, situation, seat: 0 };
    for (const command of sensible(actor)) {
      if (useless(command)) continue;
      const { situation: next, deed = null } = obey(actor, command);
      const key = keyOf(next);
      if (visited.has(key)) continue;
      visited.add(key);
      if (visited.size > mostSituations) refuse(`be small enough to search: it has more than ${mostSituations} states`);
      queue.push({ situation: next, from: reached, command, deed });
    }
  }
  throw new Fault(
    'input',
    `This quest cannot be won: none of its ${visited.size} reachable states has the ${world.items[goal.item]}${goal.room < 0 ? '' : ` in the ${world.rooms[goal.room]}`}.`,
  );
}

function walkOf(end: Reached, { goal }: QuestWorld): Walkthrough {
  const way: Reached[] = [];
  for (let at: Reached | null = end; at !== null; at = at.from) way.unshift(at);
  const subgoals = way.flatMap(({ deed }) => {
    if (deed === null || (deed.kind === 'take' && deed.index !== goal.item)) return [];
    return goal.room < 0 && deed.kind === 'craft' && deed.index === goal.item ? [] : [deed];
  });
  return { commands: way.slice(1).map(({ command }) => command), subgoals };
}
