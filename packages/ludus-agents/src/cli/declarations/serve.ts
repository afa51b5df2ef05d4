/** @file `ludus serve`: servers for other programs, one protocol each. */

import { type CommandDeclaration, examples } from '../command.ts';

export const serve: CommandDeclaration = {
  parts: {
    openenv: { summary: 'Serve seats to trainers over OpenEnv', load: async () => (await import('./serve/openenv.ts')).openenv },
    mcp: { summary: 'Serve a seat as MCP tools', load: async () => (await import('./serve/mcp.ts')).mcp },
    proxy: { summary: 'Record the calls to any model', load: async () => (await import('./serve/proxy.ts')).proxy },
    a2a: { summary: 'Serve personas over A2A', load: async () => (await import('./serve/a2a.ts')).a2a },
    sites: { summary: 'Serve web tasks for real browsers', load: async () => (await import('./serve/sites.ts')).sites },
    all: { summary: 'Serve everything on one port', load: async () => (await import('./serve/all.ts')).all },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus serve openenv --port 8000': 'every environment at /openenv/NAME',
      'ludus serve openenv kuhn-poker': 'and one of them at the root',
      'ludus serve mcp --stdio kuhn-poker': 'a seat for a client that starts the server',
      'ludus serve proxy --upstream http://localhost:8000/v1 --port 8080': 'every call of a program as an episode',
      'ludus serve sites --port 8080': 'six working sites and their tasks, for a browser',
      'ludus serve all': 'everything, and the studio',
    });
  },
};
