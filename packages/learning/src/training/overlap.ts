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

/** Undefined for lock-step: what is played by tables and scripts alone, and episodes that follow each other. */
export function overlapFor({ training, view, roles }: Recipe, environment: AnyEnvironment): Overlap | undefined {
  const names = [...Object.values(training.seats ?? {}), ...(training.opponents ?? '').split(',').map((name) => name.trim())];
  const isOutside = (name: string) => name !== '' && !quick.includes(name) && !Object.hasOwn(environment.scripts ?? {}, name);
  const hasTools = isPromptView(view) && (view.tools ?? []).length > 0;
  const { overlap = hasTools || names.some(isOutside) } = training;
  const inTurn = view?.kind === 'episodes' || training.environments !== undefined || (roles !== undefined && roles.kind !== 'one');
  if (overlap === false || inTurn) return undefined;
  const gate = new WeightGate({ concurrent: training.learner === 'tinker' });
  return { slots: new EpisodeSlots(overlap === true ? usualSlots : overlap), gate };
}
