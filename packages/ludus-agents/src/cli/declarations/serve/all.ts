/** @file What `ludus serve all` takes: its options, help and examples. */

import { type CommandDeclaration, examples } from '../../command.ts';
import { flag } from '../../flags.ts';
import { withClientOptions, withRecording, withServeOptions } from '../../server-options.ts';

export const all: CommandDeclaration = {
  declare(command) {
    command.option(...flag('admin'));
    withRecording(withClientOptions(withServeOptions(command, 4747)));
    examples(command, {
      'ludus serve all': 'the studio, /openenv/NAME, /mcp, /a2a, and /v1',
      'ludus serve all --host 0.0.0.0 --token SECRET': 'also for other machines',
    });
  },

  load: async () => (await import('../../commands/serve/all.ts')).all,
};
