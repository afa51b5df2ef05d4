/**
 * @file Plans routes over a tool graph before a turn and again after a failure (CoSTA*, arXiv 2503.10613). A model writes a tree of
 * sub-tasks as paths over the stages of the graph, tools on none of them are pruned, and the best route over the rest is searched. The
 * result of each tool updates its cost and quality for later turns and, with lasting memory, later episodes.
 */

import { isObject, type Json, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { ToolRecord, Toolset } from './tool.ts';
import { bestRoute, type ToolEdge, type ToolGraph, type ToolRoute } from './tool-graph.ts';

/** The results of a tool's calls: total quality, at most 1 per call, and cost if the tool reports it. */
export type ToolOutcome = { readonly calls: number; readonly quality: number; readonly costs: number; readonly cost: number };

export type ToolOutcomes = Readonly<Record<string, ToolOutcome>>;

/** The state of a planned route for later turns and episodes. */
export type ToolPlan = {
  readonly paths: readonly (readonly string[])[];
  /** The most recently planned route. */
  readonly route: readonly string[];
  readonly outcomes: ToolOutcomes;
  /** The number of planned turns, tools pruned in them, and routes planned again after a failure. */
  readonly acted: { readonly planned: number; readonly pruned: number; readonly replanned: number };
};

/** The weight of a declared cost or quality, in calls. */
const prior = 2;
/** A result below this quality counts as a failure. */
const enough = 0.5;
const mostPaths = 6;

/** The stages connected by the tools of a graph. */
export function stagesOf({ edges }: ToolGraph): readonly string[] {
  return [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
}

/** The model's paths over existing stages, after "Path:" or in any line with arrows; a path needs at least two stages. */
export function pathsIn(text: string, graph: ToolGraph): readonly (readonly string[])[] {
  const stages = new Map(stagesOf(graph).map((stage) => [stage.toLowerCase(), stage]));
  const lines = text.split('\n').map((line) => ({ line, path: linear(/^[\s*_#>\d.)-]*path\W*?:\**\s*(\S.*)$/i).exec(line)?.[1] }));
  const labelled = lines.flatMap(({ path }) => path ?? []);
  return (labelled.length > 0 ? labelled : lines.map(({ line }) => line))
    .flatMap((path) => {
      const parts = path.split(/->|→|>/);
      const names = parts.length < 2 ? [] : parts.flatMap((part, i) => stageIn(part, stages, i === 0) ?? []);
      return names.length < 2 ? [] : [names];
    })
    .slice(0, mostPaths);
}

/** The stage nearest to the arrow in a part of a path: the last one before the first arrow, else the first one after an arrow. */
function stageIn(part: string, stages: ReadonlyMap<string, string>, isFirst: boolean): string | undefined {
  const name = part.replace(/[.`*]/g, '').trim().toLowerCase();
  const words = ` ${name.replace(linear(/[^\p{L}\p{N}_-]+/gu), ' ')} `;
  const named = [...stages]
    .map(([stage, original]) => ({ original, at: words.indexOf(` ${stage} `) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => (isFirst ? b.at - a.at : a.at - b.at));
  return stages.get(name) ?? named[0]?.original;
}

/** The tools that connect consecutive stages of a path. Tools that skip a sub-task are pruned too, unless another path skips it. */
export function prunedGraph({ edges, weight }: ToolGraph, paths: readonly (readonly string[])[]): ToolGraph {
  const isOn = ({ from, to }: ToolEdge) => paths.some((path) => path.some((stage, i) => stage === from && path[i + 1] === to));
  return { edges: edges.filter(isOn), weight };
}

/** The graph with declared costs and qualities, updated by the results of calls. */
export function learnedGraph({ edges, weight }: ToolGraph, outcomes: ToolOutcomes): ToolGraph {
  const learned = edges.map((edge) => {
    const { calls, quality, costs, cost } = outcomes[edge.tool] ?? none;
    return {
      ...edge,
      quality: (prior * edge.quality + quality) / (prior + calls),
      cost: (prior * edge.cost + cost) / (prior + costs),
    };
  });
  return { edges: learned, weight };
}

const none: ToolOutcome = { calls: 0, quality: 0, costs: 0, cost: 0 };

/** The result reported by a tool: "cost" and "quality" in its JSON; without a quality, success is 1 and failure 0. */
export function outcomeIn({ ok, result }: Pick<ToolRecord, 'ok' | 'result'>): { readonly quality: number; readonly cost: number | null } {
  const numberOf = (name: string) => {
    const text = linear(new RegExp(`"${name}"\\s{0,9}:\\s{0,9}(\\d{1,12}(?:\\.\\d{1,12})?)`)).exec(result)?.[1];
    return text === undefined ? null : Number(text);
  };
  return { quality: ok ? Math.min(1, numberOf('quality') ?? 1) : 0, cost: numberOf('cost') };
}

export interface PlannedTools extends Toolset {
  /** The best route now; null if there is none. */
  readonly route: ToolRoute | null;
  plan(): ToolPlan;
}

/** Wraps tools to record their results and to report the next best route after a failure. */
export function planTools(
  tools: Toolset,
  written: ToolGraph,
  { paths, before }: { readonly paths: readonly (readonly string[])[]; readonly before: ToolPlan | undefined },
): PlannedTools {
  // A graph may contain more tools than this agent has.
  const graph = { ...written, edges: written.edges.filter(({ tool }) => tools.specs.some(({ name }) => name === tool)) };
  const pruned = prunedGraph(graph, paths);
  const [start = '', goal = ''] = [paths[0]?.[0], paths[0]?.at(-1)];
  const outcomes = new Map(Object.entries(before?.outcomes ?? {}));
  const failed = new Set<string>();
  let [at, replanned] = [start, 0];
  // Tools that usually fail, and then the pruning, are given up only if there is no route otherwise.
  const search = () => {
    const results = Object.fromEntries(outcomes);
    const [near, whole] = [learnedGraph(pruned, results), learnedGraph(graph, results)];
    const weak = near.edges.filter(({ tool, quality }) => outcomes.has(tool) && quality < enough).map(({ tool }) => tool);
    const avoided = new Set([...failed, ...weak]);
    return bestRoute(near, at, goal, avoided) ?? bestRoute(near, at, goal, failed) ?? bestRoute(whole, at, goal, failed);
  };
  const first = search();
  let route = first;
  return {
    specs: tools.specs,
    route: first,
    async use(call: ToolCall, signal) {
      const record = await tools.use(call, signal);
      const edge =
        graph.edges.find(({ tool, from }) => tool === call.name && from === at) ?? graph.edges.find(({ tool }) => tool === call.name);
      if (edge === undefined) return record;
      const { quality, cost } = outcomeIn(record);
      const sum = outcomes.get(call.name) ?? none;
      outcomes.set(call.name, {
        ...{ calls: sum.calls + 1, quality: sum.quality + quality },
        ...(cost === null ? { costs: sum.costs, cost: sum.cost } : { costs: sum.costs + 1, cost: sum.cost + cost }),
      });
      if (quality >= enough) {
        at = edge.to;
        return record;
      }
      failed.add(call.name);
      route = search();
      replanned++;
      const next = route === null ? 'No other route leads there.' : `The best route is now ${routeText(route)}.`;
      return { ...record, result: `${record.result}\n${next}` };
    },
    plan() {
      const { planned = 0, pruned: cut = 0, replanned: again = 0 } = before?.acted ?? {};
      const acted = { planned: planned + 1, pruned: cut + graph.edges.length - pruned.edges.length, replanned: again + replanned };
      return { paths, route: route?.tools ?? [], outcomes: Object.fromEntries(outcomes), acted };
    },
  };
}

export function routeText({ tools, cost, quality }: ToolRoute): string {
  return `${tools.join(', then ')} (cost ${Number(cost.toFixed(3))}, quality ${quality.toFixed(3)})`;
}

/** Parses the plan of a mind of any origin. */
export function readToolPlan(input: Json | undefined): ToolPlan | undefined {
  if (!isObject(input)) return undefined;
  const { paths, route, outcomes, acted } = input;
  if (!Array.isArray(paths) || !Array.isArray(route) || !isObject(outcomes) || !isObject(acted)) return undefined;
  return { paths, route, outcomes: outcomes as ToolOutcomes, acted: acted as ToolPlan['acted'] };
}
