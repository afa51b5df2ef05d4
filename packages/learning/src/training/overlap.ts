/** @file Decides whether episodes of a training overlap: if tools or external agents answer, which may be slow. */

import type { AnyEnvironment } from '@ludus-agents/kernel/internal/core/index';
import { EpisodeSlots } from '@ludus-agents/kernel/internal/engine/overlap';
import type { Recipe } from '../rl/recipe.ts';
import type { Overlap } from '../rl/rollouts.ts';
import { WeightGate } from '../rl/weight-gate.ts';
import { isPromptView } from './learner-view.ts';

/** The default number of concurrent episodes. */
const usualSlots = 64;

/** Names of players that answer immediately in this process. */
const quick = ['learner', 'self', 'league', 'random'];

/** Names of players that are neither the learner nor part of the environment, and that may call models. */
export function outsideAgents({ training }: Pick<Recipe, 'training'>, environment: AnyEnvironment): readonly string[] {
  const agents = [...Object.values(training.seats ?? {}), ...(training.opponents ?? '').split(',').map((name) => name.trim())];
  const inside = (name: string) => Object.hasOwn(environment.scripts ?? {}, name.replace(/^scripted:/, ''));
  return agents.flatMap((agent) => {
    if (typeof agent !== 'string') return [agent.name];
    return agent !== '' && !quick.includes(agent) && !inside(agent) ? [agent] : [];
  });
}

/** Undefined for lock-step: play by tables and scripts only, and episodes that depend on each other. */
export function overlapFor(recipe: Recipe, environment: AnyEnvironment): Overlap | undefined {
  const { training, view, roles } = recipe;
  const hasTools = isPromptView(view) && (view.tools ?? []).length > 0;
  const { overlap = hasTools || outsideAgents(recipe, environment).length > 0 } = training;
  const inTurn = view?.kind === 'episodes' || training.environments !== undefined || (roles !== undefined && roles.kind !== 'one');
  if (overlap === false || inTurn) return undefined;
  const gate = new WeightGate({ concurrent: training.learner === 'tinker' });
  return { slots: new EpisodeSlots(overlap === true ? usualSlots : overlap), gate };
}
