/** @file What `ludus fleet worker` takes: its options, help and examples. */

import { amount, type CommandDeclaration, examples, whole, withJson, withStore } from '../../command.ts';
import { flag } from '../../flags.ts';

export const worker: CommandDeclaration = {
  declare(command) {
    command
      .option(
        ...flag(
          'concurrency',
          'up to half as many more at the end of a queue, where models are called and LUDUS_CALLS_AT_ONCE is no larger',
        ),
        whole('--concurrency', 1, 100_000),
        16,
      )
      .option('--environments <list>', 'only episodes of these environments')
      .option('--models <list>', 'only episodes whose models are all among these')
      .option('--lease <seconds>', 'how long others wait for a sign of life before they take a job over', amount('--lease'), 30)
      .option(...flag('grace'), amount('--grace'), 30)
      .option('--patience <seconds>', 'how long to wait for a store that is not there yet', amount('--patience'), 60)
      .option('--metrics <[host:]port>', 'where /health and /metrics are (default: nowhere; the host is 127.0.0.1)')
      .option('--until-empty', 'stop when nothing waits any more');
    withJson(withStore(command));
    examples(command, {
      'ludus fleet worker --store postgres://worker@db/ludus': 'play whatever waits, until Ctrl-C or SIGTERM',
      'ludus fleet worker --concurrency 64 --models openai/gpt-5.4-mini': 'one that only calls this model',
      'ludus fleet worker --metrics 9400 --until-empty': 'watched, and gone when the work is done',
    });
    command.addHelpText(
      'after',
      '\nThe address of the store is better set as LUDUS_STORE: what stands on a command line can be read by others.',
    );
  },

  load: async () => (await import('../../commands/fleet/worker.ts')).worker,
};
