/**
 * @file Scripted cooks: one that looks only at the kitchen, one with a slow and a fast mind that adapts to its partner, and partners with
 * fixed habits for first encounters.
 *
 * The slow mind infers from what the partner carried which work can be left to it. It runs only now and then, and its result stays in the
 * agent's mind. The fast mind picks an order from the scene and that result. The executor turns the order into single steps.
 */

import { Fault, type JsonObject, type Rng, type Script, type Seen, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { gridMoves } from '../grid.ts';
import { inReach, type KitchenLayout, kitchenLayout } from './layout.ts';
import { actFor, type OrderName, stationsFor } from './orders.ts';
import { dish, interact, isCooking, isFull, nothing, onion, type Scene, soup, stay, takesOnion, thinSoup, ticksToGo } from './tick.ts';

interface Sight {
  readonly layout: KitchenLayout;
  readonly own: number;
  readonly scene: Scene;
  /** Whether this cook is where it was when it was last asked. */
  readonly stood: boolean;
  readonly selfStarting: boolean;
}

/** The work that is left to the partner. */
interface Partner {
  readonly onions: boolean;
  readonly dishes: boolean;
}

const nobody: Partner = { onions: false, dishes: false };

/** Returns an order that can be carried out now, or null. */
function fastMind({ layout, own, scene, selfStarting }: Sight, partner: Partner): OrderName | null {
  const at = scene.at[own];
  const able = (order: OrderName) => stationsFor(layout, scene, own, order).some((station) => inReach(layout, at, station));
  const hand = scene.hands[own];
  const other = scene.hands[1 - own] ?? nothing;
  const hot = scene.pots.filter((pot) => isCooking(pot) || isFull(pot)).length;
  const lyingFor = (wantedItem: number) => scene.items.filter((item) => item === wantedItem).length;
  if (hand === soup || hand === thinSoup) return able('serve') ? 'serve' : 'drop';
  if (hand === onion)
    return able('fill') ? 'fill' : layout.pots.some((pot) => inReach(layout, at, pot)) ? (hot > 0 ? 'drop' : null) : 'drop';
  if (hand === dish) {
    if (able('plate')) return 'plate';
    return layout.pots.some((pot) => inReach(layout, at, pot)) && (hot > 0 || !scene.pots.some(takesOnion))
      ? null
      : hot > 0
        ? 'drop'
        : null;
  }
  if (!selfStarting && scene.pots.some(isFull) && able('cook')) return 'cook';
  if (able('fetch soup') && layout.serving.some((station) => inReach(layout, at, station))) return 'fetch soup';
  const dishesAbout = (other === dish ? 1 : 0) + lyingFor(dish);
  const onionsAbout = (other === onion ? 1 : 0) + lyingFor(onion);
  const near = scene.pots.some((pot) => isCooking(pot) && ticksToGo(pot) <= 8);
  const potInReach = layout.pots.some((pot) => inReach(layout, at, pot));
  const wantsDish =
    hot > (partner.dishes ? Math.max(1, dishesAbout) : dishesAbout) || (potInReach && hot > 0 && lyingFor(dish) > 0 && other !== dish);
  if (wantsDish && (near || !scene.pots.some(takesOnion)) && able('fetch dish')) return 'fetch dish';
  const missing = scene.pots.reduce((sum, pot) => sum + (takesOnion(pot) ? 3 - pot : 0), 0);
  const ownMissing = potInReach ? missing - (other === onion ? 1 : 0) : missing - onionsAbout;
  if (ownMissing > 0 && !(partner.onions && hot > dishesAbout) && able('fetch onion')) return 'fetch onion';
  if (wantsDish && able('fetch dish')) return 'fetch dish';
  return null;
}

/** What the partner has carried, and for how long it was observed. Evaluated every n ticks. */
type Watched = {
  readonly ticks: number;
  readonly onions: number;
  readonly dishes: number;
  readonly last: number;
  readonly partner: string;
};

const nothingSeen: Watched = { ticks: 0, onions: 0, dishes: 0, last: nothing, partner: '' };
const thinkEvery = 10;

function slowMind(observation: Watched, hand: number): Watched {
  const onions = observation.onions + (hand === onion && observation.last !== onion ? 1 : 0);
  const dishes = observation.dishes + (hand === dish && observation.last !== dish ? 1 : 0);
  const ticks = observation.ticks + 1;
  if (ticks % thinkEvery !== 0) return { ...observation, ticks, onions, dishes, last: hand };
  const partner = onions >= 3 && dishes === 0 ? 'onions' : dishes >= 1 && onions === 0 ? 'dishes' : '';
  return { ticks, onions, dishes, last: hand, partner };
}

const hla: Script = (turn) => {
  const visible = sightOf(turn);
  const observation = slowMind((turn.mind as Watched | undefined) ?? nothingSeen, visible.scene.hands[1 - visible.own] ?? nothing);
  // A partner who only ever brings onions, or only plates, is left to that work.
  const partner = { onions: observation.partner === 'onions', dishes: observation.partner === 'dishes' };
  return { action: { text: nextMove(turn, visible, fastMind(visible, partner)) }, mind: observation };
};

const cook: Script = (turn) => {
  const visible = sightOf(turn);
  return { text: nextMove(turn, visible, fastMind(alone(visible), nobody)) };
};

/** Returns the scene without what the partner holds. */
function alone(visible: Sight): Sight {
  return { ...visible, scene: { ...visible.scene, hands: visible.scene.hands.map((hand, i) => (i === visible.own ? hand : nothing)) } };
}

/** Only brings onions. */
const onions: Script = (turn) => {
  const visible = sightOf(turn);
  const hand = visible.scene.hands[visible.own];
  return { text: nextMove(turn, visible, hand === nothing ? 'fetch onion' : able(visible, 'fill') ? 'fill' : null) };
};

/** Only plates and serves. */
const plates: Script = (turn) => {
  const visible = sightOf(turn);
  const hand = visible.scene.hands[visible.own];
  const order = hand === nothing ? 'fetch dish' : hand === dish ? 'plate' : 'serve';
  return { text: nextMove(turn, visible, able(visible, order) ? order : null) };
};

/** Stays where it is. */
const idle: Script = ({ ask }) => ({ text: ask.choices?.includes('[stay]') === true ? '[stay]' : '[wait 2]' });

/** Moves at random and uses whatever it faces. */
const wanderer: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });

function able({ layout, scene, own }: Sight, order: OrderName): boolean {
  return stationsFor(layout, scene, own, order).some((station) => inReach(layout, scene.at[own], station));
}

/** The executor: returns the next single step of an order, or the order itself if orders are allowed. */
function nextMove({ ask, rng }: Turn, visible: Sight, order: OrderName | null): string {
  const choices = ask.choices as readonly string[];
  if (!choices.includes('[stay]'))
    return order !== null && able(visible, order) ? `[${order}]` : inTheWay(visible) ? '[step aside]' : '[wait 2]';
  const act = order === null ? stay : (actFor(visible.layout, visible.scene, visible.own, order) ?? stay);
  const text = (value: number) => (value === interact ? '[interact]' : value === stay ? '[stay]' : gridMoves[value]);
  if (act === interact) return text(act);
  if (order === null) return text(inTheWay(visible) ? aside(visible, rng) : stay);
  if (isBlocked(visible, act)) return text(aside(visible, rng));
  return text(inTheWay(visible) && rng.next() < 0.1 ? stay : act);
}

/**
 * Returns whether the partner is in the way or was about to move to the same cell. One of the two must then step aside at random, because
 * otherwise both would block each other forever.
 */
function isBlocked({ layout, scene, own, stood }: Sight, act: number): boolean {
  if (act >= stay) return false;
  const next = layout.beside[scene.at[own] * 4 + act];
  return next === scene.at[1 - own] || (stood && scene.facing[own] === act && layout.cells[next] === ' ');
}

/** Returns whether the partner is at most two cells away, so that the cooks may block each other. */
function inTheWay({ layout: { columns, part }, scene: { at }, own }: Sight): boolean {
  const [mine, partner] = [at[own], at[1 - own]];
  if (partner === undefined || part[partner] !== part[mine]) return false;
  return Math.abs((mine % columns) - (partner % columns)) + Math.abs(Math.floor(mine / columns) - Math.floor(partner / columns)) <= 2;
}

function aside({ layout, scene, own }: Sight, dice: Rng): number {
  const from = scene.at[own];
  const ways = [0, 1, 2, 3].filter((way) => {
    const next = layout.beside[from * 4 + way];
    return layout.cells[next] === ' ' && next !== scene.at[1 - own];
  });
  return ways.length === 0 || dice.next() < 0.5 ? stay : dice.pick(ways);
}

function sightOf({ view }: Turn): Sight {
  const rules = view.seen.find((item) => item.kind === 'message' && hasKey(item.data, 'layout'));
  const at = view.seen.findLastIndex(isSight);
  const last = view.seen[at];
  let place = at - 1;
  while (place > 0 && !isSight(view.seen[place])) place--;
  const before = view.seen[place];
  if (rules?.kind !== 'message' || last?.kind !== 'message')
    throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  const { own, layout, starting } = rules.data as { own: number; layout: string; starting: string };
  const scene = last.data as Scene;
  const past = before?.kind === 'message' && isSight(before) ? (before.data as Scene) : null;
  return { layout: kitchenLayout(layout), own, scene, stood: past?.at[own] === scene.at[own], selfStarting: starting === 'itself' };
}

const isSight = (item: Seen) => item.kind === 'message' && hasKey(item.data, 'tick');

function hasKey(data: unknown, key: string): data is JsonObject {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, key);
}

export const scripts: Readonly<Record<string, Script>> = { hla, cook, onions, plates, idle, wanderer };
