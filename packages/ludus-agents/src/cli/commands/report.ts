/** @file `ludus report`: reports a run as one HTML file, as Markdown, or as JSON. */

import { resolve } from 'node:path';
import { markdownOf, pageOf } from '@ludus-agents/evaluation/internal/scoring/report/index';
import type { Over } from '@ludus-agents/evaluation/internal/scoring/statistics/estimator';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable } from '@ludus-agents/kernel/internal/core/index';
import { storyMarkdown } from '@ludus-agents/learning/internal/training/training-story';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { report as gatherReport, type ReportedRun } from '../../library/scores.ts';
import { type CommandRun, exits } from '../command.ts';
import { improveMarkdown, improvePage } from '../render/improve-report.ts';
import { trainingPage } from '../render/training-report.ts';
import { printJson, type Terminal } from '../terminal.ts';

interface Options extends StoreOptions {
  readonly output?: string;
  readonly format?: string;
  readonly suite?: string;
  readonly score?: string;
  readonly card?: string;
  readonly over?: Over;
  readonly json?: boolean;
}

const formats = ['html', 'md', 'json'];

export const report: CommandRun = {
  async run({ args, options: input, terminal }) {
    const options = input as Options;
    const format = formatOf(options);
    const { suite, score, card, over, store } = options;
    const gathered = await gatherReport({ run: args[0], suite, score, card, over, store }, terminal);
    const { run, episodes } = gathered;
    if (gathered.kind === 'episodes') for (const notice of gathered.report.notices) terminal.stderr.write(`${printable(notice)}\n`);
    deliver(textIn(gathered, format), options, { terminal, told: { run, format, episodes } });
    return exits.fine;
  },
};

function textIn(gathered: ReportedRun, format: string): string {
  if (gathered.kind === 'training') {
    const { story } = gathered;
    return format === 'json' ? `${JSON.stringify(story)}\n` : format === 'md' ? storyMarkdown(story) : trainingPage(story);
  }
  if (gathered.kind === 'improvement') {
    const { improvement, lineage } = gathered;
    if (format === 'json') return `${JSON.stringify(improvement)}\n`;
    return format === 'md' ? improveMarkdown(improvement, lineage) : improvePage(improvement, lineage);
  }
  const { report, transcripts } = gathered;
  return format === 'json' ? `${JSON.stringify(report)}\n` : format === 'md' ? markdownOf(report) : pageOf(report, transcripts);
}

function formatOf({ format, output = '', json }: Options): string {
  if (format !== undefined && !formats.includes(format))
    throw new Fault('input', `--format: expected one of ${formats.join(', ')}, got "${format}".`);
  const ending = /\.(html|md|json)$/.exec(output)?.[1];
  return format ?? ending ?? (json === true && output === '' ? 'json' : 'html');
}

interface Delivery {
  readonly terminal: Terminal;
  readonly told: { readonly run: string; readonly format: string; readonly episodes: number };
}

function deliver(text: string, { output, json }: Options, { terminal, told }: Delivery): void {
  if (output === undefined) {
    terminal.stdout.write(text);
    return;
  }
  const file = resolve(terminal.cwd, output);
  writeFileAtomicSync(file, text);
  if (json === true) printJson(terminal, { ...told, file, bytes: Buffer.byteLength(text) });
  else terminal.stderr.write(`${count(told.episodes, 'episode')} of ${told.run} in ${file}\n`);
}
