/** @file `ludus desk`: desks of the user's own. */

import { type CommandDeclaration, examples } from '../command.ts';

export const desk: CommandDeclaration = {
  parts: {
    bot: { summary: 'Check that a bot answers, how fast, and what it remembers', load: async () => (await import('./desk/bot.ts')).check },
    check: {
      summary: 'Check that every case can be solved and none passes by itself',
      load: async () => (await import('./desk/check.ts')).check,
    },
    import: { summary: 'Import a τ²-bench domain as a suite', load: async () => (await import('./desk/import.ts')).importDomain },
    join: { summary: 'Join several desks into one', load: async () => (await import('./desk/join.ts')).join },
    make: { summary: 'Generate a database and tasks from tools and a policy', load: async () => (await import('./desk/make.ts')).make },
    tasks: { summary: 'Create cases from runs, desks, or conversations', load: async () => (await import('./desk/task-group.ts')).tasks },
    tools: {
      summary: 'Write tools.json from an OpenAPI document or an MCP server',
      load: async () => (await import('./desk/tools.ts')).tools,
    },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus new desk shop': 'create the folder shop with a policy, tools, a database, and tasks',
      'ludus desk check ./shop': 'check it before anyone plays it',
      'ludus eval ./shop --agents ./bot.json': 'then test your bot',
    });
  },
};
