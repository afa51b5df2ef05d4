/** @file Worlds and players for tests of the engine: a small fixed one, random ones made from a recipe, and players of every temper. */

import {
  type Action,
  type Agent,
  type AnyEnvironment,
  type Ask,
  type Environment,
  type EpisodeEvent,
  type Json,
  type Message,
  type ModelCall,
  type Reply,
  type Rng,
  readTask,
  rng,
  type Script,
  type Seat,
  type Seen,
  type Step,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';

// ── a fixed world ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Bid = { readonly round: number; readonly rounds: number; readonly pot: number };

const bidders = ['ann', 'bob', 'cid'] as const;

const bidAsks: readonly Ask[] = bidders.map((seat) => ({ seat, choices: ['[0]', '[1]', '[2]'] }));

/** Three seats bid at once, round after round; each round pays what was bid above a die, and a bid that is none costs a penalty. */
export const bidding: Environment<Bid, { readonly rounds: number }> = {
  id: 'bidding@1',
  about: { summary: 'Sealed bids.', tasks: [{}], turns: 5 },
  parameters: {},
  task: (input) => ({ rounds: (input as { rounds?: number }).rounds ?? 3 }),
  seats: () => bidders,
  start: ({ rounds }, dice) => ({
    state: { round: 0, rounds, pot: dice.int(6) },
    messages: bidders.map((seat, i) => ({ to: [seat], text: `Welcome, ${seat}. Your number is ${i}.` })),
    asks: bidAsks,
  }),
  step(state, actions, dice) {
    const die = dice.int(3);
    const rewards: Record<Seat, number> = {};
    const penalties: Record<Seat, number> = {};
    for (const [seat, { text }] of Object.entries(actions)) {
      const bid = Number(/^\[([0-2])\]$/.exec(text)?.[1] ?? Number.NaN);
      if (Number.isNaN(bid)) penalties[seat] = 1;
      else rewards[seat] = bid - die;
    }
    const next = { ...state, round: state.round + 1, pot: state.pot + die };
    const messages: Message[] = [
      { to: bidders, text: `The die shows ${die}.`, data: { die } },
      { to: [], text: `pot ${next.pot}` },
    ];
    const payments = Object.keys(penalties).length === 0 ? { rewards } : { rewards, penalties };
    return { state: next, messages, asks: next.round < next.rounds ? bidAsks : [], ...payments };
  },
};

// ── random worlds ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** All that a random world is made from. Chances are in percent. */
export interface Recipe {
  readonly salt: number;
  readonly seats: number;
  readonly turns: number;
  /** Chance that a step is the last. */
  readonly stop: number;
  /** Chance that a further seat is asked in the same turn. */
  readonly together: number;
  /** Chance that a seat is told something, or paid something, in a step. */
  readonly talk: number;
  /** Chance that the rules throw in a step. */
  readonly break: number;
}

type Wild = { readonly turn: number; readonly mark: number; readonly heard: readonly string[] };

const moveTexts = ['[left]', '[right]', '[up]', '[down]', '[wait]'] as const;

/** A world whose every turn is thrown by its dice: who is asked, what is said to whom, who is paid, when it ends. */
export function randomEnvironment(recipe: Recipe): AnyEnvironment {
  const seats = Array.from({ length: recipe.seats }, (_, i) => `seat ${i + 1}`);
  const environment: Environment<Wild, Record<string, Json>> = {
    id: `wild-${recipe.salt}@1`,
    about: { summary: 'A random world.', tasks: [{}], turns: recipe.turns },
    parameters: {},
    task: (input) => readTask('wild', {}, input) as Record<string, Json>,
    seats: () => seats,
    start: (_, dice) => wildStep({ recipe, seats }, { turn: 0, mark: dice.int(1000), heard: [] }, dice),
    step(state, actions, dice) {
      if (dice.int(100) < recipe.break) throw new Error('The rules broke.');
      const messages = Object.entries(actions).map(([seat, { text }]) => `${seat}: ${text}`);
      const mark = rng(state.mark, recipe.salt, ...messages).int(1000);
      return wildStep({ recipe, seats }, { turn: state.turn + 1, mark, heard: messages }, dice);
    },
  };
  return environment;
}

function wildStep({ recipe, seats }: { recipe: Recipe; seats: readonly Seat[] }, state: Wild, dice: Rng): Step<Wild> {
  const happens = (percent: number) => dice.int(100) < percent;
  const messages: Message[] = [];
  const rewards: Record<Seat, number> = {};
  const penalties: Record<Seat, number> = {};
  for (const seat of seats) {
    if (happens(recipe.talk)) {
      const to = seats.filter(() => happens(50));
      const text = `${state.mark} ${state.heard.join(' ')}`.trim();
      messages.push({ to, text, ...(happens(30) ? { from: seat } : {}), ...(happens(30) ? { data: { mark: state.mark } } : {}) });
    }
    if (happens(recipe.talk / 2)) rewards[seat] = dice.int(11) - 5;
    if (happens(recipe.talk / 4)) penalties[seat] = 1;
  }
  const over = state.turn >= recipe.turns || (state.turn > 0 && happens(recipe.stop));
  const [first, ...others] = dice.shuffle(seats);
  const askedSeats = over ? [] : [first as Seat, ...others.filter(() => happens(recipe.together))];
  const asks = askedSeats.map((seat): Ask => {
    const choices = moveTexts.filter(() => happens(60));
    return { seat, ...(choices.length > 0 ? { choices } : {}), ...(happens(20) ? { window: dice.int(4) } : {}) };
  });
  const payments = { ...(happens(recipe.talk) ? { rewards } : {}), ...(happens(recipe.talk / 2) ? { penalties } : {}) };
  return { state, messages, asks, ...payments };
}

// ── players ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A model call as it would be in a log. */
export function callOf(promptTokens: number, completionTokens: number, cost: number | null = null): ModelCall {
  return { model: 'none', prompt: { messages: [] }, text: '', finish: 'stop', usage: { promptTokens, completionTokens }, cost };
}

/** Plays any world from its view, dice and mind; what it does depends on all three, so a wrong one of them shows in the log. */
export function temper(salt: number, fails = 0): Script {
  return ({ view, ask, mind, rng: dice }: Turn): Reply => {
    if (dice.int(100) < fails) throw new Error(`${ask.seat} gives up.`);
    const count = ((mind as { count?: number } | undefined)?.count ?? 0) + 1;
    const sum = rng(salt, ...view.seen.map(inkOf)).int(1000);
    const move = ask.choices === undefined ? `word ${dice.int(10)}` : dice.pick(ask.choices);
    const action: Action = { text: `${move}`, data: [count, sum] };
    const memory = dice.int(4) === 0 ? {} : { mind: { count, sum } };
    return { action, ...memory, ...(dice.int(3) === 0 ? { calls: [callOf(10, count, 0.01)] } : {}) };
  };
}

function inkOf(item: Seen): string {
  if (item.kind === 'message') return `m${item.text}`;
  return item.kind === 'action' ? `a${item.action.text}` : `r${item.reward} ${item.penalty}`;
}

/** The script as an agent that answers after a while, sooner or later by its own dice: who was asked first is not who answers first. */
export function slow(name: string, script: Script): Agent {
  return {
    name,
    async act(turn) {
      const waits = rng(turn.view.seen.length, turn.ask.seat).int(5);
      const answer = script(turn);
      for (let i = 0; i < waits; i++) await new Promise((resolve) => setImmediate(resolve));
      return 'action' in answer ? answer : { action: answer };
    },
  };
}

/** All of a log, or of whatever yields events. */
export async function logOf(events: AsyncIterable<EpisodeEvent>): Promise<readonly EpisodeEvent[]> {
  return Array.fromAsync(events);
}

/** The bytes of a log, as a store would write them. */
export function bytes(events: readonly EpisodeEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** The same agent on every seat. */
export function everywhere<T>(seats: readonly Seat[], item: T): Record<Seat, T> {
  return Object.fromEntries(seats.map((seat) => [seat, item]));
}
