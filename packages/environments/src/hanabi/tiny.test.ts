import type { Script } from '@ludus-agents/kernel/internal/core/index';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { describe, expect, it } from 'vitest';
import { expectedReturns, gameTree, strategyOf, type TreeStrategy, teamOptimum, together, uniform } from '../solve/index.ts';
import { hanabiTiny } from './tiny.ts';

const tree = gameTree(hanabiTiny);
const worth = (strategy: TreeStrategy) => expectedReturns(tree, strategy)[0]!;
const { optimal, safe } = hanabiTiny.scripts as { optimal: Script; safe: Script };

/** The card and the move of the first seat, as read by the second seat. */
const signal = (index: number) =>
  tree.sets[index]?.view.seen.findLast((item) => item.kind === 'message' && item.text.startsWith('first plays'));
const cardAt = (index: number) => {
  const dealt = tree.sets[index]?.view.seen.find((item) => item.kind === 'message' && item.text.startsWith('Your card is'));
  return dealt?.kind === 'message' && dealt.text.includes('A') ? 0 : 1;
};

describe('hanabi-tiny, solved exactly', () => {
  it('has eight information sets and thirty-six terminal histories', () => {
    expect(tree.sets.map(({ seat }) => seat).sort()).toEqual([0, 0, 1, 1, 1, 1, 1, 1]);
    expect(tree.terminals).toBe(36);
    expect(tree.sets.every(({ index, seat }) => (signal(index) === undefined) === (seat === 0))).toBe(true);
  });

  it('is worth 10 at best and 67/18 for random play', () => {
    expect(teamOptimum(tree).value).toBe(10);
    expect(worth(uniform(tree))).toBeCloseTo(67 / 18, 12);
  });

  it('is worth 8 at best if the second seat ignores the move', () => {
    let best = -Infinity;
    for (let i = 0; i < 81; i++) {
      const picks = [i % 3, Math.floor(i / 3) % 3, Math.floor(i / 9) % 3, Math.floor(i / 27) % 3];
      const strategy = tree.sets.map(({ index, seat, choices }) => choices.map((_, k) => (k === picks[2 * seat + cardAt(index)] ? 1 : 0)));
      best = Math.max(best, worth(strategy));
    }
    expect(best).toBeCloseTo(8, 12);
  });

  it('is worth 10 to two optimal players, 8 to two safe players, and 0 to a mixed pair', () => {
    const pair = (first: Script, second: Script) => worth(strategyOf(tree, [first, second]));
    expect(pair(optimal, optimal)).toBe(10);
    expect(pair(safe, safe)).toBe(8);
    expect(pair(optimal, safe)).toBe(0);
    expect(worth(together(tree, [strategyOf(tree, [optimal, optimal]), uniform(tree)]))).toBeLessThan(5);
  });
});

describe('hanabi-tiny', () => {
  it('passes the environment checks', async () => {
    expect(await check(hanabiTiny)).toEqual([]);
  });
});
