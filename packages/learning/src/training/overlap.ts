/** @file Whether episodes of a training overlap: where tools or agents from outside answer, whose answers take their time. */

import type { AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeSlots } from '@ludus-agents/kernel/internal/engine/overlap';
import type { Recipe } from '../rl/recipe.ts';
import type { Overlap } from '../rl/rollouts.ts';
import { WeightGate } from '../rl/weight-gate.ts';
import { isPromptView } from './learner-view.ts';

/** Episodes at a time, unless the recipe says how many. */
const usualSlots = 64;

/** Names of players that answer in this process, and at once. */
const quick = ['learner', 'self', 'league', 'random'];

/** Names of players that are neither the learner nor part of the environment, and whose answers may call models. */
export function outsideAgents({ training }: Pick<Recipe, 'training'>, environment: AnyEnvironment): readonly string[] {
  const names = [...Object.values(training.seats ?? {}), ...(training.opponents ?? '').split(',').map((name) => name.trim())];
  const inside = (name: string) => Object.hasOwn(environment.scripts ?? {}, name.replace(/^scripted:/, ''));
  return names.filter((name) => name !== '' && !quick.includes(name) && !inside(name));
}

/** Undefined for lock-step: what is played by tables and scripts alone, and episodes that follow each other. */
export function overlapFor(recipe: Recipe, environment: AnyEnvironment): Overlap | undefined {
  const { training, view, roles } = recipe;
  const hasTools = isPromptView(view) && (view.tools ?? []).length > 0;
  const { overlap = hasTools || outsideAgents(recipe, environment).length > 0 } = training;
  const inTurn = view?.kind === 'episodes' || training.environments !== undefined || (roles !== undefined && roles.kind !== 'one');
  if (overlap === false || inTurn) return undefined;
  const gate = new WeightGate({ concurrent: training.learner === 'tinker' });
  return { slots: new EpisodeSlots(overlap === true ? usualSlots : overlap), gate };
}
