/** @file Scripted players for quest worlds. They use only their own view: observations, commands, and messages. */

import type { Action, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { directions } from './names.ts';
import type { GoalData, Sight } from './view.ts';

/** Plays any sensible command. */
export const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? ['look']) });

/** Does everything that can be done, then takes the passage it has taken least often. */
export const explorer: Script = ({ ask, view }) => {
  const choices = ask.choices ?? [];
  const busy = choices.find((choice) => !/^(?:go|drop|look)\b/.test(choice));
  if (busy !== undefined) return { text: busy };
  const used = new Map<string, number>();
  let room = '';
  for (const item of view.seen) {
    if (item.kind === 'message') room = sightIn(item.data)?.room ?? room;
    else if (item.kind === 'action') used.set(`${room} ${item.action.text}`, (used.get(`${room} ${item.action.text}`) ?? 0) + 1);
  }
  const ways = choices.filter((choice) => choice.startsWith('go '));
  const often = (way: string) => used.get(`${room} ${way}`) ?? 0;
  return { text: ways.reduce((best, way) => (often(way) < often(best) ? way : best), ways[0] ?? 'look') };
};

/** The summary of a view: rooms as last seen, passages walked, and requests. */
interface Chart {
  here: string;
  holding: readonly string[];
  goal: GoalData | null;
  readonly rooms: Map<string, Sight>;
  readonly ways: Map<string, (string | undefined)[]>;
  /** What the partner requested by radio. */
  wanted: string | null;
  asked: boolean;
  readonly sent: Set<string>;
}

/** Maps what it sees, works out what it needs, and walks to the nearest place that is useful or unexplored. */
export const bfs: Script = (turn) => {
  const chart = chartOf(turn);
  const choices = turn.ask.choices ?? [];
  const needed = neededItems(chart);
  const deed = choices.find((choice) => useful(choice, chart, needed));
  const way =
    deed ?? wayTo(chart, true, (visible) => attractive(visible, chart, needed)) ?? wayTo(chart, false, (visible) => visible.tube === 'end');
  return speak(chart, way ?? 'look');
};

function speak(chart: Chart, command: string): Action {
  const message = chart.goal?.sent;
  return { text: message != null && !chart.asked ? `Please send the ${message}. [${command}]` : command };
}

function chartOf({ view }: Turn): Chart {
  const chart: Chart = {
    here: '',
    holding: [],
    goal: null,
    rooms: new Map(),
    ways: new Map(),
    wanted: null,
    asked: false,
    sent: new Set(),
  };
  let last = '';
  for (const item of view.seen) {
    if (item.kind === 'action') {
      chart.asked = true;
      last = item.action.text.replace(linear(/^.*\[|\].*$/g), '');
      const gift = /^give (.+) to tube$/.exec(last);
      if (gift !== null) chart.sent.add(gift[1]);
    } else if (item.kind === 'message') {
      const request = item.from === undefined ? null : /send the ([a-z ]+)/.exec(item.text);
      if (request !== null) chart.wanted = request[1];
      const goal = (item.data as { goal?: GoalData | null } | undefined)?.goal;
      if (goal !== undefined) chart.goal = goal;
      const visible = sightIn(item.data);
      if (visible !== undefined) note(chart, visible, last);
    }
  }
  return chart;
}

function note(chart: Chart, visible: Sight, command: string): void {
  if (!chart.ways.has(visible.room)) chart.ways.set(visible.room, []);
  const direction = directions.indexOf(command.slice(3) as (typeof directions)[number]);
  if (command.startsWith('go ') && direction >= 0 && chart.here !== '' && chart.here !== visible.room) {
    (chart.ways.get(chart.here) as (string | undefined)[])[direction] = visible.room;
    (chart.ways.get(visible.room) as (string | undefined)[])[(direction + 2) % 4] = chart.here;
  }
  chart.here = visible.room;
  chart.holding = visible.holding;
  chart.rooms.set(visible.room, visible);
}

function sightIn(data: unknown): Sight | undefined {
  return (data as { sight?: Sight } | undefined)?.sight;
}

/** Returns the items worth having: the goal, missing parts of crafted items, what known traders want for them, and keys of known doors. */
function neededItems({ goal, rooms, wanted, sent, holding }: Chart): ReadonlySet<string> {
  const needed = new Set<string>();
  if (goal !== null) needed.add(goal.item);
  if (wanted !== null && !sent.has(wanted)) needed.add(wanted);
  for (const object of needed) {
    if (holding.includes(object)) continue;
    for (const { makes, parts } of goal?.recipes ?? []) if (makes === object) for (const part of parts) needed.add(part);
    for (const visible of rooms.values()) for (const { wants, gives } of visible.traders) if (gives === object) needed.add(wants);
  }
  for (const visible of rooms.values()) for (const door of visible.exits) if (door) needed.add(`${door.slice(0, -5)} key`);
  return needed;
}

function useful(choice: string, chart: Chart, needed: ReadonlySet<string>): boolean {
  if (/^(?:craft|unlock|open) /.test(choice)) return true;
  const gift = linear(/^give (.+) to (.+)$/).exec(choice);
  if (gift !== null) return gift[2] === 'tube' ? gift[1] === chart.wanted : needed.has(gift[1]);
  const prize = linear(/^take (.+?)(?: from .+)?$/).exec(choice);
  return prize !== null && needed.has(prize[1]);
}

/** Returns the first step of the shortest known way to a wanted room or, if `curious`, to an unexplored passage. */
function wayTo(chart: Chart, curious: boolean, wanted: (visible: Sight) => boolean): string | null {
  const first = new Map<string, string>([[chart.here, '']]);
  for (const [room, step] of first) {
    const visibleRoom = chart.rooms.get(room) as Sight;
    if (step !== '' && wanted(visibleRoom)) return step;
    for (let direction = 0; direction < 4; direction++) {
      if (visibleRoom.exits[direction] !== '') continue;
      const way = step === '' ? `go ${directions[direction]}` : step;
      const next = chart.ways.get(room)?.[direction];
      if (next === undefined && curious) return way;
      if (next !== undefined && !first.has(next)) first.set(next, way);
    }
  }
  return null;
}

function attractive(visible: Sight, { holding, goal, wanted }: Chart, needed: ReadonlySet<string>): boolean {
  if (goal !== null && visible.room === goal.room && holding.includes(goal.item)) return true;
  if (visible.tube === 'mouth' && wanted !== null && holding.includes(wanted)) return true;
  if (visible.items.some((item) => needed.has(item))) return true;
  for (const inside of Object.values(visible.containers)) if (inside === null || inside.some((item) => needed.has(item))) return true;
  if (visible.exits.some((door) => door && holding.includes(`${door.slice(0, -5)} key`))) return true;
  return visible.traders.some(({ wants, gives }) => holding.includes(wants) && needed.has(gives));
}
