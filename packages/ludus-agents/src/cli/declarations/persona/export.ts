/** @file What `ludus persona export` takes: its options, help and examples. */

import { exportFormats } from '@ludus-agents/agents/internal/personas/exchange/export-formats';
import { type CommandDeclaration, examples, oneOf, withJson } from '../../command.ts';
import { flag } from '../../flags.ts';

export const exportCommand: CommandDeclaration = {
  declare(command) {
    command
      .argument('<persona>', 'a persona file in any supported format, or a gallery name')
      .requiredOption('--to <format>', `one of ${exportFormats.join(', ')}`, oneOf('--to', exportFormats))
      .option(...flag('output', '(default: standard output)'))
      .option('--image <file>', 'the PNG to put the card into');
    withJson(command);
    examples(command, {
      'ludus persona export innkeeper --to card-v3 -o innkeeper.json': 'a card that other programs read',
      'ludus persona export ann.json --to png --image ann.png -o card.png': 'inside your own picture',
      'ludus persona export ann.json --to tinytroupe': 'on standard output',
    });
  },

  load: async () => (await import('../../commands/persona/export.ts')).exportCommand,
};
