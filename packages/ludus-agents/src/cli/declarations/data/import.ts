/** @file What `ludus data import` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const importCommand: CommandDeclaration = {
  declare(command) {
    command.argument(
      '<file>',
      'an export of Ludus, τ-bench or τ² results, Sotopia episodes, ShareGPT or OpenAI messages, ATIF, OpenTelemetry spans (OTLP JSON), Langfuse traces; - for standard input',
    );
    command.option('--licence <text>', 'the licence the conversations stand under, for the cards of datasets that are made of them');
    command.option(...flag('redact'));
    withJson(withStore(command));
    examples(command, {
      'ludus data import everything.jsonl --store copy.sqlite': 'into a store of its own',
      'ludus data import results.json --licence MIT': 'τ² simulations as episodes, each to be shown, scored and exported',
      'ludus data import spans.json --redact "Ann Archer"': 'personal data is taken out before anything is stored',
      'gzip -dc a.jsonl.gz | ludus data import -': 'from standard input',
    });
  },

  load: async () => (await import('../../commands/data/import.ts')).importCommand,
};
