/** @file What `ludus env tasks programs` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../../command.ts';
import { flag } from '../../../flags.ts';

export const programs: CommandDeclaration = {
  declare(command) {
    command
      .argument('<file>', 'instances as JSON lines: instance_id, problem_statement, patch, test_patch, FAIL_TO_PASS, PASS_TO_PASS')
      .option('--repositories <folder>', 'the folder with one repository per instance_id (default: next to the file)')
      .requiredOption(...flag('output'));
    withJson(command);
    examples(command, {
      'ludus env tasks programs instances.jsonl -o repairs.json': 'with repositories in folders next to the file',
      'ludus eval repairs.json --agents random,llm:MODEL': 'then it is an ordinary suite',
    });
  },

  load: async () => (await import('../../../commands/env/tasks/programs.ts')).programs,
};
