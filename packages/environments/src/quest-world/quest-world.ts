/** @file Quest world: a procedural text adventure, for one seat or for two that share a radio. Every world can be won; the shortest plan is known. */

import type { Action, Ask, Environment, Json, Message, ParsedMove, Rng, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { parseBracketed, readTask } from '@ludus-agents/kernel/internal/core/index';
import { talkOf } from '../together.ts';
import { commandHelp, obey } from './commands.ts';
import { type Deed, generate, heldBy, parameters, type QuestTask, type QuestWorld } from './generate.ts';
import { directions } from './names.ts';
import { bfs, explorer, random } from './scripts.ts';
import { type QuestSolution, solve } from './solve.ts';
import { type Actor, describe, type GoalData, type QuestSituation, type Sight, sensible, sightOf } from './view.ts';

/** `done` has a bit for each subgoal that was reached; `heard` is the latest radio message for each seat. */
export type QuestState = QuestSituation & {
  readonly world: QuestWorld;
  readonly subgoals: readonly Deed[];
  readonly optimum: number;
  readonly done: number;
  readonly steps: number;
  readonly heard: readonly string[];
};

const alone: readonly Seat[] = ['seeker'];
const combined: readonly Seat[] = ['maker', 'finder'];

const stepCost = 0.01;
const subgoalReward = 0.1;

export const questWorld: Environment<QuestState, QuestTask> = {
  id: 'quest-world@1',
  about: {
    summary:
      'A text adventure generated from the seed, with rooms, locked doors, containers, crafting, and trading; it can always be won. Only the current room is visible. The goal pays 1, each first subgoal 0.1, and each step costs 0.01; the limit is four times the shortest plan plus ten steps. In the cooperative variant, two seats in separate wings talk by radio, and one must send the other a part.',
    tasks: [
      {},
      { coop: true },
      { rooms: 3, loops: 0, doors: 0, containers: 0, depth: 0, traders: 0, clutter: 0, goal: 'carry' },
      { rooms: 12, loops: 3, doors: 3, containers: 4, depth: 3, traders: 2, clutter: 4 },
    ],
    // The hardest task has at most 25 needs, each at most 11 rooms from the previous one.
    turns: 4 * 25 * 12 + 10,
    words: [...directions, 'go', 'look', 'inventory', 'take', 'drop', 'open', 'unlock', 'craft', 'give', 'examine'],
  },
  parameters,
  task: (input) => readTask('quest-world', parameters, input),
  seats: ({ coop }) => (coop ? combined : alone),

  start(task, rng: Rng) {
    const world = generate(task, rng);
    return startQuest(world, solve(world));
  },

  step(state, actions) {
    const seats = seatsOf(state.world);
    const texts: string[] = [];
    const heardTexts = seats.map(() => '');
    const penalties: Record<Seat, number> = {};
    let next = state;
    seats.forEach((seat, i) => {
      const action = actions[seat];
      const read = commandOf(action);
      if (!read.ok) {
        penalties[seat] = 1;
        texts.push(read.problem);
        return;
      }
      const outcome = obey(actorOf(next, i), read.move);
      if (outcome.unknown) penalties[seat] = 1;
      texts.push(outcome.text);
      const done = next.done | (outcome.deed === undefined ? 0 : bitOf(state.subgoals, outcome.deed));
      if (outcome.situation !== next || done !== next.done) next = { ...next, ...outcome.situation, done };
      if (seats.length > 1) heardTexts[1 - i] = radioOf(action);
    });
    next = { ...next, steps: state.steps + 1, heard: heardTexts };
    const won = isGoalReached(next);
    const messages = texts.map((text, i) => viewMessage(next, i, { text }));
    if (seats.length > 1)
      heardTexts.forEach((text, i) => {
        if (text !== '') messages.push({ to: [seats[i]], from: seats[1 - i], text });
      });
    const over = won || next.steps >= capOf(next);
    if (over) messages.push({ to: seats, text: won ? 'The goal is reached.' : 'The time is up.' });
    const reward = (won ? 1 : 0) - stepCost + subgoalReward * (count(next.done) - count(state.done));
    const rewards: Record<Seat, number> = {};
    for (const seat of seats) rewards[seat] = reward;
    const result: Step<QuestState> = { state: next, messages, asks: over ? [] : asksOf(next), rewards };
    return Object.keys(penalties).length === 0 ? result : { ...result, penalties };
  },

  knows(state, seat) {
    const i = seatsOf(state.world).indexOf(seat);
    const { steps, done } = state;
    return {
      sight: sightOf(actorOf(state, i)),
      goal: goalData(state.world, seat),
      heard: state.heard[i],
      cap: capOf(state),
      steps,
      done: count(done),
      won: isGoalReached(state),
    };
  },

  // The generator makes only winnable worlds.
  winnable: () => true,

  scripts: { bfs, explorer, random, finder: bfs, maker: bfs },
};

/** Returns the first step of a world with the given shortest plan length. */
export function startQuest(world: QuestWorld, { length, subgoals }: Pick<QuestSolution, 'length' | 'subgoals'>): Step<QuestState> {
  const seats = seatsOf(world);
  const state: QuestState = {
    world,
    subgoals,
    optimum: length,
    at: world.starts,
    places: world.places,
    opened: 0,
    unlocked: 0,
    done: 0,
    steps: 0,
    heard: seats.map(() => ''),
  };
  const messages = seats.map((seat, i) =>
    viewMessage(state, i, { text: `${briefing(state, seat)}\n${describe(actorOf(state, i))}`, goal: goalData(world, seat) }),
  );
  return { state, messages, asks: asksOf(state) };
}

function goalData({ items, rooms, recipes, goal, tube }: QuestWorld, seat: Seat): GoalData | null {
  if (seat === 'finder') return null;
  return {
    item: items[goal.item],
    room: goal.room < 0 ? null : rooms[goal.room],
    recipes: recipes.map(({ makes, parts }) => ({ makes: items[makes], parts: parts.map((part) => items[part]) })),
    sent: tube === null ? null : items[tube.item],
  };
}

function briefing(state: QuestState, seat: Seat): string {
  const goal = goalData(state.world, seat);
  const lines: string[] = [];
  if (goal === null) {
    lines.push(
      'You are the finder. In another wing the maker works towards a goal, and needs one thing from yours: ask by radio which.',
      'Somewhere in your wing is a tube. Give the thing to the tube, and it reaches the maker.',
    );
  } else {
    if (goal.sent !== null)
      lines.push(`You are the maker. The ${goal.sent} is in another wing; ask the finder by radio to send it to you through the tube.`);
    lines.push(`Goal: ${goal.room === null ? `craft the ${goal.item}` : `be in the ${goal.room} with the ${goal.item}`}.`);
    for (const { makes, parts } of goal.recipes) lines.push(`You can craft a ${makes} from: ${parts.join(', ')}.`);
  }
  const talk = seat === 'seeker' ? '' : ' Words outside the brackets go over the radio.';
  lines.push(`${commandHelp} Answer with exactly one command, alone or in square brackets.${talk}`);
  lines.push(
    `You have ${capOf(state)} steps, and each costs ${stepCost}. The goal pays 1, and each deed that leads to it (a door unlocked, a thing traded, crafted or sent, the goal's own thing in hand) ${subgoalReward}, once.`,
    'The way back is always in the opposite direction.',
  );
  return lines.join('\n');
}

/** Returns the command of an answer: the content of its brackets, or the whole text. */
function commandOf(action: Action): ParsedMove<string> {
  if (action.text.includes('[')) {
    const read = parseBracketed(action);
    return read.ok ? { ok: true, move: read.move.toLowerCase() } : read;
  }
  const text = action.text.trim();
  if (text === '') return { ok: false, problem: `Your answer is empty. ${commandHelp}` };
  if (text.includes('\n'))
    return { ok: false, problem: 'Your answer has more than one line. Give exactly one command, or put it in square brackets.' };
  return { ok: true, move: text.replace(/\s+/g, ' ').toLowerCase() };
}

/** Returns the text outside the brackets. */
function radioOf({ text }: Action): string {
  const open = text.indexOf('[');
  return open < 0 ? '' : talkOf(text.slice(0, open) + text.slice(text.indexOf(']', open) + 1));
}

function viewMessage(state: QuestState, i: number, { text, goal }: { readonly text: string; readonly goal?: GoalData | null }): Message {
  const visible: Sight = sightOf(actorOf(state, i));
  const data: Json = goal === undefined ? { sight: visible } : { sight: visible, goal };
  return { to: [seatsOf(state.world)[i]], text, data };
}

function asksOf(state: QuestState): readonly Ask[] {
  const seats = seatsOf(state.world);
  if (seats.length === 1) return [{ seat: seats[0], choices: sensible(actorOf(state, 0)) }];
  // Waiting for the other seat is a choice too.
  return seats.map((seat, i) => ({ seat, choices: [...sensible(actorOf(state, i)), 'look'] }));
}

function seatsOf({ tube }: QuestWorld): readonly Seat[] {
  return tube === null ? alone : combined;
}

function actorOf(state: QuestState, seat: number): Actor {
  return { world: state.world, situation: state, seat };
}

function isGoalReached({ world: { goal }, places, at }: QuestState): boolean {
  return places[goal.item] === heldBy && (goal.room < 0 || at[0] === goal.room);
}

function capOf(state: QuestState): number {
  return 4 * state.optimum + 10;
}

function bitOf(subgoals: readonly Deed[], deed: Deed): number {
  const index = subgoals.findIndex((subgoal) => subgoal.kind === deed.kind && subgoal.index === deed.index);
  return index < 0 ? 0 : 1 << index;
}

function count(bits: number): number {
  let left = bits;
  let ones = 0;
  while (left !== 0) {
    left &= left - 1;
    ones++;
  }
  return ones;
}
