/** @file What `ludus store memory` takes: its options, help and examples. */

import { type CommandDeclaration, collect, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const memory: CommandDeclaration = {
  declare(command) {
    command
      .argument('<agent>', 'an agent, by its name in the logs')
      .option('--add <text>', 'add a memory')
      .option('--key <name>', 'with --add: the topic; later notes on the same topic weigh more')
      .option('--edit <id>', 'replace the text of one memory with --text')
      .option('--text <text>', 'with --edit: the new text')
      .option('--forget <id>', 'forget one memory and everything that depends on it alone; repeatable', collect)
      .option('--all', 'forget everything')
      .option(...flag('changes', 'show the memory after this many manual changes'), whole('--changes', 0));
    withJson(withStore(command));
    examples(command, {
      'ludus store memory Ann': 'what Ann remembers, the oldest first',
      'ludus store memory Ann --json': 'all changes as JSON',
      'ludus store memory Ann --edit 3f2a91c0/m1 --text "tea: green"': 'correct it',
      'ludus store memory Ann --forget 3f2a91c0/m1': 'later prompts no longer contain it',
      'ludus store memory Ann --all': 'start over',
    });
    command.addHelpText(
      'after',
      '\nAn agent remembers from one episode to the next if its spec has {"settings": {"lasting": true}};\nLUDUS_MEMORY=off switches that off for all. The logs of earlier episodes are not changed: "ludus store forget" deletes those.',
    );
  },

  load: async () => (await import('../../commands/store/memory.ts')).memory,
};
