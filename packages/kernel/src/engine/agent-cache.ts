/** @file Creates agents once for each environment, seat, and spec. They keep no state between turns, so episodes share them. */

import { type Agent, type AgentSpec, type AnyEnvironment, canonical, type EpisodeVersions, type Json, type Seat } from '../core/index.ts';
import { PromiseCache } from '../core/promise-cache.ts';

export type LoadAgent = (spec: AgentSpec | string, seat: Seat, environment: AnyEnvironment) => Agent | Promise<Agent>;

export class AgentCache {
  readonly #load: LoadAgent;
  readonly #agents: PromiseCache<Agent>;

  /** If specs come from outside, `most` limits the number of cached agents. */
  constructor(load: LoadAgent, most?: number) {
    this.#load = load;
    this.#agents = new PromiseCache(most);
  }

  /**
   * The agents of a cast, created one after another, so that the first problem is the one reported. An agent in another version is a
   * different agent.
   */
  async cast(
    cast: Readonly<Record<Seat, AgentSpec | string>>,
    environment: AnyEnvironment,
    versions?: EpisodeVersions,
  ): Promise<Readonly<Record<Seat, Agent>>> {
    const agents: Record<Seat, Agent> = {};
    for (const [seat, spec] of Object.entries(cast)) {
      const key = [environment.id, seat, spec as Json, versions?.environment ?? null, versions?.agents[seat] ?? null];
      agents[seat] = await this.#agents.get(canonical(key), () => this.#load(spec, seat, environment));
    }
    return agents;
  }
}
