/**
 * @file Streams of tasks over tool graphs with wrong documented costs and qualities, in which a fifth of the tools fail. An agent uses
 * its planned tools along their route, and along the next route after a failure. A script replaces the model that writes subtasks. Each
 * task needs some of the stages, which the subtasks name.
 *
 * Options: remember ("yes", "no", or "permuted": results of other tools), prune ("yes", or "no": routes may skip subtasks), seed.
 * Prints the value as a share of the best possible (the objective of a route, cost times distance from perfect quality, including
 * failed tries; 0 if a needed stage was skipped), the tasks planned with earlier results, the replanned routes, and the pruned tools.
 */

import { type Tool, toolset } from '@ludus-agents/agents/internal/tools/tool';
import { bestRoute, scoreOf, type ToolEdge } from '@ludus-agents/agents/internal/tools/tool-graph';
import { planTools, prunedGraph, type ToolPlan } from '@ludus-agents/agents/internal/tools/tool-plan';
import { type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { found } from './_values.ts';

const [graphs, tasks, weight] = [8, 30, 1];
const neededPaths = ['s0 s1 s2 s3 s4', 's0 s2 s3 s4', 's0 s1 s3 s4', 's0 s1 s2 s4', 's0 s2 s4'].map((path) => path.split(' '));

interface TrueTool extends ToolEdge {
  readonly broken: boolean;
}

export default async function run({ remember = 'yes', prune = 'yes', seed = 1 }: ProgramOptions): Promise<Json> {
  let [value, remembered, replanned, pruned, possible] = [0, 0, 0, 0, 0];
  for (let i = 0; i < graphs; i++) {
    const random = rng(Number(seed), 'graph', i);
    const edges = drawEdges(random);
    const estimates = edges.map(({ broken: _, ...edge }) => ({ ...edge, cost: 1 + 9 * random.next(), quality: 0.5 + 0.5 * random.next() }));
    const graph = { edges: estimates, weight };
    let before: ToolPlan | undefined;
    for (let task = 0; task < tasks; task++) {
      const needed = random.pick(neededPaths);
      const every = prune === 'yes' ? [] : edges.map(({ from, to }) => [from, to]);
      const paths = [needed, ...every];
      const sound = { edges: edges.filter(({ broken }) => !broken), weight };
      const best = bestRoute(prunedGraph(sound, [needed]), 's0', 's4');
      if (best === null) continue;
      possible++;
      const tools = toolset(edges.map((edge) => simulateTool(edge, random)));
      if (before !== undefined) remembered++;
      const plan = planTools(tools, graph, { paths, before });
      const spent = await follow(plan, edges);
      const done = plan.plan();
      replanned += done.acted.replanned - (before?.acted.replanned ?? 0);
      pruned += done.acted.pruned - (before?.acted.pruned ?? 0);
      const isDone = spent !== null && needed.slice(1).every((stage) => spent.stages.includes(stage));
      if (isDone) value += Math.min(1, scoreOf(best, weight) / scoreOf(spent, weight));
      if (remember !== 'no') before = remember === 'yes' ? done : { ...done, outcomes: permuteOutcomes(done.outcomes, random) };
    }
  }
  const n = possible;
  return { value: value / n, remembered, replanned: replanned / n, pruned: pruned / n };
}

/** Uses the tools of the route one after another; the cost of everything, and the true quality of what was done. Null where no route was left. */
async function follow(plan: ReturnType<typeof planTools>, edges: readonly TrueTool[]) {
  let [cost, quality] = [0, 1];
  const stages: string[] = [];
  let route = plan.route?.tools ?? [];
  for (let used = 0; used < 40; used++) {
    const [name, ...rest] = route;
    if (name === undefined) return used === 0 ? null : { cost, quality, stages };
    const edge = found(edges.find(({ tool }) => tool === name));
    const { ok, result } = await plan.use({ id: name, name, arguments: {} }, new AbortController().signal);
    cost += edge.cost;
    if (ok) {
      quality *= edge.quality;
      stages.push(edge.to);
      route = rest;
      continue;
    }
    if (result.includes('No other route')) return null;
    route = plan.plan().route;
  }
  return null;
}

/** A tool that reports what it cost, and how well it went, with some noise. */
function simulateTool({ tool, cost, quality, broken }: TrueTool, random: Rng): Tool {
  return {
    spec: { name: tool, description: tool, parameters: { type: 'object' } },
    call: async () => {
      const near = (value: number) => Math.max(0, value * (0.9 + 0.2 * random.next()));
      return { ok: !broken, text: JSON.stringify({ cost: near(cost), quality: Math.min(1, near(quality)) }) };
    },
  };
}

function permuteOutcomes(outcomes: ToolPlan['outcomes'], random: Rng): ToolPlan['outcomes'] {
  const others = random.shuffle(Object.values(outcomes));
  return Object.fromEntries(Object.keys(outcomes).map((name, i) => [name, others[i]]));
}

/** Five stages in a row with three tools between neighbors and one that skips a stage, and a way round over two stages that no sub-task needs. */
function drawEdges(random: Rng): readonly TrueTool[] {
  const edge = (from: string, to: string, name: string): TrueTool => ({
    ...{ tool: `${from}${to}${name}`, from, to, broken: random.next() < 0.2 },
    ...{ cost: 1 + 9 * random.next(), quality: 0.5 + 0.5 * random.next() },
  });
  const row = [0, 1, 2, 3].flatMap((i) => [
    ...['a', 'b', 'c'].map((name) => edge(`s${i}`, `s${i + 1}`, name)),
    ...(i < 3 ? [edge(`s${i}`, `s${i + 2}`, 'd')] : []),
  ]);
  const round = [edge('s0', 't1', 'a'), edge('t1', 't2', 'a'), edge('t2', 's3', 'a')];
  return [...row, ...round.map((item) => ({ ...item, cost: item.cost + 4 }))];
}
