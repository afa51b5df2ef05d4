/** @file What `ludus serve mcp` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withClientOptions, withServeOptions } from '../../server-options.ts';

export const mcp: CommandDeclaration = {
  declare(command) {
    command
      .argument('[world]', 'an environment, by name or file; without it, the client chooses')
      .option('--stdio', 'use standard input and output')
      .option('--box <agent>', 'serve only the functions this agent wrote and tested')
      .option('--a2a <agents>', 'serve only these A2A agents as tools: name=url, separated by commas')
      .option(...flag('admin'));
    withClientOptions(withServeOptions(command, 8001));
    examples(command, {
      'ludus serve mcp --stdio kuhn-poker': 'the command for an MCP client’s configuration',
      'ludus serve mcp --port 8001': 'streamable HTTP at http://127.0.0.1:8001/mcp',
      'ludus serve mcp --stdio --admin': 'also let clients run plans and score them',
      'ludus serve mcp --stdio --box Ann': 'Ann’s learned functions as tools',
      'ludus serve mcp --stdio --a2a shop=http://localhost:8002': 'an A2A agent as the tool ask_shop',
    });
  },

  load: async () => (await import('../../commands/serve/mcp.ts')).mcp,
};
