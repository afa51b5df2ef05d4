import type { Action, EndEvent, Json, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { logOf } from '../../../../test/random-environments.ts';
import { gameTree, teamOptimum } from '../solve/index.ts';
import { deckOf, type HanabiCard, type HanabiState } from './cards.ts';
import { hanabi } from './hanabi.ts';
import { nameOf } from './texts.ts';

const tasks: readonly Json[] = [
  ...hanabi.about.tasks,
  { seats: 3, colours: 5, ranks: 5, hand: 5, hints: 8, lives: 3 },
  { seats: 2, colours: 1, ranks: 1, hand: 1, hints: 1, lives: 1 },
  { seats: 3, colours: 2, ranks: 2, hand: 3, hints: 2, lives: 4, strict: true },
];

interface Walk {
  readonly states: readonly HanabiState[];
  readonly steps: readonly Step<HanabiState>[];
  readonly moves: readonly string[];
}

/** Plays by chance, or by a script, step by step, with the rules alone. */
function walk(input: Json, seed: number, answer?: (step: Step<HanabiState>) => string): Walk {
  const task = hanabi.task(input);
  let step = hanabi.start(task, rng(seed, 'start'));
  const [steps, moves] = [[step], [] as string[]];
  for (let i = 0; step.asks.length > 0; i++) {
    const ask = step.asks[0]!;
    const text = answer?.(step) ?? rng(seed, 'move', i).pick(ask.choices as readonly string[]);
    step = hanabi.step(step.state, { [ask.seat]: { text } }, rng(seed, 'step', i));
    steps.push(step);
    moves.push(text);
  }
  return { steps, moves, states: steps.map(({ state }) => state) };
}

const built = (state: HanabiState) =>
  state.stacks.flatMap((height, colour) => Array.from({ length: height }, (_, rank) => 5 * colour + rank));
const score = (state: HanabiState) => built(state).length;
const sorted = (cards: readonly HanabiCard[]) => [...cards].sort((a, b) => a - b);

describe('random hanabi games', () => {
  it.each(tasks)('conserve all cards: %j', (input) => {
    const task = hanabi.task(input);
    for (let seed = 0; seed < 40; seed++)
      for (const state of walk(input, seed).states)
        expect(sorted([...state.deck, ...state.hands.flat(), ...state.discards, ...built(state)])).toEqual(sorted(deckOf(task)));
  });

  it.each(tasks)('update tokens, lives, and score with each move: %j', (input) => {
    const { hints, lives, colours, ranks, strict } = hanabi.task(input);
    for (let seed = 0; seed < 40; seed++) {
      const { states, moves, steps } = walk(input, seed);
      for (const [i, move] of moves.entries()) {
        const [before, after] = [states[i]!, states[i + 1]!];
        const gained = score(after) - score(before);
        const finished = after.stacks.some((height, k) => height === ranks && before.stacks[k] === ranks - 1);
        const change = move.startsWith('[hint') ? -1 : move.startsWith('[discard') || finished ? 1 : 0;
        expect(after.hints).toBe(Math.min(hints, before.hints + change));
        expect(after.lives).toBe(before.lives - (move.startsWith('[play') && gained === 0 ? 1 : 0));
        const lost = after.lives === 0;
        const payment = lost && strict ? -score(after) : gained;
        for (const reward of Object.values(steps[i + 1]?.rewards ?? { nobody: 0 })) expect(reward === payment).toBe(true);
        if (gained > 0) expect(steps[i + 1]?.rewards).toBeDefined();
      }
      const last = states.at(-1) as HanabiState;
      expect(last.lives).toBeLessThanOrEqual(lives);
      expect(score(last)).toBeLessThanOrEqual(colours * ranks);
    }
  });

  it.each(tasks)('offer exactly the hints that are affordable and match a card: %j', (input) => {
    for (let seed = 0; seed < 20; seed++)
      for (const { state, asks } of walk(input, seed).steps) {
        const [ask] = asks;
        if (ask === undefined) continue;
        const offered = (ask.choices ?? []).filter((choice) => choice.startsWith('[hint')).sort();
        const seats = hanabi.seats(state.task);
        const possible = state.hands.flatMap((hand, i) =>
          i === state.turn || state.hints === 0
            ? []
            : hand.flatMap((card) => {
                const [colour, rank] = nameOf(card).split(' ');
                return [`[hint ${seats[i]} colour ${colour}]`, `[hint ${seats[i]} rank ${rank}]`];
              }),
        );
        expect(offered).toEqual([...new Set(possible)].sort());
        expect(ask.choices).not.toContain(`[hint ${ask.seat} rank 1]`);
        const size = state.hands[state.turn]?.length as number;
        expect((ask.choices ?? []).filter((choice) => !choice.startsWith('[hint'))).toHaveLength(2 * size);
      }
  });

  it('give every player one more turn after the last card is drawn', () => {
    let ran = 0;
    for (let seed = 0; seed < 60; seed++) {
      const { states, steps } = walk({ seats: 3, lives: 4, ranks: 5, colours: 2 }, seed);
      const empty = states.findIndex(({ deck }) => deck.length === 0);
      const last = states.at(-1) as HanabiState;
      if (empty < 0 || last.lives === 0 || last.stacks.every((height) => height === 5)) continue;
      ran++;
      expect(states.length - 1 - empty).toBe(3);
      expect(steps.slice(empty, -1).map(({ asks }) => asks[0]?.seat)).toHaveLength(3);
      expect(new Set(steps.slice(empty, -1).map(({ asks }) => asks[0]?.seat)).size).toBe(3);
    }
    expect(ran).toBeGreaterThan(10);
  });
});

describe('hidden hands in hanabi', () => {
  /** The same game, in which the cards of one seat are others of the same deck, as far as it was told nothing of them. */
  const swapped = (state: HanabiState, seat: number): HanabiState => {
    const hand = state.hands[seat]!;
    const untold = hand.flatMap((_, i) => (state.told[seat]?.[i] === 0 ? [i] : []));
    const [own, draw] = [untold[0], state.deck.findIndex((card) => card !== hand[untold[0] ?? 0])];
    if (own === undefined || draw < 0) return state;
    const hands = state.hands.with(seat, hand.with(own, state.deck[draw]!));
    return { ...state, hands, deck: state.deck.with(draw, hand[own]!) };
  };

  it('do not affect the knowledge and view of their holder', () => {
    let changed = 0;
    for (let seed = 0; seed < 30; seed++)
      for (const state of walk({ seats: 3, colours: 3 }, seed).states.slice(0, -1)) {
        const { turn } = state;
        const other = swapped(state, turn);
        if (other === state) continue;
        changed++;
        const seat = hanabi.seats(state.task)[turn]!;
        expect(hanabi.knows?.(other, seat)).toEqual(hanabi.knows?.(state, seat));
        // An invalid answer is asked again with the same list.
        const again = (hanabiState: HanabiState) => hanabi.step(hanabiState, { [seat]: { text: '' } }, rng(0)).asks;
        expect(again(other)).toEqual(again(state));
        const hint = again(state)[0]?.choices?.find((choice) => choice.startsWith('[hint'));
        if (hint === undefined) continue;
        const next = (hanabiState: HanabiState) =>
          hanabi.step(hanabiState, { [seat]: { text: hint } }, rng(0)).messages.filter(({ to }) => to.includes(seat));
        expect(next(other)).toEqual(next(state));
      }
    expect(changed).toBeGreaterThan(100);
  });

  it('are visible to the partners', () => {
    const { state } = hanabi.start(hanabi.task({}), rng(1, 'start'));
    const other = swapped(state, 0);
    expect(other).not.toBe(state);
    expect(hanabi.knows?.(other, 'second')).not.toEqual(hanabi.knows?.(state, 'second'));
  });

  it('are shown to their holder exactly as far as hints reveal them', () => {
    for (let seed = 0; seed < 30; seed++) {
      const { steps } = walk({}, seed);
      for (const { state, messages } of steps) {
        const status = messages.findLast(({ text }) => text.startsWith('Stacks: '));
        if (status === undefined) continue;
        const hand = state.hands[state.turn]!;
        const observations = state.told[state.turn]!;
        const parts = /Of your cards you know: (.*)\.$/m.exec(status.text)?.[1]?.split(', ') ?? [];
        const truth = hand.map((card) => nameOf(card).split(' ') as [string, string]);
        expect(parts).toEqual(
          truth.map(([colour, rank], i) => `${(observations[i]!) & 1 ? colour : '?'} ${(observations[i]!) & 2 ? rank : '?'}`),
        );
      }
    }
  });

  it('keep marks on exactly the hinted cards until those cards leave the hand', () => {
    for (let seed = 0; seed < 30; seed++) {
      const { states, moves } = walk({ seats: 3, colours: 3 }, seed);
      for (const [i, move] of moves.entries()) {
        const [before, after] = [states[i]!, states[i + 1]!];
        const hint = /^\[hint (\w+) (colour|rank) (\w+)\]$/.exec(move);
        if (hint === null) continue;
        const seat = ['first', 'second', 'third'].indexOf(hint[1]!);
        const bit = hint[2] === 'colour' ? 1 : 2;
        const marked = before.hands[seat]!.map((card) => nameOf(card).split(' ')[bit - 1] === hint[3]);
        expect(marked).toContain(true);
        expect(after.told[seat]).toEqual(before.told[seat]?.map((mark, k) => (marked[k] ? mark | bit : mark)));
        expect(after.told.toSpliced(seat, 1)).toEqual(before.told.toSpliced(seat, 1));
        expect(after.hands).toEqual(before.hands);
      }
    }
  });
});

describe('hanabi', () => {
  const careful = (hanabi.scripts as { careful: Script }).careful;
  const random: Script = ({ ask, rng: dice }) => ({ text: dice.pick(ask.choices as readonly string[]) });
  const meanReturn = async (script: Script, task: Json) => {
    let sum = 0;
    for (let seed = 0; seed < 100; seed++) {
      const seats: readonly Seat[] = hanabi.seats(hanabi.task(task));
      const log = await logOf(play(hanabi, Object.fromEntries(seats.map((seat) => [seat, scripted('one', script)])), { task, seed }));
      sum += (log.at(-1) as EndEvent).returns[seats[0]!]!;
    }
    return sum / 100;
  };

  it('pays a careful pair far more than random play', async () => {
    expect(await meanReturn(careful, {})).toBeGreaterThan(3.5);
    expect(await meanReturn(random, {})).toBeLessThan(2.5);
    expect(await meanReturn(careful, { strict: true })).toBe(await meanReturn(careful, {}));
    expect(await meanReturn(random, { strict: true })).toBeLessThan(1.2);
  });

  it('is solved exactly in its smallest configuration', () => {
    expect(teamOptimum(gameTree(hanabi, { colours: 1, ranks: 1, hand: 1, hints: 1, lives: 1 })).value).toBeCloseTo(1, 12);
  });

  it('rejects hands that the deck cannot fill', () => {
    expect(() => hanabi.task({ seats: 3, colours: 1, ranks: 2, hand: 2 })).toThrow(/3 hands of 2 need more than the 5 cards in the deck/);
    expect(() => hanabi.task({ seats: 4 })).toThrow(/"seats" must be an integer from 2 to 3/);
  });

  it('is lost by a seat with too many invalid moves', async () => {
    const mute = scripted('mute', (): Action => ({ text: '[play 9]' }));
    const agents = { first: scripted('careful', careful), second: mute };
    const log = await logOf(play(hanabi, agents, { seed: 1, task: { retries: 1, strict: true } }));
    expect(log.at(-1)).toMatchObject({ reason: 'over', returns: { first: 0, second: 0 }, penalties: { first: 0, second: 1 } });
    expect(textOf(viewOf(log, 'first'))).toContain('second forfeits');
  });
});
