/**
 * @file A real-time kitchen: cooks fill pots with onions, plate the soup, and serve it. Thinking costs ticks, and time passes for everyone.
 */

import type {
  Action,
  Ask,
  Json,
  Message,
  MoveOutcome,
  ParsedMove,
  Seat,
  TaskOf,
  TaskState,
} from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { gridDirections, gridMoves, rowsText, withCell, writeOnce } from '../grid.ts';
import { boardImage } from '../picture/board.ts';
import { type KitchenLayout, kitchenLayout, kitchens } from './layout.ts';
import { actFor, givingWay, orderNames } from './orders.ts';
import { scripts } from './scripts.ts';
import { firstScene, heldItems, interact as interactMove, isCooking, onionsIn, type Scene, stay, tick, ticksToGo } from './tick.ts';

const parameters = {
  kitchen: parameter.choice({
    options: ['cramped', 'asymmetric', 'ring', 'forced', 'circuit'],
    default: 'cramped',
    description: 'one of the five usual kitchens',
  }),
  layout: parameter.string({
    default: '',
    description: 'a custom kitchen, rows of X P O D S, space, 1, and optionally 2 joined by "/", instead of a standard one',
  }),
  moves: parameter.choice({
    options: ['steps', 'orders', 'both'],
    default: 'steps',
    description: 'a cook answers with single steps, with orders that take several ticks, or with either',
  }),
  horizon: parameter.integer({ min: 1, max: 2000, default: 400, description: 'maximum number of ticks' }),
  think: parameter.integer({ min: 0, max: 50, default: 0, description: 'ticks that pass before every answer is carried out' }),
  pace: parameter.integer({ min: 0, max: 10_000, default: 0, description: 'characters of an answer per additional tick; 0 for none' }),
  starting: parameter.choice({
    options: ['itself', 'cook'],
    default: 'itself',
    description: 'whether a pot of three onions starts cooking by itself, or a cook with empty hands must start it',
  }),
  counters: parameter.boolean({ default: true, description: 'whether things can be put down on counters' }),
  shaped: parameter.boolean({
    default: false,
    description: 'also reward a cook 3 for an onion in a pot, 3 for a needed dish, and 5 for taking out a soup',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** A cook's current activity: the move, the ticks of thinking before it, and the ticks since it began. */
type Plan = { readonly move: number; readonly wait: number; readonly since: number };

type State = TaskState<Service, Task>;
type Service = Scene & {
  readonly tick: number;
  readonly soups: number;
  /** By cook: the current plan (null while it waits to be asked), the ticks spent thinking, and how its last order ended. */
  readonly plans: readonly (Plan | null)[];
  readonly thought: readonly number[];
  readonly notes: readonly string[];
};

const seats: readonly Seat[] = ['cook 1', 'cook 2'];
const steps: readonly string[] = [...gridMoves, '[stay]', '[interact]'];
const waits = [2, 5, 10] as const;
const orders: readonly string[] = [...orderNames.map((name) => `[${name}]`), ...waits.map((ticks) => `[wait ${ticks}]`)];
const all: readonly string[] = [...steps, ...orders];
const choicesBy = { steps, orders, both: all } as const;
const asksFor = (choices: readonly string[]) => seats.map((seat): Ask => ({ seat, choices }));
/** Cached seat lists, indexed by the bits of the free cooks. */
const seatsFree = [0, 1, 2, 3].map((bits) => seats.filter((_, i) => (bits >> i) & 1));
const asksBy = { steps: asksFor(steps), orders: asksFor(orders), both: asksFor(all) } as const;
const byBits = (asks: readonly Ask[]) => [0, 1, 2, 3].map((bits) => asks.filter((_, i) => (bits >> i) & 1));
const asksFree = { steps: byBits(asksBy.steps), orders: byBits(asksBy.orders), both: byBits(asksBy.both) } as const;
/** An order that is not done after this many ticks is abandoned. */
const patience = 40;
const soupPays = 20;

const layoutOf = ({ layout, kitchen }: Task): KitchenLayout => kitchenLayout(layout === '' ? kitchens[kitchen] : layout);

export const kitchen = defineEnvironment({
  id: 'kitchen@1',
  about: {
    summary:
      'Two cooks in a small kitchen cook and serve onion soup together. They put three onions into a pot, wait 20 ticks, fill a dish, and serve it; each soup pays 20 to both. They act at the same time, by single steps or by orders that take several ticks. Thinking can cost ticks, during which the kitchen goes on. In the cramped room, the first soup takes at least 33 ticks, and 13 soups are served in 400 ticks without using counters.',
    tasks: [
      { horizon: 40 },
      { kitchen: 'forced', moves: 'orders', horizon: 60, starting: 'cook', think: 1 },
      { kitchen: 'ring', moves: 'both', horizon: 40, pace: 60, shaped: true },
      { layout: 'XPX/O1D/XSX', horizon: 30 },
    ],
    turns: 400 * 3,
    complete: true,
    words: [...gridDirections, 'stay', 'interact'],
  },
  parameters,
  task(task) {
    layoutOf(task);
    return task;
  },
  seats: (task) => seats.slice(0, layoutOf(task).starts.length),

  start(task) {
    const layout = layoutOf(task);
    const cooks = layout.starts;
    const state: Service = {
      ...firstScene(layout),
      ...{ tick: 0, soups: 0, plans: cooks.map(() => null), thought: cooks.map(() => 0), notes: cooks.map(() => '') },
    };
    const rules = cooks.map((_, i): Message => ({ to: [seats[i]], text: rulesFor(task, i), data: rulesData(task, i) }));
    return { state, messages: [...rules, sightMessage({ ...state, task }, layout, seats.slice(0, cooks.length))] };
  },

  turn: ({ task, plans }) => asksFree[task.moves][(plans[0] === null ? 1 : 0) | (plans[1] === null ? 2 : 0)],
  read: (action, { task }) => readMove(action, task),

  playTogether(state, moves) {
    const { plans } = state;
    const messages: Message[] = [];
    const begun = plans.map((plan, i): Plan => {
      if (plan !== null) return plan;
      const move = moves[seats[i]] ?? null;
      if (move === null) messages.push({ to: [seats[i]], text: forfeitText(seats[i]) });
      return move ?? { move: stay, wait: 0, since: 0 };
    });
    return cookOn(state, begun, messages);
  },

  knows(state, seat) {
    const i = seats.indexOf(seat);
    const { at, facing, hands, pots, items, tick: now, soups, plans, thought, notes } = state;
    const ownEntry = { plan: plans[i] ?? null, thought: thought[i], note: notes[i] };
    return { at, facing, hands, pots, items, tick: now, soups, ...ownEntry };
  },
  draw: (state) => boardImage(mapOf(state, layoutOf(state.task))),
  scripts,
});

/** Advances the kitchen until a cook must be asked or the time is over. */
function cookOn(state: State, begun: readonly Plan[], messages: Message[]): MoveOutcome<State> {
  const { task } = state;
  const layout = layoutOf(task);
  const rules = { selfStarting: task.starting === 'itself', counters: task.counters };
  const plans: (Plan | null)[] = [...begun];
  const notes = state.notes.map((note, i) => (state.plans[i] === null ? '' : note));
  const thought = [...state.thought];
  const earned = plans.map(() => 0);
  let scene: Scene = state;
  let { tick: now, soups } = state;
  do {
    const wanted: (number | null)[] = [];
    for (let i = 0; i < plans.length; i++) wanted.push(actOf(layout, scene, i, plans[i]!));
    const acts = plans.every((plan) => plan!.wait === 0 && plan!.move >= steps.length) ? givingWay(layout, scene, wanted) : wanted;
    const done = acts.includes(null) ? acts.map((act) => act ?? stay) : (acts as readonly number[]);
    const after = tick(layout, scene, done, rules);
    for (let i = 0; i < plans.length; i++) {
      const plan = plans[i]!;
      if (plan.wait > 0) {
        thought[i]++;
        plans[i] = { ...plan, wait: plan.wait - 1 };
        continue;
      }
      const ended = endOf(plan, acts[i], scene.hands[i] === after.scene.hands[i]);
      notes[i] = ended ?? '';
      plans[i] = ended === null ? { ...plan, since: plan.since + 1 } : null;
    }
    for (let i = 0; i < earned.length; i++) earned[i] += after.served * soupPays + (task.shaped ? after.shaped[i] : 0);
    scene = after.scene;
    soups += after.served;
    now++;
  } while (now < task.horizon && plans.every((plan) => plan !== null));
  const { at, facing, hands, pots, items } = scene;
  const next: State = { ...state, at, facing, hands, pots, items, tick: now, soups, plans, thought, notes };
  const over = now === task.horizon;
  let freeBits = 0;
  for (let i = 0; i < plans.length; i++) {
    if (plans[i] !== null && !over) continue;
    freeBits |= 1 << i;
    if (notes[i] !== '') messages.push({ to: [seats[i]], text: notes[i] });
  }
  messages.push(sightMessage(next, layout, seatsFree[freeBits]));
  const step = { state: next, messages, over };
  return earned.every((amount) => amount === 0)
    ? step
    : { ...step, rewards: Object.fromEntries(earned.map((amount, i) => [seats[i], amount])) };
}

/** Returns a cook's action in this tick, or null if its order cannot be carried out. */
function actOf(layout: KitchenLayout, scene: Scene, cook: number, { move, wait }: Plan): number | null {
  if (wait > 0) return stay;
  if (move < steps.length) return move;
  const order = orderNames[move - steps.length];
  return order === undefined ? stay : actFor(layout, scene, cook, order);
}

/** Returns how a move ended in this tick: a sentence, empty on success, or null while it continues. */
function endOf({ move, since }: Plan, act: number | null, sameHand: boolean): string | null {
  if (move < steps.length) return '';
  const order = move - steps.length;
  if (order >= orderNames.length) return since + 1 >= waits[order - orderNames.length] ? '' : null;
  if (orderNames[order] === 'step aside') return '';
  if (act === null) return `Your order ${orders[order]} cannot be carried out now.`;
  if (act === interactMove) return sameHand && orderNames[order] !== 'cook' ? `Your order ${orders[order]} came too late.` : '';
  return since + 1 >= patience ? `Your order ${orders[order]} was given up.` : null;
}

/** Parses a move and the ticks of thinking before it: the task's, plus those that the agent reports. */
function readMove(action: Action, task: Task): ParsedMove<Plan> {
  const read = choose(action, choicesBy[task.moves]);
  if (!read.ok) return read;
  const ticks = ticksIn(action.data);
  if (ticks === null) return { ok: false, problem: `"ticks" in the data of an answer is a whole number of 0 or more.` };
  const wait = task.think + (task.pace === 0 ? 0 : Math.floor(action.text.length / task.pace)) + ticks;
  return { ok: true, move: { move: all.indexOf(read.move), wait: Math.min(wait, task.horizon), since: 0 } };
}

function ticksIn(data: Json | undefined): number | null {
  if (data === undefined || data === null || typeof data !== 'object' || Array.isArray(data)) return 0;
  const { ticks = 0 } = data as { readonly ticks?: Json };
  return Number.isSafeInteger(ticks) && (ticks as number) >= 0 ? (ticks as number) : null;
}

function rulesData(task: Task, cook: number): Json {
  const { layout, kitchen: name, starting, counters } = task;
  return { own: cook, layout: layout === '' ? kitchens[name] : layout, starting, counters };
}

function rulesFor(task: Task, cook: number): string {
  const { starting, horizon, think, pace, counters, shaped, moves } = task;
  const fire = starting === 'itself' ? 'then cooks by itself' : 'is started by a cook with empty hands';
  const slow = [
    ...(think > 0 ? [`Every answer takes ${think === 1 ? '1 tick' : `${think} ticks`} of thinking before it is carried out.`] : []),
    ...(pace > 0 ? [`Every ${pace} characters of an answer take one more tick of thinking.`] : []),
  ];
  const table = counters ? ' On a counter (X) you put something down or take it.' : ' Counters (X) cannot be used.';
  const extra = shaped
    ? ' You alone are paid 3 for an onion in a pot, 3 for a dish when a soup wants one, and 5 for a soup you take out.'
    : '';
  const how = {
    steps: '[interact] uses what you face.',
    orders: 'An order takes as many ticks as its way is long; [fill], [plate], [serve] and [drop] are for what you hold.',
    both: '[interact] uses what you face; orders such as [fetch onion], [fill], [plate], [serve] and [drop] take as many ticks as their way is long.',
  }[moves];
  return `You are ${seats[cook]} (${cook + 1} on the map). Put three onions (O) into a pot (P); it ${fire}, for 20 ticks; take the soup out with a dish (D) and bring it to the serving counter (S): everybody is paid 20.${table}${extra}
All act at once, and time does not wait: ${horizon} ticks in all. Walking into something only turns you to face it; two who want one cell both stay.${slow.length > 0 ? ` ${slow.join(' ')}` : ''}
${how} Answer with exactly one of ${choicesBy[moves].join(' ')}.`;
}

/** Map symbols of items on counters. */
const lies = ['X', 'o', 'd', 's', 't'] as const;

function mapOf({ at, items }: Scene, { maps, cells: empty, counters, columns }: KitchenLayout): string {
  const places = at.length === 1 ? at[0] : at[0] * 4096 + at[1];
  const key = items.every((item) => item === 0) ? places : `${items} ${places}`;
  const before = maps.get(key);
  if (before !== undefined) return before;
  let cells = empty.replaceAll(' ', '.');
  for (let i = 0; i < items.length; i++) if (items[i] !== 0) cells = withCell(cells, counters[i], lies[items[i]]);
  for (let i = 0; i < at.length; i++) cells = withCell(cells, at[i], String(i + 1));
  const text = rowsText(cells, columns);
  if (maps.size > 5000) maps.clear();
  maps.set(key, text);
  return text;
}

/** Cached texts: what a cook faces and holds (by cook, direction, and item), the content of a pot, and the soups served. */
const cookText = writeOnce((key) => {
  const [cook, facing, hand] = [Math.floor(key / 20), Math.floor(key / 5) % 4, key % 5];
  return `\nCook ${cook + 1} faces ${gridDirections[facing]} and holds ${heldItems[hand]}.`;
});
const potText = writeOnce((pot) => {
  if (!isCooking(pot)) return `\nA pot has ${pot === 1 ? '1 onion' : `${pot} onions`}.`;
  const kind = onionsIn(pot) === 3 ? 'soup' : 'thin soup';
  const to = ticksToGo(pot);
  return to === 0 ? `\nA pot has a ${kind} that is ready.` : `\nA pot has a ${kind} that takes ${to} more ticks.`;
});
const soupsText = writeOnce((soups) => `; soups served: ${soups}.`);
const tickText = writeOnce((tick) => `\nTick ${tick} of `);

function sightMessage(state: Omit<State, 'misses'>, layout: KitchenLayout, to: readonly Seat[]): Message {
  const { at, facing, hands, pots, items, tick: now, soups, task } = state;
  let text = mapOf(state, layout);
  for (let i = 0; i < at.length; i++) text += cookText((i * 4 + facing[i]) * 5 + hands[i]);
  for (let i = 0; i < pots.length; i++) text += potText(pots[i]);
  text += tickText(now) + task.horizon + soupsText(soups);
  return { to, text, data: { tick: now, at, facing, hands, pots, items } };
}
