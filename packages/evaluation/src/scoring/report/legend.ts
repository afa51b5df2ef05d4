/** @file Which colour an agent has on the page, and how its name is written. */

import { tint } from './plots.ts';
import type { Report } from './report.ts';
import { escapeHtml } from './wording.ts';

/** Agents that try have colours, in the order of the standings; the others are grey. */
export function colourOf({ standings: { agents } }: Report, agent: string): number {
  const trying = agents.filter(({ isNull }) => !isNull);
  return trying.findIndex((standing) => standing.agent === agent);
}

export function agentLabel(report: Report, agent: string): string {
  const isNull = report.standings.agents.find((standing) => standing.agent === agent)?.isNull === true;
  return `<span class="${tint(colourOf(report, agent))}"><span class="dot" aria-hidden="true"></span></span>${escapeHtml(agent)}${isNull ? '<span class="badge">does not try</span>' : ''}`;
}
