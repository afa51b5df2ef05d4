import type { AnyEnvironment, EndEvent, Script, Seat, Step, View } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { logOf } from '../../../test/random-environments.ts';
import { kuhnPoker } from './kuhn-poker.ts';
import type { Decision, Node, Tree, TreeStrategy } from './solve/index.ts';
import { cfr, distance, gameTree, outcomes, strategyOf, uniform } from './solve/index.ts';

const tree = gameTree(kuhnPoker);

/** Returns the decision in a view's text: the card and the betting so far. */
function spotOf(view: View): string {
  const text = textOf(view);
  const line = [...text.matchAll(/^(?:first|second) (checks|bets)/gm)].map(([, word]) => (word as string)[0]).join('');
  return `${/Your card is ([JQK])/.exec(text)?.[1]}${line}`;
}

/** The family of equilibria, one for each α from 0 to 1/3: the chance of the bold move (bet or call) at each of the twelve spots. */
function equilibrium(alpha: number): TreeStrategy {
  const bold: Readonly<Record<string, number>> = {
    J: alpha,
    Q: 0,
    K: 3 * alpha,
    Jcb: 0,
    Qcb: alpha + 1 / 3,
    Kcb: 1,
    Jc: 1 / 3,
    Qc: 0,
    Kc: 1,
    Jb: 0,
    Qb: 1 / 3,
    Kb: 1,
  };
  return tree.sets.map((set) => {
    const chance = bold[spotOf(set.view)]!;
    return [1 - chance, chance];
  });
}

function meanLength(node: Node, strategy: TreeStrategy): number {
  if (node.kind === 'terminal') return 0;
  const weights = node.kind === 'chance' ? node.chances : strategy[node.set.index]!;
  const own = node.kind === 'decision' ? 1 : 0;
  return node.children.reduce((sum, child, i) => sum + weights[i]! * meanLength(child, strategy), own);
}

/** All pure strategies of a seat: a choice at each of its six spots. */
function* pure(seat: number): Iterable<TreeStrategy> {
  const informationSets = tree.sets.filter((set) => set.seat === seat);
  for (let bits = 0; bits < 2 ** informationSets.length; bits++)
    yield tree.sets.map((set) => {
      const bold = informationSets.includes(set) ? (bits >> informationSets.indexOf(set)) & 1 : 0;
      return [1 - bold, bold];
    });
}

const worth = (strategy: TreeStrategy, grown: Tree = tree) => distance(grown, strategy).values[0]!;

describe('kuhn-poker, solved exactly', () => {
  it('has twelve information sets with distinct texts and thirty terminal histories', () => {
    expect(tree.sets).toHaveLength(12);
    expect(new Set(tree.sets.map((set) => `${set.seat} ${spotOf(set.view)}`)).size).toBe(12);
    expect(tree.terminals).toBe(30);
    expect(tree.sets.map((set) => set.nodes.length)).toEqual(new Array(12).fill(2));
    expect([...pure(0)]).toHaveLength(64);
  });

  it('deals each of the six deals with probability 1/6, both exactly and when sampled', () => {
    const deals = [...outcomes((dice) => kuhnPoker.start(kuhnPoker.task({}), dice).state.cards.join(''))];
    expect(new Set(deals.map(({ value }) => value))).toEqual(new Set(['01', '02', '10', '12', '20', '21']));
    for (const { chance } of deals) expect(chance).toBeCloseTo(1 / 6, 15);
    const counts: Record<string, number> = {};
    for (let seed = 0; seed < 6000; seed++) {
      const deal = kuhnPoker.start(kuhnPoker.task({}), rng(seed, 'start')).state.cards.join('');
      counts[deal] = (counts[deal] ?? 0) + 1;
    }
    for (const count of Object.values(counts)) expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(6000 * (1 / 6) * (5 / 6)));
  });

  it.each([0, 1 / 6, 1 / 3])('is worth −1/18 to the first seat in equilibrium with α = %f, and no deviation helps', (alpha) => {
    const { values, nashConv } = distance(tree, equilibrium(alpha));
    expect(Math.abs(values[0]! + 1 / 18)).toBeLessThan(1e-12);
    expect(Math.abs(values[1]! - 1 / 18)).toBeLessThan(1e-12);
    expect(Math.abs(nashConv)).toBeLessThan(1e-12);
  });

  it('has no pure strategy that improves on an equilibrium', () => {
    const strategy = equilibrium(1 / 6);
    for (const seat of [0, 1])
      for (const reply of pure(seat)) {
        const mixed = tree.sets.map((set) => (set.seat === seat ? reply : strategy)[set.index]!);
        expect((seat === 0 ? 1 : -1) * (worth(mixed) + 1 / 18)).toBeLessThan(1e-12);
      }
  });

  it('has a positive NashConv for a strategy that is slightly off', () => {
    expect(distance(tree, equilibrium(0.4)).nashConv).toBeGreaterThan(0.01);
  });

  it('is worth +1/8 to the first seat for random play, which both seats can improve', () => {
    const { values, bestResponses, nashConv } = distance(tree, uniform(tree));
    expect(values[0]).toBeCloseTo(1 / 8, 12);
    expect(bestResponses[0]).toBeCloseTo(1 / 2, 12);
    expect(bestResponses[1]).toBeCloseTo(5 / 12, 12);
    expect(nashConv).toBeCloseTo(11 / 12, 12);
    expect(meanLength(tree.root, uniform(tree))).toBeCloseTo(9 / 4, 12);
  });

  it('is worth 0 if calling is free, so −1/18 depends on the second chip', () => {
    const free: AnyEnvironment = {
      ...kuhnPoker,
      step(state, actions, dice) {
        const step = kuhnPoker.step(state, actions, dice) as Step;
        const caller = Object.keys(actions)[0]!;
        if (step.rewards?.[caller] !== -2) return step;
        return { ...step, rewards: Object.fromEntries(Object.entries(step.rewards).map(([seat, chips]) => [seat, chips / 2])) };
      },
    };
    const changed = gameTree(free);
    const { values, nashConv } = distance(changed, cfr(changed, 2000));
    expect(nashConv).toBeLessThan(1e-3);
    expect(Math.abs(values[0]!)).toBeLessThan(1e-3);
  });

  it('alternates the opening seat over two hands, so random play is worth 0', () => {
    const two = gameTree(kuhnPoker, { rounds: 2 });
    expect(worth(uniform(two), two)).toBeCloseTo(0, 12);
    expect(two.terminals).toBe(900);
    const opener = (set: Decision['set']) => /Hand 2 of 2: (\w+) opens/.exec(textOf(set.view))?.[1];
    expect(new Set(two.sets.map(opener))).toEqual(new Set([undefined, 'second']));
  });
});

describe('kuhn-poker scripts', () => {
  const played = (name: string) => {
    const script = kuhnPoker.scripts?.[name] as Script;
    return strategyOf(tree, [script, script]);
  };

  it('equilibrium plays exactly the equilibrium with α = 1/6', () => {
    const exact = equilibrium(1 / 6);
    for (const { index } of tree.sets)
      for (const choice of [0, 1]) expect(played('equilibrium')[index]?.[choice]).toBeCloseTo(exact[index]?.[choice] as number, 15);
    expect(Math.abs(distance(tree, played('equilibrium')).nashConv)).toBeLessThan(1e-12);
  });

  it('honest and bold tie against themselves and are exploitable', () => {
    expect(distance(tree, played('honest'))).toMatchObject({ values: [0, 0], nashConv: expect.closeTo(1 / 2, 12) });
    expect(distance(tree, played('bold'))).toMatchObject({ values: [0, 0], nashConv: expect.closeTo(2 / 3, 12) });
  });

  it('equilibrium plays later hands in both positions as it plays the first', () => {
    const two = gameTree(kuhnPoker, { rounds: 2 });
    const script = kuhnPoker.scripts?.['equilibrium'] as Script;
    expect(Math.abs(distance(two, strategyOf(two, [script, script])).nashConv)).toBeLessThan(1e-12);
  });
});

describe('kuhn-poker', () => {
  const playing = (moves: Readonly<Record<Seat, readonly string[]>>, seed = 0, task = {}) => {
    const agents = Object.fromEntries(
      ['first', 'second'].map((seat) => {
        const left = [...(moves[seat] ?? [])];
        return [seat, scripted(seat, () => ({ text: left.shift() ?? '' }))];
      }),
    );
    return logOf(play(kuhnPoker, agents, { seed, task }));
  };

  it.each([
    [['[check]'], ['[check]'], 1],
    [['[check]', '[fold]'], ['[bet]'], null],
    [['[check]', '[call]'], ['[bet]'], 2],
    [['[bet]'], ['[fold]'], null],
    [['[bet]'], ['[call]'], 2],
  ])('pays %j against %j by the cards and hides them after a fold', async (first, second, stake) => {
    for (let seed = 0; seed < 12; seed++) {
      const log = await playing({ first, second }, seed);
      const { cards } = kuhnPoker.start(kuhnPoker.task({}), rng(seed, 'start')).state;
      const [a, b] = cards as [number, number];
      const { returns } = log.at(-1) as EndEvent;
      const shown = textOf(viewOf(log, 'first')).includes(`second has ${'JQK'[b]}`);
      expect(returns['first']).toBe(stake === null ? (first.at(-1) === '[fold]' ? -1 : 1) : a > b ? stake : -stake);
      expect(shown).toBe(stake !== null);
      expect(textOf(viewOf(log, 'second')).includes(`first has ${'JQK'[a]}`)).toBe(stake !== null);
    }
  });

  it('forfeits the ante after the allowed number of invalid answers', async () => {
    const log = await playing({ first: ['hm', '[fold]', '[check] [bet]'] }, 0, { retries: 2 });
    expect(log.at(-1)).toMatchObject({ returns: { first: -1, second: 1 }, penalties: { first: 2, second: 0 }, turns: 3 });
    const saved = await playing({ first: ['hm', 'hm', '[check]'], second: ['hm', '[check]'] }, 0, { retries: 2 });
    expect(saved.at(-1)).toMatchObject({ reason: 'over', penalties: { first: 2, second: 1 }, turns: 5 });
  });
});
