/** @file Estimates the cost of a survey: plays a few of its people offline, and extrapolates to all. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type CostEstimate, type EstimateOptions, estimatePlan } from '@ludus-agents/evaluation/internal/estimate';
import type { Span } from '@ludus-agents/evaluation/internal/span';
import { loadPlanTasks } from '@ludus-agents/kernel/internal/engine/plan';
import type { SurveyPlan } from './plan.ts';

/** The number of people that the fake model answers for. */
const pilots = 8;

export async function estimateSurvey(
  { plan, people }: SurveyPlan,
  { env, ended, agents }: Pick<EstimateOptions, 'env' | 'agents'> & { readonly ended: number },
): Promise<CostEstimate> {
  const all = people.personas.length;
  const pilotPlan = { ...plan, casts: plan.casts.slice(0, pilots) };
  const sheet = await loadPlanTasks(pilotPlan, builtInEnvironment);
  const estimate = await estimatePlan(pilotPlan, sheet, { store: null, env, agents });
  const times = Math.max(0, all - ended) / pilotPlan.casts.length;
  const scaleSpan = ({ low, likely, high }: Span): Span => ({ low: low * times, likely: likely * times, high: high * times });
  return {
    ...estimate,
    episodes: Math.max(0, all - ended),
    calls: scaleSpan(estimate.calls),
    promptTokens: scaleSpan(estimate.promptTokens),
    completionTokens: scaleSpan(estimate.completionTokens),
    money: estimate.money === null ? null : scaleSpan(estimate.money),
  };
}
