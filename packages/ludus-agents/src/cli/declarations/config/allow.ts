/** @file What `ludus config allow` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const allow: CommandDeclaration = {
  declare(command) {
    command
      .argument(
        '[what]',
        'what to trust: a folder, a file, an address, hf:REPO, tools:NAME, cmd:COMMAND, or env:NAME; without it, list what is trusted',
      )
      .option('--remove', 'remove the permission');
    withJson(command);
    examples(command, {
      'ludus config allow .': 'trust the configuration in this folder',
      'ludus config allow ./worlds/harbour.mjs': 'let logs and jobs load this environment',
      'ludus config allow http://localhost:8000': 'let imported agents call this server',
      'ludus config allow tools:desk': 'let imported agents use this toolbox from LUDUS_TOOLS',
      'ludus config allow "cmd:node bot.js"': 'let imported bots run this command',
      'ludus config allow env:SHOP_TOKEN': 'and read this environment variable',
      'ludus config allow http://localhost:8000 --remove': 'revoke it',
    });
    command.addHelpText(
      'after',
      '\nThings you type yourself, or a plan that you name, need no permission;\ndata from imports, logs, and journals does.\nThe list is stored in LUDUS_HOME (~/.config/ludus).',
    );
  },

  load: async () => (await import('../../commands/config/allow.ts')).allow,
};
