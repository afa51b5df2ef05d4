/** @file Many tools in little room: modes and the cap, digests that keep the answer, and routes that are the best by brute force. */

import { rng, type ToolCall } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { llmAgent } from '../llm/agent.ts';
import { fakeModel } from '../models/fake.ts';
import { type Tool, type Toolset, toolset } from './tool.ts';
import { digestOf, openToolContext, passagesOf, type ToolContextSettings } from './tool-context.ts';
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
const call = (name: string, given: ToolCall['arguments'] = {}): ToolCall => ({ id: name, name, arguments: given });
const signal = new AbortController().signal;

describe('tools that are shown', () => {
  it('are all, or those that fit the words of the turn, never more than the cap', () => {
    expect(names(openToolContext(box, '', settings({})))).toHaveLength(43);
    expect(names(openToolContext(box, 'How is the weather in this city?', settings({ mode: 'workflow' })))).toEqual(['weather']);
    expect(names(openToolContext(box, 'Turn every gadget', settings({ mode: 'workflow' })))).toHaveLength(3);
  });

  it('are looked up and dropped by the model, with the newest in sight where there is no room', async () => {
    const context = openToolContext(box, 'weather', settings({ mode: 'autonomous', cap: 2 }));
    expect(names(context)).toEqual(['find_tools', 'drop_tools']);
    expect(await context.use(call('weather'), signal)).toMatchObject({ ok: false, result: expect.stringContaining('find_tools first') });
    await context.use(call('find_tools', { query: 'weather of a city' }), signal);
    expect(await context.use(call('weather'), signal)).toMatchObject({ ok: true, result: '17 degrees' });
    await context.use(call('find_tools', { query: 'mail' }), signal);
    await context.use(call('find_tools', { query: 'money' }), signal);
    expect(names(context)).toEqual(['read_mail', 'convert_money', 'find_tools', 'drop_tools']);
    await context.use(call('drop_tools', { names: ['read_mail'] }), signal);
    expect(names(context)).toEqual(['convert_money', 'find_tools', 'drop_tools']);
    expect(names(openToolContext(box, 'weather', settings({ mode: 'hybrid' })))).toEqual(['weather', 'find_tools', 'drop_tools']);
  });

  it('are what an agent is offered, and its prompt holds no others', async () => {
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

describe('digests', () => {
  const passages = Array.from({ length: 40 }, (_, i) =>
    i === 29
      ? 'The harbour master of Ostrava keeps the brass key under the third stone of the quay wall.'
      : `Passage ${i} speaks of grain, rope and sails, at length and without any end, over many words that matter to nobody who asks about other things here.`,
  );
  const question = 'Where does the harbour master keep the brass key?';

  it('keep the passage that answers in a fifth of the length, where cutting loses it', () => {
    const whole = passages.join('\n\n');
    const shown = digestOf(passagesOf(whole), question);
    expect(shown).toContain('under the third stone');
    const length = (text: string) => text.split(/\s+/).length;
    expect(length(shown)).toBeLessThan(0.6 * length(whole));
    expect(whole.slice(0, shown.length)).not.toContain('under the third stone');
    // A scorer that looks for something else does not find it.
    expect(digestOf(passagesOf(whole), 'grain and rope')).not.toContain('under the third stone');
  });

  it('can be opened by their number', async () => {
    const library = toolset([tool('search', 'Searches.', passages.join('\n\n'))], ['*']);
    const context = openToolContext(library, 'anything', settings({ digests: true }));
    const used = await context.use(call('search'), signal);
    expect(context.shown(used)).toContain('[30] The harbour master');
    expect(context.shown(used)).not.toContain('third stone');
    expect(await context.use(call('expand', { passage: 30 }), signal)).toMatchObject({
      ok: true,
      result: expect.stringContaining('third stone'),
    });
    expect(await context.use(call('expand', { passage: 99 }), signal)).toMatchObject({ ok: false });
  });
});

describe('a graph of tools', () => {
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

  it('gives the best route where a search by one number for each node misses it', () => {
    const edges = layers({ A: [2, 1], B: [1, 0.7], C: [4, 0.7], D: [1, 0.95], E: [8, 1], F: [8, 1] });
    const found = bestRoute({ edges, weight: 1 }, 'S', 'E')!;
    expect(found.tools).toEqual(['SA', 'AD', 'DE']);
    expect(scoreOf(found, 1)).toBeCloseTo(11.55);
  });

  it('is never beaten by any other route, at any weight', () => {
    for (let seed = 0; seed < 200; seed++) {
      const dice = rng(seed, 'graph');
      const edges = layers(
        Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((name) => [name, [1 + dice.int(9), (5 + dice.int(6)) / 10] as const])),
      );
      for (const weight of [0, 0.5, 1, 2]) {
        const all = ['A', 'B'].flatMap((a) => ['C', 'D'].map((b) => [`S${a}`, `${a}${b}`, `${b}E`]));
        const best = Math.min(
          ...all.map((tools) => {
            const used = tools.map((name) => edges.find((one) => one.tool === name)!);
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

  it('is planned anew without a tool that failed', async () => {
    const edges = [edge('fast', 'photo', 'text', 1, 1), edge('slow', 'photo', 'text', 9, 0.9)];
    const tools = toolset([tool('fast', 'Fast.', 'broken', false), tool('slow', 'Slow.')], ['*']);
    const context = openToolContext(tools, '', settings({ graph: { edges, weight: 1 } }));
    const plan = () => context.use(call('plan_route', { from: 'photo', to: 'text' }), signal);
    expect((await plan()).result).toContain('fast');
    await context.use(call('fast'), signal);
    expect((await plan()).result).toContain('slow');
    await context.use(call('slow'), signal);
    expect(bestRoute({ edges, weight: 1 }, 'photo', 'song')).toBeNull();
  });
});
