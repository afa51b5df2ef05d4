/**
 * @file Selects which of many tools a model is shown (MemTool, arXiv 2507.21428). Tools stay from turn to turn until they are removed, and
 * never exceed the cap. autonomous: the model looks tools up and drops them. workflow: each turn first removes tools that neither match its
 * messages nor were used in the previous turn, then adds search results. hybrid: the same removal, and the model also looks up and drops
 * tools. Tools are matched by meaning with an encoder, else by words. Long results can be digests (`digests.ts`), and routes over a tool
 * graph can be planned.
 */

import { isObject, type Json, type ToolCall, type ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { fittingTexts, type RecallEncoder } from '../mind/relevance.ts';
import { digestOf, type Expansion, passagesOf } from './digests.ts';
import { type ToolRecord, type Toolset, wholeResult } from './tool.ts';
import { bestRoute, type ToolGraph } from './tool-graph.ts';

export const toolModes = ['all', 'workflow', 'autonomous', 'hybrid'] as const;

export interface ToolContextSettings {
  readonly mode: (typeof toolModes)[number];
  /** The most tools shown at once. */
  readonly cap: number;
  /** The number of results that stay whole within a turn; all if omitted. */
  readonly window?: number | undefined;
  /** Whether long results are shown as digests, by the rule or by a learned policy. */
  readonly digests: boolean | Expansion;
  readonly graph: ToolGraph | undefined;
}

/** The state of a tool context for the next turn. */
export type ToolState = {
  readonly active: readonly string[];
  /** Tools used in the turn. */
  readonly used: readonly string[];
  /** The number of tools added to and removed from the context in the episode so far. */
  readonly added: number;
  readonly removed: number;
  /** How often each tool succeeded, and how often it failed. */
  readonly results: Readonly<Record<string, { readonly ok: number; readonly failed: number }>>;
};

export interface ToolContext {
  /** The tools that the model is shown now. */
  specs(): readonly ToolSpec[];
  use(call: ToolCall, signal: AbortSignal): Promise<ToolRecord>;
  /** A result in the form that the model is shown. */
  shown(record: ToolRecord): Promise<string>;
  /** The state for the next turn; undefined if all tools are always shown. */
  state(): ToolState | undefined;
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

/** Opens the tools of a turn. `before` is the state after the previous turn. */
export async function openToolContext(
  tools: Toolset,
  recentText: string,
  { mode, cap, digests, graph }: ToolContextSettings,
  { before = emptyState, encoder }: { readonly before?: ToolState | undefined; readonly encoder?: RecallEncoder | undefined } = {},
): Promise<ToolContext> {
  const texts = tools.specs.map(({ name, description }) => `${name.replace(/[_-]+/g, ' ')} ${description}`);
  const search = async (query: string): Promise<readonly string[]> =>
    (await fittingTexts(query, texts, { encoder, most: cap })).map((i) => tools.specs[i]!.name);
  let active: readonly string[] = before.active.filter((name) => tools.specs.some((spec) => spec.name === name));
  let [added, removed] = [before.added, before.removed];
  /** Changes the visible tools and counts the changes. If not all of them fit, the newest stay. */
  const setActive = (names: readonly string[]) => {
    const next = [...new Set(names)].slice(-cap);
    added += next.filter((name) => !active.includes(name)).length;
    removed += active.filter((name) => !next.includes(name)).length;
    active = next;
  };
  if (mode === 'all') active = tools.specs.map(({ name }) => name);
  else if (mode !== 'autonomous') {
    const fitting = await search(encoder === undefined ? recentText : recentText.slice(-300));
    const stay = active.filter((name) => fitting.includes(name) || before.used.includes(name));
    setActive([...stay.filter((name) => !fitting.includes(name)), ...fitting.toReversed()]);
  }
  const used = new Set<string>();
  const results = new Map(Object.entries(before.results));
  const looksUp = mode === 'autonomous' || mode === 'hybrid';
  const failed = new Set<string>();
  let passages: readonly string[] = [];

  const record = ({ name, arguments: input }: ToolCall, ok: boolean, result: string): ToolRecord => ({
    tool: name,
    arguments: input,
    ok,
    result,
  });
  const ownEntry: Readonly<Record<string, (call: ToolCall) => ToolRecord | Promise<ToolRecord>>> = {
    ...(looksUp
      ? {
          async find_tools(call: ToolCall) {
            const matches = await search(textIn(call, 'query'));
            setActive([...active.filter((name) => !matches.includes(name)), ...matches]);
            return record(call, true, matches.length === 0 ? 'Nothing fits.' : `You now have ${active.join(', ')}.`);
          },
          drop_tools(call: ToolCall) {
            const names = isObject(call.arguments) && Array.isArray(call.arguments['names']) ? call.arguments['names'] : [];
            setActive(active.filter((name) => !names.includes(name)));
            return record(call, true, `You now have ${active.join(', ') || 'none'}.`);
          },
        }
      : {}),
    ...(digests !== false
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
            const toolRoute = bestRoute(withResults(graph, results), textIn(call, 'from'), textIn(call, 'to'), failed);
            if (toolRoute === null) return record(call, false, 'No route leads there.');
            return record(
              call,
              true,
              `${toolRoute.tools.join(', then ')} (cost ${toolRoute.cost}, quality ${toolRoute.quality.toFixed(3)})`,
            );
          },
        }),
  };
  const extras = [...(looksUp ? [find, drop] : []), ...(digests !== false ? [expand] : []), ...(graph === undefined ? [] : [route])];

  return {
    specs: () => [...tools.specs.filter(({ name }) => active.includes(name)), ...extras],
    async use(call, signal) {
      if (Object.hasOwn(ownEntry, call.name)) return ownEntry[call.name]!(call);
      if (!active.includes(call.name) && tools.specs.some(({ name }) => name === call.name))
        return record(
          call,
          false,
          `The tool ${call.name} is not in sight${looksUp ? '; look it up with find_tools first' : ' this turn'}.`,
        );
      const outcome = await tools.use(call, signal);
      if (!outcome.ok) failed.add(call.name);
      used.add(call.name);
      const { ok, failed: failures } = results.get(call.name) ?? { ok: 0, failed: 0 };
      results.set(call.name, outcome.ok ? { ok: ok + 1, failed: failures } : { ok, failed: failures + 1 });
      return outcome;
    },
    state: () =>
      mode === 'all' && graph === undefined
        ? undefined
        : { active: mode === 'all' ? [] : active, used: [...used], added, removed, results: Object.fromEntries(results) },
    async shown(use) {
      const { tool, arguments: input, result } = use;
      if (digests === false || result.length <= longResult || tool === 'expand') return result;
      passages = groupsOf(passagesOf(wholeResult(use)));
      const query = isObject(input)
        ? Object.values(input)
            .filter((value) => typeof value === 'string')
            .join(' ')
        : '';
      // A query of a few words says what is wanted; otherwise the turn does. An encoder reads only the beginning of a long text.
      const recent = encoder === undefined ? recentText : recentText.slice(-300);
      const question = query.split(/\s+/).length >= fewestWords ? query : `${query}\n${recent}`.trim();
      return digestOf(passages, question, { encoder, ...(digests !== true && { expansion: digests }) });
    },
  };
}

const emptyState: ToolState = { active: [], used: [], added: 0, removed: 0, results: {} };

/** The weight of a tool's declared quality, in calls. */
const prior = 2;

/** The graph with the measured quality of its tools: the declared one, updated by the results of calls. */
function withResults(graph: ToolGraph, results: ReadonlyMap<string, { readonly ok: number; readonly failed: number }>): ToolGraph {
  const edges = graph.edges.map((edge) => {
    const { ok, failed } = results.get(edge.tool) ?? { ok: 0, failed: 0 };
    return { ...edge, quality: (prior * edge.quality + ok) / (prior + ok + failed) };
  });
  return { ...graph, edges };
}

function textIn({ arguments: input }: ToolCall, name: string): string {
  return isObject(input) ? String(input[name] ?? '') : '';
}

/** Longer results are digested, in at most this many passages, by a query with at least this many words. */
const [longResult, mostPassages, fewestWords] = [1500, 100, 3];

/** Neighboring passages together, if there are too many. */
function groupsOf(passages: readonly string[]): readonly string[] {
  const size = Math.ceil(passages.length / mostPassages);
  if (size <= 1) return passages;
  return Array.from({ length: Math.ceil(passages.length / size) }, (_, i) => passages.slice(i * size, (i + 1) * size).join('\n'));
}
