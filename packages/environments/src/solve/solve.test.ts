import { type AnyEnvironment, type Ask, rng, type Step } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { dilemma } from '../dilemma.ts';
import { hanabiTiny } from '../hanabi/tiny.ts';
import { kinarow, ticTacToe } from '../kinarow.ts';
import { kuhnPoker } from '../kuhn-poker.ts';
import { liarsDice } from '../liars-dice.ts';
import type { Tree, TreeStrategy } from './index.ts';
import { bestResponse, cfr, distance, expectedReturns, gameTree, minimax, positions, solve, teamOptimum, uniform } from './index.ts';
import { pure } from './team.ts';

const hands = ['[rock]', '[paper]', '[scissors]'] as const;

/** Simultaneous rock, paper, scissors; winning with rock pays `rock`. `changes` override the environment for a test. */
function throwing(rock: number, changes: Partial<AnyEnvironment> = {}): AnyEnvironment {
  const asks: readonly Ask[] = ['left', 'right'].map((seat) => ({ seat, choices: hands }));
  return {
    id: 'throwing@1',
    about: { summary: 'Rock, paper, scissors.', tasks: [{}], turns: 1 },
    parameters: {},
    task: () => ({}),
    seats: () => ['left', 'right'],
    start: () => ({ state: 0, messages: [], asks }),
    step(state, actions): Step {
      const [a, b] = ['left', 'right'].map((seat) => hands.indexOf(actions[seat]?.text as (typeof hands)[number])) as [number, number];
      const pay = (winner: number) => (winner === 0 ? rock : 1);
      const left = a === b ? 0 : (a - b + 3) % 3 === 1 ? pay(a) : -pay(b);
      return { state, messages: [], asks: [], rewards: { left, right: left === 0 ? 0 : -left } };
    },
    ...changes,
  };
}

/** Every pure strategy of one seat, put over a strategy of all. */
function* replies(tree: Tree, strategy: TreeStrategy, seat: number): Iterable<TreeStrategy> {
  const sets = tree.sets.filter((set) => set.seat === seat);
  const count = sets.reduce((product, set) => product * set.choices.length, 1);
  for (let i = 0; i < count; i++) {
    const reply = [...strategy];
    let left = i;
    for (const { index, choices } of sets) {
      const chosen = left % choices.length;
      left = Math.floor(left / choices.length);
      reply[index] = choices.map((_, choice) => (choice === chosen ? 1 : 0));
    }
    yield reply;
  }
}

function randomStrategy(tree: Tree, seed: number): TreeStrategy {
  const dice = rng(seed, 'strategy');
  return tree.sets.map(({ choices }) => {
    // Includes zeros, because a best response must handle nodes that are never reached.
    const weights = choices.map(() => dice.int(4));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => (total === 0 ? 1 / weights.length : weight / total));
  });
}

describe('gameTree', () => {
  it('hides simultaneous moves from the other seats', () => {
    const tree = gameTree(throwing(1));
    expect(tree.sets.map(({ seat, nodes }) => [seat, nodes.length])).toEqual([
      [0, 1],
      [1, 3],
    ]);
    expect([tree.nodes.length, tree.terminals]).toEqual([1 + 3 + 9, 9]);
  });

  it('lists children before parents and assigns every node to its set', () => {
    const tree = gameTree(kuhnPoker);
    for (const [i, node] of tree.nodes.entries()) {
      expect(node.index).toBe(i);
      if (node.kind !== 'terminal') for (const child of node.children) expect(child.index).toBeLessThan(i);
      if (node.kind === 'decision') expect(node.set.nodes).toContain(node);
    }
    expect(tree.root.index).toBe(tree.nodes.length - 1);
    expect(tree.nodes.filter((node) => node.kind === 'chance')).toHaveLength(1);
  });

  it("records the seat's last own move before each set", () => {
    const tree = gameTree(kuhnPoker);
    for (const { after, seat, choices, view } of tree.sets) {
      const ownItems = view.seen.filter((item) => item.kind === 'action');
      expect(after === null).toBe(ownItems.length === 0);
      if (after === null) continue;
      expect(after.set.seat).toBe(seat);
      expect([after.set.choices[after.choice], choices[0]]).toEqual(['[check]', '[fold]']);
    }
  });

  it('rejects games it cannot solve', () => {
    const start = (ask: Ask) => throwing(1, { start: () => ({ state: 0, messages: [], asks: [ask] }) });
    expect(() => gameTree(start({ seat: 'left' }))).toThrow(/lists no choices for seat "left"/);
    expect(() => gameTree(start({ seat: 'left', choices: ['[a]'], window: 3 }))).toThrow(/hides earlier messages/);
    expect(() => gameTree(kuhnPoker, {}, 20)).toThrow(/kuhn-poker@1 has more than 20 nodes/);
    const real = throwing(1, { start: (_, dice) => ({ state: dice.next(), messages: [], asks: [] }) });
    expect(() => gameTree(real)).toThrow(/Exact solving lists every random outcome, and next\(\) has/);
    const sly = throwing(1, {
      start: (_, dice) => ({ state: 0, messages: [], asks: [{ seat: 'left', choices: dice.int(2) === 0 ? ['[a]'] : ['[b]'] }] }),
    });
    expect(() => gameTree(sly)).toThrow(/after the same view seat "left" is offered \[b\] in one state and \[a\] in another/);
  });
});

describe('bestResponse', () => {
  it.each([
    ['kuhn-poker', gameTree(kuhnPoker)],
    ['hanabi-tiny', gameTree(hanabiTiny)],
    ['throwing', gameTree(throwing(3))],
    ['liars-dice with two faces', gameTree(liarsDice, { faces: 2 })],
  ])('matches the best pure strategy found by brute force: %s', (_, tree) => {
    for (let seed = 0; seed < 6; seed++) {
      const strategy = randomStrategy(tree, seed);
      for (const seat of [0, 1]) {
        if (tree.sets.filter((set) => set.seat === seat).length > 10) continue;
        let best = -Infinity;
        for (const reply of replies(tree, strategy, seat)) best = Math.max(best, expectedReturns(tree, reply)[seat]!);
        expect(bestResponse(tree, strategy, seat).value).toBeCloseTo(best, 12);
      }
    }
  });

  it('earns its stated value in play', () => {
    const tree = gameTree(kuhnPoker);
    for (let seed = 0; seed < 20; seed++) {
      const strategy = randomStrategy(tree, seed);
      for (const seat of [0, 1]) {
        const { value, choices } = bestResponse(tree, strategy, seat);
        const answer = pure(tree, choices);
        const mixed = tree.sets.map((set) => (set.seat === seat ? answer : strategy)[set.index]!);
        expect(expectedReturns(tree, mixed)[seat]).toBeCloseTo(value, 12);
      }
    }
  });

  it('uses only visible information, so it is worth less than cheating', () => {
    const tree = gameTree(liarsDice, { faces: 3 });
    const cheat = tree.nodes.reduce<number[]>((values, node) => {
      const children = node.kind === 'terminal' ? [] : node.children.map((child) => values[child.index]!);
      if (node.kind === 'terminal') values[node.index] = node.returns[0]!;
      else if (node.kind === 'decision' && node.set.seat === 0) values[node.index] = Math.max(...children);
      else values[node.index] = children.reduce((sum, value) => sum + value / children.length, 0);
      return values;
    }, []);
    expect(bestResponse(tree, uniform(tree), 0).value).toBeCloseTo(16 / 27, 12);
    expect(cheat[tree.root.index]).toBeGreaterThan(0.75);
  });
});

describe('cfr', () => {
  it('finds the hand-computed (1/4, 1/2, 1/4) when winning with rock pays double', () => {
    const tree = gameTree(throwing(2));
    const strategy = cfr(tree, 5000);
    for (const mix of strategy) for (const [i, chance] of [0.25, 0.5, 0.25].entries()) expect(mix[i]).toBeCloseTo(chance, 3);
    expect(distance(tree, strategy).nashConv).toBeLessThan(1e-3);
    expect(distance(tree, uniform(tree)).nashConv).toBeGreaterThan(0.5);
  });

  it('converges with more iterations and stops at the requested gap', () => {
    const tree = gameTree(kuhnPoker);
    const gaps = [20, 200, 2000].map((iterations) => distance(tree, cfr(tree, iterations)).nashConv);
    expect(gaps[0]).toBeGreaterThan(gaps[1]! * 3);
    expect(gaps[1]).toBeGreaterThan(gaps[2]! * 3);
    expect(distance(tree, cfr(tree, 100_000, 0.01)).nashConv).toBeLessThanOrEqual(0.01);
    expect(distance(tree, cfr(tree, 100_000, 0.01)).nashConv).toBeGreaterThan(0.001);
  });

  it('rejects games that are not zero-sum', () => {
    expect(() => cfr(gameTree(hanabiTiny), 10)).toThrow(/add up to 0/);
  });
});

describe('positions and minimax', () => {
  it('merge positions reached by different move orders', () => {
    const tree = positions(ticTacToe) as Tree;
    expect([tree.nodes.length, tree.terminals, tree.sets.length]).toEqual([5478, 958, 4520]);
    expect(minimax(tree).value).toBe(0);
  });

  it('agree with the full tree on a small board', () => {
    const task = { columns: 3, rows: 2, k: 2, gravity: true };
    const merged = positions(kinarow, task) as Tree;
    const whole = gameTree(kinarow, task);
    expect(whole.nodes.length).toBeGreaterThan(merged.nodes.length);
    expect(distance(merged, uniform(merged)).values[0]).toBeCloseTo(distance(whole, uniform(whole)).values[0]!, 12);
    expect(distance(merged, uniform(merged)).nashConv).toBeCloseTo(distance(whole, uniform(whole)).nashConv, 12);
    const best = minimax(merged);
    expect(distance(merged, best.strategy).nashConv).toBe(0);
    expect(distance(merged, best.strategy).values[0]).toBe(best.value);
  });

  it('reject games with hidden information or chance', () => {
    expect(positions(kuhnPoker)).toBeNull();
    expect(positions(throwing(1, { knows: () => null }))).toBeNull();
    const toss = throwing(1, {
      knows: () => null,
      start: (_, dice) => ({ state: dice.int(2), messages: [], asks: [{ seat: 'left', choices: hands }] }),
    });
    expect(positions(toss)).toBeNull();
    expect(() => minimax(gameTree(kuhnPoker))).toThrow(/Minimax needs a two-seat zero-sum game without hidden/);
  });
});

describe('teamOptimum', () => {
  it('matches the best joint pure strategy found by brute force', () => {
    const tree = gameTree(hanabiTiny);
    let best = -Infinity;
    for (const first of replies(tree, uniform(tree), 0))
      for (const both of replies(tree, first, 1)) best = Math.max(best, expectedReturns(tree, both)[0]!);
    const { value, strategy } = teamOptimum(tree);
    expect(value).toBeCloseTo(best, 12);
    expect(expectedReturns(tree, strategy)).toEqual([value, value]);
  });

  it('rejects games with opponents', () => {
    expect(() => teamOptimum(gameTree(kuhnPoker))).toThrow(/A team optimum needs seats that always get the/);
  });
});

describe('solve', () => {
  it('selects the method that fits the environment', () => {
    expect(solve(ticTacToe)).toMatchObject({
      method: 'minimax',
      value: 0,
      bounds: [0, 0],
      informationSets: 4520,
      nodes: 5478,
      terminals: 958,
    });
    expect(solve(hanabiTiny)).toMatchObject({ method: 'team', value: 10, informationSets: 8, terminals: 36 });
    const dilemmas = solve(dilemma, { rounds: 1 });
    expect(dilemmas).toMatchObject({ method: 'none', value: null, bounds: null });
    expect(dilemmas.uniform.nashConv).toBeGreaterThan(0);
  });

  it('returns bounds for approximate values', () => {
    const { method, value, bounds, uniform: chance } = solve(kuhnPoker, {}, { within: 0.0005 });
    const [low, high] = bounds as [number, number];
    expect(method).toBe('cfr');
    expect(low).toBeLessThanOrEqual(-1 / 18);
    expect(high).toBeGreaterThanOrEqual(-1 / 18);
    expect(high - low).toBeLessThanOrEqual(0.0005);
    expect(value).toBeCloseTo(-1 / 18, 4);
    expect(chance.value).toBeCloseTo(1 / 8, 12);
    expect(chance.bestResponses['first']).toBeCloseTo(1 / 2, 12);
    expect(chance.bestResponses['second']).toBeCloseTo(5 / 12, 12);
  });
});
