/** @file Tests that the laboratory environments reward exactly the right moves. */

import { type Agent, type AnyEnvironment, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { environmentGroup, environmentNames } from '../built-in.ts';
import { solve } from '../solve/index.ts';
import { comb } from './comb.ts';
import { courier } from './courier.ts';
import { gauge } from './gauge.ts';
import { ladder } from './ladder.ts';
import { matrix } from './matrix.ts';
import { habitOf, partner } from './partner.ts';
import { products } from './products.ts';
import { stairs } from './stairs.ts';
import { sums } from './sums.ts';
import { toolAt, toolshed } from './toolshed.ts';

async function returnOf(environment: AnyEnvironment, script: Agent, task: Json, seed: number): Promise<number> {
  const [seat = ''] = environment.seats(environment.task(task));
  for await (const event of play(environment, { [seat]: script }, { seed, task }))
    if (event.kind === 'end') return event.returns[seat] ?? 0;
  return Number.NaN;
}

const chooses = (index: number) => scripted('fixed', ({ ask }) => ({ text: ask.choices![index]! }));

describe('laboratory', () => {
  it('is a group of built-in environments', () => {
    expect(environmentNames().filter((name) => environmentGroup(name) === 'laboratory')).toEqual([
      ...['forge', 'trail', 'exam', 'comb', 'stairs', 'ladder', 'sums', 'products', 'matrix', 'gauge', 'courier', 'toolshed', 'partner'],
    ]);
    expect(environmentGroup('kuhn-poker')).toBe('games');
    expect(environmentNames().filter((name) => environmentGroup(name) === '')).toEqual([]);
  });

  it('comb: random play finds all right choices with a probability of ways^−choices', () => {
    const { uniform, value } = solve(comb, { turns: 6, every: 3, ways: 4 });
    expect(value).toBeCloseTo(1, 9);
    expect(uniform.value).toBeCloseTo(1 / 16, 9);
    expect(solve(comb, { turns: 6, every: 3, ways: 4, partial: true }).uniform.value).toBeCloseTo(1 / 4, 9);
  });

  it('products: the oracle is always right, and the guesser only without multiplication', async () => {
    const [oracle, guesser, expert] = ['oracle', 'guesser', 'expert'].map((name) => scripted(name, products.scripts![name]!));
    for (let seed = 0; seed < 8; seed++) {
      expect(await returnOf(products, oracle!, {}, seed)).toBe(1);
      expect(await returnOf(products, guesser!, { hard: 0 }, seed)).toBe(1);
      // Without a tool it has to guess too.
      expect(await returnOf(products, expert!, { hard: 1 }, seed)).toBe(0);
    }
  });

  it('stairs: leaving pays the exit reward, and one of two doors leads to the top', async () => {
    expect(await returnOf(stairs, scripted('leaver', stairs.scripts!['leaver']!), {}, 1)).toBeCloseTo(0.1, 9);
    const task = { floors: 1, doors: 2, trap: 1, exit: 0 };
    const rewards = await Promise.all([0, 1].map((door) => returnOf(stairs, chooses(door), task, 1)));
    expect(rewards.sort()).toEqual([0, 1]);
  });

  it('ladder: every third problem is impossible unless that option is off', async () => {
    const sumsOver = async (task: Json) => {
      const rewards = await Promise.all(
        Array.from({ length: 30 }, async (_, seed) => {
          const [left = 0, right = 0] = await Promise.all([0, 1].map((hold) => returnOf(ladder, chooses(hold), task, seed)));
          return left + right;
        }),
      );
      return new Set(rewards);
    };
    expect(await sumsOver({ pool: 3, rungs: 1, holds: 2 })).toEqual(new Set([0, 1]));
    expect(await sumsOver({ pool: 3, rungs: 1, holds: 2, impossible: false })).toEqual(new Set([1]));
  });

  it('sums: the adder is right, and the careless script only without carries', async () => {
    const [adder, careless] = ['adder', 'careless'].map((name) => scripted(name, sums.scripts![name]!));
    for (let seed = 0; seed < 20; seed++) expect(await returnOf(sums, adder!, { digits: 4 }, seed)).toBe(1);
    for (let seed = 0; seed < 20; seed++) expect(await returnOf(sums, careless!, { digits: 4, carries: false }, seed)).toBe(1);
    const slips = await Promise.all(Array.from({ length: 20 }, (_, seed) => returnOf(sums, careless!, { digits: 4 }, seed)));
    expect(slips.filter((slip) => slip === 0).length).toBeGreaterThan(10);
  });

  it('matrix: a skew-symmetric game is worth its bias, and a cycle has no best move', () => {
    const cycle = solve(matrix, { moves: 5, scale: 10 });
    expect([cycle.value, cycle.uniform.nashConv]).toEqual([expect.closeTo(0, 6), expect.closeTo(0, 6)]);
    const order = solve(matrix, { cyclic: 0, transitive: 1, bias: 0.25, scale: 2 });
    expect(order.value).toBeCloseTo(0.5, 6);
    // The highest of three moves earns 1, 1/2 and 0 from them, and the bias.
    expect(order.uniform.bestResponses['first']).toBeCloseTo(2 * (0.5 + 0.25), 6);
    expect(solve(matrix, { alignment: 1, scale: 3, noise: 1 }).value).toBeCloseTo(3, 6);
  });

  it('gauge: each further reading is worth exactly as much as the failure rate implies', () => {
    const task = { terms: 1, digits: 2, shown: false, fails: 0.5, cost: 0.05 };
    expect([0, 1, 2].map((readings) => solve(gauge, { ...task, readings }).value)).toEqual([
      expect.closeTo(0.5, 9),
      expect.closeTo(0.7, 9),
      expect.closeTo(0.8, 9),
    ]);
    expect(solve(gauge, { ...task, fails: 0.3, silent: true, readings: 1 }).value).toBeCloseTo(0.65, 9);
    expect(solve(gauge, { ...task, shown: true, readings: 1 }).value).toBeCloseTo(1, 9);
  });

  it('courier: answers are right only for facts in the memo', async () => {
    const [diligent, forgetful] = ['diligent', 'forgetful'].map((name) => scripted(name, courier.scripts![name]!));
    const returns = (script: Agent, task: Json) =>
      Promise.all(Array.from({ length: 40 }, (_, seed) => returnOf(courier, script, task, seed)));
    expect(new Set(await returns(diligent!, {}))).toEqual(new Set([1]));
    expect(Math.min(...(await returns(diligent!, { facts: 4, memo: 2 })))).toBeGreaterThanOrEqual(0.5);
    expect(new Set(await returns(diligent!, { facts: 4, memo: 2 })).size).toBeGreaterThan(1);
    const guesses = await returns(forgetful!, { facts: 8 });
    expect(guesses.reduce((sum, payment) => sum + payment, 0) / guesses.length).toBeLessThan(0.25);
  });

  it('toolshed: the best tool for a job has the lowest true cost', () => {
    const task = toolshed.task({ tools: 6, kinds: 2, jobs: 1, tries: 1, honest: 0 });
    const tools = Array.from({ length: 6 }, (_, i) => toolAt(task as never, i));
    const best = [0, 1].map((kind) => Math.max(...tools.map((tool) => (tool.kind === kind ? 0.8 : 0) - tool.cost)));
    expect(solve(toolshed, task).value).toBeCloseTo((best[0]! + best[1]!) / 2, 9);
    expect(tools.some((tool) => tool.stated !== tool.cost)).toBe(true);
  });

  it('partner: a true cue makes the game fully solvable, and a shuffled one is worthless', () => {
    const task = { types: 3, places: 3, rounds: 2 };
    const habits = [0, 1, 2].map((type) => habitOf(task, type));
    const most = Math.max(...habits.map((habit) => habits.filter((other) => other === habit).length)) / 3;
    expect(solve(partner, { ...task, cue: 'true' }).value).toBeCloseTo(1, 9);
    expect(solve(partner, { ...task, cue: 'none' }).value).toBeCloseTo((most + 1) / 2, 9);
    expect(solve(partner, { ...task, cue: 'shuffled' }).value).toBeCloseTo((most + 1) / 2, 9);
  });
});
