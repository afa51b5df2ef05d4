/** @file `ludus fleet worker`: plays the jobs of a store together with other workers, until it is stopped. */

import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { checkVersions } from '@ludus-agents/evaluation/internal/plan-versions';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, printable, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { openMonitoring } from '@ludus-agents/servers/internal/fleet/monitoring';
import { rolloutWork } from '@ludus-agents/servers/internal/fleet/rollout-jobs';
import { scoreWork } from '@ludus-agents/servers/internal/fleet/score-jobs';
import { withSharedStore } from '@ludus-agents/servers/internal/fleet/with-runner';
import { Worker } from '@ludus-agents/servers/internal/fleet/worker';
import { paceIn } from '@ludus-agents/servers/internal/fleet/worker-pool';
import { limitYoungGeneration } from '@ludus-agents/servers/internal/fleet/young-generation';
import { redactAddress, type SharedStore } from '@ludus-agents/store/internal/open-store';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { version } from '@ludus-agents/store/internal/version';
import { type CommandRun, exits } from '../../command.ts';
import { interruptible, printJson, type Terminal } from '../../terminal.ts';

interface Options extends StoreOptions {
  readonly concurrency: number;
  readonly environments?: string;
  readonly models?: string;
  readonly lease: number;
  readonly grace: number;
  readonly metrics?: string;
  readonly patience: number;
  readonly untilEmpty?: boolean;
  readonly json?: boolean;
}

export const worker: CommandRun<Options> = {
  async run({ options, terminal }) {
    for (const name of wordsOf(options.environments) ?? []) await resolveEnvironment(name, terminal.cwd, Trust.job);
    limitYoungGeneration(options.concurrency);
    return withSharedStore(await there(terminal, options), options, async (sharedStore, where) => {
      const { controller, release } = interruptible(terminal, (text) => terminal.stderr.write(`${text}\n`));
      const untie = onTerminate(() => controller.abort());
      const newWorker = workerOn(sharedStore, options, terminal);
      const door =
        options.metrics === undefined ? null : await openMonitoring({ worker: newWorker, sharedStore, ...placeOf(options.metrics) });
      if (options.json !== true)
        terminal.stderr.write(
          `${newWorker.id} · Ludus ${version} · ${redactAddress(where)} · ${count(options.concurrency, 'episode')} at once\n`,
        );
      try {
        await newWorker.run(controller.signal);
      } finally {
        door?.close();
        untie();
        release();
      }
      const { id, finished, failed } = newWorker.note;
      if (options.json === true) printJson(terminal, { worker: id, finished, failed });
      else terminal.stderr.write(`${count(finished, 'job')} finished${failed > 0 ? `, ${failed} failed` : ''}.\n`);
      return exits.fine;
    });
  },
};

function wordsOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((word) => word.trim());
}

function workerOn(sharedStore: SharedStore, options: Options, terminal: Terminal): Worker {
  return new Worker({
    sharedStore,
    environment: (name) => resolveEnvironment(name, terminal.cwd, Trust.job),
    services: createAgentServices(terminal.cwd, Trust.job),
    checkVersions: (cast) => checkVersions(cast, { cwd: terminal.cwd, trust: Trust.job }),
    concurrency: options.concurrency,
    lease: options.lease * 1000,
    grace: options.grace * 1000,
    environments: wordsOf(options.environments),
    models: wordsOf(options.models),
    pace: paceIn(terminal.env),
    other: { rollout: rolloutWork(sharedStore.store), score: scoreWork(sharedStore.store, terminal.cwd) },
    untilEmpty: options.untilEmpty === true,
    tell: (sentence) => terminal.stderr.write(`${printable(sentence)}\n`),
  });
}

/** If workers start before their database, it waits instead of failing. */
async function there(terminal: Terminal, options: Options): Promise<Terminal> {
  const until = performance.now() + options.patience * 1000;
  for (;;) {
    try {
      await withSharedStore(terminal, options, async () => {});
      return terminal;
    } catch (thrown) {
      const passing = /nobody listens|did not answer|starting up|terminated|no such host/.test(sentenceOf(thrown));
      if (!passing || performance.now() > until) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** SIGTERM stops containers. */
function onTerminate(stop: () => void): () => void {
  process.on('SIGTERM', stop);
  return () => process.off('SIGTERM', stop);
}

function placeOf(text: string): { readonly host?: string; readonly port: number } {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new Fault('input', `--metrics: expected a port such as 9400, or a host and port such as 0.0.0.0:9400, got "${text}".`);
  return { port: Number(port), ...(host !== undefined && { host: host.replace(/^\[|\]$/g, '') }) };
}
