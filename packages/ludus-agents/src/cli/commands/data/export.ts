/** @file `ludus data export`: the content of a store, as a file that other programs read: lossless, or as a dataset for trainers and viewers. */

import { count } from '@ludus-agents/kernel/internal/core/format';
import { hasDamaged } from '@ludus-agents/learning/internal/datasets/request';
import type { Bound } from '@ludus-agents/store/internal/exports/index';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { type DataExport, exportData } from '../../../library/export.ts';
import { type CommandRun, exits } from '../../command.ts';
import { printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly format: string;
  readonly output?: string;
  readonly run?: string;
  readonly environment?: string;
  readonly agent?: string;
  readonly seat?: readonly string[];
  readonly where?: readonly Bound[];
  readonly mask?: readonly Bound[];
  readonly maskQuotes?: readonly Bound[];
  readonly status?: string;
  readonly words?: string;
  readonly limit?: number;
  readonly tag?: string;
  readonly evalShare?: number;
  readonly splitSeed?: number;
  readonly score?: string;
  readonly margin?: number;
  readonly pairs?: string;
  readonly journal?: string;
  readonly json?: boolean;
}

export const exportCommand: CommandRun<Options> = {
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
    ? [
        `  All ${tasks.train + tasks.eval} tasks fell on one side of the split, which goes by task; play more tasks, or try another --split-seed.`,
      ]
    : [];
  return `${output} (${format}) from ${count(episodes, 'episode')}, with ${cards.length === 0 ? 'no card' : 'a card'}:\n${[...lines, ...missing, ...warning].join('\n')}`;
}

function leftLines(left: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(left).map(([why, much]) => `  left out: ${much} × ${why}`);
}
