/** @file What `ludus config allow` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';

export const allow: CommandDeclaration = {
  declare(command) {
    command
      .argument(
        '[what]',
        'a folder whose configuration and keys you trust, a file that may be loaded as code or read, the address of a server, hf:REPO, tools:NAME, or cmd:COMMAND and env:NAME of a bot; without it, what is allowed',
      )
      .option('--remove', 'take it back');
    withJson(command);
    examples(command, {
      'ludus config allow .': 'trust the settings that came with this folder',
      'ludus config allow ./worlds/harbour.mjs': 'logs and jobs that name this world may load it',
      'ludus config allow http://localhost:8000': 'agents from an import may call this server',
      'ludus config allow tools:desk': 'agents from an import may use this toolbox of LUDUS_TOOLS',
      'ludus config allow "cmd:node bot.js"': 'bots from an import or a shared store may run this command',
      'ludus config allow env:SHOP_TOKEN': 'and be given this variable',
      'ludus config allow http://localhost:8000 --remove': 'no longer',
    });
    command.addHelpText(
      'after',
      '\nWhat you type yourself, or a plan that you name, needs no such leave;\ndata from imports, logs and journals does.\nThe list is kept in LUDUS_HOME (~/.config/ludus).',
    );
  },

  load: async () => (await import('../../commands/config/allow.ts')).allow,
};
