/**
 * @file What a worker needs to play the jobs of a lot: its environment, its agents with metered models, and a way to stop it. Created once
 * per lot.
 */

import { type AgentServices, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { VersionedCast } from '@ludus-agents/evaluation/internal/plan-versions';
import { type AnyEnvironment, Fault, type Lot, type Model } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { AgentCache } from '@ludus-agents/kernel/internal/engine/agent-cache';
import type { Agents } from '@ludus-agents/kernel/internal/engine/play';
import { Meter, type MeterOptions } from './metered-models.ts';

export interface StageOptions extends Omit<MeterOptions, 'run' | 'stop'> {
  readonly services: AgentServices;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
  /** Rejects a cast whose local files differ from those that the job was created for. */
  readonly checkVersions?: ((cast: VersionedCast) => Promise<void>) | undefined;
}

/** One run within one worker. */
export class RunContext {
  readonly run: string;
  readonly meter: Meter;
  readonly halt = new AbortController();
  readonly #options: StageOptions;
  readonly #agents: AgentCache;
  readonly #environments = new PromiseCache<AnyEnvironment>();
  readonly #checks = new PromiseCache<void>();

  constructor(run: string, options: StageOptions) {
    this.run = run;
    this.#options = options;
    this.#agents = new AgentCache(createAgentLoader({ ...options.services, model: (name) => this.#model(name) }));
    this.meter = new Meter({ ...options, run, stop: () => this.halt.abort() });
  }

  /** The environment of a lot, if this machine has the right version. */
  environment(lot: Lot): Promise<AnyEnvironment> {
    return this.#environments.get(lot.id, async () => {
      const environment = await this.#options.environment(lot.environmentName);
      if (environment.id !== lot.environment)
        throw new Fault(
          'input',
          `The job needs ${lot.environment}, but this worker has ${environment.id}. Use the same files on every worker.`,
        );
      return environment;
    });
  }

  async cast(lot: Lot, number: number): Promise<Agents> {
    const cast = lot.casts[number];
    if (cast === undefined) throw new Fault('input', `The job names cast ${number}, but its lot has ${lot.casts.length}.`);
    const environment = await this.environment(lot);
    const versions = lot.versions?.[number];
    if (versions !== undefined) await this.#check(lot, number);
    return this.#agents.cast(cast, environment, versions);
  }

  /** Whether this machine has the job's files; checked once for each cast of a lot. */
  #check(lot: Lot, number: number): Promise<void> {
    const checked = { environment: lot.environmentName, cast: lot.casts[number]!, versions: lot.versions![number]! };
    return this.#checks.get(`${lot.id} ${number}`, async () => this.#options.checkVersions?.(checked));
  }

  #model(name: string): Promise<Model> {
    const { model } = this.#options.services;
    if (model === undefined) throw new Fault('input', `The job needs the model ${name}, but this worker has none.`);
    return model(name);
  }
}
