/** @file `ludus survey town`: a town played with and without memory, reflection and plans, with interviews at the end. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import { ablationOutcomes } from '@ludus-agents/societies/internal/surveys/ablation';
import type { SocietyEffects } from '@ludus-agents/societies/internal/surveys/society';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { town as playTown, type SurveyTownRequest } from '../../../library/experiments.ts';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { print, printJson, type Terminal, tableWidth } from '../../terminal.ts';
import { interviewsAt, writeStopped } from './ask.ts';

interface Options extends StoreOptions, SpendingOptions, Pick<SurveyTownRequest, 'people' | 'days' | 'hours' | 'number' | 'seed'> {
  readonly population?: string;
  readonly agent?: string;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const town: CommandRun = {
  async run({ options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const { workers: _, yes, json, ...keep } = options;
    const interviews = interviewsAt(terminal);
    const request: SurveyTownRequest = {
      ...{ ...keep, budget: budgetOf(options), ...interviews.hooks },
      async confirm({ planned, people, arms }) {
        terminal.stderr.write(`${count(planned, 'episode')} of ${people} people in ${arms} arms\n`);
        return yes === true || interviews.ask(() => confirm(terminal, 'Start?'));
      },
    };
    const runner = withNotices(terminal, options);
    const report = await playTown(request, terminal, (use) => withRunner(terminal, runner, use)).finally(interviews.done);
    if (report === null) return exits.interrupted;
    if (report.kind === 'stopped') return writeStopped(report, terminal);
    const { kind: __, ...data } = report;
    if (json === true) printJson(terminal, data);
    else print(terminal, ablationText(Object.keys(report.runs), report.outcomes, terminal));
    return report.missing > 0 ? exits.found : exits.fine;
  },
};

function ablationText(arms: readonly string[], effects: Readonly<Record<string, SocietyEffects>>, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const outcomes = Object.entries(effects);
  const columns: readonly Column[] = [
    { title: 'arm', flexible: 'cut' },
    ...outcomes.map(([title]): Column => ({ title, align: 'right' })),
    { title: 'believability lost without it' },
    { title: 'p', align: 'right' },
  ];
  const rows = arms.map((arm) => {
    const effectRow = effects['believable']?.effects.find((effect) => effect.arm === arm);
    return [
      printable(arm),
      ...outcomes.map(([, { means }]) => (means.find((mean) => mean.arm === arm)?.mean ?? 0).toFixed(3)),
      effectRow === undefined
        ? ''
        : `${effectRow.effect.toFixed(3)} (${effectRow.interval[0].toFixed(3)} to ${effectRow.interval[1].toFixed(3)})`,
      effectRow === undefined ? '' : effectRow.adjusted.toFixed(3),
    ];
  });
  const legend = Object.entries(ablationOutcomes).map(([name, about]) => `${name}: ${about}`);
  const sample = table(columns, rows, { colours, columns: tableWidth(terminal) });
  return [sample, '', ...legend.map((line) => colours.faint(line))].join('\n');
}
