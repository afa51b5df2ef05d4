/** @file Coverage against trees that are known, an explorer against chance, and its control without novelty. */

import { explorer, learnStyle } from '@ludus-agents/agents/internal/explorer';
import { random } from '@ludus-agents/agents/internal/random';
import { ticTacToe } from '@ludus-agents/environments/internal/kinarow';
import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type Agent, type Json, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { coverageOf } from './coverage.ts';
import { reachableFrom } from './reachable.ts';

const player = (make: () => Agent) => async () => make();

/** The least of a board's eight turns and reflections. */
function upToSymmetry(cells: string): string {
  const turn = (board: string) => [6, 3, 0, 7, 4, 1, 8, 5, 2].map((i) => board[i]).join('');
  const flip = (board: string) => [2, 1, 0, 5, 4, 3, 8, 7, 6].map((i) => board[i]).join('');
  const turns = [cells, turn(cells), turn(turn(cells)), turn(turn(turn(cells)))];
  return [...turns, ...turns.map(flip)].sort()[0]!;
}

describe('coverage', () => {
  it('counts the 5,478 positions of tic-tac-toe, 765 up to symmetry', () => {
    const shapes = new Set<string>();
    const all = reachableFrom(ticTacToe, {}, (state) => shapes.add(upToSymmetry((state as { cells: string }).cells)));
    // 16,167 moves lead from the 4,520 positions that are not over.
    expect(all).toEqual({ states: 5478, edges: 16_167 });
    expect(shapes.size).toBe(765);
  });

  it('counts the tree of Kuhn poker: six deals of nine lines, with eight moves in each', async () => {
    expect(reachableFrom(kuhnPoker)).toEqual({ states: 54, edges: 48 });
    const { rows } = await coverageOf({
      environment: kuhnPoker,
      players: { random: player(random) },
      episodes: 500,
      repeats: 1,
    });
    expect(rows[0]).toMatchObject({ states: 54, edges: 48, untried: { edges: 0, moves: [] }, illegal: 0, failed: 0 });
    expect(rows[0]!.gain).toBeUndefined();
  });

  it('omits the total if the environment cannot be enumerated', () => {
    expect(reachableFrom({ ...kuhnPoker, about: { ...kuhnPoker.about, complete: false } })).toBeNull();
  });

  it('is higher for an explorer than for chance by state or view, and not without novelty', async () => {
    const settings = { novelty: 1, likeness: 1, style: {} };
    const players = {
      random: player(random),
      explorer: player(() => explorer('explorer', settings)),
      control: player(() => explorer('control', { ...settings, novelty: 0 })),
    };
    const { rows } = await coverageOf({ environment: ticTacToe, players, episodes: 100, repeats: 5 });
    expect(rows[1]!.gain!.interval[0]).toBeGreaterThan(0);
    // Without novelty and a style all moves are worth the same: it is chance, move for move.
    expect(rows[2]!.gain).toMatchObject({ value: 0, interval: [0, 0] });
    expect(rows[1]!.growth.map(({ episodes }) => episodes)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    // What is tried while looking ahead is not seen: an episode of tic-tac-toe has ten positions at most.
    expect(rows[1]!.growth[0]!.states).toBeLessThanOrEqual(91);
    const closed = { ...ticTacToe, about: { ...ticTacToe.about, open: false } };
    const { control: _, ...two } = players;
    const blind = await coverageOf({ environment: closed, players: two, episodes: 100, repeats: 5 });
    expect(blind.rows[1]!.gain!.interval[0]).toBeGreaterThan(0);
  });

  it('lists untried moves and counts malformed answers as illegal, not as moves', async () => {
    const corner = () => scripted('corner', () => ({ text: 'I think [1] or [2]' }));
    const coverage = await coverageOf({ environment: ticTacToe, players: { corner: player(corner) }, episodes: 2, repeats: 1 });
    expect(coverage.rows[0]).toMatchObject({ edges: 0, moves: 0, illegal: 6 });
    expect(coverage.rows[0]!.untried.moves).toHaveLength(9);
  });

  it('guides an explorer toward a demonstrated style and measures the similarity', async () => {
    const first = () => scripted('first', ({ ask }) => ({ text: ask.choices![0]! }));
    const logs = [await Array.fromAsync(play(ticTacToe, { X: first(), O: first() }, { seed: 1 }))];
    const style = learnStyle(logs);
    const { rows } = await coverageOf({
      environment: ticTacToe,
      players: {
        explorer: player(() => explorer('explorer', { novelty: 1, likeness: 1, style: {} })),
        alike: player(() => explorer('alike', { novelty: 1, likeness: 3, style })),
      },
      demonstrations: [{ name: 'first', logs }],
      episodes: 30,
      repeats: 2,
    });
    expect(rows.map(({ name }) => name)).toEqual(['explorer', 'alike', 'first']);
    expect(rows[1]!.likeness['first']).toBeGreaterThan(rows[0]!.likeness['first']! + 0.3);
    expect(rows[2]).toMatchObject({ episodes: 1, states: 8, edges: 7, failed: 0 });
    expect(JSON.parse(JSON.stringify(style as Json))).toEqual(style);
  });
});
