/** @file `ludus persona`: the group of commands for personas. */

import { type CommandDeclaration, examples } from '../command.ts';

export const persona: CommandDeclaration = {
  parts: {
    new: { summary: 'Begin one from a template, or have a model draft it', load: async () => (await import('./persona/new.ts')).create },
    make: { summary: 'From a person’s own texts, or from a few choices', load: async () => (await import('./persona/make.ts')).make },
    import: { summary: 'Read a card or agent of another program', load: async () => (await import('./persona/import.ts')).importCommand },
    export: { summary: 'Write one as another program reads it', load: async () => (await import('./persona/export.ts')).exportCommand },
    show: { summary: 'Who somebody is, on one screen', load: async () => (await import('./persona/show.ts')).show },
    check: { summary: 'Is it in order, and does it fit together?', load: async () => (await import('./persona/check.ts')).check },
    validate: { summary: 'The old name of check', load: async () => (await import('./persona/check.ts')).check },
    sample: { summary: 'Draw people from a population', load: async () => (await import('./persona/sample.ts')).sample },
  },

  declare(command) {
    command.usage('COMMAND [options]').helpCommand(false);
    examples(command, {
      'ludus persona show innkeeper': 'somebody from the gallery',
      'ludus persona import card.png -o ann.json': 'a character card becomes a persona',
      'ludus persona export ann.json --to card-v3 -o ann-card.json': 'and goes out again',
      'ludus persona sample customers -n 50 --seed 1': 'fifty customers, and how they are spread',
    });
  },
};
