/** @file What `ludus data export` takes: its options, help and examples. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { exportFormats } from '@ludus-agents/learning/internal/datasets/formats';
import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import type { Command } from 'commander';
import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { wrap } from '../../render/width.ts';

export const exportCommand: CommandDeclaration = {
  declare(command) {
    command
      .option('--format <format>', `one of ${Object.keys(exportFormats).join(', ')}`, 'jsonl')
      .option(
        ...flag('output', 'the output file, a folder for a dataset with its card, or an address for spans (default: standard output)'),
      )
      .option(...flag('run', 'only episodes of this run'))
      .option(...flag('environment', 'only episodes of this environment'))
      .option(...flag('agent', 'only episodes with this agent'));
    filters(command);
    withJson(withStore(command));
    examples(command, {
      'ludus data export -o everything.jsonl': 'everything in the default store',
      'ludus data export --store a.sqlite --run baseline | gzip > a.jsonl.gz': 'one run, compressed',
      'ludus data export --format trl-dpo -o pairs --eval-share 0.1': 'preference pairs, with a tenth of the tasks held out',
      'ludus data export --format trl-sft --seat buyer --where "return>=5" -o sft': 'the buyer’s turns in successful episodes',
      'ludus data export --format states -o states': 'every state of every episode as arrays',
      'ludus data export --format otel -o http://localhost:4318/v1/traces': 'spans for a viewer',
    });
    command.addHelpText('after', () => formatsText(command.configureOutput().getOutHelpWidth?.() ?? 80));
  },

  load: async () => (await import('../../commands/data/export.ts')).exportCommand,
};

/** Every format with its description, in columns on a screen of so many columns. */
function formatsText(columns: number): string {
  const lines = Object.entries(exportFormats).flatMap(([name, about]) =>
    wrap(about, columns - 16).map((line, i) => `  ${(i === 0 ? name : '').padEnd(12)} ${line}`),
  );
  return `\nFormats:\n${lines.join('\n')}`;
}

function filters(command: Command): void {
  const collect =
    <T>(read: (text: string) => T) =>
    (text: string, before: readonly T[] = []) => [...before, read(text)];
  command
    .option(
      ...flag('seat', 'only this one; repeatable'),
      collect((text: string) => text),
    )
    .option(
      ...flag('where'),
      collect((text: string) => readBound(text, '--where')),
    )
    .option(
      ...flag('mask'),
      collect((text: string) => readBound(text, '--mask')),
    )
    .option(
      ...flag('maskQuotes', 'only this member (format team)'),
      collect((text: string) => readBound(text, '--mask-quotes')),
    )
    .option('--status <names>', 'only episodes that ended this way, such as over,limit,error (default: over,limit)')
    .option('--words <calls|view>', 'export model calls or the view of the seat (default: calls, if there are any)')
    .option('--tag <name>', 'only episodes with this tag')
    .option(...flag('limit'), whole('--limit', 1))
    .option('--eval-share <share>', 'the share of tasks to hold out (default: 0)', share('--eval-share'))
    .option('--split-seed <n>', 'the seed of the split (default: 0)', whole('--split-seed', 0))
    .option(...flag('score', '(default: return)'))
    .option('--margin <amount>', 'the minimum difference between the two sides of a pair (default: 0)', amount('--margin'))
    .option('--pairs <which>', 'which pairs: extremes, neighbours, or all (default: extremes)')
    .option('--journal <name>', 'csv, tensorboard: a journal of the run, such as metrics');
}

function share(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new Fault('input', `${option}: expected a number from 0 to 1, got "${text}".`);
  };
}
