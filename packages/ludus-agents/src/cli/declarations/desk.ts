/** @file `ludus desk`: desks of the user's own. */

import { type CommandDeclaration, examples } from '../command.ts';

export const desk: CommandDeclaration = {
  parts: {
    bot: { summary: 'Check that a bot answers, how fast, and what it remembers', load: async () => (await import('./desk/bot.ts')).check },
    check: { summary: 'Are its cases solvable, and does any pass by itself?', load: async () => (await import('./desk/check.ts')).check },
    import: { summary: 'A domain of τ²-bench as a suite', load: async () => (await import('./desk/import.ts')).importDomain },
    join: { summary: 'Several desks as one, with cases over all of them', load: async () => (await import('./desk/join.ts')).join },
    make: { summary: 'A database and tasks from tools and a policy alone', load: async () => (await import('./desk/make.ts')).make },
    tasks: { summary: 'Create cases from runs, desks, or conversations', load: async () => (await import('./desk/task-group.ts')).tasks },
    tools: {
      summary: 'Write tools.json from an OpenAPI document or an MCP server',
      load: async () => (await import('./desk/tools.ts')).tools,
    },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus new desk shop': 'writes the folder shop with a policy, tools, a database and tasks',
      'ludus desk check ./shop': 'before anybody plays it',
      'ludus eval ./shop --agents ./bot.json': 'then your bot is tried at it',
    });
  },
};
