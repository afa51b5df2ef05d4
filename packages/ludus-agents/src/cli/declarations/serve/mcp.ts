/** @file What `ludus serve mcp` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withClientOptions, withServeOptions } from '../../server-options.ts';

export const mcp: CommandDeclaration = {
  declare(command) {
    command
      .argument('[world]', 'what is played, by name or file; without it the client chooses')
      .option('--stdio', 'speak over standard input and output, to the client that started us')
      .option('--box <agent>', 'serve the functions that this agent wrote, tested and kept, and nothing else')
      .option(...flag('admin'));
    withClientOptions(withServeOptions(command, 8001));
    examples(command, {
      'ludus serve mcp --stdio kuhn-poker': 'the line for a client that starts its servers',
      'ludus serve mcp --port 8001': 'streamable HTTP at http://127.0.0.1:8001/mcp',
      'ludus serve mcp --stdio --admin': 'and let it run plans and score them',
      'ludus serve mcp --stdio --box Ann': 'what Ann has learned to do, as tools for any client',
    });
  },

  load: async () => (await import('../../commands/serve/mcp.ts')).mcp,
};
