/**
 * @file Tool graphs with costs and qualities in which some tools fail: the route by search on the graph, replanned after a failure, against a
 * greedy route by quality. Options: by ("search", "no replanning" or "greedy"), seed. Gives the share of the best possible value of a route
 * (quality to the second power over cost), averaged over graphs; a route that fails is worth 0.
 */

import { bestRoute, type ToolEdge } from '@ludus-agents/agents/internal/tools/tool-graph';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';

const graphs = 40;

export default function run({ by = 'search', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'graphs');
  let value = 0;
  let replanned = 0;
  for (let graph = 0; graph < graphs; graph++) {
    const edges = drawEdges(random);
    const broken = new Set(edges.filter(() => random.next() < 0.2).map(({ tool }) => tool));
    const best = bestRoute({ edges: edges.filter(({ tool }) => !broken.has(tool)), weight: 1 }, 's0', 's4');
    if (best === null) continue;
    const { route, tries } = by === 'greedy' ? greedy(edges, broken) : searched(edges, broken, by === 'search');
    replanned += by === 'search' ? tries : 0;
    if (route !== null) value += worth(best) === 0 ? 1 : Math.min(1, worth(best) / Math.max(1e-9, worth(route)));
  }
  return { value: value / graphs, replanned };
}

interface Route {
  readonly cost: number;
  readonly quality: number;
  readonly tools: readonly string[];
}

/** The quantity that the search makes small: cost times distance from perfect quality. */
function worth({ cost, quality }: Route): number {
  return cost * (1.0001 - quality);
}

function searched(
  edges: readonly ToolEdge[],
  broken: ReadonlySet<string>,
  again: boolean,
): { readonly route: Route | null; readonly tries: number } {
  const failed = new Set<string>();
  let spent = 0;
  for (let tries = 1; tries <= 10; tries++) {
    const route = bestRoute({ edges, weight: 1 }, 's0', 's4', failed);
    if (route === null) return { route: null, tries };
    const first = route.tools.find((tool) => broken.has(tool));
    if (first === undefined) return { route: { ...route, cost: route.cost + spent }, tries };
    if (!again) return { route: null, tries };
    failed.add(first);
    spent += edges.find(({ tool }) => tool === first)!.cost;
  }
  return { route: null, tries: 10 };
}

/** At every state the tool of the highest quality that has not failed yet. */
function greedy(edges: readonly ToolEdge[], broken: ReadonlySet<string>): { readonly route: Route | null; readonly tries: number } {
  let [at, cost, quality] = ['s0', 0, 1];
  const tools: string[] = [];
  const failed = new Set<string>();
  for (let step = 0; step < 40 && at !== 's4'; step++) {
    const next = edges.filter(({ from, tool }) => from === at && !failed.has(tool)).sort((a, b) => b.quality - a.quality)[0];
    if (next === undefined) return { route: null, tries: step };
    cost += next.cost;
    if (broken.has(next.tool)) {
      failed.add(next.tool);
      continue;
    }
    quality *= next.quality;
    tools.push(next.tool);
    at = next.to;
  }
  return { route: at === 's4' ? { cost, quality, tools } : null, tries: 0 };
}

/** Five states in a row; three tools between neighbors, and one that skips a state. */
function drawEdges(random: Rng): readonly ToolEdge[] {
  const edge = (from: number, to: number, name: string): ToolEdge => ({
    ...{ tool: `${from}${to}${name}`, from: `s${from}`, to: `s${to}` },
    ...{ cost: 1 + 9 * random.next(), quality: 0.5 + 0.5 * random.next() },
  });
  return [0, 1, 2, 3].flatMap((i) => [...['a', 'b', 'c'].map((name) => edge(i, i + 1, name)), ...(i < 3 ? [edge(i, i + 2, 'd')] : [])]);
}
