/** @file How tasks are written move by move: by the environment's own drafts, or parameter by parameter; and samples of such tasks. */

import type { AnyEnvironment, Json, JsonObject, TaskDraft } from '@ludus-agents/kernel/internal/core/index';
import { canonical, Fault, rng } from '@ludus-agents/kernel/internal/core/index';
import { axesOf, type MenuRequest } from '../task-menu.ts';

/** Maps the moves so far to the writer's next choice, or to the finished task. */
export type DraftForm = (moves: readonly string[]) => TaskDraft;

interface TaskDraftRequest extends Pick<MenuRequest, 'parameters'> {
  /** The part that all tasks share. */
  readonly task?: Json;
}

/** The environment's own drafts, unless parameters are named; else one parameter after another. */
export function draftForm(environment: AnyEnvironment, { task = {}, parameters }: TaskDraftRequest = {}): DraftForm {
  const { draft } = environment;
  if (draft !== undefined && parameters === undefined) return (moves) => draft.call(environment, task, moves);
  const axes = axesOf(environment, parameters);
  if (axes.length === 0)
    throw new Fault('input', `${environment.id} has no parameter that can vary. Add "draft" to it, or list parameters with their bounds.`);
  return (moves) => {
    const axis = axes[moves.length];
    if (axis === undefined)
      return { task: { ...(task as JsonObject), ...Object.fromEntries(moves.map((move, i) => valueIn(axes[i], move))) } };
    return { text: `Which ${axis.name}?`, choices: axis.values.map((value) => `${axis.name}=${JSON.stringify(value)}`) };
  };
}

function valueIn({ name }: { readonly name: string }, move: string): readonly [string, Json] {
  return [name, JSON.parse(move.slice(name.length + 1)) as Json];
}

const mostMoves = 64;

/** Different tasks written by uniform random choices, without those that the environment refuses. */
export function sampleTasks(environment: AnyEnvironment, form: DraftForm, count: number): readonly Json[] {
  const dice = rng(0, 'sample of tasks');
  const tasks = new Map<string, Json>();
  for (let tries = 0; tries < 4 * count && tasks.size < count; tries++) {
    const moves: string[] = [];
    for (let draft = form(moves); moves.length < mostMoves; draft = form(moves)) {
      if ('task' in draft) {
        const task = readable(environment, draft.task);
        if (task !== null) tasks.set(canonical(task), task);
        break;
      }
      moves.push(dice.pick(draft.choices));
    }
  }
  return [...tasks.values()];
}

function readable(environment: AnyEnvironment, input: Json): Json | null {
  try {
    return environment.task(input) as Json;
  } catch {
    return null;
  }
}
