/** @file `ludus data`: import, export, and generate datasets. */

import { Fault } from '@ludus-agents/kernel/internal/core/fault';
import { exportFormats } from '@ludus-agents/learning/internal/datasets/formats';
import { madeFormats } from '@ludus-agents/learning/internal/datasets/make/made-formats';
import { readBound } from '@ludus-agents/store/internal/exports/bounds';
import type { Command } from 'commander';
import { amount, type CommandDeclaration, commandGroup, examples, oneOf, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';
import { withModelOptions } from '../model-options.ts';
import { wrap } from '../render/width.ts';
import { withSpending } from '../spending.ts';

const exportData: CommandDeclaration = {
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

  load: async () => (await import('../commands/data.ts')).exportCommand,
};

/** Every format with its description, in columns for the given screen width. */
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
      ...flag('maskQuotes'),
      collect((text: string) => readBound(text, '--mask-quotes')),
    )
    .option('--status <names>', 'only episodes that ended this way, such as over,limit,error (default: over,limit)')
    .option('--words <calls|view>', 'export model calls or the view of the seat (default: calls, if there are any)')
    .option('--tag <name>', 'only episodes with this tag')
    .option('--distinct', 'leave out conversations that repeat an earlier one, by meaning if an encoder is installed')
    .option(...flag('limit'), whole('--limit', 1))
    .option('--eval-share <share>', 'the share of tasks to hold out (default: 0)', share('--eval-share'))
    .option('--split-seed <n>', 'the seed of the split (default: 0)', whole('--split-seed', 0))
    .option(...flag('score', '(default: return)'))
    .option('--margin <amount>', 'the minimum difference between the two sides of a pair (default: 0)', amount('--margin'))
    .option('--pairs <which>', 'which pairs: extremes, neighbors, or all (default: extremes)')
    .option('--journal <name>', 'csv, tensorboard: a journal of the run, such as metrics');
}

function share(option: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new Fault('input', `${option}: expected a number from 0 to 1, got "${text}".`);
  };
}

const importData: CommandDeclaration = {
  declare(command) {
    command.argument(
      '<file>',
      'a Ludus export, τ-bench or τ² results, Sotopia, ShareGPT, OpenAI messages, ATIF, OpenTelemetry spans, or Langfuse traces; - for standard input',
    );
    command.option('--license <text>', 'the license of the conversations, for dataset cards');
    command.option(...flag('redact'));
    withJson(withStore(command));
    examples(command, {
      'ludus data import everything.jsonl --store copy.sqlite': 'into a separate store',
      'ludus data import results.json --license MIT': 'τ² simulations as episodes',
      'ludus data import spans.json --redact "Ann Archer"': 'remove personal data before storing anything',
      'gzip -dc a.jsonl.gz | ludus data import -': 'from standard input',
    });
  },

  load: async () => (await import('../commands/data.ts')).importCommand,
};

const makeData: CommandDeclaration = {
  declare(command) {
    command
      .argument('<pipeline>', 'the pipeline: a name from "ludus list pipelines", or your own file')
      .argument(
        '[source]',
        'the source: a persona, a file of questions, or a text file (default: math problems, if the pipeline needs questions)',
      )
      .requiredOption(...flag('model', 'the model that writes the items; "fake" is offline and free'))
      .option(...flag('judge', 'judges, separated by commas (default: the same model, three times)'))
      .option(...flag('number'), whole('-n', 1, 1_000_000), 10)
      .option('--attempts <n>', 'the maximum number of attempts (default: four times -n)', whole('--attempts', 1, 10_000_000))
      .option(...flag('seed'), whole('--seed', 0), 0)
      .option(
        '--format <format>',
        `the row format: ${Object.keys(madeFormats).join(', ')}`,
        oneOf('--format', Object.keys(madeFormats)),
        'openai',
      )
      .requiredOption(...flag('output', 'the output file; a journal is written next to it'))
      .option(...flag('concurrency', '(default: 4)'), whole('--concurrency', 1, 1000))
      .option(...flag('yes'));
    withJson(withSpending(withModelOptions(command)));
    examples(command, {
      'ludus data make ditto villain --model fake -n 10 -o out.jsonl': 'role dialogues, offline',
      'ludus data make ditto ./persona.json --model openai/gpt-5.4-mini -n 100 -o out.jsonl --max-cost 2':
        'with a model, within two dollars',
      'ludus data make mpa ./questions.jsonl --model qwen --judge gguf:qwen3-0.6b,openai/gpt-5.4-mini -o probes.jsonl':
        'judged by a committee of two',
      'ludus data make ./mine.ts ./notes.txt --model fake -o mine.jsonl': 'your own pipeline',
    });
    command.addHelpText(
      'after',
      '\nEvery step is saved in FILE.journal before the next one starts. After Ctrl-C, a budget limit, or a crash,\nthe same command resumes, and a larger -n makes only what is missing.',
    );
  },

  load: async () => (await import('../commands/data.ts')).make,
};

export const data = commandGroup(
  {
    import: { summary: 'Import conversations and logs into the store', ...importData },
    export: { summary: 'Export stored episodes to a file', ...exportData },
    make: { summary: 'Generate a dataset with a pipeline', ...makeData },
  },
  {
    'ludus data import chats.jsonl': 'conversations from another program',
    'ludus data export --run RUN --format openai -o train.jsonl': 'episodes for a trainer',
    'ludus data make ditto --help': 'the options of a pipeline',
  },
);
