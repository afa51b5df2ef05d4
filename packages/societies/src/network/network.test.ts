import { type EpisodeEvent, type JsonObject, rng, type Script, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { type GraphName, graphOf, makeGraph } from './graph.ts';
import { network } from './network.ts';
import { type SpreadRules, simulateSpread, states, throwAt } from './spread.ts';

const rules: SpreadRules = { model: 'si', beta: 0.3, gamma: 0.5, threshold: 0.5, key: 0 };
const graph = (name: GraphName, people: number) => makeGraph(name, people, 4, rng(0, 'graph'));
/** Seeds far apart, as an episode's own key is. */
const keyOf = (i: number) => rng(i, 'key').int(2 ** 31);

function means(
  name: GraphName,
  people: number,
  { from, changes, steps, of }: { from: number; changes: Partial<SpreadRules>; steps: number; of: (curve: readonly number[]) => number },
) {
  const runs = 6000;
  const shape = graph(name, people);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < runs; i++) {
    const value = of(simulateSpread(shape, { ...rules, ...changes, key: keyOf(i) }, { from: [from], steps }).curve);
    sum += value;
    squares += value ** 2;
  }
  const mean = sum / runs;
  const variance = squares / runs - mean ** 2;
  return { mean, variance, within: 4.9 * Math.sqrt(variance / runs) };
}

describe('permanent contagion', () => {
  it.each<[GraphName, number, number, number, number]>([
    ['path', 4, 0, 3, 1.9],
    ['path', 4, 0, 6, 2.717866],
    ['path', 4, 1, 4, 2.8681],
    ['star', 5, 0, 6, 4.529404],
    ['star', 5, 1, 4, 2.8048],
    ['cycle', 5, 0, 4, 3.329384],
    ['complete', 4, 0, 3, 3.38086],
    ['complete', 5, 0, 2, 3.523001],
  ])('matches the exact mean: on a %s of %i from %i within %i steps %f people', (name, people, from, steps, exact) => {
    const { mean, within } = means(name, people, { from, changes: {}, steps, of: (curve) => curve[steps] ?? (curve.at(-1) as number) });
    expect(Math.abs(mean - exact)).toBeLessThan(within);
  });

  it('is not passed on in the step in which it arrives', () => {
    const { mean, within } = means('path', 4, { from: 0, changes: {}, steps: 1, of: (curve) => curve[1]! });
    expect(Math.abs(mean - 1.3)).toBeLessThan(within);
    expect(Math.abs(mean - 1.417)).toBeGreaterThan(within);
  });
});

describe('temporary contagion', () => {
  it.each<[GraphName, number, number, number, number]>([
    ['path', 4, 0, 1, 1.417],
    ['star', 5, 0, 1, 2.2],
    ['complete', 4, 0, 1, 2.316556],
    ['cycle', 5, 0, 1, 1.84048],
    ['path', 4, 0, 0.5, 1.772872],
    ['star', 5, 0, 0.5, 2.846154],
    ['complete', 3, 0, 0.5, 2.120577],
    ['cycle', 5, 0, 0.5, 2.539133],
  ])('matches the exact mean: on a %s of %i from %i at γ %f in the end %f people', (name, people, from, gamma, exact) => {
    const { mean, within } = means(name, people, {
      from,
      changes: { model: 'sir', gamma },
      steps: 1000,
      of: (curve) => curve.at(-1) as number,
    });
    expect(Math.abs(mean - exact)).toBeLessThan(within);
  });

  it('uses one infectious period for all neighbors, as the variance on a star shows', () => {
    const { variance } = means('star', 5, {
      from: 0,
      changes: { model: 'sir', gamma: 0.5 },
      steps: 1000,
      of: (curve) => curve.at(-1) as number,
    });
    expect(Math.abs(variance - 1.408833)).toBeLessThan(0.12);
  });
});

describe('thresholds', () => {
  const curve = (people: number, edges: readonly (readonly [number, number])[], threshold: number, from: readonly number[]) =>
    simulateSpread(graphOf(people, edges), { ...rules, model: 'threshold', threshold }, { from, steps: 100 }).curve;
  const cycle = Array.from({ length: 10 }, (_, i) => [i, (i + 1) % 10] as const);
  const ring = Array.from({ length: 20 }, (_, i) => [[i, (i + 1) % 20] as const, [i, (i + 2) % 20] as const]).flat();

  it('spread adoption if they are low enough, and stop it otherwise', () => {
    expect(curve(10, cycle, 0.5, [0]).slice(0, 6)).toEqual([1, 3, 5, 7, 9, 10]);
    expect(curve(10, cycle, 0.51, [0]).at(-1)).toBe(1);
    expect(curve(20, ring, 0.5, [0, 1]).slice(0, 4)).toEqual([2, 4, 6, 8]);
    expect(curve(20, ring, 0.5, [0, 10]).at(-1)).toBe(2);
    expect(curve(20, ring, 0.25, [0]).slice(0, 6)).toEqual([1, 5, 9, 13, 17, 20]);
  });
});

describe('a rumor with a correction', () => {
  it('spreads the same before the correction and never further after it', () => {
    let smaller = 0;
    for (let i = 0; i < 200; i++) {
      const shape = makeGraph('small-world', 60, 4, rng(i, 'graph'));
      const play = (correction?: number) =>
        simulateSpread(
          shape,
          { ...rules, model: 'rumour', key: keyOf(i) },
          { from: [0], steps: 20, ...(correction === undefined ? {} : { correction: { step: correction, at: [30] } }) },
        );
      const [free, corrected] = [play(), play(5)];
      expect(corrected.curve.slice(0, 6)).toEqual(free.curve.slice(0, 6));
      corrected.curve.forEach((value, step) => {
        expect(value).toBeLessThanOrEqual(free.curve[step]!);
      });
      if ((corrected.curve.at(-1) as number) < (free.curve.at(-1) as number)) smaller++;
      expect(corrected.status.filter((value) => value === states.corrected).length).toBeGreaterThan(0);
    }
    expect(smaller).toBeGreaterThan(150);
  });
});

describe('networks', () => {
  it('have the right number of undirected edges for their kind', () => {
    const edges = (name: GraphName, people: number, degree: number) => makeGraph(name, people, degree, rng(1, name)).targets.length / 2;
    expect(edges('path', 7, 4)).toBe(6);
    expect(edges('star', 7, 4)).toBe(6);
    expect(edges('cycle', 7, 4)).toBe(7);
    expect(edges('complete', 7, 4)).toBe(21);
    expect(edges('random', 100, 6)).toBe(300);
    expect(edges('small-world', 100, 6)).toBeGreaterThan(270);
    expect(edges('preferential', 100, 6)).toBeGreaterThan(250);
    expect(() => graphOf(3, [[0, 3]])).toThrow(/must join two people from 0 to 2/);
  });

  it('use uniform random numbers', () => {
    const cells = new Array<number>(20).fill(0);
    for (let step = 0; step < 100; step++)
      for (let place = 0; place < 1000; place++) {
        const cell = Math.floor(throwAt(77, step, place) * 20);
        cells[cell] = cells[cell]! + 1;
      }
    const statistic = cells.reduce((sum, count) => sum + (count - 5000) ** 2 / 5000, 0);
    expect(statistic).toBeLessThan(50);
  });
});

describe('the environment', () => {
  const scripts = network.scripts as Readonly<Record<string, Script>>;
  async function curveOf(task: JsonObject, seed: number, script: string): Promise<readonly number[]> {
    const cast = Object.fromEntries(network.seats(network.task(task)).map((seat) => [seat, scriptedPolicy(seat, scripts[script]!)]));
    const [log] = await rollout(network, cast, { seeds: [seed], task });
    const note = (log as readonly EpisodeEvent[]).findLast((event) => event.kind === 'message' && event.to.length === 0);
    return (note as unknown as { data: { measures: { curve: readonly number[] } } }).data.measures.curve;
  }

  it('matches the exact process if seats always share, and does not spread if they never do', async () => {
    const task = { graph: 'complete', people: 4, seats: 4, steps: 3 };
    let [sum, squares] = [0, 0];
    for (let seed = 0; seed < 1000; seed++) {
      const reached = (await curveOf(task, seed, 'share')).at(-1) as number;
      sum += reached;
      squares += reached ** 2;
    }
    const sd = Math.sqrt(squares / 1000 - (sum / 1000) ** 2);
    expect(Math.abs(sum / 1000 - 3.38086)).toBeLessThan((4.9 * sd) / Math.sqrt(1000));
    expect((await curveOf(task, 1, 'keep')).at(-1)).toBe(1);
  });

  it('rejects more seats than people, and invalid edges', () => {
    expect(() => network.task({ people: 2, seats: 3 })).toThrow(/"seats" can be at most/);
    expect(() => network.task({ people: 2, seats: 1, edges: [[0, 2]] })).toThrow(/An edge must join two people from 0 to/);
    expect(() => network.task({ edges: 'ring' })).toThrow(/must be pairs of people/);
  });
});

describe('interventions on a network', () => {
  /** Tells until it is warned. */
  const wary: Script = ({ view }) => ({
    text: view.seen.some((item) => item.kind === 'message' && item.text === 'It may not be true.') ? '[keep]' : '[share]',
  });
  const curveOf = async (interventions: JsonObject[], seed: number) => {
    const task = { graph: 'complete', people: 6, seats: 6, beta: 0.3, steps: 8, interventions };
    const cast = Object.fromEntries(network.seats(network.task(task)).map((seat) => [seat, scriptedPolicy('wary', wary)]));
    const [log] = await rollout(network, cast, { seeds: [seed], task });
    const notes = (log as readonly EpisodeEvent[]).flatMap((event) => (event.kind === 'message' && event.to.length === 0 ? [event] : []));
    const { measures } = notes.at(-1)!.data as unknown as { measures: { curve: readonly number[] } };
    return { curve: measures.curve, happened: notes.filter(({ text }) => text.startsWith('intervention')).length };
  };
  const warning = { name: 'warning', when: { measure: 'reached', least: 3 }, tell: 'It may not be true.' };

  it('happen once their condition is met, to undecided people, and change nothing earlier', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const plain = await curveOf([], seed);
      const warned = await curveOf([warning], seed);
      const at = plain.curve.findIndex((reached) => reached >= 3);
      expect(plain.happened).toBe(0);
      expect(warned.happened).toBe(at < 0 || at >= 8 ? 0 : 1);
      if (at < 0) continue;
      expect(warned.curve.slice(0, at + 1)).toEqual(plain.curve.slice(0, at + 1));
      // Everyone who knows it was warned, so it is no longer passed on.
      expect(new Set(warned.curve.slice(at)).size).toBe(1);
    }
  });

  it('are rejected if they name unknown measures', () => {
    expect(() => network.task({ interventions: [{ ...warning, when: { measure: 'variance', least: 1 } }] })).toThrow(
      'the measures are reached, share, step',
    );
    expect(network.task({})).not.toHaveProperty('interventions');
  });
});
