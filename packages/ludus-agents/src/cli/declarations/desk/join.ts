/** @file What `ludus desk join` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const join: CommandDeclaration = {
  declare(command) {
    command
      .argument('<desks...>', 'folders or files of desks; the customers of the first are the people')
      .option('--name <name>', 'what the desk is called', 'joined')
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus desk join ./food ./travel -o both.json': 'tools, tables and policies side by side, cases over both',
      'ludus eval both.json --agents llm:MODEL --run both': 'one conversation that needs both',
      'ludus score both --scorers states=MODEL': 'an evaluator that reads a few lines at a time and carries the rubrics along',
    });
  },

  load: async () => (await import('../../commands/desk/join.ts')).join,
};
