/** @file Many tools in little room: modes and the cap, digests that keep the answer, and routes that are the best by brute force. */

import { rng, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { llmAgent } from '../llm/agent.ts';
import type { Mind } from '../mind/mind.ts';
import { fakeModel } from '../models/fake.ts';
import { digestOf, passagesOf } from './digests.ts';
import { type Tool, type Toolset, toolset } from './tool.ts';
import { openToolContext, type ToolContextSettings, type ToolState } from './tool-context.ts';
import { bestRoute, scoreOf, type ToolEdge } from './tool-graph.ts';

const tool = (name: string, description: string, text = 'done', ok = true): Tool => ({
  spec: { name, description, parameters: { type: 'object' } },
  call: async () => ({ ok, text }),
});
const many: readonly Tool[] = [
  tool('read_mail', 'Reads the newest mail.'),
  tool('weather', 'Tells the weather of a city.', '17 degrees'),
  tool('convert_money', 'Converts an amount of money into another currency.'),
  ...Array.from({ length: 40 }, (_, i) => tool(`gadget_${i}`, `Turns gadget number ${i}.`)),
];
const box: Toolset = toolset(many, ['*']);
const settings = (more: Partial<ToolContextSettings>): ToolContextSettings => ({
  mode: 'all',
  cap: 3,
  digests: false,
  graph: undefined,
  ...more,
});
const names = (context: { specs(): readonly { readonly name: string }[] }) => context.specs().map(({ name }) => name);
const call = (name: string, input: ToolCall['arguments'] = {}): ToolCall => ({ id: name, name, arguments: input });
const signal = new AbortController().signal;

describe('tools in the prompt', () => {
  it('include all tools, or the best matches up to the cap', async () => {
    expect(names(await openToolContext(box, '', settings({})))).toHaveLength(43);
    expect(names(await openToolContext(box, 'How is the weather in this city?', settings({ mode: 'workflow' })))).toEqual(['weather']);
    expect(names(await openToolContext(box, 'Turn every gadget', settings({ mode: 'workflow' })))).toHaveLength(3);
  });

  it('are matched by meaning if an encoder is installed', async () => {
    const encoder = {
      name: 'fake',
      embed: async (texts: readonly string[]) => texts.map((text) => (/weather|umbrella/.test(text) ? [1, 0] : [0, 1])),
    };
    const shown = async (more: object) => names(await openToolContext(box, 'Do I need an umbrella?', settings({ mode: 'workflow' }), more));
    expect(await shown({})).toEqual([]);
    expect(await shown({ encoder })).toEqual(['weather']);
  });

  it('are found and dropped by the model, and the newest replace others at the cap', async () => {
    const context = await openToolContext(box, 'weather', settings({ mode: 'autonomous', cap: 2 }));
    expect(names(context)).toEqual(['find_tools', 'drop_tools']);
    expect(await context.use(call('weather'), signal)).toMatchObject({ ok: false, result: expect.stringContaining('find_tools first') });
    await context.use(call('find_tools', { query: 'weather of a city' }), signal);
    expect(await context.use(call('weather'), signal)).toMatchObject({ ok: true, result: '17 degrees' });
    await context.use(call('find_tools', { query: 'mail' }), signal);
    await context.use(call('find_tools', { query: 'money' }), signal);
    expect(names(context)).toEqual(['read_mail', 'convert_money', 'find_tools', 'drop_tools']);
    await context.use(call('drop_tools', { names: ['read_mail'] }), signal);
    expect(names(context)).toEqual(['convert_money', 'find_tools', 'drop_tools']);
    expect(names(await openToolContext(box, 'weather', settings({ mode: 'hybrid' })))).toEqual(['weather', 'find_tools', 'drop_tools']);
  });

  it('are the only ones offered to the agent', async () => {
    const prompts: string[] = [];
    const model = fakeModel({
      answers(prompt) {
        prompts.push((prompt.tools ?? []).map(({ name }) => name).join(' '));
        return prompts.length === 1 ? 'Tool: weather {}' : 'Speech: warm';
      },
    });
    const agent = await llmAgent({
      spec: { name: 'me', kind: 'llm', tools: ['box'], settings: { architecture: 'react', toolMode: 'workflow', toolCap: 4 } },
      seat: 'me',
      model,
      tools: { open: async () => ({ tools: many, close: async () => undefined }) },
    });
    const view = { seat: 'me', seen: [{ kind: 'message' as const, to: ['me'], text: 'What is the weather in the city?' }] };
    const { action } = await agent.act({ view, ask: { seat: 'me' }, rng: rng(1) }, signal);
    expect([action.text, prompts]).toEqual(['warm', ['weather', 'weather']]);
  });
});

describe('tools across turns', () => {
  const turn = (text: string, mode: ToolContextSettings['mode'], before?: ToolState) =>
    openToolContext(box, text, settings({ mode }), { before });

  it('stay until the model drops them in autonomous mode', async () => {
    const first = await turn('How is the weather?', 'autonomous');
    await first.use(call('find_tools', { query: 'weather of a city' }), signal);
    const second = await turn('And tomorrow?', 'autonomous', first.state());
    expect(await second.use(call('weather'), signal)).toMatchObject({ ok: true });
    await second.use(call('drop_tools', { names: ['weather'] }), signal);
    expect(names(await turn('Thanks.', 'autonomous', second.state()))).toEqual(['find_tools', 'drop_tools']);
    expect(second.state()).toMatchObject({ active: [], added: 1, removed: 1, results: { weather: { ok: 1, failed: 0 } } });
  });

  it('are removed in workflow mode when they no longer match, unless they were just used', async () => {
    const first = await turn('How is the weather in this city?', 'workflow');
    await first.use(call('weather'), signal);
    const second = await turn('Read the newest mail.', 'workflow', first.state());
    expect(names(second)).toEqual(['read_mail', 'weather']);
    const third = await turn('Convert money into another currency.', 'hybrid', second.state());
    expect(names(third)).toEqual(['convert_money', 'find_tools', 'drop_tools']);
    expect(third.state()).toMatchObject({ added: 3, removed: 2 });
  });

  it('are not tracked when all tools are always shown', async () => {
    expect((await turn('anything', 'all')).state()).toBeUndefined();
  });

  it('are rated lower in later routes after a failure', async () => {
    const graph = { weight: 0, edges: [edge('flaky', 0.9), edge('steady', 0.8)] };
    const tools = toolset([tool('flaky', 'a', 'no', false), tool('steady', 'b')], ['*']);
    const first = await openToolContext(tools, '', settings({ graph }));
    const plan = call('plan_route', { from: 'a', to: 'b' });
    expect((await first.use(plan, signal)).result).toContain('flaky');
    await first.use(call('flaky'), signal);
    const again = await openToolContext(tools, '', settings({ graph }), { before: first.state() });
    expect((await again.use(plan, signal)).result).toContain('steady');
    const fresh = await openToolContext(tools, '', settings({ graph }));
    expect((await fresh.use(plan, signal)).result).toContain('flaky');
  });
});

const edge = (name: string, quality: number): ToolEdge => ({ tool: name, from: 'a', to: 'b', cost: 1, quality });

describe('tool result window', () => {
  const play = async (toolWindow?: number) => {
    const prompts: string[] = [];
    const model = fakeModel({
      answers(prompt) {
        prompts.push(prompt.messages.map(({ content }) => String(content)).join('\n'));
        return prompts.length <= 100 ? `Note ${prompts.length}.\nTool: weather {}` : 'Speech: done';
      },
    });
    const agent = await llmAgent({
      spec: {
        name: 'me',
        kind: 'llm',
        tools: ['box'],
        settings: { architecture: 'react', steps: 100, ...(toolWindow !== undefined && { toolWindow }) },
      },
      seat: 'me',
      model,
      tools: { open: async () => ({ tools: many, close: async () => undefined }) },
    });
    const view = { seat: 'me', seen: [{ kind: 'message' as const, to: ['me'], text: 'Watch the weather.' }] };
    const { mind } = await agent.act({ view, ask: { seat: 'me' }, rng: rng(1) }, signal);
    return { last: prompts.at(-1)!, mind: mind as unknown as Mind };
  };
  const count = (text: string, part: string) => text.split(part).length - 1;

  it("removes old results over 100 calls but keeps the model's text", async () => {
    const { last, mind } = await play(6);
    expect(count(last, '17 degrees')).toBeLessThanOrEqual(6);
    for (let n = 1; n <= 100; n++) expect(last).toContain(`Note ${n}.`);
    expect(count(last, '17 degrees') + mind.removedResults!).toBe(100);
  });

  it('keeps every result by default', async () => {
    const { last, mind } = await play();
    expect([count(last, '17 degrees'), mind.removedResults]).toEqual([100, undefined]);
  });
});

describe('tool result digest', () => {
  const passages = Array.from({ length: 40 }, (_, i) =>
    i === 29
      ? 'The harbour master of Ostrava keeps the brass key under the third stone of the quay wall.'
      : `Passage ${i} speaks of grain, rope and sails, at length and without any end, over many words that matter to nobody who asks about other things here.`,
  );
  const question = 'Where does the harbour master keep the brass key?';

  it('keeps the passage with the answer in 60% of the length, where truncation loses it', async () => {
    const whole = passages.join('\n\n');
    const digest = await digestOf(passagesOf(whole), question);
    expect(digest).toContain('under the third stone');
    const length = (text: string) => text.split(/\s+/).length;
    expect(length(digest)).toBeLessThan(0.6 * length(whole));
    expect(whole.slice(0, digest.length)).not.toContain('under the third stone');
    // A scorer that looks for something else does not find it.
    expect(await digestOf(passagesOf(whole), 'grain and rope')).not.toContain('under the third stone');
  });

  it('keeps passages that match by meaning without shared words', async () => {
    const encoder = {
      name: 'fake',
      embed: async (texts: readonly string[]) => texts.map((text) => (/porter|harbour master/.test(text) ? [1, 0] : [0, 1])),
    };
    const requestedText = 'What does the porter do?';
    expect(await digestOf(passages, requestedText, { encoder })).toContain('under the third stone');
    expect(await digestOf(passages, requestedText)).not.toContain('under the third stone');
  });

  it('lets the model expand a passage by its number', async () => {
    const library = toolset([tool('search', 'Searches.', passages.join('\n\n'))], ['*']);
    const context = await openToolContext(library, 'anything', settings({ digests: true }));
    const used = await context.use(call('search'), signal);
    expect(await context.shown(used)).toContain('[30] The harbour master');
    expect(await context.shown(used)).not.toContain('third stone');
    expect(await context.use(call('expand', { passage: 30 }), signal)).toMatchObject({
      ok: true,
      result: expect.stringContaining('third stone'),
    });
    expect(await context.use(call('expand', { passage: 99 }), signal)).toMatchObject({ ok: false });
  });

  it('covers results that are too long for the log, by the query where it says enough', async () => {
    const rows = Array.from(
      { length: 400 },
      (_, i) => `Row ${i} of the harbour register lists ropes, tar, nails and two barrels of salted fish.`,
    );
    const archive = toolset([tool('search', 'Searches.', [...rows, 'The key lies under the third stone.'].join('\n\n'))], ['*']);
    const context = await openToolContext(archive, 'Ropes, tar, nails and fish, please.', settings({ digests: true }));
    const used = await context.use(call('search', { query: 'where is the key' }), signal);
    expect(used.result).not.toContain('third stone');
    const display = await context.shown(used);
    expect(display).toContain('under the third stone');
    expect(display.length).toBeLessThan(used.result.length);
    expect(display.split('\n[').length).toBeLessThanOrEqual(100);
  });
});

describe('tool graph', () => {
  const edge = (tool: string, from: string, to: string, cost: number, quality: number): ToolEdge => ({ tool, from, to, cost, quality });
  const layers = (costs: Readonly<Record<string, readonly [number, number]>>): readonly ToolEdge[] =>
    [
      ['S', 'A'],
      ['S', 'B'],
      ['A', 'C'],
      ['A', 'D'],
      ['B', 'C'],
      ['B', 'D'],
      ['C', 'E'],
      ['C', 'F'],
      ['D', 'E'],
      ['D', 'F'],
    ].map(([from, to]) => edge(`${from}${to}`, from!, to!, ...costs[to!]!));

  it('finds the best route where a greedy search misses it', () => {
    const edges = layers({ A: [2, 1], B: [1, 0.7], C: [4, 0.7], D: [1, 0.95], E: [8, 1], F: [8, 1] });
    const toolRoute = bestRoute({ edges, weight: 1 }, 'S', 'E')!;
    expect(toolRoute.tools).toEqual(['SA', 'AD', 'DE']);
    expect(scoreOf(toolRoute, 1)).toBeCloseTo(11.55);
  });

  it('is at least as good as every other route at any weight', () => {
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed, 'graph');
      const edges = layers(
        Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((name) => [name, [1 + dice.int(9), (5 + dice.int(6)) / 10] as const])),
      );
      for (const weight of [0, 0.5, 1, 2]) {
        const all = ['A', 'B'].flatMap((a) => ['C', 'D'].map((b) => [`S${a}`, `${a}${b}`, `${b}E`]));
        const best = Math.min(
          ...all.map((tools) => {
            const used = tools.map((name) => edges.find((edge) => edge.tool === name)!);
            return scoreOf(
              { cost: used.reduce((sum, { cost }) => sum + cost, 0), quality: used.reduce((product, { quality }) => product * quality, 1) },
              weight,
            );
          }),
        );
        expect(scoreOf(bestRoute({ edges, weight }, 'S', 'E')!, weight)).toBeCloseTo(best, 10);
      }
    }
  });

  it('replans without a tool that failed', async () => {
    const edges = [edge('fast', 'photo', 'text', 1, 1), edge('slow', 'photo', 'text', 9, 0.9)];
    const tools = toolset([tool('fast', 'Fast.', 'broken', false), tool('slow', 'Slow.')], ['*']);
    const context = await openToolContext(tools, '', settings({ graph: { edges, weight: 1 } }));
    const plan = () => context.use(call('plan_route', { from: 'photo', to: 'text' }), signal);
    expect((await plan()).result).toContain('fast');
    await context.use(call('fast'), signal);
    expect((await plan()).result).toContain('slow');
    await context.use(call('slow'), signal);
    expect(bestRoute({ edges, weight: 1 }, 'photo', 'song')).toBeNull();
  });
});
