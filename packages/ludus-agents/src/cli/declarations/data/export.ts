/** @file What `ludus data export` takes: its options, help and examples. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { rowFormats, statesAbout, textFormats } from '@ludus-agents/learning/internal/datasets/formats';
import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import type { Command } from 'commander';
import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';
import { wrap } from '../../render/width.ts';

/** Formats besides datasets: everything there is, and what is watched. */
const others: Readonly<Record<string, string>> = {
  jsonl: 'everything, to be imported again: runs, agents, logs and scores',
  otel: 'OpenTelemetry spans, sent to the OTLP address in -o',
  states: statesAbout,
  tensorboard: 'an event file in the folder -o: of a run’s metrics, or of the episodes in their order',
};

export const all: Readonly<Record<string, string>> = { ...others, ...rowFormats, ...textFormats };

export const exportCommand: CommandDeclaration = {
  declare(command) {
    command
      .option('--format <format>', `one of ${Object.keys(all).join(', ')}`, 'jsonl')
      .option(...flag('output', 'a file, a folder for a dataset with its card, or an address for spans (default: standard output)'))
      .option(...flag('run', 'only its episodes'))
      .option(...flag('environment', 'only its episodes'))
      .option(...flag('agent', 'only episodes in which it plays'));
    filters(command);
    withJson(withStore(command));
    examples(command, {
      'ludus data export -o everything.jsonl': 'all of the usual store, to be imported again',
      'ludus data export --store a.sqlite --run baseline | gzip > a.jsonl.gz': 'one run, compressed',
      'ludus data export --format trl-dpo -o pairs --eval-share 0.1': 'preferences, a tenth of the tasks kept for evaluation',
      'ludus data export --format trl-sft --seat buyer --where "return>=5" -o sft': 'what the buyer said where it went well',
      'ludus data export --format states -o states': 'every state of every episode as arrays, to learn from',
      'ludus data export --format otel -o http://localhost:4318/v1/traces': 'spans for a viewer',
    });
    command.addHelpText('after', () => formatsText(command.configureOutput().getOutHelpWidth?.() ?? 80));
  },

  load: async () => (await import('../../commands/data/export.ts')).exportCommand,
};

/** Every format with its description, in columns on a screen of so many columns. */
function formatsText(columns: number): string {
  const lines = Object.entries(all).flatMap(([name, about]) =>
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
      ...flag('seat', 'only this one; may be given several times'),
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
      ...flag('maskQuotes', 'where a format can say so (team); else the whole turn'),
      collect((text: string) => readBound(text, '--mask-quotes')),
    )
    .option('--status <names>', 'episodes that ended so, e.g. over,limit,error (default: over,limit)')
    .option('--words <calls|view>', 'what the seat’s model read and wrote, or what the seat saw (default: calls where there are any)')
    .option('--tag <name>', 'only episodes that carry this tag, as the studio gives it')
    .option(...flag('limit'), whole('--limit', 1))
    .option('--eval-share <share>', 'share of the tasks that is kept for evaluation (default: 0)', share('--eval-share'))
    .option('--split-seed <n>', 'dice of that split (default: 0)', whole('--split-seed', 0))
    .option(...flag('score', '(default: return)'))
    .option('--margin <amount>', 'sides of a preference differ by more than this (default: 0)', amount('--margin'))
    .option('--pairs <which>', 'extremes, neighbours or all (default: extremes)')
    .option('--journal <name>', 'for csv and tensorboard: a journal of the run, e.g. metrics');
}

function share(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new Fault('input', `${option} takes a number from 0 to 1, but came as "${text}".`);
  };
}
