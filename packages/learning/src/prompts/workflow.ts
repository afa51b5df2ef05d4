/**
 * @file Workflows as data: the modules of a pipeline, which engines that design agents write anew. A workflow that could not be played is
 * refused with what is wrong with it, so that the model that wrote it can be asked again.
 */

import { type AgentSpec, canonical, isObject, type Json, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { SpecTexts } from './components.ts';
import { isTeam, joinTeam, pipelineModules, splitTeam } from './nested-texts.ts';

/** One step of a workflow: what the agent is told, and when. */
export type WorkflowModule = {
  readonly name: string;
  readonly tell: string;
  /** Lines like "Plan: …" that later steps still see. */
  readonly keep?: readonly string[];
  /** Words of an earlier step with which, or without which, the step is taken. */
  readonly when?: string;
  readonly unless?: string;
};

export type Workflow = readonly WorkflowModule[];

const mostModules = 8;

/** A language agent as a pipeline of one step, so that steps can be added; a pipeline that is known by name is written out. */
export function asPipeline(spec: AgentSpec): AgentSpec {
  if (isTeam(spec)) {
    const { pipeline, ...settings } = spec.settings ?? {};
    const modules = pipelineModules(spec.settings ?? {});
    return modules === null || pipeline === undefined ? spec : { ...spec, settings: { ...settings, modules, protocol: 'pipeline' } };
  }
  const { name } = spec;
  const answer = { name: 'answer', tell: 'Answer.' };
  return {
    name,
    kind: 'team',
    settings: { members: [{ ...spec, name: 'worker' }], protocol: 'pipeline', modules: [answer] },
  };
}

/** The workflow of a pipeline; null for an agent that has none. */
export function workflowIn(components: SpecTexts): Workflow | null {
  const structure = components['setting/modules'];
  if (structure === undefined) return null;
  return joinTeam({ modules: JSON.parse(structure) as Json }, components)['modules'] as Workflow;
}

/** The components with another workflow. */
export function withWorkflow(components: SpecTexts, workflow: Workflow): SpecTexts {
  const { settings, texts } = splitTeam({ modules: workflow });
  const others = Object.entries(components).filter(([name]) => !name.startsWith('module/'));
  return { ...Object.fromEntries(others), ...texts, 'setting/modules': canonical(settings['modules'] as Json) };
}

/** Reads the workflow in a model's answer: a JSON object with "modules", or what is wrong with it. */
export function readWorkflow(answer: string): { readonly workflow: Workflow; readonly thought: string } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(linear(/\{[\s\S]*\}/).exec(answer)?.[0] ?? '');
  } catch {
    return { problem: 'it is not a JSON object' };
  }
  const { modules, thought } = (isObject(value as Json) ? value : {}) as { modules?: unknown; thought?: unknown };
  if (!Array.isArray(modules) || modules.length === 0 || modules.length > mostModules)
    return { problem: `"modules" must be a list of 1 to ${mostModules} steps` };
  for (const [i, item] of modules.entries()) {
    const { name, tell, keep = [], when = '', unless = '' } = (isObject(item as Json) ? item : {}) as Record<string, unknown>;
    if (typeof name !== 'string' || !/^[a-z][\w-]{0,30}$/i.test(name)) return { problem: `step ${i + 1} needs a "name" of letters` };
    if (typeof tell !== 'string' || tell.trim() === '') return { problem: `step "${name}" needs a text "tell"` };
    if (!Array.isArray(keep) || keep.some((word) => typeof word !== 'string'))
      return { problem: `"keep" of "${name}" must be a list of words` };
    if (typeof when !== 'string' || typeof unless !== 'string') return { problem: `"when" and "unless" of "${name}" must be texts` };
    if (i === modules.length - 1 && (when !== '' || unless !== '')) return { problem: 'the last step answers, so it has no condition' };
  }
  const names = modules.map((module) => (module as WorkflowModule).name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) return { problem: `two steps are named "${twice}"` };
  return { workflow: modules.map(plainModule), thought: typeof thought === 'string' ? thought.slice(0, 300) : '' };
}

/** A step without what a pipeline does not know. */
function plainModule(jsonObject: JsonObject): WorkflowModule {
  const { name, tell, keep, when, unless } = jsonObject as WorkflowModule;
  return {
    ...{ name, tell },
    ...(keep === undefined || keep.length === 0 ? {} : { keep }),
    ...(when === undefined || when === '' ? {} : { when }),
    ...(unless === undefined || unless === '' ? {} : { unless }),
  };
}

/** How a model is told to write a workflow. */
export const workflowForm = `A workflow is a list of steps. In each step the agent is told one sentence ("tell") and answers; it sees its earlier answers. The last step gives the final answer. A step may have "keep" (words such as ["Plan"]: lines "Plan: …" are kept), "when" or "unless" (words in an earlier answer that decide whether it is taken). Answer with one JSON object: {"thought": "why this helps", "modules": [{"name": "…", "tell": "…"}]}.`;
