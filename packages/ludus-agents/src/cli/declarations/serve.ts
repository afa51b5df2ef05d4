/** @file `ludus serve`: servers for other programs, one protocol each. */

import { type CommandDeclaration, examples } from '../command.ts';

export const serve: CommandDeclaration = {
  parts: {
    openenv: { summary: 'Seats for trainers that speak OpenEnv', load: async () => (await import('./serve/openenv.ts')).openenv },
    mcp: { summary: 'A seat as tools, for any MCP client', load: async () => (await import('./serve/mcp.ts')).mcp },
    proxy: { summary: 'Any model behind a door that records', load: async () => (await import('./serve/proxy.ts')).proxy },
    a2a: { summary: 'Personas that other agents call', load: async () => (await import('./serve/a2a.ts')).a2a },
    sites: { summary: 'Web tasks for real browsers', load: async () => (await import('./serve/sites.ts')).sites },
    all: { summary: 'Every door on one port', load: async () => (await import('./serve/all.ts')).all },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus serve openenv --port 8000': 'every world at /openenv/WORLD',
      'ludus serve openenv kuhn-poker': 'and one of them at the root, too',
      'ludus serve mcp --stdio kuhn-poker': 'a seat for a client that starts us',
      'ludus serve proxy --upstream http://localhost:8000/v1 --port 8080': 'every call of a program as an episode',
      'ludus serve sites --port 8080': 'six working sites and their tasks, for a browser',
      'ludus serve all': 'everything, and the studio',
    });
  },
};
