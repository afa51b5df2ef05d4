/** @file What `ludus env tasks checks` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';

export const checks: CommandDeclaration = {
  declare(command) {
    command
      .argument('<environment>', 'a built-in environment or a file')
      .option('--checks <names>', 'checks with commas: winnable, program, retrieval, reference:AGENT, committee:A+B', 'winnable')
      .option('--tasks <file>', 'labeled tasks instead of planted ones: [{"task": {…}, "good": true}]')
      .option('--documents <folder>', 'documents that the tasks are about')
      .option('--count <n>', 'good tasks, and bad ones', '40')
      .option(...flag('seed'), '1');
    withJson(command);
    examples(command, {
      'ludus env tasks checks exam --checks program,reference:calculator': 'false claims and broken programs among true questions',
      'ludus env tasks checks trail --checks retrieval,winnable --documents ./docs': 'spoiled questions about your documents',
      'ludus env tasks checks ./mine.ts --checks reference:random --tasks labeled.json': 'your tasks, labeled by you',
    });
  },

  load: async () => (await import('../../../commands/env/tasks/checks.ts')).checks,
};
