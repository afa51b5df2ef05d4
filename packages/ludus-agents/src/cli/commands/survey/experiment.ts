/** @file `ludus survey experiment`: measures the effect of different texts on people in arms, compared with the registration. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { withRunner } from '@ludus-agents/servers/internal/fleet/with-runner';
import type { EffectRow } from '@ludus-agents/societies/internal/surveys/effects';
import type { Experiment } from '@ludus-agents/societies/internal/surveys/experiment';
import { rowsByArm, writeAnswers, writeMeasures } from '@ludus-agents/societies/internal/surveys/files';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type ExperimentWork, experiment as runExperiment, type SurveyExperiment } from '../../../library/experiments.ts';
import { type CommandRun, exits } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { type Column, table } from '../../render/table.ts';
import { withNotices } from '../../render/version-changes.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { print, printJson, type Terminal, tableWidth } from '../../terminal.ts';
import { interviewsAt, noteUsualAgent, writeStopped } from './ask.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly questionnaire?: string;
  readonly population?: string;
  readonly agent?: string;
  readonly register?: string;
  readonly output?: string;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly retry?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const experiment: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    modelOptions(input, terminal.env);
    const { output, json, yes, workers: _, ...keep } = options;
    const interviews = interviewsAt(terminal);
    const request = {
      ...{ ...keep, experiment: args[0], budget: budgetOf(options), ...interviews.hooks },
      async confirm(work: ExperimentWork) {
        announce(work, terminal);
        if (work.counted === 'interview') noteUsualAgent(options.agent, terminal);
        return yes === true || interviews.ask(() => confirm(terminal, 'Start?'));
      },
    };
    const runner = withNotices(terminal, options);
    const report = await runExperiment(request, terminal, (use) => withRunner(terminal, runner, use)).finally(interviews.done);
    if (report === null) return exits.interrupted;
    if (report.kind === 'stopped') return writeStopped(report, terminal);
    const files = output === undefined ? [] : await writeFiles(output, report, terminal.cwd);
    if (files.length > 0) terminal.stderr.write(`${files.join(', ')} written\n`);
    const { effects, missing, hash, power, registration, planned } = report;
    const isPeople = report.kind === 'people';
    if (json === true)
      printJson(terminal, {
        ...{ experiment: report.experiment.name, hash, deviations: report.deviations, power },
        ...(isPeople
          ? { people: planned, missing, files, means: report.means, powerAnswered: report.powerAnswered, unit: unitOf(report.experiment) }
          : { missing, files, runs: runsOf(report), means: report.means }),
        ...{ effects, registration },
      });
    else if (isPeople) print(terminal, ...armsText(report, terminal));
    if (json !== true && (!isPeople || effects.length > 0)) print(terminal, effectsText(effects, isPeople ? 'people' : 'pairs', terminal));
    if (isPeople && !effects.some(({ subgroup }) => subgroup === null)) return writeNoEffect(report.experiment, terminal);
    return (report.kind === 'people' ? report.failed : missing) > 0 ? exits.found : exits.fine;
  },
};

type FinishedExperiment = Exclude<SurveyExperiment, { readonly kind: 'stopped' }>;

function runsOf({ played }: Extract<FinishedExperiment, { readonly kind: 'episodes' }>): Readonly<Record<string, string>> {
  return Object.fromEntries(played.map(({ arm, run }) => [arm, run]));
}

async function writeFiles(output: string, report: FinishedExperiment, cwd: string): Promise<readonly string[]> {
  if (report.kind === 'people') return (await writeAnswers(output, rowsByArm(report.rows), report.instrument, cwd)).files;
  await writeMeasures(output, report.played, cwd);
  return [output];
}

/** The episodes to be played, and differences from the registration. */
function announce(
  { experiment: { name, effect }, planned, counted, arms, power, hash, deviations }: ExperimentWork,
  terminal: Terminal,
): void {
  terminal.stderr.write(
    `${printable(name)} · ${count(planned, counted)} in ${arms} arms · power ${power.toFixed(3)} for ${effect} SD · registration ${hash.slice(0, 12)}\n`,
  );
  if (deviations === null || deviations.length === 0) return;
  terminal.stderr.write(
    `This differs from the registration: ${deviations.join(', ')} ${deviations.length === 1 ? 'differs' : 'differ'}.\n`,
  );
}

/** Explains how many people an effect would need if too few have answered. */
function writeNoEffect({ cluster, outcome, design }: Experiment, terminal: Terminal): number {
  const needed = design === 'within' ? 'two' : 'three';
  const units = cluster === '' ? 'people' : `groups of "${cluster}"`;
  terminal.stderr.write(
    `No effect on "${printable(outcome)}" can be estimated: it needs answers of at least ${needed} ${printable(units)} in arms that share their blocks. Ask more people${cluster === '' ? '' : ', or cluster by an attribute with more values'}.\n`,
  );
  return exits.found;
}

/** The unit of effects and means. */
function unitOf({ option, at }: Experiment): string {
  const unit = option === '' ? 'points of the scale' : `share that chose "${option}"`;
  return at === '' ? unit : `${unit}, as the change since the wave before "${at}"`;
}

/** The mean of each arm with its people, and the missing answers. */
function armsText(report: Extract<FinishedExperiment, { readonly kind: 'people' }>, terminal: Terminal): readonly string[] {
  const { means, missing, power, powerAnswered, experiment: written } = report;
  const right = { align: 'right' } as const;
  const rows = means.map(({ arm, mean, interval, people, missing: lost }) => [
    printable(arm),
    mean === null ? '–' : mean.toFixed(3),
    interval === null ? '–' : `${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}`,
    String(people),
    String(lost),
  ]);
  const columns: readonly Column[] = [
    { title: 'arm', flexible: 'cut' },
    { title: 'mean', ...right },
    { title: 'interval' },
    { title: 'answered', ...right },
    { title: 'missing', ...right },
  ];
  const colours = coloursFor(terminal.stdout, terminal.env);
  const unit = `Means and effects of "${printable(written.outcome)}" in ${printable(unitOf(written))}.`;
  const lost =
    missing === 0 ? [] : [`${missing} missing; power ${powerAnswered.toFixed(3)} for those who answered (planned: ${power.toFixed(3)}).`];
  return [unit, ...(rows.length === 0 ? [] : [table(columns, rows, { colours, columns: tableWidth(terminal) })]), ...lost, ''];
}

function effectsText(effects: readonly EffectRow[], counted: string, terminal: Terminal): string {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const columns: readonly Column[] = [
    { title: 'arm', flexible: 'cut' },
    { title: 'among', flexible: 'cut' },
    { title: 'effect', align: 'right' },
    { title: 'interval' },
    { title: 'p', align: 'right' },
    { title: counted, align: 'right' },
  ];
  const rows = effects.map(({ arm, subgroup, effect, interval, adjusted, people }) => [
    printable(arm),
    subgroup === null ? 'all' : printable(subgroup),
    effect.toFixed(3),
    `${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}`,
    adjusted < 0.001 ? '< 0.001' : adjusted.toFixed(3),
    String(people),
  ]);
  return table(columns, rows, { colours, columns: tableWidth(terminal) });
}
