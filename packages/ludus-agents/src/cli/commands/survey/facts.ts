/** @file `ludus survey facts`: compares people of a population with their stated attributes. */

import { printable } from '@ludus-agents/kernel/internal/core/index';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { percent } from '@ludus-agents/societies/internal/surveys/check-sentences';
import type { FactReport } from '@ludus-agents/societies/internal/surveys/facts';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { facts as checkPeople } from '../../../library/surveys.ts';
import { type CommandRun, exits } from '../../command.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { print, printJson, type Terminal, tableWidth } from '../../terminal.ts';
import { interviewsAt, noteUsualAgent } from './ask.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly number?: number;
  readonly agent?: string;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly json?: boolean;
}

export const facts: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const { number, agent, seed, concurrency, retry, json } = options;
    noteUsualAgent(agent, terminal);
    const interviews = interviewsAt(terminal);
    const request = { population: args[0], number, agent, seed, concurrency, retry, budget: budgetOf(options), ...interviews.hooks };
    const runner = withNotices(terminal, options);
    const report = await checkPeople(request, terminal, (use) => withRunner(terminal, runner, use)).finally(interviews.done);
    if (json === true) printJson(terminal, { run: report.run, people: report.people, facts: report.facts });
    else print(terminal, factsText(report.facts, terminal));
    if (report.stopped === 'signal') return exits.interrupted;
    return report.facts.every(({ interval, floor }) => interval[0] > floor) ? exits.fine : exits.found;
  },
};

function factsText(factReports: readonly FactReport[], terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'attribute', flexible: 'cut' },
    { title: 'known', align: 'right' },
    { title: '95% interval' },
    { title: 'floor', align: 'right' },
    { title: 'refused', align: 'right' },
    { title: 'broken', align: 'right' },
    { title: 'people', align: 'right' },
  ];
  const rows = factReports.map(({ attribute, share, interval, floor, refused, broken, asked }) => [
    printable(attribute),
    interval[0] > floor ? percent(share) : colours.red(percent(share)),
    `${percent(interval[0])} to ${percent(interval[1])}`,
    percent(floor),
    String(refused),
    String(broken),
    String(asked),
  ]);
  return table(columns, rows, { colours, columns: tableWidth(terminal) });
}
