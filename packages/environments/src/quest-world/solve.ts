/**
 * @file Exact shortest plans for quest worlds.
 *
 * A need that can be met here and now is met immediately, without loss of optimality: it must be met at some point, always takes one step,
 * and blocks nothing else. So the breadth-first search branches only over walking, and solves a world in well under a millisecond.
 */

import { errandOf, type QuestErrand } from './errand.ts';
import { type Deed, doorBetween, type QuestWorld } from './generate.ts';
import { directions } from './names.ts';

export interface QuestSolution {
  /** One plan per seat, all of the same length. A seat that is done or must wait looks around. */
  readonly plans: readonly (readonly string[])[];
  /** The length of the shortest plan, in turns. */
  readonly length: number;
  /** Deeds on the way that are rewarded separately. They occur in every plan and exclude the goal itself. */
  readonly subgoals: readonly Deed[];
}

export function solve(world: QuestWorld): QuestSolution {
  if (world.tube === null) {
    const errand = errandOf(world, 0, 0);
    const plan = walk(world, errand);
    return { plans: [plan], length: plan.length, subgoals: subgoalsOf(world, [errand]) };
  }
  // The finder needs nothing from the maker, so the length of its shortest delivery is the earliest turn at which the maker can have the
  // part.
  const finding = errandOf(world, 1, 0);
  const delivery = walk(world, finding);
  const making = errandOf(world, 0, delivery.length);
  const plan = walk(world, making);
  const plans = [plan, [...delivery, ...idle(plan.length - delivery.length)]];
  return { plans, length: plan.length, subgoals: subgoalsOf(world, [making, finding]) };
}

function subgoalsOf({ goal }: QuestWorld, errands: readonly QuestErrand[]): readonly Deed[] {
  const deeds: Deed[] = [];
  for (const { needs } of errands)
    for (const { deed } of needs) {
      if (deed === null || (deed.kind === 'take' && deed.index !== goal.item)) continue;
      if (goal.room < 0 && deed.kind === 'craft' && deed.index === goal.item) continue;
      if (!deeds.some((item) => item.kind === deed.kind && item.index === deed.index)) deeds.push(deed);
    }
  return deeds;
}

/** A stop on the way. `done` has a bit for each need; `commands` are those since the previous stop. */
interface Stop {
  readonly room: number;
  readonly done: number;
  readonly cost: number;
  readonly from: Stop | null;
  readonly commands: readonly string[];
}

/** Returns the fewest commands that complete an errand. Costs are integers, so the queue is a list of lists. */
function walk(world: QuestWorld, errand: QuestErrand): readonly string[] {
  const all = 2 ** errand.needs.length - 1;
  const queue: Stop[][] = [];
  const put = (stop: Stop): void => {
    const settled = settle(errand, stop);
    let waiting = queue[settled.cost];
    if (waiting === undefined) queue[settled.cost] = waiting = [];
    waiting.push(settled);
  };
  const visited = new Set<number>();
  put({ room: errand.start, done: 0, cost: 0, from: null, commands: [] });
  for (let cost = 0; cost < queue.length; cost++)
    for (const stop of queue[cost] ?? []) {
      const { room, done } = stop;
      const mark = done * world.rooms.length + room;
      if (visited.has(mark)) continue;
      visited.add(mark);
      if (done === all && (errand.end < 0 || room === errand.end)) return traceMoves(stop);
      const exits = world.exits[room];
      for (let direction = 0; direction < 4; direction++) {
        const next = exits[direction];
        if (next >= 0 && isUnlocked(errand, done, doorBetween(world, room, next)))
          put({ room: next, done, cost: cost + 1, from: stop, commands: [goes[direction]] });
      }
      const wait = waitFor(errand, stop);
      if (wait > cost) put({ room, done, cost: wait, from: stop, commands: idle(wait - cost) });
    }
  throw new Error('The generated quest world has no solution. This is a bug in its generator.');
}

const goes = directions.map((direction) => `go ${direction}`);

function isUnlocked({ unlocks }: QuestErrand, done: number, door: number): boolean {
  if (door < 0) return true;
  const need = unlocks.get(door);
  return need !== undefined && (done & (1 << need)) !== 0;
}

/** Returns the turn at which a pending item arrives in this room, or 0. */
function waitFor({ needs }: QuestErrand, { room, done }: Stop): number {
  const awaited = needs.findIndex(({ ready, rooms }) => ready > 0 && rooms.includes(room));
  return awaited >= 0 && (done & (1 << awaited)) === 0 ? needs[awaited].ready : 0;
}

/** Meets all needs that can be met in this room. */
function settle({ needs }: QuestErrand, stop: Stop): Stop {
  const { room, from } = stop;
  let { done, cost } = stop;
  let commands = stop.commands;
  // Needs come after those they depend on. A second pass handles those that were not ready in the first.
  for (let before = -1; before !== done; ) {
    before = done;
    for (let i = 0; i < needs.length; i++) {
      const { rooms, after, ready, command } = needs[i];
      if ((done & (1 << i)) !== 0 || (after & ~done) !== 0 || ready > cost || (rooms.length > 0 && !rooms.includes(room))) continue;
      done |= 1 << i;
      cost++;
      commands = [...commands, command];
    }
  }
  return { room, done, cost, from, commands };
}

function traceMoves(stop: Stop): readonly string[] {
  const parts: (readonly string[])[] = [];
  for (let at: Stop | null = stop; at !== null; at = at.from) parts.push(at.commands);
  return parts.reverse().flat();
}

function idle(count: number): string[] {
  return Array.from({ length: count }, () => 'look');
}
