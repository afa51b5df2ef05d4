/** @file `ludus fleet`: start and monitor workers. */

import { amount, type CommandDeclaration, commandGroup, examples, whole, withJson, withStore } from '../command.ts';
import { flag } from '../flags.ts';

const status: CommandDeclaration = {
  declare(command) {
    command.option('--dead', 'failed jobs, and why');
    withJson(withStore(command));
    examples(command, {
      'ludus fleet status --store postgres://me@db/ludus': 'show the current state',
      'watch -n 2 ludus fleet status': 'keep watching',
      'ludus fleet status --dead': 'list failed jobs; run the original command again to retry them',
    });
  },

  load: async () => (await import('../commands/fleet/status.ts')).fleet,
};

const worker: CommandDeclaration = {
  declare(command) {
    command
      .option(
        ...flag('concurrency', 'episodes to play at once; up to half as many more at the end of a queue'),
        whole('--concurrency', 1, 100_000),
        16,
      )
      .option('--environments <list>', 'only these environments')
      .option('--models <list>', 'only episodes that use these models')
      .option('--lease <seconds>', 'how long without a heartbeat before other workers take over a job', amount('--lease'), 30)
      .option(...flag('grace'), amount('--grace'), 30)
      .option('--patience <seconds>', 'how long to wait for the store to become reachable', amount('--patience'), 60)
      .option('--metrics <[host:]port>', 'serve /health and /metrics at this address (default: off)')
      .option('--until-empty', 'exit when the queue is empty');
    withJson(withStore(command));
    examples(command, {
      'ludus fleet worker --store postgres://worker@db/ludus': 'play queued jobs until Ctrl-C or SIGTERM',
      'ludus fleet worker --concurrency 64 --models openai/gpt-5.4-mini': 'only jobs that use this model',
      'ludus fleet worker --metrics 9400 --until-empty': 'with metrics; exits when the work is done',
    });
    command.addHelpText('after', '\nSet the address of the store in LUDUS_STORE if you can: other users can read command lines.');
  },

  load: async () => (await import('../commands/fleet/worker.ts')).worker,
};

export const fleet = commandGroup(
  {
    worker: { summary: 'Play queued jobs from a shared store', ...worker },
    status: { summary: 'Show workers, their jobs, pace, and cost', ...status },
  },
  {
    'ludus fleet worker --store postgres://me@db/ludus': 'run it on each machine',
    'ludus fleet status --store postgres://me@db/ludus': 'show progress across machines',
  },
);
