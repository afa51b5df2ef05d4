import { type AnyEnvironment, type EndEvent, type Json, type Script, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { logOf } from '../../../test/random-environments.ts';
import { horizonOf } from './kinarow.scripts.ts';
import { connectFour, kinarow, ticTacToe } from './kinarow.ts';
import { distance, expectedReturns, minimax, positions, strategyOf, type Tree, together, uniform } from './solve/index.ts';

const script = (name: string) => ticTacToe.scripts?.[name] as Script;
const random: Script = ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) });

async function match(
  environment: AnyEnvironment,
  players: { readonly X: Script; readonly O: Script },
  setting: { seed: number; task?: Json },
) {
  const log = await logOf(play(environment, { X: scripted('X', players.X), O: scripted('O', players.O) }, setting));
  return log.at(-1) as EndEvent;
}

describe('minimax script', () => {
  it('plays exactly the best moves in every position of tic-tac-toe', () => {
    const tree = positions(ticTacToe) as Tree;
    const best = minimax(tree);
    const played = strategyOf(tree, [script('minimax'), script('minimax')]);
    for (const { index } of tree.sets) expect(played[index]).toEqual(best.strategy[index]);
    expect(distance(tree, played).nashConv).toBe(0);
    expect(expectedReturns(tree, together(tree, [played, uniform(tree)]))[0]).toBeCloseTo(75257 / 77760, 12);
    expect(expectedReturns(tree, together(tree, [uniform(tree), played]))[1]).toBeCloseTo(2645 / 3402, 12);
  });

  it('wins the winnable game of three in a row on 4×4 with gravity', async () => {
    for (let seed = 0; seed < 20; seed++)
      expect((await match(kinarow, { X: script('minimax'), O: random }, { seed })).returns).toEqual({ X: 1, O: -1 });
    expect((await match(kinarow, { X: script('minimax'), O: script('minimax') }, { seed: 1 })).returns).toEqual({ X: 1, O: -1 });
  });

  it('draws the drawn game of four in a row on 4×4 with gravity', async () => {
    for (const seed of [1, 2, 3])
      expect((await match(kinarow, { X: script('minimax'), O: script('minimax') }, { seed, task: { k: 4 } })).returns).toEqual({
        X: 0,
        O: 0,
      });
  });

  it('rejects boards that are too large to search', async () => {
    const { reason, fault } = await match(connectFour, { X: script('minimax'), O: random }, { seed: 1 });
    expect([reason, fault?.boundary, fault?.message]).toEqual(['error', 'input', expect.stringContaining('. Use the script lookahead.')]);
  });
});

describe('lookahead script', () => {
  it('plays well against chance but loses to perfect play', () => {
    const tree = positions(ticTacToe) as Tree;
    const ahead = strategyOf(tree, [script('lookahead'), script('lookahead')]);
    expect(expectedReturns(tree, together(tree, [ahead, uniform(tree)]))[0]).toBeGreaterThan(0.9);
    expect(expectedReturns(tree, together(tree, [ahead, minimax(tree).strategy]))[0]).toBeLessThan(0);
  });

  it('beats random play at connect-four on either side', async () => {
    for (let seed = 0; seed < 10; seed++) {
      expect((await match(connectFour, { X: script('lookahead'), O: random }, { seed })).returns['X']).toBe(1);
      expect((await match(connectFour, { X: random, O: script('lookahead') }, { seed })).returns['O']).toBe(1);
    }
  });

  it('searches less deeply on boards with many moves', async () => {
    expect([3, 5, 7, 12].map((side) => horizonOf({ columns: side, rows: side, gravity: false }))).toEqual([4, 4, 3, 2]);
    expect(horizonOf({ columns: 12, rows: 12, gravity: true })).toBe(4);
    const task = { columns: 12, rows: 12, k: 3, gravity: false };
    expect((await match(kinarow, { X: script('lookahead'), O: random }, { seed: 1, task })).reason).toBe('over');
  });

  it('takes an immediate win and blocks a loss', async () => {
    const fixed = (...moves: string[]): Script => {
      const left = [...moves];
      return (turn) => ({ text: left.shift() ?? (script('lookahead')(turn) as { text: string }).text });
    };
    const blocked = await match(connectFour, { X: fixed('[0]', '[0]', '[0]', '[0]'), O: fixed('[6]', '[5]') }, { seed: 1 });
    expect(blocked.returns['X']).not.toBe(1);
    const won = await match(connectFour, { X: fixed('[0]', '[0]', '[0]'), O: fixed('[6]', '[5]', '[6]') }, { seed: 1 });
    expect([won.returns['X'], won.turns]).toEqual([1, 7]);
  });
});
