/** @file `ludus persona`: the group of commands for personas. */

import { type CommandDeclaration, examples } from '../command.ts';

export const persona: CommandDeclaration = {
  parts: {
    new: { summary: 'Create one from a template, or let a model draft it', load: async () => (await import('./persona/new.ts')).create },
    make: {
      summary: 'Create one from a person’s texts, or from a few choices',
      load: async () => (await import('./persona/make.ts')).make,
    },
    import: {
      summary: 'Import a card or agent from another program',
      load: async () => (await import('./persona/import.ts')).importCommand,
    },
    export: { summary: 'Export one for another program', load: async () => (await import('./persona/export.ts')).exportCommand },
    check: { summary: 'Check a persona for problems and contradictions', load: async () => (await import('./persona/check.ts')).check },
    probe: { summary: 'Probe how well a character plays its card', load: async () => (await import('./persona/probe.ts')).probe },
    draft: { summary: 'Draft a new scene', load: async () => (await import('./persona/draft.ts')).draft },
    rewrite: { summary: 'Rewrite lines of a character with a model', load: async () => (await import('./persona/rewrite.ts')).rewrite },
    align: { summary: 'Align what characters said with their profiles', load: async () => (await import('./persona/align.ts')).align },
    teach: { summary: 'Create training lessons for a character', load: async () => (await import('./persona/teach.ts')).teach },
    suite: { summary: 'Create a role-play benchmark from characters', load: async () => (await import('./persona/suite.ts')).build },
    sample: { summary: 'Sample people from a population', load: async () => (await import('./persona/sample.ts')).sample },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus persona import card.png -o ann.json': 'a character card becomes a persona',
      'ludus persona export ann.json --to card-v3 -o ann-card.json': 'and is exported again',
      'ludus persona sample customers -n 50 --seed 1': 'fifty customers, and how they are distributed',
    });
  },
};
