/**
 * @file What a worker needs to play the jobs of a lot: its environment, its agents with metered models, and a way to stop it. Created once
 * per lot.
 */

import { type AgentServices, createAgentLoader } from '../agents/kinds.ts';
import { type Agent, type AnyEnvironment, canonical, Fault, type Json, type Lot, type Model, type Seat } from '../core/index.ts';
import type { Agents } from '../engine/play.ts';
import { Meter, type MeterOptions } from './metered-models.ts';

export interface StageOptions extends Omit<MeterOptions, 'run' | 'stop'> {
  readonly services: AgentServices;
  readonly environment: (name: string) => Promise<AnyEnvironment>;
}

/** One run within one worker. */
export class RunContext {
  readonly run: string;
  readonly meter: Meter;
  readonly halt = new AbortController();
  readonly #options: StageOptions;
  readonly #agents = new Map<string, Promise<Agent>>();
  readonly #worlds = new Map<string, Promise<AnyEnvironment>>();

  constructor(run: string, options: StageOptions) {
    this.run = run;
    this.#options = options;
    this.meter = new Meter({ ...options, run, stop: () => this.halt.abort() });
  }

  /** The environment of a lot, if this machine has the right one. */
  world(lot: Lot): Promise<AnyEnvironment> {
    return remembered(this.#worlds, lot.id, async () => {
      const environment = await this.#options.environment(lot.world);
      if (environment.id !== lot.environment)
        throw new Fault(
          'input',
          `The job is to be played in ${lot.environment}, but this worker has ${environment.id}; use the same files everywhere.`,
        );
      return environment;
    });
  }

  async cast(lot: Lot, number: number): Promise<Agents> {
    const cast = lot.casts[number];
    if (cast === undefined) throw new Fault('input', `The job names cast ${number}, but its lot has ${lot.casts.length}.`);
    const environment = await this.world(lot);
    const model = (name: string): Promise<Model> => this.#model(name);
    const agentOf = createAgentLoader({ ...this.#options.services, model });
    const agents: Record<Seat, Agent> = {};
    for (const [seat, spec] of Object.entries(cast))
      agents[seat] = await remembered(this.#agents, canonical([lot.environment, seat, spec as Json]), () =>
        agentOf(spec, seat, environment),
      );
    return agents;
  }

  #model(name: string): Promise<Model> {
    const { model } = this.#options.services;
    if (model === undefined) throw new Fault('input', `The job needs the model ${name}, but this worker has none.`);
    return model(name);
  }
}

/** Makes a thing once; one that could not be made may be made later. */
function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
