/**
 * @file Which of many tools a model is shown in a turn (MemTool, arXiv 2507.21428): all of them; those that a search for the turn's words finds
 * (workflow); those that the model itself looks up and drops (autonomous); or both (hybrid). Never more than the cap. Long results can be
 * shown as digests, the few passages that matter whole (after REFRAG, arXiv 2509.01092, in text), and routes over a tool graph be planned.
 */

import { bm25, termsOf } from '@ludus-agents/kernel/internal/core/bm25';
import { isObject, type Json, type ToolCall, type ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { ToolRecord, Toolset } from './tool.ts';
import { bestRoute, type ToolGraph } from './tool-graph.ts';

export const toolModes = ['all', 'workflow', 'autonomous', 'hybrid'] as const;

export interface ToolContextSettings {
  readonly mode: (typeof toolModes)[number];
  /** Tools that are shown at once. */
  readonly cap: number;
  /** Are long results shown as digests? */
  readonly digests: boolean;
  readonly graph: ToolGraph | undefined;
}

export interface ToolContext {
  /** What the model is shown now. */
  specs(): readonly ToolSpec[];
  use(call: ToolCall, signal: AbortSignal): Promise<ToolRecord>;
  /** A result as the model is shown it. */
  shown(record: ToolRecord): string;
}

const spec = (name: string, description: string, properties: Json): ToolSpec => ({
  name,
  description,
  parameters: { type: 'object', properties },
});
const find = spec('find_tools', 'Looks tools up by what they should do, and gives you those that fit.', { query: { type: 'string' } });
const drop = spec('drop_tools', 'Takes tools out of your sight, so that others have room.', {
  names: { type: 'array', items: { type: 'string' } },
});
const expand = spec('expand', 'Shows a passage of a long result whole.', { passage: { type: 'integer' } });
const route = spec('plan_route', 'The best tools in their order from what you have to what you want; tools that failed are left out.', {
  from: { type: 'string' },
  to: { type: 'string' },
});

export function openToolContext(tools: Toolset, words: string, { mode, cap, digests, graph }: ToolContextSettings): ToolContext {
  const index = tools.specs.map((one) => termsOf(`${one.name.replace(/[_-]+/g, ' ')} ${one.description}`));
  const search = (query: string): readonly string[] => {
    const scores = bm25(termsOf(query), index);
    return tools.specs
      .map(({ name }, i) => ({ name, score: scores[i]! }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, cap)
      .map(({ name }) => name);
  };
  let active: readonly string[] = mode === 'all' ? tools.specs.map(({ name }) => name) : mode === 'autonomous' ? [] : search(words);
  const looksUp = mode === 'autonomous' || mode === 'hybrid';
  const failed = new Set<string>();
  let passages: readonly string[] = [];

  const record = ({ name, arguments: given }: ToolCall, ok: boolean, result: string): ToolRecord => ({
    tool: name,
    arguments: given,
    ok,
    result,
  });
  const own: Readonly<Record<string, (call: ToolCall) => ToolRecord>> = {
    ...(looksUp
      ? {
          find_tools(call: ToolCall) {
            const found = search(textIn(call, 'query'));
            // The newest stay where there is no room for all.
            active = [...new Set([...active.filter((name) => !found.includes(name)), ...found])].slice(-cap);
            return record(call, true, found.length === 0 ? 'Nothing fits.' : `You now have ${active.join(', ')}.`);
          },
          drop_tools(call: ToolCall) {
            const names = isObject(call.arguments) && Array.isArray(call.arguments['names']) ? call.arguments['names'] : [];
            active = active.filter((name) => !names.includes(name));
            return record(call, true, `You now have ${active.join(', ') || 'none'}.`);
          },
        }
      : {}),
    ...(digests
      ? {
          expand(call: ToolCall) {
            const wanted = passages[Number(isObject(call.arguments) ? call.arguments['passage'] : 0) - 1];
            return record(call, wanted !== undefined, wanted ?? `There are passages 1 to ${passages.length}.`);
          },
        }
      : {}),
    ...(graph === undefined
      ? {}
      : {
          plan_route(call: ToolCall) {
            const found = bestRoute(graph, textIn(call, 'from'), textIn(call, 'to'), failed);
            if (found === null) return record(call, false, 'No route leads there.');
            return record(call, true, `${found.tools.join(', then ')} (cost ${found.cost}, quality ${found.quality.toFixed(3)})`);
          },
        }),
  };
  const extras = [...(looksUp ? [find, drop] : []), ...(digests ? [expand] : []), ...(graph === undefined ? [] : [route])];

  return {
    specs: () => [...tools.specs.filter(({ name }) => active.includes(name)), ...extras],
    async use(call, signal) {
      if (Object.hasOwn(own, call.name)) return own[call.name]!(call);
      if (!active.includes(call.name) && tools.specs.some(({ name }) => name === call.name))
        return record(
          call,
          false,
          `The tool ${call.name} is not in sight${looksUp ? '; look it up with find_tools first' : ' this turn'}.`,
        );
      const used = await tools.use(call, signal);
      if (!used.ok) failed.add(call.name);
      return used;
    },
    shown(used) {
      if (!digests || used.result.length <= longResult || used.tool === 'expand') return used.result;
      passages = passagesOf(used.result);
      return digestOf(passages, words);
    },
  };
}

function textIn({ arguments: given }: ToolCall, name: string): string {
  return isObject(given) ? String(given[name] ?? '') : '';
}

/** Results longer than this are digested; of the passages so many that fit the question best stand whole, of others the first words. */
const longResult = 1500;
const expanded = 2;
const firstWords = 10;

/** Paragraphs, or pieces of about 600 characters where there are none. */
export function passagesOf(text: string): readonly string[] {
  const paragraphs = text.split(/\n\s*\n/).filter((one) => one.trim() !== '');
  return paragraphs
    .flatMap((one) => (one.length <= 1200 ? [one] : (one.match(linear(/[\s\S]{1,600}(?=\s|$)/g)) ?? [one])))
    .map((one) => one.trim());
}

export function digestOf(passages: readonly string[], question: string): string {
  const scores = bm25(termsOf(question), passages.map(termsOf));
  const best = new Set(
    scores
      .map((score, i) => ({ score, i }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, expanded)
      .map(({ i }) => i),
  );
  const line = (text: string, i: number) =>
    best.has(i) ? `[${i + 1}] ${text}` : `[${i + 1}] ${text.split(/\s+/).slice(0, firstWords).join(' ')} …`;
  return passages.map(line).join('\n');
}
