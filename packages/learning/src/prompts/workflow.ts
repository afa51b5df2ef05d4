/**
 * @file Workflows as data: the modules of a pipeline, which designing engines rewrite. An invalid workflow is refused with its error, so
 * that the model that wrote it can be asked again.
 */

import { moduleShape, type PipelineModule, readModules } from '@ludus-agents/environments/internal/discussion/protocols/pipeline';
import { type AgentSpec, canonical, Fault, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import type { SpecTexts } from './components.ts';
import { isTeam, joinTeam, pipelineModules, splitTeam } from './nested-texts.ts';

/** The steps of a pipeline, with all options of a module. */
export type Workflow = readonly PipelineModule[];

const mostModules = 8;

/** A language agent as a pipeline of one step, so that steps can be added; a pipeline given by name is expanded. */
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

/** The workflow of a pipeline; null for an agent without one. */
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

/**
 * Parses the workflow in a model's answer: a JSON object with "modules". Returns the error if it is invalid. Steps can be assigned to the
 * members of the team.
 */
export function readWorkflow(
  answer: string,
  members: readonly string[] = [],
): { readonly workflow: Workflow; readonly thought: string } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(linear(/\{[\s\S]*\}/).exec(answer)?.[0] ?? '');
  } catch {
    return { problem: 'it is not a JSON object' };
  }
  const { modules, thought } = (isObject(value as Json) ? value : {}) as { modules?: unknown; thought?: unknown };
  if (!Array.isArray(modules) || modules.length === 0 || modules.length > mostModules)
    return { problem: `"modules" must be a list of 1 to ${mostModules} steps` };
  const steps = modules.map(withoutEmptyKeys);
  const last = steps.at(-1);
  if (isObject(last) && (last['when'] ?? last['unless']) !== undefined) return { problem: 'the last step answers, so it has no condition' };
  try {
    readModules({ members, settings: { modules: steps } });
    const workflow = steps.map((step) => readAs(moduleShape, step, { where: 'modules', called: 'a step' }));
    return { workflow, thought: typeof thought === 'string' ? thought.slice(0, 300) : '' };
  } catch (thrown) {
    if (thrown instanceof Fault) return { problem: thrown.message };
    throw thrown;
  }
}

/** A step without keys that a model left empty. */
function withoutEmptyKeys(step: Json): Json {
  if (!isObject(step)) return step;
  const isEmpty = (value: Json) => value === '' || value === null || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(step).filter(([key, value]) => key === 'tell' || !isEmpty(value)));
}

/** The instructions to a model for writing a workflow. */
export const workflowForm = `A workflow is a list of steps. In each step the agent is told one sentence ("tell") and answers; it sees its earlier answers. The last step gives the final answer. A step may have "keep" (words such as ["Plan"]: lines "Plan: …" are kept), "when" or "unless" ("Plan: attack": it is taken if, or unless, such a line begins so), "every": 4 (it is taken in every fourth turn), "code": true (a JavaScript block in the answer is run), "skills": "write" (moves that belong together are stored and run again), "knowledge": 6 (lines of the team's knowledge are shown), or "narrow": 4 (only the moves most like the answer stay). Answer with one JSON object: {"thought": "why this helps", "modules": [{"name": "…", "tell": "…"}]}.`;
