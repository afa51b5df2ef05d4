import { type EndEvent, type Script, type Seat, scripted, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { logOf } from '../../../test/random-environments.ts';
import { leduc } from './leduc.ts';
import { cfr, distance, expectedReturns, gameTree, type Node, strategyOf, type TreeStrategy, together, uniform } from './solve/index.ts';
import { dress } from './surface.ts';

const tree = gameTree(leduc);
const anchors = leduc.scripts as Readonly<Record<string, Script>>;
const anchor = (name: string) => anchors[name]!;

function meanLength(node: Node, strategy: TreeStrategy): number {
  if (node.kind === 'terminal') return 0;
  const weights = node.kind === 'chance' ? node.chances : strategy[node.set.index]!;
  const rest = node.children.reduce((sum, child, i) => sum + weights[i]! * meanLength(child, strategy), 0);
  return rest + (node.kind === 'decision' ? 1 : 0);
}

describe('leduc, solved exactly', () => {
  it('has 936 information sets, 5,520 terminal histories, and 9,451 nodes', () => {
    expect([tree.sets.length, tree.terminals, tree.nodes.length]).toEqual([936, 5520, 9451]);
    expect(tree.nodes.filter((node) => node.kind === 'chance')).toHaveLength(1 + 30 * 5);
    const ranksOnly = new Set(tree.sets.map(({ view }) => textOf(view).replaceAll(/ of (hearts|spades)/g, '')));
    expect(ranksOnly.size).toBe(288);
  });

  it('is worth −5/64 for random play over 65/16 moves, and both seats can improve', () => {
    const { values, bestResponses, nashConv } = distance(tree, uniform(tree));
    expect(values[0]).toBeCloseTo(-5 / 64, 12);
    expect(meanLength(tree.root, uniform(tree))).toBeCloseTo(65 / 16, 12);
    expect(bestResponses[0]).toBeCloseTo(2.0875, 10);
    expect(bestResponses[1]).toBeCloseTo(2.6597222222, 9);
    expect(nashConv).toBeCloseTo(4.7472222222, 9);
  });

  it('is worth −0.085606424078 to the opening seat, within best-response bounds', () => {
    const strategy = cfr(tree, 1500);
    const { values, bestResponses } = distance(tree, strategy);
    const [high, low] = [bestResponses[0]!, -bestResponses[1]!];
    expect(low).toBeLessThanOrEqual(-0.085606424078);
    expect(high).toBeGreaterThanOrEqual(-0.085606424078);
    expect(high - low).toBeLessThan(5e-4);
    expect(values[0]).toBeCloseTo(-0.085606424078, 5);
  });

  it('has another value if ties pay the opening seat', () => {
    const halved = gameTree({
      ...leduc,
      step(state, actions, dice) {
        const step = leduc.step(state, actions, dice);
        const even = step.rewards?.['first'] === 0;
        return even ? { ...step, rewards: { first: 1, second: -1 } } : step;
      },
    });
    const { bestResponses } = distance(halved, cfr(halved, 500));
    expect(-bestResponses[1]!).toBeGreaterThan(-0.08);
  });

  it('is unchanged when disguised with made-up words', () => {
    const disguised = gameTree(dress(leduc), { disguise: 7 });
    expect([disguised.sets.length, disguised.terminals, disguised.nodes.length]).toEqual([936, 5520, 9451]);
    expect(distance(disguised, uniform(disguised)).nashConv).toBeCloseTo(4.7472222222, 9);
    const words = disguised.sets.map(({ view, choices }) => textOf(view) + choices.join(' ')).join('\n');
    for (const word of leduc.about.words ?? []) expect(words).not.toMatch(new RegExp(`\\b${word}\\b`));
  });
});

describe('leduc scripts', () => {
  const strategyBy = (first: string, second: string) => strategyOf(tree, [anchor(first), anchor(second)]);

  it('cfr is exploitable by less than 0.002 chips per hand', () => {
    expect(distance(tree, strategyBy('cfr', 'cfr')).nashConv).toBeLessThan(0.002);
  });

  it('tight beats chance, loses to cfr, and is much more exploitable', () => {
    const chance = uniform(tree);
    const tight = strategyBy('tight', 'tight');
    for (const seat of [0, 1]) {
      const against = (other: TreeStrategy) => expectedReturns(tree, together(tree, seat === 0 ? [tight, other] : [other, tight]))[seat]!;
      expect(against(chance)).toBeGreaterThan(0.3);
      expect(against(strategyBy('cfr', 'cfr'))).toBeLessThan(seat === 0 ? -0.0856 : 0.0856);
    }
    expect(distance(tree, tight).nashConv).toBeCloseTo(4 / 3, 10);
  });

  it('cfr plays later hands in both positions', async () => {
    const agents = { first: scripted('cfr', anchor('cfr')), second: scripted('cfr', anchor('cfr')) };
    const log = await logOf(play(leduc, agents, { seed: 3, task: { hands: 40 } }));
    expect(log.at(-1)).toMatchObject({ reason: 'over', penalties: { first: 0, second: 0 } });
  });
});

describe('leduc', () => {
  const playing = (moves: Readonly<Record<Seat, readonly string[]>>, seed = 0, task = {}) => {
    const agents = Object.fromEntries(
      ['first', 'second'].map((seat) => {
        const left = [...(moves[seat] ?? [])];
        return [seat, scripted(seat, () => ({ text: left.shift() ?? '' }))];
      }),
    );
    return logOf(play(leduc, agents, { seed, task }));
  };

  it.each([
    { first: ['[call]', '[call]'], second: ['[call]', '[call]'], stake: 1 },
    { first: ['[raise]', '[call]'], second: ['[call]', '[call]'], stake: 3 },
    { first: ['[raise]', '[call]', '[raise]', '[call]'], second: ['[raise]', '[raise]'], stake: 13 },
    { first: ['[call]', '[raise]', '[call]', '[call]'], second: ['[raise]', '[call]', '[raise]'], stake: 9 },
  ])('pays $stake at the showdown of $first against $second: a pair first, then the higher card', async ({ first, second, stake }) => {
    for (let seed = 0; seed < 30; seed++) {
      const log = await playing({ first, second }, seed);
      const { returns } = log.at(-1) as EndEvent;
      const text = textOf(viewOf(log, 'first'));
      const [, a, b] = /first has (\w) of \w+, second has (\w) of/.exec(text) as unknown as [string, string, string];
      const board = /The public card is (\w)/.exec(text)?.[1];
      const [mine, theirs] = [a, b].map((card) => (card === board ? 3 : 'JQK'.indexOf(card))) as [number, number];
      expect(returns['first']).toBe(mine === theirs ? 0 : mine > theirs ? stake : -stake);
      expect(returns['first']! + returns['second']!).toBe(0);
    }
  });

  it('takes the stake of the seat that folds without showing cards', async () => {
    const folded = await playing({ first: ['[raise]', '[fold]'], second: ['[raise]'] }, 1);
    expect(folded.at(-1)).toMatchObject({ returns: { first: -3, second: 3 } });
    const late = await playing({ first: ['[raise]', '[call]', '[fold]'], second: ['[call]', '[raise]'] }, 1);
    expect(late.at(-1)).toMatchObject({ returns: { first: -3, second: 3 } });
    for (const log of [folded, late])
      for (const seat of ['first', 'second']) expect(textOf(viewOf(log, seat))).not.toMatch(/Showdown|second has|first has/);
  });

  it('allows two raises per round in total, and a fold only when facing one', async () => {
    const log = await playing({ first: ['[fold]', '[raise]', '[raise]', '[call]', '[call]'], second: ['[raise]', '[call]'] }, 2);
    const asked = log.flatMap((event) => (event.kind === 'turn' ? [event.asks[0]?.choices?.join('')] : []));
    expect(asked.slice(0, 4)).toEqual(['[call][raise]', '[call][raise]', '[fold][call][raise]', '[fold][call]']);
    expect(log.at(-1)).toMatchObject({ penalties: { first: 2, second: 0 } });
  });

  it('takes the stake of a seat with too many invalid answers', async () => {
    const log = await playing({ first: ['[raise]'], second: ['um', 'er', 'oh'] }, 4);
    expect(log.at(-1)).toMatchObject({ reason: 'over', returns: { first: 1, second: -1 }, penalties: { first: 0, second: 2 } });
  });
});
