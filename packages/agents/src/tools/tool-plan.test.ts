/** @file Planned routes: the pruning by a model's sub-tasks, updates from results for the turn, the episode, and the next one; and tools that a model removes. */

import { type Json, rng, type ToolCall, type View } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { llmAgent } from '../llm/agent.ts';
import type { Mind } from '../mind/mind.ts';
import { mindLines } from '../mind-words.ts';
import { fakeModel } from '../models/fake.ts';
import { type Tool, toolset } from './tool.ts';
import type { ToolState } from './tool-context.ts';
import type { ToolGraph } from './tool-graph.ts';
import { learnedGraph, outcomeIn, pathsIn, planTools, prunedGraph } from './tool-plan.ts';

const signal = new AbortController().signal;
const edge = (tool: string, way: string, quality: number, cost = 1) => {
  const [from = '', to = ''] = way.split('>');
  return { tool, from, to, cost, quality };
};

/** From a photo to a clean photo, by way of a mask or at once; the sketch tools have no part in it. */
const graph: ToolGraph = {
  weight: 0,
  edges: [
    edge('segment', 'photo>mask', 0.9),
    edge('erase', 'mask>clean', 0.9),
    edge('paint', 'mask>clean', 0.7),
    edge('guess', 'photo>clean', 0.5),
    edge('draw', 'photo>sketch', 1),
    edge('trace', 'sketch>clean', 1),
  ],
};

const tool = (name: string, text: string, ok = true): Tool => ({
  spec: { name, description: `Can ${name}.`, parameters: { type: 'object' } },
  call: async () => ({ ok, text }),
});
const call = (name: string): ToolCall => ({ id: name, name, arguments: {} });

describe('sub-task paths', () => {
  it('are parsed leniently, ignoring unknown stages', () => {
    const text = '1. Path: photo > Mask > clean\n- **Path:** photo → clean.\nPath: moon > clean\nThat is all.';
    expect(pathsIn(text, graph)).toEqual([
      ['photo', 'mask', 'clean'],
      ['photo', 'clean'],
    ]);
    const prose = 'Sure!\n1. I would go from the photo -> mask → clean, as the mask is reliable.\nA photo can also be made clean at once.';
    expect(pathsIn(prose, graph)).toEqual([['photo', 'mask', 'clean']]);
  });

  it('prune tools off the paths, even the best ones of the whole graph', () => {
    const tools = prunedGraph(graph, [['photo', 'mask', 'clean']]).edges.map((item) => item.tool);
    expect(tools).toEqual(['segment', 'erase', 'paint']);
    const every = graph.edges.map((item) => tool(item.tool, 'ok'));
    const plan = planTools(toolset(every, ['*']), graph, { paths: [['photo', 'mask', 'clean']], before: undefined });
    expect(plan.route?.tools).toEqual(['segment', 'erase']);
    expect(plan.plan().acted).toEqual({ planned: 1, pruned: 3, replanned: 0 });
  });
});

it('routes only through tools that the agent has', () => {
  const some = ['segment', 'paint', 'guess'].map((name) => tool(name, 'ok'));
  const plan = planTools(toolset(some, ['*']), graph, { paths: [['photo', 'mask', 'clean']], before: undefined });
  expect(plan.route?.tools).toEqual(['segment', 'paint']);
  expect(planTools(toolset([], ['*']), graph, { paths: [['photo', 'clean']], before: undefined }).route).toBeNull();
});

describe('tool results', () => {
  it('update cost and quality', () => {
    const outcomes = { erase: { calls: 2, quality: 0.2, costs: 2, cost: 10 } };
    const [learned] = learnedGraph({ weight: 0, edges: [edge('erase', 'mask>clean', 0.9)] }, outcomes).edges;
    expect(learned!.quality).toBeCloseTo(0.5);
    expect(learned!.cost).toBeCloseTo(3);
    expect(outcomeIn({ ok: true, result: '{"cost": 4.5, "quality": 0.25}' })).toEqual({ quality: 0.25, cost: 4.5 });
    expect(outcomeIn({ ok: false, result: '{"quality": 1}' })).toEqual({ quality: 0, cost: null });
  });

  it('of failing or poor tools trigger replanning from the current stage', async () => {
    const tools = toolset([tool('segment', 'masked'), tool('erase', '{"quality": 0.1}'), tool('paint', 'painted')], ['*']);
    const plan = planTools(tools, graph, { paths: [['photo', 'mask', 'clean']], before: undefined });
    await plan.use(call('segment'), signal);
    expect((await plan.use(call('erase'), signal)).result).toContain('The best route is now paint');
    expect((await plan.use(call('paint'), signal)).result).toBe('painted');
    expect(plan.plan()).toMatchObject({ route: ['paint'], acted: { replanned: 1 } });
    const later = planTools(tools, graph, { paths: [['photo', 'mask', 'clean']], before: plan.plan() });
    expect(later.route?.tools).toEqual(['segment', 'paint']);
  });
});

it('leaves out a tool that fails most of the time, unless there is no other', () => {
  const cheap: ToolGraph = { weight: 2, edges: [edge('erase', 'mask>clean', 0.9, 1), edge('paint', 'mask>clean', 0.9, 5)] };
  const tools = toolset([tool('erase', 'ok'), tool('paint', 'ok')], ['*']);
  const acted = { planned: 0, pruned: 0, replanned: 0 };
  const routeAfter = (erase: number, paint = 0) => {
    const [worst, best] = [
      { quality: 0, costs: 0, cost: 0 },
      { quality: 1, costs: 0, cost: 0 },
    ];
    const outcomes = { erase: { calls: erase, ...worst }, paint: { calls: 1 + paint, ...(paint === 0 ? best : worst) } };
    return planTools(tools, cheap, { paths: [['mask', 'clean']], before: { paths: [], route: [], outcomes, acted } }).route?.tools;
  };
  expect(routeAfter(1)).toEqual(['erase']);
  expect(routeAfter(3)).toEqual(['paint']);
  expect(routeAfter(3, 9)).toEqual(['erase']);
});

describe('agent with tool planning', () => {
  const prompts: string[] = [];
  const model = fakeModel({
    answers({ messages }) {
      const text = messages.map(({ content }) => String(content)).join('\n');
      if (text.includes('Path: STAGE')) return 'Path: photo > mask > clean';
      prompts.push(text);
      return prompts.length % 2 === 1 ? 'Tool: erase {}' : 'Speech: done';
    },
  });
  const agentOf = (earlier?: Mind, more: Record<string, Json> = {}) =>
    llmAgent({
      spec: { name: 'me', kind: 'llm', tools: ['box'], settings: { architecture: 'react', toolGraph: graph as unknown as Json, ...more } },
      ...{ seat: 'me', model, lastMind: async () => earlier },
      tools: {
        open: async () => ({
          tools: [tool('segment', 'ok'), tool('erase', 'no', false), tool('paint', 'ok'), tool('draw', 'ok')],
          close: async () => undefined,
        }),
      },
    });
  const view: View = { seat: 'me', seen: [{ kind: 'message', to: ['me'], text: 'Clean the photo.' }] };
  const turn = { view, ask: { seat: 'me' }, rng: rng(1) };

  it('shows the route, counts its actions, and remembers outcomes across episodes if memory lasts', async () => {
    const first = await (await agentOf(undefined, { toolPlan: true })).act(turn, signal);
    expect(first.calls).toHaveLength(3);
    expect(prompts[0]).toContain('The best route through your tools: segment, then erase');
    expect(prompts[1]).toContain('The best route is now segment, then paint');
    const mind = first.mind as unknown as Mind;
    expect(mind.toolPlan?.acted).toEqual({ planned: 1, pruned: 1, replanned: 1 });
    expect(mindLines(first.mind)).toContain('mechanisms so far: planned 1, pruned 1, replanned 1');
    for (const [lasting, tools] of [
      [true, 'segment, then paint'],
      [false, 'segment, then erase'],
    ] as const) {
      prompts.length = 0;
      await (await agentOf(mind, { toolPlan: true, lasting })).act(turn, signal);
      expect(prompts[0]).toContain(`through your tools: ${tools} (`);
    }
  });

  it('is off by default', async () => {
    prompts.length = 0;
    const { calls, mind } = await (await agentOf()).act(turn, signal);
    expect(calls).toHaveLength(2);
    expect((mind as unknown as Mind).toolPlan).toBeUndefined();
  });
});

describe('tool removal by the model', () => {
  const act = async (removal: 'rule' | 'model', answer: string) => {
    const model = fakeModel({
      answers: ({ messages }) => (String(messages[0]?.content).includes('"Drop: NAME') ? answer : 'Speech: done'),
    });
    const agent = await llmAgent({
      spec: { name: 'me', kind: 'llm', tools: ['box'], settings: { architecture: 'react', toolMode: 'workflow', toolRemoval: removal } },
      ...{ seat: 'me', model },
      tools: { open: async () => ({ tools: ['mail', 'weather', 'maps'].map((name) => tool(name, name)), close: async () => undefined }) },
    });
    const toolState: ToolState = { active: ['mail', 'weather'], used: [], added: 2, removed: 0, results: {} };
    const mind = { kind: 'mind/1', count: 1, turn: 1, opening: 1, start: 0, toolState } as unknown as Json;
    const seen = [{ kind: 'message' as const, to: ['me'], text: 'Look at the maps.' }];
    const reply = await agent.act({ view: { seat: 'me', seen }, ask: { seat: 'me' }, rng: rng(1), mind }, signal);
    return { state: (reply.mind as unknown as Mind).toolState, calls: reply.calls?.length };
  };

  it('keeps tools that the rule would remove, and removes the named ones', async () => {
    expect(await act('model', 'Drop: weather, nonsense')).toMatchObject({
      state: { active: ['mail', 'maps'], removed: 1, added: 3 },
      calls: 2,
    });
    expect(await act('model', 'Drop: none')).toMatchObject({ state: { active: ['mail', 'weather', 'maps'], removed: 0 }, calls: 2 });
    expect(await act('rule', '')).toMatchObject({ state: { active: ['maps'], removed: 2 }, calls: 1 });
  });
});
