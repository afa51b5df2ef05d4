/** @file What `ludus desk tools` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const tools: CommandDeclaration = {
  declare(command) {
    command
      .argument('<source>', 'an OpenAPI 3 document as JSON, mcp:COMMAND, or mcp:http://HOST/mcp')
      .option(...flag('desk', 'a database; its tables are matched with the tools'))
      .option(...flag('output', '(default: standard output)'));
    withJson(command);
    examples(command, {
      'ludus desk tools openapi.json -o shop/tools.json': 'GET, POST, PATCH and DELETE on /orders/{id} become tools on the table orders',
      'ludus desk tools "mcp:node server.js" --desk ./shop -o shop/tools.json': 'names and arguments of an MCP server',
    });
  },

  load: async () => (await import('../../commands/desk/tools.ts')).tools,
};
