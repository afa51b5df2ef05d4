/** @file What `ludus store memory` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const memory: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent, by its name in the logs')
      .option('--add <text>', 'write something into its memory')
      .option('--key <name>', 'with --add: what it is about; what was noted later under the same name weighs more')
      .option('--edit <id>', 'replace the text of one memory by --text')
      .option('--text <text>', 'with --edit: the new text')
      .option('--forget <id>', 'forget one, with all that repeats it or rests on it alone; may be given often', collect)
      .option('--all', 'with --forget left out: forget everything')
      .option(...flag('changes', 'show it as it was after these changes by hand'), whole('--changes', 0));
    withJson(withStore(command));
    examples(command, {
      'ludus store memory Ann': 'what Ann remembers, the oldest first',
      'ludus store memory Ann --json': 'the same with all changes, for machines',
      'ludus store memory Ann --edit 3f2a91c0/m1 --text "tea: green"': 'correct it',
      'ludus store memory Ann --forget 3f2a91c0/m1': 'no later prompt has it',
      'ludus store memory Ann --all': 'begin anew',
    });
    command.addHelpText(
      'after',
      '\nAn agent remembers from one episode to the next if its spec says {"settings": {"lasting": true}};\nLUDUS_MEMORY=off switches that off for all. The logs of earlier episodes stay as they are: "ludus store forget" deletes those.',
    );
  },

  load: async () => (await import('../../commands/store/memory.ts')).memory,
};
