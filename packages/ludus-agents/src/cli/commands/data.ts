/** @file `ludus data`: imports, exports, and generates datasets. */

import type { ImportReport } from '@ludus-agents/evaluation/internal/conversations/import';
import { count, formatGrouped, money } from '@ludus-agents/kernel/internal/core/format';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import { estimateMake, type MakeReport, type MakeRequest, type MakeWork } from '@ludus-agents/learning/internal/datasets/make/dataset';
import { hasDamaged } from '@ludus-agents/learning/internal/datasets/request';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type DataExport, type DataExportRequest, exportData } from '../../library/export.ts';
import type { StoreCallOptions } from '../../library/refs.ts';
import { importData, makeData } from '../../library/stored.ts';
import { type CommandRun, exits, type RequiredArguments } from '../command.ts';
import { confirm } from '../confirm.ts';
import { modelOptions } from '../model-options.ts';
import { coloursFor } from '../render/colours.ts';
import { basisWords, moneyWords, spanWords } from '../render/estimate.ts';
import { type SpendingOptions, withinBudget } from '../spending.ts';
import { interruptible, print, printJson, type Terminal } from '../terminal.ts';

interface ExportOptions extends StoreOptions, Omit<DataExportRequest, 'output' | 'status' | keyof StoreCallOptions> {
  readonly format: string;
  readonly output?: string;
  readonly status?: string;
  readonly json?: boolean;
}

/**
 * `ludus data export`: exports a store to a file for other programs: lossless, or as a dataset for trainers and viewers.
 */
export const exportCommand: CommandRun<ExportOptions> = {
  async run({ options, terminal }) {
    const { output, json, ...keep } = options;
    const status = options.status?.split(',').map((name) => name.trim());
    const done = await exportData({ ...keep, status, output: output ?? terminal.stdout }, terminal);
    report(done, { output, json, terminal });
    return isDamaged(done) ? exits.found : exits.fine;
  },
};

function isDamaged(done: DataExport): boolean {
  return done.kind === 'episodes' ? done.damaged.length > 0 : hasDamaged(done.left);
}

interface Surroundings {
  readonly output: string | undefined;
  readonly json: boolean | undefined;
  readonly terminal: Terminal;
}

function report(done: DataExport, { output, json, terminal }: Surroundings): void {
  const write = (text: string) => terminal.stderr.write(`${text}\n`);
  if (done.kind === 'episodes') {
    const { lines, digest, damaged } = done;
    for (const { episode, problem } of damaged) write(`  left out: damaged episode ${episode}: ${problem}`);
    if (damaged.length > 0)
      write(`${count(damaged.length, 'episode')} could not be read; "ludus doctor --fix" moves them out of the store.`);
    if (output === undefined) return;
    if (json === true) printJson(terminal, { file: output, lines, ...digest, ...(damaged.length > 0 && { damaged }) });
    else write(`${count(lines, 'line')} written to ${output}.`);
    return;
  }
  if (done.kind === 'dataset') {
    const { kind: _, format, evalShare, ...written } = done;
    if (json === true) printJson(terminal, { output, format, ...written });
    else write(datasetText(output ?? '', done));
    return;
  }
  const { kind: _, ...message } = done;
  if (done.kind === 'spans') {
    if (json === true) printJson(terminal, { to: output, ...message });
    else write(`${count(done.episodes, 'episode')} with ${count(done.spans, 'span')} sent to ${output}.`);
  }
  if (done.kind === 'events') {
    if (json === true) printJson(terminal, message);
    else write(`${count(done.steps, 'step')} written to ${output}; tensorboard --logdir ${output} shows them.`);
  }
  if (hasDamaged(done.left)) for (const line of leftLines(done.left)) write(line);
}

function datasetText(output: string, dataset: Extract<DataExport, { readonly kind: 'dataset' }>): string {
  const { format, evalShare, files, cards, episodes, left, tasks } = dataset;
  const lines = files.map(({ path, rows }) => `  ${path}${rows === 0 && path.endsWith('.json') ? '' : `  ${count(rows, 'row')}`}`);
  const missing = leftLines(left);
  const lopsided = evalShare > 0 && (tasks.train === 0 || tasks.eval === 0);
  const warning = lopsided
    ? [`  All ${tasks.train + tasks.eval} tasks are on one side of the split. Play more tasks, or try another --split-seed.`]
    : [];
  return `${output} (${format}) from ${count(episodes, 'episode')}, with ${cards.length === 0 ? 'no card' : 'a card'}:\n${[...lines, ...missing, ...warning].join('\n')}`;
}

function leftLines(left: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(left).map(([why, much]) => `  left out: ${much} × ${why}`);
}

/**
 * `ludus data import`: imports an export, or conversations of other programs, as episodes. Existing data is not changed.
 */
export const importCommand: CommandRun = {
  async run({ args, options, terminal }) {
    const request = {
      ...{ file: args[0], licence: options['licence'] as string | undefined, redact: redactionOf(options['redact']) },
      ...{ store: options['store'] as string | undefined, readOnly: options['readOnly'] as boolean | undefined },
    };
    const report = await importData(request, terminal);
    if (options['json'] === true) printJson(terminal, report);
    else print(terminal, `${coloursFor(terminal.stdout, terminal.env).green('✓')} ${summaryOf(report)}`);
    return exits.fine;
  },
};

function redactionOf(input: unknown): readonly string[] | undefined {
  if (input === undefined) return undefined;
  return input === true
    ? []
    : String(input)
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '');
}

/** The results of the import. */
function summaryOf({ formats, episodes, events, scores, skipped, run, left, others, corrected, redacted }: ImportReport): string {
  const text = skipped === 0 ? '' : `, ${count(skipped, 'episode')} already stored`;
  const matchingEntries = Object.entries(formats).filter(([name]) => name !== 'ludus');
  const from =
    matchingEntries.length === 0
      ? ''
      : ` from ${matchingEntries.map(([name, much]) => `${count(much, 'conversation')} of ${name}`).join(', ')}`;
  const judged = matchingEntries.length === 0 || scores === 0 ? '' : ` and ${count(scores, 'score')}`;
  const where = run === null ? '' : ` They are saved as run ${run}, in the environment relay.`;
  const mixed =
    others === undefined
      ? ''
      : ` The run also has ${count(others, 'episode')} that ${others === 1 ? 'is' : 'are'} not in this file, and its results include ${others === 1 ? 'it' : 'them'}: if the file was corrected, run "ludus store prune ${run}" and import it again.`;
  const missing =
    corrected === undefined
      ? ''
      : ` ${count(corrected, 'stored episode')} had a reward of 0 where the file has none; these rewards now count as missing.`;
  const without = Object.entries(left).map(([why, much]) => ` Left out: ${much} ${why}.`);
  return `${count(episodes, 'new episode')} with ${count(events, 'event')}${judged}${from}${text}.${where}${mixed}${missing}${without.join('')}${redacted === undefined ? '' : ` ${count(redacted, 'value')} removed.`}`;
}

interface MakeOptions extends SpendingOptions {
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

/** `ludus data make`: generates data with a pipeline and a model, item by item, proved or judged before it is stored; resumable. */
export const make: CommandRun<MakeOptions> = {
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

function requestOf(args: RequiredArguments, options: MakeOptions): MakeRequest {
  const { number: items, judge, model, attempts, seed, format, output, concurrency } = options;
  const judges = judge?.split(',').map((name) => name.trim());
  return { ...{ pipeline: args[0], source: args[1], model, items, attempts, seed, format, output, concurrency }, judges };
}

function formatReport(report: MakeReport, { number: wanted, output }: MakeOptions, terminal: Terminal): readonly string[] {
  const colours = coloursFor(terminal.stdout, terminal.env);
  const { items, attempts, calls, newCalls, cost, refused, stopped } = report;
  const enough = items >= wanted;
  const text = cost === null ? 'their price is unknown' : money(cost);
  const reasons = Object.entries(refused).map(([why, times]) => `  ${times} × ${printable(why)}`);
  return [
    `${enough ? colours.green('✓') : colours.yellow('!')} ${count(items, 'item')} of ${formatGrouped(wanted)} in ${printable(output)}, from ${count(attempts, 'attempt')}; ${count(newCalls, 'new call')}, ${formatGrouped(calls)} in all (${text}).`,
    ...(reasons.length === 0 ? [] : ['Refused:', ...reasons]),
    ...(enough ? [] : [stopped ? 'Stopped. Run the same command to resume.' : 'Too many attempts were refused; --attempts allows more.']),
  ];
}
