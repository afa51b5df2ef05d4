/** @file Suite output of `ludus eval` and `ludus compare`: cases, groups, faults, measures, calibration, and adaptability. */

import { resolve } from 'node:path';
import type { AgentGroups } from '@ludus-agents/desk/internal/case-groups';
import type { AgentFaults } from '@ludus-agents/desk/internal/found-faults';
import { type CaseSide, type RunDiff, runDiffPage, runDiffSummary, sideBySide } from '@ludus-agents/desk/internal/run-diff';
import type { AgentAdaptation } from '@ludus-agents/evaluation/internal/adaptation';
import type { AgentCalibration } from '@ludus-agents/evaluation/internal/calibration';
import type { CaseResult } from '@ludus-agents/evaluation/internal/cases/case-results';
import type { AgentMeasures } from '@ludus-agents/evaluation/internal/measures';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { columnsOf, print, printJson, type Terminal, tableWidth } from '../terminal.ts';
import { coloursFor } from './colours.ts';
import { type Column, table } from './table.ts';
import { pad, wrap } from './width.ts';

const legend =
  'Drop: the last five steps before the change minus the first three after it. Recovered: the share of the loss regained in the last five steps. Returned: episodes that again earned nine tenths of the earlier reward, and the number of steps until then.';

/** The effect of a change on each agent: the reward before it, the loss, the recovery, and its duration. */
export function adaptationText(rows: readonly AgentAdaptation[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const right = (title: string): Column => ({ title, align: 'right' });
  const columns = [
    { title: 'scene' },
    { title: 'agent' },
    right('before'),
    right('drop'),
    right('made good'),
    right('came back'),
    right('steps'),
  ];
  const points = (value: number) => (100 * value).toFixed(1).replace('-', '−');
  const cells = rows.map(({ agent, scene, episodes, before, drop, recovery, cameBack, steps }) => [
    printable(scene),
    printable(agent),
    points(before),
    points(drop),
    recovery === null ? '–' : `${points(recovery)}%`,
    `${cameBack} of ${episodes}`,
    steps === null ? '–' : steps.toFixed(1),
  ]);
  return [table(columns, cells, { colours }), ...wrap(legend, width).map(colours.faint)].join('\n');
}

/** The calibration of agents: their bets, how often they won, and the difference. */
export function calibrationText(agents: readonly AgentCalibration[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const right = (title: string): Column => ({ title, align: 'right' });
  const columns = [
    { title: 'bets of' },
    right('debates'),
    right('first'),
    right('last'),
    right('won'),
    right('Brier'),
    right('error by tenths'),
  ];
  const percent = (value: number) => `${value.toFixed(1)}%`;
  const rows = agents.map(({ agent, debates, opening, closing, won, brier, ece }) => [
    printable(agent),
    String(debates),
    percent(opening),
    percent(closing),
    percent(100 * won),
    brier.toFixed(3),
    ece.toFixed(3),
  ]);
  return [
    table(columns, rows, { colours }),
    colours.faint('An agent that always says 50 has a Brier score of 0.250. Two honest sides add up to 100.'),
  ].join('\n');
}

/** Success by policy rule and by customer attribute, worst first. */
export function caseGroupsText(agents: readonly AgentGroups[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const columns: Column[] = [{ title: 'by' }, { title: '' }, { title: 'passed', align: 'right' }, { title: '95%', align: 'right' }];
  return agents
    .map(({ agent, groups }) => {
      const rows = groups.map(({ of, group, passes, n, interval: [low, high] }) => [
        ...[of, printable(group.replace(/^\s*[-*]\s*/, '').slice(0, 70)), `${passes} of ${n}`],
        colours.faint(`${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}%`),
      ]);
      return [colours.bold(`Pass rates of ${printable(agent)} by case attribute`), table(columns, rows, { colours, columns: screen })].join(
        '\n',
      );
    })
    .join('\n\n');
}

const mostShown = 20;

/** The cases that an agent failed: each with its answer, and the error. */
export function caseResultsText(results: readonly CaseResult[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const short = (text: string, most: number) => printable(text.length > most ? `${text.slice(0, most)}…` : text).replaceAll('\n', ' ');
  return [...Map.groupBy(results, ({ agent }) => agent)]
    .map(([agent, tried]) => {
      const failed = tried.filter(({ failure }) => failure !== null);
      const missing = tried.filter((result) => result.missing === result.tries).length;
      const scoreless = missing === 0 ? '' : `; ${missing} without a score`;
      const title = colours.bold(
        `${printable(agent)} passed ${tried.length - failed.length} of ${count(tried.length, 'case')}${scoreless}`,
      );
      if (failed.length === 0) return title;
      const columns = [{ title: 'failed case' }, { title: 'passed', align: 'right' as const }, { title: 'answer' }, { title: 'why' }];
      const rows = failed
        .slice(0, mostShown)
        .map(({ case: name, passed, tries, failure }) => [
          short(name, 50),
          `${passed} of ${tries}`,
          short(failure?.answer ?? '', 40),
          short(failure?.reason ?? '', 60),
        ]);
      const more = failed.length > mostShown ? [colours.faint(`and ${failed.length - mostShown} more; --json lists all`)] : [];
      return [title, table(columns, rows, { colours, columns: tableWidth(terminal) }), ...more].join('\n');
    })
    .join('\n\n');
}

export interface CaseChangeOptions {
  readonly html?: string | undefined;
  readonly words?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Changed cases, with both conversations; reworded ones with the same verdict are listed on request. */
export function showCaseChanges(changes: RunDiff, options: CaseChangeOptions, terminal: Terminal): void {
  if (options.html !== undefined) writeFileAtomicSync(resolve(terminal.cwd, options.html), runDiffPage(changes));
  if (options.json === true) {
    printJson(terminal, changes);
    return;
  }
  const colours = coloursFor(terminal.stdout, terminal.env);
  const half = Math.max(24, Math.floor((columnsOf(terminal.stdout) - 3) / 2));
  const cellOf = (text: string) => wrap(printable(text), half);
  const verdictOf = ({ passed, reason }: CaseSide) => `${passed ? '✓ passed' : '✗ not passed'}${reason === '' ? '' : `: ${reason}`}`;
  const row = (left: string, right: string, paint: (text: string) => string = (text) => text) => {
    const [a, b] = [cellOf(left), cellOf(right)];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => `${paint(pad(a[i] ?? '', half))} │ ${paint(b[i] ?? '')}`);
  };
  const spoken = (line: { readonly by: string; readonly text: string } | undefined) =>
    line === undefined ? '' : `${line.by}: ${line.text}`;
  const caseChanges = changes.changes.filter(({ change }) => options.words === true || change !== 'reworded');
  const blocks = caseChanges.map((caseChange) =>
    [
      colours.bold(`${caseChange.change}: ${printable(caseChange.case)}, seed ${caseChange.seed}`),
      ...row(verdictOf(caseChange.before), verdictOf(caseChange.after), caseChange.change === 'broken' ? colours.red : colours.green),
      ...sideBySide(caseChange).flatMap(([a, b]) => row(spoken(a), spoken(b), a?.text === b?.text ? colours.faint : undefined)),
    ].join('\n'),
  );
  print(terminal, runDiffSummary(changes), ...blocks.flatMap((block) => ['', block]));
  if (options.html !== undefined) print(terminal, '', `Written to ${printable(options.html)}.`);
}

/** The faults of agents: how often each was found, and an example quote. */
export function faultsText(agents: readonly AgentFaults[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const screen = tableWidth(terminal);
  const width = Math.min(100, columnsOf(terminal.stdout));
  const percent = (value: number) => `${(100 * value).toFixed(1)}%`;
  const columns: Column[] = [{ title: 'fault' }, { title: 'found in', align: 'right' }, { title: '95%', align: 'right' }, { title: '' }];
  return agents
    .map(({ agent, faults, wordsOnly, conversations, unchecked }) => {
      const rows = faults.map(({ fault, hits, n, interval, found }) => [
        found ? colours.red(fault) : fault,
        `${hits} of ${n}`,
        colours.faint(`${percent(interval[0])} to ${percent(interval[1])}`),
        found ? colours.red('found') : colours.faint('not found'),
      ]);
      const examples = faults
        .filter(({ found }) => found)
        .flatMap(({ fault, examples: [first] }) =>
          first === undefined ? [] : [`${fault}, answer ${(first.turn ?? 0) + 1} of ${first.episode}: ${first.note}: “${first.quote}”`],
        );
      const text =
        wordsOnly === 0
          ? 'Its actions were observed through its calls.'
          : `Judged from the text alone in ${wordsOnly} of ${conversations} conversations: it shows neither calls nor records, so actions could only be checked by asking about them afterwards.`;
      const blind = unchecked.length === 0 ? [] : wrap(`Could not be checked in any conversation: ${unchecked.join(', ')}.`, width);
      return [
        colours.bold(`Faults of ${printable(agent)}`),
        table(columns, rows, { colours, columns: screen }),
        ...examples.flatMap((line) => wrap(printable(line), width)),
        ...wrap(text, width).map(colours.faint),
        ...blind.map(colours.faint),
      ].join('\n');
    })
    .join('\n\n');
}

/** Figures that environments report, as a table: one row per agent, one column per figure. */
export function measuresText(agents: readonly AgentMeasures[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const names = [...new Set(agents.flatMap(({ means }) => Object.keys(means)))];
  const columns = [{ title: 'measures' }, ...names.map((title) => ({ title, align: 'right' as const }))];
  const rows = agents.map(({ agent, means }) => [
    printable(agent),
    ...names.map((name) => (means[name] === undefined ? '–' : means[name].toFixed(3))),
  ]);
  return table(columns, rows, { colours });
}
