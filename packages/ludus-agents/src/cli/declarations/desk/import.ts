/** @file What `ludus desk import` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const importDomain: CommandDeclaration = {
  declare(command) {
    command
      .argument('<folder>', 'a folder with db.json (telecom: db.toml), policy.md and tasks.json')
      .requiredOption(...flag('output'))
      .option('--domain <name>', 'airline, retail, telecom or banking_knowledge (default: the name of the folder)')
      .option('--split <name>', 'only the tasks of this split in split_tasks.json (default: base, if there is one)')
      .option('--customer <agent>', 'the agent that plays the customer', 'llm');
    withJson(command);
    examples(command, {
      'ludus desk import tau2-bench/data/tau2/domains/retail -o retail.json --customer llm:MODEL':
        'what was imported, what was not, and why',
      'ludus eval retail.json --agents llm:OTHER': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../../commands/desk/import.ts')).importDomain,
};
