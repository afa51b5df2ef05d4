/** @file `ludus persona`: the group of commands for personas. */

import { type CommandDeclaration, examples } from '../command.ts';

export const persona: CommandDeclaration = {
  parts: {
    new: { summary: 'Begin one from a template, or have a model draft it', load: async () => (await import('./persona/new.ts')).create },
    make: { summary: 'From a person’s own texts, or from a few choices', load: async () => (await import('./persona/make.ts')).make },
    import: { summary: 'Read a card or agent of another program', load: async () => (await import('./persona/import.ts')).importCommand },
    export: { summary: 'Write one as another program reads it', load: async () => (await import('./persona/export.ts')).exportCommand },
    check: { summary: 'Is it in order, and does it fit together?', load: async () => (await import('./persona/check.ts')).check },
    probe: { summary: 'Ask a character what its card says', load: async () => (await import('./persona/probe.ts')).probe },
    draft: { summary: 'Draft a new scene from what is known', load: async () => (await import('./persona/draft.ts')).draft },
    rewrite: { summary: 'Rewrite lines of a character with a model', load: async () => (await import('./persona/rewrite.ts')).rewrite },
    teach: { summary: 'Create training lessons for a character', load: async () => (await import('./persona/teach.ts')).teach },
    suite: { summary: 'Create a role-play benchmark from characters', load: async () => (await import('./persona/suite.ts')).build },
    sample: { summary: 'Draw people from a population', load: async () => (await import('./persona/sample.ts')).sample },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus persona import card.png -o ann.json': 'a character card becomes a persona',
      'ludus persona export ann.json --to card-v3 -o ann-card.json': 'and goes out again',
      'ludus persona sample customers -n 50 --seed 1': 'fifty customers, and how they are spread',
    });
  },
};
