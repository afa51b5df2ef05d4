/** @file `ludus data make`: data made by a pipeline with a model, item by item, proved or judged before it is kept; again to go on. */

import { count, formatGrouped, money } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { estimateMake, type MakeReport, type MakeRequest, type MakeWork } from '@ludus-agents/learning/internal/datasets/make/dataset';
import { makeData } from '../../../library/stored.ts';
import { type CommandRun, exits, type RequiredArguments } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { modelOptions } from '../../model-options.ts';
import { coloursFor } from '../../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../../render/estimate.ts';
import { type SpendingOptions, withinBudget } from '../../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../../terminal.ts';

interface Options extends SpendingOptions {
  readonly model: string;
  readonly judge?: string;
  readonly number: number;
  readonly attempts?: number;
  readonly seed: number;
  readonly format: string;
  readonly output: string;
  readonly concurrency?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const make: CommandRun<Options> = {
  run: withinBudget(async ({ args, options, terminal }) => {
    modelOptions(options, terminal.env);
    const { controller, release } = interruptible(terminal);
    const confirmWork = async (work: MakeWork) => {
      const estimate = await estimateMake(work, terminal.env);
      terminal.stderr.write(
        `${printable(work.pipeline.name)} · ${count(options.number, 'item')} · about ${spanWords(estimate.calls)} model calls; ${moneyWords(estimate)}\n${basisWords(estimate)}\n`,
      );
      return work.model === null || options.yes === true || confirm(terminal, 'Models will be called. Start?');
    };
    const request = { ...requestOf(args, options), confirm: confirmWork, signal: controller.signal };
    const report = await makeData(request, terminal).finally(release);
    if (report === null) return exits.interrupted;
    if (options.json === true) printJson(terminal, { ...report, wanted: options.number });
    else print(terminal, ...formatReport(report, options, terminal));
    if (report.stopped) return exits.interrupted;
    return report.items < options.number ? exits.found : exits.fine;
  }),
};

function requestOf(args: RequiredArguments, options: Options): MakeRequest {
  const { number: items, judge, model, attempts, seed, format, output, concurrency } = options;
  const judges = judge?.split(',').map((name) => name.trim());
  return { ...{ pipeline: args[0], source: args[1], model, items, attempts, seed, format, output, concurrency }, judges };
}

function formatReport(report: MakeReport, { number: wanted, output }: Options, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const { items, attempts, calls, newCalls, cost, refused, stopped } = report;
  const enough = items >= wanted;
  const text = cost === null ? 'their price is not known' : money(cost);
  const reasons = Object.entries(refused).map(([why, times]) => `  ${times} × ${printable(why)}`);
  return [
    `${enough ? colours.green('✓') : colours.yellow('!')} ${count(items, 'item')} of ${formatGrouped(wanted)} in ${printable(output)}, from ${count(attempts, 'attempt')}; ${count(newCalls, 'new call')}, ${formatGrouped(calls)} in all (${text}).`,
    ...(reasons.length === 0 ? [] : ['Refused:', ...reasons]),
    ...(enough ? [] : [stopped ? 'Stopped. Run the same command to resume.' : 'Too many attempts were refused; --attempts allows more.']),
  ];
}
