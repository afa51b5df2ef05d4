/** @file What `ludus desk join` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const join: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desks...>', 'desk folders or files; customers come from the first')
      .option('--name <name>', 'the name of the desk', 'joined')
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus desk join ./food ./travel -o both.json': 'both sets of tools, tables, and policies, with cases across them',
      'ludus eval both.json --agents llm:MODEL --run both': 'one conversation that needs both desks',
      'ludus score both --scorers states=MODEL': 'an evaluator that reads a few lines at a time and carries the rubrics along',
    });
  },

  load: async () => (await import('../../commands/desk/join.ts')).join,
};
