/** @file `ludus tasks`: tasks made from what was played, from desks, from written ideas, from documents, from conversations of people, and from public repair tasks. */

import { type CommandDeclaration, examples } from '../command.ts';

export const tasks: CommandDeclaration = {
  parts: {
    ideas: {
      summary: 'Text adventures out of written ideas, proved to be winnable, as a suite',
      load: async () => (await import('./tasks/ideas.ts')).ideas,
    },
    library: {
      summary: 'A folder of your own documents as questions with proofs, as a suite',
      load: async () => (await import('./tasks/library.ts')).library,
    },
    programs: {
      summary: 'Repair tasks in the public SWE format as tasks of programs, as a suite',
      load: async () => (await import('./tasks/programs.ts')).programs,
    },
    observe: {
      summary: 'Conversations of people as places where a simulated user speaks or watches, as a suite',
      load: async () => (await import('./tasks/observe.ts')).observe,
    },
    from: { summary: 'The tasks of a run, or those that failed, as a suite', load: async () => (await import('./tasks/from.ts')).from },
    make: { summary: 'Cases made from a desk, proved by gold calls, as a suite', load: async () => (await import('./tasks/make.ts')).make },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus tasks from RUN --failed -o tasks.json': 'what failed, to be played again',
      'ludus tasks make ./shop -o made.json': 'composed, ambiguous and otherwise difficult cases',
      'ludus tasks library ./docs -o questions.json': 'questions about your own documents',
      'ludus tasks programs instances.jsonl -o repairs.json': 'repositories with a bug, their tests, and what does not fit',
      'ludus tasks ideas ideas.txt -o quests.json': 'a text adventure for each idea, proved by a search',
      'ludus eval tasks.json --agents ./bot.json': 'it is a suite like any other',
    });
  },
};
