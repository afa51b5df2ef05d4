/**
 * @file The tools of a turn, and model calls about them before the answer: which tools are no longer needed (MemTool), and which sub-tasks
 * lead to the goal (CoSTA*).
 */

import { codeSkillsIn } from '@ludus-agents/environments/internal/code-skill';
import { Fault, type Model, type ModelCall, type Prompt, type View } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { Mind } from '../mind/mind.ts';
import { skillTool } from '../tools/skill-tool.ts';
import { type Toolset, toolset, toolsOfRole } from '../tools/tool.ts';
import type { ToolContextSettings, ToolState } from '../tools/tool-context.ts';
import { type PlannedTools, pathsIn, planTools, readToolPlan, routeText, stagesOf, type ToolPlan } from '../tools/tool-plan.ts';
import type { LlmOptions } from './agent.ts';
import { block, inert } from './escape.ts';
import type { LlmSettings } from './settings.ts';

export async function toolsFor({ spec, seat, tools }: LlmOptions, settings: LlmSettings): Promise<Toolset | null> {
  const mayCall = settings.architecture === 'react' || settings.architecture === 'code';
  const skills = mayCall ? codeSkillsIn(spec.texts ?? {}).map(skillTool) : [];
  const wanted = spec.tools ?? [];
  if (wanted.length === 0) return skills.length === 0 ? null : toolset(skills, toolsOfRole(seat, tools?.roles), settings.allow);
  if (!mayCall)
    throw new Fault(
      'input',
      `${spec.name}: tools need the architecture "react" or "code", but it is "${settings.architecture}". Change one of the two.`,
    );
  if (tools === undefined)
    throw new Fault(
      'input',
      `${spec.name} needs tools (${wanted.join(', ')}), but no tools are available here. Use loadAgent or the command line.`,
      { code: 'E_NO_LOADER' },
    );
  const boxes = await Promise.all(wanted.map((name) => tools.open(name)));
  return toolset([...boxes.flatMap((box) => box.tools), ...skills], toolsOfRole(seat, tools.roles), settings.allow);
}

/** The tools at the start of a turn. */
export interface ToolTurn {
  readonly tools: Toolset | null;
  readonly toolContext: ToolContextSettings;
  readonly toolState: ToolState | undefined;
  /** The planned route; undefined if routes are not planned. */
  readonly planned: PlannedTools | undefined;
}

interface ToolRequest {
  readonly tools: Toolset | null;
  readonly settings: LlmSettings;
  readonly mind: Mind | undefined;
  readonly view: View;
  readonly model: Model;
  readonly calls: ModelCall[];
  /** The last mind of the agent's earlier episodes. */
  readonly earlier: (() => Promise<Mind | undefined>) | undefined;
}

/** Asks the model about its tools before it answers, if the settings say so. */
export async function prepareTools(request: ToolRequest, signal: AbortSignal): Promise<ToolTurn> {
  const { tools, settings, mind, view } = request;
  const { toolContext, toolSteps } = settings;
  const latestText = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).at(-1) ?? '';
  const asking = { ...request, words: latestText.slice(-2000) };
  const toolState =
    tools !== null && toolSteps.removal === 'model' && toolContext.mode !== 'all'
      ? await removeTools(mind?.toolState, tools, asking, signal)
      : mind?.toolState;
  const planned = tools !== null && toolContext.graph !== undefined && toolSteps.plan ? await planRoute(tools, asking, signal) : undefined;
  if (planned === undefined) return { tools, toolContext, toolState, planned };
  // The route is planned here, so the model needs no tool for it.
  return { tools: planned, toolContext: { ...toolContext, graph: undefined }, toolState, planned };
}

type Asking = ToolRequest & { readonly words: string };

async function ask({ model, settings, calls }: Asking, [system, user]: readonly [string, string], signal: AbortSignal): Promise<string> {
  const prompt: Prompt = {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  };
  const call = await model.complete(prompt, settings.sampling, signal);
  calls.push(call);
  return call.text;
}

/** Asks the model which tools to keep. They count as used, so the removal rule keeps them. */
async function removeTools(
  state: ToolState | undefined,
  tools: Toolset,
  asking: Asking,
  signal: AbortSignal,
): Promise<ToolState | undefined> {
  if (state === undefined || state.active.length === 0) return state;
  const rows = tools.specs.filter(({ name }) => state.active.includes(name)).map(({ name, description }) => `${name}: ${description}`);
  const answer = await ask(
    asking,
    [
      'You have tools in view, each of which takes room. Say which of them the next message no longer needs, in one line "Drop: NAME, NAME"; "Drop: none" keeps all. The message is not for you to answer now.',
      `${block('records', rows.map(inert).join('\n'))}\n${block('records', inert(asking.words))}`,
    ],
    signal,
  );
  const dropped = new Set((linear(/drop:\**\s*(\S.*)/i).exec(answer)?.[1] ?? '').split(',').map((name) => name.replace(/[`*.\s]/g, '')));
  const active = state.active.filter((name) => !dropped.has(name));
  return { ...state, active, used: active, removed: state.removed + state.active.length - active.length };
}

/** Plans the route of the turn. If no path leads to a goal, the turn proceeds without a plan. */
async function planRoute(tools: Toolset, asking: Asking, signal: AbortSignal): Promise<PlannedTools | undefined> {
  const { mind, settings, earlier } = asking;
  const graph = settings.toolContext.graph!;
  const last = mind === undefined && settings.lasting ? await earlier?.() : mind;
  const before = readToolPlan(last?.toolPlan);
  const answer = await ask(
    asking,
    [
      `Tools lead from stage to stage. The stages are: ${stagesOf(graph).map(inert).join(', ')}. Write the sub-tasks of the message as paths over these stages, from what there is to what is wanted: lines "Path: STAGE > STAGE > STAGE", one for each way that could work, four at most. Leave out stages that it does not need.`,
      block('records', inert(asking.words)),
    ],
    signal,
  );
  const paths = pathsIn(answer, graph);
  if (paths.length === 0) return undefined;
  return planTools(tools, graph, { paths, before: mind === undefined && before !== undefined ? { ...before, acted: noActs } : before });
}

const noActs: ToolPlan['acted'] = { planned: 0, pruned: 0, replanned: 0 };

/** The prompt with the planned route at its end. */
export function withRoute(prompt: Prompt, { route }: PlannedTools): Prompt {
  const last = prompt.messages.at(-1);
  if (route === null || last === undefined) return prompt;
  const content = `${String(last.content)}\nThe best route through your tools: ${inert(routeText(route))}. Use them in this order.`;
  return { ...prompt, messages: [...prompt.messages.slice(0, -1), { ...last, content }] };
}
