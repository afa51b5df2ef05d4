/** @file `ludus judge induce`: what people wrote about episodes becomes a rubric of your own, with how much of the feedback it covers. */

import { basename, resolve } from 'node:path';
import type { InduceReport } from '@ludus-agents/evaluation/internal/induce';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { induce as induceRubric } from '../../../library/judge.ts';
import { type CommandRun, exits } from '../../command.ts';
import { coloursFor } from '../../render/colours.ts';
import { budgetOf, type SpendingOptions } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions, SpendingOptions {
  readonly feedback?: string;
  readonly judge: string;
  readonly metrics?: readonly number[];
  readonly output?: string;
  readonly json?: boolean;
}

export const induce: CommandRun<Options> = {
  async run({ args, options, terminal }) {
    const { feedback, judge, metrics: sizes, store, readOnly } = options;
    const { controller, release } = interruptible(terminal);
    const request = {
      ...{ run: args[0], judge, feedback, name: rubricName(options.output), sizes, store, readOnly },
      ...{ budget: budgetOf(options), signal: controller.signal },
    };
    const report = await induceRubric(request, terminal).finally(release);
    const file = report.rubric === null || options.output === undefined ? null : resolve(terminal.cwd, options.output);
    if (file !== null) writeFileAtomicSync(file, `${JSON.stringify(report.rubric, null, 2)}\n`);
    if (options.json === true) printJson(terminal, { file, ...report });
    else print(terminal, textOf(report, options));
    if (report.rubric !== null) return exits.fine;
    const why = report.problem ?? 'nothing in the feedback is praise or criticism of a behaviour';
    terminal.stderr.write(`${red(terminal)} ${printable(`${report.judge} found no metrics: ${why.replace(/[.]$/, '')}.`)}\n`);
    return exits.found;
  },
};

function red(terminal: Terminal): string {
  return coloursFor(terminal.stderr, terminal.env).red('✗');
}

/** A rubric is named after its file, so that its scores are judge/NAME. */
function rubricName(output: string | undefined): string {
  if (output === undefined) return 'induced';
  const name = basename(output).replace(/\.json$/, '');
  if (!/^[\w.-]{1,60}$/.test(name) || !output.endsWith('.json'))
    throw new Fault('input', `Invalid file name "${output}" for a rubric. Use letters, digits, dots, and hyphens, such as polite.json.`);
  return name;
}

function textOf({ metrics, cover, remarks, heldOut, unread, tally }: InduceReport, { output, judge }: Options): string {
  const percent = (share: number | null | undefined) => (share === null || share === undefined ? 'unknown' : `${Math.round(100 * share)}%`);
  const over = heldOut > 0 ? `${count(heldOut, 'remark')} held out` : `${count(remarks, 'remark')} they were made from`;
  return [
    `${count(metrics.length, 'metric')} from ${count(remarks, 'remark')}, in ${count(tally.cost.calls, 'call')}.`,
    ...metrics.map(({ name, definition, good, bad }) =>
      printable(`  ${name}  ${definition} (${good.length} praised, ${bad.length} criticised)`),
    ),
    ...(cover === null ? [] : [`Over ${over}: coverage ${percent(cover.coverage)}, redundancy ${percent(cover.redundancy)}.`]),
    ...(unread > 0 ? [`${formatGrouped(unread)} questions had no readable answer; results that depend on them are left out.`] : []),
    ...(metrics.length === 0
      ? []
      : [
          output === undefined
            ? 'Nothing was written. Pass -o mine.json to save them as a rubric.'
            : `"ludus score RUN --rubric ${/^[./]/.test(output) ? output : `./${output}`} --judge ${judge}" scores by it.`,
        ]),
  ].join('\n');
}
