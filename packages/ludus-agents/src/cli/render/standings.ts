/** @file Standings for terminal output: a table of agents, and one of scenes by agents. */

import type { Lift, Standing, Standings } from '@ludus-agents/evaluation/internal/scoring/evaluation/index';
import { failureText } from '@ludus-agents/evaluation/internal/scoring/failures';
import type { Interval } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { scopeText } from '@ludus-agents/evaluation/internal/scoring/statistics/verdict';
import { formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { columnsOf, type Terminal, tableWidth } from '../terminal.ts';
import { type Colours, coloursFor } from './colours.ts';
import { missingCell } from './results.ts';
import { type Column, table } from './table.ts';
import { wrap } from './width.ts';

export interface StandingsPage {
  readonly terminal: Terminal;
  readonly title: string;
  readonly about: string;
  readonly k: readonly number[];
}

export function standingsText({ agents, floorAgent, over, tasks }: Standings, { terminal, title, about, k }: StandingsPage): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const passes = k.filter((value) => agents.some(({ pass }) => pass[value] !== undefined));
  const columns: Column[] = [
    { title: 'agent', flexible: 'cut' },
    { title: 'mean', align: 'right' },
    { title: '95%', align: 'right' },
    { title: 'over floor', align: 'right' },
    ...passes.map((pass): Column => ({ title: `pass^${pass}`, align: 'right' })),
    { title: 'tasks', align: 'right' },
    { title: 'episodes', align: 'right' },
    { title: 'missing', align: 'right' },
  ];
  const rows = agents.map((agent) => [
    agentLabel(agent, colours),
    points(agent.value),
    colours.faint(span(agent.interval)),
    agent.agent === floorAgent ? colours.faint('the floor') : formatLift(agent.lift, colours),
    ...passes.map((otherPass) => points(agent.pass[otherPass] ?? null)),
    formatGrouped(agent.tasks),
    formatGrouped(agent.episodes),
    missingCell(agent.missing, colours),
  ]);
  const parts = [
    colours.bold(title),
    ...wrap(about, width),
    '',
    table(columns, rows, { colours, columns: screen }),
    '',
    scenesTable(agents, colours, screen),
  ];
  const note = `${floorNote(agents, floorAgent)} Intervals cover ${scopeText(over, tasks)}.`;
  const failed = agents.flatMap(({ agent, failures }) => failures.map((failure) => `${agent}: ${failureText(failure)}`));
  const observations = failed.flatMap((line) => wrap(printable(line), width)).map(colours.yellow);
  return [...parts, '', ...wrap(note, width).map(colours.faint), ...observations].join('\n');
}

function scenesTable(agents: readonly Standing[], colours: Colours, screen: number | undefined): string {
  const scenes = agents[0]?.scenes.map(({ scene }) => scene) ?? [];
  const columns: Column[] = [
    { title: 'scene' },
    ...agents.map(({ agent }): Column => ({ title: printable(agent), align: 'right', flexible: 'cut' })),
  ];
  const rows = scenes.map((scene, i) => [
    printable(scene),
    ...agents.map(({ scenes: sceneStandings }) => {
      const { value = null, interval = null } = sceneStandings[i] ?? {};
      return interval === null || value === null ? points(value) : `${points(value)} ${colours.faint(`(${span(interval)})`)}`;
    }),
  ]);
  return table(columns, rows, { colours, columns: screen });
}

function floorNote(agents: readonly Standing[], floorAgent: string | null): string {
  const missing = agents.flatMap(({ agent, reasons }) => Object.entries(reasons).map(([why, times]) => `${agent} ${times} ${why}`));
  const floor =
    floorAgent === null ? '' : `Points out of 100; the floor is ${floorAgent}, the best trivial baseline (baselines are marked ·). `;
  return `${floor}${missing.length === 0 ? 'No score is missing.' : `Missing, and not counted as 0: ${missing.join(', ')}.`}`;
}

function agentLabel({ agent, isNull }: Standing, colours: Colours): string {
  return isNull ? colours.faint(`${printable(agent)} ·`) : colours.bold(printable(agent));
}

/** From 0–1 to points out of 100. */
function points(value: number | null): string {
  if (value === null) return '–';
  const rounded = (100 * value).toFixed(1);
  return rounded === '-0.0' ? '0.0' : rounded.replace('-', '−');
}

function span(interval: Interval | null): string {
  return interval === null ? '' : `${points(interval[0])} to ${points(interval[1])}`;
}

function formatLift(lift: Lift | null, colours: Colours): string {
  if (lift === null) return '–';
  const text = `${lift.value > 0 ? '+' : ''}${points(lift.value)} (${span(lift.interval)})`;
  if (lift.interval === null) return text;
  if (lift.interval[0] > 0) return colours.green(text);
  return lift.interval[1] < 0 ? colours.red(text) : colours.faint(text);
}
