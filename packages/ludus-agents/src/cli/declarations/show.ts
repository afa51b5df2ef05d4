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
      .argument('<id>', 'an episode or a run (by the start of its ID), an environment, or a kind')
      .argument('[name]', 'with a kind: a name, a file, or a package')
      .option(...flag('seat', 'only what this seat sees'))
      .option('--events', 'the raw events as JSON lines');
    withJson(withStore(command));
    examples(command, {
      'ludus show 3f2a': 'the transcript; its numbers are what "fork --at" takes',
      'ludus show 3f2a --seat first': 'as one seat saw it',
      'ludus show 3f2a --events': 'the stored log',
      'ludus show kuhn-poker': 'an environment and its parameters',
      'ludus show scorer repetition': 'one object of a kind, its settings, and how to use it',
      'ludus show engine ./mine.ts': 'the same for your own',
    });
  },

  load: async () => (await import('../commands/show.ts')).show,
};
