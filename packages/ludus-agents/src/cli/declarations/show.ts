/** @file What `ludus show` takes: its options, help and examples. */

import { type CommandDeclaration, examples, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

export const show: CommandDeclaration = {
  parts: {
    persona: { summary: 'Show a persona, or list the gallery', load: async () => (await import('./show/persona.ts')).persona },
    blame: { summary: 'Find the first wrong step of an episode', load: async () => (await import('./show/blame.ts')).blame },
    explain: { summary: 'Find out why an agent chose an action', load: async () => (await import('./show/explain.ts')).explain },
  },

  declare(command) {
    command
      .argument('<id>', 'an episode, a run (the first letters of an id are enough), a world, or a kind')
      .argument('[name]', 'what to explain of a kind: a name, a file or a package')
      .option(...flag('seat', 'only what it sees'))
      .option('--events', 'the raw events, one JSON a line');
    withJson(withStore(command));
    examples(command, {
      'ludus show 3f2a': 'the transcript; its numbers are what "fork --at" takes',
      'ludus show 3f2a --seat first': 'as one seat saw it',
      'ludus show 3f2a --events': 'the log as it is kept',
      'ludus show kuhn-poker': 'what a world is and which task it takes',
      'ludus show scorer repetition': 'what one of a kind is, its settings, and how it is used',
      'ludus show engine ./mine.ts': 'the same for one of your own',
    });
  },

  load: async () => (await import('../commands/show.ts')).show,
};
