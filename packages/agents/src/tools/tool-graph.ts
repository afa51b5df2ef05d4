/**
 * @file A graph of tools with cost and quality (CoSTA*, arXiv 2503.10613). The best route minimizes cost^weight · (2 − quality)^(2 −
 * weight). Qualities multiply along a route, so one number per node is not enough: the source's A* sometimes misses the best route. Here
 * every node keeps all routes that no other beats in both cost and quality.
 */

import { list, number, object, required, type ShapeValue, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';

export interface ToolEdge {
  readonly tool: string;
  readonly from: string;
  readonly to: string;
  readonly cost: number;
  /** From 0 to 1: the quality of the tool's results. */
  readonly quality: number;
}

export const toolGraphShape = object({
  edges: required(
    list(
      object<ToolEdge>({
        tool: required(words, 'the tool that leads there'),
        from: required(words, 'what it needs'),
        to: required(words, 'what it makes'),
        cost: withDefault(number(0), 1, 'seconds, cents, or anything that adds up'),
        quality: withDefault(number(0, 1), 1, 'how well it does what it does'),
      }),
      { from: 1, to: 2000 },
    ),
    'which tool leads from what to what',
  ),
  weight: withDefault(number(0, 2), 1, '0 looks at quality alone, 2 at cost alone'),
});

export type ToolGraph = ShapeValue<typeof toolGraphShape>;

export interface ToolRoute {
  readonly tools: readonly string[];
  readonly cost: number;
  readonly quality: number;
}

interface OpenRoute extends ToolRoute {
  readonly at: string;
}

const mostRoutes = 20_000;

/** The best route without failed tools; null if there is none. */
export function bestRoute(
  { edges, weight }: ToolGraph,
  from: string,
  to: string,
  failed: ReadonlySet<string> = new Set(),
): ToolRoute | null {
  const open: OpenRoute[] = [{ at: from, tools: [], cost: 0, quality: 1 }];
  const fronts = new Map<string, OpenRoute[]>();
  let best: ToolRoute | null = null;
  for (let looked = 0; open.length > 0 && looked < mostRoutes; looked++) {
    const route = open.shift() as OpenRoute;
    if (route.at === to && route.tools.length > 0) {
      if (best === null || scoreOf(route, weight) < scoreOf(best, weight)) best = route;
      continue;
    }
    for (const { tool, from: start, to: end, cost, quality } of edges) {
      if (start !== route.at || failed.has(tool)) continue;
      const next: OpenRoute = { at: end, tools: [...route.tools, tool], cost: route.cost + cost, quality: route.quality * quality };
      const front = fronts.get(end) ?? [];
      if (front.some((other) => other.cost <= next.cost && other.quality >= next.quality)) continue;
      fronts.set(end, [...front.filter((other) => other.cost < next.cost || other.quality > next.quality), next]);
      open.push(next);
    }
  }
  if (best === null) return null;
  return { tools: best.tools, cost: best.cost, quality: best.quality };
}

/** The score of a route; lower is better. */
export function scoreOf({ cost, quality }: Pick<ToolRoute, 'cost' | 'quality'>, weight: number): number {
  return cost ** weight * (2 - quality) ** (2 - weight);
}
