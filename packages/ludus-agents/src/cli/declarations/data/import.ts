/** @file What `ludus data import` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const importCommand: CommandDeclaration = {
  declare(command) {
    command.argument(
      '<file>',
      'a Ludus export, τ-bench or τ² results, Sotopia, ShareGPT, OpenAI messages, ATIF, OpenTelemetry spans, or Langfuse traces; - for standard input',
    );
    command.option('--licence <text>', 'the license of the conversations, for dataset cards');
    command.option(...flag('redact'));
    withJson(withStore(command));
    examples(command, {
      'ludus data import everything.jsonl --store copy.sqlite': 'into a separate store',
      'ludus data import results.json --licence MIT': 'τ² simulations as episodes',
      'ludus data import spans.json --redact "Ann Archer"': 'remove personal data before storing anything',
      'gzip -dc a.jsonl.gz | ludus data import -': 'from standard input',
    });
  },

  load: async () => (await import('../../commands/data/import.ts')).importCommand,
};
